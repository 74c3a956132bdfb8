// A part of your own: something with a mass and a coordinate that the library does not know.
//
// point_mass.hpp defines it: a mass on a spring that hangs from a coordinate of the skeleton. Here
// that coordinate is a lift on its own spring. Both bounce, and energy stays the same.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>

#include "point_mass.hpp"

int main() {
  sinew::BodySpec lift;
  lift.name = "lift";
  lift.joint = sinew::Prismatic{sinew::Vec3::UnitY()};
  lift.coordinate_names = {"lift_y"};
  lift.M_B = sinew::SpatialInertia::FromCentral(2, {0, 0, 0}, 0.01 * sinew::Mat3::Identity());

  sinew::SystemBuilder builder(sinew::SkeletonBuilder().add_body(lift).build());
  const sinew::DofIndex y = builder.skeleton().find_coordinate("lift_y");
  builder.add_force(std::make_shared<sinew::JointSpring>("rope", y, 400, 0, 0));
  builder.add_part(std::make_shared<example::PointMass>(example::PointMass::Spec{
      .mass = 0.5, .stiffness = 100, .damping = 0, .rest = -0.3, .dof = y, .start = -0.3}));
  const sinew::System system = builder.build();

  // The part's coordinate follows those of the skeleton in the state.
  sinew::State state = system.default_state();
  for (int i = 0; i < system.dof_count(); ++i)
    std::printf("q[%d] is %s\n", i, system.entry_name(i).c_str());

  sinew::Workspace ws(system);
  const sinew::Energy start = sinew::energy(system, state, ws);
  double most_kinetic = 0, drift = 0, lowest = state.q[1];
  sinew::SimulationObserver observer;
  observer.on_step = [&](const sinew::State& now, const sinew::StepReport&) {
    const sinew::Energy energy = sinew::energy(system, now, ws);
    most_kinetic = std::max(most_kinetic, energy.kinetic);
    drift = std::max(drift, std::abs(energy.total() - start.total()));
    lowest = std::min(lowest, now.q[1]);
  };
  sinew::simulate(system, {.step = {.integrator = sinew::Integrator::rk4}, .until = 10}, state, ws,
                  observer);

  std::printf("the mass falls to %.3f m; the most kinetic energy is %.3f J\n", lowest,
              most_kinetic);
  // RK4 at 1 ms, against periods of 0.4 s: far below a millionth.
  const bool conserved = drift < 1e-6 * most_kinetic;
  std::printf("energy is %s\n", conserved ? "conserved" : "not conserved");
  return conserved && lowest < -0.3 ? 0 : 1;
}

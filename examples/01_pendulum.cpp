// A pendulum: builds a system, steps it, and compares its period with the formula for small swings.
#include <cmath>
#include <cstdio>
#include <numbers>
#include <sinew/sinew.hpp>

int main() {
  // A rod of one metre that hangs from a hinge. Its body frame is at the hinge, its mass below it.
  sinew::BodySpec rod;
  rod.name = "rod";
  rod.joint = sinew::Revolute{sinew::Vec3::UnitZ()};
  rod.coordinate_names = {"swing"};
  rod.M_B = sinew::inertia(sinew::Cuboid{{0.02, 1, 0.02}}, 500)  // sides in m, density in kg/m³
                .transformed(sinew::Pose::Translation({0, -0.5, 0}));
  rod.q0 = {0.02};  // initial angle [rad]

  // Builders check everything once. Skeleton and System never change afterwards.
  const sinew::Skeleton skeleton = sinew::SkeletonBuilder().add_body(rod).build();
  const sinew::System system = sinew::SystemBuilder(skeleton).build();

  // The state is all that changes; the workspace is scratch memory.
  sinew::State state = system.default_state();
  sinew::Workspace ws(system);
  const sinew::StepOptions options{.integrator = sinew::Integrator::rk4};

  // The rod starts at rest: it hangs straight down after a quarter of its period.
  while (state.q[0] > 0) {
    const sinew::StepReport report = sinew::step(system, options, 1e-3, state, ws);
    if (report.status != sinew::StepStatus::ok) {
      std::printf("the step failed: %s\n", sinew::to_string(report.status).c_str());
      return 1;
    }
  }
  // The last step went slightly too far: go back at the present speed.
  const double period = 4 * (state.t - state.q[0] / state.qdot[0]);

  // T = 2π √(I / (m g d)), with the moment of inertia I about the hinge and the distance d from the
  // hinge to the centre of mass.
  const double g = -system.gravity().y();
  const double d = -rod.M_B.com().y();
  const double formula = 2 * std::numbers::pi * std::sqrt(rod.M_B.I(2, 2) / (rod.M_B.mass * g * d));

  std::printf("period of the simulation: %.3f s\n", period);
  std::printf("period by the formula:    %.3f s\n", formula);
  // A swing of amplitude a takes 1 + a²/16 times as long: 2.5e-5 longer here.
  return std::abs(period / formula - 1) < 5e-5 ? 0 : 1;
}

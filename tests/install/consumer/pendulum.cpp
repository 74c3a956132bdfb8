#include <cstdio>
#include <sinew/sinew.hpp>

int main() {
  sinew::BodySpec rod;
  rod.name = "rod";
  rod.joint = sinew::Revolute{sinew::Vec3::UnitZ()};
  rod.M_B = sinew::inertia(sinew::Cuboid{{0.02, 1, 0.02}}, 500)  // sides in m, density in kg/m³
                .transformed(sinew::Pose::Translation({0, -0.5, 0}));
  rod.q0 = {0.05};  // the angle at the start [rad]
  const sinew::System system =
      sinew::SystemBuilder(sinew::SkeletonBuilder().add_body(rod).build()).build();

  sinew::State state = system.default_state();
  sinew::Workspace ws(system);
  for (int i = 0; i < 1000; ++i)
    sinew::step(system, {.integrator = sinew::Integrator::rk4}, 1e-3, state, ws);
  std::printf("after %.0f s the angle is %.4f rad\n", state.t, state.q[0]);
}

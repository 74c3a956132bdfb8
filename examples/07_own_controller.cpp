// A controller of your own: holds a pendulum upright with a motor at its hinge.
#include <cmath>
#include <cstdio>
#include <memory>
#include <numbers>
#include <sinew/sinew.hpp>

/// Feedback of angle and speed. Everything that gives values to a system's inputs is a Controls.
class Balance final : public sinew::Controls {
 public:
  Balance(double stiffness, double damping) : stiffness_(stiffness), damping_(damping) {}

  /// `start` is the state in which the step began: the state that a controller can have measured.
  void evaluate(double /*t*/, const sinew::At& start, sinew::VecRef values) const override {
    values[0] = -stiffness_ * (start.q[0] - std::numbers::pi) - damping_ * start.qdot[0];
  }

 private:
  double stiffness_, damping_;  // [N m/rad, N m s/rad]
};

int main() {
  sinew::BodySpec rod;
  rod.name = "rod";
  rod.joint = sinew::Revolute{sinew::Vec3::UnitZ()};
  rod.coordinate_names = {"swing"};  // 0: hangs down
  rod.M_B = sinew::inertia(sinew::Cuboid{{0.04, 1, 0.04}}, 800)
                .transformed(sinew::Pose::Translation({0, -0.5, 0}));
  rod.q0 = {std::numbers::pi - 0.3};

  sinew::SystemBuilder builder(sinew::SkeletonBuilder().add_body(rod).build());
  const sinew::DofIndex swing = builder.skeleton().find_coordinate("swing");
  // Its control is the torque [N m], 20 at most; zero unless it is set.
  builder.add_force(std::make_shared<sinew::CoordinateDrive>(
      "motor", swing, 1, 0.0, sinew::CoordinateDrive::Range{-20, 20}));
  const sinew::System system = builder.build();

  sinew::Workspace ws(system);
  const sinew::SimulationSettings settings{.step = {.integrator = sinew::Integrator::rk4},
                                           .until = 5};

  sinew::State falling = system.default_state();
  sinew::simulate(system, settings, falling, ws);
  sinew::State held = system.default_state();
  sinew::simulate(system, settings, Balance(20, 5), held, ws);

  const auto off = [](const sinew::State& s) { return std::abs(s.q[0] - std::numbers::pi); };
  std::printf("without the controller the rod is %.3f rad off after %.0f s\n", off(falling),
              falling.t);
  std::printf("with the controller it is %.3f rad off\n", off(held));
  return off(falling) > 0.3 && off(held) < 1e-3 ? 0 : 1;
}

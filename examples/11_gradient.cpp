// Finds the torques that bring the tip of a falling arm to a target.
//
// The gradient of the whole run by its parameters costs about as much as a second run, however many
// parameters there are. Here they are the torques at two joints, at five times each.
#include <cstdio>
#include <limits>
#include <sinew/sinew.hpp>

int main() {
  using namespace sinew;
  BodySpec upper;
  upper.name = "upper";
  upper.joint = Revolute{Vec3::UnitZ()};
  upper.M_B = SpatialInertia::FromCentral(1, {0, -0.15, 0}, 0.01 * Mat3::Identity());
  BodySpec lower = upper;
  lower.name = "lower";
  lower.parent = "upper";
  lower.E_PJ.p = {0, -0.3, 0};
  SystemBuilder builder(SkeletonBuilder().add_body(upper).add_body(lower).build());
  constexpr double kFar = std::numeric_limits<double>::infinity();
  for (const int joint : {0, 1})
    builder.add_force(std::make_shared<CoordinateDrive>("motor" + std::to_string(joint + 1),
                                                        DofIndex(joint), 1.0, 0.0,
                                                        CoordinateDrive::Range{-kFar, kFar}));
  const System system = builder.build();

  RunSettings settings;
  settings.step = differentiable_options({.integrator = Integrator::bdf2});
  settings.dt = 2e-3;
  settings.steps = 250;
  RunDerivatives run(system, settings);
  const PointTarget target(BodyIndex(1), {0, -0.3, 0}, {0.4, 0.1, 0}, 1.0);
  RunParameters parameters(system, system.default_state());
  for (const int motor : {0, 1})
    parameters.add_control(motor, {0, 0.1, 0.2, 0.3, 0.4}, RunParameters::Interpolation::linear, 5);

  const MinimizeResult found = minimize(
      [&](const VecX& p, double& value, VecX& gradient) {
        ValueAndGradient at;
        if (!differentiate(run, parameters, target, p, at)) return false;
        value = at.value;
        gradient = at.gradient;
        return true;
      },
      VecX::Zero(parameters.size()));

  const double distance = std::sqrt(2 * found.value);
  std::printf("%d runs with gradients, %s\n", found.evaluations, to_string(found.end).c_str());
  std::printf("the tip ends %.2f mm from its target\n", 1e3 * distance);
  return distance < 1e-3 ? 0 : 1;
}

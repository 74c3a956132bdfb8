#include <gtest/gtest.h>

#include "sinew/analysis/muscle_state.hpp"
#include "sinew/builder/system_builder.hpp"
#include "sinew/dynamics/forces.hpp"
#include "sinew/integrate/simulate.hpp"
#include "sinew/muscles/muscle_element.hpp"
#include "sinew/muscles/muscles.hpp"
#include "sinew/system/equations.hpp"

/// Energy of a double pendulum in space, 4 coordinates, whose muscle of 1 kg passes over a surface
/// beside the lower joint and touches it again and again. RK4, undamped.

namespace sinew {
namespace wrap_energy_test {

struct Outcome {
  double error = 0;  ///< largest energy error over largest kinetic energy
  int touch_downs = 0;
  int failures = 0;
};

/// The pendulum hangs along −z; the surface is fixed to the upper body.
System pendulum(const Wrap& wrap, const Pose& E_BS, const Vec3& o, const Vec3& i) {
  const auto rod =
      SpatialInertia::FromCentral(1, Vec3(0, 0, -0.2), Vec3(0.0135, 0.0135, 0.001).asDiagonal());
  SkeletonBuilder skeleton;
  BodySpec upper, lower;
  upper.name = "upper";
  upper.joint = Universal{};
  upper.M_B = rod;
  upper.q0 = {0.15, 0.3};
  lower = upper;
  lower.name = "lower";
  lower.parent = "upper";
  lower.E_PJ.p = Vec3(0, 0, -0.4);
  lower.q0 = {-0.1, -0.25};
  skeleton.add_body(upper).add_body(lower);
  SystemBuilder builder(skeleton.build());
  builder.set_gravity(Vec3(0, 0, -9.81));
  for (int k = 0; k < 4; ++k)  // keeps the chord from crossing the surface's middle
    builder.add_force(std::make_shared<JointSpring>("spring" + std::to_string(k), DofIndex(k),
                                                    k < 2 ? 2.0 : 10.0, 0, 0));
  Muscle muscle;
  muscle.name = "muscle";
  muscle.points = {PathPoint::Fixed(BodyIndex(0), o), PathPoint::Fixed(BodyIndex(1), i)};
  muscle.spans = {{BodyIndex(0), E_BS, wrap}};
  muscle.mass = 1;
  builder.add_muscle(muscle);
  return builder.build();
}

SpanStatus status_of(const System& system, const State& state, Workspace& ws) {
  update_forces(system, {0, state.q, state.qdot}, ws);
  const ConstVecRef q(state.q), qdot(state.qdot);
  const SpanPath& muscle = *system.muscles()[0]->spans();
  muscle.update({system.skeleton(), 0, q, qdot, ws.skeleton}, nullptr, MuscleView::path,
                muscle_scratch(ws).path.spans);
  return muscle.status(muscle_scratch(ws).path.spans);
}

Outcome simulated(const System& system, double h, double duration) {
  StepOptions options;
  options.integrator = Integrator::rk4;
  State state = initial_state(system, options);
  Workspace ws(system);
  Outcome run;
  const double start = energy(system, {0, state.q, state.qdot}, ws).total();
  double kinetic = 0, error = 0;
  SpanStatus last = SpanStatus::free;
  const auto steps = static_cast<int>(std::lround(duration / h));
  for (int k = 0; k < steps; ++k) {
    const StepReport report = step(system, options, h, state, ws);
    if (report.status != StepStatus::ok) {
      run.error = std::numeric_limits<double>::infinity();
      return run;
    }
    const Energy now = energy(system, {0, state.q, state.qdot}, ws);
    kinetic = std::max(kinetic, now.kinetic);
    error = std::max(error, std::abs(now.total() - start));
    const SpanStatus status = status_of(system, state, ws);
    run.touch_downs += status == SpanStatus::wrapped && last == SpanStatus::free;
    run.failures += failed(status);
    last = status;
  }
  run.error = error / kinetic;
  return run;
}

struct Case {
  const char* name;
  Wrap smooth, exact;
  Pose E_BS;
  Vec3 o, i;  ///< on the upper and on the lower body
  double limit;
};

std::vector<Case> cases() {
  const Vec3 o(-0.09, 0, -0.1), i(-0.09, 0.01, -0.25);
  const SphereWrap sphere{.radius = 0.07};
  const EllipsoidWrap ellipsoid{.semi_axes = Vec3(0.07, 0.1, 0.06)};
  const TorusWrap torus{.radius = 0.08, .tube = 0.02, .side = TorusSide::down_hole};
  const CappedCylinderWrap capped{.radius = 0.07};
  ImplicitWrap band;
  band.level = level_from_formula(
      [level = EllipsoidLevel(ellipsoid)](const auto& x) { return level.value(x); });
  band.size = EllipsoidLevel(ellipsoid).size();
  const auto exactly = [](auto wrap) {
    wrap.model = WrapKind::exact;
    return wrap;
  };
  Pose beside, ring, lying;
  beside.p = Vec3(-0.02, 0, -0.4);
  ring.p = Vec3(-0.03, 0, -0.38);
  lying.p = beside.p;  // the cylinder's axis along −y, its cap towards +y
  lying.R << 1, 0, 0, 0, 0, 1, 0, -1, 0;
  return {{"sphere", sphere, exactly(sphere), beside, o, i, 1e-5},
          {"ellipsoid", ellipsoid, exactly(ellipsoid), beside, o, i, 1e-4},
          {"torus", torus, exactly(torus), ring, o, i, 1e-4},
          {"capped_cylinder", capped, exactly(capped), lying, o, i, 1e-4},
          {"elastic_band", band, exactly(ellipsoid), beside, o, i, 1e-4}};
}

class WrapEnergy : public testing::TestWithParam<Case> {};

/// 10 s at 1 ms: the smooth model keeps energy, the exact one loses it at every touch-down.
TEST_P(WrapEnergy, IsKeptBySmoothPaths) {
  const Case& c = GetParam();
  const System system = pendulum(c.smooth, c.E_BS, c.o, c.i);
  const Outcome smooth = simulated(system, 1e-3, 10);
  const Outcome finer = simulated(system, 5e-4, 2);
  const Outcome exact = simulated(pendulum(c.exact, c.E_BS, c.o, c.i), 1e-3, 10);
  std::printf(
      "%s: smooth %.1e (%d touch-downs, %d failures; %.1e at 0.5 ms over 2 s), exact %.1e\n",
      c.name, smooth.error, smooth.touch_downs, smooth.failures, finer.error, exact.error);
  EXPECT_EQ(smooth.failures, 0);
  EXPECT_LT(smooth.error, c.limit);
  EXPECT_GT(exact.error, 30 * smooth.error);
}

INSTANTIATE_TEST_SUITE_P(, WrapEnergy, testing::ValuesIn(cases()),
                         [](const auto& c) { return std::string(c.param.name); });

}  // namespace wrap_energy_test
}  // namespace sinew

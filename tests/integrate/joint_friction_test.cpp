#include <gtest/gtest.h>

#include <cmath>

#include "integrate/contact_systems.hpp"
#include "sinew/builder/system_builder.hpp"

namespace sinew {
namespace joint_friction_test {

using test::ContactRun;
using test::kGravity;

class Bearings : public testing::TestWithParam<Integrator> {};
INSTANTIATE_TEST_SUITE_P(Both, Bearings,
                         testing::Values(Integrator::semi_implicit_euler,
                                         Integrator::linearly_implicit_euler, Integrator::bdf1),
                         [](const auto& s) { return test::test_name(s.param); });

/// A balanced wheel on a horizontal pin along z.
System wheel(double mass, double inertia, double friction, double speed) {
  BodySpec spec;
  spec.name = "wheel";
  spec.joint = Revolute{Vec3::UnitZ()};
  spec.M_B =
      SpatialInertia::FromCentral(mass, Vec3::Zero(), Vec3(inertia, inertia, inertia).asDiagonal());
  spec.qdot0 = {speed};
  SystemBuilder builder(SkeletonBuilder().add_body(spec).build());
  builder.add_bearing(
      {"pin", CylinderBearing{0.02, 0.1}, friction, BodyIndex(0), "", Vec3::UnitZ()});
  return builder.build();
}

TEST_P(Bearings, StopAWheelAtTheRateThatTheWeightGives) {
  // The weight lies on the points above and below, F/4 each of the two by two: torque μ r m g while
  // these are straight above and below, up to √2 as much in between.
  const double m = 3, I = 0.02, mu = 0.2, r = 0.02;
  ContactRun run(wheel(m, I, mu, 10), 1e-3, GetParam());
  const double h = run.h, torque = mu * r * m * kGravity;
  double before = run.state.qdot[0];
  run.step();
  EXPECT_NEAR(before - run.state.qdot[0], torque * h / I, 1e-9);
  const double start = run.kinetic();
  const double work = run.work;
  run.run(0.3);
  EXPECT_NEAR(run.kinetic() - start, run.work - work, 1e-10);
  run.run(2);
  EXPECT_NEAR(run.state.qdot[0], 0, 1e-12);
  EXPECT_LE(run.worst_residual, 1e-10);
}

TEST_P(Bearings, HoldASliderOnItsRailUpToTheAngleOfFriction) {
  const double mu = 0.4;
  for (const double over : {-1e-3, 1e-3}) {
    const double slope = std::atan(mu) + over;
    BodySpec spec;
    spec.name = "slider";
    spec.joint = Prismatic{Vec3::UnitX()};
    spec.E_PJ.R = Eigen::AngleAxisd(-slope, Vec3::UnitZ()).toRotationMatrix();
    spec.M_B = SpatialInertia::FromCentral(2, Vec3::Zero(), 0.01 * Mat3::Identity());
    SystemBuilder builder(SkeletonBuilder().add_body(spec).build());
    builder.add_bearing({"rail", BoxBearing{Vec3(0.2, 0.05, 0.1)}, mu, BodyIndex(0), "", {}});
    ContactRun run(builder.build(), 1e-3, GetParam());
    run.run(0.1);
    const double expected =
        over > 0 ? kGravity * (std::sin(slope) - mu * std::cos(slope)) * 0.1 : 0;
    EXPECT_NEAR(run.state.qdot[0], expected, 1e-9);
  }
}

TEST_P(Bearings, OfALoopGainNoEnergyAndStopIt) {
  test::FourBar linkage;
  SystemBuilder builder = linkage.builder();
  for (int k = 0; k < 3; ++k)
    builder.add_bearing({"pin" + std::to_string(k), CylinderBearing{0.02, 0.05}, 0.4, BodyIndex(k),
                         "", Vec3::UnitZ()});
  builder.add_bearing({"last", CylinderBearing{0.02, 0.05}, 0.4, kWorld, "pivot", Vec3::UnitZ()});
  ContactRun run(builder.build(), 1e-3, GetParam());
  double before = run.energy();
  const double start = before;
  for (int k = 0; k < 5000; ++k) {
    ASSERT_EQ(run.step().status, StepStatus::ok);
    const double now = run.energy();
    // The pins take far more than what Euler's method errs by.
    ASSERT_LE(now, before + 1e-5) << k;
    before = now;
  }
  EXPECT_LT(before, start - 0.5);
  EXPECT_LE(run.state.qdot.norm(), 1e-6);
  EXPECT_LE(run.worst_error, 1e-9);
}

TEST_P(Bearings, WithoutFrictionChangeNothing) {
  ContactRun with(wheel(3, 0.02, 0, 10), 1e-3, GetParam());
  with.run(0.1);
  EXPECT_NEAR(with.state.qdot[0], 10, 1e-12);
}

}  // namespace joint_friction_test
}  // namespace sinew

#include "sinew/analysis/inertia_comparison.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "sinew/core/error.hpp"

namespace sinew {
namespace inertia_comparison_test {

/// Two bones that hang along −y, hinges about z.
Skeleton arm() {
  SkeletonBuilder builder;
  BodySpec bone;
  bone.name = "upper";
  bone.joint = Revolute{Vec3::UnitZ()};
  bone.M_B =
      SpatialInertia::FromCentral(2, Vec3(0, -0.15, 0), Vec3(0.02, 0.002, 0.02).asDiagonal());
  builder.add_body(bone);
  bone.name = "lower";
  bone.parent = "upper";
  bone.E_PJ.p = Vec3(0, -0.3, 0);
  builder.add_body(bone);
  return builder.build();
}

Muscle across(const std::string& name, double x, double mass) {
  Muscle out;
  out.name = name;
  out.mass = mass;
  out.points = {PathPoint::Fixed(BodyIndex(0), Vec3(x, -0.05, 0)),
                PathPoint::Fixed(BodyIndex(1), Vec3(x, -0.1, 0))};
  return out;
}

BonesModel model() {
  return {arm(), Vec3(0, -9.81, 0), {}, {across("front", 0.03, 0.2), across("back", -0.02, 0.1)}};
}

Motion swing(double w) {
  Motion out;
  for (int k = 0; k <= 40; ++k) {
    const double t = k * 0.01;
    MotionSample s{t, VecX(2), VecX(2), VecX(2)};
    s.q << 0.6 * std::sin(w * t), 0.9 * std::cos(w * t);
    s.qdot << 0.6 * w * std::cos(w * t), -0.9 * w * std::sin(w * t);
    s.qddot << -0.6 * w * w * std::sin(w * t), -0.9 * w * w * std::cos(w * t);
    out.push_back(s);
  }
  return out;
}

ScalePolicy scale(double share) { return {{{BodyIndex(0), share, {{"front", 2}, {"back", 1}}}}}; }

TEST(InertiaComparison, TheMusclesSharesAddUpToTheWhole) {
  for (const MassPolicy& policy : {MassPolicy(scale(0.6)), MassPolicy(MomentsPolicy{0.5, {}})}) {
    const InertiaComparison c = compare_inertia(model(), policy, swing(8));
    const MatX change = c.muscles - c.bones;
    EXPECT_GT(change.norm(), 1e-3 * c.bones.norm());
    ASSERT_EQ(c.of_muscle.size(), 2u);
    // Linear in the masses: rounding.
    EXPECT_LT((c.of_muscle[0] + c.of_muscle[1] - change).norm(), 1e-12 * c.bones.norm());
  }
}

TEST(InertiaComparison, VanishesLinearlyWithTheShare) {
  const Motion motion = swing(8);
  const MatX full = [&] {
    const InertiaComparison c = compare_inertia(model(), scale(0.8), motion);
    return MatX(c.muscles - c.bones);
  }();
  for (const double share : {0.4, 0.04, 0.004}) {
    const InertiaComparison c = compare_inertia(model(), scale(share), motion);
    EXPECT_LT((c.muscles - c.bones - share / 0.8 * full).norm(), 1e-12 * c.bones.norm());
  }
  EXPECT_EQ(compare_inertia(model(), scale(0), motion).muscles,
            compare_inertia(model(), scale(0), motion).bones);
}

TEST(InertiaComparison, OfARestingPoseIsTheMomentOfTheMovedMass) {
  // At rest and straight the mass of the upper bone, at its centre, 15 cm from the axis, goes to
  // muscles whose centre is 22.5 cm from it; horizontally that is what the shoulder carries.
  Motion rest = {{0, VecX::Zero(2), VecX::Zero(2), VecX::Zero(2)}};
  rest[0].q[0] = std::acos(0.0);
  BonesModel bones = model();
  bones.muscles = {across("front", 0, 0.1)};
  const ScalePolicy policy{{{BodyIndex(0), 0.5, {{"front", 1}}}}};
  const InertiaComparison c = compare_inertia(bones, policy, rest);
  EXPECT_NEAR(c.muscles(0, 0) - c.bones(0, 0), 1.0 * 9.81 * (0.225 - 0.15), 1e-12);
}

/// The lower coordinate follows the upper one: its moment is passed on, and the whole moment does
/// the work of both.
TEST(InertiaComparison, MomentsOfCoupledCoordinatesArePassedOn) {
  const Motion motion = swing(8);
  BonesModel bones = model();
  const MatX free = moments_with_bones(bones, motion);
  bones.coupled = CoupledCoordinates({std::make_shared<CoordinateCoupling>(
      CoordinateCoupling::Gear("gear", DofIndex(0), DofIndex(1), 0.7))});
  const InertiaComparison c = compare_inertia(bones, scale(0.5), motion);
  EXPECT_LT((c.bones.row(0) - free.row(0) - 0.7 * free.row(1)).norm(), 1e-12 * free.norm());
  EXPECT_EQ(c.bones.row(1).norm(), 0);
  EXPECT_EQ(c.muscles.row(1).norm(), 0);
}

/// Independent errors of two bodies: the shoulder feels both, the elbow the lower one only. All of
/// a body's moment is proportional to its inertia.
TEST(InertiaComparison, ErrorsOfInertiasAreTheRootOfTheSumOfSquares) {
  const Motion motion = swing(8);
  const BonesModel bones = model();
  const MatX moments = moments_with_bones(bones, motion);
  const MatX error = error_of_inertias(bones, motion, 0.1);
  EXPECT_LT((error.row(1) - 0.1 * moments.row(1).cwiseAbs()).norm(), 1e-12 * moments.norm());
  for (Eigen::Index k = 0; k < error.cols(); ++k) {
    EXPECT_GE(error(0, k), 0.1 * std::abs(moments(0, k)) / std::sqrt(2) - 1e-12);
  }
}

TEST(InertiaComparison, SaysWhichMuscleLosesItsPath) {
  BonesModel bones = model();
  const CylinderWrap around_its_end{.radius = 0.2, .model = WrapKind::exact};
  bones.muscles[0].spans = {{BodyIndex(0), Pose(), around_its_end}};
  try {
    compare_inertia(bones, scale(0.5), swing(8));
    FAIL() << "no error";
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find("muscle 'front'"), std::string::npos) << e.what();
  }
}

TEST(MomentDifference, ComparesPeaksOnTheirOwnSide) {
  VecX a(4), b(4);
  a << 1, 2, -4, 0;
  b << 1, 3, -3, 0;
  const MomentDifference d = difference(a, b);
  EXPECT_DOUBLE_EQ(d.highest, 2);
  EXPECT_DOUBLE_EQ(d.lowest, -4);
  EXPECT_DOUBLE_EQ(d.highest_change, 0.5);
  EXPECT_DOUBLE_EQ(d.lowest_change, -0.25);
  EXPECT_DOUBLE_EQ(d.rms, std::sqrt(0.5));
  EXPECT_DOUBLE_EQ(d.largest, 1);
  EXPECT_EQ(difference(VecX::Ones(3), VecX::Ones(3)).lowest_change, 0);
}

}  // namespace inertia_comparison_test
}  // namespace sinew

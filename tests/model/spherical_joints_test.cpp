#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <utility>

#include "sinew/math/so3.hpp"
#include "support/joint_evaluation.hpp"
#include "support/random.hpp"

namespace sinew {
namespace spherical_joints_test {

using test::as_span;
using test::distance;
using test::largest_difference;
using test::motion;
using test::vec;

constexpr double kPi = std::numbers::pi;

// Wang et al. 2019 section 4.7, corrected: at q → 0, S = 1 and Ṡ = −½ [q̇], not 0.
TEST(SphericalExp, HasTheRightLimitAtZero) {
  const VecX qdot = vec({0.3, -0.7, 0.2});
  const JointMotion m = motion(SphericalExp(), VecX::Zero(3), qdot);
  EXPECT_LE((m.S.topRows<3>() - Mat3::Identity()).norm(), 1e-15);
  EXPECT_LE((m.Sdot.topRows<3>() + 0.5 * skew(Vec3(qdot))).norm(), 1e-15);
}

TEST(SphericalEuler, MultipliesRotationsInTheOrderWritten) {
  const VecX q = vec({0.4, -0.9, 1.7});
  for (const char* order : {"xyz", "zyx", "yxz", "zxz", "xyx"}) {
    Mat3 R = Mat3::Identity();
    for (int k = 0; k < 3; ++k) R = R * rotation_about(Vec3::Unit(order[k] - 'x'), q[k]);
    EXPECT_LE(distance(motion(SphericalEuler(order), q, q).Q, Pose::Rotation(R)), 1e-15) << order;
  }
}

TEST(SphericalEuler, EqualsThreeRevolutesInSeries) {
  const Composite series{
      {Revolute(Vec3::UnitZ()), Revolute(Vec3::UnitX()), Revolute(Vec3::UnitZ())}};
  test::Random random(2);
  for (int i = 0; i < 5; ++i)
    EXPECT_LE(
        largest_difference(SphericalEuler("zxz"), series, random.vecx(3, 3), random.vecx(3, 2)),
        1e-14);  // rounding
}

// Q = Trans(p) exp([r]), S = [0 J_r; Rᵀ 0].
TEST(Free3D, TranslationFirstMovesInTheParentsAxes) {
  const VecX q = vec({1, -2, 0.5, 0.4, 1.1, -0.6}), qdot = vec({1, 2, 3, 4, 5, 6});
  const JointMotion m = motion(Free3D(Free3D::Order::translation_first), q, qdot);
  const Mat3 R = exp_so3(q.tail<3>());
  Mat6 S = Mat6::Zero();
  S.topRightCorner<3, 3>() = right_jacobian(q.tail<3>());
  S.bottomLeftCorner<3, 3>() = R.transpose();
  EXPECT_LE(distance(m.Q, {R, q.head<3>()}), 1e-15);
  EXPECT_LE((m.S - S).cwiseAbs().maxCoeff(), 1e-15);
}

// Q = exp([r]) Trans(p), S = [J_r 0; −[p]J_r 1].
TEST(Free3D, RotationFirstMovesInTheRotatedAxes) {
  const VecX q = vec({0.4, 1.1, -0.6, 1, -2, 0.5}), qdot = vec({1, 2, 3, 4, 5, 6});
  const JointMotion m = motion(Free3D(Free3D::Order::rotation_first), q, qdot);
  const Mat3 R = exp_so3(q.head<3>()), J = right_jacobian(q.head<3>());
  Mat6 S;
  S << J, Mat3::Zero(), -skew(q.tail<3>()) * J, Mat3::Identity();
  EXPECT_LE(distance(m.Q, {R, R * q.tail<3>()}), 1e-15);
  EXPECT_LE((m.S - S).cwiseAbs().maxCoeff(), 1e-15);
}

TEST(Free3D, EqualsTheCompositeInBothOrders) {
  const Composite translation_first{{Translational(), SphericalExp()}};
  const Composite rotation_first{{SphericalExp(), Translational()}};
  test::Random random(3);
  for (int i = 0; i < 5; ++i) {
    const VecX q = random.vecx(6, 2), qdot = random.vecx(6, 2);
    EXPECT_LE(
        largest_difference(Free3D(Free3D::Order::translation_first), translation_first, q, qdot),
        1e-15);
    EXPECT_EQ(largest_difference(Free3D(Free3D::Order::rotation_first), rotation_first, q, qdot),
              0);
  }
}

struct RechartCase {
  Joint joint;
  int rotation;  ///< first coordinate of the rotation
};

std::vector<RechartCase> rechart_cases() {
  return {{SphericalExp(), 0},
          {Free3D(Free3D::Order::translation_first), 3},
          {Free3D(Free3D::Order::rotation_first), 0},
          {Composite{{Universal(), Composite{{Prismatic(Vec3::UnitX()), SphericalExp()}}}}, 3}};
}

// Wang et al. 2019 section 4.7.
TEST(Rechart, KeepsPoseAndTwist) {
  test::Random random(4);
  for (const RechartCase& c : rechart_cases())
    for (const double angle : {1.5 * kPi + 1e-9, 1.8 * kPi, 2 * kPi, 2.6 * kPi, 21.0}) {
      const int n = c.joint.dof();
      VecX q = random.vecx(n, 1), qdot = random.vecx(n, 3);
      q.segment<3>(c.rotation) = angle * random.unit_vector();
      const JointMotion before = motion(c.joint, q, qdot);
      const Vec6 twist = before.S * qdot;
      ASSERT_TRUE(c.joint.needs_rechart(as_span(std::as_const(q))));
      const VecX reference = q;
      c.joint.rechart(as_span(reference), as_span(q), as_span(qdot));
      const JointMotion after = motion(c.joint, q, qdot);
      EXPECT_FALSE(c.joint.needs_rechart(as_span(std::as_const(q))));
      EXPECT_LE(q.segment<3>(c.rotation).norm(), 1.5 * kPi);
      // A few roundings of numbers up to 21 (the angle) and 10 (the twist).
      EXPECT_LE(distance(before.Q, after.Q), 1e-14);
      EXPECT_LE((after.S * qdot - twist).cwiseAbs().maxCoeff(), 2e-14);
    }
}

TEST(Rechart, LeavesNearbyCoordinatesAlone) {
  for (const RechartCase& c : rechart_cases()) {
    VecX q = VecX::Constant(c.joint.dof(), 2.0), qdot = VecX::Constant(c.joint.dof(), 0.7);
    const VecX q0 = q, qdot0 = qdot;
    EXPECT_FALSE(c.joint.needs_rechart(as_span(q0)));
    c.joint.rechart(as_span(q0), as_span(q), as_span(qdot));
    EXPECT_EQ(q, q0);
    EXPECT_EQ(qdot, qdot0);
  }
}

// A history of states must stay one curve: those still below the threshold move along with the
// present one.
TEST(Rechart, MovesAHistoryByItsReference) {
  const Vec3 u = Vec3(1, 2, -2) / 3;
  const VecX reference = (1.5 * kPi + 0.01) * u;
  VecX older = (1.5 * kPi - 0.02) * u, rate = vec({0.1, 0.2, 0.3});
  ASSERT_FALSE(SphericalExp().needs_rechart(as_span(std::as_const(older))));
  SphericalExp().rechart(as_span(reference), as_span(older), as_span(rate));
  EXPECT_LE((older - (-0.5 * kPi - 0.02) * u).norm(), 1e-14);
}

TEST(Rechart, ConcernsExponentialCoordinatesOnly) {
  VecX q = VecX::Constant(3, 10), qdot = VecX::Constant(3, 1);
  const Joint euler = SphericalEuler("xyz");
  EXPECT_FALSE(euler.needs_rechart(as_span(std::as_const(q))));
  const VecX q0 = q;
  euler.rechart(as_span(q0), as_span(q), as_span(qdot));
  EXPECT_EQ(q, q0);
}

}  // namespace spherical_joints_test
}  // namespace sinew

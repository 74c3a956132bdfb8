#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "sinew/math/so3.hpp"
#include "support/joint_evaluation.hpp"
#include "support/random.hpp"

namespace sinew {
namespace elementary_joints_test {

using test::distance;
using test::largest_difference;
using test::motion;
using test::vec;

constexpr double kPi = std::numbers::pi;

TEST(Revolute, NormalisesItsAxisAndTurnsRightHanded) {
  const Revolute joint(Vec3(0, 0, 20));
  EXPECT_EQ(joint.axis, Vec3::UnitZ());
  const JointMotion m = motion(joint, vec({kPi / 2}), vec({1}));
  EXPECT_LE((m.Q * Vec3::UnitX() - Vec3::UnitY()).norm(), 1e-15);
  EXPECT_EQ(Vec6(m.S.col(0)), (Vec6() << 0, 0, 1, 0, 0, 0).finished());
}

TEST(Prismatic, MovesAlongItsAxis) {
  const JointMotion m = motion(Prismatic(Vec3(3, 0, 4)), vec({2}), vec({1}));
  EXPECT_LE(distance(m.Q, Pose::Translation(Vec3(1.2, 0, 1.6))), 1e-15);
}

TEST(Planar, MovesInXAndYWithoutTurning) {
  const JointMotion m = motion(Planar(), vec({2, -3}), vec({1, 1}));
  EXPECT_EQ(distance(m.Q, Pose::Translation(Vec3(2, -3, 0))), 0);
}

// Wang et al. 2019 Eq 32 and 34.
TEST(Universal, IsRotationAboutXThenY) {
  const double q1 = 0.7, q2 = -1.1;
  const JointMotion m = motion(Universal(), vec({q1, q2}), vec({0.3, 0.9}));
  const Mat3 R = rotation_about(Vec3::UnitX(), q1) * rotation_about(Vec3::UnitY(), q2);
  EXPECT_LE(distance(m.Q, Pose::Rotation(R)), 1e-15);
  EXPECT_LE((m.S.col(0) - vec({std::cos(q2), 0, std::sin(q2), 0, 0, 0})).norm(), 1e-15);
  EXPECT_LE((m.S.col(1) - Vec6::Unit(1)).norm(), 1e-15);
}

TEST(Universal, EqualsTwoRevolutesInSeries) {
  const Composite series{{Revolute(Vec3::UnitX()), Revolute(Vec3::UnitY())}};
  test::Random random(1);
  for (int i = 0; i < 10; ++i)
    // Two ways through the same handful of products: rounding only.
    EXPECT_LE(largest_difference(Universal(), series, random.vecx(2, 3), random.vecx(2, 2)), 1e-14);
}

TEST(Helical, AdvancesByItsPitch) {
  const Vec3 axis = Vec3(1, 2, 2) / 3;
  const JointMotion m = motion(Helical(axis, 0.05), vec({2 * kPi}), vec({1}));
  EXPECT_LE((m.Q.p - 0.05 * 2 * kPi * axis).norm(), 1e-15);
  EXPECT_LE((m.Q.R - Mat3::Identity()).norm(), 1e-14);
  EXPECT_LE(distance(motion(Helical(axis, 0.05), vec({0.8}), vec({1})).Q,
                     exp((Vec6() << axis, 0.05 * axis).finished() * 0.8)),
            1e-15);
}

// Lee and Terzopoulos 2008 section 4.1 with a = 1.3, b = 0.7: the x axis stays tangent, so the
// linear velocity in the moving frame is (|p'|, 0, 0), and the frame turns by φ' = ab/|p'|².
TEST(Elliptic, SlidesWithItsXAxisTangent) {
  const double a = 1.3, b = 0.7;
  for (double q = -4; q < 8; q += 0.37) {
    const JointMotion m = motion(Elliptic(a, b), vec({q}), vec({1}));
    const Vec3 dp(a * std::cos(q), b * std::sin(q), 0);
    EXPECT_LE((m.Q.p - Vec3(a * std::sin(q), -b * std::cos(q), 0)).norm(), 1e-15);
    EXPECT_LE((m.Q.R.transpose() * dp - Vec3(dp.norm(), 0, 0)).norm(), 1e-15);
    EXPECT_LE((m.S.col(0).tail<3>() - Vec3(dp.norm(), 0, 0)).norm(), 1e-15);
    EXPECT_NEAR(m.S(2, 0), a * b / dp.squaredNorm(), 1e-15 * a * b / (b * b));
  }
}

// Lee and Terzopoulos 2008 Eq 19 and 20 as printed, with k = e_z.
TEST(Elliptic, MatchesThePrintedDerivatives) {
  const double a = 1.3, b = 0.7, q = 0.9, s = std::sin(q), c = std::cos(q);
  const double d = a * a * c * c + b * b * s * s, phi1 = a * b / d;
  const double phi2 = -a * b * 2 * (b * b - a * a) * s * c / (d * d);
  const Mat3 Rt = rotation_about(Vec3::UnitZ(), -std::atan2(b * s, a * c));
  const JointMotion m = motion(Elliptic(a, b), vec({q}), vec({1}));
  Vec6 dS;
  dS << 0, 0, phi2, Rt * Vec3((b * phi1 - a) * s, (b - a * phi1) * c, 0);
  EXPECT_LE((m.Sdot.col(0) - dS).norm(), 1e-14);
}

// With a = b it is a circle: a constant screw about z, through the centre.
TEST(Elliptic, IsARevoluteWhereTheSemiAxesAreEqual) {
  const JointMotion m = motion(Elliptic(2, 2), vec({1.1}), vec({1}));
  EXPECT_LE((m.S.col(0) - vec({0, 0, 1, 2, 0, 0})).norm(), 1e-15);
  EXPECT_LE(m.Sdot.norm(), 1e-15);
}

// S has columns Rᵀe₁, Rᵀe₂ and rotation about z.
TEST(Free2D, MovesInTheParentsAxes) {
  const double theta = 0.8;
  const JointMotion m = motion(Free2D(), vec({1.5, -0.4, theta}), vec({1, 1, 1}));
  const Mat3 R = rotation_about(Vec3::UnitZ(), theta);
  EXPECT_LE(distance(m.Q, {R, Vec3(1.5, -0.4, 0)}), 1e-15);
  EXPECT_LE((m.S.col(0).tail<3>() - R.transpose().col(0)).norm(), 1e-15);
  EXPECT_LE((m.S.col(1).tail<3>() - R.transpose().col(1)).norm(), 1e-15);
  EXPECT_LE((m.S.col(2) - Vec6::Unit(2)).norm(), 1e-15);
}

}  // namespace elementary_joints_test
}  // namespace sinew

#include <gtest/gtest.h>

#include <cmath>

#include "sinew/math/so3.hpp"
#include "support/joint_evaluation.hpp"
#include "support/random.hpp"

namespace sinew {
namespace function_joint_test {

using test::distance;
using test::largest_difference;
using test::motion;
using test::vec;

std::vector<CoordinateKind> angles(int n) {
  return std::vector<CoordinateKind>(static_cast<size_t>(n), CoordinateKind::angle);
}

TransformAxis linear(const Vec3& axis, int coordinate) {
  return {axis, LinearFunction{{1}, 0}, {coordinate}};
}

// OpenSim's CustomJoint: translations in the parent frame, not rotated by the joint itself.
TEST(FunctionJoint, TranslatesInTheParentFrameAndRotatesAboutCarriedAxes) {
  const Vec3 a1(1, 0.2, 0), a2(0, 1, 0.5), a3(1, 0, 1), b1(1, 1, 0), b2(0, 2, 1), b3(0, 0, -3);
  const FunctionJoint joint(angles(2),
                            {{{a1, LinearFunction{{0.5}, 0.1}, {0}},
                              {a2, PolynomialFunction{{0, 0, 1}}, {1}},
                              {a3, ConstantFunction{0.3}}}},
                            {{{b1, SineFunction{0.2, 3, 0, 0}, {1}},
                              {b2, LinearFunction{{1, 2}, 0}, {0, 1}},
                              {b3, ConstantFunction{0.7}}}});
  const double q0 = 0.6, q1 = -0.8;
  const Mat3 R = rotation_about(a1.normalized(), 0.5 * q0 + 0.1) *
                 rotation_about(a2.normalized(), q1 * q1) * rotation_about(a3.normalized(), 0.3);
  const Vec3 p = 0.2 * std::sin(3 * q1) * b1.normalized() + (q0 + 2 * q1) * b2.normalized() +
                 0.7 * b3.normalized();
  EXPECT_LE(distance(motion(joint, vec({q0, q1}), vec({1, 1})).Q, {R, p}), 1e-15);
}

TEST(FunctionJoint, OfThreeAnglesIsAnEulerJoint) {
  const FunctionJoint joint(
      angles(3), {{linear(Vec3::UnitZ(), 0), linear(Vec3::UnitX(), 1), linear(Vec3::UnitY(), 2)}},
      {{{Vec3::UnitX()}, {Vec3::UnitY()}, {Vec3::UnitZ()}}});
  test::Random random(1);
  for (int i = 0; i < 5; ++i)
    EXPECT_LE(
        largest_difference(joint, SphericalEuler("zxy"), random.vecx(3, 3), random.vecx(3, 2)),
        1e-14);  // rounding
}

TEST(FunctionJoint, OfSixCoordinatesIsAFreeJointInEulerAngles) {
  const FunctionJoint joint(
      angles(6), {{linear(Vec3::UnitX(), 3), linear(Vec3::UnitY(), 4), linear(Vec3::UnitZ(), 5)}},
      {{linear(Vec3::UnitX(), 0), linear(Vec3::UnitY(), 1), linear(Vec3::UnitZ(), 2)}});
  const Composite free{{Translational(), SphericalEuler("xyz")}};
  test::Random random(2);
  for (int i = 0; i < 5; ++i)
    EXPECT_LE(largest_difference(joint, free, random.vecx(6, 1), random.vecx(6, 1)), 1e-14);
}

TEST(FunctionJoint, KnowsWhatItsCoordinatesMeasure) {
  const FunctionJoint joint({CoordinateKind::angle, CoordinateKind::length},
                            {{linear(Vec3::UnitX(), 0), {Vec3::UnitY()}, {Vec3::UnitZ()}}},
                            {{linear(Vec3::UnitX(), 1), {Vec3::UnitY()}, {Vec3::UnitZ()}}});
  EXPECT_EQ(joint.dof(), 2);
  EXPECT_EQ(joint.kind(1), CoordinateKind::length);
}

}  // namespace function_joint_test
}  // namespace sinew

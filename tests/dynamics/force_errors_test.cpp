#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "sinew/core/error.hpp"
#include "sinew/dynamics/forces.hpp"

/// Force elements refuse parameters that make no sense, and say which.

namespace sinew {
namespace force_errors_test {

using testing::HasSubstr;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

Skeleton two_carts() {
  SkeletonBuilder builder;
  for (const char* name : {"a", "b"}) {
    BodySpec spec;
    spec.name = name;
    spec.joint = Prismatic(Vec3::UnitX());
    spec.M_B = SpatialInertia::FromCentral(1, Vec3::Zero(), Mat3::Identity());
    builder.add_body(spec);
  }
  return builder.build();
}

/// The Error of the element, without its own name in front.
std::string complaint(const Force& force) {
  try {
    force.validate(two_carts());
  } catch (const Error& e) {
    EXPECT_EQ(e.element(), "force '" + force.name() + "'");
    EXPECT_FALSE(e.remedy().empty());
    return e.problem();
  }
  return "no error";
}

const BodyIndex kA(0), kB(1), kNone(2);
const Vec3 kOrigin = Vec3::Zero();

TimeTable constant(int width) { return TimeTable::Constant(VecX::Ones(width)); }

TEST(ForceErrors, AreNoneForSoundElements) {
  EXPECT_EQ(complaint(JointTorque("f", DofIndex(1), constant(1))), "no error");
  EXPECT_EQ(complaint(JointSpring("f", DofIndex(1), 0, 0, -3)), "no error");
  EXPECT_EQ(complaint(BodyDamping("f", kB, 0, 0)), "no error");
  EXPECT_EQ(complaint(WorldForce("f", kB, kOrigin, constant(3))), "no error");
  EXPECT_EQ(complaint(PointSpring("f", kA, kOrigin, kB, kOrigin, 1, 1, 1)), "no error");
  EXPECT_EQ(complaint(PointSpring("f", kWorld, kOrigin, kB, kOrigin, 1, 0, 0)), "no error");
}

TEST(ForceErrors, NameAnElementOnNothing) {
  for (const int dof : {-1, 2, 1000000}) {
    EXPECT_THAT(complaint(JointTorque("f", DofIndex(dof), constant(1))),
                HasSubstr("coordinate that does not exist"));
    EXPECT_THAT(complaint(JointSpring("f", DofIndex(dof), 1, 1, 0)),
                HasSubstr("coordinate that does not exist"));
    EXPECT_THAT(complaint(CoordinateStop("f", DofIndex(dof), 0, 1, 1, 1)),
                HasSubstr("coordinate that does not exist"));
  }
  for (const BodyIndex body : {kNone, BodyIndex(-2)}) {
    EXPECT_THAT(complaint(BodyDamping("f", body, 1, 1)), HasSubstr("body that does not exist"));
    EXPECT_THAT(complaint(WorldForce("f", body, kOrigin, constant(3))),
                HasSubstr("body that does not exist"));
    EXPECT_THAT(complaint(PointSpring("f", body, kOrigin, kA, kOrigin, 1, 1, 1)),
                HasSubstr("body that does not exist"));
    EXPECT_THAT(complaint(PointSpring("f", kA, kOrigin, body, kOrigin, 1, 1, 1)),
                HasSubstr("body that does not exist"));
  }
}

TEST(ForceErrors, NameANegativeOrInfiniteParameter) {
  for (const double bad : {-1.0, kNaN, kInfinity}) {
    EXPECT_THAT(complaint(JointSpring("f", DofIndex(0), bad, 1, 0)), HasSubstr("stiffness is"));
    EXPECT_THAT(complaint(JointSpring("f", DofIndex(0), 1, bad, 0)), HasSubstr("damping is"));
    EXPECT_THAT(complaint(BodyDamping("f", kA, bad, 1)), HasSubstr("angular damping is"));
    EXPECT_THAT(complaint(BodyDamping("f", kA, 1, bad)), HasSubstr("linear damping is"));
    const auto spring = [](double k, double d, double rest) {
      return complaint(PointSpring("f", kA, kOrigin, kB, kOrigin, k, d, rest));
    };
    EXPECT_THAT(spring(bad, 1, 1), HasSubstr("stiffness is"));
    EXPECT_THAT(spring(1, bad, 1), HasSubstr("damping is"));
    EXPECT_THAT(spring(1, 1, bad), HasSubstr("rest length is"));
  }
  for (const double bad : {-1.0, kNaN, kInfinity}) {
    EXPECT_THAT(complaint(CoordinateStop("f", DofIndex(0), 0, 1, bad, 1)),
                HasSubstr("stiffness is"));
    EXPECT_THAT(complaint(CoordinateStop("f", DofIndex(0), 0, 1, 1, bad)), HasSubstr("damping is"));
  }
  EXPECT_THAT(complaint(JointSpring("f", DofIndex(0), 1, 1, kNaN)),
              HasSubstr("rest position is not finite"));
}

TEST(ForceErrors, NameAStopWithItsLimitsExchanged) {
  EXPECT_THAT(complaint(CoordinateStop("f", DofIndex(0), 1, 0, 1, 1)),
              HasSubstr("lower limit above the upper one"));
  EXPECT_THAT(complaint(CoordinateStop("f", DofIndex(0), kNaN, 0, 1, 1)), HasSubstr("limit"));
  EXPECT_EQ(complaint(CoordinateStop("f", DofIndex(0), -kInfinity, 0, 1, 1)), "no error");
}

TEST(ForceErrors, NameAPointThatIsNowhere) {
  const Vec3 nowhere(0, kNaN, 0);
  EXPECT_THAT(complaint(WorldForce("f", kA, nowhere, constant(3))),
              HasSubstr("point is not finite"));
  EXPECT_THAT(complaint(PointSpring("f", kA, nowhere, kB, kOrigin, 1, 1, 1)),
              HasSubstr("attachment point is not finite"));
  EXPECT_THAT(complaint(PointSpring("f", kA, kOrigin, kB, nowhere, 1, 1, 1)),
              HasSubstr("attachment point is not finite"));
}

TEST(ForceErrors, NameATableOfTheWrongWidth) {
  EXPECT_THAT(complaint(JointTorque("f", DofIndex(0), constant(2))),
              HasSubstr("table of several columns"));
  EXPECT_THAT(complaint(WorldForce("f", kA, kOrigin, constant(1))),
              HasSubstr("needs a table of three columns"));
}

TEST(ForceErrors, NameAConstantThatIsNotFinite) {
  EXPECT_THAT(
      complaint(JointTorque("f", DofIndex(0), TimeTable::Constant(VecX::Constant(1, kNaN)))),
      HasSubstr("not finite"));
  EXPECT_THAT(complaint(WorldForce("f", kA, kOrigin, TimeTable::Constant(Vec3(0, kInfinity, 0)))),
              HasSubstr("not finite"));
}

TEST(ForceErrors, NameASpringWithBothEndsOnOneBody) {
  EXPECT_THAT(complaint(PointSpring("f", kA, kOrigin, kA, Vec3(1, 0, 0), 1, 1, 1)),
              HasSubstr("connects a body to itself"));
  EXPECT_THAT(complaint(PointSpring("f", kWorld, kOrigin, kWorld, kOrigin, 1, 1, 1)),
              HasSubstr("connects a body to itself"));
}

}  // namespace force_errors_test
}  // namespace sinew

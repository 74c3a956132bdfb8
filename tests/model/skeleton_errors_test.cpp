#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <limits>

#include "sinew/core/error.hpp"
#include "sinew/model/skeleton.hpp"

/// Every mistake gives one Error that names the culprit and says what to do.

namespace sinew {
namespace skeleton_errors_test {

using testing::HasSubstr;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

BodySpec body(const std::string& name, const std::string& parent = "") {
  BodySpec spec;
  spec.name = name;
  spec.parent = parent;
  spec.joint = Revolute(Vec3::UnitZ());
  spec.M_B = SpatialInertia::FromCentral(1, Vec3(0.1, 0, 0), Mat3::Identity());
  return spec;
}

/// The Error of build() for these bodies: "element | problem | remedy".
std::string complaint(const std::vector<BodySpec>& specs) {
  SkeletonBuilder builder;
  for (const BodySpec& spec : specs) builder.add_body(spec);
  try {
    builder.build();
  } catch (const Error& e) {
    EXPECT_FALSE(e.remedy().empty());
    return e.element() + " | " + e.problem() + " | " + e.remedy();
  }
  return "no error";
}

/// The Error of build() for a femur that `spoil` has spoilt, beside healthy bodies.
std::string complaint(const std::function<void(BodySpec&)>& spoil) {
  BodySpec femur = body("femur", "pelvis");
  spoil(femur);
  return complaint({body("pelvis"), femur, body("tibia", "pelvis")});
}

TEST(SkeletonErrors, AreNoneForHealthyBodies) {
  EXPECT_EQ(complaint([](BodySpec&) {}), "no error");
}

TEST(SkeletonErrors, NameABodyWhoseParentIsUnknown) {
  EXPECT_EQ(complaint([](BodySpec& b) { b.parent = "pelvic"; }),
            "body 'femur' | parent 'pelvic' does not exist | did you mean 'pelvis'?");
  EXPECT_EQ(complaint([](BodySpec& b) { b.parent = "thorax"; }),
            "body 'femur' | parent 'thorax' does not exist | known: pelvis, femur, tibia");
}

TEST(SkeletonErrors, NameABodyOfACycle) {
  const std::string of_two =
      complaint({body("pelvis"), body("femur", "tibia"), body("tibia", "femur")});
  EXPECT_THAT(of_two, testing::AnyOf(HasSubstr("body 'femur' | descends from itself"),
                                     HasSubstr("body 'tibia' | descends from itself")));
  EXPECT_THAT(complaint({body("pelvis", "pelvis")}),
              HasSubstr("body 'pelvis' | descends from itself"));
  // A body that only hangs on a cycle is not the culprit.
  EXPECT_THAT(complaint({body("hair", "nail"), body("nail", "toe"), body("toe", "toe")}),
              HasSubstr("body 'toe' | descends from itself"));
}

TEST(SkeletonErrors, NameWhatIsDefinedTwice) {
  EXPECT_THAT(complaint({body("femur"), body("tibia"), body("femur")}),
              HasSubstr("body 'femur' | is defined twice"));
  BodySpec a = body("a"), b = body("b");
  a.joint_name = b.joint_name = "knee";
  EXPECT_THAT(complaint({a, b}), HasSubstr("joint 'knee' | is defined twice"));
  a = body("a"), b = body("b");
  a.coordinate_names = b.coordinate_names = {"angle"};
  EXPECT_THAT(complaint({a, b}), HasSubstr("coordinate 'angle' | is defined twice"));
  b.coordinate_names = {};
  a.coordinate_names = {"b_joint_1"};  // the default name of the other
  EXPECT_THAT(complaint({a, b}), HasSubstr("coordinate 'b_joint_1' | is defined twice"));
}

TEST(SkeletonErrors, CountWhereThereIsNoName) {
  EXPECT_THAT(complaint({body("femur"), body("")}), HasSubstr("body number 2 | has no name"));
  EXPECT_THAT(complaint([](BodySpec& b) { b.coordinate_names = {""}; }),
              HasSubstr("coordinate number 2 | has no name"));
}

TEST(SkeletonErrors, KeepTheNameOfTheGround) {
  EXPECT_THAT(complaint({body("world")}), HasSubstr("body 'world' | has the name of the ground"));
}

TEST(SkeletonErrors, RefuseASkeletonWithoutBodies) {
  EXPECT_THAT(complaint(std::vector<BodySpec>{}), HasSubstr("skeleton | has no bodies"));
}

TEST(SkeletonErrors, NameABodyWithAnImpossibleInertia) {
  const auto with = [](double mass, const Mat3& I) {
    return complaint([&](BodySpec& b) { b.M_B = {mass, Vec3::Zero(), I}; });
  };
  const Mat3 one = Mat3::Identity();
  EXPECT_THAT(with(0, one), HasSubstr("body 'femur' | mass is not positive"));
  EXPECT_THAT(with(-1, one), HasSubstr("body 'femur' | mass is not positive"));
  EXPECT_THAT(with(kNaN, one), HasSubstr("body 'femur' | inertia is not finite"));
  EXPECT_THAT(with(1, kInfinity * one), HasSubstr("body 'femur' | inertia is not finite"));
  EXPECT_THAT(with(1, Vec3(1, 1, -0.1).asDiagonal()),
              HasSubstr("body 'femur' | inertia is indefinite"));
  EXPECT_THAT(with(1, Vec3(1, 1, 3).asDiagonal()),
              HasSubstr("body 'femur' | principal moments violate the triangle inequality"));
  Mat3 skewed = one;
  skewed(0, 1) = 0.3;
  EXPECT_THAT(with(1, skewed), HasSubstr("body 'femur' | inertia is not symmetric"));
}

TEST(SkeletonErrors, NameABodyWhosePoseIsNone) {
  const auto joint_rotation = [](const Mat3& R) {
    return complaint([&](BodySpec& b) { b.E_PJ.R = R; });
  };
  const std::string expected =
      "body 'femur' | the joint's placement in the parent has no proper rotation";
  EXPECT_THAT(joint_rotation(2 * Mat3::Identity()), HasSubstr(expected));
  EXPECT_THAT(joint_rotation(-Mat3::Identity()), HasSubstr(expected));  // a reflection
  EXPECT_THAT(joint_rotation(Mat3::Zero()), HasSubstr(expected));
  EXPECT_THAT(joint_rotation(kNaN * Mat3::Identity()), HasSubstr(expected));
  Mat3 sheared = Mat3::Identity();
  sheared(0, 1) = 1e-4;
  EXPECT_THAT(joint_rotation(sheared), HasSubstr(expected));

  EXPECT_THAT(complaint([](BodySpec& b) { b.E_JB.R.setZero(); }),
              HasSubstr("body 'femur' | the body's placement in the joint has no proper rotation"));
  EXPECT_THAT(complaint([](BodySpec& b) { b.E_JB.p.x() = kInfinity; }),
              HasSubstr("body 'femur' | the body's placement in the joint has a position that is "
                        "not finite"));
}

TEST(SkeletonErrors, NameABodyWithAnImpossibleDefaultState) {
  EXPECT_EQ(complaint([](BodySpec& b) {
              b.q0 = {1, 2};
            }),
            "body 'femur' | the initial position has 2 values | give 1, one per coordinate of the "
            "joint");
  EXPECT_THAT(complaint([](BodySpec& b) {
                b.qdot0 = {1, 2, 3};
              }),
              HasSubstr("body 'femur' | the initial velocity has 3 values"));
  EXPECT_THAT(complaint([](BodySpec& b) { b.q0 = {kNaN}; }),
              HasSubstr("body 'femur' | the initial position is not finite"));
  EXPECT_THAT(complaint([](BodySpec& b) { b.qdot0 = {-kInfinity}; }),
              HasSubstr("body 'femur' | the initial velocity is not finite"));
  EXPECT_THAT(complaint([](BodySpec& b) {
                b.coordinate_names = {"a", "b"};
              }),
              HasSubstr("body 'femur' | names 2 coordinates | its joint has 1"));
}

TEST(SkeletonErrors, NameTheJointThatIsNone) {
  EXPECT_THAT(complaint([](BodySpec& b) { b.joint = Revolute(Vec3::Zero()); }),
              HasSubstr("joint 'femur_joint' | "));
  EXPECT_THAT(complaint([](BodySpec& b) {
                b.joint = Prismatic(Vec3(kNaN, 0, 0));
                b.joint_name = "rail";
              }),
              HasSubstr("joint 'rail' | "));
}

TEST(SkeletonErrors, OfferTheNearestNameToASearch) {
  SkeletonBuilder builder;
  const Skeleton skeleton = builder.add_body(body("femur")).add_body(body("tibia")).build();
  const auto complaint_of = [](const auto& search) -> std::string {
    try {
      search();
    } catch (const Error& e) {
      return e.what();
    }
    return "no error";
  };
  EXPECT_EQ(complaint_of([&] { skeleton.find_body("femut"); }),
            "body 'femut': does not exist; did you mean 'femur'?");
  EXPECT_EQ(complaint_of([&] { skeleton.find_coordinate("tibia_joint_2"); }),
            "coordinate 'tibia_joint_2': does not exist; did you mean 'tibia_joint_1'?");
}

}  // namespace skeleton_errors_test
}  // namespace sinew

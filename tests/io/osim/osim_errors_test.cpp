#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sinew/core/error.hpp"
#include "sinew/io/osim/pose_evaluation.hpp"
#include "small_models.hpp"

namespace sinew {
namespace osim_errors_test {

using test::one_joint_model;
using test::osim_body;
using test::osim_coordinate;
using test::osim_document;
using test::osim_joint;
using test::osim_set;
using test::pin_model;
using ::testing::HasSubstr;

struct BadModel {
  std::string text;
  std::string message;  ///< part of its message
};

std::string body_with(const std::string& properties) {
  return osim_document(osim_set("BodySet", "<Body name=\"arm\">" + properties + "</Body>") +
                       osim_set("JointSet", osim_joint("PinJoint", "j", "/ground", "arm")));
}

std::string frame_in_body(const std::string& frame) {
  return osim_document(
      osim_set("BodySet", osim_body("arm", "<components>" + frame + "</components>")) +
      osim_set("JointSet",
               "<PinJoint name=\"j\"><socket_parent_frame>/ground"
               "</socket_parent_frame><socket_child_frame>"
               "/bodyset/arm/f</socket_child_frame></PinJoint>"));
}

std::string custom(const std::string& axes) {
  return one_joint_model("CustomJoint", "<coordinates>" + osim_coordinate("a") +
                                            "</coordinates><SpatialTransform>" + axes +
                                            "</SpatialTransform>");
}

std::string rotation(const std::string& function) {
  return custom("<TransformAxis name=\"rotation1\"><coordinates>a</coordinates><axis>1 0 0</axis>" +
                function + "</TransformAxis>");
}

std::string constrained(const std::string& constraint) {
  return pin_model(osim_set("ConstraintSet", constraint));
}

/// A muscle from the ground to the arm, with more points and surfaces.
std::string muscle(const std::string& points, const std::string& wraps = "",
                   const std::string& surfaces = "") {
  return osim_document(
      osim_set("BodySet", osim_body("arm", "<WrapObjectSet><objects>" + surfaces +
                                               "</objects></WrapObjectSet>")) +
      osim_set("JointSet", osim_joint("PinJoint", "pin", "/ground", "/bodyset/arm")) +
      osim_set("ForceSet",
               "<Thelen2003Muscle name=\"m\"><GeometryPath><PathPointSet><objects>"
               "<PathPoint name=\"a\"><body>ground</body><location>0 0 0</location></PathPoint>" +
                   points + "</objects></PathPointSet><PathWrapSet><objects>" + wraps +
                   "</objects></PathWrapSet></GeometryPath></Thelen2003Muscle>"));
}

std::vector<BadModel> bad_models() {
  const std::string pin = pin_model();
  return {
      {"", "not well-formed XML"},
      {pin.substr(0, pin.size() / 2), "not well-formed XML"},
      {"<html/>", "is not an OpenSim document"},
      {osim_document("", 20302), "opensim-cmd update-file"},
      {osim_document("", 10905), "is of version 1.9"},
      {osim_document("", 50000), "4.x is the newest"},
      {"<OpenSimDocument Version=\"40000\"><Tool/></OpenSimDocument>", "holds no <Model>"},
      {osim_document(""), "has no bodies"},
      {body_with("<mass>-1</mass>"), "its <mass> is negative"},
      {body_with("<mass>nan</mass>"), "where a finite number should be"},
      {body_with("<mass>1e300</mass>"), "where a finite number should be"},
      {body_with("<mass>1 2</mass>"), "has 2 numbers; give one"},
      {body_with("<mass>1</mass><inertia>1 2 3</inertia>"), "its <inertia> has 3 numbers"},
      {body_with("<mass>1</mass><inertia>-1 2 3 0 0 0</inertia>"), "negative moment"},
      {body_with("<mass>1</mass><mass_center>0 0</mass_center>"), "has 2 numbers; give three"},
      {osim_document(osim_set("BodySet", osim_body("arm") + osim_body("arm"))), "is defined twice"},
      {osim_document(osim_set("BodySet", "<Body><mass>1</mass></Body>")), "has no name"},
      {osim_document(osim_set("BodySet", "<Bone name=\"a\"/>")), "is not a body"},
      {osim_document(osim_set("BodySet", osim_body("a&#9;b"))), "Body 'a\tb': has a tab"},
      {osim_document(osim_set("BodySet", osim_body("a&#27;[31m"))),
       "control character in its name"},
      {one_joint_model("PinJoint", "<coordinates>" + osim_coordinate("time") + "</coordinates>"),
       "coordinate 'time': has the name of the time column in tables"},
      {osim_document(osim_set("BodySet", osim_body("arm")) +
                     osim_set("JointSet", osim_joint("PinJoint", "j", "/ground", "/bodyset/amr"))),
       "did you mean 'arm'?"},
      {osim_document(osim_set("BodySet", osim_body("arm")) +
                     osim_set("JointSet", "<PinJoint name=\"j\"/>")),
       "its socket 'parent_frame' is not connected"},
      {osim_document(osim_set("BodySet", osim_body("arm")) +
                     osim_set("JointSet", osim_joint("PinJoint", "j", "/ground", "/ground"))),
       "connects body 'ground' with itself"},
      {frame_in_body("<PhysicalOffsetFrame name=\"f\"><socket_parent>../f</socket_parent>"
                     "</PhysicalOffsetFrame>"),
       "is its own ancestor"},
      {frame_in_body("<PhysicalOffsetFrame name=\"f\"><socket_parent>../g</socket_parent>"
                     "</PhysicalOffsetFrame><PhysicalOffsetFrame name=\"g\"><socket_parent>../f"
                     "</socket_parent></PhysicalOffsetFrame>"),
       "is its own ancestor"},
      {frame_in_body("<PhysicalOffsetFrame name=\"f\"/>"), "its socket 'parent' is not connected"},
      {one_joint_model("ScapulothoracicJoint"),
       "ScapulothoracicJoint 'j': is a type of joint that cannot be read"},
      {one_joint_model("PinJoint", "<coordinates>" + osim_coordinate("a") + osim_coordinate("b") +
                                       "</coordinates>"),
       "has 2 coordinates; a PinJoint has 1"},
      {one_joint_model("PinJoint", "<coordinates><Coordinate/></coordinates>"), "has no name"},
      {one_joint_model("PinJoint", "<coordinates>" + osim_coordinate("a", "<range>2 1</range>") +
                                       "</coordinates>"),
       "the smaller first"},
      {one_joint_model(
           "PinJoint",
           "<coordinates>" + osim_coordinate("a", "<locked>maybe</locked>") + "</coordinates>"),
       "its <locked> is 'maybe'; write true or false"},
      {one_joint_model("UniversalJoint", "<coordinates>" + osim_coordinate("a") +
                                             osim_coordinate("a") + "</coordinates>"),
       "is defined twice"},
      {one_joint_model("CustomJoint"), "has no <SpatialTransform>"},
      {custom(""), "moves nothing"},
      {custom("<TransformAxis name=\"rotation1\"><coordinates>b</coordinates></TransformAxis>"),
       "names the coordinate 'b', which joint 'j' does not have"},
      {custom("<TransformAxis name=\"rotation1\"><coordinates>a</coordinates><axis>0 0 0</axis>"
              "</TransformAxis>"),
       "axis"},
      {rotation("<SimmSpline name=\"function\"><x>0 1</x><y>1</y></SimmSpline>"),
       "different numbers of x and y"},
      {rotation("<SimmSpline name=\"function\"><x>0 0</x><y>1 2</y></SimmSpline>"),
       "does not increase"},
      {rotation("<StepFunction name=\"function\"/>"), "kind of function that cannot be read"},
      {rotation("<MultiplierFunction name=\"function\"/>"), "multiplies nothing"},
      {rotation("<LinearFunction name=\"function\"><coefficients>1 2 3</coefficients>"
                "</LinearFunction>"),
       "has 3 coefficients for 1 coordinates"},
      {rotation("<GCVSpline name=\"function\"><error_variance>0.1</error_variance></GCVSpline>"),
       "smooths its points"},
      {constrained("<CoordinateCouplerConstraint name=\"c\"/>"), "names 0 independent"},
      {constrained("<CoordinateCouplerConstraint name=\"c\"><independent_coordinate_names>angel"
                   "</independent_coordinate_names></CoordinateCouplerConstraint>"),
       "did you mean 'angle'?"},
      {constrained("<PointConstraint name=\"c\"/>"), "its socket 'body_1' is not connected"},
      {constrained("<PointConstraint name=\"c\"><body_1>arm</body_1><body_2>arm</body_2>"
                   "</PointConstraint>"),
       "against itself"},
      {constrained("<ConstantDistanceConstraint name=\"c\"><body_1>arm</body_1><body_2>ground"
                   "</body_2></ConstantDistanceConstraint>"),
       "is not positive"},
      {constrained("<PointOnLineConstraint name=\"c\"><line_body>arm</line_body><follower_body>"
                   "ground</follower_body></PointOnLineConstraint>"),
       "is zero"},
      {osim_document(osim_set("BodySet", osim_body("a") + osim_body("b")) +
                     osim_set("JointSet", osim_joint("PinJoint", "p", "/ground", "a") +
                                              osim_joint("PinJoint", "r", "a", "b") +
                                              osim_joint("PlanarJoint", "s", "/ground", "b"))),
       "closes a loop of bodies"},
      {pin_model(osim_set("ForceSet", "<Thelen2003Muscle name=\"m\"/>")), "has no path"},
      {muscle(""), "fewer than two points"},
      {muscle("<PathPoint name=\"b\"><body>leg</body></PathPoint>"), "refers to 'leg'"},
      {muscle("<OddPoint name=\"b\"/>"), "kind of path point that cannot be read"},
      {muscle("<ConditionalPathPoint name=\"b\"><body>arm</body><coordinate>pin_cord_0</coordinate>"
              "</ConditionalPathPoint>"),
       "did you mean 'pin_coord_0'?"},
      {muscle("<ConditionalPathPoint name=\"b\"><body>arm</body><coordinate>pin_coord_0"
              "</coordinate></ConditionalPathPoint>"),
       "its <range> is not two numbers"},
      {muscle("<MovingPathPoint name=\"b\"><body>arm</body><x_location><LinearFunction/>"
              "</x_location></MovingPathPoint>"),
       "names no coordinate"},
      {muscle("<PathPoint name=\"b\"><body>arm</body></PathPoint>",
              "<PathWrap name=\"w\"><wrap_object>bal</wrap_object></PathWrap>",
              "<WrapSphere name=\"ball\"/>"),
       "did you mean 'ball'?"},
      {muscle("<PathPoint name=\"b\"><body>arm</body></PathPoint>",
              "<PathWrap name=\"w\"><wrap_object>ball</wrap_object><range>1 3</range></PathWrap>",
              "<WrapSphere name=\"ball\"/>"),
       "its <range> is not two of the path's points"},
      {muscle("", "", "<WrapSphere name=\"ball\"><radius>0</radius></WrapSphere>"),
       "is not positive"},
      {muscle("", "", "<WrapCylinder name=\"c\"><length>-1</length></WrapCylinder>"),
       "is not positive"},
      {muscle("", "", "<WrapEllipsoid name=\"e\"><dimensions>1 0 1</dimensions></WrapEllipsoid>"),
       "radii are not all positive"},
      {muscle("", "",
              "<WrapTorus name=\"t\"><inner_radius>2</inner_radius><outer_radius>1</outer_radius>"
              "</WrapTorus>"),
       "thicker than its circle"},
      {muscle("", "", "<WrapSphere name=\"ball\"><quadrant>left</quadrant></WrapSphere>"),
       "its <quadrant> is 'left'"},
      {pin_model(osim_set("ForceSet",
                          "<CoordinateLimitForce name=\"l\"><coordinate>angle"
                          "</coordinate><transition>0</transition>"
                          "</CoordinateLimitForce>")),
       "its <transition> is not positive"},
      {pin_model(osim_set("ForceSet",
                          "<CoordinateLimitForce name=\"l\"><coordinate>angle"
                          "</coordinate><lower_limit>5</lower_limit>"
                          "</CoordinateLimitForce>")),
       "lower limit above the upper one"},
      {pin_model(osim_set("MarkerSet", "<Marker name=\"m\"><body>leg</body></Marker>")),
       "refers to 'leg'"},
  };
}

TEST(OsimErrors, EachBadModelIsOneErrorThatNamesFileAndProblem) {
  for (const BadModel& bad : bad_models()) {
    try {
      parse_osim(bad.text, "bad.osim");
      ADD_FAILURE() << "accepted: " << bad.message;
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), HasSubstr(bad.message));
      EXPECT_EQ(error.file(), "bad.osim") << error.what();
      EXPECT_FALSE(error.remedy().empty()) << error.what();
    }
  }
}

TEST(OsimErrors, NestingWithoutEndIsRefused) {
  std::string text;
  for (int i = 0; i < 10000; ++i) text += "<a>";
  for (int i = 0; i < 10000; ++i) text += "</a>";
  EXPECT_THROW(parse_osim(osim_document(text), "m"), Error);
}

TEST(OsimErrors, NamesThatAreNoUtf8CanBeEvaluated) {
  const OsimModel model = parse_osim(
      one_joint_model("PinJoint", "<coordinates>" + osim_coordinate("a\x94") + "</coordinates>"),
      "m");
  EXPECT_NO_THROW(evaluate_poses(model, R"({"poses": [{}]})", "poses"));
}

TEST(OsimErrors, NamesWithColonsAndBytesThatAreNoUtf8AreRead) {
  EXPECT_NO_THROW(
      parse_osim(pin_model("<!-- 1\x96 2 --><HuntCrossleyForce::ContactParametersSet/>"), "m"));
}

}  // namespace osim_errors_test
}  // namespace sinew

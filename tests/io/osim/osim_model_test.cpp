#include "sinew/io/osim/osim_model.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numbers>

#include "sinew/core/error.hpp"
#include "sinew/dynamics/kinematics.hpp"
#include "sinew/dynamics/soft_limit.hpp"
#include "sinew/math/so3.hpp"
#include "small_models.hpp"

namespace sinew {
namespace osim_model_test {

using test::one_joint_model;
using test::osim_body;
using test::osim_coordinate;
using test::osim_document;
using test::osim_joint;
using test::osim_set;
using test::pin_model;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

Pose pose_of(const OsimModel& model, const std::string& body, const VecX& q) {
  SkeletonWorkspace ws(model.skeleton);
  update_kinematics(model.skeleton, q, VecX::Zero(q.size()), ws);
  return body_pose(model.skeleton, ws, model.skeleton.find_body(body));
}

/// The motion of the joint itself, between the frames of osim_joint.
Pose joint_pose(const OsimModel& model, const VecX& q) {
  const Pose E_GP = Pose::Translation(Vec3(1, 2, 3));
  const Pose E_BC = Pose::Rotation(rotation_about(Vec3::UnitZ(), 0.5));
  return E_GP.inverse() * pose_of(model, "arm", q) * E_BC;
}

void expect_near(const Pose& a, const Pose& b) {
  // Rounding of a few products of rotations.
  EXPECT_LT((a.R - b.R).norm(), 1e-14);
  EXPECT_LT((a.p - b.p).norm(), 1e-14);
}

Mat3 turn(int axis, double angle) { return rotation_about(Vec3::Unit(axis), angle); }

TEST(OsimModel, EveryJointTypeMovesAsOpenSimDefinesIt) {
  VecX q(6);
  q << 0.3, -0.4, 0.7, 0.1, 0.2, -0.6;
  const Mat3 xyz = turn(0, q[0]) * turn(1, q[1]) * turn(2, q[2]);
  const std::vector<std::pair<std::string, Pose>> expected = {
      {"PinJoint", Pose::Rotation(turn(2, q[0]))},
      {"SliderJoint", Pose::Translation(Vec3(q[0], 0, 0))},
      {"UniversalJoint", Pose::Rotation(turn(0, q[0]) * turn(1, q[1]))},
      {"PlanarJoint", {turn(2, q[0]), Vec3(q[1], q[2], 0)}},
      {"BallJoint", Pose::Rotation(xyz)},
      {"GimbalJoint", Pose::Rotation(xyz)},
      {"FreeJoint", {xyz, Vec3(q[3], q[4], q[5])}}};
  for (const auto& [type, pose] : expected) {
    SCOPED_TRACE(type);
    const OsimModel model = parse_osim(one_joint_model(type), "m");
    expect_near(joint_pose(model, q.head(model.skeleton.dof_count())), pose);
    EXPECT_EQ(model.coordinates.front().name, "j_coord_0");
  }
}

TEST(OsimModel, AWeldJointHasNoCoordinate) {
  const std::string text = osim_document(
      osim_set("BodySet", osim_body("arm") + osim_body("hand")) +
      osim_set("JointSet", osim_joint("PinJoint", "pin", "/ground", "/bodyset/arm") +
                               osim_joint("WeldJoint", "weld", "/bodyset/arm", "/bodyset/hand")));
  const OsimModel model = parse_osim(text, "m");
  EXPECT_EQ(model.skeleton.dof_count(), 1);
  const Pose E_GA = pose_of(model, "arm", VecX::Constant(1, 0.7));
  const Pose E_GH = pose_of(model, "hand", VecX::Constant(1, 0.7));
  expect_near(E_GA.inverse() * E_GH,
              Pose::Translation(Vec3(1, 2, 3)) * Pose::Rotation(turn(2, -0.5)));
}

std::string axis(const std::string& name, const std::string& coordinates,
                 const std::string& direction, const std::string& function = "") {
  return "<TransformAxis name=\"" + name + "\"><coordinates>" + coordinates +
         "</coordinates><axis>" + direction + "</axis>" + function + "</TransformAxis>";
}

std::string custom_joint(const std::string& function_of_translation1) {
  return "<coordinates>" + osim_coordinate("a") + osim_coordinate("b") +
         "</coordinates><SpatialTransform>" + axis("rotation1", "a", "0 0 2") +
         axis("rotation2", "b", "1 0 1",
              "<LinearFunction name=\"function\"><coefficients>2 0.1</coefficients>"
              "</LinearFunction>") +
         axis("rotation3", "", "0 1 0") +
         axis("translation1", "a", "1 0 0", function_of_translation1) +
         axis("translation2", "a b", "0 1 0",
              "<LinearFunction name=\"function\"><coefficients>3 4 5</coefficients>"
              "</LinearFunction>") +
         axis("translation3", "", "0 0 1",
              "<Constant name=\"function\"><value>0.25</value></Constant>") +
         "</SpatialTransform>";
}

TEST(OsimModel, ACustomJointComposesItsSixAxes) {
  const OsimModel model = parse_osim(
      one_joint_model("CustomJoint",
                      custom_joint("<PolynomialFunction name=\"function\"><coefficients>2 3 "
                                   "4</coefficients></PolynomialFunction>")),
      "m");
  const double a = 0.3, b = -0.2;
  const Mat3 R = turn(2, a) * rotation_about(Vec3(1, 0, 1).normalized(), 2 * b + 0.1);
  const Vec3 p(2 * a * a + 3 * a + 4, 3 * a + 4 * b + 5, 0.25);
  expect_near(joint_pose(model, Eigen::Vector2d(a, b)), {R, p});
}

/// f(0.3) where f is the function of the first translation.
double first_translation(const std::string& function) {
  const OsimModel model = parse_osim(one_joint_model("CustomJoint", custom_joint(function)), "m");
  return joint_pose(model, Eigen::Vector2d(0.3, 0)).p.x();
}

TEST(OsimModel, EveryFunctionKindIsRead) {
  const std::string points = "<x>0 1 2</x><y>1 3 9</y>";  // 1 + 2x² at those
  const std::string simm = "<SimmSpline name=\"function\">" + points + "</SimmSpline>";
  // Through three points it is the parabola 1 + 2x².
  EXPECT_NEAR(first_translation(simm), 1.18, 1e-14);
  EXPECT_NEAR(first_translation("<NaturalCubicSpline name=\"function\">" + points +
                                "</NaturalCubicSpline>"),
              1.18, 1e-14);
  EXPECT_NEAR(first_translation("<PiecewiseLinearFunction name=\"function\">" + points +
                                "</PiecewiseLinearFunction>"),
              1.6, 1e-14);
  EXPECT_NEAR(first_translation("<MultiplierFunction name=\"function\"><function>" + simm +
                                "</function><scale>3</scale></MultiplierFunction>"),
              3.54, 1e-14);
  EXPECT_NEAR(first_translation("<GCVSpline name=\"function\"><half_order>3</half_order><x>0 1 "
                                "2</x><y>1 3 9</y></GCVSpline>"),
              1.18, 1e-12);  // the parabola has no third derivative
  EXPECT_NEAR(first_translation("<Sine name=\"function\"><amplitude>2</amplitude><omega>3</omega>"
                                "<phase>0.1</phase><offset>4</offset></Sine>"),
              2 * std::sin(1.0) + 4, 1e-14);
}

TEST(OsimModel, InertiaIsAboutTheCentreOfMassInTheOrderOfTheFile) {
  const OsimModel model = parse_osim(pin_model(), "m");
  Mat3 I;
  I << 0.3, 0.01, 0.02, 0.01, 0.2, 0.03, 0.02, 0.03, 0.4;
  const SpatialInertia& M = model.skeleton.bodies()[0].M_B;
  EXPECT_EQ(M.mass, 2);
  EXPECT_LT((M.central_inertia() - I).norm(), 1e-15);
  EXPECT_LT((M.com() - Vec3(0.1, 0, 0)).norm(), 1e-16);
}

TEST(OsimModel, InertiaThatNoBodyHasIsAWarning) {
  const std::string text = osim_document(
      osim_set("BodySet",
               "<Body name=\"toes\"><mass>1</mass><mass_center>0 0 0</mass_center>"
               "<inertia>0 0 9e-4 0 0 0</inertia></Body>") +
      osim_set("JointSet", osim_joint("PinJoint", "pin", "/ground", "/bodyset/toes")));
  const OsimModel model = parse_osim(text, "toes.osim");
  EXPECT_THAT(model.warnings, ElementsAre(HasSubstr("triangle inequality")));
  EXPECT_THAT(model.warnings[0], HasSubstr("toes.osim:5: Body 'toes'"));
}

TEST(OsimModel, DefaultsSupplyWhatIsOmittedAndAreNoElements) {
  const OsimModel model = parse_osim(
      pin_model("<defaults><Coordinate name=\"default\"><default_value>0.4</default_value>"
                "<range>-1 2</range></Coordinate><Thelen2003Muscle name=\"default\"/></defaults>"),
      "m");
  ASSERT_EQ(model.coordinates.size(), 1u);
  EXPECT_EQ(model.coordinates[0].default_value, 0.4);
  EXPECT_EQ(model.coordinates[0].lower, -1);
  EXPECT_EQ(model.coordinates[0].upper, 2);
  EXPECT_TRUE(model.unsupported.empty());
}

TEST(OsimModel, VersionThreeNestsJointsInBodies) {
  const std::string text = osim_document(
      osim_set(
          "BodySet",
          "<Body name=\"ground\"><mass>0</mass><Joint/></Body>"
          "<Body name=\"arm\"><mass>2</mass><mass_center>0 0 0</mass_center><inertia_xx>1"
          "</inertia_xx><inertia_yy>1</inertia_yy><inertia_zz>1</inertia_zz><inertia_xy>0"
          "</inertia_xy><inertia_xz>0</inertia_xz><inertia_yz>0</inertia_yz><Joint>"
          "<PinJoint name=\"pin\"><parent_body>ground</parent_body><location_in_parent>1 2 3"
          "</location_in_parent><orientation_in_parent>0 0 0</orientation_in_parent><location>0 0 0"
          "</location><orientation>0 0 0.5</orientation><CoordinateSet><objects>"
          "<Coordinate name=\"angle\"/></objects></CoordinateSet><reverse>false</reverse>"
          "</PinJoint></Joint></Body>"),
      30000);
  const OsimModel model = parse_osim(text, "m");
  EXPECT_EQ(model.coordinates[0].name, "angle");
  expect_near(joint_pose(model, VecX::Constant(1, 0.7)), Pose::Rotation(turn(2, 0.7)));
}

TEST(OsimModel, UnitsHaveNoEffectAsInOpenSim) {
  const auto warnings = [](const std::string& units) {
    return parse_osim(pin_model(units), "m").warnings;
  };
  EXPECT_TRUE(warnings("<length_units>m</length_units><force_units>newtons</force_units>").empty());
  EXPECT_TRUE(warnings("<length_units>Unassigned</length_units>").empty());
  EXPECT_THAT(warnings("<length_units>feet</length_units>"),
              ElementsAre(HasSubstr("its <length_units> is 'feet', which has no effect")));
}

TEST(OsimModel, SocketsAreReadInAllFormsThatFilesHaveHad) {
  const auto socket = [](int form, const std::string& name, const std::string& path) {
    if (form == 0)
      return "<Connector_PhysicalFrame_ name=\"" + name + "\"><connectee_name> " + path +
             "\n</connectee_name></Connector_PhysicalFrame_>";
    const std::string tag = (form == 1 ? "connector_" : "socket_") + name +
                            (form == 3 ? std::string() : "_connectee_name");
    return "<" + tag + ">" + path + "</" + tag + ">";
  };
  for (const int form : {0, 1, 2, 3}) {
    SCOPED_TRACE(form);
    const auto in = [&](const std::string& sockets) {
      return form == 0 ? "<connectors>" + sockets + "</connectors>" : sockets;
    };
    const OsimModel model = parse_osim(
        osim_document(
            osim_set("BodySet", osim_body("arm")) +
                osim_set("JointSet",
                         "<PinJoint name=\"j\">" +
                             in(socket(form, "parent_frame", "ground") +
                                socket(form, "child_frame", "arm_offset")) +
                             "<frames><PhysicalOffsetFrame name=\"arm_offset\">" +
                             in(socket(form, "parent", "arm")) +
                             "<translation>0 1 0</translation></PhysicalOffsetFrame></frames>"
                             "</PinJoint>"),
            30507),
        "m");
    EXPECT_NEAR((pose_of(model, "arm", VecX::Zero(1)).p - Vec3(0, -1, 0)).norm(), 0, 1e-15);
    EXPECT_TRUE(model.unsupported.empty());
  }
}

TEST(OsimModel, WhatHasNoNameGetsOne) {
  const std::string joint = osim_joint("PinJoint", "j", "/ground", "/bodyset/arm");
  const std::string nameless = "<PinJoint>" + joint.substr(joint.find('>') + 1);
  const auto point = [](const std::string& y) {
    return "<ConstantDistanceConstraint><socket_body_1>/ground</socket_body_1>"
           "<socket_body_2>/bodyset/arm</socket_body_2><location_body_1>1 " +
           y +
           " 3</location_body_1><constant_distance>1</constant_distance></"
           "ConstantDistanceConstraint>";
  };
  const OsimModel model = parse_osim(
      osim_document(osim_set("BodySet", osim_body("arm")) + osim_set("JointSet", nameless) +
                    osim_set("ConstraintSet", point("4") + point("5"))),
      "m");
  EXPECT_EQ(model.coordinates[0].joint, "pinjoint");
  ASSERT_EQ(model.constraints.size(), 2u);
  EXPECT_EQ(model.constraints[0]->name(), "constantdistanceconstraint");
  EXPECT_EQ(model.constraints[1]->name(), "constantdistanceconstraint_0");
  const OsimModel old = parse_osim(
      osim_document(osim_set("BodySet",
                             "<Body name=\"arm\"><mass>2</mass><Joint><PinJoint><parent_body>ground"
                             "</parent_body></PinJoint></Joint></Body>"),
                    30000),
      "m");
  EXPECT_EQ(old.coordinates[0].joint, "arm_joint");
}

TEST(OsimModel, ABodyWithoutMassCanBeMovedButNotSimulated) {
  const OsimModel model = parse_osim(
      osim_document(
          osim_set("BodySet", osim_body("arm") + "<Body name=\"hand\"><mass>0</mass></Body>") +
          osim_set("JointSet", osim_joint("PinJoint", "j", "/ground", "/bodyset/arm") +
                                   osim_joint("PinJoint", "w", "/bodyset/arm", "/bodyset/hand"))),
      "m");
  EXPECT_THAT(model.warnings, ElementsAre(HasSubstr("Body 'hand': moves without mass")));
  pose_of(model, "hand", VecX::Constant(2, 0.3));
  try {
    model.system_builder();
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("weld it to its parent"));
  }
}

TEST(OsimModel, NamesInOldEncodingsBecomeUtf8) {
  std::string text = pin_model();
  text.replace(text.find("UTF-8"), 5, "ISO-8859-1");
  text.replace(text.find("\"angle\""), 7, "\"fl\xE9xion\"");
  EXPECT_EQ(parse_osim(text, "m").coordinates[0].name, "fl\xC3\xA9xion");
}

TEST(OsimModel, AReversedJointIsTheInverseOfTheSameJoint) {
  for (const std::string type : {"PinJoint", "PlanarJoint", "FreeJoint"}) {
    // From the body to the ground: the tree must go against the joint.
    const std::string text =
        osim_document(osim_set("BodySet", osim_body("arm")) +
                      osim_set("JointSet", osim_joint(type, "j", "/bodyset/arm", "/ground")));
    const OsimModel there = parse_osim(one_joint_model(type), "m");
    const OsimModel back = parse_osim(text, "m");
    VecX q(6);
    q << 0.3, -0.4, 0.7, 0.1, 0.2, -0.6;
    const VecX at = q.head(there.skeleton.dof_count());
    const Pose E_GC = Pose::Rotation(turn(2, 0.5)), E_BP = Pose::Translation(Vec3(1, 2, 3));
    expect_near(E_GC.inverse() * pose_of(back, "arm", at) * E_BP, joint_pose(there, at).inverse());
  }
}

TEST(OsimModel, SocketsAreAbsoluteRelativeOrBare) {
  for (const std::string body : {"/bodyset/arm", "../../bodyset/arm", "arm"}) {
    const std::string text =
        osim_document(osim_set("BodySet", osim_body("arm")) +
                      osim_set("JointSet", osim_joint("PinJoint", "pin", "ground", body)));
    EXPECT_EQ(parse_osim(text, "m").skeleton.bodies()[0].name, "arm") << body;
  }
}

TEST(OsimModel, OffsetFramesStackUp) {
  const std::string frame =
      "<components><PhysicalOffsetFrame name=\"f\"><socket_parent>..</socket_parent>"
      "<translation>0 1 0</translation><orientation>0 0 1.5707963267948966</orientation>"
      "</PhysicalOffsetFrame><PhysicalOffsetFrame name=\"g\"><socket_parent>../f</socket_parent>"
      "<translation>1 0 0</translation></PhysicalOffsetFrame></components>";
  const std::string text =
      osim_document(osim_set("BodySet", osim_body("arm", frame)) +
                    osim_set("JointSet", osim_joint("PinJoint", "pin", "/ground", "/bodyset/arm")) +
                    osim_set("MarkerSet",
                             "<Marker name=\"m\"><socket_parent_frame>/bodyset/arm/g"
                             "</socket_parent_frame><location>0 0 5</location></Marker>"));
  const OsimModel model = parse_osim(text, "m");
  ASSERT_EQ(model.markers.size(), 1u);
  EXPECT_EQ(model.markers[0].body, "arm");
  EXPECT_LT((model.markers[0].x_B - Vec3(0, 2, 5)).norm(), 1e-15);
}

std::string two_pins(const std::string& more) {
  return osim_document(
      osim_set("BodySet", osim_body("a") + osim_body("b")) +
      osim_set("JointSet",
               osim_joint("PinJoint", "p", "/ground", "/bodyset/a",
                          "<coordinates>" + osim_coordinate("qa") + "</coordinates>") +
                   osim_joint("PinJoint", "r", "/bodyset/a", "/bodyset/b",
                              "<coordinates>" + osim_coordinate("qb") + "</coordinates>")) +
      more);
}

TEST(OsimModel, CouplersScaleTheirFunction) {
  const OsimModel model = parse_osim(
      two_pins(osim_set("ConstraintSet",
                        "<CoordinateCouplerConstraint name=\"c\"><coupled_coordinates_function>"
                        "<LinearFunction><coefficients>2 0.1</coefficients></LinearFunction>"
                        "</coupled_coordinates_function><independent_coordinate_names>qa"
                        "</independent_coordinate_names><dependent_coordinate_name>qb"
                        "</dependent_coordinate_name><scale_factor>3</scale_factor>"
                        "</CoordinateCouplerConstraint>")),
      "m");
  const System system = model.system_builder().build();
  const State state = system.default_state();
  EXPECT_NEAR(state.q[1], 3 * (2 * state.q[0] + 0.1), 1e-12);
}

TEST(OsimModel, EveryConstraintIsReadAndTheOnesSwitchedOffAreNot) {
  const std::string bodies =
      "<socket_body_1>/bodyset/a</socket_body_1><socket_body_2>/ground</socket_body_2>";
  const OsimModel model = parse_osim(
      two_pins(osim_set(
          "ConstraintSet",
          "<PointConstraint name=\"p\">" + bodies + "</PointConstraint>" +
              "<PointConstraint name=\"off\"><isEnforced>false</isEnforced>" + bodies +
              "</PointConstraint>" + "<ConstantDistanceConstraint name=\"d\">" + bodies +
              "<constant_distance>2</constant_distance></ConstantDistanceConstraint>" +
              "<PointOnLineConstraint name=\"l\"><socket_line_body>/ground</socket_line_body>"
              "<socket_follower_body>/bodyset/b</socket_follower_body><line_direction_vec>0 1 0"
              "</line_direction_vec></PointOnLineConstraint>"
              "<WeldConstraint name=\"w\"><body_1>a</body_1><body_2>b</body_2></WeldConstraint>"
              "<RollingOnSurfaceConstraint name=\"roll\"/>")),
      "m");
  std::vector<std::string> names;
  for (const auto& constraint : model.constraints) names.push_back(constraint->name());
  EXPECT_THAT(names, ElementsAre("p", "d", "l", "w"));
  EXPECT_EQ(model.unsupported.at("RollingOnSurfaceConstraint"), 1);
}

TEST(OsimModel, LockedAndPrescribedCoordinatesAreConstraints) {
  const std::string text = osim_document(
      osim_set("BodySet", osim_body("arm")) +
      osim_set(
          "JointSet",
          osim_joint("UniversalJoint", "u", "/ground", "/bodyset/arm",
                     "<coordinates>" +
                         osim_coordinate("x",
                                         "<default_value>0.2</default_value><locked>true"
                                         "</locked>") +
                         osim_coordinate("y",
                                         "<prescribed_function><LinearFunction><coefficients>2 "
                                         "0.3</coefficients></LinearFunction>"
                                         "</prescribed_function><prescribed>true"
                                         "</prescribed>") +
                         "</coordinates>")));
  const OsimModel model = parse_osim(text, "m");
  EXPECT_TRUE(model.coordinates[0].locked);
  const State state = model.system_builder().build().default_state();
  EXPECT_NEAR(state.q[0], 0.2, 1e-12);
  EXPECT_NEAR(state.q[1], 0.3, 1e-12);
  EXPECT_NEAR(state.qdot[1], 2, 1e-12);
}

TEST(OsimModel, AJointThatClosesALoopIsAConstraint) {
  const OsimModel model = parse_osim(
      osim_document(
          osim_set("BodySet", osim_body("a") + osim_body("b")) +
          osim_set("JointSet", osim_joint("PinJoint", "p", "/ground", "/bodyset/a") +
                                   osim_joint("PinJoint", "r", "/bodyset/a", "/bodyset/b") +
                                   osim_joint("PinJoint", "s", "/ground", "/bodyset/b"))),
      "m");
  ASSERT_EQ(model.constraints.size(), 1u);
  EXPECT_EQ(model.constraints[0]->name(), "s_loop");
}

TEST(OsimModel, ABodyWithoutJointIsFree) {
  const OsimModel model = parse_osim(osim_document(osim_set("BodySet", osim_body("stone"))), "m");
  EXPECT_EQ(model.skeleton.dof_count(), 6);
  EXPECT_THAT(model.warnings, ElementsAre(HasSubstr("free in space")));
}

TEST(OsimModel, LimitForcesOfAnglesAreInDegrees) {
  const OsimModel model = parse_osim(
      pin_model(osim_set("ForceSet",
                         "<CoordinateLimitForce name=\"l\"><coordinate>angle</coordinate>"
                         "<upper_stiffness>2</upper_stiffness><upper_limit>90</upper_limit>"
                         "<lower_stiffness>1</lower_stiffness><lower_limit>-45</lower_limit>"
                         "<damping>0.1</damping><transition>5</transition></CoordinateLimitForce>"
                         "<SpringGeneralizedForce name=\"s\"><coordinate>angle</coordinate>"
                         "<stiffness>3</stiffness></SpringGeneralizedForce>")),
      "m");
  ASSERT_EQ(model.forces.size(), 2u);
  const auto& law = dynamic_cast<const SoftLimit&>(*model.forces[0]).law();
  const double degree = std::numbers::pi / 180;
  EXPECT_NEAR(law.upper, 90 * degree, 1e-15);
  EXPECT_NEAR(law.lower, -45 * degree, 1e-15);
  EXPECT_NEAR(law.upper_stiffness, 2 / degree, 1e-12);
  EXPECT_NEAR(law.damping, 0.1 / degree, 1e-12);
  EXPECT_NEAR(law.transition, 5 * degree, 1e-15);
}

std::string path_model(const std::string& muscle, const std::string& surfaces = "") {
  return osim_document(
      osim_set("BodySet", osim_body("arm", "<WrapObjectSet><objects>" + surfaces +
                                               "</objects></WrapObjectSet>")) +
      osim_set("JointSet",
               osim_joint("PinJoint", "pin", "/ground", "/bodyset/arm",
                          "<coordinates>" + osim_coordinate("angle", "<range>-1 1</range>") +
                              "</coordinates>")) +
      osim_set("ForceSet", muscle));
}

TEST(OsimModel, PathsHaveTheirPointsSurfacesAndNumbers) {
  const OsimModel model = parse_osim(
      path_model(
          "<Thelen2003Muscle name=\"m\"><max_isometric_force>321</max_isometric_force>"
          "<appliesForce>false</appliesForce><GeometryPath><PathPointSet><objects>"
          "<PathPoint name=\"a\"><socket_parent_frame>/ground</socket_parent_frame><location>1 2 3"
          "</location></PathPoint><ConditionalPathPoint name=\"b\"><socket_parent_frame>"
          "/bodyset/arm</socket_parent_frame><location>4 5 6</location><socket_coordinate>"
          "/jointset/pin/angle</socket_coordinate><range>0 0.5</range></ConditionalPathPoint>"
          "<MovingPathPoint name=\"c\"><socket_parent_frame>/bodyset/arm</socket_parent_frame>"
          "<socket_x_coordinate>/jointset/pin/angle</socket_x_coordinate><x_location>"
          "<LinearFunction><coefficients>2 1</coefficients></LinearFunction></x_location>"
          "<y_location><Constant><value>7</value></Constant></y_location></MovingPathPoint>"
          "</objects></PathPointSet><PathWrapSet><objects><PathWrap name=\"w\"><wrap_object>ball"
          "</wrap_object><range>2 -1</range></PathWrap></objects></PathWrapSet></GeometryPath>"
          "</Thelen2003Muscle>",
          "<WrapSphere name=\"ball\"><radius>0.2</radius><quadrant>-Y</quadrant><translation>1 0 0"
          "</translation></WrapSphere>"),
      "m");
  ASSERT_EQ(model.paths.size(), 1u);
  const OsimPath& path = model.paths[0];
  EXPECT_EQ(path.type, "Thelen2003Muscle");
  EXPECT_FALSE(path.applies);
  EXPECT_EQ(path.properties.at("max_isometric_force"), 321);
  ASSERT_EQ(path.path.points.size(), 3u);
  EXPECT_EQ(path.path.points[0].x_B, Vec3(1, 2, 3));
  EXPECT_EQ(path.path.points[1].condition.value, 0);
  EXPECT_EQ(path.path.points[1].upper, 0.5);
  ASSERT_EQ(path.path.points[2].motions.size(), 2u);
  EXPECT_EQ(path.path.points[2].motions[0].lower, -1);  // from the coordinate's range
  ASSERT_EQ(path.path.surfaces.size(), 1u);
  EXPECT_EQ(path.path.surfaces[0].first, 1);
  EXPECT_EQ(path.path.surfaces[0].last, 2);
  const PathSurface& ball = *path.path.surfaces[0].surface;
  EXPECT_EQ(std::get<SphereWrap>(ball.wrap).radius, 0.2);
  EXPECT_EQ(ball.axis, 1);
  EXPECT_EQ(ball.sign, -1);
  EXPECT_EQ(ball.E_BS.p, Vec3(1, 0, 0));
}

TEST(OsimModel, UnsupportedElementsAreCountedByTypeAndStrictRefusesThem) {
  const std::string text =
      pin_model(osim_set("ForceSet", "<OddForce name=\"a\"/><OddForce name=\"b\"/>") +
                osim_set("ControllerSet", "<OddController name=\"c\"/>") + "<credits>Us</credits>");
  const OsimModel model = parse_osim(text, "m");
  EXPECT_EQ(model.unsupported.at("OddForce"), 2);
  EXPECT_EQ(model.unsupported.at("OddController"), 1);
  EXPECT_EQ(model.credits, "Us");
  try {
    parse_osim(text, "m", {.strict = true});
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("1 OddController, 2 OddForce"));
  }
}

TEST(OsimModel, PropertiesThatNobodyReadsAreCountedUnlessTheyAreKnownToHaveNoEffect) {
  const auto left_out = [](const std::string& more) {
    return parse_osim(pin_model(more), "m").unsupported;
  };
  const std::string spring = R"(<SpringGeneralizedForce name="s"><coordinate>angle</coordinate>)";
  const auto force = [&](const std::string& more) {
    return osim_set("ForceSet", spring + more + "</SpringGeneralizedForce>");
  };
  using Counts = std::map<std::string, int>;
  EXPECT_EQ(left_out(force("<stiffness>5</stiffness>")), Counts{});
  // A typing mistake, and an element of a later version.
  EXPECT_EQ(left_out(force("<stifness>5</stifness><curve><Step/><width>1</width></curve>")),
            (Counts{{"<stifness> of SpringGeneralizedForce", 1},
                    {"<curve> of SpringGeneralizedForce", 1}}));
  // Disabled elements, appearance, and empty elements.
  EXPECT_EQ(left_out(osim_set("ConstraintSet",
                              "<OddConstraint name=\"c\"><isEnforced>false"
                              "</isEnforced><odd>5</odd></OddConstraint>")),
            Counts{});
  EXPECT_EQ(left_out("<ModelVisualPreferences><x>1</x></ModelVisualPreferences>"), Counts{});
  EXPECT_EQ(left_out("<OddSet name=\"odd\"><objects/><groups/></OddSet>"), Counts{});
  EXPECT_EQ(left_out("<OddSet name=\"odd\"><objects><Thing/></objects><x>1</x></OddSet>"),
            (Counts{{"<OddSet> of Model", 1}}));
  EXPECT_EQ(left_out("<MarkerSet file=\"markers.xml\"/>"),
            (Counts{{"MarkerSet of the file 'markers.xml'", 1}}));
}

}  // namespace osim_model_test
}  // namespace sinew

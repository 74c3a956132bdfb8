#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sinew/core/error.hpp"
#include "sinew/dynamics/kinematics.hpp"
#include "sinew/io/osim/osim_model.hpp"
#include "sinew/io/osim/pose_evaluation.hpp"
#include "small_models.hpp"
#include "support/random.hpp"

/// A small model of our own for every element and version that models of OpenSim are made of: each
/// is read and can be evaluated, or is counted as left out, or is refused with a reason.

namespace sinew {
namespace elements_test {

using test::one_joint_model;
using test::osim_body;
using test::osim_coordinate;
using test::osim_document;
using test::osim_joint;
using test::osim_set;
using test::pin_model;
using ::testing::HasSubstr;

const std::string kPoints =
    "<PathPointSet><objects><PathPoint name=\"a\"><socket_parent_frame>/ground"
    "</socket_parent_frame><location>0 1 0</location></PathPoint><PathPoint name=\"b\">"
    "<socket_parent_frame>/bodyset/arm</socket_parent_frame><location>0.5 0 "
    "0</location></PathPoint>"
    "</objects></PathPointSet>";

std::string with_path(const std::string& type, const std::string& numbers,
                      const std::string& wraps = "") {
  return "<" + type + " name=\"f\">" + numbers + "<GeometryPath>" + kPoints + wraps +
         "</GeometryPath></" + type + ">";
}

const std::string kMuscle =
    "<max_isometric_force>500</max_isometric_force><optimal_fiber_length>0.1</optimal_fiber_length>"
    "<tendon_slack_length>0.9</tendon_slack_length>";

/// One force on a body on a pin.
std::string force_model(const std::string& force) { return pin_model(osim_set("ForceSet", force)); }

std::string wrap_model(const std::string& surface, const std::string& method = "hybrid") {
  return osim_document(
      osim_set("BodySet", osim_body("arm", osim_set("WrapObjectSet", surface))) +
      osim_set("JointSet",
               osim_joint("PinJoint", "pin", "/ground", "/bodyset/arm",
                          "<coordinates>" + osim_coordinate("angle") + "</coordinates>")) +
      osim_set("ForceSet",
               with_path("Thelen2003Muscle", kMuscle,
                         "<PathWrapSet><objects><PathWrap name=\"w\"><wrap_object>s</wrap_object>"
                         "<method>" +
                             method +
                             "</method><range>-1 -1</range></PathWrap></objects>"
                             "</PathWrapSet>")));
}

void expect_evaluates(const OsimModel& model) {
  EXPECT_NO_THROW(evaluate_poses(model, R"({"poses": [{}]})", "poses"));
  EXPECT_NO_THROW(model.system_builder().build());
}

TEST(OsimElements, EveryVersionIsReadOrRefused) {
  for (const int version : {10905, 11000, 20001, 20302, 50000})
    EXPECT_THROW(parse_osim(osim_document("", version), "m"), Error) << version;
  const std::string three =
      "<Body name=\"ground\"/><Body name=\"arm\"><mass>1</mass><inertia_xx>1</inertia_xx>"
      "<inertia_yy>1</inertia_yy><inertia_zz>1</inertia_zz><Joint><PinJoint name=\"pin\">"
      "<parent_body>ground</parent_body></PinJoint></Joint></Body>";
  for (const int version : {30000, 30001})
    expect_evaluates(parse_osim(osim_document(osim_set("BodySet", three), version), "m"));
  const std::string four =
      osim_set("BodySet", osim_body("arm")) +
      osim_set("JointSet", osim_joint("PinJoint", "pin", "/ground", "/bodyset/arm"));
  for (const int version : {40000, 40500, 40600})
    expect_evaluates(parse_osim(osim_document(four, version), "m"));
}

TEST(OsimElements, EveryJointIsReadOrRefused) {
  for (const std::string type : {"PinJoint", "SliderJoint", "UniversalJoint", "PlanarJoint",
                                 "BallJoint", "GimbalJoint", "FreeJoint"})
    expect_evaluates(parse_osim(one_joint_model(type), "m"));
  expect_evaluates(parse_osim(
      one_joint_model("EllipsoidJoint", "<radii_x_y_z>0.1 0.2 0.35</radii_x_y_z>"), "m"));
  const auto refusal = [](const std::string& type, const std::string& more) -> std::string {
    try {
      parse_osim(one_joint_model(type, more), "m");
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_THAT(refusal("ScapulothoracicJoint", ""), HasSubstr("over an ellipsoid"));
  for (const char* radii :
       {"", "<radii_x_y_z>0.1 0.2</radii_x_y_z>", "<radii_x_y_z>0.1 0 0.2</radii_x_y_z>"})
    EXPECT_THAT(refusal("EllipsoidJoint", radii), HasSubstr("is not three positive numbers"));
}

// p = (r_x n_x, r_y n_y, r_z n_z) with n the child's z axis, as Simbody's MobilizedBody::Ellipsoid
// places it.
TEST(OsimElements, AnEllipsoidJointKeepsItsBodyOnTheEllipsoid) {
  const OsimModel model =
      parse_osim(one_joint_model("EllipsoidJoint", "<radii_x_y_z>0.1 0.2 0.35</radii_x_y_z>"), "m");
  SkeletonWorkspace ws(model.skeleton);
  for (unsigned seed = 0; seed < 20; ++seed) {
    const VecX q = test::Random(seed).vecx(3, 2);
    update_kinematics(model.skeleton, q, VecX::Zero(3), ws);
    const Pose E = body_pose(model.skeleton, ws, BodyIndex(0));
    const Vec3 n = E.R.col(2), radii(0.1, 0.2, 0.35);
    const Vec3 p = E.p - Vec3(1, 2, 3);  // position of the joint on the ground
    EXPECT_LT((p - radii.cwiseProduct(n)).norm(), 1e-14);
    EXPECT_NEAR(p.cwiseQuotient(radii).norm(), 1, 1e-13);
  }
}

TEST(OsimElements, EverySurfaceIsReadWithEveryQuadrantAndMethod) {
  const std::vector<std::string> surfaces = {
      "<WrapCylinder name=\"s\"><radius>0.1</radius><length>1</length>",
      "<WrapSphere name=\"s\"><radius>0.1</radius>",
      "<WrapEllipsoid name=\"s\"><dimensions>0.1 0.2 0.15</dimensions>",
      "<WrapTorus name=\"s\"><inner_radius>0.05</inner_radius><outer_radius>0.2</outer_radius>"};
  for (const std::string& surface : surfaces)
    for (const std::string quadrant : {"all", "x", "-x", "+x", "y", "-y", "+y", "z", "-z", "+z"}) {
      const std::string type = surface.substr(1, surface.find(' ') - 1);
      const OsimModel model = parse_osim(
          wrap_model(surface + "<quadrant>" + quadrant + "</quadrant></" + type + ">"), "m");
      ASSERT_EQ(model.paths.size(), 1u);
      EXPECT_EQ(model.paths[0].path.surfaces.size(), 1u);
      EXPECT_EQ(model.paths[0].path.surfaces[0].surface->sign,
                quadrant == "all" ? 0 : (quadrant[0] == '-' ? -1 : 1));
      if (quadrant == "all") expect_evaluates(model);
    }
  for (const std::string method : {"hybrid", "midpoint", "axial"}) {
    const OsimModel model = parse_osim(wrap_model(surfaces[2] + "</WrapEllipsoid>", method), "m");
    expect_evaluates(model);
    // Sinew follows the default; for the others it warns.
    EXPECT_EQ(model.unsupported.count("PathWrap method " + method), method != "hybrid") << method;
  }
}

TEST(OsimElements, EveryMuscleHasItsPath) {
  for (const std::string type :
       {"Thelen2003Muscle", "Millard2012EquilibriumMuscle", "DeGrooteFregly2016Muscle",
        "Schutte1993Muscle", "Schutte1993Muscle_Deprecated"}) {
    const OsimModel model = parse_osim(force_model(with_path(type, kMuscle)), "m");
    ASSERT_EQ(model.paths.size(), 1u) << type;
    EXPECT_EQ(model.paths[0].type, type);
    expect_evaluates(model);
  }
}

TEST(OsimElements, NoForceIsSkippedSilently) {
  const std::vector<std::string> forces = {
      "<CoordinateLimitForce name=\"f\"><coordinate>angle</coordinate><upper_limit>10</upper_limit>"
      "</CoordinateLimitForce>",
      "<CoordinateActuator name=\"f\"><coordinate>angle</coordinate><optimal_force>10"
      "</optimal_force></CoordinateActuator>",
      "<SpringGeneralizedForce name=\"f\"><coordinate>angle</coordinate></SpringGeneralizedForce>",
      "<PointToPointSpring name=\"f\"><socket_body1>/ground</socket_body1><socket_body2>"
      "/bodyset/arm</socket_body2><stiffness>5</stiffness></PointToPointSpring>",
      "<BushingForce name=\"f\"><socket_frame1>/ground</socket_frame1><socket_frame2>/bodyset/arm"
      "</socket_frame2><rotational_stiffness>1 1 1</rotational_stiffness></BushingForce>",
      with_path("PathSpring", "<resting_length>1</resting_length><stiffness>10</stiffness>"),
      with_path("Ligament",
                "<resting_length>1</resting_length><pcsa_force>10</pcsa_force>"
                "<force_length_curve><SimmSpline><x>-1 0 1 2</x><y>0 0 1 2</y></SimmSpline>"
                "</force_length_curve>"),
      "<ElasticFoundationForce name=\"f\"/>",
      "<Millard2012EquilibriumMuscle name=\"f\">" + kMuscle +
          "<path><FunctionBasedPath name=\"path\"/></path></Millard2012EquilibriumMuscle>",
      "<Millard2012EquilibriumMuscle name=\"f\">" + kMuscle +
          "<path><Scholz2015GeometryPath name=\"path\"/></path></Millard2012EquilibriumMuscle>"};
  for (const std::string& force : forces) {
    SCOPED_TRACE(force.substr(0, 60));
    const OsimModel model = parse_osim(force_model(force), "m");
    size_t left_out = 0;
    for (const auto& [type, count] : model.unsupported) left_out += static_cast<size_t>(count);
    EXPECT_EQ(model.forces.size() + model.paths.size() + model.actuators.size() + left_out, 1u);
    expect_evaluates(model);
  }
}

TEST(OsimElements, SetsThatHaveNoEffectHereAreCountedAndCreditsKept) {
  const OsimModel model =
      parse_osim(pin_model("<credits>Us</credits><publications>None</publications>"
                           "<length_units>meters</length_units><force_units>N</force_units>" +
                           osim_set("ControllerSet", "<PrescribedController name=\"c\"/>") +
                           osim_set("ProbeSet", "<JointInternalPowerProbe name=\"p\"/>") +
                           osim_set("ComponentSet", "<Thing name=\"t\"/>") +
                           osim_set("MarkerSet",
                                    "<Marker name=\"m\"><socket_parent_frame>/bodyset/arm"
                                    "</socket_parent_frame><location>0 1 0</location></Marker>")),
                 "m");
  EXPECT_EQ(model.credits, "Us");
  EXPECT_EQ(model.publications, "None");
  EXPECT_EQ(model.unsupported.size(), 3u);
  ASSERT_EQ(model.markers.size(), 1u);
  EXPECT_EQ(model.markers[0].x_B, Vec3(0, 1, 0));
}

TEST(OsimElements, ComponentsOfTheModelAreWhatTheyAreInSets) {
  const auto sphere = [](const std::string& name) {
    return "<ContactSphere name=\"" + name +
           "\"><socket_frame>/bodyset/arm</socket_frame><radius>0.1</radius></ContactSphere>";
  };
  const std::string floor =
      "<ContactHalfSpace name=\"floor\"><socket_frame>/ground</socket_frame>"
      "<orientation>0 0 -1.5708</orientation></ContactHalfSpace>";
  const std::string contact =
      "<SmoothSphereHalfSpaceForce name=\"touch\"><socket_sphere>/heel</socket_sphere>"
      "<socket_half_space>/floor</socket_half_space></SmoothSphereHalfSpaceForce>";
  const std::string muscle =
      "<DeGrooteFregly2016Muscle name=\"m\"><GeometryPath>" +
      osim_set("PathPointSet",
               "<PathPoint name=\"o\"><socket_parent_frame>/ground</socket_parent_frame>"
               "<location>1.05 2.3 3</location></PathPoint>"
               "<PathPoint name=\"i\"><socket_parent_frame>/foot</socket_parent_frame>"
               "<location>0.1 0 0</location></PathPoint>") +
      "</GeometryPath></DeGrooteFregly2016Muscle>";
  const std::string coupler =
      "<CoordinateCouplerConstraint name=\"c\"><coupled_coordinates_function><LinearFunction>"
      "<coefficients>2 0</coefficients></LinearFunction></coupled_coordinates_function>"
      "<independent_coordinate_names>angle</independent_coordinate_names>"
      "<dependent_coordinate_name>toe</dependent_coordinate_name></CoordinateCouplerConstraint>";
  const std::string joint = osim_joint("PinJoint", "hinge", "/bodyset/arm", "/foot",
                                       "<coordinates>" + osim_coordinate("toe") + "</coordinates>");
  const std::string actuator =
      "<CoordinateActuator name=\"motor\"><coordinate>angle</coordinate></CoordinateActuator>";
  const std::string marker =
      "<Marker name=\"k\"><socket_parent_frame>/foot</socket_parent_frame></Marker>";
  const OsimModel model =
      parse_osim(pin_model("<components>" + osim_body("foot") + joint + coupler + sphere("heel") +
                           floor + contact + muscle + actuator + marker + "</components>"),
                 "m");
  EXPECT_EQ(model.skeleton.body_count(), 2);
  EXPECT_EQ(model.coordinates.size(), 2u);
  EXPECT_EQ(model.constraints.size(), 1u);
  EXPECT_EQ(model.contact_geometry.size(), 2u);
  EXPECT_EQ(model.forces.size(), 1u);
  ASSERT_EQ(model.paths.size(), 1u);
  EXPECT_TRUE(model.paths[0].pulls());
  EXPECT_EQ(model.actuators.size(), 1u);
  EXPECT_EQ(model.markers.size(), 1u);
  EXPECT_TRUE(model.unsupported.empty());
  expect_evaluates(model);
}

TEST(OsimElements, AModelThatLosesAllItsMusclesSaysSo) {
  const auto muscle = [](const std::string& type, const std::string& name) {
    return "<" + type + " name=\"" + name + "\"><GeometryPath>" + kPoints + "</GeometryPath></" +
           type + ">";
  };
  const auto warnings = [&](const std::string& forces) {
    std::string out;
    for (const std::string& w : parse_osim(pin_model(osim_set("ForceSet", forces)), "m").warnings)
      out += w + "\n";
    return out;
  };
  const std::string lost = muscle("Schutte1993Muscle", "a") + muscle("Schutte1993Muscle", "b");
  EXPECT_THAT(warnings(lost), HasSubstr("NONE OF ITS 2 MUSCLES CAN PULL"));
  EXPECT_THAT(warnings(lost + muscle("Thelen2003Muscle", "c")), testing::Not(HasSubstr("NONE OF")));
  EXPECT_EQ(warnings(""), "");
}

}  // namespace elements_test
}  // namespace sinew

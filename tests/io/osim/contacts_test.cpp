#include "sinew/io/osim/contacts.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numbers>

#include "sinew/constraints/contact/hertz_contact_law.hpp"
#include "sinew/core/error.hpp"
#include "sinew/io/osim/osim_model.hpp"
#include "small_models.hpp"

namespace sinew {
namespace contacts_test {

using test::osim_body;
using test::osim_document;
using test::osim_set;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// A ball that is free to move, and what touches what.
std::string ball_model(const std::string& force, const std::string& more_shapes = "") {
  return osim_document(
      osim_set("BodySet", osim_body("ball") + osim_body("other")) +
      osim_set("JointSet",
               "<FreeJoint name=\"free\"><socket_parent_frame>/ground</socket_parent_frame>"
               "<socket_child_frame>/bodyset/ball</socket_child_frame></FreeJoint>"
               "<FreeJoint name=\"free2\"><socket_parent_frame>/ground</socket_parent_frame>"
               "<socket_child_frame>/bodyset/other</socket_child_frame></FreeJoint>") +
      osim_set(
          "ContactGeometrySet",
          "<ContactSphere name=\"s\"><socket_frame>/bodyset/ball</socket_frame><location>0 0.2 "
          "0</location><radius>0.05</radius></ContactSphere>"
          "<ContactHalfSpace name=\"floor\"><socket_frame>/ground</socket_frame><location>0 "
          "0.1 0</location><orientation>0 0 -1.5707963267948966</orientation>"
          "</ContactHalfSpace>" +
              more_shapes) +
      osim_set("ForceSet", force));
}

const std::string kMaterial =
    "<stiffness>1000000</stiffness><dissipation>2</dissipation><static_friction>0.8"
    "</static_friction><dynamic_friction>0.5</dynamic_friction><viscous_friction>0.1"
    "</viscous_friction>";

std::string hunt_crossley(const std::string& geometry, const std::string& more = "") {
  return "<HuntCrossleyForce name=\"contact\">" + more +
         "<HuntCrossleyForce::ContactParametersSet name=\"contact_parameters\"><objects>"
         "<HuntCrossleyForce::ContactParameters><geometry>" +
         geometry + "</geometry>" + kMaterial +
         "</HuntCrossleyForce::ContactParameters></objects><groups/>"
         "</HuntCrossleyForce::ContactParametersSet><transition_velocity>0.1</transition_velocity>"
         "</HuntCrossleyForce>";
}

std::string smooth_force(const std::string& sphere, const std::string& plane) {
  return "<SmoothSphereHalfSpaceForce name=\"contact\"><socket_sphere>/contactgeometryset/" +
         sphere + "</socket_sphere><socket_half_space>/contactgeometryset/" + plane +
         "</socket_half_space>" + kMaterial +
         "<transition_velocity>0.1</transition_velocity><hertz_smoothing>200</hertz_smoothing>"
         "</SmoothSphereHalfSpaceForce>";
}

/// The vertical force on the ball when its body is at height y and moves with v.
Vec3 force_at(const OsimModel& model, double y, const Vec3& v) {
  const int n = model.skeleton.dof_count();
  VecX q = VecX::Zero(n), qdot = VecX::Zero(n);
  for (int k = 0; k < 3; ++k) {
    const char* name[] = {"free_coord_3", "free_coord_4", "free_coord_5"};
    qdot[model.skeleton.find_coordinate(name[k]).value] = v[k];
  }
  q[model.skeleton.find_coordinate("free_coord_4").value] = y;
  SkeletonWorkspace ws(model.skeleton);
  update_kinematics(model.skeleton, q, qdot, ws);
  AppliedForces out(model.skeleton);
  const ConstVecRef q_ref(q), qdot_ref(qdot);
  for (const auto& force : model.forces)
    force->add_force({model.skeleton, 0, q_ref, qdot_ref, ws}, out);
  const int link = model.skeleton.body(model.skeleton.find_body("ball")).link.value;
  return out.wrench[static_cast<size_t>(link)].tail<3>();
}

TEST(OsimContacts, AHuntCrossleyForceHasOpenSimsLaw) {
  const OsimModel model = parse_osim(ball_model(hunt_crossley("s floor")), "m");
  EXPECT_TRUE(model.unsupported.empty());
  ASSERT_EQ(model.forces.size(), 1u);
  EXPECT_EQ(model.forces[0]->name(), "contact/s/floor");
  // Centre at 0.2 + y, floor at 0.1: depth 0.001 at y = −0.051. The numbers are those of
  // HertzContactLaw.HasThePublishedNumbers.
  EXPECT_NEAR((force_at(model, -0.051, Vec3::Zero()) - Vec3(0, 10.0 / 3, 0)).norm(), 0, 1e-10);
  EXPECT_NEAR(force_at(model, -0.051, Vec3(0, -0.2, 0)).y(), 10.0 / 3 * 1.6, 1e-10);
  EXPECT_NEAR(force_at(model, -0.051, Vec3(0.05, 0, 0)).x(), -0.495 * 10 / 3, 1e-10);
  EXPECT_EQ(force_at(model, -0.04, Vec3::Zero()), Vec3(0, 0, 0));
}

TEST(OsimContacts, ASmoothForceHasItsSmoothing) {
  const OsimModel model = parse_osim(ball_model(smooth_force("s", "floor")), "m");
  EXPECT_TRUE(model.unsupported.empty());
  HertzContactLaw law;
  law.modulus = 5000;
  law.smooth = true;
  law.depth_sharpness = 200;
  const double expected = hertz_force(law, 0.05, -0.001, Vec3::UnitY(), Vec3::Zero()).normal;
  // 2/(3c) = 1/3 m/s away from where damping ends: tanh(50/3) lacks 1e-14.
  EXPECT_NEAR(force_at(model, -0.051, Vec3::Zero()).y(), expected, 1e-10);
  EXPECT_GT(force_at(model, -0.049, Vec3::Zero()).y(), 0);  // at a distance, too
}

TEST(OsimContacts, PairsOfOneBodyDoNotTouchAndTwoSpheresAreCounted) {
  const std::string shapes =
      "<ContactSphere name=\"t\"><socket_frame>/bodyset/ball</socket_frame><radius>0.1</radius>"
      "</ContactSphere><ContactSphere "
      "name=\"o\"><socket_frame>/bodyset/other</socket_frame><radius>"
      "0.1</radius></ContactSphere>";
  const OsimModel model = parse_osim(ball_model(hunt_crossley("s t o floor"), shapes), "m");
  EXPECT_EQ(model.forces.size(), 3u);  // s, t and o on the floor
  EXPECT_EQ(model.unsupported,
            (std::map<std::string, int>{{"HuntCrossleyForce of two spheres", 2}}));
}

TEST(OsimContacts, WhatIsSwitchedOffIsNotThere) {
  EXPECT_TRUE(
      parse_osim(ball_model(hunt_crossley("s floor", "<appliesForce>false</appliesForce>")), "m")
          .forces.empty());
}

TEST(OsimContacts, ElasticFoundationIsCounted) {
  const OsimModel model = parse_osim(ball_model("<ElasticFoundationForce name=\"foot\"/>"), "m");
  EXPECT_EQ(model.unsupported, (std::map<std::string, int>{{"ElasticFoundationForce", 1}}));
}

TEST(OsimContacts, RefusesWhatIsNotThere) {
  const auto problem = [](const std::string& text) -> std::string {
    try {
      parse_osim(text, "m");
    } catch (const Error& error) {
      return error.what();
    }
    return "no error";
  };
  EXPECT_THAT(problem(ball_model(hunt_crossley("s flor"))), HasSubstr("floor"));
  EXPECT_THAT(problem(ball_model(smooth_force("floor", "floor"))), HasSubstr("ContactSphere"));
  std::string bad = ball_model(hunt_crossley("s floor"));
  bad.replace(bad.find("1000000"), 7, "-1");
  EXPECT_THAT(problem(bad), HasSubstr("stiffness"));
}

}  // namespace contacts_test
}  // namespace sinew

#include "sinew/io/osim/edits.hpp"

#include <gmock/gmock.h>

#include "io/osim/small_models.hpp"
#include "sinew/io/osim/osim_model.hpp"

namespace sinew {
namespace edits_test {

using testing::AllOf;
using testing::HasSubstr;

OsimModel changed(const std::vector<std::string>& set, const std::string& text) {
  return parse_osim(text, "small.osim", {.set = set});
}
OsimModel changed(const std::vector<std::string>& set) {
  return changed(set, test::muscle_model());
}

std::string error_of(const std::string& assignment, const std::string& text) {
  try {
    changed({assignment}, text);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}
std::string error_of(const std::string& assignment) {
  return error_of(assignment, test::muscle_model());
}

TEST(OsimEdits, ChangeValuesByOpenSimsPaths) {
  const OsimModel model = changed({"/bodyset/arm/mass=8", "/bodyset/arm/mass_center=0 0.5 0",
                                   "/forceset/flexor/max_isometric_force=4000",
                                   "/jointset/pin/pin_p/translation=4 5 6", "/gravity=0 0 -1.62"});
  const Body& arm = model.skeleton.body(model.skeleton.find_body("arm"));
  EXPECT_EQ(arm.M_B.mass, 8);
  EXPECT_EQ(model.paths[0].hill->muscle.max_isometric_force, 4000);
  EXPECT_EQ(model.gravity, Vec3(0, 0, -1.62));
}

TEST(OsimEdits, ChangeOneOfSeveralNumbers) {
  const OsimModel model = changed(
      {"/bodyset/arm/mass_center=0 0.5 0.2", "/bodyset/arm/mass_center/0=-0.1",
       "/small/bodyset/arm/mass_center/1=0.4", "/bodyset/arm/inertia/2=0.5",
       "/forceset/flexor/max_isometric_force/0=4000", "/gravity=0 0 0", "/gravity/1=-1.62"});
  const Body& arm = model.skeleton.body(model.skeleton.find_body("arm"));
  EXPECT_LT((arm.M_B.h / arm.M_B.mass - Vec3(-0.1, 0.4, 0.2)).norm(), 1e-15);
  EXPECT_EQ(model.paths[0].hill->muscle.max_isometric_force, 4000);
  EXPECT_EQ(model.gravity, Vec3(0, -1.62, 0));
  EXPECT_THAT(error_of("/bodyset/arm/mass_center/3=0.1"),
              AllOf(HasSubstr("--set /bodyset/arm/mass_center/3=0.1"),
                    HasSubstr("<mass_center> has no number 3; count from 0 to 2")));
  EXPECT_THAT(error_of("/bodyset/arm/mass/1=8"),
              HasSubstr("<mass> has no number 1; leave the number out: it has one value"));
  EXPECT_THAT(error_of("/bodyset/arm/mass_centre/1=8"), HasSubstr("no numbers to change one of"));
  EXPECT_THAT(error_of("/bodyset/arm/1=8"), HasSubstr("is an object, not a value"));
  EXPECT_THAT(error_of("/bodyset/arm/mass_center/1=up"), HasSubstr("'up'"));
}

TEST(OsimEdits, AddPropertiesThatTheFileLeavesOut) {
  const OsimModel model =
      changed({"/jointset/pin/angle/default_value=0.3", "/forceset/flexor/default_activation=0.4",
               "/forceset/motor/max_control=2"});
  EXPECT_EQ(model.coordinates[0].default_value, 0.3);
  EXPECT_EQ(model.paths[0].hill->initial_activation, 0.4);
  EXPECT_EQ(model.actuators[0].control.upper, 2);
}

TEST(OsimEdits, LaterOnesCountAndTheModelsNameMayLead) {
  const OsimModel model = changed({"/bodyset/arm/mass=8", "/small/bodyset/arm/mass=9"});
  EXPECT_EQ(model.skeleton.bodies()[0].M_B.mass, 9);
  EXPECT_EQ(changed({"arm/mass=7"}).skeleton.bodies()[0].M_B.mass, 7);
  EXPECT_EQ(changed({"/BodySet/arm/mass=6"}).skeleton.bodies()[0].M_B.mass, 6);
}

TEST(OsimEdits, FindObjectsInsideOthers) {
  const OsimModel model = changed({"/forceset/flexor/geometrypath/i/location=0.2 0 0"});
  const OsimModel direct = changed({"/forceset/flexor/i/location=0.2 0 0"});
  EXPECT_EQ(model.paths[0].path.points.size(), 2u);
  EXPECT_EQ(direct.paths[0].path.points.size(), 2u);
}

/// In 3.x joints are nested in bodies.
TEST(OsimEdits, SetsThatOldFilesDoNotHaveStandForTheirObjects) {
  const std::string old = test::osim_document(
      test::osim_set(
          "BodySet",
          "<Body name=\"ground\"><mass>0</mass></Body>"
          "<Body name=\"arm\"><mass>2</mass><mass_center>0 0 0</mass_center>"
          "<inertia_xx>1</inertia_xx><inertia_yy>1</inertia_yy><inertia_zz>1</inertia_zz>"
          "<Joint><PinJoint name=\"pin\"><parent_body>ground</parent_body>"
          "<location_in_parent>0 0 0</location_in_parent><CoordinateSet><objects>"
          "<Coordinate name=\"angle\"><default_value>0</default_value><range>-1 1</range>"
          "</Coordinate></objects></CoordinateSet></PinJoint></Joint></Body>"),
      30000);
  EXPECT_EQ(changed({"/jointset/pin/angle/default_value=0.3"}, old).coordinates[0].default_value,
            0.3);
  EXPECT_THAT(error_of("/jointset/pinn/angle/default_value=0.3", old),
              HasSubstr("did you mean 'pin'?"));
}

TEST(OsimEdits, SayHowFarThePathWasFoundAndTheNearestNames) {
  EXPECT_THAT(error_of("/bodyset/arn/mass=8"),
              AllOf(HasSubstr("small.osim:"), HasSubstr("--set /bodyset/arn/mass=8"),
                    HasSubstr("there is no 'arn' in '/bodyset'"), HasSubstr("'arm'")));
  EXPECT_THAT(error_of("/bodset/arm/mass=8"),
              AllOf(HasSubstr("no 'bodset' in the model"), HasSubstr("'bodyset'")));
  EXPECT_THAT(error_of("/bodyset/arm/mas=8"),
              AllOf(HasSubstr("no <mas> is read"), HasSubstr("did you mean 'mass'?")));
  EXPECT_THAT(error_of("/bodyset/arm=8"),
              AllOf(HasSubstr("is an object, not a value"), HasSubstr("mass_center")));
  EXPECT_THAT(error_of("/forceset=8"), HasSubstr("flexor"));
  EXPECT_THAT(error_of("/bodyset/leg=8"), HasSubstr("there is no 'leg' in '/bodyset'"));
  EXPECT_THAT(error_of("/bodyset/arm/mass"), HasSubstr("is not of the form path=value"));
  EXPECT_THAT(error_of("/=8"), HasSubstr("names no property"));
  EXPECT_THAT(error_of("simulation.dt=8"), HasSubstr("is not a path of an OpenSim model"));
}

TEST(OsimEdits, WhatHasNoEffectIsAnError) {
  EXPECT_THAT(error_of("/forceset/flexor/default_fiber_length=0.2"),
              HasSubstr("would have no effect"));
  // Said of the joint, meant of its coordinate.
  const std::string model = test::one_joint_model(
      "PinJoint", "<coordinates>" +
                      test::osim_coordinate("angle", "<default_value>0</default_value>") +
                      "</coordinates>");
  EXPECT_THAT(error_of("/jointset/j/default_value=0.3", model),
              HasSubstr("did you mean '/jointset/j/angle/default_value'?"));
}

TEST(OsimEdits, AllChecksOfTheReaderApply) {
  EXPECT_THAT(error_of("/bodyset/arm/mass=-8"), HasSubstr("its <mass> is negative"));
  EXPECT_THAT(error_of("/bodyset/arm/mass=heavy"), HasSubstr("'heavy'"));
  EXPECT_THAT(error_of("/bodyset/arm/mass_center=0 1"), HasSubstr("give three"));
  EXPECT_THAT(error_of("/jointset/pin/angle/locked=perhaps"), HasSubstr("write true or false"));
}

TEST(OsimEdits, SeveralObjectsOfOneNameAreAnError) {
  const std::string twice = test::pin_model(
      "<components><Marker name=\"m\"><location>0 0 0</location></Marker>"
      "<Marker name=\"m\"><location>0 0 0</location></Marker></components>");
  EXPECT_THAT(error_of("/m/location=0 1 0", twice), HasSubstr("there are several 'm'"));
}

}  // namespace edits_test
}  // namespace sinew

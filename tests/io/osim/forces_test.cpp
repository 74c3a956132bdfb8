#include "sinew/io/osim/forces.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "io/osim/small_models.hpp"
#include "sinew/builder/system_builder.hpp"
#include "sinew/core/error.hpp"
#include "sinew/io/osim/osim_model.hpp"
#include "sinew/system/equations.hpp"

/// Passive forces and actuators of models: their action on a lever that turns about (1, 2, 3).
/// The lever's frame is turned by −0.5 about z where the angle is zero.

namespace sinew {
namespace forces_test {

OsimModel with_force(const std::string& force, int version = 40000) {
  std::string text = test::pin_model(test::osim_set("ForceSet", force));
  const std::string from = "Version=\"40000\"";
  text.replace(text.find(from), from.size(), "Version=\"" + std::to_string(version) + "\"");
  return parse_osim(text, "lever.osim");
}

/// The moment of all forces but gravity at the given angle and speed.
double moment(const OsimModel& model, double angle, double speed) {
  SystemBuilder builder = model.system_builder();
  const System system = builder.set_gravity(Vec3::Zero()).build();
  Workspace ws(system);
  VecX g(1);
  inverse_dynamics(system, {0, VecX::Constant(1, angle), VecX::Constant(1, speed)}, VecX::Zero(1),
                   ws, g);
  return -g[0];
}

std::string point(const std::string& name, const std::string& frame, const std::string& location) {
  return "<PathPoint name=\"" + name + "\"><socket_parent_frame>" + frame +
         "</socket_parent_frame><location>" + location + "</location></PathPoint>";
}

/// From (1, 2.5, 3) to 0.1 m out on the lever.
std::string path() {
  return "<GeometryPath>" +
         test::osim_set("PathPointSet",
                        point("o", "/ground", "1 2.5 3") + point("i", "/bodyset/arm", "0.1 0 0")) +
         "</GeometryPath>";
}

/// Length of that path and its derivative by the angle.
struct Geometry {
  double L, dL;
  explicit Geometry(double angle) {
    const double a = angle - 0.5, x = 0.1 * std::cos(a), y = 0.1 * std::sin(a);
    L = std::hypot(x, y - 0.5);
    dL = (x * -y + (y - 0.5) * x) / L;
  }
};

TEST(OsimForces, PathSpringsPullAlongTheirPath) {
  const OsimModel model = with_force("<PathSpring name=\"s\">" + path() +
                                     "<resting_length>0.4</resting_length><stiffness>100"
                                     "</stiffness><dissipation>0.2</dissipation></PathSpring>");
  EXPECT_TRUE(model.unsupported.empty());
  const Geometry at(0.3);
  const double T = 100 * (at.L - 0.4) * (1 + 0.2 * at.dL * 1.5);
  EXPECT_NEAR(moment(model, 0.3, 1.5), -T * at.dL, 1e-12);
  EXPECT_EQ(moment(with_force("<PathSpring name=\"s\">" + path() +
                              "<resting_length>0.9</resting_length><stiffness>100</stiffness>"
                              "</PathSpring>"),
                   0.3, 1.5),
            0);
}

TEST(OsimForces, LigamentsFollowTheirCurve) {
  const OsimModel model = with_force(
      "<Ligament name=\"l\">" + path() +
      "<resting_length>0.4</resting_length><pcsa_force>50</pcsa_force><force_length_curve>"
      "<PiecewiseLinearFunction><x>1 1.5</x><y>0 2</y></PiecewiseLinearFunction>"
      "</force_length_curve></Ligament>");
  const Geometry at(0.3);
  EXPECT_NEAR(moment(model, 0.3, 0), -50 * 4 * (at.L / 0.4 - 1) * at.dL, 1e-12);
  EXPECT_THROW(with_force("<Ligament name=\"l\">" + path() + "</Ligament>"), Error);
}

TEST(OsimForces, BushingsAreReadOfBothVersions) {
  const std::string law =
      "<rotational_stiffness>1 2 3</rotational_stiffness><translational_stiffness>10 20 30"
      "</translational_stiffness><rotational_damping>0.1 0.2 0.3</rotational_damping>"
      "<translational_damping>0 0 0</translational_damping>";
  // Frames that coincide where the angle is 0.5: then the lever's axes are the ground's.
  const OsimModel model = with_force(
      "<BushingForce name=\"b\"><socket_frame1>f</socket_frame1><socket_frame2>/bodyset/arm"
      "</socket_frame2><frames><PhysicalOffsetFrame name=\"f\"><socket_parent>/ground"
      "</socket_parent><translation>1 2 3</translation></PhysicalOffsetFrame></frames>" +
      law + "</BushingForce>");
  EXPECT_NEAR(moment(model, 0.9, 1.5), -3 * 0.4 - 0.3 * 1.5, 1e-12);
  const OsimModel placed = with_force(
      "<BushingForce name=\"b\"><body_1>ground</body_1><body_2>arm</body_2>"
      "<location_body_1>1 2 3</location_body_1><orientation_body_1>0 0 0.1</orientation_body_1>" +
      law + "</BushingForce>");
  EXPECT_NEAR(moment(placed, 0.9, 1.5), -3 * 0.3 - 0.3 * 1.5, 1e-12);
}

TEST(OsimForces, DisabledOnesAndUnknownPathsAreLeftOut) {
  const OsimModel off = with_force("<PathSpring name=\"s\"><appliesForce>false</appliesForce>" +
                                   path() + "<stiffness>100</stiffness></PathSpring>");
  EXPECT_TRUE(off.forces.empty());
  const OsimModel other = with_force(
      "<PathSpring name=\"s\"><path><FunctionBasedPath name=\"path\"/></path></PathSpring>");
  EXPECT_EQ(other.unsupported.at("FunctionBasedPath"), 1);
  const OsimModel actuator = with_force(
      "<CoordinateActuator name=\"a\"><appliesForce>false</appliesForce><coordinate>angle"
      "</coordinate></CoordinateActuator>");
  EXPECT_EQ(moment(actuator, 0, 0), 0);
  EXPECT_THROW(with_force("<CoordinateActuator name=\"a\"><coordinate>hip</coordinate>"
                          "</CoordinateActuator>"),
               Error);
}

}  // namespace forces_test
}  // namespace sinew

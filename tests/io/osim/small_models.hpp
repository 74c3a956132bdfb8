#pragma once

#include <string>

/// Models of our own, small enough to read in a test.

namespace sinew::test {

/// A document around the contents of a <Model>.
inline std::string osim_document(const std::string& contents, int version = 40000) {
  return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<OpenSimDocument Version=\"" +
         std::to_string(version) + "\">\n<Model name=\"small\">\n" + contents +
         "\n</Model>\n</OpenSimDocument>\n";
}

inline std::string osim_body(const std::string& name, const std::string& more = "") {
  return "<Body name=\"" + name +
         "\"><mass>2</mass><mass_center>0.1 0 0</mass_center>"
         "<inertia>0.3 0.2 0.4 0.01 0.02 0.03</inertia>" +
         more + "</Body>\n";
}

inline std::string osim_set(const std::string& set, const std::string& objects) {
  return "<" + set + "><objects>\n" + objects + "</objects><groups/></" + set + ">\n";
}

/// A joint of 4.x between two offset frames, the parent's at (1, 2, 3), the child's turned by 0.5
/// about its z.
inline std::string osim_joint(const std::string& type, const std::string& name,
                              const std::string& parent, const std::string& child,
                              const std::string& more = "") {
  return "<" + type + " name=\"" + name + "\"><socket_parent_frame>" + name +
         "_p</socket_parent_frame><socket_child_frame>" + name + "_c</socket_child_frame>" + more +
         "<frames><PhysicalOffsetFrame name=\"" + name + "_p\"><socket_parent>" + parent +
         "</socket_parent><translation>1 2 3</translation></PhysicalOffsetFrame>"
         "<PhysicalOffsetFrame name=\"" +
         name + "_c\"><socket_parent>" + child +
         "</socket_parent><orientation>0 0 0.5</orientation></PhysicalOffsetFrame></frames></" +
         type + ">\n";
}

inline std::string osim_coordinate(const std::string& name, const std::string& more = "") {
  return "<Coordinate name=\"" + name + "\">" + more + "</Coordinate>";
}

/// One body on the ground by a joint of that type.
inline std::string one_joint_model(const std::string& type, const std::string& more = "") {
  return osim_document(
      osim_set("BodySet", osim_body("arm")) +
      osim_set("JointSet", osim_joint(type, "j", "/ground", "/bodyset/arm", more)));
}

/// One body on a pin, with more in the model.
inline std::string pin_model(const std::string& more = "") {
  return osim_document(osim_set("BodySet", osim_body("arm")) +
                       osim_set("JointSet", osim_joint("PinJoint", "pin", "/ground", "/bodyset/arm",
                                                       "<coordinates>" + osim_coordinate("angle") +
                                                           "</coordinates>")) +
                       more);
}

/// The same with a muscle from the ground, and an actuator.
inline std::string muscle_model() {
  const auto point = [](const std::string& name, const std::string& frame,
                        const std::string& location) {
    return "<PathPoint name=\"" + name + "\"><socket_parent_frame>" + frame +
           "</socket_parent_frame><location>" + location + "</location></PathPoint>";
  };
  return pin_model(osim_set(
      "ForceSet",
      "<Millard2012EquilibriumMuscle name=\"flexor\"><min_control>0.02</min_control>"
      "<GeometryPath>" +
          osim_set("PathPointSet",
                   point("o", "/ground", "1.05 2.3 3") + point("i", "/bodyset/arm", "0.1 0.02 0")) +
          "</GeometryPath><max_isometric_force>200</max_isometric_force>"
          "<optimal_fiber_length>0.12</optimal_fiber_length>"
          "<tendon_slack_length>0.21</tendon_slack_length></Millard2012EquilibriumMuscle>\n"
          "<CoordinateActuator name=\"motor\"><coordinate>angle</coordinate>"
          "<optimal_force>2</optimal_force></CoordinateActuator>\n"));
}

/// A knee whose patella follows by a coupler, 0.8 sin-like over the flexion, and a muscle over
/// both: what Rajagopal's models have.
inline std::string coupled_model() {
  const auto point = [](const std::string& name, const std::string& frame,
                        const std::string& location) {
    return "<PathPoint name=\"" + name + "\"><socket_parent_frame>" + frame +
           "</socket_parent_frame><location>" + location + "</location></PathPoint>";
  };
  const auto pin = [](const std::string& name, const std::string& child,
                      const std::string& coordinate) {
    return "<PinJoint name=\"" + name + "\"><socket_parent_frame>/ground</socket_parent_frame>" +
           "<socket_child_frame>/bodyset/" + child + "</socket_child_frame><coordinates>" +
           osim_coordinate(coordinate, "<range>-0.5 2.5</range>") + "</coordinates></PinJoint>";
  };
  return osim_document(
      osim_set("BodySet", osim_body("tibia") + osim_body("patella")) +
      osim_set("JointSet",
               pin("femorotibial", "tibia", "knee") + pin("femoropatellar", "patella", "beta")) +
      osim_set("ConstraintSet",
               "<CoordinateCouplerConstraint name=\"tracking\"><coupled_coordinates_function>"
               "<SimmSpline><x>0 0.6 1.2 1.8 2.4</x><y>0 0.4 0.9 1.1 1.2</y></SimmSpline>"
               "</coupled_coordinates_function><independent_coordinate_names>knee"
               "</independent_coordinate_names><dependent_coordinate_name>beta"
               "</dependent_coordinate_name></CoordinateCouplerConstraint>") +
      osim_set("ForceSet",
               "<Millard2012EquilibriumMuscle name=\"vastus\"><GeometryPath>" +
                   osim_set("PathPointSet", point("o", "/ground", "0.03 0.25 0") +
                                                point("m", "/bodyset/patella", "0.05 0.01 0") +
                                                point("i", "/bodyset/tibia", "0.03 -0.08 0")) +
                   "</GeometryPath><max_isometric_force>1000</max_isometric_force>"
                   "<optimal_fiber_length>0.1</optimal_fiber_length>"
                   "<tendon_slack_length>0.2</tendon_slack_length>"
                   "</Millard2012EquilibriumMuscle>"));
}

}  // namespace sinew::test

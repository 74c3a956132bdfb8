#include "support/reference.hpp"

#include <cstdlib>
#include <fstream>
#include <numbers>
#include <sstream>
#include <stdexcept>

#include "sinew/builder/system_builder.hpp"
#include "sinew/constraints/rows/closure.hpp"
#include "sinew/constraints/rows/coupling.hpp"
#include "sinew/constraints/rows/prescribed_motion.hpp"
#include "sinew/dynamics/forces.hpp"
#include "support/source_dir.hpp"

namespace sinew::test {

namespace fs = std::filesystem;
using nlohmann::json;

std::optional<fs::path> reference_dir() {
  const char* set = std::getenv("SINEW_REFERENCE_DIR");
  const fs::path dir = set ? fs::path(set) : fs::path(source_dir()) / "../shared/reference";
  return fs::exists(dir / "redmax") ? std::optional(dir) : std::nullopt;
}

json reference_json(const std::string& file) {
  std::ifstream in(*reference_dir() / file);
  return json::parse(in);
}

json reference_scene(const std::string& file, int id) {
  for (const json& scene : reference_json(file))
    if (scene.at("id") == id) return scene;
  throw std::runtime_error("no such reference scene");
}

size_t ReferenceTable::column(const std::string& name) const {
  for (size_t i = 0; i < names.size(); ++i)
    if (names[i] == name) return i;
  throw std::runtime_error("no column " + name);
}

ReferenceTable reference_csv(const std::string& file) {
  std::ifstream in(*reference_dir() / file);
  ReferenceTable table;
  std::string line, cell;
  std::getline(in, line);
  for (std::istringstream cells(line); std::getline(cells, cell, ',');) table.names.push_back(cell);
  while (std::getline(in, line)) {
    table.rows.emplace_back();
    for (std::istringstream cells(line); std::getline(cells, cell, ',');)
      table.rows.back().push_back(std::stod(cell));
  }
  if (table.rows.empty()) throw std::runtime_error("no reference data in " + file);
  return table;
}

VecX to_vector(const json& j) {
  if (j.is_number()) return VecX::Constant(1, j.get<double>());
  VecX out(static_cast<Eigen::Index>(j.size()));
  for (size_t i = 0; i < j.size(); ++i) out[static_cast<Eigen::Index>(i)] = j[i];
  return out;
}

MatX to_matrix(const json& j) {
  MatX out(static_cast<Eigen::Index>(j.size()), static_cast<Eigen::Index>(j.at(0).size()));
  for (size_t i = 0; i < j.size(); ++i)
    out.row(static_cast<Eigen::Index>(i)) = to_vector(j[i]).transpose();
  return out;
}

Pose to_pose(const json& j) {
  const MatX m = to_matrix(j);
  return {m.topLeftCorner(3, 3), m.block(0, 3, 3, 1)};
}

namespace {

Joint to_joint(const json& j) {
  const std::string type =
      j.at("class").get<std::string>().substr(std::string("redmax.Joint").size());
  if (type == "Fixed") return Fixed{};
  if (type == "Revolute") return Revolute(Vec3(to_vector(j.at("axis"))));
  if (type == "Prismatic") return Prismatic(Vec3(to_vector(j.at("axis"))));
  if (type == "Translational") return Translational{};
  if (type == "Universal") return Universal{};
  if (type == "SphericalExp") return SphericalExp{};
  if (type == "Spherical") return SphericalEuler("xyz");
  if (type == "Free2D") return Free2D{};
  // The differentiable variant (it alone lists rest positions) uses Euler angles.
  if (type == "Free3D" && j.contains("qRest"))
    return Composite{{Translational{}, SphericalEuler("xyz")}};
  if (type == "Free3D") return Free3D(Free3D::Order::translation_first);
  if (type == "Composite") return Composite{{to_joint(j.at("joint1")), to_joint(j.at("joint2"))}};
  if (type == "SplineCurve") {
    std::vector<Pose> frames;
    for (const json& C : j.at("Cs")) frames.push_back(to_pose(C));
    return SplineCurve::Uniform(frames, SplineEnds::cyclic);
  }
  throw std::runtime_error("unknown reference joint " + type);
}

std::vector<double> to_doubles(const json& j) {
  const VecX v = to_vector(j);
  return {v.data(), v.data() + v.size()};
}

}  // namespace

namespace {

SystemBuilder reference_builder(const json& scene) {
  SkeletonBuilder skeleton;
  const json &bodies = scene.at("bodies"), &joints = scene.at("joints");
  for (size_t i = 0; i < bodies.size(); ++i) {
    const json &body = bodies[i], &joint = joints[i];
    const int parent = joint.at("parent");
    BodySpec spec;
    spec.name = "b" + std::to_string(i + 1);
    spec.joint_name = "j" + std::to_string(i + 1);
    spec.joint = to_joint(joint);
    spec.E_PJ = to_pose(joint.at("E_pj0"));
    if (parent > 0) {
      spec.parent = "b" + std::to_string(parent);
      spec.E_PJ = to_pose(bodies[static_cast<size_t>(parent - 1)].at("E_ji")).inverse() * spec.E_PJ;
    }
    spec.E_JB = to_pose(body.at("E_ji"));
    const VecX I = to_vector(body.at("I_i"));
    spec.M_B = SpatialInertia::FromCentral(I[3], Vec3::Zero(), Vec3(I.head<3>()).asDiagonal());
    spec.q0 = to_doubles(joint.at("q0"));
    spec.qdot0 = to_doubles(joint.at("qdot0"));
    skeleton.add_body(spec);
  }

  SystemBuilder builder(skeleton.build());
  builder.set_gravity(to_vector(scene.at("grav")));
  const Skeleton& s = builder.skeleton();
  for (size_t i = 0; i < bodies.size(); ++i) {
    const std::string name = std::to_string(i + 1);
    const BodyIndex b(static_cast<int>(i));
    if (const double d = bodies[i].value("damping", 0.0); d > 0)
      builder.add_force(std::make_shared<BodyDamping>("drag" + name, b, d, d));
    const double k = joints[i].at("stiffness"), d = joints[i].at("damping");
    const VecX rest =
        to_vector(joints[i].contains("qRest") ? joints[i].at("qRest") : joints[i].at("q0"));
    for (int l = 0; l < s.body(b).joint.dof() && (k > 0 || d > 0); ++l)
      builder.add_force(std::make_shared<JointSpring>(
          "j" + name + "_" + std::to_string(l), DofIndex(s.body(b).first_dof + l), k, d, rest[l]));
  }
  int count = 0;
  const auto point_spring = [&](const json& f, const char* x1, const char* x2) {
    builder.add_force(std::make_shared<PointSpring>(
        "spring" + std::to_string(++count), BodyIndex(f.at("body1").get<int>() - 1),
        Vec3(to_vector(f.at(x1))), BodyIndex(f.at("body2").get<int>() - 1),
        Vec3(to_vector(f.at(x2))), f.at("stiffness").get<double>(), 0, 0));
  };
  for (const json& f : scene.value("springs", json::array())) {
    if (f.at("class") == "redmax.SpringPointPoint") point_spring(f, "x1", "x2");
    if (f.at("class") == "redmax.SpringPointDirection")
      builder.add_force(std::make_shared<WorldForce>(
          "push" + std::to_string(++count), BodyIndex(f.at("body").get<int>() - 1),
          Vec3(to_vector(f.at("x"))),
          TimeTable::Constant(to_vector(f.at("dir_w")) * f.at("stiffness").get<double>())));
  }
  for (const json& f : scene.value("forces", json::array()))
    if (f.at("class") == "redmax.ForcePointPoint") point_spring(f, "x_1", "x_2");
  return builder;
}

/// The motions of scenes 9 and 20 (joint) and of 13 and 20 (last body).
TimeFunction joint_motion(int scene) {
  const double pi = std::numbers::pi;
  if (scene == 9)
    return TimeFunction::Piecewise(
        {0, 7}, {SigmoidFunction{1.5 * pi, 2, 3.5, 0}, ScalarFunction(ConstantFunction{1.5 * pi})});
  return SigmoidFunction{0.5 * pi, 1.4, 5, 0};
}
TimeFunction body_spin() {
  return TimeFunction::Table({0, 2, 4, 6, 8}, {0, -2, 0, 2, 0}, TimeFunction::Interpolation::linear,
                             "spin");
}
TimeFunction body_speed() {
  return TimeFunction::Table({4, 6, 8}, {0, -4, 0}, TimeFunction::Interpolation::linear, "speed");
}

std::shared_ptr<const Constraint> to_constraint(const json& c, const std::string& name, int scene,
                                                const Skeleton& s) {
  const std::string type = c.at("class").get<std::string>();
  const auto body = [&](const char* key) { return BodyIndex(c.at(key).get<int>() - 1); };
  const auto dof = [&](const char* key) { return s.body(body(key)).first_dof; };
  if (type == "redmax.ConstraintLoop")
    return std::make_shared<Closure>(Closure::Ball(name, body("bodyA"), to_vector(c.at("xA")),
                                                   body("bodyB"), to_vector(c.at("xB"))));
  if (type == "redmax.ConstraintMultQ")
    return std::make_shared<CoordinateCoupling>(
        CoordinateCoupling::Gear(name, dof("jointA"), dof("jointB"), c.at("factor")));
  if (type == "redmax.ConstraintPrescJoint")
    return std::make_shared<PrescribedCoordinate>(name, dof("joint"), ConstraintLevel::position,
                                                  joint_motion(scene));
  if (type == "redmax.ConstraintPrescJointM")
    return std::make_shared<PrescribedCoordinate>(name, dof("joint"), ConstraintLevel::velocity,
                                                  4 * std::numbers::pi);
  if (type == "redmax.ConstraintPrescBody")  // rows 2, 4, 6, the last two along world axes
    return std::make_shared<PrescribedTwist>(
        name, body("body"), Vec3::Zero(), ConstraintLevel::velocity,
        std::vector{PrescribedTwist::BodyRow(1, body_spin()),
                    PrescribedTwist::WorldRow(3, body_speed()), PrescribedTwist::WorldRow(5, 0.0)});
  throw std::runtime_error("unknown reference constraint " + type);
}

}  // namespace

System reference_system(const json& scene) { return reference_builder(scene).build(); }

System constrained_reference_system(const json& scene) {
  SystemBuilder builder = reference_builder(scene);
  int count = 0;
  for (const json& c : scene.at("constraints"))
    builder.add_constraint(to_constraint(c, "constraint" + std::to_string(++count), scene.at("id"),
                                         builder.skeleton()));
  return builder.build();
}

}  // namespace sinew::test

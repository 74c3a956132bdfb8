#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "commands.hpp"
#include "console.hpp"
#include "scene_library.hpp"
#include "sinew/io/scene.hpp"

namespace sinew::cli {
namespace {

using nlohmann::ordered_json;

const char* unit_of(CoordinateKind kind) {
  switch (kind) {
    case CoordinateKind::angle:
      return "rad";
    case CoordinateKind::length:
      return "m";
    case CoordinateKind::parameter:
      return "1";
  }
  return "";
}

const char* name_of(CoordinateKind kind) {
  switch (kind) {
    case CoordinateKind::angle:
      return "angle";
    case CoordinateKind::length:
      return "length";
    case CoordinateKind::parameter:
      return "parameter";
  }
  return "";
}

ordered_json describe_bodies(const Skeleton& skeleton) {
  ordered_json bodies = ordered_json::array();
  for (const Body& body : skeleton.bodies())
    bodies.push_back({{"name", body.name},
                      {"parent", body.parent == kWorld ? "world" : skeleton.body(body.parent).name},
                      {"joint", body.joint_name},
                      {"type", body.joint.type_name()},
                      {"mass", body.M_B.mass}});
  return bodies;
}

ordered_json describe_coordinates(const Skeleton& skeleton) {
  ordered_json coordinates = ordered_json::array();
  for (const Coordinate& c : skeleton.coordinates())
    coordinates.push_back({{"name", c.name},
                           {"kind", name_of(c.kind)},
                           {"unit", unit_of(c.kind)},
                           {"q0", c.q0},
                           {"qdot0", c.qdot0}});
  return coordinates;
}

ordered_json describe(const Scene& scene) {
  const Skeleton& skeleton = scene.system.skeleton();
  double mass = 0;
  for (const Body& body : skeleton.bodies()) mass += body.M_B.mass;
  const Vec3& g = scene.system.gravity();
  return {{"scene", scene.name},
          {"title", scene.title},
          {"description", scene.description},
          {"citation", scene.citation},
          {"path", scene.path.string()},
          {"mass", mass},
          {"gravity", {g.x(), g.y(), g.z()}},
          {"forces", scene.system.forces().size()},
          {"simulation",
           {{"integrator", to_string(scene.settings.step.integrator)},
            {"dt", scene.settings.dt},
            {"until", scene.settings.until}}},
          {"bodies", describe_bodies(skeleton)},
          {"coordinates", describe_coordinates(skeleton)}};
}

constexpr size_t kRowsShown = 24;

void print_more(size_t count) {
  if (count > kRowsShown) fmt::print("    … and {} more\n", count - kRowsShown);
}

void print(const Scene& scene, const ordered_json& info) {
  fmt::print("{}: {}\n", scene.name, scene.title);
  if (!scene.description.empty()) fmt::print("{}", wrapped(scene.description));
  if (!scene.citation.empty()) fmt::print("{}", wrapped(scene.citation));
  const Skeleton& skeleton = scene.system.skeleton();
  fmt::print(
      "\n  {} bodies of {:.6g} kg, {} coordinates, {} force elements, gravity ({:g}, {:g}, {:g}) "
      "m/s²\n",
      skeleton.body_count(), info["mass"].get<double>(), skeleton.dof_count(),
      scene.system.forces().size(), scene.system.gravity().x(), scene.system.gravity().y(),
      scene.system.gravity().z());
  fmt::print("  {}, dt = {:g} s, until t = {:g} s\n", to_string(scene.settings.step.integrator),
             scene.settings.dt, scene.settings.until);

  fmt::print("\n  {:<16} {:<16} {:<16} {:<18} {:>12}\n", "body", "parent", "joint", "type",
             "mass [kg]");
  const ordered_json& bodies = info["bodies"];
  for (size_t i = 0; i < std::min(bodies.size(), kRowsShown); ++i) {
    const ordered_json& b = bodies[i];
    fmt::print("  {:<16} {:<16} {:<16} {:<18} {:>12.6g}\n", b["name"].get<std::string>(),
               b["parent"].get<std::string>(), b["joint"].get<std::string>(),
               b["type"].get<std::string>(), b["mass"].get<double>());
  }
  print_more(bodies.size());

  fmt::print("\n  {:<24} {:<6} {:>12} {:>12}\n", "coordinate", "unit", "initial", "speed");
  const auto& coordinates = skeleton.coordinates();
  for (size_t i = 0; i < std::min(coordinates.size(), kRowsShown); ++i)
    fmt::print("  {:<24} {:<6} {:>12.6g} {:>12.6g}\n", coordinates[i].name,
               unit_of(coordinates[i].kind), coordinates[i].q0, coordinates[i].qdot0);
  print_more(coordinates.size());
}

}  // namespace

int run_info(const InfoOptions& options) {
  const Scene scene = load_scene(find_scene(options.scene), options.set);
  const ordered_json info = describe(scene);
  if (options.json)
    fmt::print("{}\n", info.dump(2));
  else
    print(scene, info);
  return kOk;
}

}  // namespace sinew::cli

#include "cli/commands/osim_info.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/console.hpp"
#include "sinew/io/scene/wrap_reader.hpp"
#include "sinew/report/json_text.hpp"

namespace sinew::cli {
namespace {

using nlohmann::ordered_json;

std::string version_text(int version) {
  return fmt::format("{}.{}", version / 10000, version / 100 % 100);
}

ordered_json describe_paths(const OsimModel& model) {
  ordered_json paths = ordered_json::array();
  for (const OsimPath& path : model.paths) {
    ordered_json surfaces = ordered_json::array();
    for (const OpenSimPathSurface& route : path.path.surfaces)
      surfaces.push_back(
          {{"name", route.surface->name}, {"kind", sinew::name_of(route.surface->wrap)}});
    paths.push_back({{"name", path.path.name},
                     {"type", path.type},
                     {"points", path.path.points.size()},
                     {"surfaces", surfaces}});
  }
  return paths;
}

/// The number of shapes drawn, by kind, and the number of meshes found.
ordered_json describe_geometry(const OsimModel& model) {
  ordered_json kinds = ordered_json::object();
  int meshes = 0, found = 0;
  for (const OsimGeometry& shape : model.geometry) {
    const std::string kind = sinew::name_of(shape.kind);
    kinds[kind] = kinds.value(kind, 0) + 1;
    if (shape.kind != OsimGeometry::Kind::mesh) continue;
    ++meshes;
    found += shape.path.empty() ? 0 : 1;
  }
  return {{"kinds", kinds}, {"meshes", meshes}, {"meshes_found", found}};
}

ordered_json describe_contact_geometry(const OsimModel& model) {
  ordered_json out = ordered_json::array();
  for (const OsimContactGeometry& shape : model.contact_geometry)
    out.push_back(
        {{"name", shape.name}, {"kind", sinew::name_of(shape.kind)}, {"body", shape.body}});
  return out;
}

ordered_json describe(const OsimModel& model) {
  const Skeleton& skeleton = model.skeleton;
  double mass = 0;
  ordered_json bodies = ordered_json::array(), coordinates = ordered_json::array();
  for (const Body& body : skeleton.bodies()) {
    mass += body.M_B.mass;
    bodies.push_back(
        {{"name", body.name},
         {"parent", body.parent == kWorld ? "ground" : skeleton.body(body.parent).name},
         {"joint", body.joint_name},
         {"coordinates", body.joint.dof()},
         {"mass", body.M_B.mass}});
  }
  for (const OsimCoordinate& c : model.coordinates)
    coordinates.push_back({{"name", c.name},
                           {"joint", c.joint},
                           {"unit", c.kind == CoordinateKind::angle ? "rad" : "m"},
                           {"default", c.default_value},
                           {"range", {c.lower, c.upper}},
                           {"clamped", c.clamped},
                           {"locked", c.locked}});
  ordered_json constraints = ordered_json::array(), markers = ordered_json::array();
  for (const auto& constraint : model.constraints) constraints.push_back(constraint->name());
  for (const OsimMarker& marker : model.markers) markers.push_back(marker.name);
  ordered_json unsupported = ordered_json::object();
  for (const auto& [type, count] : model.unsupported) unsupported[type] = count;
  return {{"model", model.name},
          {"path", model.path.string()},
          {"version", version_text(model.version)},
          {"credits", model.credits},
          {"publications", model.publications},
          {"mass", mass},
          {"gravity", {model.gravity.x(), model.gravity.y(), model.gravity.z()}},
          {"bodies", bodies},
          {"coordinates", coordinates},
          {"constraints", constraints},
          {"paths", describe_paths(model)},
          {"markers", markers},
          {"geometry", describe_geometry(model)},
          {"contact_geometry", describe_contact_geometry(model)},
          {"unsupported", unsupported},
          {"warnings", model.warnings}};
}

void print_bodies(const ordered_json& bodies) {
  fmt::print("\n  {:<20} {:<20} {:<24} {:>11} {:>12}\n", "body", "parent", "joint", "coordinates",
             "mass [kg]");
  for (size_t i = 0; i < std::min(bodies.size(), kRowsShown); ++i) {
    const ordered_json& b = bodies[i];
    fmt::print("  {:<20} {:<20} {:<24} {:>11} {:>12.6g}\n", b["name"].get<std::string>(),
               b["parent"].get<std::string>(), b["joint"].get<std::string>(),
               b["coordinates"].get<int>(), b["mass"].get<double>());
  }
  print_more(bodies.size());
}

void print_coordinates(const ordered_json& coordinates) {
  fmt::print("\n  {:<24} {:<5} {:>12} {:>24}  {}\n", "coordinate", "unit", "default", "range", "");
  for (size_t i = 0; i < std::min(coordinates.size(), kRowsShown); ++i) {
    const ordered_json& c = coordinates[i];
    const std::string range =
        fmt::format("{:.5g} … {:.5g}", c["range"][0].get<double>(), c["range"][1].get<double>());
    fmt::print("  {:<24} {:<5} {:>12.6g} {:>24}  {}\n", c["name"].get<std::string>(),
               c["unit"].get<std::string>(), c["default"].get<double>(), range,
               c["locked"].get<bool>() ? "locked" : "");
  }
  print_more(coordinates.size());
}

void print_paths(const ordered_json& paths) {
  if (paths.empty()) return;
  fmt::print("\n  {:<24} {:<32} {:>6}  {}\n", "path", "type", "points", "around");
  for (size_t i = 0; i < std::min(paths.size(), kRowsShown); ++i) {
    std::string around;
    for (const ordered_json& surface : paths[i]["surfaces"])
      around += (around.empty() ? "" : ", ") + surface["name"].get<std::string>() + " (" +
                surface["kind"].get<std::string>() + ")";
    fmt::print("  {:<24} {:<32} {:>6}  {}\n", paths[i]["name"].get<std::string>(),
               paths[i]["type"].get<std::string>(), paths[i]["points"].get<int>(), around);
  }
  print_more(paths.size());
}

void print_geometry(const OsimModel& model, const ordered_json& geometry) {
  if (!model.geometry.empty()) {
    std::string list;
    for (const auto& [kind, count] : geometry["kinds"].items())
      list += fmt::format("{}{} {}", list.empty() ? "" : ", ", count.get<int>(), kind);
    fmt::print("\n  drawn: {}; {} of {} meshes found\n", list, geometry["meshes_found"].get<int>(),
               geometry["meshes"].get<int>());
  }
  if (!model.contact_geometry.empty())
    fmt::print("\n  {} contact shapes\n", model.contact_geometry.size());
}

/// By the names of this model.
void print_paths_of_values(const OsimModel& model) {
  const OsimCoordinate* c = model.coordinates.empty() ? nullptr : &model.coordinates.front();
  fmt::print("\n  change values by OpenSim's paths, a path that ends early lists what is there:\n");
  fmt::print("    --set /bodyset/{}/mass=1\n", model.skeleton.bodies().front().name);
  if (c) fmt::print("    --set /jointset/{}/{}/default_value=0.1\n", c->joint, c->name);
  if (!model.paths.empty())
    fmt::print("    --set /forceset/{}/max_isometric_force=1000\n", model.paths.front().path.name);
}

void print(const OsimModel& model, const ordered_json& info) {
  fmt::print("{}: an OpenSim model, document version {}\n", model.name,
             version_text(model.version));
  if (!model.credits.empty()) fmt::print("{}", wrapped(one_line(model.credits)));
  if (!model.publications.empty()) fmt::print("{}", wrapped(one_line(model.publications)));
  fmt::print(
      "\n  {} bodies of {:.6g} kg, {} coordinates, {} constraints, {} paths, {} markers, gravity "
      "({:g}, "
      "{:g}, "
      "{:g}) m/s²\n",
      model.skeleton.body_count(), info["mass"].get<double>(), model.coordinates.size(),
      model.constraints.size(), model.paths.size(), model.markers.size(), model.gravity.x(),
      model.gravity.y(), model.gravity.z());
  print_bodies(info["bodies"]);
  print_coordinates(info["coordinates"]);
  print_paths(info["paths"]);
  print_geometry(model, info["geometry"]);
  print_paths_of_values(model);
  if (!model.unsupported.empty()) fmt::print("\n  left out:\n");
  for (const auto& [type, count] : model.unsupported) fmt::print("    {} {}\n", count, type);
  if (!model.warnings.empty()) fmt::print("\n");
  for (const std::string& warning : model.warnings) fmt::print("  warning: {}\n", warning);
}

}  // namespace

void show_osim_info(const OsimModel& model, bool json) {
  const ordered_json info = describe(model);
  if (json)
    fmt::print("{}\n", json_text(info));
  else
    print(model, info);
}

}  // namespace sinew::cli

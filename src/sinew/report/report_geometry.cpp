#include "sinew/report/report_geometry.hpp"

#include <algorithm>
#include <map>
#include <numbers>
#include <set>

#include "sinew/core/error.hpp"
#include "sinew/io/meshes/mesh_file.hpp"
#include "sinew/model/mesh_thinning.hpp"
#include "sinew/report/report_frame.hpp"

namespace sinew {
namespace {

using nlohmann::ordered_json;
using DrawnKind = OsimGeometry::Kind;

// Limit for all meshes of a model: 9 bytes each with their vertices, 12 in the page.
constexpr size_t kMostTriangles = 80000;
constexpr size_t kFewestTriangles = 300;  // for one mesh

/// A solid in its own frame.
struct DescribeShape {
  ReportData& data;

  ordered_json operator()(const Cuboid& s) const {
    return {{"type", "cuboid"}, {"sides", numbers(s.sides)}};
  }
  ordered_json operator()(const Sphere& s) const {
    return {{"type", "sphere"}, {"radius", s.radius}};
  }
  ordered_json operator()(const Cylinder& s) const {
    return {{"type", "cylinder"}, {"radius", s.radius}, {"height", s.height}};
  }
  ordered_json operator()(const Capsule& s) const {
    return {{"type", "capsule"}, {"radius", s.radius}, {"height", s.height}};
  }
  ordered_json operator()(const Ellipsoid& s) const {
    return {{"type", "ellipsoid"}, {"radii", numbers(s.radii)}};
  }
  ordered_json operator()(const TriangleMesh& s) const { return describe_mesh(s, data); }
};

/// A shape that is not a mesh; null for those not drawn. Moves its frame if the report's differs.
ordered_json describe_simple(const OsimGeometry& g, Pose& E_BG) {
  const Vec3 size = g.size.cwiseProduct(g.scale);
  switch (g.kind) {
    case DrawnKind::brick:
      return {{"type", "cuboid"}, {"sides", numbers(2 * size)}};
    case DrawnKind::sphere:
      return {{"type", "ellipsoid"}, {"radii", numbers(g.size[0] * g.scale)}};
    case DrawnKind::ellipsoid:
      return {{"type", "ellipsoid"}, {"radii", numbers(size)}};
    case DrawnKind::cylinder:
      // Along y there, along z here.
      E_BG.R = E_BG.R * Eigen::AngleAxisd(-std::numbers::pi / 2, Vec3::UnitX()).toRotationMatrix();
      return {{"type", "cylinder"}, {"radius", size[0]}, {"height", 2 * size[1]}};
    case DrawnKind::torus:
      return {{"type", "torus"}, {"radius", size[0]}, {"tube", size[1]}};
    case DrawnKind::mesh:
    case DrawnKind::cone:
    case DrawnKind::line:
    case DrawnKind::arrow:
      break;
  }
  return nullptr;
}

std::string joined(const std::set<std::string>& names) {
  constexpr size_t kShown = 12;
  std::string out;
  size_t count = 0;
  for (const std::string& name : names)
    if (++count <= kShown) out += (out.empty() ? "" : ", ") + name;
  if (count > kShown) out += " and " + std::to_string(count - kShown) + " more";
  return out;
}

/// All meshes that are drawn, by file; missing ones are noted.
std::map<std::string, TriangleMesh> read_meshes(const std::vector<OsimGeometry>& geometry,
                                                std::vector<std::string>& notes) {
  std::map<std::string, TriangleMesh> out;
  std::set<std::string> missing, unreadable;
  size_t total = 0;
  for (const OsimGeometry& g : geometry) {
    if (g.kind != DrawnKind::mesh || !g.visible || g.opacity == 0) continue;
    if (g.path.empty()) {
      missing.insert(g.file);
      continue;
    }
    if (out.contains(g.path.string()) || unreadable.contains(g.file)) continue;
    try {
      const TriangleMesh mesh = read_mesh_file(g.path);
      total += mesh.triangles.size();
      out.emplace(g.path.string(), mesh);
    } catch (const Error& error) {
      unreadable.insert(g.file);
      notes.push_back("A mesh is not drawn: " + std::string(error.what()));
    }
  }
  if (!missing.empty())
    notes.push_back(
        "Meshes that were not found beside the model, in its folder Geometry or in "
        "SINEW_GEOMETRY_PATH, and are not drawn: " +
        joined(missing) + ".");
  if (total > kMostTriangles)
    notes.push_back("Bones have " + std::to_string(total) +
                    " triangles in their files; they are drawn with fewer.");
  for (auto& [path, mesh] : out)
    if (total > kMostTriangles)
      mesh =
          thinned(mesh, std::max(kFewestTriangles, mesh.triangles.size() * kMostTriangles / total));
  return out;
}

}  // namespace

ordered_json numbers(const Vec3& x) { return {x[0], x[1], x[2]}; }

ordered_json place(const Pose& E) {
  std::vector<double> flat;
  append_pose(E, flat);
  return {{"position", {flat[0], flat[1], flat[2]}},
          {"quaternion", {flat[3], flat[4], flat[5], flat[6]}}};
}

ordered_json describe_mesh(const TriangleMesh& mesh, ReportData& data) {
  std::vector<double> vertices;
  std::vector<int> triangles;
  for (const Vec3& x : mesh.vertices) vertices.insert(vertices.end(), x.begin(), x.end());
  for (const auto& t : mesh.triangles) triangles.insert(triangles.end(), t.begin(), t.end());
  return {{"type", "mesh"},
          {"vertices", data.quantized(vertices)},
          {"triangles", data.indices(triangles)}};
}

ordered_json describe_shape(const ShapePart& part, ReportData& data) {
  ordered_json out = std::visit(DescribeShape{data}, part.shape);
  out.update(place(part.E_BS));
  const Appearance& look = part.appearance;
  if (!look.material.empty()) out["material"] = look.material;
  if (look.color) out["color"] = numbers(*look.color);
  if (look.opacity < 1) out["opacity"] = look.opacity;
  return out;
}

DrawnGeometry::DrawnGeometry(const std::vector<OsimGeometry>& geometry, ReportData& data,
                             std::vector<std::string>& notes) {
  const std::map<std::string, TriangleMesh> meshes = read_meshes(geometry, notes);
  std::set<std::string> left_out;
  for (const OsimGeometry& g : geometry) {
    if (!g.visible || g.opacity == 0) continue;
    Pose E_BG = g.E_BG;
    ordered_json shape = describe_simple(g, E_BG);
    if (g.kind == DrawnKind::mesh) {
      const auto found = meshes.find(g.path.string());
      if (found == meshes.end()) continue;
      TriangleMesh mesh = found->second;
      for (Vec3& x : mesh.vertices) x = x.cwiseProduct(g.scale);
      if (g.scale.prod() < 0)
        for (auto& t : mesh.triangles) std::swap(t[1], t[2]);
      shape = describe_mesh(mesh, data);
    } else if (shape.is_null()) {
      left_out.insert(name_of(g.kind));
      continue;
    }
    shape.update(place(E_BG));
    if (g.color != Vec3::Ones()) shape["color"] = numbers(g.color);
    if (g.opacity < 1) shape["opacity"] = g.opacity;
    shapes_.push_back({g.body, std::move(shape)});
  }
  if (!left_out.empty()) notes.push_back("Shapes that are not drawn: " + joined(left_out) + ".");
}

ordered_json DrawnGeometry::of(const std::string& body) const {
  ordered_json out = ordered_json::array();
  for (const Drawn& drawn : shapes_)
    if (drawn.body == body) out.push_back(drawn.shape);
  return out;
}

}  // namespace sinew

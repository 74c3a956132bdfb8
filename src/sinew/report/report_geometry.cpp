#include "sinew/report/report_geometry.hpp"

#include <algorithm>
#include <map>
#include <numbers>
#include <optional>
#include <set>

#include "sinew/core/error.hpp"
#include "sinew/io/meshes/mesh_file.hpp"
#include "sinew/model/mesh_thinning.hpp"
#include "sinew/report/joint_guides.hpp"
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
  ordered_json operator()(const DrawnTorus& s) const {
    return {{"type", "torus"}, {"radius", s.radius}, {"tube", s.tube}};
  }
};

/// A shape that is not a mesh; none for those not drawn. Moves its frame where ours differs.
std::optional<DrawnForm> simple_form(const OsimGeometry& g, Pose& E_BG) {
  const Vec3 size = g.size.cwiseProduct(g.scale);
  switch (g.kind) {
    case DrawnKind::brick:
      return Cuboid{2 * size};
    case DrawnKind::sphere:
      return Ellipsoid{g.size[0] * g.scale};
    case DrawnKind::ellipsoid:
      return Ellipsoid{size};
    case DrawnKind::cylinder:
      // Along y there, along z here.
      E_BG.R = E_BG.R * Eigen::AngleAxisd(-std::numbers::pi / 2, Vec3::UnitX()).toRotationMatrix();
      return Cylinder{size[0], 2 * size[1]};
    case DrawnKind::torus:
      return DrawnTorus{size[0], size[1]};
    case DrawnKind::mesh:
    case DrawnKind::cone:
    case DrawnKind::line:
    case DrawnKind::arrow:
      break;
  }
  return std::nullopt;
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

/// The shapes of an OpenSim model with the names of their bodies.
std::vector<std::pair<std::string, DrawnShape>> osim_shapes(
    const std::vector<OsimGeometry>& geometry, std::vector<std::string>& notes) {
  const std::map<std::string, TriangleMesh> meshes = read_meshes(geometry, notes);
  std::vector<std::pair<std::string, DrawnShape>> out;
  std::set<std::string> left_out;
  for (const OsimGeometry& g : geometry) {
    if (!g.visible || g.opacity == 0) continue;
    Pose E_BG = g.E_BG;
    std::optional<DrawnForm> form = simple_form(g, E_BG);
    if (g.kind == DrawnKind::mesh) {
      const auto found = meshes.find(g.path.string());
      if (found == meshes.end()) continue;
      TriangleMesh mesh = found->second;
      for (Vec3& x : mesh.vertices) x = x.cwiseProduct(g.scale);
      if (g.scale.prod() < 0)
        for (auto& t : mesh.triangles) std::swap(t[1], t[2]);
      form = std::move(mesh);
    } else if (!form) {
      left_out.insert(name_of(g.kind));
      continue;
    }
    DrawnShape shape{*std::move(form), E_BG};
    shape.appearance.opacity = g.opacity;
    if (g.color != Vec3::Ones()) shape.appearance.color = g.color;
    out.emplace_back(g.body, std::move(shape));
  }
  if (!left_out.empty()) notes.push_back("Shapes that are not drawn: " + joined(left_out) + ".");
  return out;
}

DrawnShape drawn(const ShapePart& part) {
  return {std::visit([](const auto& shape) { return DrawnForm(shape); }, part.shape), part.E_BS,
          part.appearance};
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

DrawnShapes drawn_shapes(const Skeleton& skeleton, const ModelLook& look,
                         std::vector<std::string>& notes) {
  DrawnShapes out;
  out.bodies.resize(static_cast<size_t>(skeleton.body_count()));
  for (auto& [name, shape] : osim_shapes(look.geometry, notes)) {
    if (name == "ground") out.fixed.push_back(shape);
    for (size_t k = 0; k < out.bodies.size(); ++k)
      if (skeleton.bodies()[k].name == name) out.bodies[k].push_back(shape);
  }
  for (size_t k = 0; k < std::min(look.shapes.size(), out.bodies.size()); ++k)
    for (const ShapePart& part : look.shapes[k]) out.bodies[k].push_back(drawn(part));
  for (const ShapePart& part : look.fixed) out.fixed.push_back(drawn(part));
  add_sheets(skeleton, out);
  return out;
}

std::vector<std::pair<Vec3, Vec3>> sticks(const Skeleton& skeleton, int index) {
  const Body& body = skeleton.bodies()[static_cast<size_t>(index)];
  const Vec3 from = body.E_JB.inverse().p;
  std::vector<std::pair<Vec3, Vec3>> out;
  const auto add = [&](const Vec3& to) {
    if ((to - from).norm() > 1e-6) out.emplace_back(from, to);
  };
  for (const Body& child : skeleton.bodies())
    if (child.parent == index) add(child.E_PJ.p);
  if (out.empty() && body.M_B.mass > 0) add(2 * body.M_B.com() - from);
  return out;
}

ordered_json describe_shape(const DrawnShape& shape, ReportData& data) {
  ordered_json out = std::visit(DescribeShape{data}, shape.form);
  out.update(place(shape.E_BS));
  const Appearance& look = shape.appearance;
  if (!look.material.empty()) out["material"] = look.material;
  if (look.color) out["color"] = numbers(*look.color);
  if (look.opacity < 1) out["opacity"] = look.opacity;
  return out;
}

}  // namespace sinew

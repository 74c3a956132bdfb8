#include "sinew/io/scene/soft_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "sinew/io/meshes/mesh_file.hpp"
#include "sinew/io/meshes/tet_file.hpp"
#include "sinew/io/scene/default_pose.hpp"
#include "sinew/io/scene/element_lookup.hpp"
#include "sinew/io/scene/mesh_reader.hpp"

namespace sinew {
namespace {

constexpr size_t kMostVertices = 20000;

Chain read_chain(const ObjectReader& in, const Skeleton& skeleton, const DefaultPose& pose) {
  const Units& units = in.context().units;
  const TwoPoints ends = read_two_points(in, skeleton);
  const double energy = units.force() * units.length;
  Chain out;
  out.ends = {RigidNode{ends.a, ends.x_A}, RigidNode{ends.b, ends.x_B}};
  out.start = {pose.of(ends.a) * ends.x_A, pose.of(ends.b) * ends.x_B};
  out.vertices = in.count_or("vertices", 2, 2, static_cast<int>(kMostVertices));
  out.mass = in.positive("mass", units.mass);
  out.stiffness = in.positive("stiffness", energy);
  out.damping = in.not_negative_or("damping", 0, energy);
  return out;
}

Material read_material(const ObjectReader& in) {
  const Units& units = in.context().units;
  const ObjectReader m(in.context(), in.at("material"), in.element(), scene_keys::kMaterial);
  const double pressure = units.force() / (units.length * units.length);
  Material out;
  constexpr MaterialModel models[] = {MaterialModel::corotated, MaterialModel::st_venant_kirchhoff,
                                      MaterialModel::neo_hookean};
  std::vector<std::string> names;
  for (const MaterialModel model : models) names.push_back(to_string(model));
  out.model = models[m.choice_or("model", 0, names)];
  out.young = m.positive("young", pressure);
  out.poisson = m.number_or("poisson", out.poisson);
  out.density = m.positive("density", units.density());
  out.viscosity = m.not_negative_or("viscosity", out.viscosity, pressure);
  return out;
}

/// The tetrahedra of "file", or a lattice around "surface".
void read_meshes(const ObjectReader& in, SoftBodySpec& out) {
  const double length = in.context().units.length, scale = in.positive_or("scale", 1) * length;
  const Pose placement = in.pose_or_identity("placement");
  const auto place = [&](std::vector<Vec3>& vertices) {
    for (Vec3& x : vertices) x = placement * (scale * x);
  };
  if (in.has("file") == in.has("lattice"))
    in.fail(in.line(), "needs either a 'file' of tetrahedra or a 'lattice'", "give one of them");
  if (in.has("lattice") && !in.has("surface"))
    in.fail(in.line(), "has a 'lattice' but no 'surface' to fill", "give a closed 'surface'");
  const auto read_at = [&](std::string_view key, auto&& read) {
    try {
      return read(scene_file(in, key));
    } catch (const Error& error) {
      in.fail(in.at(key).line, error.what(), "");
    }
  };
  if (in.has("surface"))
    out.surface = read_at("surface", [](const auto& path) { return read_mesh_file(path); });
  if (in.has("file")) {
    out.mesh = read_at("file", [](const auto& path) { return read_tet_file(path); });
  } else {
    // The axes are the surface's: the lattice turns with the body.
    const Vec3 spacing = in.vector3("lattice", length) / scale;
    try {
      out.mesh = lattice_around(out.surface, spacing, in.element());
    } catch (const Error& error) {
      throw in.context().located(error, in.at("surface").line);
    }
  }
  place(out.mesh.vertices);
  place(out.surface.vertices);
  if (out.mesh.vertices.size() > kMostVertices)
    in.fail(in.line(), fmt::format("has {} vertices", out.mesh.vertices.size()),
            "at most 20000: give a coarser mesh or lattice");
}

double distance_to_segment(const Vec3& p, const Vec3& a, const Vec3& b) {
  const Vec3 d = b - a;
  const double s = d.squaredNorm() > 0 ? std::clamp((p - a).dot(d) / d.squaredNorm(), 0.0, 1.0) : 0;
  return (p - a - s * d).norm();
}

/// If several bodies claim a vertex, the nearest gets it; if several name it, the last.
void read_attachments(const ObjectReader& in, const Skeleton& skeleton, const DefaultPose& pose,
                      SoftBodySpec& out) {
  const double length = in.context().units.length;
  const size_t n = out.mesh.vertices.size();
  std::vector<double> nearest(n, std::numeric_limits<double>::infinity());
  std::vector<int> owner(n, -1);
  std::vector<BodyIndex> bodies;
  for (const JsonNode& node : in.list("attach")) {
    const ObjectReader a(in.context(), node, in.element(), scene_keys::kAttach);
    const BodyIndex body = resolve_body(a, a.at("body"), "body", skeleton);
    const int number = static_cast<int>(bodies.size());
    bodies.push_back(body);
    if (a.has("radius") == a.has("vertices"))
      a.fail(node.line, "needs either a 'radius' or 'vertices' to attach", "give one of them");
    bool any = false;
    if (a.has("vertices")) {
      for (const double v : a.numbers(a.at("vertices"), -1, "vertices")) {
        if (v != std::floor(v) || v < 1 || v > static_cast<double>(n))
          a.fail(a.at("vertices").line, fmt::format("attaches vertex {:g}, but has {}", v, n),
                 "count from 1");
        owner[static_cast<size_t>(v) - 1] = number;
        nearest[static_cast<size_t>(v) - 1] = -1;
      }
      continue;
    }
    const double radius = a.positive("radius", length);
    const Vec3 from = a.vector3_or("from", Vec3::Zero(), length);
    const Vec3 to = a.vector3_or("to", from, a.has("to") ? length : 1);
    const Pose E_WB = pose.of(body);
    for (size_t v = 0; v < n; ++v) {
      const double d = distance_to_segment(out.mesh.vertices[v], E_WB * from, E_WB * to);
      if (d > radius) continue;
      any = true;
      if (d >= nearest[v]) continue;
      nearest[v] = d;
      owner[v] = number;
    }
    if (!any)
      a.fail(node.line, "attaches no vertex: none is within the 'radius'", "give a larger one");
  }
  for (size_t v = 0; v < n; ++v) {
    if (owner[v] < 0) continue;
    const BodyIndex body = bodies[static_cast<size_t>(owner[v])];
    out.attachments.push_back(
        {static_cast<int>(v), body, pose.of(body).inverse() * out.mesh.vertices[v]});
  }
}

SoftContact read_ground(const ObjectReader& in, const JsonNode& node) {
  const Units& units = in.context().units;
  const ObjectReader g(in.context(), node, in.element(), scene_keys::kSoftGround);
  SoftContact out;
  out.point = g.vector3_or("point", out.point, units.length);
  out.normal = g.vector3_or("normal", out.normal);
  out.by_surface = g.choice_or("by", 0, {"vertices", "surface"}) == 1;
  SmoothContactLaw& law = out.law;  // its defaults are in SI for all units of scenes
  law.stiffness = g.positive_or("stiffness", law.stiffness, units.force_per_length());
  law.onset = g.positive_or("onset", law.onset, units.length);
  law.dissipation = g.not_negative_or("dissipation", law.dissipation, 1 / units.length);
  law.friction = g.not_negative_or("friction", law.friction);
  law.creep_velocity = g.positive_or("creep_velocity", law.creep_velocity, units.length);
  return out;
}

}  // namespace

SoftReading read_soft_body(const SceneContext& context, const JsonNode& node,
                           const Skeleton& skeleton) {
  const ValueReader anonymous(context, "soft body");
  const ObjectKind& kind = kind_of_type(anonymous, node, scene_keys::kSoftTypes);
  const ObjectReader unnamed(context, node, "soft body", kind);
  const std::string name = unnamed.name("name");
  const ObjectReader in(context, node, "soft body '" + name + "'", kind);
  const DefaultPose pose(skeleton);
  if (type_of(kind) == "strand") {
    Chain out = read_chain(in, skeleton, pose);
    out.name = name;
    return out;
  }
  SoftBodySpec out;
  out.name = name;
  out.material = read_material(in);
  read_meshes(in, out);
  read_attachments(in, skeleton, pose, out);
  for (const JsonNode& ground : in.list("ground")) out.contacts.push_back(read_ground(in, ground));
  return out;
}

}  // namespace sinew

#include "sinew/io/scene/contact_reader.hpp"

#include "sinew/core/names.hpp"
#include "sinew/io/scene/element_lookup.hpp"
#include "sinew/io/scene/spline_joint_reader.hpp"
#include "sinew/math/infinity.hpp"

namespace sinew {
namespace {

/// The half space through `point` behind `normal`: a Plane's frame has the normal as y.
Pose read_plane(const ObjectReader& surface, const JsonNode& node) {
  const ObjectReader in(surface.context(), node, surface.element(), scene_keys::kPlane);
  const Vec3 normal = in.vector3_or("normal", Vec3::UnitY());
  if (!(normal.norm() > 1e-12))
    in.fail(in.at("normal").line, "'normal' is zero", "give a direction");
  Pose E = Pose::Translation(in.vector3_or("point", Vec3::Zero(), in.context().units.length));
  E.R = Eigen::Quaterniond::FromTwoVectors(Vec3::UnitY(), normal).toRotationMatrix();
  return E;
}

ContactMaterial read_material(const ObjectReader& in, const ContactMaterial& fallback) {
  return {.friction = in.not_negative_or("friction", fallback.friction),
          .restitution = in.not_negative_or("restitution", fallback.restitution)};
}

void read_surface(const SceneContext& context, const JsonNode& node, const Skeleton& skeleton,
                  const std::vector<std::vector<ShapePart>>& shapes,
                  const ContactMaterial& fallback, ContactReading& out) {
  const ObjectReader in(context, node, "surface", scene_keys::kSurface);
  const BodyIndex body = resolve_body(in, in.at("body"), "body", skeleton);
  const std::string body_name = body == kWorld ? "world" : skeleton.body(body).name;
  const std::string name = in.has("name") ? in.name("name") : body_name;
  const ContactMaterial material = read_material(in, fallback);
  const auto add = [&](const std::string& surface, ContactShape shape, const Pose& E_BS) {
    out.surfaces.push_back({surface, body, E_BS, std::move(shape), material});
    out.lines.push_back(node.line);
  };
  if (const JsonNode* plane = in.find("plane")) {
    add(name, Plane{}, read_plane(in, *plane));
    return;
  }
  if (body == kWorld || shapes[static_cast<size_t>(body.value)].empty())
    in.fail(in.line(), "body '" + body_name + "' has no shapes that could touch",
            "give the body shapes, or the surface a 'plane'");
  const auto& parts = shapes[static_cast<size_t>(body.value)];
  for (size_t k = 0; k < parts.size(); ++k)
    add(k == 0 ? name : name + "-" + std::to_string(k + 1), contact_shape(parts[k].shape),
        parts[k].E_BS);
}

/// The body whose joint has this name.
BodyIndex resolve_joint(const ObjectReader& in, const JsonNode& node, const Skeleton& skeleton) {
  const std::string name = in.ValueReader::name(node, "joint");
  std::vector<std::string> names;
  for (int k = 0; k < skeleton.body_count(); ++k) {
    names.push_back(skeleton.body(BodyIndex(k)).joint_name);
    if (names.back() == name) return BodyIndex(k);
  }
  in.fail(node.line, "there is no joint '" + name + "'", suggest(name, names));
}

size_t size_of(const ContactShape& shape) {
  const auto* mesh = std::get_if<MeshVertices>(&shape);
  return mesh == nullptr ? 1 : mesh->points.size();
}

}  // namespace

Limit read_limit(const SceneContext& context, const JsonNode& node, int number,
                 const Skeleton& skeleton) {
  const std::string default_name = "limit-" + std::to_string(number);
  const ValueReader anonymous(context, "limit '" + default_name + "'");
  const ObjectKind& kind = kind_of_type(anonymous, node, scene_keys::kLimitTypes);
  const JsonNode* given = node.find("name");
  const std::string name = given == nullptr ? default_name : anonymous.name(*given, "name");
  const ObjectReader in(context, node, "limit '" + name + "'", kind);
  const double restitution = in.not_negative_or("restitution", 0);
  if (type_of(kind) == "rope") {
    const TwoPoints p = read_two_points(in, skeleton);
    return rope(name, p.a, p.x_A, p.b, p.x_B, read_distance(in, "length", skeleton, p),
                restitution);
  }
  const DofIndex dof = resolve_coordinate(in, in.at("coordinate"), "coordinate", skeleton);
  const double unit =
      coordinate_unit(context.units, skeleton.coordinates()[static_cast<size_t>(dof.value)].kind);
  return coordinate_limit(name, dof, in.number_or("lower", -kInfinity, unit),
                          in.number_or("upper", kInfinity, unit), restitution);
}

JointFriction read_bearing(const SceneContext& context, const JsonNode& node, int number,
                           const Skeleton& skeleton) {
  const std::string default_name = "bearing-" + std::to_string(number);
  const ValueReader anonymous(context, "bearing '" + default_name + "'");
  const ObjectKind& kind = kind_of_type(anonymous, node, scene_keys::kBearingTypes);
  const JsonNode* given = node.find("name");
  const std::string name = given == nullptr ? default_name : anonymous.name(*given, "name");
  const ObjectReader in(context, node, "bearing '" + name + "'", kind);
  const double metre = context.units.length;
  JointFriction out;
  out.name = name;
  out.friction = in.not_negative_or("friction", 0);
  if (type_of(kind) == "cylinder") {
    out.shape = CylinderBearing{in.positive("radius", metre), in.positive("height", metre)};
    if (in.has("joint") == in.has("closure"))
      in.fail(in.line(), "is in no joint or closure, or in both", "give 'joint' or 'closure'");
    if (in.has("closure")) {
      out.closure = in.name("closure");
      out.axis = in.vector3_or("axis", Vec3::UnitZ());
      return out;
    }
    if (in.has("axis"))
      in.fail(in.at("axis").line, "has an 'axis'", "a joint's bearing uses its axis: omit it");
  } else if (type_of(kind) == "ball") {
    out.shape = BallBearing{in.positive("radius", metre)};
  } else {
    out.shape = BoxBearing{in.vector3("sides", metre)};
  }
  out.body = resolve_joint(in, in.at("joint"), skeleton);
  return out;
}

ContactReading read_contacts(const SceneContext& context, const JsonNode& node,
                             const Skeleton& skeleton,
                             const std::vector<std::vector<ShapePart>>& shapes) {
  const ObjectReader in(context, node, "contacts", scene_keys::kContacts);
  const ContactMaterial material = read_material(in, {});
  ContactReading out;
  size_t size = 0;
  for (const JsonNode& surface : in.list("surfaces")) {
    const size_t before = out.surfaces.size();
    read_surface(context, surface, skeleton, shapes, material, out);
    for (size_t k = before; k < out.surfaces.size(); ++k) size += size_of(out.surfaces[k].shape);
    if (size > kMostContacts)
      in.fail(surface.line, "the scene is too large",
              "at most 10000 shapes and vertices of meshes touch");
  }
  for (const JsonNode& pair : in.list("exclude")) {
    in.require(pair, JsonNode::Type::array, "exclude");
    if (pair.items.size() != 2)
      in.fail(pair.line, "'exclude' needs pairs of bodies", "give two names in each");
    out.excluded.emplace_back(resolve_body(in, pair.items[0], "exclude", skeleton),
                              resolve_body(in, pair.items[1], "exclude", skeleton));
  }
  return out;
}

}  // namespace sinew

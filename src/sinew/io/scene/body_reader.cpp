#include "sinew/io/scene/body_reader.hpp"

#include <algorithm>

#include "sinew/io/scene/mesh_reader.hpp"

namespace sinew {
namespace {

Shape make_shape(const ObjectReader& in, std::string_view type) {
  const double metre = in.context().units.length;
  if (type == "cuboid") return Cuboid{in.vector3("sides", metre)};
  if (type == "sphere") return Sphere{in.number("radius", metre)};
  if (type == "cylinder") return Cylinder{in.number("radius", metre), in.number("height", metre)};
  if (type == "capsule") return Capsule{in.number("radius", metre), in.number("height", metre)};
  if (type == "ellipsoid") return Ellipsoid{in.vector3("radii", metre)};
  return read_mesh(in);
}

SpatialInertia read_inertia(const ObjectReader& body, const JsonNode& node) {
  const ObjectReader in(body.context(), node, body.element(), scene_keys::kInertia);
  const Units& units = in.context().units;
  const double mass = in.positive("mass", units.mass);
  const Vec3 com = in.vector3_or("com", Vec3::Zero(), units.length);
  const JsonNode& list = in.at("moments");
  in.require(list, JsonNode::Type::array, "moments");
  if (list.items.size() != 3 && list.items.size() != 6)
    in.fail(list.line, "'moments' has " + std::to_string(list.items.size()) + " values",
            "give xx, yy, zz or xx, yy, zz, xy, xz, yz");
  std::vector<double> I = in.numbers(list, -1, "moments", units.inertia());
  I.resize(6, 0.0);
  Mat3 I_com;
  I_com << I[0], I[3], I[4], I[3], I[1], I[5], I[4], I[5], I[2];
  return SpatialInertia::FromCentral(mass, com, I_com);
}

/// From "inertia", or from the shapes that have a density; the two would count mass twice.
SpatialInertia read_mass(const ObjectReader& in, const std::vector<ShapePart>& shapes) {
  std::vector<ShapePart> solid;
  std::copy_if(shapes.begin(), shapes.end(), std::back_inserter(solid),
               [](const ShapePart& part) { return part.density > 0; });
  const JsonNode* inertia = in.find("inertia");
  if (inertia != nullptr && !solid.empty())
    in.fail(inertia->line, "has both 'inertia' and a shape with 'density'", "omit one of them");
  if (inertia == nullptr && solid.empty())
    in.fail(in.line(), "has no mass", "give a shape a 'density', or give 'inertia'");
  const SpatialInertia M_B =
      inertia != nullptr ? read_inertia(in, *inertia) : composite_inertia(solid, in.element());
  if (const std::string defect = physical_defect(M_B); !defect.empty())
    in.fail(inertia != nullptr ? inertia->line : in.line(), defect,
            "give the inertia of a real body");
  return M_B;
}

std::string numbered(const std::string& pattern, int number) {
  const size_t place = pattern.find("{}");
  if (place == std::string::npos) return pattern;
  return pattern.substr(0, place) + std::to_string(number) + pattern.substr(place + 2);
}

/// In a series every name needs a place for the number; elsewhere braces are a mistake.
void check_pattern(const ObjectReader& in, const std::string& name, bool series, int line) {
  const bool has_place = name.find("{}") != std::string::npos;
  if (series && !has_place)
    in.fail(line, "'" + name + "' would name every body of the series", "put {} in it");
  if (!series && name.find_first_of("{}") != std::string::npos)
    in.fail(line, "'" + name + "' has braces", "they are for series: add 'count'");
}

Appearance read_appearance(const ObjectReader& in) {
  Appearance out;
  if (in.has("material")) out.material = kMaterials[in.choice("material", kMaterials)];
  if (const JsonNode* color = in.find("color")) {
    out.color = in.vector3("color");
    if (out.color->minCoeff() < 0 || out.color->maxCoeff() > 1)
      in.fail(color->line, "'color' is out of range", "give red, green and blue from 0 to 1");
  }
  out.opacity = in.not_negative_or("opacity", 1);
  if (out.opacity > 1)
    in.fail(in.at("opacity").line, "'opacity' is more than 1", "give a number from 0 to 1");
  return out;
}

size_t control_values(const Joint& joint) {
  size_t count = 0;
  if (const auto* curve = std::get_if<SplineCurve>(&joint.variant()))
    count = curve->frames().size();
  else if (const auto* surface = std::get_if<SplineSurface>(&joint.variant()))
    count = 6 * static_cast<size_t>(surface->grids()[0].size());
  else if (const auto* composite = std::get_if<Composite>(&joint.variant()))
    for (const Joint& part : composite->parts) count += control_values(part);
  return count;
}

}  // namespace

ShapePart read_shape(const ObjectReader& owner, const JsonNode& node) {
  const ObjectKind& kind = kind_of_type(owner, node, scene_keys::kShapeTypes);
  const ObjectReader in(owner.context(), node, owner.element(), kind);
  ShapePart part{make_shape(in, type_of(kind)), in.pose_or_identity("placement"),
                 in.positive_or("density", 0, in.context().units.density()), read_appearance(in)};
  try {
    validate(part.shape, in.element());
  } catch (const Error& error) {
    throw in.context().located(error, node.line);
  }
  return part;
}

std::vector<ShapePart> read_look(const ObjectReader& owner) {
  std::vector<ShapePart> out;
  for (const JsonNode& node : owner.list("look")) {
    out.push_back(read_shape(owner, node));
    if (out.back().density > 0)
      owner.fail(node.line, "a shape of 'look' has a 'density'", "omit it, or put it in 'shapes'");
  }
  return out;
}

size_t triangle_count(const std::vector<ShapePart>& shapes) {
  size_t count = 0;
  for (const ShapePart& part : shapes)
    if (const auto* mesh = std::get_if<TriangleMesh>(&part.shape)) count += mesh->triangles.size();
  return count;
}

size_t data_size(const BodyReading& reading) {
  const size_t size = control_values(reading.joint.joint) + triangle_count(reading.shapes) +
                      triangle_count(reading.drawn);
  return size * static_cast<size_t>(reading.count);
}

BodyReading read_body(const SceneContext& context, const JsonNode& node) {
  const ValueReader anonymous(context, "body");
  anonymous.require(node, JsonNode::Type::object, "body");
  const JsonNode* name = node.find("name");
  const std::string element =
      name == nullptr ? "body" : "body '" + anonymous.name(*name, "name") + "'";
  const ObjectReader in(context, node, element, scene_keys::kBody);

  BodyReading out;
  out.line = in.line();
  out.name = name->text;
  out.count = in.count_or("count", 1, 1, kMostBodies);
  const JsonNode& parent = in.at("parent");
  in.require(parent, JsonNode::Type::string, "parent");
  out.parent = parent.text == "world" ? "" : in.name("parent");
  out.parent_line = parent.line;

  out.joint = read_joint(context, in.at("joint"), out.name);
  const bool series = in.has("count");
  check_pattern(in, out.name, series, name->line);
  if (!out.joint.name.empty()) check_pattern(in, out.joint.name, series, out.joint.line);
  for (const std::string& coordinate : out.joint.coordinate_names)
    check_pattern(in, coordinate, series, out.joint.line);

  out.E_JB = in.pose_or_identity("placement");
  for (const JsonNode& shape : in.list("shapes")) out.shapes.push_back(read_shape(in, shape));
  out.drawn = in.has("look") ? read_look(in) : out.shapes;
  out.M_B = read_mass(in, out.shapes);
  if (const JsonNode* damping = in.find("damping")) {
    const ObjectReader values(context, *damping, element, scene_keys::kBodyDamping);
    out.angular_damping = values.not_negative_or("angular", 0, context.units.torque());
    out.linear_damping = values.not_negative_or("linear", 0, context.units.force_per_length());
  }
  return out;
}

std::vector<BodySpec> expand(const BodyReading& reading) {
  std::vector<BodySpec> specs;
  for (int i = 1; i <= reading.count; ++i) {
    BodySpec spec{.name = numbered(reading.name, i),
                  .parent = i == 1 ? reading.parent : numbered(reading.name, i - 1),
                  .joint = reading.joint.joint,
                  .joint_name = numbered(reading.joint.name, i),
                  .E_PJ = reading.joint.E_PJ,
                  .E_JB = reading.E_JB,
                  .M_B = reading.M_B,
                  .coordinate_names = {},
                  .q0 = reading.joint.q0,
                  .qdot0 = reading.joint.qdot0};
    for (const std::string& coordinate : reading.joint.coordinate_names)
      spec.coordinate_names.push_back(numbered(coordinate, i));
    specs.push_back(std::move(spec));
  }
  return specs;
}

}  // namespace sinew

#include "sinew/io/scene/force_reader.hpp"

#include "sinew/constraints/contact/smooth_contact.hpp"
#include "sinew/dynamics/coordinate_drive.hpp"
#include "sinew/io/scene/body_reader.hpp"
#include "sinew/io/scene/element_lookup.hpp"
#include "sinew/io/scene/function_reader.hpp"
#include "sinew/math/infinity.hpp"

namespace sinew {
namespace {

VecX row_of(const ObjectReader& in, const JsonNode& node, int width, std::string_view what,
            double unit) {
  if (width == 1 && node.type == JsonNode::Type::number)
    return VecX::Constant(1, in.ValueReader::number(node, what, unit));
  const std::vector<double> values = in.numbers(node, width, what, unit);
  return Eigen::Map<const VecX>(values.data(), width);
}

/// "value" or "table", one of them.
TimeTable read_time_table(const ObjectReader& in, int width, double unit) {
  if (in.has("value") == in.has("table"))
    in.fail(in.line(), "needs either 'value' or 'table'", "give one of them");
  if (in.has("value")) return TimeTable::Constant(row_of(in, in.at("value"), width, "value", unit));

  const ObjectReader table(in.context(), in.at("table"), in.element(), scene_keys::kTable);
  std::vector<double> times = table.numbers(table.at("times"), -1, "times");
  std::vector<VecX> values;
  for (const JsonNode& row : table.list("values"))
    values.push_back(row_of(table, row, width, "values", unit));
  const bool linear = table.choice_or("interpolation", 0, {"step", "linear"}) == 1;
  try {
    return TimeTable::FromRows(
        std::move(times), std::move(values),
        linear ? TimeTable::Interpolation::linear : TimeTable::Interpolation::step, in.element());
  } catch (const Error& error) {
    throw in.context().located(error, table.line());
  }
}

/// SI value of the file's unit of a generalised force.
double force_unit(const ObjectReader& in, DofIndex dof, const Skeleton& skeleton) {
  const Units& units = in.context().units;
  const CoordinateKind kind = skeleton.coordinates()[static_cast<size_t>(dof.value)].kind;
  return kind == CoordinateKind::length ? units.force() : units.torque();
}

std::shared_ptr<const Force> read_torque(const ObjectReader& in, const std::string& name,
                                         const Skeleton& skeleton) {
  const DofIndex dof = resolve_coordinate(in, in.at("coordinate"), "coordinate", skeleton);
  return std::make_shared<JointTorque>(name, dof,
                                       read_time_table(in, 1, force_unit(in, dof, skeleton)));
}

std::shared_ptr<const Force> read_motor(const ObjectReader& in, const std::string& name,
                                        const Skeleton& skeleton) {
  const DofIndex dof = resolve_coordinate(in, in.at("coordinate"), "coordinate", skeleton);
  const double unit = force_unit(in, dof, skeleton);
  const double strength = in.has("strength") ? in.number("strength", unit) : unit;
  const JsonNode* given = in.find("control");
  TimeFunction control = 0.0;
  if (given != nullptr)
    control = given->type == JsonNode::Type::object ? read_time_function(in, *given, 1)
                                                    : TimeFunction(in.number("control"));
  return std::make_shared<CoordinateDrive>(
      name, dof, strength, std::move(control),
      CoordinateDrive::Range{in.number_or("lower", -kInfinity), in.number_or("upper", kInfinity)});
}

std::shared_ptr<const Force> read_world_force(const ObjectReader& in, const std::string& name,
                                              const Skeleton& skeleton) {
  const Units& units = in.context().units;
  const BodyIndex body = resolve_body(in, in.at("body"), "body", skeleton);
  const Vec3 point = in.vector3_or("point", Vec3::Zero(), units.length);
  return std::make_shared<WorldForce>(name, body, point, read_time_table(in, 3, units.force()));
}

std::shared_ptr<const Force> read_spring(const ObjectReader& in, const std::string& name,
                                         const Skeleton& skeleton) {
  const Units& units = in.context().units;
  const TwoPoints p = read_two_points(in, skeleton);
  const double rest_length =
      in.has("rest_length") ? read_distance(in, "rest_length", skeleton, p) : 0;
  return std::make_shared<PointSpring>(
      name, p.a, p.x_A, p.b, p.x_B, in.number("stiffness", units.force_per_length()),
      in.not_negative_or("damping", 0, units.force_per_length()), rest_length);
}

/// Every pair of points of a cable has a block of derivatives; this number takes about 100 MB.
constexpr size_t kMostCableBlocks = 200000;

std::vector<RigidNode> read_cable_points(const ObjectReader& in, ForceScope& scope) {
  const std::vector<JsonNode>&bodies = in.list("bodies"), &points = in.list("points");
  if (bodies.size() < 2 || bodies.size() != points.size())
    in.fail(in.line(), "needs two or more 'bodies' and as many 'points'",
            "give one of each for every point it runs through");
  scope.cable_blocks += points.size() * points.size();
  if (scope.cable_blocks > kMostCableBlocks)
    in.fail(in.line(), "the scene is too large",
            "at most 200000 pairs of points of the same cable");
  std::vector<RigidNode> out;
  for (size_t i = 0; i < points.size(); ++i)
    out.push_back({resolve_body(in, bodies[i], "bodies", scope.skeleton),
                   in.ValueReader::vector3(points[i], "points", in.context().units.length)});
  return out;
}

/// "rest_length": a length, or the word "initial", which is the default.
double read_cable_rest(const ObjectReader& in, const std::vector<RigidNode>& points,
                       const Skeleton& skeleton) {
  if (in.has("rest_length") && in.at("rest_length").type != JsonNode::Type::string)
    return in.positive("rest_length", in.context().units.length);
  in.choice_or("rest_length", 0, {"initial"});
  double length = 0;
  for (size_t i = 1; i < points.size(); ++i)
    length += initial_distance(
        skeleton, {points[i - 1].body, points[i].body, points[i - 1].x_B, points[i].x_B});
  return length;
}

DescribedStrand read_cable(const ObjectReader& in, const std::string& name, ForceScope& scope) {
  const Units& units = in.context().units;
  const std::vector<RigidNode> points = read_cable_points(in, scope);
  CableLaw law;
  law.stiffness = in.number("stiffness", units.force());
  law.damping = in.not_negative_or("damping", law.damping, units.force());
  law.rest_length = read_cable_rest(in, points, scope.skeleton);
  law.slack = in.boolean_or("slack", law.slack);
  try {
    return make_cable(name, points, law);
  } catch (const Error& error) {
    throw in.context().located(error, in.line());
  }
}

/// The shapes that the force lists, otherwise those of its body.
std::vector<ContactPart> read_contact_parts(const ObjectReader& in, BodyIndex body,
                                            ForceScope& scope) {
  std::vector<ShapePart> shapes;
  if (in.has("shapes")) {
    for (const JsonNode& node : in.list("shapes")) {
      shapes.push_back(read_shape(in, node));
      if (shapes.back().density > 0)
        in.fail(node.line, "a shape that only touches has a 'density'", "leave it out");
    }
  } else if (body != kWorld) {
    shapes = scope.shapes[static_cast<size_t>(body.value)];
  }
  if (shapes.empty())
    in.fail(in.line(), "its body has no shapes to touch the ground with", "give 'shapes'");

  std::vector<ContactPart> parts;
  for (const ShapePart& part : shapes) {
    if (const auto* mesh = std::get_if<TriangleMesh>(&part.shape))
      scope.contact_points += mesh->vertices.size();
    if (scope.contact_points > kMostData)
      in.fail(in.line(), "the scene is too large", "at most 2000000 vertices touch the ground");
    parts.push_back({contact_shape(part.shape), part.E_BS});
  }
  return parts;
}

std::shared_ptr<const Force> read_ground_contact(const ObjectReader& in, const std::string& name,
                                                 ForceScope& scope) {
  const Units& units = in.context().units;
  const BodyIndex body = resolve_body(in, in.at("body"), "body", scope.skeleton);
  ContactPlane ground;
  if (const JsonNode* node = in.find("ground_body"))
    ground.body = resolve_body(in, *node, "ground_body", scope.skeleton);
  ground.point = in.vector3_or("point", ground.point, units.length);
  ground.normal = in.vector3_or("normal", ground.normal);
  SmoothContactLaw law;  // its defaults are in SI for all units of scenes
  law.stiffness = in.positive_or("stiffness", law.stiffness, units.force_per_length());
  law.onset = in.positive_or("onset", law.onset, units.length);
  law.dissipation = in.not_negative_or("dissipation", law.dissipation, 1 / units.length);
  law.friction = in.not_negative_or("friction", law.friction);
  law.creep_velocity = in.positive_or("creep_velocity", law.creep_velocity, units.length);
  return std::make_shared<SmoothContact>(name, body, read_contact_parts(in, body, scope), ground,
                                         law);
}

}  // namespace

ForceReading read_force(const SceneContext& context, const JsonNode& node, int number,
                        ForceScope& scope) {
  const std::string default_name = "force-" + std::to_string(number);
  const ValueReader anonymous(context, "force '" + default_name + "'");
  const ObjectKind& kind = kind_of_type(anonymous, node, scene_keys::kForceTypes);
  const JsonNode* given = node.find("name");
  const std::string name = given == nullptr ? default_name : anonymous.name(*given, "name");
  const ObjectReader in(context, node, "force '" + name + "'", kind);
  if (type_of(kind) == "torque") return read_torque(in, name, scope.skeleton);
  if (type_of(kind) == "motor") return read_motor(in, name, scope.skeleton);
  if (type_of(kind) == "world-force") return read_world_force(in, name, scope.skeleton);
  if (type_of(kind) == "spring") return read_spring(in, name, scope.skeleton);
  if (type_of(kind) == "cable") return read_cable(in, name, scope);
  return read_ground_contact(in, name, scope);
}

}  // namespace sinew

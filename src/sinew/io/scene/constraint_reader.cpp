#include "sinew/io/scene/constraint_reader.hpp"

#include "sinew/constraints/rows/closure.hpp"
#include "sinew/constraints/rows/coupling.hpp"
#include "sinew/constraints/rows/point_constraints.hpp"
#include "sinew/constraints/rows/prescribed_motion.hpp"
#include "sinew/io/scene/element_lookup.hpp"
#include "sinew/io/scene/function_reader.hpp"
#include "sinew/io/scene/spline_joint_reader.hpp"

namespace sinew {
namespace {

using ConstraintPointer = std::shared_ptr<const Constraint>;

template <class C>
ConstraintPointer shared(C constraint) {
  return std::make_shared<C>(std::move(constraint));
}

/// A direction of any length except zero.
Vec3 read_direction(const ObjectReader& in, const JsonNode& node, std::string_view what) {
  const Vec3 v = in.ValueReader::vector3(node, what);
  if (!(v.norm() > 1e-12))
    in.fail(node.line, "'" + std::string(what) + "' is zero", "give a direction");
  return v.normalized();
}

double unit_of(const ObjectReader& in, const Skeleton& skeleton, DofIndex dof) {
  return coordinate_unit(in.context().units,
                         skeleton.coordinates()[static_cast<size_t>(dof.value)].kind);
}

ConstraintPointer read_hinge(const ObjectReader& in, const std::string& name,
                             const Skeleton& skeleton) {
  const TwoPoints p = read_two_points(in, skeleton);
  const std::vector<JsonNode>& axes = in.list("axes");
  if (axes.size() != 2) in.fail(in.at("axes").line, "needs two 'axes'", "give one in either frame");
  return shared(Closure::Hinge(name, p.a, p.x_A, read_direction(in, axes[0], "axes"), p.b, p.x_B,
                               read_direction(in, axes[1], "axes")));
}

ConstraintPointer read_weld(const ObjectReader& in, const std::string& name,
                            const Skeleton& skeleton) {
  const auto [a, b] = read_two_bodies(in, skeleton);
  const std::vector<JsonNode>& frames = in.list("placements");
  if (frames.size() != 2)
    in.fail(in.at("placements").line, "needs two 'placements'", "give one in either frame");
  return shared(Closure::Weld(name, a, in.pose(frames[0], "placements"), b,
                              in.pose(frames[1], "placements")));
}

ConstraintPointer read_coupling(const ObjectReader& in, const std::string& name,
                                const Skeleton& skeleton) {
  const DofIndex dependent = resolve_coordinate(in, in.at("coordinate"), "coordinate", skeleton);
  FunctionUnits units{.value = unit_of(in, skeleton, dependent), .arguments = {}};
  std::vector<DofIndex> arguments;
  for (const JsonNode& node : in.list("arguments")) {
    arguments.push_back(resolve_coordinate(in, node, "arguments", skeleton));
    units.arguments.push_back(unit_of(in, skeleton, arguments.back()));
  }
  return shared(CoordinateCoupling::Function(
      name, dependent, read_function(in, in.at("function"), units), std::move(arguments)));
}

ConstraintPointer read_gear(const ObjectReader& in, const std::string& name,
                            const Skeleton& skeleton) {
  const DofIndex driver = resolve_coordinate(in, in.at("driver"), "driver", skeleton);
  const DofIndex driven = resolve_coordinate(in, in.at("driven"), "driven", skeleton);
  if (driver == driven)
    in.fail(in.at("driven").line, "couples a coordinate with itself", "name another one");
  const double unit = unit_of(in, skeleton, driven);
  return shared(CoordinateCoupling::Gear(name, driver, driven,
                                         in.number("ratio", unit / unit_of(in, skeleton, driver)),
                                         in.number_or("offset", 0, unit)));
}

ConstraintPointer read_prescribed_coordinate(const ObjectReader& in, const std::string& name,
                                             const Skeleton& skeleton) {
  static constexpr std::array kLevels = {ConstraintLevel::position, ConstraintLevel::velocity,
                                         ConstraintLevel::acceleration};
  const DofIndex dof = resolve_coordinate(in, in.at("coordinate"), "coordinate", skeleton);
  const ConstraintLevel level =
      kLevels[in.choice_or("level", 0, {"position", "velocity", "acceleration"})];
  return shared(PrescribedCoordinate(
      name, dof, level, read_time_function(in, in.at("function"), unit_of(in, skeleton, dof))));
}

PrescribedTwist::Row read_twist_row(const ObjectReader& twist, const JsonNode& node) {
  const ObjectReader in(twist.context(), node, twist.element(), scene_keys::kTwistRow);
  const bool linear = in.choice("part", {"angular", "linear"}) == 1;
  const bool world = in.choice_or("frame", 0, {"body", "world"}) == 1;
  return {linear ? PrescribedTwist::Part::linear : PrescribedTwist::Part::angular,
          read_direction(in, in.at("direction"), "direction"),
          world ? PrescribedTwist::Frame::world : PrescribedTwist::Frame::body,
          read_time_function(in, in.at("function"), linear ? in.context().units.length : 1)};
}

ConstraintPointer read_prescribed_twist(const ObjectReader& in, const std::string& name,
                                        const Skeleton& skeleton) {
  const BodyIndex body = resolve_body(in, in.at("body"), "body", skeleton);
  const Vec3 point = in.vector3_or("point", Vec3::Zero(), in.context().units.length);
  const bool acceleration = in.choice_or("level", 0, {"velocity", "acceleration"}) == 1;
  std::vector<PrescribedTwist::Row> rows;
  for (const JsonNode& row : in.list("rows")) rows.push_back(read_twist_row(in, row));
  if (rows.empty() || rows.size() > 6)
    in.fail(in.at("rows").line, "'rows' has " + std::to_string(rows.size()) + " entries",
            "give one to six");
  return shared(PrescribedTwist(
      name, body, point, acceleration ? ConstraintLevel::acceleration : ConstraintLevel::velocity,
      std::move(rows)));
}

ConstraintPointer make_constraint(const ObjectReader& in, const std::string& type,
                                  const std::string& name, const Skeleton& skeleton) {
  if (type == "hinge") return read_hinge(in, name, skeleton);
  if (type == "weld") return read_weld(in, name, skeleton);
  if (type == "coupling") return read_coupling(in, name, skeleton);
  if (type == "gear") return read_gear(in, name, skeleton);
  if (type == "prescribed-coordinate") return read_prescribed_coordinate(in, name, skeleton);
  if (type == "prescribed-twist") return read_prescribed_twist(in, name, skeleton);
  const TwoPoints p = read_two_points(in, skeleton);
  if (type == "distance")
    return shared(
        ConstantDistance(name, p.a, p.x_A, p.b, p.x_B, read_distance(in, "length", skeleton, p)));
  if (type == "point-on-line")
    return shared(PointOnLine(name, p.a, p.x_A, read_direction(in, in.at("direction"), "direction"),
                              p.b, p.x_B));
  if (type == "point-on-plane")
    return shared(
        PointOnPlane(name, p.a, p.x_A, read_direction(in, in.at("normal"), "normal"), p.b, p.x_B));
  return shared(Closure::Ball(name, p.a, p.x_A, p.b, p.x_B));
}

}  // namespace

ConstraintReading read_constraint(const SceneContext& context, const JsonNode& node, int number,
                                  const Skeleton& skeleton) {
  const std::string default_name = "constraint-" + std::to_string(number);
  const ValueReader anonymous(context, "constraint '" + default_name + "'");
  const ObjectKind& kind = kind_of_type(anonymous, node, scene_keys::kConstraintTypes);
  const JsonNode* given = node.find("name");
  const std::string name = given == nullptr ? default_name : anonymous.name(*given, "name");
  const ObjectReader in(context, node, "constraint '" + name + "'", kind);
  const std::string type = type_of(kind);
  return {make_constraint(in, type, name, skeleton), type};
}

}  // namespace sinew

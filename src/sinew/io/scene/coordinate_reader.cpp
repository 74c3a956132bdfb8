#include "sinew/io/scene/coordinate_reader.hpp"

#include "sinew/io/scene/element_lookup.hpp"
#include "sinew/io/scene/function_reader.hpp"
#include "sinew/io/scene/spline_joint_reader.hpp"

namespace sinew {
namespace {

/// Unit of an argument in either list; the map refuses unknown ones later.
double unit_of_argument(const Units& units, const std::string& name, const Skeleton& skeleton,
                        const std::vector<ExtraCoordinate>& extra) {
  for (const Coordinate& c : skeleton.coordinates())
    if (c.name == name) return coordinate_unit(units, c.kind);
  for (const ExtraCoordinate& c : extra)
    if (c.name == name) return coordinate_unit(units, c.kind);
  return 1;
}

}  // namespace

ExtraCoordinate read_extra_coordinate(const SceneContext& context, const JsonNode& node) {
  static constexpr std::array kKinds = {CoordinateKind::angle, CoordinateKind::length,
                                        CoordinateKind::parameter};
  const ObjectReader in(context, node, "extra coordinate", scene_keys::kExtraCoordinate);
  ExtraCoordinate out;
  out.name = in.name("name");
  out.kind = kKinds[in.choice_or("kind", 2, {"angle", "length", "parameter"})];
  const double unit = coordinate_unit(context.units, out.kind);
  out.q0 = in.number_or("q0", 0, unit);
  out.qdot0 = in.number_or("qdot0", 0, unit);
  return out;
}

DependentCoordinate read_dependent_coordinate(const SceneContext& context, const JsonNode& node,
                                              const Skeleton& skeleton,
                                              const std::vector<ExtraCoordinate>& extra) {
  const ObjectReader in(context, node, "dependent coordinate", scene_keys::kDependentCoordinate);
  DependentCoordinate out;
  out.dof = resolve_coordinate(in, in.at("coordinate"), "coordinate", skeleton);
  const Coordinate& coordinate = skeleton.coordinates()[static_cast<size_t>(out.dof.value)];
  const bool follows_time = coordinate.kind == CoordinateKind::time;
  if (!follows_time && (coordinate.q0 != 0 || coordinate.qdot0 != 0))
    in.fail(in.at("coordinate").line, "'" + coordinate.name + "' has its own q0 or qdot0",
            "leave them out: they follow from its arguments");
  FunctionUnits units{.value = coordinate_unit(context.units, coordinate.kind), .arguments = {}};
  for (const JsonNode& argument : in.list("arguments")) {
    in.require(argument, JsonNode::Type::string, "arguments");
    out.arguments.push_back(argument.text.substr(0, 200));
    units.arguments.push_back(
        unit_of_argument(context.units, out.arguments.back(), skeleton, extra));
  }
  out.f = read_function(in, in.at("function"), units);
  return out;
}

}  // namespace sinew

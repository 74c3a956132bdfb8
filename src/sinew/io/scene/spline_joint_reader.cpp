#include "sinew/io/scene/spline_joint_reader.hpp"

#include <algorithm>
#include <cmath>

#include "sinew/core/names.hpp"
#include "sinew/io/scene/function_reader.hpp"

namespace sinew {
namespace {

SplineEnds ends(bool closed) { return closed ? SplineEnds::cyclic : SplineEnds::open; }

/// A list of poses, or the name of one of the scene's curves.
std::vector<Pose> read_frames(const ObjectReader& in) {
  const JsonNode* list = &in.at("frames");
  if (list->type == JsonNode::Type::string) {
    const auto& curves = in.context().curves;
    const auto found = curves.find(list->text);
    if (found == curves.end()) {
      std::vector<std::string> names;
      for (const auto& [name, frames] : curves) names.push_back(name);
      in.fail(list->line, "'frames' names no curve of the scene", suggest(list->text, names));
    }
    list = found->second;
  }
  in.require(*list, JsonNode::Type::array, "frames");
  std::vector<Pose> frames;
  for (const JsonNode& frame : list->items) frames.push_back(in.pose(frame, "frames"));
  return frames;
}

/// Rows of equal length; empty if the key is absent.
MatX read_grid(const ObjectReader& in, std::string_view key, double unit) {
  const std::vector<JsonNode>& rows = in.list(key);
  if (rows.empty()) return {};
  in.require(rows.front(), JsonNode::Type::array, key);
  const int columns = static_cast<int>(rows.front().items.size());
  MatX grid(static_cast<Eigen::Index>(rows.size()), columns);
  for (size_t i = 0; i < rows.size(); ++i) {
    const std::vector<double> row = in.numbers(rows[i], columns, key, unit);
    grid.row(static_cast<Eigen::Index>(i)) =
        Eigen::Map<const Eigen::RowVectorXd>(row.data(), columns);
  }
  return grid;
}

/// The six grids; those that are left out are zero.
std::array<MatX, 6> read_grids(const ObjectReader& in) {
  static constexpr std::array<std::string_view, 6> kGrids = {"x", "y", "z", "rx", "ry", "rz"};
  std::array<MatX, 6> grids;
  Eigen::Index rows = 0, columns = 0;
  for (size_t k = 0; k < 6; ++k) {
    grids[k] = read_grid(in, kGrids[k], k < 3 ? in.context().units.length : 1);
    rows = std::max(rows, grids[k].rows());
    columns = std::max(columns, grids[k].cols());
  }
  for (MatX& grid : grids)
    if (grid.size() == 0) grid = MatX::Zero(rows, columns);
  return grids;
}

/// What control values of a surface do in time.
std::vector<SplineSurface::Change> read_changes(const ObjectReader& joint) {
  std::vector<SplineSurface::Change> out;
  for (const JsonNode& node : joint.list("changes")) {
    const ObjectReader in(joint.context(), node, joint.element(), scene_keys::kSurfaceChange);
    out.push_back({read_grids(in), read_function(in, in.at("function"), {1, {1}})});
  }
  return out;
}

TransformAxis read_axis(const ObjectReader& joint, const JsonNode& node,
                        const std::vector<CoordinateKind>& kinds, double value_unit) {
  const ObjectReader in(joint.context(), node, joint.element(), scene_keys::kTransformAxis);
  TransformAxis out{.axis = in.vector3("axis")};
  FunctionUnits units{.value = value_unit, .arguments = {}};
  for (const JsonNode& argument : in.list("arguments")) {
    const double number = in.ValueReader::number(argument, "arguments");
    if (number != std::floor(number) || number < 1 || number > static_cast<double>(kinds.size()))
      in.fail(argument.line, "'arguments' names a coordinate that the joint does not have",
              "count them from 1 to " + std::to_string(kinds.size()));
    const int index = static_cast<int>(number) - 1;
    out.coordinates.push_back(index);
    units.arguments.push_back(
        coordinate_unit(in.context().units, kinds[static_cast<size_t>(index)]));
  }
  out.function = read_function(in, in.at("function"), units);
  return out;
}

/// Up to three axes; the missing ones do not move.
std::array<TransformAxis, 3> read_axes(const ObjectReader& in, std::string_view key,
                                       const std::vector<CoordinateKind>& kinds, double unit) {
  std::array<TransformAxis, 3> axes;
  for (int i = 0; i < 3; ++i) axes[static_cast<size_t>(i)] = {.axis = Vec3::Unit(i)};
  const std::vector<JsonNode>& list = in.list(key);
  if (list.size() > 3)
    in.fail(in.at(key).line, "'" + std::string(key) + "' has more than three axes", "give three");
  for (size_t i = 0; i < list.size(); ++i) axes[i] = read_axis(in, list[i], kinds, unit);
  return axes;
}

std::optional<SplineSurface::Ranges> read_ranges(const ObjectReader& in) {
  if (!in.has("range")) return std::nullopt;
  const std::vector<JsonNode>& pairs = in.list("range");
  if (pairs.size() != 2)
    in.fail(in.at("range").line, "'range' needs two pairs of numbers", "give one per coordinate");
  SplineSurface::Ranges out;
  for (size_t k = 0; k < 2; ++k) {
    const std::vector<double> pair = in.numbers(pairs[k], 2, "range");
    out[k] = {pair[0], pair[1]};
  }
  return out;
}

template <class Spline>
Spline turned(const ObjectReader& in, const Spline& joint) {
  return in.boolean_or("reversed", false) ? joint.reversed() : joint;
}

SplineCurve read_curve(const ObjectReader& in) {
  std::vector<Pose> frames = read_frames(in);
  const SplineEnds kind = ends(in.boolean_or("closed", false));
  const JsonNode* knots = in.find("knots");
  const bool listed = knots != nullptr && knots->type == JsonNode::Type::array;
  const bool natural = !listed && in.choice_or("knots", 0, {"uniform", "natural"}) == 1;
  if (natural != in.has("characteristic_length"))
    in.fail(in.line(), "'characteristic_length' goes with natural knots only",
            natural ? "add it" : "leave it out");
  if (natural)
    return SplineCurve::Natural(std::move(frames), kind,
                                in.positive("characteristic_length", in.context().units.length));
  if (listed)
    return SplineCurve::WithKnots(std::move(frames), kind, in.numbers(*knots, -1, "knots"));
  return SplineCurve::Uniform(std::move(frames), kind);
}

}  // namespace

SplineCurve read_spline_curve(const ObjectReader& in) { return turned(in, read_curve(in)); }

SplineSurface read_spline_surface(const ObjectReader& in) {
  std::array<SplineEnds, 2> closed = {SplineEnds::open, SplineEnds::open};
  if (in.has("closed")) {
    const std::vector<JsonNode>& flags = in.list("closed");
    if (flags.size() != 2)
      in.fail(in.at("closed").line, "'closed' needs two values", "give one per coordinate");
    for (size_t k = 0; k < 2; ++k) {
      in.require(flags[k], JsonNode::Type::boolean, "closed");
      closed[k] = ends(flags[k].boolean);
    }
  }
  const SplineSurface surface(read_grids(in), closed, read_ranges(in));
  return turned(in, surface.deforming(read_changes(in)));
}

FunctionJoint read_function_joint(const ObjectReader& in) {
  static constexpr std::array kKinds = {CoordinateKind::angle, CoordinateKind::length,
                                        CoordinateKind::parameter};
  std::vector<CoordinateKind> kinds;
  for (const JsonNode& kind : in.list("kinds"))
    kinds.push_back(
        kKinds[in.ValueReader::choice(kind, {"angle", "length", "parameter"}, "kinds")]);
  auto rotations = read_axes(in, "rotations", kinds, 1);
  auto translations = read_axes(in, "translations", kinds, in.context().units.length);
  return FunctionJoint(std::move(kinds), std::move(rotations), std::move(translations));
}

}  // namespace sinew

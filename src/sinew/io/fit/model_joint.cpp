#include "sinew/io/fit/model_joint.hpp"

#include <array>
#include <cmath>
#include <variant>

#include "sinew/core/error.hpp"
#include "sinew/core/names.hpp"
#include "sinew/io/models/loaded_model.hpp"
#include "sinew/io/studies/motion_model.hpp"
#include "sinew/io/studies/muscle_study.hpp"
#include "sinew/io/tables/motion_reader.hpp"

namespace sinew {
namespace {

/// The body whose joint has the name and no more coordinates than this.
const Body& body_of_joint(const LoadedModel& model, const std::string& joint, int most) {
  std::vector<std::string> names;
  for (const Body& body : model.skeleton.bodies()) {
    names.push_back(body.joint_name);
    if (body.joint_name != joint) continue;
    if (body.joint.dof() < 1 || body.joint.dof() > most)
      throw Error("joint '" + joint + "'",
                  "has " + std::to_string(body.joint.dof()) + " coordinates",
                  "a curve has one, a surface two: name another joint");
    return body;
  }
  throw Error(model.path.string(), "has no joint '" + joint + "'", suggest(joint, names));
}

size_t coordinate_index(const Body& body) { return static_cast<size_t>(body.first_dof.value); }

/// Of the body's k-th coordinate.
CoordinateRange range_of(const LoadedModel& model, const Body& body, size_t k,
                         const std::optional<std::pair<double, double>>& range) {
  const std::string& joint = body.joint_name;
  const size_t coordinate = coordinate_index(body) + k;
  const CoordinateRange own =
      coordinate < model.target.ranges.size() ? model.target.ranges[coordinate] : CoordinateRange();
  CoordinateRange out = span_of(model.skeleton.coordinates()[coordinate], own, kStudyReach);
  const bool limited = std::isfinite(own.upper - own.lower);
  // Beyond its ends a spline is not meant to go.
  if (const CubicBSpline* spline = spline_of_coordinate(body.joint, static_cast<int>(k));
      spline != nullptr && !limited)
    out = {spline->begin(), spline->end()};
  if (range) out = {range->first, range->second};
  if (!(out.lower < out.upper))
    throw Error("joint '" + joint + "'", "has no range to be moved through",
                "give one: --range LOWER UPPER");
  return out;
}

}  // namespace

const CubicBSpline* spline_of_coordinate(const Joint& joint, int k) {
  if (const auto* curve = std::get_if<SplineCurve>(&joint.variant())) return &curve->spline();
  if (const auto* surface = std::get_if<SplineSurface>(&joint.variant()))
    return k < 2 ? &surface->splines()[static_cast<size_t>(k)] : nullptr;
  if (const auto* composite = std::get_if<Composite>(&joint.variant()))
    for (const Joint& part : composite->parts) {
      if (k < part.dof()) return spline_of_coordinate(part, k);
      k -= part.dof();
    }
  return nullptr;
}

BonePoses poses_of_model_joint(const std::string& path, const std::string& joint,
                               std::optional<std::pair<double, double>> range, int samples) {
  const LoadedModel model = load_model(path);
  const Body& body = body_of_joint(model, joint, 2);
  const int dof = body.joint.dof();
  const int each = dof == 1 ? samples : static_cast<int>(std::lround(std::sqrt(samples)));
  const int count = dof == 1 ? each : each * each;
  std::vector<CoordinateRange> spans;
  for (int i = 0; i < dof; ++i)
    spans.push_back(range_of(model, body, static_cast<size_t>(i), range));
  BonePoses out;
  out.E_PJ = body.E_PJ;
  out.E_JB = body.E_JB;
  out.q.resize(dof, count);
  const std::array<double, 2> still{};
  for (int k = 0; k < count; ++k) {
    for (int i = 0; i < dof; ++i) {
      const CoordinateRange& span = spans[static_cast<size_t>(i)];
      const int step = i == 0 ? k % each : k / each;
      out.q(i, k) = span.lower + (span.upper - span.lower) * step / (each - 1);
    }
    const auto n = static_cast<size_t>(dof);
    JointMotion motion;
    body.joint.evaluate({out.q.col(k).data(), n}, {still.data(), n}, motion);
    out.poses.push_back(body.E_PJ * motion.Q * body.E_JB);
    out.rows.push_back(k + 1);
  }
  return out;
}

JointNames names_of_joint(const std::string& path, const std::string& joint) {
  const LoadedModel model = load_model(path);
  const Body& body = body_of_joint(model, joint, 2);
  const auto* functions = std::get_if<FunctionJoint>(&body.joint.variant());
  if (functions != nullptr && functions->reversed())
    throw Error("joint '" + joint + "'", "is reversed in " + path,
                "write its joint to a .json file");
  JointNames out{body.parent < 0 ? "ground" : model.skeleton.body(body.parent).name, body.name, {}};
  for (int k = 0; k < body.joint.dof(); ++k)
    out.coordinates.push_back(
        model.skeleton.coordinates()[coordinate_index(body) + static_cast<size_t>(k)].name);
  return out;
}

JointChange compare_joint(const std::string& before, const std::string& after,
                          const std::string& joint, const std::string& motion) {
  JointChange out;
  LoadedModel old_model = load_model(before), new_model = load_model(after);
  const bool muscles = old_model.osim ? !old_model.osim->paths.empty() : !old_model.muscles.empty();
  for (const std::string& coordinate : names_of_joint(before, joint).coordinates) {
    if (!muscles) break;
    constexpr int kSamples = 50;
    const MuscleSweep one =
        sweep_coordinate(studied_muscles(old_model), coordinate, std::nullopt, kSamples);
    const MuscleSweep other =
        sweep_coordinate(studied_muscles(new_model), coordinate, std::nullopt, kSamples);
    // Columns: the coordinate, then length and moment arm of each muscle.
    for (size_t i = 0; i < one.rows.size(); ++i)
      for (size_t k = 2; k < one.labels.size(); k += 2) {
        const double change = std::abs(one.rows[i][k] - other.rows[i][k]);
        if (change > out.moment_arm || out.muscle.empty()) {
          out.moment_arm = change;
          const std::string& label = one.labels[k - 1];
          out.muscle = label.substr(0, label.size() - std::string("_length").size());
        }
      }
  }
  if (motion.empty()) return out;
  const auto moments = [&](const LoadedModel& model) {
    const MotionReading reading = read_motion(motion, model.target, {});
    out.warnings = reading.warnings;
    return inverse_dynamics(motion_system(model).build(), reading.motion);
  };
  const MatX change = (moments(old_model) - moments(new_model)).cwiseAbs();
  const std::vector<Coordinate>& coordinates = old_model.skeleton.coordinates();
  for (size_t k = 0; k < coordinates.size(); ++k) {
    if (coordinates[k].kind == CoordinateKind::length) continue;  // has a force
    const double largest = change.row(static_cast<Eigen::Index>(k)).maxCoeff();
    if (largest > out.moment || out.coordinate.empty()) {
      out.moment = largest;
      out.coordinate = coordinates[k].name;
    }
  }
  return out;
}

}  // namespace sinew

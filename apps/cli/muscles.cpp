#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "commands.hpp"
#include "scene_library.hpp"
#include "sinew/analysis/muscle_paths.hpp"
#include "sinew/analysis/muscle_rank.hpp"
#include "sinew/core/error.hpp"
#include "sinew/core/names.hpp"
#include "sinew/io/scene.hpp"

namespace sinew::cli {
namespace {

using nlohmann::ordered_json;

/// What a coordinate without stops or limits is taken to move through, on either side of its
/// default [rad, m].
constexpr double kDefaultAngle = 0.5, kDefaultLength = 0.05;

/// Moment arms of coordinates that only carry a muscle along are rounding [m].
constexpr double kRounding = 1e-14;

std::pair<double, double> range_of(const Scene& scene, const Coordinate& c) {
  const double half = c.kind == CoordinateKind::length ? kDefaultLength : kDefaultAngle;
  std::pair range(c.q0 - half, c.q0 + half);
  const auto found = scene.coordinate_ranges.find(c.name);
  if (found == scene.coordinate_ranges.end()) return range;
  const auto [lower, upper] = found->second;
  if (std::isfinite(lower)) range.first = lower;
  if (std::isfinite(upper)) range.second = upper;
  // One end given, beyond the default one of the other.
  if (range.first > range.second) range = {c.q0, c.q0};
  return range;
}

size_t find_coordinate(const System& system, const std::string& name) {
  std::vector<std::string> names;
  for (const Coordinate& c : system.coordinates()) names.push_back(c.name);
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end())
    throw Error("--coordinate", "there is no coordinate '" + name + "'", suggest(name, names));
  return static_cast<size_t>(found - names.begin());
}

ordered_json to_json(const System& system, const MusclePath& path, size_t i) {
  ordered_json arms = ordered_json::object();
  for (Eigen::Index k = 0; k < path.moment_arms.size(); ++k)
    if (std::abs(path.moment_arms[k]) > kRounding)
      arms[system.coordinates()[static_cast<size_t>(k)].name] = path.moment_arms[k];
  ordered_json nodes = ordered_json::array();
  for (const Vec3& x : path.nodes) nodes.push_back({x.x(), x.y(), x.z()});
  return {{"name", system.muscles()[i]->name()},
          {"length", path.length},
          {"wrapped_angle", path.wrapped_angle},
          {"status", name_of(path.status)},
          {"moment_arms", arms},
          {"path", nodes}};
}

int show_pose(const Scene& scene, const MusclesOptions& options) {
  const System& system = scene.system;
  const State state = initial_state(system, scene.settings.step);
  Workspace ws(system);
  std::vector<MusclePath> paths;
  update_muscle_paths(system, state.t, state.q, state.qdot, ws, paths);
  ordered_json list = ordered_json::array();
  for (size_t i = 0; i < paths.size(); ++i) list.push_back(to_json(system, paths[i], i));
  if (options.json) {
    fmt::print("{}\n", ordered_json{{"scene", scene.name}, {"muscles", list}}.dump(2));
    return kOk;
  }
  fmt::print("{}: lengths and moment arms −∂l/∂q in the default pose\n\n", scene.name);
  fmt::print("  {:<24} {:>10} {:>14}  {}\n", "muscle", "length [m]", "wrapped [rad]",
             "moment arms [m, or 1 of lengths]");
  for (const ordered_json& m : list) {
    std::vector<std::string> arms;
    for (const auto& [name, arm] : m["moment_arms"].items())
      arms.push_back(fmt::format("{} {:+.5g}", name, arm.get<double>()));
    fmt::print("  {:<24} {:>10.5g} {:>14.4g}  {}\n", m["name"].get<std::string>(),
               m["length"].get<double>(), m["wrapped_angle"].get<double>(), fmt::join(arms, ", "));
  }
  return kOk;
}

/// Lengths and moment arms while one coordinate goes through its range.
struct Sweep {
  std::vector<std::string> labels;
  std::vector<std::vector<double>> rows;
};
Sweep sweep_coordinate(const Scene& scene, const MusclesOptions& options) {
  const System& system = scene.system;
  const size_t k = find_coordinate(system, options.coordinate);
  auto [lower, upper] = range_of(scene, system.coordinates()[k]);
  if (!options.range.empty()) {
    lower = options.range[0];
    upper = options.range[1];
  }
  Sweep out;
  out.labels = {options.coordinate};
  for (const auto& m : system.muscles())
    out.labels.insert(out.labels.end(), {m->name() + "_length",
                                         m->name() + "_" + options.coordinate + "_moment_arm"});
  State state = initial_state(system, scene.settings.step);
  Workspace ws(system);
  std::vector<MusclePath> paths;
  for (int s = 0; s < options.samples; ++s) {
    const double share = options.samples == 1 ? 0 : s / (options.samples - 1.0);
    const auto at = static_cast<Eigen::Index>(k);
    state.q[at] = lower + share * (upper - lower);
    update_muscle_paths(system, state.t, state.q, VecX::Zero(state.q.size()), ws, paths);
    std::vector<double>& row = out.rows.emplace_back();
    row.push_back(state.q[at]);
    for (const MusclePath& path : paths) row.insert(row.end(), {path.length, path.moment_arms[at]});
  }
  return out;
}

int show_sweep(const Scene& scene, const MusclesOptions& options) {
  const Sweep sweep = sweep_coordinate(scene, options);
  if (!options.out.empty()) {
    // A table's first column is its number: .sto files need one that increases.
    const std::filesystem::path path(options.out);
    const bool csv = path.extension() == ".csv";
    TableWriter table(path, csv ? TableFormat::csv : TableFormat::sto, scene.name + "_muscles",
                      sweep.labels);
    double number = 0;
    for (const std::vector<double>& row : sweep.rows) table.add_row(number++, {row});
    table.close();
    if (!options.json) fmt::print("{} rows in {}\n", sweep.rows.size(), options.out);
    return kOk;
  }
  if (options.json) {
    fmt::print(
        "{}\n",
        ordered_json{{"scene", scene.name}, {"columns", sweep.labels}, {"rows", sweep.rows}}.dump(
            2));
    return kOk;
  }
  fmt::print("{}\n", fmt::join(sweep.labels, "\t"));
  for (const std::vector<double>& row : sweep.rows) fmt::print("{:.6g}\n", fmt::join(row, "\t"));
  return kOk;
}

int show_ranks(const Scene& scene, const MusclesOptions& options) {
  const System& system = scene.system;
  PoseRange range{VecX(system.dof_count()), VecX(system.dof_count())};
  for (Eigen::Index k = 0; k < range.lower.size(); ++k)
    std::tie(range.lower[k], range.upper[k]) =
        range_of(scene, system.coordinates()[static_cast<size_t>(k)]);
  const std::vector<MuscleRank> ranks = rank_muscles(system, range, options.samples, options.seed);
  ordered_json list = ordered_json::array();
  for (const MuscleRank& rank : ranks)
    list.push_back({{"name", system.muscles()[static_cast<size_t>(rank.muscle)]->name()},
                    {"mass", system.muscles()[static_cast<size_t>(rank.muscle)]->muscle().mass},
                    {"largest", rank.largest},
                    {"mean", rank.mean},
                    {"poses", rank.poses}});
  if (options.json) {
    fmt::print("{}\n", ordered_json{{"scene", scene.name},
                                    {"samples", options.samples},
                                    {"seed", options.seed},
                                    {"muscles", list}}
                           .dump(2));
    return kOk;
  }
  fmt::print("{}: inertia of muscles over that of the bones, largest eigenvalue, {} poses\n\n",
             scene.name, options.samples);
  fmt::print("  {:<24} {:>10} {:>12} {:>12}\n", "muscle", "mass [kg]", "largest", "mean");
  for (const ordered_json& m : list)
    fmt::print("  {:<24} {:>10.4g} {:>12.4g} {:>12.4g}\n", m["name"].get<std::string>(),
               m["mass"].get<double>(), m["largest"].get<double>(), m["mean"].get<double>());
  return kOk;
}

}  // namespace

int run_muscles(const MusclesOptions& options) {
  const Scene scene = load_scene(find_scene(options.scene), options.set);
  if (scene.system.muscles().empty())
    throw Error(options.scene, "has no muscles", "see `sinew scenes`");
  if (options.samples < 1 || options.samples > 1000000)
    throw Error("--samples", "is out of range", "give a number from 1 to 1000000");
  if (options.rank) return show_ranks(scene, options);
  if (!options.coordinate.empty()) return show_sweep(scene, options);
  return show_pose(scene, options);
}

}  // namespace sinew::cli

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>

#include "cli/commands/commands.hpp"
#include "cli/commands/options.hpp"
#include "cli/console.hpp"
#include "sinew/core/error.hpp"
#include "sinew/io/fit/model_joint.hpp"
#include "sinew/io/ik/target_table.hpp"
#include "sinew/io/models/loaded_model.hpp"
#include "sinew/io/tables/storage_file.hpp"
#include "sinew/report/json_text.hpp"

namespace sinew::cli {
namespace {

using nlohmann::ordered_json;

struct IkOptionsOfCommand {
  std::string model, targets, out;
  std::vector<std::string> bodies, points, set;
  double length = 0.1;
  double tolerance = std::numeric_limits<double>::infinity();
  bool free = false;  ///< without the limits of coordinates
  bool json = false;
};

/// The coordinates of a scene that time alone gives: those of surfaces that deform, and dependent
/// ones that follow nothing else. They are held where they are at the time of a row.
class CoordinatesByTime {
 public:
  /// Throws an Error for scenes with coordinates that depend on others.
  explicit CoordinatesByTime(const LoadedModel& model) {
    const CoordinateMap* map = model.scene ? model.scene->system.coordinate_map() : nullptr;
    if (map == nullptr) return;
    for (const CoordinateMap::Term& term : map->terms()) {
      const auto free = [](int argument) { return argument != CoordinateMap::kTime; };
      if (std::any_of(term.arguments.begin(), term.arguments.end(), free))
        throw Error(model.path.string(),
                    "has dependent coordinates, such as '" +
                        model.skeleton.coordinates()[static_cast<size_t>(term.dof)].name + "'",
                    "write them as couplings");
      indices_.push_back(term.dof);
    }
    still_ = VecX::Zero(map->free_count());
    values_.emplace(model.skeleton, *map);
  }

  const std::vector<int>& indices() const { return indices_; }

  /// Overwrites their values in q.
  void put(double t, VecX& q) {
    if (!values_) return;
    values_->update(still_, still_, t);
    for (const int k : indices_) q[k] = values_->q[k];
  }

 private:
  std::vector<int> indices_;
  VecX still_;  ///< of the free coordinates, on which nothing depends
  std::optional<MapValues> values_;
};

/// What may move in a loaded model.
IkModel ik_model(const LoadedModel& model, const CoordinatesByTime& by_time, bool without_limits) {
  IkModel out{.skeleton = model.skeleton, .coupled = model.target.coupled};
  const std::vector<Coordinate>& coordinates = model.skeleton.coordinates();
  for (size_t k = 0; k < coordinates.size(); ++k)
    if (model.locked.contains(coordinates[k].name)) out.held.push_back(static_cast<int>(k));
  out.held.insert(out.held.end(), by_time.indices().begin(), by_time.indices().end());
  if (without_limits) return out;
  const auto n = static_cast<Eigen::Index>(coordinates.size());
  out.limits.lower = VecX::Constant(n, -std::numeric_limits<double>::infinity());
  out.limits.upper = -out.limits.lower;
  for (Eigen::Index k = 0; k < n; ++k) {
    double& lower = out.limits.lower[k];
    double& upper = out.limits.upper[k];
    const Coordinate& c = coordinates[static_cast<size_t>(k)];
    if (!model.target.ranges.empty()) {
      const CoordinateRange& range = model.target.ranges[static_cast<size_t>(k)];
      lower = range.lower;
      upper = range.upper;
    }
    // Beyond the ends of an open spline nothing was measured.
    const CubicBSpline* spline = spline_of_coordinate(model.skeleton.body(c.body).joint, c.local);
    if (spline == nullptr || spline->ends() == SplineEnds::cyclic) continue;
    lower = std::max(lower, spline->begin());
    upper = std::min(upper, spline->end());
  }
  return out;
}

/// Loops and other constraints between bodies are not among what is solved for.
void warn_of_constraints(const LoadedModel& model) {
  const ConstraintList& all =
      model.scene ? model.scene->system.constraints() : model.osim->constraints;
  std::vector<std::string> names;
  for (const auto& constraint : all)
    if (constraint->needs_kinematics() && constraint->level() == ConstraintLevel::position)
      names.push_back(constraint->name());
  if (!names.empty())
    print_warnings(
        {fmt::format("inverse kinematics does not keep the constraints {}: follow enough "
                     "bodies on both sides of them",
                     fmt::join(names, ", "))});
}

/// Row after row, each from the pose of the one before.
struct IkRun {
  std::vector<double> times;
  std::vector<IkSolution> solutions;
  bool interrupted = false;
};

IkRun follow_targets(const IkModel& model, const TargetTable& table, CoordinatesByTime& by_time,
                     VecX q, const InterruptGuard& interrupt) {
  ProgressBar progress(static_cast<double>(table.times.size()));
  IkRun out;
  for (size_t k = 0; k < table.times.size() && !out.interrupted; ++k) {
    // Only the first pose may be anywhere.
    const IkOptions options{.starts = k == 0 ? 12 : 1};
    by_time.put(table.times[k], q);
    out.solutions.push_back(solve_ik(model, table.targets[k], q, options));
    out.times.push_back(table.times[k]);
    q = out.solutions.back().q;
    progress.update(static_cast<double>(k + 1));
    out.interrupted = interrupt.flag();
  }
  return out;
}

/// Coordinates over time, in radians and metres.
void write_motion(const std::string& path, const LoadedModel& model, const IkRun& run) {
  MotionTable table{.name = path, .labels = {}, .times = run.times, .values = {}};
  for (const Coordinate& c : model.skeleton.coordinates()) table.labels.push_back(c.name);
  table.values.resize(static_cast<Eigen::Index>(run.times.size()),
                      static_cast<Eigen::Index>(table.labels.size()));
  for (size_t k = 0; k < run.solutions.size(); ++k)
    table.values.row(static_cast<Eigen::Index>(k)) = run.solutions[k].q.transpose();
  write_storage(path, table, model.model_name + "_ik", false);
}

ordered_json ik_summary(const IkOptionsOfCommand& o, const LoadedModel& model,
                        const TargetTable& table, const IkRun& run) {
  double sum = 0, largest = 0, largest_at = 0;
  int count = 0, unsolved = 0, restarted = 0;
  std::vector<int> iterations;
  for (size_t k = 0; k < run.solutions.size(); ++k) {
    const IkSolution& s = run.solutions[k];
    sum += s.distances.squaredNorm();
    count += static_cast<int>(s.distances.size());
    if (s.distances.maxCoeff() >= largest)
      largest = s.distances.maxCoeff(), largest_at = run.times[k];
    unsolved += !s.converged || s.distances.maxCoeff() > o.tolerance;
    iterations.push_back(s.iterations);
    restarted += s.starts > 1;
  }
  std::nth_element(iterations.begin(),
                   iterations.begin() + static_cast<long>(iterations.size() / 2), iterations.end());
  return {{"model", model.model_name},     {"targets", o.targets},
          {"names", table.names},          {"rows", run.times.size()},
          {"rms", std::sqrt(sum / count)}, {"largest", largest},
          {"largest_at", largest_at},      {"median_iterations", iterations[iterations.size() / 2]},
          {"restarted_rows", restarted},   {"unsolved_rows", unsolved}};
}

int run_ik(const IkOptionsOfCommand& o) {
  const LoadedModel model = load_model(o.model, {.set = o.set});
  require_no_input("--out", o.out, {model.path.string(), o.targets});
  CoordinatesByTime by_time(model);
  print_warnings(model.warnings);
  warn_of_constraints(model);
  std::vector<NamedPoint> points;
  for (const std::string& text : o.points)
    points.push_back(parse_named_point(text, model.skeleton));
  const TargetTable table = read_targets(o.targets, model.skeleton, o.bodies, points, o.length);
  print_warnings(table.warnings);
  if (table.times.empty())
    throw Error(o.targets, "has no row with a target", "give a table with numbers");
  VecX q(model.skeleton.dof_count());
  for (Eigen::Index k = 0; k < q.size(); ++k)
    q[k] = model.skeleton.coordinates()[static_cast<size_t>(k)].q0;
  const InterruptGuard interrupt;  // until all is written
  const IkRun run = follow_targets(ik_model(model, by_time, o.free), table, by_time, q, interrupt);
  if (!o.out.empty()) write_motion(o.out, model, run);
  ordered_json record = ik_summary(o, model, table, run);
  if (o.json) {
    ordered_json rows = ordered_json::array();
    for (size_t k = 0; k < run.solutions.size(); ++k) {
      const VecX &at = run.solutions[k].q, &d = run.solutions[k].distances;
      rows.push_back({{"time", run.times[k]},
                      {"q", std::vector<double>(at.begin(), at.end())},
                      {"distances", std::vector<double>(d.begin(), d.end())}});
    }
    record["solutions"] = rows;
    fmt::print("{}\n", json_text(record));
  } else {
    fmt::print("{}: {} targets in {} rows\n\n", model.model_name, table.names.size(),
               run.times.size());
    fmt::print("  distance [mm]   rms {:.5g}, largest {:.5g} at {:.6g} s\n",
               1e3 * record["rms"].get<double>(), 1e3 * record["largest"].get<double>(),
               record["largest_at"].get<double>());
    fmt::print(
        "  iterations      {} (median, of all starts); {} of {} rows had more than one start\n",
        record["median_iterations"].get<int>(), record["restarted_rows"].get<int>(),
        run.times.size());
    if (!o.out.empty()) fmt::print("  output          {}\n", o.out);
  }
  if (run.interrupted) {
    say(fmt::format("sinew: interrupted after {} of {} rows; they are kept\n", run.times.size(),
                    table.times.size()));
    return kInterrupted;
  }
  const int unsolved = record["unsolved_rows"].get<int>();
  if (unsolved > 0)
    say(
        fmt::format("sinew: {} of {} rows have no solution: they did not converge, or are further "
                    "off than --tolerance\n",
                    unsolved, run.times.size()));
  return unsolved > 0 ? kFailed : kOk;
}

}  // namespace

Command add_ik(CLI::App& program) {
  CLI::App* c = program.add_subcommand(
      "ik", "Inverse kinematics: coordinates that bring bodies to given poses and points");
  const auto o = std::make_shared<IkOptionsOfCommand>();
  c->add_option("model", o->model, kModelHelp)->required();
  c->add_option("targets", o->targets,
                "Poses and points over time, .sto or .mot: <body>_X … _Oz, as in bodies.sto")
      ->required();
  c->add_option("--body", o->bodies, "Follow only these bodies (default: all in the table)")
      ->delimiter(',');
  c->add_option("--point", o->points,
                "A point of a body, NAME=BODY:X,Y,Z [m]; its columns are NAME_X, _Y, _Z");
  c->add_option("--length", o->length, "Length that a radian of a pose counts as [m]")
      ->check(positive())
      ->capture_default_str();
  c->add_option("--tolerance", o->tolerance,
                "Rows with a target further off than this have no solution [m]")
      ->check(positive());
  c->add_flag("--no-limits", o->free, "Let coordinates leave their ranges");
  add_set(*c, o->set);
  c->add_option("--out", o->out, "Coordinates over time, .sto or .mot")->check(named());
  add_json(*c, o->json);
  c->footer(
      "Examples\n"
      "  sinew ik leg.osim bodies.sto --body tibia_r,foot_r --out leg_ik.mot\n"
      "  sinew ik arm hand.sto --point grip=hand:0.02,-0.08,0 --tolerance 0.005 --json");
  return {c, [o](const std::string&) { return run_ik(*o); }};
}

}  // namespace sinew::cli

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "cli/commands/commands.hpp"
#include "cli/commands/muscle_motion.hpp"
#include "cli/commands/pose_warnings.hpp"
#include "cli/console.hpp"
#include "sinew/core/error.hpp"
#include "sinew/io/tables/storage_file.hpp"
#include "sinew/report/json_text.hpp"

namespace sinew::cli {
namespace {

using nlohmann::ordered_json;

/// Moment arms below this are rounding: the coordinate only carries the muscle along [m].
constexpr double kRounding = 1e-14;

ordered_json arms_to_json(const StudiedMuscles& source, const VecX& arms) {
  ordered_json out = ordered_json::object();
  for (Eigen::Index k = 0; k < arms.size(); ++k)
    if (std::abs(arms[k]) > kRounding)
      out[source.coordinates()[static_cast<size_t>(k)].name] = arms[k];
  return out;
}

ordered_json to_json(const StudiedMuscles& source, const MatX& couplings, const MusclePath& path,
                     size_t i) {
  ordered_json nodes = ordered_json::array();
  for (const Vec3& x : path.nodes) nodes.push_back({x.x(), x.y(), x.z()});
  ordered_json out = {{"name", source.names[i]}, {"length", path.length}};
  if (source.has_spans) {
    out["wrapped_angle"] = path.wrapped_angle;
    out["status"] = name_of(path.status);
  }
  out["moment_arms"] = arms_to_json(source, path.moment_arms);
  if (!couplings.isIdentity(0))
    out["effective_moment_arms"] = arms_to_json(source, couplings * path.moment_arms);
  if (source.hill[i]) {
    const HillDescription& d = *source.hill[i];
    const HillInstant instant =
        hill_instant(d.muscle, d.initial_activation, path.length, path.rate);
    out["activation"] = instant.values.activation;
    out["norm_fibre_length"] = instant.values.norm_fibre_length;
    out["tendon_force"] = instant.values.tendon_force;
    out["equilibrium"] = name_of(instant.status);
  }
  out["path"] = nodes;
  return out;
}

void print_pose(const StudiedMuscles& source, const ordered_json& list) {
  fmt::print("{}: lengths and moment arms −∂l/∂q in the default pose\n\n", source.model.model_name);
  const std::string second = source.has_spans ? "wrapped [rad]" : "tendon [N]";
  fmt::print("  {:<24} {:>10} {:>14}  {}\n", "muscle", "length [m]", second,
             "moment arms [m, or 1 for lengths]");
  for (const ordered_json& m : list) {
    std::vector<std::string> arms;
    for (const auto& [name, arm] : m["moment_arms"].items())
      arms.push_back(fmt::format("{} {:+.5g}", name, arm.get<double>()));
    const char* key = source.has_spans ? "wrapped_angle" : "tendon_force";
    const std::string value =
        m.contains(key) ? fmt::format("{:.4g}", m[key].get<double>()) : "unknown";
    fmt::print("  {:<24} {:>10.5g} {:>14}  {}\n", m["name"].get<std::string>(),
               m["length"].get<double>(), value, fmt::join(arms, ", "));
  }
}

int show_pose(const StudiedMuscles& source, const MusclesOptions& options) {
  std::vector<MusclePath> paths;
  source.update(0, source.q0, VecX::Zero(source.q0.size()), paths);
  const MatX couplings = source.couplings(source.q0);
  ordered_json list = ordered_json::array();
  for (size_t i = 0; i < paths.size(); ++i) list.push_back(to_json(source, couplings, paths[i], i));
  if (options.output.json)
    fmt::print("{}\n", json_text({{"scene", source.model.model_name}, {"muscles", list}}));
  else
    print_pose(source, list);
  return kOk;
}

void write_sweep(const StudiedMuscles& source, const MuscleSweep& sweep,
                 const std::filesystem::path& path) {
  require_no_input("--out", path.string(), {source.model.path.string()});
  MotionTable table{.name = path.string(), .labels = sweep.labels, .times = {}, .values = {}};
  table.values.resize(static_cast<Eigen::Index>(sweep.rows.size()),
                      static_cast<Eigen::Index>(sweep.labels.size()));
  // The first column of a table is its row number: .sto files need one that increases.
  for (Eigen::Index k = 0; k < table.values.rows(); ++k) {
    const std::vector<double>& row = sweep.rows[static_cast<size_t>(k)];
    table.times.push_back(static_cast<double>(k));
    table.values.row(k) =
        Eigen::Map<const VecX>(row.data(), static_cast<Eigen::Index>(row.size())).transpose();
  }
  if (path.extension() == ".csv")
    write_csv(path, table);
  else
    write_storage(path, table, source.model.model_name + "_muscles", false);
}

int show_sweep(const StudiedMuscles& source, const MusclesOptions& options) {
  std::optional<std::pair<double, double>> range;
  if (!options.range.empty()) range.emplace(options.range[0], options.range[1]);
  const MuscleSweep sweep =
      sweep_coordinate(source, options.coordinate, range, options.samples.value_or(100));
  print_warnings(sweep.doubts);
  const std::string& out = options.output.out;
  const InterruptGuard writing;
  if (!out.empty()) write_sweep(source, sweep, out);
  if (options.output.json) {
    fmt::print("{}\n", json_text({{"scene", source.model.model_name},
                                  {"columns", sweep.labels},
                                  {"rows", sweep.rows}}));
    return kOk;
  }
  if (!out.empty()) {
    fmt::print("{} rows in {}\n", sweep.rows.size(), out);
    return kOk;
  }
  fmt::print("{}\n", fmt::join(sweep.labels, "\t"));
  for (const std::vector<double>& row : sweep.rows) fmt::print("{:.6g}\n", fmt::join(row, "\t"));
  return kOk;
}

MuscleRanking rank_until(const std::atomic<bool>& interrupt, const RankedModel& model,
                         const MusclesOptions& options) {
  RankOptions how{.range = model.range, .mirror = model.mirror, .seed = options.seed};
  how.poses = options.samples.value_or(0);
  ProgressBar progress(options.samples.value_or(how.most));
  how.go_on = [&](int poses) {
    progress.update(poses);
    return !interrupt;
  };
  return rank_muscles(model.ranked, how);
}

int code_of_ranks(bool interrupted) {
  if (!interrupted) return kOk;
  std::fflush(stdout);
  say("sinew: interrupted: the ranks are those of the poses so far\n");
  return kInterrupted;
}

int show_ranks(const StudiedMuscles& source, const MusclesOptions& options) {
  const RankedModel model = ranked_model(source, options.mass);
  print_warnings(model.warnings);
  const InterruptGuard interrupt;
  const MuscleRanking ranking = rank_until(interrupt.flag(), model, options);
  ordered_json list = ordered_json::array();
  for (const MuscleRank& rank : ranking.ranks) {
    const Muscle& muscle =
        model.ranked.system.muscles()[static_cast<size_t>(rank.muscle)]->muscle();
    list.push_back({{"name", muscle.name},
                    {"mass", muscle.mass},
                    {"percentile_95", rank.percentile},
                    {"mean", rank.mean},
                    {"poses", rank.poses}});
  }
  if (options.output.json) {
    fmt::print("{}\n", json_text({{"scene", source.model.model_name},
                                  {"poses", ranking.poses},
                                  {"mirrored", model.mirror.has_value()},
                                  {"settled", ranking.settled},
                                  {"seed", options.seed},
                                  {"muscles", list}}));
    return code_of_ranks(interrupt.flag());
  }
  fmt::print(
      "{}: how much of the inertia changes if a muscle's mass is fixed to the bones, over {} "
      "poses{}\n\n",
      source.model.model_name, ranking.poses, model.mirror ? " in mirrored pairs" : "");
  fmt::print("  {:<24} {:>10} {:>16} {:>12}\n", "muscle", "mass [kg]", "95th percentile", "mean");
  for (const ordered_json& m : list)
    fmt::print("  {:<24} {:>10.4g} {:>16.4g} {:>12.4g}\n", m["name"].get<std::string>(),
               m["mass"].get<double>(), m["percentile_95"].get<double>(), m["mean"].get<double>());
  if (!ranking.settled)
    fmt::print("\n  The order is not settled: other poses change it by more than 2 %.\n");
  return code_of_ranks(interrupt.flag());
}

/// A scene whose muscles' mass matters has the masses that the options say.
StudiedMuscles load_muscles(const MusclesOptions& options) {
  LoadedModel model = load_model(options.study.model, {.set = options.study.set});
  if ((options.rank || options.points) && model.scene)
    model = load_model(options.study.model, {.set = options.study.set, .mass = options.mass});
  return studied_muscles(std::move(model));
}

void require_use_of_mass(const MusclesOptions& options) {
  const MuscleMassOptions& mass = options.mass;
  if (options.rank || options.points) return;
  if (mass.says() || mass.share || mass.specific_tension || mass.height)
    throw Error("--muscle-mass and what belongs to it", "has no effect here",
                "add --rank or --points, or leave it out");
}

int run_muscles(const MusclesOptions& options, const std::string& typed) {
  require_use_of_mass(options);
  if (options.samples && (*options.samples < 1 || *options.samples > 1000000))
    throw Error("--samples", "is out of range", "give a number from 1 to 1000000");
  const StudiedMuscles source = load_muscles(options);
  if (!options.rank && !options.points) print_warnings(source.model.warnings);
  if (options.study.motion.empty()) warn_of_start(source.model);
  if (options.points) return run_muscle_points(source, options, typed);
  if (!options.study.motion.empty()) return run_muscle_motion(source, options, typed);
  if (options.rank) return show_ranks(source, options);
  if (!options.coordinate.empty()) return show_sweep(source, options);
  if (!options.output.out.empty())
    throw Error("--out", "needs a motion or --coordinate, or --points", "give one of them");
  return show_pose(source, options);
}

}  // namespace

Command add_muscles(CLI::App& program) {
  CLI::App* c = program.add_subcommand(
      "muscles", "Lengths, moment arms, forces, powers, points and importance of muscles");
  const auto o = std::make_shared<MusclesOptions>();
  c->add_option("model", o->study.model, kModelHelp)->required();
  c->add_option("motion", o->study.motion,
                std::string(kMotionHelp) + " (default: only the default pose)");
  c->add_option("--activation", o->drive.activation,
                "Activation of all muscles, 0 to 1 (default: each muscle's initial one)")
      ->check(finite())
      ->check(CLI::Range(0.0, 1.0))
      ->needs("motion");
  c->add_option("--states", o->drive.states, "Activations and fibre lengths over time, .sto")
      ->needs("motion")
      ->excludes("--activation");
  c->add_option("--controls", o->drive.controls, "Excitations over time, .sto")
      ->needs("motion")
      ->excludes("--activation")
      ->excludes("--states");
  c->add_option("--coordinate", o->coordinate, "Evaluate over the range of this coordinate");
  c->add_option("--range", o->range,
                "Range to use instead of the coordinate's own, or of 0.5 rad to either side")
      ->expected(2)
      ->check(finite())
      ->needs("--coordinate");
  c->add_flag("--rank", o->rank,
              "Order the muscles by what changes if their mass is fixed to the bones");
  c->add_option("--samples", o->samples,
                "Values of the coordinate (default: 100), or poses to rank in (default: as many as "
                "the order needs)");
  c->add_option("--seed", o->seed, "Random seed of the poses to rank in");
  add_muscle_mass(*c, o->mass, "volumes, else strength; scenes: as they say");
  c->add_option("--points", o->points,
                "Material points of each muscle with mass: position, velocity and Jacobian, in the "
                "default pose or along the motion");
  add_smoothing(*c, o->study.smoothing);
  add_set(*c, o->study.set);
  c->add_option(
       "--out", o->output.out,
       "Folder for OpenSim's MuscleAnalysis tables, or for those of --points; file for the "
       "table over a coordinate")
      ->check(named());
  add_format(*c, o->output.format);
  add_report_flag(*c, o->output.report);
  c->get_option("--report")->needs("motion");
  add_json(*c, o->output.json);
  c->footer(
      "Examples\n"
      "  sinew muscles leg.osim swing.mot --activation 0.5 --out out/muscles --report\n"
      "  sinew muscles leg.osim --coordinate knee_angle_r --out knee.sto\n"
      "  sinew muscles wrap-pendulum --coordinate elbow --range -1.4 1.4 --out elbow.sto\n"
      "  sinew muscles wrap-family --rank\n"
      "  sinew muscles leg.osim swing.mot --points 5 --out out/points");
  return {c, [o](const std::string& typed) { return run_muscles(*o, typed); }};
}

}  // namespace sinew::cli

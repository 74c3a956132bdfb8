#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <nlohmann/json.hpp>

#include "cli/commands/commands.hpp"
#include "cli/commands/options.hpp"
#include "cli/commands/pose_warnings.hpp"
#include "cli/console.hpp"
#include "sinew/core/error.hpp"
#include "sinew/io/studies/motion_model.hpp"
#include "sinew/io/tables/external_loads.hpp"
#include "sinew/io/tables/motion_reader.hpp"
#include "sinew/report/json_text.hpp"
#include "sinew/report/mass_record.hpp"
#include "sinew/report/report.hpp"
#include "sinew/report/result_folder.hpp"

namespace sinew::cli {
namespace {

using nlohmann::ordered_json;

/// Without a motion the model is a setup file of OpenSim's tool.
struct IdOptions {
  MotionStudy study;
  MuscleMassOptions mass;
  StudyOutput output;
  std::string table;  ///< its name, without extension; empty: <motion>_InverseDynamics
  std::vector<std::string> exclude;  ///< forces of the model that do not act; ALL: none does
};

/// The settings in a setup file of OpenSim's tool, in place of the command line. Options that the
/// user also gives, such as --start or --cutoff, take precedence. Nothing is written except where
/// --out says.
IdOptions from_setup(const IdOptions& given) {
  const InverseDynamicsSetup setup = read_inverse_dynamics_setup(given.study.model);
  print_warnings(setup.warnings);
  IdOptions out = given;
  if (setup.model_file.empty())
    throw Error(given.study.model, "names no model_file", "add one, or give MODEL and MOTION");
  out.study.model = setup.model_file.string();
  out.study.motion = setup.coordinates_file.string();
  out.study.loads = setup.external_loads_file.string();
  out.study.smoothing.opensim_filter = true;
  if (given.study.smoothing.cutoff == 0) out.study.smoothing.cutoff = std::max(setup.cutoff, 0.0);
  if (!std::isfinite(given.study.smoothing.start)) out.study.smoothing.start = setup.start;
  if (!std::isfinite(given.study.smoothing.end)) out.study.smoothing.end = setup.end;
  out.exclude = setup.forces_to_exclude;
  if (!given.output.out.empty())
    out.table = std::filesystem::path(setup.output_file).stem().string();
  return out;
}

/// One line that states the settings used from a setup.
void explain_setup(const IdOptions& given, const IdOptions& taken) {
  std::string times = "all times";
  if (std::isfinite(taken.study.smoothing.start) || std::isfinite(taken.study.smoothing.end))
    times =
        fmt::format("{:.6g} to {:.6g} s", taken.study.smoothing.start, taken.study.smoothing.end);
  say(fmt::format(
      "sinew: {}: model, motion, loads, {} and {} are as it says; {}\n", given.study.model, times,
      taken.study.smoothing.cutoff > 0 ? fmt::format("{:g} Hz", taken.study.smoothing.cutoff)
                                       : std::string("no filter"),
      given.output.out.empty()
          ? "nothing is written: --out FOLDER writes the table it names"
          : "results are in " + given.output.out + ", not in its results_directory"));
}

/// Largest and smallest value of each moment, with their times.
ordered_json summary(const Motion& motion, const std::vector<std::string>& labels,
                     const MatX& tau) {
  ordered_json out = ordered_json::array();
  for (size_t k = 0; k < labels.size(); ++k) {
    const auto row = tau.row(static_cast<Eigen::Index>(k));
    Eigen::Index high = 0, low = 0;
    const double highest = row.maxCoeff(&high), lowest = row.minCoeff(&low);
    out.push_back({{"name", labels[k]},
                   {"highest", highest},
                   {"highest_at", motion[static_cast<size_t>(high)].t},
                   {"lowest", lowest},
                   {"lowest_at", motion[static_cast<size_t>(low)].t}});
  }
  return out;
}

int run_id(const IdOptions& given, const std::string& typed) {
  const auto begin = std::chrono::steady_clock::now();
  const bool setup = given.study.motion.empty();
  if (setup && !given.study.model.ends_with(".xml"))
    throw Error("motion", "is missing",
                "give MODEL and MOTION, or only the setup file (.xml) of OpenSim's tool");
  const IdOptions options = setup ? from_setup(given) : given;
  if (setup) explain_setup(given, options);
  LoadedModel model = load_motion_model(options.study.model, options.study.set);
  const MotionReading reading =
      read_motion(options.study.motion, model.target, options.study.smoothing);
  warn_of_inside(model, reading.motion);
  weigh_muscles(options.mass, reading.motion, model);
  print_warnings(model.warnings);
  print_warnings(reading.warnings);
  SystemBuilder builder = motion_system(model, options.exclude);
  if (!options.study.loads.empty())
    for (const auto& force : read_loads(options.study.loads, model.skeleton))
      builder.add_force(force);
  const MatX tau = inverse_dynamics(builder.build(), reading.motion);
  const std::vector<std::string> labels = moment_labels(model.skeleton.coordinates());

  ordered_json record = {
      {"model", model.model_name},
      {"command", typed},
      {"motion", options.study.motion},
      {"samples", reading.motion.size()},
      {"start", reading.motion.front().t},
      {"end", reading.motion.back().t},
      {"moments", summary(reading.motion, labels, tau)},
      {"wall_seconds",
       std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count()},
      {"model_file",
       {{"path", model.path.string()}, {"fnv1a", fmt::format("{:016x}", model.content_hash)}}},
      {"options",
       {{"loads", options.study.loads},
        {"cutoff", options.study.smoothing.cutoff},
        {"opensim_filter", options.study.smoothing.opensim_filter},
        {"set", options.study.set}}}};
  if (options.mass.says()) record["options"].update(describe_options(options.mass));
  if (model.muscle_mass) record["muscle_mass"] = describe_placement(*model.muscle_mass);
  const InterruptGuard writing;
  if (!options.output.out.empty()) {
    const std::string stem = std::filesystem::path(options.study.motion).stem().string();
    ResultFolder folder(options.output.out, options.output.format);
    TableWriter& table =
        folder.add(options.table.empty() ? stem + "_InverseDynamics" : options.table,
                   "Inverse Dynamics", labels);
    for (size_t k = 0; k < reading.motion.size(); ++k) {
      const VecX column = tau.col(static_cast<Eigen::Index>(k));
      table.add_row(reading.motion[k].t, {{column.data(), labels.size()}});
    }
    folder.finish(record);
  }
  std::string page;
  if (options.output.report) page = write_report(options.output.out).string();
  if (options.output.json) {
    fmt::print("{}\n", json_text(record));
    return kOk;
  }
  fmt::print("{}: inverse dynamics of {} samples, {:.6g} to {:.6g} s\n\n", model.model_name,
             reading.motion.size(), reading.motion.front().t, reading.motion.back().t);
  if (model.muscle_mass) {
    for (const std::string& remark : remarks_of(*model.muscle_mass)) fmt::print("  {}\n", remark);
    fmt::print("\n");
  }
  fmt::print("  {:<32} {:>12} {:>9} {:>12} {:>9}\n", "[N m, N]", "highest", "at [s]", "lowest",
             "at [s]");
  for (const ordered_json& m : record["moments"])
    fmt::print("  {:<32} {:>12.5g} {:>9.4g} {:>12.5g} {:>9.4g}\n", m["name"].get<std::string>(),
               m["highest"].get<double>(), m["highest_at"].get<double>(), m["lowest"].get<double>(),
               m["lowest_at"].get<double>());
  if (!options.output.out.empty()) fmt::print("\n  output  {}\n", options.output.out);
  if (!page.empty()) fmt::print("  report  {}: open it in a browser\n", page);
  return kOk;
}

}  // namespace

Command add_id(CLI::App& program) {
  CLI::App* c = program.add_subcommand("id", "Inverse dynamics of a motion, with external loads");
  const auto o = std::make_shared<IdOptions>();
  c->add_option("model", o->study.model,
                kModelHelp + std::string("; without MOTION: a setup file of OpenSim"))
      ->required();
  c->add_option("motion", o->study.motion, kMotionHelp);
  add_muscle_mass(*c, o->mass, "as the scene says; OpenSim models: off");
  add_motion_study(*c, o->study, o->output);
  c->footer(
      "Examples\n"
      "  sinew id leg.osim swing.mot --cutoff 6 --out out/id\n"
      "  sinew id subject.osim walk.mot --loads walk_grf.xml --cutoff 6 --opensim-filter\n"
      "  sinew id setup_id.xml --json");
  return {c, [o](const std::string& typed) { return run_id(*o, typed); }};
}

}  // namespace sinew::cli

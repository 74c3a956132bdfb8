#include "cli/commands/muscle_motion.hpp"

#include <fmt/format.h>

#include <chrono>
#include <nlohmann/json.hpp>

#include "cli/commands/commands.hpp"
#include "cli/commands/pose_warnings.hpp"
#include "cli/console.hpp"
#include "sinew/core/error.hpp"
#include "sinew/report/json_text.hpp"
#include "sinew/report/muscle_record.hpp"
#include "sinew/report/report.hpp"

namespace sinew::cli {
namespace {

using nlohmann::ordered_json;

MuscleStudy follow_until_interrupt(const StudiedMuscles& source, const Motion& motion,
                                   const InterruptGuard& interrupt) {
  ProgressBar progress(motion.back().t - motion.front().t);
  return follow_muscles(source, motion, [&](double t) {
    progress.update(t - motion.front().t);
    return !interrupt.flag();
  });
}

void print_summary(const ordered_json& record) {
  fmt::print("{}: muscles over {} samples, {:.6g} to {:.6g} s\n\n",
             record["model"].get<std::string>(), record["samples"].get<size_t>(),
             record["start"].get<double>(), record["end"].get<double>());
  fmt::print("  {:<24} {:>19} {:>14} {:>15} {:>12} {:>11}\n", "muscle", "length [m]",
             "fastest [m/s]", "fibre [l0]", "tendon [N]", "power [W]");
  for (const ordered_json& m : record["muscles"]) {
    fmt::print("  {:<24} {:>8.4g} to {:>7.4g} {:>14.4g}", m["name"].get<std::string>(),
               m["shortest"].get<double>(), m["longest"].get<double>(), m["fastest"].get<double>());
    if (m.contains("largest_tendon_force"))
      fmt::print(" {:>6.3f} to {:>5.3f} {:>12.5g} {:>11.4g}",
                 m["shortest_norm_fibre"].get<double>(), m["longest_norm_fibre"].get<double>(),
                 m["largest_tendon_force"].get<double>(), m["largest_power"].get<double>());
    fmt::print("\n");
  }
}

/// Returns whether all are in equilibrium.
bool warn_of_equilibria(const ordered_json& muscles) {
  bool all = true;
  for (const ordered_json& m : muscles) {
    if (!m.contains("instants_without_equilibrium")) continue;
    const int instants = m["instants_without_equilibrium"];
    if (instants == 0) continue;
    all = false;
    print_warnings(
        {fmt::format("muscle '{}' has no equilibrium with a moving fibre at {} of the "
                     "instants: there its fibre is at rest",
                     m["name"].get<std::string>(), instants)});
  }
  return all;
}

}  // namespace

int run_muscle_motion(const StudiedMuscles& source, const MusclesOptions& options,
                      const std::string& typed) {
  const auto begin = std::chrono::steady_clock::now();
  if (options.rank || !options.coordinate.empty())
    throw Error("--rank and --coordinate", "take no motion", "omit the motion");
  const MotionReading reading =
      read_motion(options.study.motion, source.model.target, options.study.smoothing);
  print_warnings(reading.warnings);
  warn_of_inside(source.model, reading.motion);
  const InterruptGuard interrupt;  // until all is written
  MuscleStudy motion = follow_until_interrupt(source, reading.motion, interrupt);
  if (motion.times.empty()) {
    if (options.output.json)
      fmt::print("{}\n", json_text({{"model", source.model.model_name},
                                    {"command", typed},
                                    {"motion", options.study.motion},
                                    {"status", "interrupted"},
                                    {"samples", 0}}));
    say("sinew: interrupted before the first instant\n");
    return kInterrupted;
  }
  add_forces(source, options.drive, motion);
  print_warnings(motion.warnings);
  const ordered_json muscles = describe_muscle_study(source, motion);
  const bool equilibria = warn_of_equilibria(muscles);
  const ordered_json record = {
      {"model", source.model.model_name},
      {"command", typed},
      {"motion", options.study.motion},
      {"status", motion.interrupted ? "interrupted" : "done"},
      {"samples", motion.times.size()},
      {"start", motion.times.front()},
      {"end", motion.times.back()},
      {"muscles", muscles},
      {"wall_seconds",
       std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count()},
      {"model_file",
       {{"path", source.model.path.string()},
        {"fnv1a", fmt::format("{:016x}", source.model.content_hash)}}},
      {"options",
       {{"activation",
         options.drive.activation ? ordered_json(*options.drive.activation) : ordered_json()},
        {"states", options.drive.states},
        {"controls", options.drive.controls},
        {"cutoff", options.study.smoothing.cutoff},
        {"opensim_filter", options.study.smoothing.opensim_filter},
        {"set", options.study.set}}}};
  if (!options.output.out.empty()) {
    ResultFolder folder(options.output.out, options.output.format);
    const std::string stem = std::filesystem::path(options.study.motion).stem().string();
    write_muscle_tables(source, motion, stem, folder);
    folder.finish(record);
  }
  std::string page;
  if (options.output.report) page = write_report(options.output.out).string();
  if (options.output.json) {
    fmt::print("{}\n", json_text(record));
  } else {
    print_summary(record);
    if (!options.output.out.empty()) fmt::print("\n  output  {}\n", options.output.out);
    if (!page.empty()) fmt::print("  report  {}: open it in a browser\n", page);
  }
  if (!motion.interrupted) return equilibria ? kOk : kFailed;
  say(fmt::format("sinew: interrupted at t = {:g} s; what was computed is kept\n",
                  motion.times.back()));
  return kInterrupted;
}

}  // namespace sinew::cli

#include "cli/commands/muscle_motion.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <nlohmann/json.hpp>

#include "cli/commands/commands.hpp"
#include "cli/console.hpp"
#include "sinew/analysis/muscle_drive.hpp"
#include "sinew/core/error.hpp"
#include "sinew/io/models/model_source.hpp"
#include "sinew/io/tables/storage_file.hpp"
#include "sinew/report/json_text.hpp"
#include "sinew/report/report.hpp"
#include "sinew/report/result_folder.hpp"

namespace sinew::cli {
namespace {

using nlohmann::ordered_json;

Eigen::Index index(size_t i) { return static_cast<Eigen::Index>(i); }

/// A row for each muscle, a column for each instant.
struct MuscleMotion {
  std::vector<double> times;
  MatX length, rate;
  std::vector<MatX> geometric_arms, effective_arms;  ///< one for each coordinate
  bool coupled = false;                              ///< they differ somewhere
  std::vector<size_t> driven;                        ///< muscles whose force is known
  std::vector<std::vector<HillInstant>> hill;        ///< of those
  bool interrupted = false;
};

MuscleDrive read_drive(const std::vector<DrivenMuscle>& muscles, const std::vector<double>& times,
                       const MusclesOptions& options) {
  const std::string file = options.states.empty() ? options.controls : options.states;
  if (file.empty()) return constant_drive(muscles, times.size(), options.activation);
  const StorageFile storage = read_storage(file);
  print_warnings(storage.warnings);
  return options.states.empty() ? drive_from_controls(muscles, times, storage.table)
                                : drive_from_states(muscles, times, storage.table);
}

/// Paths at all instants, until Ctrl-C.
MuscleMotion follow_paths(const MuscleSource& source, const Motion& motion) {
  const Eigen::Index n = index(source.muscles.size()), samples = index(motion.size());
  MuscleMotion out;
  out.length.resize(n, samples);
  out.rate.resize(n, samples);
  out.geometric_arms.assign(source.coordinates.size(), MatX(n, samples));
  out.effective_arms = out.geometric_arms;
  const InterruptGuard interrupt;
  ProgressBar progress(motion.back().t - motion.front().t);
  std::vector<MusclePath> paths;
  for (size_t k = 0; k < motion.size() && !interrupt.flag(); ++k) {
    source.update(motion[k].t, motion[k].q, motion[k].qdot, paths);
    const MatX couplings = source.couplings(motion[k].q);
    for (size_t i = 0; i < paths.size(); ++i) {
      out.length(index(i), index(k)) = paths[i].length;
      out.rate(index(i), index(k)) = paths[i].rate;
      const VecX effective = couplings * paths[i].moment_arms;
      for (size_t c = 0; c < source.coordinates.size(); ++c) {
        out.geometric_arms[c](index(i), index(k)) = paths[i].moment_arms[index(c)];
        out.effective_arms[c](index(i), index(k)) = effective[index(c)];
      }
    }
    out.coupled |= !couplings.isIdentity(0);
    out.times.push_back(motion[k].t);
    progress.update(motion[k].t - motion.front().t);
  }
  out.interrupted = out.times.size() < motion.size();
  return out;
}

void add_forces(const MuscleSource& source, const MusclesOptions& options, MuscleMotion& out) {
  std::vector<DrivenMuscle> driven;
  for (size_t i = 0; i < source.muscles.size(); ++i) {
    if (!source.hill[i]) continue;
    out.driven.push_back(i);
    driven.push_back({source.muscles[i], *source.hill[i]});
  }
  if (driven.empty() &&
      (options.activation || !options.states.empty() || !options.controls.empty()))
    throw Error(source.name, "has no muscles whose forces are known",
                "leave out --activation, --states and --controls");
  const MuscleDrive drive = read_drive(driven, out.times, options);
  print_warnings(drive.warnings);
  for (size_t d = 0; d < driven.size(); ++d) {
    const Eigen::Index i = index(out.driven[d]);
    std::vector<HillInstant>& instants = out.hill.emplace_back();
    for (size_t k = 0; k < out.times.size(); ++k) {
      const double fibre = drive.fibre_length(index(d), index(k));
      instants.push_back(hill_instant(driven[d].hill.muscle, drive.activation(index(d), index(k)),
                                      out.length(i, index(k)), out.rate(i, index(k)),
                                      std::isnan(fibre) ? std::nullopt : std::optional(fibre)));
    }
  }
}

/// OpenSim's tables, <motion>_MuscleAnalysis_<quantity>.
class AnalysisTables {
 public:
  AnalysisTables(const MuscleMotion& motion, const std::string& stem, ResultFolder& folder)
      : motion_(motion), stem_(stem), folder_(folder) {}

  void write(const MuscleSource& source) {
    add("Length", source.muscles, motion_.length);
    add("LengtheningSpeed", source.muscles, motion_.rate);
    std::vector<std::string> driven;
    for (const size_t i : motion_.driven) driven.push_back(source.muscles[i]);
    const Eigen::Index n = index(driven.size()), samples = index(motion_.times.size());
    MatX values(n, samples), tension(n, samples);
    for (Eigen::Index d = 0; d < n; ++d)
      for (Eigen::Index k = 0; k < samples; ++k) tension(d, k) = instant(d, k).values.tendon_force;
    for (const MuscleQuantity& quantity : hill_quantities()) {
      for (Eigen::Index d = 0; d < n; ++d)
        for (Eigen::Index k = 0; k < samples; ++k) values(d, k) = quantity.of(instant(d, k));
      if (n > 0) add(quantity.name, driven, values);
    }
    for (size_t c = 0; c < source.coordinates.size(); ++c) {
      const std::string& name = source.coordinates[c].name;
      if (!matters(motion_.effective_arms[c]) && !matters(motion_.geometric_arms[c])) continue;
      add("MomentArm_" + name, source.muscles, motion_.effective_arms[c]);
      if (motion_.coupled)
        add("GeometricMomentArm_" + name, source.muscles, motion_.geometric_arms[c]);
      for (Eigen::Index d = 0; d < n; ++d)
        values.row(d) = motion_.effective_arms[c]
                            .row(index(motion_.driven[static_cast<size_t>(d)]))
                            .leftCols(samples)
                            .cwiseProduct(tension.row(d));
      if (n > 0) add("Moment_" + name, driven, values);
    }
  }

 private:
  const HillInstant& instant(Eigen::Index d, Eigen::Index k) const {
    return motion_.hill[static_cast<size_t>(d)][static_cast<size_t>(k)];
  }

  /// A coordinate that only carries muscles along has arms of rounding.
  bool matters(const MatX& arms) const {
    return arms.leftCols(index(motion_.times.size())).cwiseAbs().maxCoeff() > 1e-12;
  }

  void add(const std::string& quantity, const std::vector<std::string>& labels,
           const MatX& values) {
    TableWriter& table = folder_.add(stem_ + "_MuscleAnalysis_" + quantity, quantity, labels);
    for (size_t k = 0; k < motion_.times.size(); ++k) {
      const VecX column = values.col(index(k));
      table.add_row(motion_.times[k], {{column.data(), labels.size()}});
    }
    table.close();
  }

  const MuscleMotion& motion_;
  std::string stem_;
  ResultFolder& folder_;
};

/// What each muscle does at most, and whether it ever lacks an equilibrium.
ordered_json summary(const MuscleSource& source, const MuscleMotion& motion) {
  ordered_json out = ordered_json::array();
  const Eigen::Index samples = index(motion.times.size());
  size_t d = 0;
  for (size_t i = 0; i < source.muscles.size(); ++i) {
    const auto length = motion.length.row(index(i)).leftCols(samples);
    ordered_json entry = {
        {"name", source.muscles[i]},
        {"shortest", length.minCoeff()},
        {"longest", length.maxCoeff()},
        {"fastest", motion.rate.row(index(i)).leftCols(samples).cwiseAbs().maxCoeff()}};
    if (d < motion.driven.size() && motion.driven[d] == i) {
      double shortest = std::numeric_limits<double>::infinity(), longest = 0, force = 0, power = 0;
      int clamped = 0, lost = 0;
      for (const HillInstant& instant : motion.hill[d++]) {
        shortest = std::min(shortest, instant.values.norm_fibre_length);
        longest = std::max(longest, instant.values.norm_fibre_length);
        force = std::max(force, instant.values.tendon_force);
        power = std::max(power, std::abs(instant.muscle_power));
        clamped += instant.status == HillStatus::clamped;
        lost +=
            instant.status == HillStatus::at_rest || instant.status == HillStatus::no_equilibrium;
      }
      entry.update({{"shortest_norm_fibre", shortest},
                    {"longest_norm_fibre", longest},
                    {"largest_tendon_force", force},
                    {"largest_power", power},
                    {"instants_at_least_fibre_length", clamped},
                    {"instants_without_equilibrium", lost}});
    }
    out.push_back(entry);
  }
  return out;
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

void warn_of_equilibria(const ordered_json& muscles) {
  for (const ordered_json& m : muscles)
    if (m.contains("instants_without_equilibrium") && m["instants_without_equilibrium"] > 0)
      print_warnings({fmt::format(
          "muscle '{}' has no equilibrium with a moving fibre at {} of the "
          "instants: there its fibre is at rest",
          m["name"].get<std::string>(), m["instants_without_equilibrium"].get<int>())});
}

}  // namespace

int run_muscle_motion(const MuscleSource& source, const MusclesOptions& options,
                      const std::string& typed) {
  const auto begin = std::chrono::steady_clock::now();
  if (options.rank || !options.coordinate.empty())
    throw Error("--rank and --coordinate", "take no motion", "leave the motion out");
  const MotionReading reading =
      read_motion(options.study.motion, source.target, options.study.smoothing);
  print_warnings(reading.warnings);
  MuscleMotion motion = follow_paths(source, reading.motion);
  if (motion.times.empty()) return kInterrupted;
  add_forces(source, options, motion);
  const ordered_json muscles = summary(source, motion);
  warn_of_equilibria(muscles);
  const ordered_json record = {
      {"model", source.name},
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
       {{"path", source.path.string()}, {"fnv1a", fmt::format("{:016x}", source.content_hash)}}},
      {"options",
       {{"activation", options.activation ? ordered_json(*options.activation) : ordered_json()},
        {"states", options.states},
        {"controls", options.controls},
        {"cutoff", options.study.smoothing.cutoff},
        {"opensim_filter", options.study.smoothing.opensim_filter},
        {"set", options.study.set}}}};
  if (!options.output.out.empty()) {
    ResultFolder folder(options.output.out, options.output.format);
    const std::string stem = std::filesystem::path(options.study.motion).stem().string();
    AnalysisTables(motion, stem, folder).write(source);
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
  return motion.interrupted ? kInterrupted : kOk;
}

}  // namespace sinew::cli

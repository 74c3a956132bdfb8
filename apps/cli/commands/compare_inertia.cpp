#include <fmt/format.h>

#include <chrono>

#include "cli/commands/commands.hpp"
#include "cli/commands/options.hpp"
#include "cli/commands/pose_warnings.hpp"
#include "cli/console.hpp"
#include "sinew/report/inertia_record.hpp"
#include "sinew/report/json_text.hpp"
#include "sinew/report/report.hpp"
#include "sinew/report/result_folder.hpp"

namespace sinew::cli {
namespace {

using nlohmann::ordered_json;

struct CompareOptions {
  InertiaQuestion question;
  std::vector<double> shares;  ///< the first is that of the study
  StudyOutput output;
};

/// A change of a peak; peaks far smaller than the other one change by much of nearly nothing.
std::string peak_change(const ordered_json& m, const std::string& peak) {
  const double highest = std::abs(m["highest"].get<double>());
  const double lowest = std::abs(m["lowest"].get<double>());
  if (std::abs(m[peak].get<double>()) <= 0.1 * std::max(highest, lowest)) return "–";
  return fmt::format("{:+.1f}%", 100 * m[peak + "_change"].get<double>());
}

void print_answer(const ordered_json& record) {
  const ordered_json& placement = record["placement"];
  size_t muscles = 0;
  for (const ordered_json& muscle : placement["muscles"]) muscles += muscle["mass"] > 0;
  fmt::print(
      "{}: moments of {} samples with {:.4g} kg in {} muscle{}, against all mass on the bones\n",
      record["model"].get<std::string>(), record["samples"].get<size_t>(),
      placement["moved"].get<double>(), muscles, muscles == 1 ? "" : "s");
  for (const ordered_json& remark : placement["remarks"])
    fmt::print("  {}\n", remark.get<std::string>());
  for (const ordered_json& doubt : record["doubts"]) fmt::print("  {}\n", doubt.get<std::string>());
  const ordered_json& answer = record["answer"];
  fmt::print("\n{}\n", answer["sentence"].get<std::string>());
  for (const ordered_json& detail : answer["details"])
    fmt::print("  {}\n", detail.get<std::string>());
}

/// The joints that muscle mass affects.
std::vector<const ordered_json*> affected(const ordered_json& record) {
  std::vector<const ordered_json*> out;
  for (const ordered_json& m : record["moments"])
    if (!m["root"].get<bool>() && m["verdict"] != name_of(Verdict::no_effect)) out.push_back(&m);
  return out;
}

void print_verdicts(const ordered_json& record) {
  fmt::print("\n  Largest change of the moment over the motion, as a part of the largest moment\n");
  fmt::print("  {:<24} {:>9} {:>8} {:>15} {:>8} {:>9}  {:<12}  {}\n", "[N m, N]", "largest",
             "muscles", "range", "filter", "inertias", "verdict", "most by");
  const auto per_cent = [](const ordered_json& m, const char* key) {
    return 100 * m[key].get<double>();
  };
  for (const ordered_json* row : affected(record)) {
    const ordered_json& m = *row;
    const ordered_json& causes = m["causes"];
    const bool small = m["verdict"] == name_of(Verdict::small_moment);
    fmt::print("  {:<24} {:>9.4g} {:>8} {:>15} {:>8} {:>9}  {:<12}  {}\n",
               m["coordinate"].get<std::string>(), m["largest_moment"].get<double>(),
               small ? "–" : fmt::format("{:.1f}%", per_cent(m, "change")),
               small ? "–"
                     : fmt::format("{:.1f} – {:.1f}%", per_cent(m, "least_change"),
                                   per_cent(m, "most_change")),
               small ? "–" : fmt::format("{:.1f}%", per_cent(m, "change_by_filter")),
               small ? "–" : fmt::format("{:.1f}%", per_cent(m, "change_by_inertia")),
               m["verdict"].get<std::string>(),
               causes.empty() ? "" : causes[0]["muscle"].get<std::string>());
  }
  fmt::print("  range: {}\n", record["range"].get<std::string>());
  fmt::print("  filter: cut-off from {:.0f} to {:.0f} Hz; inertias: each segment's by ± {:.0f} %\n",
             kLowCutoff, kHighCutoff, 100 * kInertiaError);
}

void print_peaks(const ordered_json& record) {
  fmt::print("\n  Peaks with all mass on the bones, and their change\n");
  fmt::print("  {:<24} {:>9} {:>9} {:>9} {:>9} {:>10} {:>10}\n", "[N m, N]", "highest", "change",
             "lowest", "change", "rms diff.", "largest");
  for (const ordered_json* row : affected(record)) {
    const ordered_json& m = *row;
    fmt::print("  {:<24} {:>9.4g} {:>9} {:>9.4g} {:>9} {:>10.3g} {:>10.3g}\n",
               m["coordinate"].get<std::string>(), m["highest"].get<double>(),
               peak_change(m, "highest"), m["lowest"].get<double>(), peak_change(m, "lowest"),
               m["rms_difference"].get<double>(), m["largest_difference"].get<double>());
    for (const ordered_json& other : m.value("shares", ordered_json::array())) {
      ordered_json peaks = m;
      peaks.update(other);
      fmt::print("  {:>24} {:>9} {:>9} {:>9} {:>9} {:>10} {:>10.3g}\n",
                 fmt::format("share {:g}", other["share"].get<double>()), "",
                 peak_change(peaks, "highest"), "", peak_change(peaks, "lowest"), "",
                 peaks["largest_difference"].get<double>());
    }
  }
}

void write_tables(const StudyOutput& output, const InertiaStudy& study,
                  const ordered_json& record) {
  const Motion& motion = study.reading.motion;
  const std::vector<std::string> labels = moment_labels(study.bones.skeleton.coordinates());
  std::vector<std::string> columns;
  std::vector<std::string> cases = {"_bones", "_muscles"};
  std::vector<const MatX*> moments = {&study.comparison.bones, &study.comparison.muscles};
  for (const SharedMoments& other : study.more_shares) {
    cases.push_back(fmt::format("_muscles_{:g}", other.share));
    moments.push_back(&other.moments);
  }
  for (const std::string& which : cases)
    for (const std::string& label : labels) columns.push_back(label + which);
  ResultFolder folder(output.out, output.format);
  TableWriter& table =
      folder.add("moments", "Moments, all mass on the bones and part in muscles", columns);
  for (size_t k = 0; k < motion.size(); ++k) {
    std::vector<double> row;
    for (const MatX* table_of : moments) {
      const VecX values = table_of->col(static_cast<Eigen::Index>(k));
      row.insert(row.end(), values.begin(), values.end());
    }
    table.add_row(motion[k].t, {row});
  }
  folder.finish(record);
}

int run_compare_inertia(const CompareOptions& options, const std::string& typed) {
  const auto begin = std::chrono::steady_clock::now();
  InertiaQuestion question = options.question;
  if (!options.shares.empty()) {
    question.mass.share = options.shares.front();
    question.more_shares.assign(options.shares.begin() + 1, options.shares.end());
  }
  const InertiaStudy study = study_inertia(question);
  print_warnings(study.load_warnings);
  print_warnings(study.model.warnings);
  print_warnings(study.reading.warnings);
  warn_of_inside(study.model, study.reading.motion);
  ordered_json record = describe_study(question, study, typed);
  record["wall_seconds"] =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  const InterruptGuard writing;
  if (!options.output.out.empty()) write_tables(options.output, study, record);
  std::string page;
  if (options.output.report) page = write_report(options.output.out).string();
  if (options.output.json) {
    fmt::print("{}\n", json_text(record));
    return kOk;
  }
  print_answer(record);
  if (!affected(record).empty()) {
    print_verdicts(record);
    print_peaks(record);
  }
  if (!options.output.out.empty()) fmt::print("\n  output  {}\n", options.output.out);
  if (!page.empty()) fmt::print("  report  {}: open it in a browser\n", page);
  return kOk;
}

}  // namespace

Command add_compare_inertia(CLI::App& program) {
  CLI::App* c = program.add_subcommand("compare-inertia",
                                       "Show how muscle mass changes the moments of a motion");
  const auto o = std::make_shared<CompareOptions>();
  InertiaQuestion& q = o->question;
  c->add_option("model", q.model, kModelHelp)->required();
  c->add_option("motion", q.motion, kMotionHelp)->required();
  add_muscle_mass(*c, q.mass, "volumes, else strength; scenes: as they say", &o->shares);
  c->add_flag("--strict", q.mass.strict, "Refuse if the bones beside muscles cannot give all");
  c->add_option("--muscles", q.mass.source, "The same as --muscle-mass FILE.csv")
      ->excludes("--muscle-mass");
  add_motion_study(*c, q, o->output);
  c->footer(
      "Examples\n"
      "  sinew compare-inertia gait2392.osim walk.mot\n"
      "  sinew compare-inertia leg.osim swing.mot --muscle-mass muscles.csv "
      "--segment tibia_r:0.8:gasmed_r,gaslat_r,soleus_r,tibant_r");
  return {c, [o](const std::string& typed) { return run_compare_inertia(*o, typed); }};
}

}  // namespace sinew::cli

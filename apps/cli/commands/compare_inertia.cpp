#include <fmt/format.h>

#include <chrono>

#include "cli/commands/commands.hpp"
#include "cli/commands/options.hpp"
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
  StudyOutput output;
};

void print_table(const ordered_json& record) {
  const ordered_json& placement = record["placement"];
  const double moved = placement["moved"];
  size_t muscles = 0;
  for (const ordered_json& muscle : placement["muscles"]) muscles += muscle["mass"] > 0;
  fmt::print(
      "{}: moments of {} samples with {:.4g} kg in {} muscles, against all mass on the bones\n",
      record["model"].get<std::string>(), record["samples"].get<size_t>(), moved, muscles);
  for (const ordered_json& remark : placement["remarks"])
    fmt::print("  {}\n", remark.get<std::string>());
  fmt::print("\n  {:<26} {:>9} {:>8} {:>9} {:>8} {:>10} {:>10}  {}\n", "[N m, N]", "highest",
             "change", "lowest", "change", "rms diff.", "largest", "most by");
  for (const ordered_json& m : record["moments"]) {
    const ordered_json& causes = m["causes"];
    fmt::print("  {:<26} {:>9.4g} {:>+7.1f}% {:>9.4g} {:>+7.1f}% {:>10.3g} {:>10.3g}  {}\n",
               m["name"].get<std::string>(), m["highest"].get<double>(),
               100 * m["highest_change"].get<double>(), m["lowest"].get<double>(),
               100 * m["lowest_change"].get<double>(), m["rms_difference"].get<double>(),
               m["largest_difference"].get<double>(),
               causes.empty() ? "" : causes[0]["muscle"].get<std::string>());
  }
}

void write_tables(const StudyOutput& output, const InertiaStudy& study,
                  const ordered_json& record) {
  const Motion& motion = study.reading.motion;
  const InertiaComparison& c = study.comparison;
  const std::vector<std::string> labels = moment_labels(study.bones.skeleton.coordinates());
  std::vector<std::string> columns;
  for (const char* which : {"_bones", "_muscles"})
    for (const std::string& label : labels) columns.push_back(label + which);
  ResultFolder folder(output.out, output.format);
  TableWriter& table =
      folder.add("moments", "Moments, all mass on the bones and part in muscles", columns);
  for (size_t k = 0; k < motion.size(); ++k) {
    const auto at = static_cast<Eigen::Index>(k);
    const VecX bones = c.bones.col(at), muscles = c.muscles.col(at);
    table.add_row(motion[k].t, {{bones.data(), labels.size()}, {muscles.data(), labels.size()}});
  }
  folder.finish(record);
}

int run_compare_inertia(const CompareOptions& options, const std::string& typed) {
  const auto begin = std::chrono::steady_clock::now();
  const InertiaStudy study = study_inertia(options.question);
  print_warnings(study.load_warnings);
  print_warnings(study.model.warnings);
  print_warnings(study.reading.warnings);
  ordered_json record = describe_study(options.question, study, typed);
  record["wall_seconds"] =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  if (!options.output.out.empty()) write_tables(options.output, study, record);
  std::string page;
  if (options.output.report) page = write_report(options.output.out).string();
  if (options.output.json) {
    fmt::print("{}\n", json_text(record));
    return kOk;
  }
  print_table(record);
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
  add_muscle_mass(*c, q.mass, "volumes, else strength; scenes: as they say");
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

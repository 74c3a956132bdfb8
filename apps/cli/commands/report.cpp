#include "sinew/report/report.hpp"

#include <fmt/format.h>

#include "cli/commands/commands.hpp"
#include "cli/commands/options.hpp"
#include "cli/console.hpp"
#include "sinew/report/json_text.hpp"

namespace sinew::cli {
namespace {

struct ReportOptions {
  std::string run;     ///< folder of a run
  std::string beside;  ///< folder of another run to compare with; empty: none
  std::string out;     ///< file; empty: report.html in the folder
  bool json = false;
};

/// Prints the path of the page.
int run_report(const ReportOptions& options) {
  const InterruptGuard writing;
  const std::string page = write_report(options.run, options.beside, options.out).string();
  fmt::print("{}\n", options.json ? json_text({{"report", page}}) : page);
  return kOk;
}

}  // namespace

Command add_report(CLI::App& program) {
  CLI::App* c = program.add_subcommand(
      "report", "Make a page that shows a run (3D, plots, audit) or a study (what decides)");
  const auto o = std::make_shared<ReportOptions>();
  c->add_option(
       "run", o->run,
       "Folder that `simulate`, `id`, `muscles`, `compare-inertia`, `optimize` or `sweep` has "
       "written (--out)")
      ->required();
  c->add_option("--beside", o->beside,
                "Folder of a second run, not a comparison: a ghost with dashed curves");
  c->add_option("--out", o->out, "File to write (report.html in the folder)")->check(named());
  c->add_flag("--json", o->json, "Print one JSON object with the file's path");
  c->footer(
      "Examples\n"
      "  sinew simulate wrap-pendulum --out out/arm\n"
      "  sinew report out/arm\n"
      "  sinew report out/arm --beside out/lumped\n"
      "  sinew report out/ankle\n"
      "The page is one file and needs no network: docs/report.md.");
  return {c, [o](const std::string&) { return run_report(*o); }};
}

}  // namespace sinew::cli

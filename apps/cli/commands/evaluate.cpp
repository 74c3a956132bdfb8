#include <fmt/format.h>

#include "cli/commands/commands.hpp"
#include "cli/commands/options.hpp"
#include "cli/commands/pose_warnings.hpp"
#include "cli/console.hpp"
#include "sinew/io/models/loaded_model.hpp"
#include "sinew/io/osim/pose_evaluation.hpp"
#include "sinew/io/tables/whole_file.hpp"

namespace sinew::cli {
namespace {

struct EvaluateOptions {
  std::string model, poses;
  std::vector<std::string> set;
  std::string out;  ///< file; empty: the screen
  bool strict = false;
  bool json = false;  ///< the screen, too
};

std::string evaluated(const EvaluateOptions& options) {
  const std::string poses = read_text_file(options.poses);
  const LoadedModel model =
      load_model(options.model, {.set = options.set, .strict = options.strict});
  require_no_input("--out", options.out, {model.path.string(), options.poses});
  print_warnings(model.warnings);
  warn_of_start(model);
  std::vector<std::string> doubts;
  std::string out = model.osim ? evaluate_poses(*model.osim, poses, options.poses, &doubts)
                               : evaluate_poses(*model.scene, poses, options.poses, &doubts);
  print_warnings(doubts);
  return out;
}

int run_evaluate(const EvaluateOptions& options) {
  const std::string result = evaluated(options);
  const InterruptGuard writing;
  if (options.out.empty() || options.json) fmt::print("{}\n", result);
  if (!options.out.empty()) write_whole_file(options.out, result + '\n');
  return kOk;
}

}  // namespace

Command add_evaluate(CLI::App& program) {
  CLI::App* c = program.add_subcommand(
      "evaluate", "Evaluate a model or scene in given poses, as one JSON object");
  const auto o = std::make_shared<EvaluateOptions>();
  c->add_option("model", o->model, kModelHelp)->required();
  c->add_option("poses", o->poses, "JSON with \"coordinates\" and \"poses\" of q, u, udot")
      ->required();
  c->add_option("--out", o->out, "File for the result; without it, the screen")->check(named());
  c->add_flag("--json", o->json, "Print the object also where --out files it");
  c->add_flag("--strict", o->strict,
              "Elements of an OpenSim model that cannot be read are an error");
  add_set(*c, o->set);
  c->footer(
      "Example\n"
      "  sinew evaluate leg.osim poses.json --out result.json\n"
      "docs/opensim.md lists the keys of both files.");
  return {c, [o](const std::string&) { return run_evaluate(*o); }};
}

}  // namespace sinew::cli

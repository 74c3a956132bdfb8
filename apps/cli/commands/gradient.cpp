#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "cli/commands/commands.hpp"
#include "cli/commands/options.hpp"
#include "cli/commands/pose_warnings.hpp"
#include "cli/commands/task_tables.hpp"
#include "cli/console.hpp"
#include "sinew/core/error.hpp"
#include "sinew/io/tasks/task_files.hpp"
#include "sinew/report/json_text.hpp"
#include "sinew/report/task_record.hpp"

namespace sinew::cli {
namespace {

using nlohmann::ordered_json;

struct GradientOptions {
  std::string task;
  std::string at;  ///< file of parameters; empty: the task's start
  bool check = false, each = false;
  bool json = false;
};

GradientCheck run_check(const TaskProblem& problem, const VecX& p, const VecX& gradient,
                        bool each) {
  const InterruptGuard interrupt;
  ProgressBar progress(1);
  return check_gradient(
      problem, p, gradient, each,
      [&](long long run, long long runs) {
        progress.update(static_cast<double>(run) / static_cast<double>(runs));
      },
      &interrupt.flag());
}

/// The errors of the direction that does worst, as bars of their digits.
void plot_check(const GradientCheck& check) {
  const auto worst =
      std::max_element(check.directions.begin(), check.directions.end(),
                       [](const auto& a, const auto& b) { return a.best_error < b.best_error; });
  if (worst == check.directions.end()) return;
  fmt::print("\n  {:<10} {:<10} {}\n", "step", "error", "of " + worst->name + ", its right digits");
  for (size_t k = 0; k < check.steps.size(); ++k) {
    const double digits = std::clamp(-std::log10(worst->errors[k]), 0.0, 16.0);
    fmt::print("  {:<10.1e} {:<10.1e} {}\n", check.steps[k], worst->errors[k],
               std::string(static_cast<size_t>(std::lround(3 * digits)), '='));
  }
}

void print_check(const GradientCheck& check) {
  fmt::print("\n  {:<28} {:>10} {:>10} {:>7}\n", "central differences", "best error", "at step",
             "order");
  const size_t shown = std::min(kRowsShown, check.directions.size());
  for (size_t k = 0; k < shown; ++k) {
    const GradientCheck::Direction& d = check.directions[k];
    fmt::print("  {:<28} {:>10.1e} {:>10.1e} {:>7} {}\n", d.name, d.best_error, d.best_step,
               d.exact ? "exact" : fmt::format("{:.2f}", d.order),
               !d.passed ? "FAILED"
               : d.bent  ? "kinks"
                         : "");
  }
  print_more(check.directions.size());
  plot_check(check);
  fmt::print("\n  {}: the largest error at the best step is {:.1e}, {:g} accepted; {} runs\n",
             check.passed ? "check passed" : "*** CHECK FAILED ***", check.worst_error,
             kPassingError, check.runs);
  if (check.failed_runs > 0)
    fmt::print("  {} of them failed, and count as errors without limit: {}\n", check.failed_runs,
               check.failure);
  const auto bent = std::count_if(check.directions.begin(), check.directions.end(),
                                  [](const auto& d) { return d.bent; });
  if (bent > 0)
    fmt::print("  only the best step is judged where larger ones pass kinks: {} of {}\n", bent,
               check.directions.size());
}

/// Why the check failed, in one sentence.
std::string failure_of(const GradientCheck& check) {
  if (check.corner == 0) return "the gradient is not that of the run";
  return fmt::format(
      "the objective has a corner at these parameters: its slopes on both sides differ by {:.1e} "
      "of the largest; move the parameters, or smooth the law that bends: \"blended_activation\" "
      "for muscles",
      check.corner);
}

int run_gradient(const GradientOptions& options) {
  const auto begin = std::chrono::steady_clock::now();
  TaskProblem problem(load_task(options.task));
  print_warnings(problem.model().warnings);
  warn_of_start(problem.model());
  const VecX p = options.at.empty() ? problem.start() : read_parameter_file(options.at, problem);
  ordered_json record = describe_task(problem);
  ValueAndGradient at;
  if (!problem.evaluate(p, at)) {
    record["status"] = "failed";
    record["failure"] = problem.failure();
    if (options.json) fmt::print("{}\n", json_text(record));
    std::fflush(stdout);
    say(fmt::format("sinew: the run failed: {}\n", problem.failure()));
    return kFailed;
  }
  record["status"] = "finished";
  record["value"] = at.value;
  record["newton_error"] = at.newton_error;
  record["objectives"] = describe_terms(problem.terms());
  record["parameters"] = describe_parameters(problem, p, at.gradient);
  record["tape_bytes"] = problem.memory();
  record["kinks"] = describe_kinks(problem.kinks());
  std::optional<GradientCheck> check;
  if (options.check) {
    check = run_check(problem, p, at.gradient, options.each);
    record["check"] = describe_check(*check);
  }
  record["wall_seconds"] =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  if (options.json) {
    fmt::print("{}\n", json_text(record));
  } else {
    print_task(record);
    fmt::print("  value {:.10g}; what Newton's method left changes it by {:.1e} at most\n",
               at.value, at.newton_error);
    print_terms(record["objectives"]);
    print_parameters(record["parameters"]);
    print_kinks(record["kinks"]);
    if (check && !check->interrupted) print_check(*check);
  }
  std::fflush(stdout);
  if (!check) return kOk;
  if (check->interrupted) {
    say("sinew: interrupted: the check is not complete\n");
    return kInterrupted;
  }
  if (!check->passed) say(fmt::format("sinew: CHECK FAILED: {}\n", failure_of(*check)));
  return check->passed ? kOk : kAuditFailed;
}

}  // namespace

Command add_gradient(CLI::App& program) {
  CLI::App* c =
      program.add_subcommand("gradient", "Differentiate a run by the parameters of a task");
  const auto o = std::make_shared<GradientOptions>();
  c->add_option("task", o->task, kTaskHelp)->required();
  c->add_option("--at", o->at,
                "Parameters (JSON): a list of numbers, or names and numbers (default: the start "
                "of the task)")
      ->check(named());
  CLI::Option* check = c->add_flag(
      "--check", o->check,
      fmt::format("Compare with central differences over steps from 1e-2 to 1e-9 of the scales, "
                  "of systems built anew from the file; of more than {} parameters {} random "
                  "directions",
                  kMostSingleChecks, kRandomChecks));
  c->add_flag("--each", o->each, "Check each parameter, however many there are")->needs(check);
  add_json(*c, o->json);
  c->footer(
      "Examples\n"
      "  sinew gradient reach\n"
      "  sinew gradient reach --check\n"
      "  sinew gradient reach --at torques.json --json\n"
      "Exit codes: 0 done, 2 bad input, 3 the run failed, 4 the check failed, 130 interrupted.");
  return {c, [o](const std::string&) { return run_gradient(*o); }};
}

}  // namespace sinew::cli

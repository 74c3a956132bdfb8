#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cmath>

#include "cli/commands/commands.hpp"
#include "cli/commands/options.hpp"
#include "cli/commands/pose_warnings.hpp"
#include "cli/commands/task_tables.hpp"
#include "cli/console.hpp"
#include "sinew/core/error.hpp"
#include "sinew/io/tasks/identification.hpp"
#include "sinew/io/tasks/task_shooting.hpp"
#include "sinew/math/cma_es.hpp"
#include "sinew/math/levenberg_marquardt.hpp"
#include "sinew/report/earlier_search.hpp"
#include "sinew/report/json_text.hpp"
#include "sinew/report/optimum_runs.hpp"
#include "sinew/report/report.hpp"
#include "sinew/report/task_record.hpp"

namespace sinew::cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;
using Clock = std::chrono::steady_clock;

struct OptimizeOptions {
  std::string task, at;
  std::optional<Task::Optimizer::Method> method;
  std::optional<int> seed;
  std::optional<int> evaluations;
  bool resume = false;
  StudyOutput output;
};

/// Between the end of an interval of multiple shooting and the start of the next [rad, m, s].
constexpr double kLargestGap = 1e-8;

ordered_json columns_of(const MatX& matrix) {
  ordered_json out = ordered_json::array();
  for (Eigen::Index k = 0; k < matrix.cols(); ++k) {
    const VecX column = matrix.col(k);
    out.push_back(std::vector<double>(column.begin(), column.end()));
  }
  return out;
}

/// The search: keeps the best parameters, and a log of all evaluations.
class Search {
 public:
  Search(TaskProblem& problem, const OptimizeOptions& options)
      : problem_(problem), options_(options) {}

  /// Continues where another search ended.
  void resume(EarlierSearch earlier) {
    log_ = std::move(earlier.log);
    earlier_ = log_.back();
    resumed_ = log_.size();
    states_ = std::move(earlier.states);
    earlier_failed_ = earlier.failed_runs;
    first_value_ = earlier.first_value;
    first_terms_ = std::move(earlier.first_terms);
  }

  /// `folder` may be null; `record` is what run.json tells meanwhile.
  void run(const VecX& start, ResultFolder* folder, const InterruptGuard& interrupt,
           const std::function<ordered_json()>& record) {
    if (folder != nullptr)
      table_ =
          &folder->add("convergence", "convergence: time is that of the clock",
                       {"evaluation", "iteration", "value", "gradient", "best", "gap", "failed"});
    for (const LoggedEvaluation& e : log_) write(e);
    const Task::Optimizer& task = problem_.task().optimizer;
    MinimizeOptions how;
    how.evaluations = options_.evaluations.value_or(task.evaluations);
    how.gradient_tolerance = task.gradient_tolerance;
    how.value_tolerance = task.value_tolerance;
    begin_ = Clock::now();
    Clock::time_point next = begin_;
    // At an optimum the adjoint vanishes, and with it what the residuals of Newton's method do.
    if (shoots() || method() == Task::Optimizer::Method::levenberg_marquardt)
      note_newton_error(start);
    // After each iteration; false stops.
    const auto on_iteration = [&](const MinimizeResult& so_far) {
      result = so_far;
      show(so_far);
      if (folder != nullptr && Clock::now() >= next) {
        ordered_json now = record();
        folder->describe(now);
        folder->take_over();
        folder->flush();
        folder->update(std::move(now));
        next = Clock::now() + std::chrono::seconds(1);
      }
      good_enough_ = so_far.value <= task.value_tolerance * first_value_ && gap_ <= kLargestGap;
      return !interrupt.flag() && !good_enough_;
    };
    if (method() == Task::Optimizer::Method::cma_es) {
      CmaOptions cma;
      cma.deviations = VecX::Constant(1, task.deviation);
      cma.seed = static_cast<std::uint64_t>(options_.seed.value_or(task.seed));
      cma.evaluations = how.evaluations;
      cma.value_tolerance = task.value_tolerance;
      result = cma_es([&](const VecX& p,
                          double& value) { return !interrupt.flag() && evaluate_value(p, value); },
                      start, problem_.bounds(), cma, on_iteration);
    } else if (method() == Task::Optimizer::Method::levenberg_marquardt) {
      LeastSquaresOptions squares;
      squares.evaluations = how.evaluations;
      squares.gradient_tolerance = how.gradient_tolerance;
      squares.value_tolerance = how.value_tolerance;
      result = levenberg_marquardt(
          [&](const VecX& p, VecX& residuals, MatX* jacobian) {
            return !interrupt.flag() && evaluate_residuals(p, residuals, jacobian);
          },
          start, problem_.bounds(), squares, on_iteration);
    } else if (method() == Task::Optimizer::Method::multiple_shooting) {
      result = run_shooting(start, how, interrupt, on_iteration);
    } else {
      result = minimize(
          [&](const VecX& p, double& value, VecX& gradient) {
            return !interrupt.flag() && evaluate(p, value, gradient);
          },
          start, problem_.bounds(), how, on_iteration);
    }
    if (good_enough_) result.end = MinimizeEnd::converged;
    if (isatty(2) != 0) say("\r\033[K");
  }

  Task::Optimizer::Method method() const {
    return options_.method.value_or(problem_.task().optimizer.method);
  }
  bool shoots() const { return method() == Task::Optimizer::Method::multiple_shooting; }
  double gap() const { return gap_; }             ///< the largest between two intervals
  const MatX& states() const { return states_; }  ///< at the starts of intervals
  double first_value() const { return first_value_; }
  const std::vector<TaskProblem::TermValue>& first_terms() const { return first_terms_; }
  double largest_newton_error() const { return newton_error_; }
  double seconds() const {
    return earlier_.seconds + std::chrono::duration<double>(Clock::now() - begin_).count();
  }
  /// Without those that were asked for after Ctrl-C.
  int evaluations() const { return static_cast<int>(earlier_.evaluation) + evaluated_; }
  int failed_runs() const { return earlier_failed_ + static_cast<int>(failures.size()); }
  int iterations() const { return static_cast<int>(earlier_.iteration) + result.iterations; }

  MinimizeResult result;
  std::vector<std::string> failures;  ///< of runs that were tried

 private:
  /// Whether a run succeeds. One on which a muscle loses its path, or whose model makes no sense,
  /// is backed away from as one that diverges; the first must do. Intervals of `shooting` are runs
  /// of their own.
  template <class Run>
  bool succeeds(Run&& run, const TaskShooting* shooting = nullptr) {
    try {
      if (run()) return true;
      failures.push_back(shooting != nullptr ? shooting->failure() : problem_.failure());
    } catch (const Error& error) {
      if (log_.empty()) throw;
      failures.push_back(error.what());
    }
    return false;
  }
  bool evaluate(const VecX& p, double& value, VecX& gradient) {
    ValueAndGradient at;
    ++evaluated_;
    if (!succeeds([&] { return problem_.evaluate(p, at); })) return false;
    value = at.value;
    gradient = at.gradient;
    newton_error_ = std::max(newton_error_, at.newton_error);
    log(value, gradient.lpNorm<Eigen::Infinity>());
    return true;
  }
  /// For methods that take no gradients. A run that fails, or has no gradient, tells nothing.
  void note_newton_error(const VecX& p) {
    try {
      ValueAndGradient at;
      if (problem_.evaluate(p, at)) newton_error_ = std::max(newton_error_, at.newton_error);
    } catch (const Error&) {
      return;
    }
  }
  bool evaluate_value(const VecX& p, double& value) {
    ++evaluated_;
    if (!succeeds([&] { return problem_.evaluate_value(p, value); })) return false;
    log(value, 0);
    return true;
  }
  /// A trial, or the derivatives at one: the first time with both.
  bool evaluate_residuals(const VecX& p, VecX& residuals, MatX* jacobian) {
    const bool trial = jacobian == nullptr || log_.size() == resumed_;
    evaluated_ += trial;
    if (!succeeds([&] { return problem_.evaluate_residuals(p, residuals, jacobian); }))
      return false;
    const double gradient =
        jacobian == nullptr ? 0 : (jacobian->transpose() * residuals).lpNorm<Eigen::Infinity>();
    if (trial) log(0.5 * residuals.squaredNorm(), gradient);
    return true;
  }
  /// By multiple shooting: x are the parameters of its iterates, whose gaps may be open.
  MinimizeResult run_shooting(const VecX& start, const MinimizeOptions& how,
                              const InterruptGuard& interrupt, const OnIteration& on_iteration) {
    TaskShooting shooting(problem_, problem_.task().optimizer.intervals);
    if (double value = 0; log_.empty() && !evaluate_value(start, value)) return {};
    ShootingProblem stages = shooting.problem();
    const StageFunction stage = stages.stage;
    stages.stage = [&](int k, const VecX& s, const VecX& u, StageValues& values,
                       StageJacobians* jacobians) {
      return !interrupt.flag() &&
             succeeds([&] { return stage(k, s, u, values, jacobians); }, &shooting);
    };
    ShootingOptions options;
    options.iterations = how.evaluations;
    options.gap_tolerance = kLargestGap;
    options.gradient_tolerance = how.gradient_tolerance;
    const auto told = [&](const ShootingResult& so_far) {
      MinimizeResult out = so_far;
      out.x = shooting.parameters(so_far);
      states_ = shooting.states(so_far);
      gap_ = so_far.gap;
      return out;
    };
    const Trajectory from =
        states_.size() > 0 ? shooting.trajectory(start, states_) : shooting.guess(start);
    MinimizeResult out = told(shoot(stages, from, options, [&](const ShootingResult& so_far) {
      const MinimizeResult now = told(so_far);
      evaluated_ = now.evaluations;
      const bool goes_on = on_iteration(now);
      log(now.value, now.gradient_norm);
      return goes_on;
    }));
    if (interrupt.flag())
      out.end = MinimizeEnd::stopped;
    else
      evaluated_ = out.evaluations;
    return out;
  }
  void log(double value, double gradient) {
    if (log_.empty()) {
      first_value_ = value;
      first_terms_ = problem_.terms();
    }
    // With open gaps a smaller value is not a better one.
    const double best = log_.empty() || shoots() ? value : std::min(log_.back().best, value);
    log_.push_back({seconds(), earlier_.evaluation + evaluated_,
                    earlier_.iteration + result.iterations, value, gradient, best, gap_,
                    static_cast<double>(failed_runs())});
    write(log_.back());
  }
  void write(const LoggedEvaluation& e) {
    const double row[] = {e.evaluation, e.iteration, e.value, e.gradient, e.best, e.gap, e.failed};
    if (table_ != nullptr) table_->add_row(e.seconds, {row});
  }
  /// A line that is replaced, on a screen; lines, in a file.
  void show(const MinimizeResult& so_far) const {
    const bool screen = isatty(2) != 0;
    if (options_.output.json && !screen) return;
    say(fmt::format("{}  iteration {:4}  {:5} runs  value {:.9g}  gradient {:.2e}{}{}",
                    screen ? "\r\033[K" : "", iterations(), evaluations(), so_far.value,
                    so_far.gradient_norm, shoots() ? fmt::format("  gap {:.2e}", gap_) : "",
                    screen ? "" : "\n"));
  }

  TaskProblem& problem_;
  const OptimizeOptions& options_;
  Clock::time_point begin_ = Clock::now();
  TableWriter* table_ = nullptr;
  std::vector<LoggedEvaluation> log_;
  size_t resumed_ = 0;  // entries of it that are of an earlier search
  LoggedEvaluation earlier_;
  std::vector<TaskProblem::TermValue> first_terms_;
  int evaluated_ = 0, earlier_failed_ = 0;
  double first_value_ = 0, newton_error_ = 0, gap_ = 0;
  MatX states_;
  bool good_enough_ = false;
};

/// The objective of the same parameters with steps of half the length.
ordered_json at_half_the_step(const TaskProblem& problem, const VecX& p) {
  Task halved = problem.task();
  halved.dt = problem.settings().dt / 2;
  halved.until = problem.settings().dt * problem.settings().steps;
  TaskProblem other(std::move(halved));
  double value = 0;
  if (!other.evaluate_value(p, value)) return {{"failure", other.failure()}};
  return {{"value", value}, {"objectives", describe_terms(other.terms())}};
}

/// Of the best parameters, so that terms and end are theirs. Methods that need no gradient may have
/// found a run that has none.
ValueAndGradient evaluate_best(TaskProblem& problem, const VecX& p) {
  ValueAndGradient out;
  try {
    problem.evaluate(p, out);
  } catch (const Error& error) {
    say(fmt::format("sinew: the best run has no gradient: {}\n", error.what()));
    out = {};
    problem.evaluate_value(p, out.value);
  }
  return out;
}

ordered_json record_of(const TaskProblem& problem, const Search& search, const VecX& first,
                       const std::string& typed) {
  ordered_json out = describe_task(problem);
  const MinimizeResult& found = search.result;
  out["command"] = typed;
  out["method"] = Task::method_name(search.method());
  out["status"] = "running";
  out["value"] = found.value;
  out["first_value"] = search.first_value();
  out["first_objectives"] = describe_terms(search.first_terms());
  out["gradient_norm"] = found.gradient_norm;
  out["iterations"] = search.iterations();
  out["evaluations"] = search.evaluations();
  out["failed_runs"] = search.failed_runs();
  if (!search.failures.empty()) out["last_failure"] = search.failures.back();
  out["newton_error"] = search.largest_newton_error();
  out["parameters"] = describe_parameters(problem, found.x, found.gradient);
  if (search.shoots())
    out["intervals"] = {{"gap", search.gap()}, {"states", columns_of(search.states())}};
  const VecX values = problem.values(first);
  out["first_parameters"] = std::vector<double>(values.begin(), values.end());
  return out;
}

void print_optimum(const ordered_json& record) {
  print_task(record);
  fmt::print("  {} after {} iterations and {} runs, {:.3g} s\n", record["end"].get<std::string>(),
             record["iterations"].get<int>(), record["evaluations"].get<int>(),
             record["wall_seconds"].get<double>());
  fmt::print("  value {:.6g} at the start, {:.6g} now\n", record["first_value"].get<double>(),
             record["value"].get<double>());
  if (record.contains("intervals"))
    fmt::print("  largest gap between intervals {:.2g}\n",
               record["intervals"]["gap"].get<double>());
  if (record.contains("half_step") && record["half_step"].contains("value"))
    fmt::print("  with half the step {:.6g}\n", record["half_step"]["value"].get<double>());
  print_terms(record["objectives"]);
  print_parameters(record["parameters"]);
  if (record.contains("identification")) print_identification(record["identification"]);
  print_kinks(record["kinks"]);
}

/// What the run with the best parameters means for the exit code; tells what is wrong with it.
int judge(const RecordedRun& after) {
  if (after.result.end == SimulationEnd::failed) {
    say(fmt::format("sinew: the run with the best parameters failed: {}\n", after.failure));
    return kFailed;
  }
  if (after.audit.passed) return kOk;
  say(fmt::format("sinew: AUDIT FAILED: the run with the best parameters: {}; {}\n",
                  after.audit.verdict, after.audit.remedy));
  return kAuditFailed;
}

/// Returns the run with the best parameters.
RecordedRun write_results(const TaskProblem& problem, const Search& search, const VecX& first,
                          ResultFolder& folder, ordered_json& record) {
  add_drive_tables(problem, first, "start_", folder);
  record["controls_exact"] = add_drive_tables(problem, search.result.x, "", folder);
  record["simulate"] = drive_command(problem, search.result.x, folder.folder(), "");
  const std::string status = record["status"];
  record["status"] = "running";  // until the runs before and after are there
  folder.finish(record);
  const fs::path& out = folder.folder();
  record_drive(problem, first, out, "start_", out / "before");
  RecordedRun after = record_drive(problem, search.result.x, out, "", out / "after");
  record["simulate_difference"] = (after.state.q - problem.end().q).lpNorm<Eigen::Infinity>();
  record["audit"] = {{"passed", after.audit.passed}, {"verdict", after.audit.verdict}};
  if (!after.audit.passed) record["audit"]["remedy"] = after.audit.remedy;
  record["status"] = status;
  folder.update(record);
  return after;
}

/// Status, end and what is there to tell of the parameters found.
ordered_json finished_record(TaskProblem& problem, const Search& search, const VecX& first,
                             const std::string& typed) {
  const MinimizeResult& found = search.result;
  const ValueAndGradient at = evaluate_best(problem, found.x);
  ordered_json record = record_of(problem, search, first, typed);
  record["status"] = found.end == MinimizeEnd::stopped ? "interrupted" : "finished";
  record["end"] = to_string(found.end);
  record["objectives"] = describe_terms(problem.terms());
  if (at.gradient.size() > 0) record["gradient_norm"] = at.gradient.lpNorm<Eigen::Infinity>();
  record["newton_error"] = std::max(search.largest_newton_error(), at.newton_error);
  record["kinks"] = describe_kinks(problem.kinks());
  record["parameters"] = describe_parameters(problem, found.x, at.gradient);
  if (search.method() == Task::Optimizer::Method::levenberg_marquardt)
    if (const auto told = identify(problem, found.x))
      record["identification"] = describe_identification(problem, *told);
  record["half_step"] = at_half_the_step(problem, found.x);
  record["wall_seconds"] = search.seconds();
  return record;
}

int tell_first_failure(const TaskProblem& problem, const std::string& typed, bool json) {
  if (json) {
    ordered_json record = describe_task(problem);
    record["command"] = typed;
    record["status"] = "failed";
    record["failure"] = problem.failure();
    fmt::print("{}\n", json_text(record));
    std::fflush(stdout);
  }
  say(fmt::format("sinew: the run at the start failed: {}\n", problem.failure()));
  return kFailed;
}

int search_and_tell(TaskProblem& problem, Search& search, const VecX& start, const VecX& first,
                    const OptimizeOptions& options, ResultFolder* folder,
                    const InterruptGuard& interrupt, const std::string& typed) {
  search.run(start, folder, interrupt, [&] { return record_of(problem, search, first, typed); });
  if (search.result.end == MinimizeEnd::failed)
    return tell_first_failure(problem, typed, options.output.json);
  ordered_json record = finished_record(problem, search, first, typed);
  std::optional<RecordedRun> after;
  std::string page;
  if (folder != nullptr) {
    after = write_results(problem, search, first, *folder, record);
    if (options.output.report) page = write_report(options.output.out).string();
  }
  if (options.output.json) {
    fmt::print("{}\n", json_text(record));
  } else {
    print_optimum(record);
    if (folder != nullptr)
      fmt::print("\n  output  {}\n  again   {}\n", options.output.out,
                 record["simulate"].get<std::string>());
    if (!page.empty()) fmt::print("  report  {}: open it in a browser\n", page);
  }
  std::fflush(stdout);
  const int code = after ? judge(*after) : kOk;
  if (search.result.end != MinimizeEnd::stopped) return code;
  say("sinew: interrupted: the best parameters so far are kept\n");
  return kInterrupted;
}

int run_optimize(const OptimizeOptions& options, const std::string& typed) {
  if (options.resume && options.output.out.empty())
    throw Error("--resume", "needs the folder of the earlier run", "add --out FOLDER");
  TaskProblem problem(load_task(options.task));
  print_warnings(problem.model().warnings);
  warn_of_start(problem.model());
  VecX start = options.at.empty() ? problem.start() : read_parameter_file(options.at, problem);
  const VecX first = start;
  Search search(problem, options);
  if (options.resume) {
    EarlierSearch earlier = read_earlier_search(options.output.out, problem);
    start = earlier.parameters;
    search.resume(std::move(earlier));
  }
  const InterruptGuard interrupt;  // until all is written
  std::optional<ResultFolder> folder;
  if (!options.output.out.empty()) folder.emplace(options.output.out, options.output.format);
  try {
    return search_and_tell(problem, search, start, first, options, folder ? &*folder : nullptr,
                           interrupt, typed);
  } catch (const Error& error) {
    if (folder) folder->abandon(error.what());
    throw;
  }
}

}  // namespace

Command add_optimize(CLI::App& program) {
  CLI::App* c = program.add_subcommand(
      "optimize", "Find the parameters of a task that serve its objective best");
  const auto o = std::make_shared<OptimizeOptions>();
  c->add_option("task", o->task, kTaskHelp)->required();
  c->add_option("--at", o->at,
                "Start from these parameters (JSON, as of `sinew gradient`) instead of the task's")
      ->check(named());
  std::map<std::string, Task::Optimizer::Method> methods;
  for (size_t k = 0; k < Task::method_names().size(); ++k)
    methods[Task::method_names()[k]] = static_cast<Task::Optimizer::Method>(k);
  c->add_option("--optimizer", o->method,
                "l-bfgs, by gradients; levenberg-marquardt, by sensitivities, which also tells how "
                "well data tell the parameters; multiple-shooting, by derivatives of intervals; "
                "cma-es, without any (default: the task's, l-bfgs)")
      ->transform(CLI::CheckedTransformer(methods).description(
          fmt::format("{}", fmt::join(Task::method_names(), ", "))))
      ->type_name("");
  c->add_option("--seed", o->seed, "Of the random numbers of cma-es")
      ->check(CLI::Range(1, 1000000));
  c->add_option("--evaluations", o->evaluations, "Runs with gradients, at most (the task's: 500)")
      ->check(CLI::Range(1, 1000000));
  c->add_option("--out", o->output.out,
                "Folder for controls.sto, initial.sto, convergence.sto, run.json and the runs "
                "before and after")
      ->check(named());
  c->add_flag("--resume", o->resume, "Go on from the best parameters in --out")->needs("--out");
  add_report_flag(*c, o->output.report);
  add_json(*c, o->output.json);
  c->footer(
      "Examples\n"
      "  sinew optimize reach --out out/reach --report\n"
      "  sinew optimize reach --out out/reach --resume --evaluations 100\n"
      "  sinew optimize identify --json\n"
      "  sinew simulate arm --controls out/reach/controls.sto --initial out/reach/initial.sto\n"
      "Ctrl-C keeps the best parameters found. Exit codes: 0 done, 2 bad input, 3 the run at the "
      "start, or with the best parameters, failed, 4 the audit of the latter failed, 130 "
      "interrupted.");
  return {c, [o](const std::string& typed) { return run_optimize(*o, typed); }};
}

}  // namespace sinew::cli

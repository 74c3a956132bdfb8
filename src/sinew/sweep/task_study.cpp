#include <fmt/format.h>

#include <algorithm>
#include <mutex>

#include "sinew/core/error.hpp"
#include "sinew/core/fnv1a.hpp"
#include "sinew/core/names.hpp"
#include "sinew/io/tasks/task_problem.hpp"
#include "sinew/report/column_units.hpp"
#include "sinew/sweep/run_measures.hpp"
#include "sinew/sweep/study_base.hpp"

// Studies of tasks: their objective, its terms and its gradient, and outputs of the run that they
// judge.

namespace sinew {
namespace {

constexpr const char* kTotal = "total";

/// Where a name is in a list; throws an Error with the nearest one.
size_t find_name(const std::string& element, const std::string& name,
                 const std::vector<std::string>& known, const char* what) {
  const auto found = std::find(known.begin(), known.end(), name);
  if (found == known.end())
    throw Error(element, "'" + name + "' is no " + what + " of the task", suggest(name, known));
  return static_cast<size_t>(found - known.begin());
}

class TaskStudy final : public StudyBase {
 public:
  explicit TaskStudy(const Study& study) : study_(study), task_(load_task(study.task)) {
    task_.options.set.insert(task_.options.set.end(), study.options.set.begin(),
                             study.options.set.end());
    auto problem = std::make_unique<TaskProblem>(task_);
    std::vector<std::string> unknowns, terms = {kTotal};
    for (const TaskProblem::Unknown& unknown : problem->unknowns())
      unknowns.push_back(unknown.name);
    for (const TaskObjective& objective : task_.objectives) terms.push_back(objective.name);
    const auto located = [&](int line, auto&& find) {
      try {
        return find();
      } catch (const Error& error) {
        throw study_.located(error, line);
      }
    };
    for (const StudyParameter& parameter : study_.parameters) {
      const bool varies = parameter.kind == StudyParameter::Kind::task;
      unknown_.push_back(varies ? located(parameter.line,
                                          [&] {
                                            return find_name("parameter '" + parameter.name + "'",
                                                             parameter.target, unknowns, "unknown");
                                          })
                                : kOfModel);
      changes_model_ |= !varies;
    }
    for (const StudyResult& result : study_.results) {
      const bool of_term = result.of == StudyResult::Of::objective;
      number_.push_back(result.of == StudyResult::Of::output ? 0 : located(result.line, [&] {
        return find_name("result '" + result.name + "'", result.output, of_term ? terms : unknowns,
                         of_term ? "objective" : "unknown");
      }));
      differentiates_ |= result.of == StudyResult::Of::gradient;
      simulates_ |= result.of == StudyResult::Of::output;
    }
    find_units(*problem);
    std::string files = std::to_string(problem->model().content_hash);
    files += " " + std::to_string(task_.content_hash);
    for (const TaskProblem::DataFile& file : problem->data_files())
      files += " " + std::to_string(file.content_hash);
    hash_ = fnv1a(files);
    idle_.push_back(std::move(problem));
  }

  LoadedModel model() const override { return load_model(task_.model, task_.options); }
  std::uint64_t hash() const override { return hash_; }

  void check(const std::vector<double>& point) const override {
    std::unique_ptr<TaskProblem> problem = take(point);
    load_model(task_.model, problem->options(unknowns(*problem, point))).system();
    give_back(std::move(problem));
  }

  bool compute(const std::vector<double>& point, const std::string& command,
               const std::atomic<bool>* stop, const std::filesystem::path& keep,
               StudyRow& row) const override {
    std::unique_ptr<TaskProblem> problem;
    StudyRow run{.run = row.run};
    try {
      problem = take(point);
      const VecX p = unknowns(*problem, point);
      if (!evaluate(*problem, p, row)) return true;
      if (simulates_ || !keep.empty()) {
        const LoadedModel model = load_model(task_.model, problem->options(p));
        SystemEdit edit;
        edit.start = problem->run_start(p);
        const System system = model.build(edit);
        const SimulationSettings settings = problem->simulation(p);
        if (!simulate_row({study_, model, system, settings, problem->options(p), command}, stop,
                          keep, run))
          return false;
      }
    } catch (const Error& error) {
      row.status = RowStatus::refused;
      row.reason = error.what();
      return true;
    }
    give_back(std::move(problem));
    size_t output = 0;
    for (size_t k = 0; k < study_.results.size(); ++k)
      if (study_.results[k].of == StudyResult::Of::output) row.results[k] = run.results[output++];
    if (run.status != RowStatus::missing) {
      row.status = run.status;
      row.reason = run.reason;
    }
    return stop == nullptr || !*stop;
  }

  std::optional<CommandTemplate> command() const override { return std::nullopt; }
  std::vector<std::string> parameter_units() const override { return parameter_units_; }
  std::vector<std::string> result_units() const override { return result_units_; }

 private:
  static constexpr size_t kOfModel = static_cast<size_t>(-1);

  /// Throws an Error at a result whose output is not a column of the run.
  void find_units(const TaskProblem& problem) {
    const System& system = problem.system();
    for (const size_t unknown : unknown_) {
      std::string& unit = parameter_units_.emplace_back();
      if (unknown == kOfModel) continue;
      const TaskParameter& of = task_.parameters[problem.unknowns()[unknown].parameter];
      if (of.kind == TaskParameter::Kind::initial) unit = unit_of_state(system, of.name);
      if (of.kind == TaskParameter::Kind::duration) unit = "s";
    }
    std::vector<std::string> outputs;
    if (simulates_) outputs = RunMeasures(study_, problem.model(), system).units();
    size_t output = 0;
    for (const StudyResult& result : study_.results)
      result_units_.push_back(result.of == StudyResult::Of::output ? outputs[output++] : "");
  }

  /// Nobody else uses it.
  std::unique_ptr<TaskProblem> take(const std::vector<double>& point) const {
    Task task = task_;
    for (size_t j = 0; j < point.size(); ++j)
      if (unknown_[j] == kOfModel)
        task.options.set.push_back(fmt::format("{}={}", study_.parameters[j].target, point[j]));
    if (!changes_model_) {
      const std::lock_guard lock(mutex_);
      if (!idle_.empty()) {
        std::unique_ptr<TaskProblem> out = std::move(idle_.back());
        idle_.pop_back();
        return out;
      }
    }
    return std::make_unique<TaskProblem>(std::move(task));
  }
  void give_back(std::unique_ptr<TaskProblem> problem) const {
    if (changes_model_) return;
    const std::lock_guard lock(mutex_);
    idle_.push_back(std::move(problem));
  }

  VecX unknowns(const TaskProblem& problem, const std::vector<double>& point) const {
    VecX p = problem.start();
    for (size_t j = 0; j < point.size(); ++j)
      if (unknown_[j] != kOfModel)
        p[static_cast<Eigen::Index>(unknown_[j])] =
            point[j] / problem.unknowns()[unknown_[j]].scale;
    return p;
  }

  /// Writes all but outputs; false if the run fails.
  bool evaluate(TaskProblem& problem, const VecX& p, StudyRow& row) const {
    ValueAndGradient at;
    const bool good =
        differentiates_ ? problem.evaluate(p, at) : problem.evaluate_value(p, at.value);
    row.time = problem.end().t;
    if (!good) {
      row.status = RowStatus::failed;
      row.reason = problem.failure();
      return false;
    }
    row.status = RowStatus::passed;
    const std::vector<TaskProblem::TermValue> terms = problem.terms();
    for (size_t k = 0; k < study_.results.size(); ++k) {
      const size_t number = number_[k];
      if (study_.results[k].of == StudyResult::Of::objective)
        row.results[k] = number == 0 ? at.value : terms[number - 1].value;
      if (study_.results[k].of == StudyResult::Of::gradient)
        row.results[k] =
            at.gradient[static_cast<Eigen::Index>(number)] / problem.unknowns()[number].scale;
    }
    return true;
  }

  const Study& study_;
  Task task_;
  std::vector<size_t> unknown_;  // of each parameter; kOfModel: it changes the model's file
  std::vector<size_t> number_;   // of each result: a term, 0 the total, or an unknown
  bool changes_model_ = false, differentiates_ = false, simulates_ = false;
  std::uint64_t hash_ = 0;
  std::vector<std::string> parameter_units_, result_units_;
  mutable std::mutex mutex_;
  mutable std::vector<std::unique_ptr<TaskProblem>> idle_;
};

}  // namespace

std::unique_ptr<StudyBase> study_of_task(const Study& study) {
  return std::make_unique<TaskStudy>(study);
}

}  // namespace sinew

#pragma once

#include "sinew/io/tasks/task.hpp"
#include "sinew/math/minimize.hpp"

namespace sinew {

/// A task with its model: a function of its parameters, with its gradient. Not for two threads at
/// once.
class TaskProblem {
 public:
  /// Loads the model. Throws an Error with the place in the task's file.
  explicit TaskProblem(Task task);
  ~TaskProblem();

  const Task& task() const { return task_; }
  const LoadedModel& model() const { return first_->loaded; }
  const System& system() const { return first_->system; }
  const RunSettings& settings() const { return settings_; }
  /// Files of data that objectives read.
  struct DataFile {
    std::filesystem::path path;
    std::uint64_t content_hash = 0;  ///< FNV-1a of the file's bytes
  };
  const std::vector<DataFile>& data_files() const { return data_files_; }
  /// The objective's terms, and what its parameters change.
  const std::vector<TaskTerm>& made_terms() const { return terms_; }
  RunParameters& run_parameters() { return *parameters_; }

  /// One number that may change. Functions below take it as a multiple p of its scale.
  struct Unknown {
    std::string name;  ///< "motor", "motor@0.25" of a knot, "knee/speed"
    size_t parameter;  ///< index into Task::parameters
    double scale = 1;
    double start = 0;  ///< in its own unit, as are the limits
    double lower, upper;
  };
  const std::vector<Unknown>& unknowns() const { return unknowns_; }
  /// Times of the values of a parameter that is a control: {0} if it is constant.
  const std::vector<double>& knots(size_t parameter) const { return knots_[parameter]; }
  VecX start() const;
  Bounds bounds() const;
  VecX values(const VecX& p) const;  ///< in their own units

  /// Value and gradient by p. False if the run fails, with the place in failure().
  bool evaluate(const VecX& p, ValueAndGradient& out);
  /// The value alone, in half the time.
  bool evaluate_value(const VecX& p, double& value);
  /// Numbers of which the value is half the sum of squares, each with the root of its weight: first
  /// those of states, then those of parameters. And their derivatives by p, a column each, unless
  /// null: by sensitivities forwards. The run at the last p is not repeated. False if the run
  /// fails.
  bool evaluate_residuals(const VecX& p, VecX& residuals, MatX* jacobian);
  /// How many of them are those of states.
  Eigen::Index state_residuals() const { return static_cast<Eigen::Index>(residuals_.size()); }
  std::string failure() const { return run_->failure(); }
  /// Of the last evaluation.
  struct TermValue {
    std::string name, unit;
    double value = 0;                 ///< its share of the objective
    std::optional<double> miss = {};  ///< root of the mean square of what misses its target
  };
  std::vector<TermValue> terms() const;
  const State& end() const { return run_->end(); }
  size_t memory() const { return run_->memory(); }

  /// Elements whose law bends, and how often the last gradient passed such a kink.
  std::vector<RunDerivatives::Kinks> kinks() const { return run_->kinks(); }

  /// What the model is loaded with at p.
  LoadOptions options(const VecX& p) const;
  /// What drives the run at p and where it starts, in place of what the model says.
  RunStart run_start(const VecX& p) const;
  double step(const VecX& p) const;  ///< length of steps at p [s]
  /// The value alone, of a system that is built anew from the model's file with p in it, and run as
  /// `sinew simulate` runs: shares no code with evaluate but the steps. Throws an Error if it
  /// fails.
  double value_from_file(const VecX& p) const;
  /// The run at p as `sinew simulate` makes it.
  SimulationSettings simulation(const VecX& p) const;

 private:
  class Tally;
  struct Model {
    explicit Model(LoadedModel from) : loaded(std::move(from)), system(loaded.system()) {}
    LoadedModel loaded;
    System system;
  };
  std::shared_ptr<const Model> make_model(const LoadOptions& options) const;
  double described(const TaskParameter& parameter) const;
  /// Throws an Error with its place unless it is a state of the model that can have the value.
  void require_state(const TaskParameter& parameter, double value) const;
  void add_unknowns();
  void add_control(size_t parameter);
  void add_initial(size_t parameter);
  void add_model(size_t parameter);
  RunParameters make_parameters() const;
  ModelAt build(const VecX& values) const;
  void hold();
  void check_starts() const;
  double add_parameter_terms(const VecX& p, VecX* gradient);
  /// Runs at p and writes residuals_, unless that was the last run.
  bool collect_residuals(const VecX& p);
  /// The derivatives of the residuals of states, from the first row on.
  void differentiate_residuals(MatX& jacobian);
  TaskScope scope(const System& system) const;

  Task task_;
  /// Those that are in use, by the changes of the file that made them.
  mutable std::vector<std::pair<std::vector<std::string>, std::weak_ptr<const Model>>> models_;
  std::shared_ptr<const Model> first_;
  RunSettings settings_;
  std::vector<Unknown> unknowns_;
  std::vector<std::vector<double>> knots_;  // of each parameter that is a control
  std::unique_ptr<RunParameters> parameters_;
  std::unique_ptr<RunDerivatives> run_;
  std::vector<TaskTerm> terms_;
  std::vector<DataFile> data_files_;
  std::unique_ptr<Tally> tally_;
  std::vector<double> parameter_terms_;  // values of the terms of parameters
  std::optional<VecX> residuals_at_;     // p of residuals_, and of the last run
  std::vector<double> residuals_;        // of states
};

}  // namespace sinew

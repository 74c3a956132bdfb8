#pragma once

#include <optional>

#include "sinew/adjoint/objectives.hpp"
#include "sinew/adjoint/run_parameters.hpp"
#include "sinew/io/models/loaded_model.hpp"
#include "sinew/io/tasks/parameter_terms.hpp"

/// Tasks as data: a run, what may change in it, and what it is judged by. docs/task_format.md
/// describes the files.

namespace sinew {

/// Numbers of a run that may change: those of one control, one of the start, one of the model's
/// file, or the duration of the run.
struct TaskParameter {
  enum class Kind { control, initial, model, duration };
  Kind kind = Kind::control;
  std::string name;                ///< of the control; "knee", "knee/speed" of the start; a path
  std::vector<double> knots = {};  ///< times of a control's values [s]; empty: a constant
  int even_knots = 0;              ///< if positive: so many, evenly over the run
  TimeFunction::Interpolation interpolation = TimeFunction::Interpolation::linear;
  /// Where an optimisation starts; empty: as the model says.
  std::vector<double> values = {};
  bool hold = false;  ///< starts with what holds the model at rest where the run starts
  double scale = 1;   ///< a change of this size matters
  std::optional<double> lower, upper;
  int line = 0;
};

/// What an objective of a task needs to know to be made.
struct TaskScope {
  const LoadedModel& model;
  const System& system;
  const RunSettings& run;
  VecX first;                         ///< parameters at the start, in scales
  std::vector<std::string> controls;  ///< those that are parameters
  bool duration_varies = false;
  double end() const { return run.dt * run.steps; }  ///< of the run [s]
};

/// A term of the objective: of the states of the run, or of the parameters themselves.
struct TaskTerm {
  std::vector<std::shared_ptr<const LeastSquares>> of_states;  ///< all with one weight and moments
  std::shared_ptr<const ParameterTerm> of_parameters;
};

/// Throws an Error with the nearest name.
BodyIndex body_named(const std::string& name, const Skeleton& skeleton);

struct TaskObjective {
  std::string name;
  std::string unit;  ///< of what it measures: "m", "rad", …
  std::function<TaskTerm(const TaskScope&)> make;
  std::filesystem::path file;  ///< of data that it reads; empty: none
  int line = 0;
};

struct Task {
  std::string name;  ///< of the file, without its ending
  std::string title, description, citation;
  std::filesystem::path path;
  std::uint64_t content_hash = 0;  ///< FNV-1a of the file's bytes

  std::string model;  ///< as load_model takes it
  LoadOptions options;
  /// Of the run; the model says what is left open.
  Integrator integrator = Integrator::bdf2;
  std::optional<double> dt, until, newton_tolerance;
  bool checkpoints = false;
  std::vector<TaskParameter> parameters;
  std::vector<TaskObjective> objectives;
  struct Optimizer {
    enum class Method { lbfgs, cma_es, levenberg_marquardt, multiple_shooting };
    Method method = Method::lbfgs;
    int intervals = 10;    ///< that multiple_shooting cuts the run into
    double deviation = 1;  ///< of the first generation of cma_es, in scales
    int seed = 1;
    int evaluations = 500;
    double gradient_tolerance = 1e-8, value_tolerance = 1e-12;
  } optimizer;

  /// "l-bfgs", …
  static const std::vector<std::string>& method_names();
  static const std::string& method_name(Optimizer::Method method) {
    return method_names()[static_cast<size_t>(method)];
  }

  /// The same error with its place in the file.
  Error located(const Error& error, int line) const;
};

/// Reads and checks a task file, given by name or by path, without its model. Throws an Error with
/// file and line.
Task load_task(const std::string& name_or_path);
/// The same from text; `source` stands for the file in messages; models are looked up in `folder`.
Task parse_task(std::string_view text, const std::string& source,
                const std::filesystem::path& folder);

/// The tasks that come with the program: share/sinew/tasks beside its folder.
std::filesystem::path task_folder();
std::vector<std::string> task_names();

}  // namespace sinew

#include "sinew/io/tasks/task_problem.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sinew/core/fnv1a.hpp"
#include "sinew/core/names.hpp"
#include "sinew/io/scene/scene.hpp"
#include "sinew/io/tasks/holding_controls.hpp"
#include "sinew/io/tasks/task_residuals.hpp"
#include "sinew/math/infinity.hpp"
#include "sinew/muscles/muscles.hpp"
#include "sinew/system/projection.hpp"

namespace sinew {
namespace {

/// The terms of states, without those of parameters.
std::vector<std::shared_ptr<const LeastSquares>> of_states(const std::vector<TaskTerm>& terms) {
  std::vector<std::shared_ptr<const LeastSquares>> out;
  for (const TaskTerm& term : terms)
    out.insert(out.end(), term.of_states.begin(), term.of_states.end());
  return out;
}

/// Where a run starts follows from what is wanted of it by assembly and by the equilibrium of
/// fibres, as the model does from its file.
bool is_of_model(const TaskParameter& parameter) {
  return parameter.kind != TaskParameter::Kind::control;
}

ModelInputs inputs_of(const LoadedModel& model) {
  return model.osim ? inputs_of(*model.osim) : inputs_of(*model.scene);
}

/// What a state that a task names is in the model; 0 for names that are none.
double initial_value(const System& system, const State& start, const std::string& name) {
  const size_t slash = name.rfind('/');
  const std::string path = name.substr(0, slash), owner = path.substr(path.rfind('/') + 1),
                    kind = slash == std::string::npos ? "value" : name.substr(slash + 1);
  for (size_t k = 0; k < system.coordinates().size(); ++k)
    if (system.coordinates()[k].name == owner)
      return (kind == "speed" ? start.qdot : start.q)[static_cast<Eigen::Index>(k)];
  const Muscles* const part = system.muscle_part();
  for (size_t k = 0; k < system.hill_muscles().size(); ++k)
    if (system.muscles()[system.hill_muscles()[k]]->muscle().name == owner)
      return start.z[kind == "activation" ? part->activation_index(k) : part->fibre_index(k)];
  return 0;
}

std::string assignment(const std::string& path, double value) {
  return fmt::format("{}={:.17g}", path, value);
}

/// With the parameters of the model at their start.
LoadOptions options_of(const Task& task) {
  LoadOptions out = task.options;
  for (const TaskParameter& parameter : task.parameters)
    if (parameter.kind == TaskParameter::Kind::model)
      out.set.push_back(assignment(parameter.name, parameter.values[0]));
  return out;
}

/// The number of steps, which end at `until`.
int count_steps(double dt, double until) {
  constexpr double kMost = 1e6;  // each is kept, or taken again
  const double steps = std::round(until / dt);
  if (!(steps >= 1) || std::abs(until - steps * dt) > 1e-6 * dt)
    throw Error("run", fmt::format("{:g} s are not a whole number of steps of {:g} s", until, dt),
                "choose 'until' as a multiple of 'dt'");
  if (steps > kMost)
    throw Error("run", fmt::format("{:g} s are {:g} steps of {:g} s", until, steps, dt),
                fmt::format("take at most {:g}: longer steps, or an earlier 'until'", kMost));
  return static_cast<int>(steps);
}

}  // namespace

/// The sum of the terms, and what each adds to it.
class TaskProblem::Tally final : public Objective {
 public:
  explicit Tally(std::vector<std::shared_ptr<const LeastSquares>> terms)
      : shares(terms.size()), terms_(std::move(terms)) {}
  /// A run follows. Only its states count, which come in order: derivatives by the model's
  /// parameters evaluate them again, in other systems.
  void begin() {
    std::fill(shares.begin(), shares.end(), 0.0);
    next_ = 0;
  }
  /// The residuals of runs are appended to this, unless it is null.
  void collect(std::vector<double>* residuals) { residuals_ = residuals; }
  double evaluate(const At& at, StateVectors* bar) const override {
    const bool counts = bar == nullptr && at.step == next_;
    if (counts) ++next_;
    double sum = 0;
    for (size_t k = 0; k < terms_.size(); ++k) {
      const double share = terms_[k]->evaluate(at, bar);
      sum += share;
      if (counts) shares[k] += share;
    }
    if (counts && residuals_ != nullptr) append_residuals(terms_, at, *residuals_);
    return sum;
  }

  mutable std::vector<double> shares;  ///< of the last run

 private:
  std::vector<std::shared_ptr<const LeastSquares>> terms_;
  std::vector<double>* residuals_ = nullptr;
  mutable int next_ = 0;
};

TaskProblem::TaskProblem(Task task)
    : task_(std::move(task)), first_(make_model(options_of(task_))) {
  settings_.step = model().settings.step;
  settings_.step.integrator = task_.integrator;
  settings_.step.accuracy = 0;
  if (task_.newton_tolerance) settings_.step.newton_tolerance = *task_.newton_tolerance;
  settings_.step = differentiable_options(settings_.step);
  settings_.dt = task_.dt.value_or(model().settings.dt);
  settings_.checkpoints = task_.checkpoints;
  try {
    settings_.steps = count_steps(settings_.dt, task_.until.value_or(model().settings.until));
    run_ = std::make_unique<RunDerivatives>(system(), settings_);
  } catch (const Error& error) {
    throw task_.located(error, 0);
  }
  parameters_ = std::make_unique<RunParameters>(make_parameters());
  add_unknowns();
  for (const TaskObjective& objective : task_.objectives) {
    try {
      terms_.push_back(objective.make(scope(system())));
      if (!objective.file.empty())
        data_files_.push_back({objective.file, fnv1a(read_text_file(objective.file))});
    } catch (const Error& error) {
      throw task_.located(error, objective.line);
    }
  }
  tally_ = std::make_unique<Tally>(of_states(terms_));
}

TaskProblem::~TaskProblem() = default;

TaskScope TaskProblem::scope(const System& system) const {
  TaskScope out{model(), system, settings_, start(), {}};
  for (const TaskParameter& parameter : task_.parameters) {
    if (parameter.kind == TaskParameter::Kind::control) out.controls.push_back(parameter.name);
    out.duration_varies |= parameter.kind == TaskParameter::Kind::duration;
  }
  return out;
}

void TaskProblem::add_unknowns() {
  knots_.resize(task_.parameters.size());
  for (size_t k = 0; k < task_.parameters.size(); ++k) {
    const TaskParameter& parameter = task_.parameters[k];
    try {
      for (size_t other = 0; other < k; ++other)
        if (task_.parameters[other].name == parameter.name &&
            task_.parameters[other].kind == parameter.kind)
          throw Error("parameter '" + parameter.name + "'", "is there twice", "remove one");
      if (parameter.kind == TaskParameter::Kind::control)
        add_control(k);
      else if (parameter.kind == TaskParameter::Kind::initial)
        add_initial(k);
      else
        add_model(k);
    } catch (const Error& error) {
      throw task_.located(error, parameter.line);
    }
  }
  hold();
  check_starts();
}

void TaskProblem::add_control(size_t k) {
  const TaskParameter& parameter = task_.parameters[k];
  const std::string element = "parameter '" + parameter.name + "'";
  const ControlSchedule& schedule = system().controls();
  const int control = schedule.find(parameter.name);
  if (control < 0) {
    std::vector<std::string> names;
    for (const auto& entry : schedule.entries()) names.push_back(entry.control.name);
    throw Error(element, "is not a control of the model",
                names.empty() ? "the model has no motors and no muscles that are driven"
                              : suggest(parameter.name, names));
  }
  for (const std::string& excitation : task_.options.run.excitations)
    if (excitation.starts_with(parameter.name + "="))
      throw Error(element, "is also one of the 'excitations', which stay as they are",
                  "remove it there");
  const Control& described = schedule.entries()[static_cast<size_t>(control)].control;
  const double end = scope(system()).end();
  std::vector<double>& knots = knots_[k];
  knots = parameter.knots;
  for (int i = 0; i < parameter.even_knots; ++i)
    knots.push_back(end * i / (parameter.even_knots - 1));
  for (const double t : knots)
    if (!(t >= 0) || t > end * (1 + 1e-12))
      throw Error(element,
                  fmt::format("has a knot at t = {:g} s, and the run is from 0 to {:g} s", t, end),
                  "keep knots within the run");
  const bool constant = knots.empty();
  if (constant) knots = {0};
  if (parameter.values.size() > 1 && parameter.values.size() != knots.size())
    throw Error(element,
                fmt::format("has {} values for {} knots", parameter.values.size(), knots.size()),
                "give one for each, or one for all");
  // Excitations are from 0 to 1, and tensions do not push: beyond, they change nothing.
  const bool excitation = described.kind == ControlKind::excitation;
  const bool bounded = excitation || described.kind == ControlKind::tension;
  for (size_t i = 0; i < knots.size(); ++i) {
    Unknown u{constant ? parameter.name : fmt::format("{}@{:g}", parameter.name, knots[i]),
              k,
              parameter.scale,
              0,
              parameter.lower.value_or(bounded ? 0 : -kInfinity),
              parameter.upper.value_or(excitation ? 1 : kInfinity)};
    u.start = parameter.values.empty() ? described.value.derivatives(knots[i])[0]
                                       : parameter.values[parameter.values.size() > 1 ? i : 0];
    unknowns_.push_back(u);
  }
  parameters_->add_control(control, knots, parameter.interpolation, parameter.scale);
}

void TaskProblem::add_initial(size_t k) {
  const TaskParameter& parameter = task_.parameters[k];
  const bool activation = parameter.name.ends_with("/activation");
  unknowns_.push_back({parameter.name, k, parameter.scale, described(parameter),
                       parameter.lower.value_or(activation ? 0 : -kInfinity),
                       parameter.upper.value_or(activation ? 1 : kInfinity)});
  parameters_->add_model(parameter.name, parameter.scale);
}

/// In the order of p among those of the model.
void TaskProblem::add_model(size_t k) {
  const TaskParameter& parameter = task_.parameters[k];
  const bool duration = parameter.kind == TaskParameter::Kind::duration;
  unknowns_.push_back(
      {parameter.name, k, parameter.scale, described(parameter),
       parameter.lower.value_or(duration ? 1e-3 * scope(system()).end() : -kInfinity),
       parameter.upper.value_or(kInfinity)});
  parameters_->add_model(parameter.name, parameter.scale);
}

/// Where it starts: the task says, or the model.
double TaskProblem::described(const TaskParameter& parameter) const {
  if (!parameter.values.empty()) return parameter.values[0];
  if (parameter.kind == TaskParameter::Kind::duration) return scope(system()).end();
  return initial_value(system(), initial_state(system(), settings_.step), parameter.name);
}

void TaskProblem::require_state(const TaskParameter& parameter, double value) const {
  try {
    RunStart unused;
    set_initial(assignment(parameter.name, value), inputs_of(model()), unused);
  } catch (const Error& error) {
    throw task_.located(
        Error("parameter '" + parameter.name + "'", error.problem(), error.remedy()),
        parameter.line);
  }
}

/// Systems that the model's parameters make, where there are any.
RunParameters TaskProblem::make_parameters() const {
  std::vector<double> values;
  for (const TaskParameter& parameter : task_.parameters)
    if (is_of_model(parameter)) {
      values.push_back(described(parameter));
      if (parameter.kind == TaskParameter::Kind::initial) require_state(parameter, values.back());
    }
  if (values.empty()) return {system(), initial_state(system(), settings_.step)};
  return {[this](const VecX& x) { return build(x); },
          Eigen::Map<const VecX>(values.data(), static_cast<Eigen::Index>(values.size()))};
}

/// One that is in use, or a new one.
std::shared_ptr<const TaskProblem::Model> TaskProblem::make_model(
    const LoadOptions& options) const {
  std::erase_if(models_, [](const auto& known) { return known.second.expired(); });
  for (const auto& [set, known] : models_)
    if (set == options.set) return known.lock();
  auto out = std::make_shared<const Model>(load_model(task_.model, options));
  models_.emplace_back(options.set, out);
  return out;
}

ModelAt TaskProblem::build(const VecX& values) const {
  LoadOptions changed = task_.options;
  std::vector<std::string> initial;
  ModelAt out;
  Eigen::Index next = 0;
  for (const TaskParameter& parameter : task_.parameters) {
    if (!is_of_model(parameter)) continue;
    const double value = values[next++];
    if (parameter.kind == TaskParameter::Kind::duration)
      out.dt = value / settings_.steps;
    else
      (parameter.kind == TaskParameter::Kind::model ? changed.set : initial)
          .push_back(assignment(parameter.name, value));
  }
  const std::shared_ptr<const Model> made = make_model(changed);
  out.system = {made, &made->system};
  if (initial.empty()) {
    out.start = exact_start(made->system);
    return out;
  }
  // Where it starts does not change the equations.
  SystemEdit edit;
  edit.start = made->loaded.start;
  for (const std::string& state : initial) set_initial(state, inputs_of(made->loaded), *edit.start);
  out.start = exact_start(made->loaded.build(edit));
  return out;
}

LoadOptions TaskProblem::options(const VecX& p) const {
  LoadOptions out = task_.options;
  const VecX x = values(p);
  for (Eigen::Index k = 0; k < p.size(); ++k) {
    const TaskParameter& parameter = task_.parameters[unknowns_[static_cast<size_t>(k)].parameter];
    if (parameter.kind == TaskParameter::Kind::model)
      out.set.push_back(assignment(parameter.name, x[k]));
  }
  return out;
}

double TaskProblem::step(const VecX& p) const {
  const VecX x = values(p);
  for (Eigen::Index k = 0; k < p.size(); ++k)
    if (task_.parameters[unknowns_[static_cast<size_t>(k)].parameter].kind ==
        TaskParameter::Kind::duration)
      return x[k] / settings_.steps;
  return settings_.dt;
}

/// The starts that hold the model at rest where the run begins.
void TaskProblem::hold() {
  std::vector<int> controls;
  const TaskParameter* asked = nullptr;
  for (const TaskParameter& parameter : task_.parameters)
    if (parameter.hold) {
      asked = &parameter;
      controls.push_back(system().controls().find(parameter.name));
    }
  if (asked == nullptr) return;
  try {
    parameters_->set(start());
    const VecX held = holding_controls(system(), parameters_->start(), controls);
    size_t next = 0;
    for (size_t k = 0; k < task_.parameters.size(); ++k) {
      if (!task_.parameters[k].hold) continue;
      for (Unknown& u : unknowns_)
        if (u.parameter == k) u.start = held[static_cast<Eigen::Index>(next)];
      ++next;
    }
  } catch (const Error& error) {
    throw task_.located(error, asked->line);
  }
}

void TaskProblem::check_starts() const {
  for (const Unknown& u : unknowns_) {
    const int line = task_.parameters[u.parameter].line;
    if (u.start >= u.lower && u.start <= u.upper) continue;
    throw task_.located(Error("parameter '" + u.name + "'",
                              fmt::format("starts at {:g}, outside its limits {:g} to {:g}",
                                          u.start, u.lower, u.upper),
                              "give a 'value' within them, or wider limits"),
                        line);
  }
}

VecX TaskProblem::start() const {
  VecX p(static_cast<Eigen::Index>(unknowns_.size()));
  for (Eigen::Index k = 0; k < p.size(); ++k) {
    const Unknown& u = unknowns_[static_cast<size_t>(k)];
    p[k] = u.start / u.scale;
  }
  return p;
}

Bounds TaskProblem::bounds() const {
  Bounds out{start(), start()};
  for (Eigen::Index k = 0; k < out.lower.size(); ++k) {
    const Unknown& u = unknowns_[static_cast<size_t>(k)];
    out.lower[k] = u.lower / u.scale;
    out.upper[k] = u.upper / u.scale;
  }
  return out;
}

VecX TaskProblem::values(const VecX& p) const {
  VecX out = p;
  for (Eigen::Index k = 0; k < p.size(); ++k) out[k] *= unknowns_[static_cast<size_t>(k)].scale;
  return out;
}

double TaskProblem::add_parameter_terms(const VecX& p, VecX* gradient) {
  parameter_terms_.clear();
  double sum = 0;
  for (const TaskTerm& term : terms_) {
    if (!term.of_parameters) continue;
    parameter_terms_.push_back(term.of_parameters->value(p, parameters_->controls()));
    sum += parameter_terms_.back();
    if (gradient != nullptr) term.of_parameters->add_gradient(p, *parameters_, *gradient);
  }
  return sum;
}

bool TaskProblem::evaluate(const VecX& p, ValueAndGradient& out) {
  residuals_at_.reset();
  tally_->begin();
  if (!differentiate(*run_, *parameters_, *tally_, p, out)) return false;
  out.value += add_parameter_terms(p, &out.gradient);
  return true;
}

bool TaskProblem::evaluate_value(const VecX& p, double& value) {
  residuals_at_.reset();
  tally_->begin();
  if (!run_at(*run_, *parameters_, *tally_, p)) return false;
  value = run_->value() + add_parameter_terms(p, nullptr);
  return true;
}

bool TaskProblem::collect_residuals(const VecX& p) {
  if (residuals_at_ && *residuals_at_ == p) return true;
  residuals_at_.reset();
  residuals_.clear();
  tally_->begin();
  tally_->collect(&residuals_);
  const bool finished = run_at(*run_, *parameters_, *tally_, p);
  tally_->collect(nullptr);
  if (!finished) return false;
  add_parameter_terms(p, nullptr);
  residuals_at_ = p;
  return true;
}

std::vector<TaskProblem::TermValue> TaskProblem::terms() const {
  std::vector<TermValue> out;
  size_t of_states = 0, of_parameters = 0;
  for (size_t k = 0; k < terms_.size(); ++k) {
    TermValue term{task_.objectives[k].name, task_.objectives[k].unit};
    const auto& squares = terms_[k].of_states;
    for (size_t i = 0; i < squares.size(); ++i) term.value += tally_->shares[of_states++];
    if (!squares.empty()) {
      term.miss = std::sqrt(2 * term.value / squares[0]->weight() /
                            squares[0]->when().total(settings_.steps, settings_.dt) /
                            static_cast<double>(squares.size()));
    } else {
      term.value = parameter_terms_[of_parameters++];
    }
    out.push_back(term);
  }
  return out;
}

RunStart TaskProblem::run_start(const VecX& p) const {
  RunStart out = model().start;
  const VecX x = values(p);
  const double stretch = step(p) / settings_.dt;
  Eigen::Index next = 0;
  for (size_t k = 0; k < task_.parameters.size(); ++k) {
    const TaskParameter& parameter = task_.parameters[k];
    if (is_of_model(parameter)) {
      if (parameter.kind == TaskParameter::Kind::initial)
        set_initial(assignment(parameter.name, x[next]), inputs_of(model()), out);
      ++next;
      continue;
    }
    // Knots keep their share of the run.
    std::vector<double> knots = knots_[k], values;
    for (double& t : knots) t *= stretch;
    for (size_t i = 0; i < knots.size(); ++i) values.push_back(x[next++]);
    out.controls.insert_or_assign(
        parameter.name,
        TimeFunction::Table(knots, values, parameter.interpolation, parameter.name));
  }
  return out;
}

SimulationSettings TaskProblem::simulation(const VecX& p) const {
  SimulationSettings out = model().settings;
  out.step = settings_.step;
  out.dt = step(p);
  out.until = out.dt * settings_.steps;
  out.output_interval = 0;
  return out;
}

double TaskProblem::value_from_file(const VecX& p) const {
  const LoadedModel model = load_model(task_.model, options(p));
  SystemEdit edit;
  edit.start = run_start(p);
  const System system = model.build(edit);
  std::vector<TaskTerm> terms;
  for (const TaskObjective& objective : task_.objectives)
    terms.push_back(objective.make({model, system, settings_, start(), scope(system).controls}));
  const SimulationSettings run = simulation(p);
  Workspace ws(system), judge(system);
  State state = parameters_->has_model() ? exact_start(system) : initial_state(system, run.step);
  double sum = 0;
  int number = 0;
  const auto add = [&](const State& at) {
    const VecX& lambda = ws.constraints.lambda;
    const VecView known(lambda.data(), number > 0 ? lambda.size() : 0);
    double of_state = 0;
    for (const auto& term : of_states(terms))
      of_state +=
          term->evaluate({system, at, number, settings_.steps, run.dt, judge, known}, nullptr);
    sum += of_state;
  };
  add(state);
  SimulationObserver observer;
  observer.on_step = [&](const State& at, const StepReport&) {
    ++number;
    add(at);
  };
  const SimulationResult result = simulate(system, run, state, ws, observer);
  if (result.end != SimulationEnd::finished)
    throw Error("run", describe_failure(system, result, state), "choose a shorter step");
  for (const TaskTerm& term : terms)
    if (term.of_parameters) sum += term.of_parameters->value(p, system.controls());
  return sum;
}

}  // namespace sinew

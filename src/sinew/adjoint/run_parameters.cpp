#include "sinew/adjoint/run_parameters.hpp"

#include <algorithm>
#include <cmath>

#include "sinew/core/error.hpp"
#include "sinew/system/projection.hpp"

namespace sinew {
namespace {

const std::string& name_of(const System& system, int control) {
  return system.controls().entries()[static_cast<size_t>(control)].control.name;
}

}  // namespace

RunParameters::RunParameters(const System& system, State start)
    : model_{not_owned(system), std::move(start)},
      start_(model_.start),
      schedule_(system.controls()) {}

RunParameters::RunParameters(BuildModel build, const VecX& values)
    : build_(std::move(build)), model_(build_(values)), values_(values) {
  first_dt_ = model_.dt;
  start_ = model_.start;
  schedule_ = model_.system->controls();
}

void RunParameters::add_model(std::string name, double scale) {
  if (static_cast<Eigen::Index>(model_columns_.size()) == values_.size())
    throw Error("parameter '" + name + "'", "is not one of those that the model was built with",
                "give its value to RunParameters first");
  model_columns_.push_back(size_++);
  model_parameters_.push_back({std::move(name), scale});
}

void RunParameters::add_control(int control, std::vector<double> times, Interpolation interpolation,
                                double scale) {
  const std::vector<double> zeros(times.size());
  const std::string element = "control '" + name_of(system(), control) + "'";
  if (times.empty()) throw Error(element, "has no knots", "give at least one time");
  TimeFunction::Table(times, zeros, interpolation, element);  // checks
  Knots knots{control, size_, std::move(times), interpolation, scale, {}};
  const size_t count = knots.times.size();
  if (interpolation == Interpolation::cubic && count > 1)
    for (size_t k = 0; k < count; ++k) {
      std::vector<double> unit = zeros;
      unit[k] = 1;
      knots.basis.push_back(TimeFunction::Table(knots.times, unit, interpolation, element));
    }
  size_ += static_cast<int>(count);
  knots_.push_back(std::move(knots));
}

void RunParameters::add_start(int entry, double scale) {
  starts_.push_back({entry, size_++, scale});
}

std::vector<double> RunParameters::Knots::stretched(double start, double stretch) const {
  std::vector<double> out = times;
  if (stretch != 1)
    for (double& t : out) t = start + stretch * (t - start);
  return out;
}

double RunParameters::unstretched(double t) const {
  if (model_.dt == first_dt_) return t;
  return model_.start.t + first_dt_ / model_.dt * (t - model_.start.t);
}

ControlSchedule RunParameters::controls_of(const ModelAt& model) const {
  ControlSchedule out = model.system->controls();
  const double stretch = first_dt_ > 0 ? model.dt / first_dt_ : 1;
  for (const Knots& knots : knots_) {
    const auto count = static_cast<Eigen::Index>(knots.times.size());
    const VecX values = knots.scale * p_.segment(knots.first, count);
    out.set(knots.control, TimeFunction::Table(knots.stretched(model.start.t, stretch),
                                               {values.begin(), values.end()}, knots.interpolation,
                                               name_of(*model.system, knots.control)));
  }
  return out;
}

State RunParameters::wanted_start(const ModelAt& model) const {
  State out = model.start;
  const int n = model.system->dof_count();
  for (const Start& s : starts_)
    (s.entry < n ? out.q[s.entry] : out.qdot[s.entry - n]) = s.scale * p_[s.parameter];
  return out;
}

State RunParameters::start_of(const ModelAt& model) const {
  State out = wanted_start(model);
  if (!moves_start()) return out;
  Workspace ws(*model.system);
  if (!project(*model.system, out.t, out.q, out.qdot, Directions::none, ws).ok)
    throw Error("start", "constraints cannot be met near the coordinates that are wanted",
                "start nearer to a pose that meets them");
  return out;
}

ProjectionDerivatives RunParameters::start_projection() const {
  const State wanted = wanted_start(model_);
  Workspace ws(system());
  VecX u(schedule_.size());
  if (u.size() > 0) schedule_.evaluate(wanted.t, wanted, u);
  const VecX none = VecX::Zero(wanted.q.size()), lambda = VecX::Zero(row_count(system()));
  ProjectionDerivatives out(system());
  if (!out.update({wanted.t, 0, view(wanted.q), view(wanted.qdot), view(none), view(lambda),
                   view(wanted.z)},
                  u, start_.q, start_.qdot, ws))
    throw Error("start", "its way to the constraints cannot be differentiated",
                "start nearer to a pose that meets them");
  return out;
}

void RunParameters::set(const VecX& p) {
  p_ = p;
  derivatives_.reset();
  VecX values = values_;
  for (size_t k = 0; k < model_columns_.size(); ++k)
    values[static_cast<Eigen::Index>(k)] = model_parameters_[k].scale * p[model_columns_[k]];
  if (values != values_) {
    model_ = build_(values);
    values_ = values;
  }
  schedule_ = controls_of(model_);
  start_ = start_of(model_);
}

/// Longer steps leave what happens at set times where it is, and methods begin anew there.
void RunParameters::require_steady_times(double dt) const {
  if (!derivatives_->moves_time()) return;
  const double end = model_.start.t + dt * 1e-6;
  ControlSchedule others = system().controls();
  for (const Knots& knots : knots_) others.set(knots.control, 0.0);
  for (const std::vector<double>* times : {&system().breakpoints(), &others.breakpoints()})
    for (const double t : *times)
      if (t > end)
        throw Error("duration", "cannot be a parameter where forces or controls jump or bend",
                    "keep it, or make those controls parameters, which stretch along");
}

ModelDerivatives* RunParameters::model(double dt) {
  if (model_.dt > 0) dt = model_.dt;
  if (!has_model() || (derivatives_ && derivatives_dt_ == dt)) return derivatives_.get();
  derivatives_dt_ = dt;
  const auto with_start = [&](const VecX& values) {
    ModelAt out = build_(values);
    out.start = start_of(out);
    return out;
  };
  ModelAt middle = model_;
  middle.start = start_;
  middle.dt = dt;
  derivatives_ = std::make_unique<ModelDerivatives>(
      with_start, [&](const ModelAt& at) { return controls_of(at); }, middle, values_,
      model_parameters_);
  require_steady_times(dt);
  return derivatives_.get();
}

template <class F>
void RunParameters::Knots::for_each_weight(double t, F&& f) const {
  for (size_t k = 0; k < basis.size(); ++k) f(static_cast<int>(k), basis[k].derivatives(t)[0]);
  if (!basis.empty()) return;
  // A step counts as reached a hair early, as in TimeFunction.
  const auto next = std::partition_point(
      times.begin(), times.end(), [t](double knot) { return t >= knot - 1e-12 * std::abs(knot); });
  const int after = static_cast<int>(next - times.begin()), last = static_cast<int>(times.size());
  if (after == 0 || after == last || interpolation == Interpolation::step) {
    f(std::max(after - 1, 0), 1.0);
    return;
  }
  const double weight = (t - *(next - 1)) / (*next - *(next - 1));
  f(after - 1, 1 - weight);
  f(after, weight);
}

bool RunParameters::Knots::is_used(size_t k, double from, double to) const {
  if (!basis.empty()) return true;
  const double hair = 1e-9 * (to - from);
  const bool after = k == 0 || (interpolation == Interpolation::step ? times[k] <= to + hair
                                                                     : times[k - 1] < to - hair);
  return after && (k + 1 == times.size() || times[k + 1] > from + hair);
}

std::vector<int> RunParameters::used_between(double from, double to) const {
  std::vector<int> out;
  for (const Knots& knots : knots_)
    for (size_t k = 0; k < knots.times.size(); ++k)
      if (knots.is_used(k, unstretched(from), unstretched(to)))
        out.push_back(knots.first + static_cast<int>(k));
  std::sort(out.begin(), out.end());
  return out;
}

void RunParameters::pull_back_controls(double t, const VecX& bar, VecX& out) const {
  for (const Knots& knots : knots_)
    knots.for_each_weight(unstretched(t), [&](int k, double weight) {
      out[knots.first + k] += knots.scale * weight * bar[knots.control];
    });
}

void RunParameters::pull_back_start(const StateVectors& bar, VecX& out) const {
  if (starts_.empty()) return;
  const int n = system().dof_count();
  MotionVectors x;
  x.q = bar.q;
  x.qdot = bar.qdot;
  if (moves_start()) start_projection().pull_back(x);
  for (const Start& s : starts_)
    out[s.parameter] += s.scale * (s.entry < n ? x.q[s.entry] : x.qdot[s.entry - n]);
}

void RunParameters::push_forward_controls(double t, MatX& columns) const {
  for (const Knots& knots : knots_)
    knots.for_each_weight(unstretched(t), [&](int k, double weight) {
      columns(knots.control, knots.first + k) += knots.scale * weight;
    });
}

MatX RunParameters::start_directions() const {
  if (has_model() && !derivatives_)
    throw Error("start", "has directions by parameters of the model only after model()",
                "call it first");
  const Eigen::Index n = system().dof_count();
  MatX out = MatX::Zero(2 * n + system().internal_count(), size_);
  for (const Start& s : starts_) out(s.entry, s.parameter) = s.scale;
  if (moves_start()) {
    ProjectionDerivatives projection = start_projection();
    MotionVectors x;
    for (const Start& s : starts_) {
      auto column = out.col(s.parameter);
      x.q = column.head(n);
      x.qdot = column.segment(n, n);
      projection.push_forward(x);
      column.head(2 * n) << x.q, x.qdot;
    }
  }
  for (size_t k = 0; k < model_columns_.size(); ++k)
    out.col(model_columns_[k]) = derivatives_->start().col(static_cast<Eigen::Index>(k));
  return out;
}

bool run_at(RunDerivatives& run, RunParameters& parameters, const Objective& objective,
            const VecX& p) {
  parameters.set(p);
  if (const double dt = parameters.dt() > 0 ? parameters.dt() : run.dt();
      parameters.has_model() && (!run.uses(parameters.shared_system()) || dt != run.dt()))
    run.use(parameters.shared_system(), dt);
  return run.run(parameters.controls(), parameters.start(), objective);
}

bool differentiate(RunDerivatives& run, RunParameters& parameters, const Objective& objective,
                   const VecX& p, ValueAndGradient& out) {
  if (!run_at(run, parameters, objective, p)) return false;
  out.value = run.value();
  out.gradient.setZero(parameters.size());
  const RunDerivatives::Gradient gradient = run.gradient(
      [&](double t, const VecX& bar) { parameters.pull_back_controls(t, bar, out.gradient); },
      parameters.model(run.dt()));
  parameters.pull_back_start(gradient.start, out.gradient);
  for (size_t k = 0; k < parameters.model_columns().size(); ++k)
    out.gradient[parameters.model_columns()[k]] += gradient.model[static_cast<Eigen::Index>(k)];
  out.newton_error = gradient.newton_error;
  return true;
}

}  // namespace sinew

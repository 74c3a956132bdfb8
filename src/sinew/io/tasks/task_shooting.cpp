#include "sinew/io/tasks/task_shooting.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sinew/constraints/rows/prescribed_motion.hpp"
#include "sinew/math/infinity.hpp"
#include "sinew/muscles/muscles.hpp"

namespace sinew {
namespace {

constexpr double kLongestFibre = 2;  // in optimal lengths

/// The same run, as long as an interval.
RunSettings interval_settings(const TaskProblem& problem, int intervals) {
  RunSettings out = problem.settings();
  if (intervals < 2 || out.steps % intervals != 0)
    throw problem.task().located(
        Error("optimizer",
              fmt::format("{} intervals do not divide a run of {} steps", intervals, out.steps),
              "choose 'intervals' so that all have as many steps"),
        0);
  out.steps /= intervals;
  out.checkpoints = false;
  return out;
}

bool has(const std::vector<int>& list, int value) {
  return std::find(list.begin(), list.end(), value) != list.end();
}

}  // namespace

TaskShooting::TaskShooting(TaskProblem& problem, int intervals)
    : problem_(problem),
      intervals_(intervals),
      run_(problem.system(), interval_settings(problem, intervals)),
      judge_(problem.system()) {
  for (const TaskParameter& parameter : problem.task().parameters)
    if (parameter.kind == TaskParameter::Kind::model ||
        parameter.kind == TaskParameter::Kind::duration)
      throw problem.task().located(
          Error("parameter '" + parameter.name + "'",
                "is the same in all intervals, which multiple shooting does not search for",
                "use the method l-bfgs, or leave it out"),
          parameter.line);
  try {
    find_prescribed();
    divide_parameters();
    require_restarts();
  } catch (const Error& error) {
    throw problem.task().located(error, 0);
  }
}

double TaskShooting::time(int interval) const {
  return problem_.settings().dt * (steps() * interval);
}

void TaskShooting::find_prescribed() {
  const System& system = problem_.system();
  for (const auto& constraint : system.constraints()) {
    const auto* motion = dynamic_cast<const PrescribedCoordinate*>(constraint.get());
    if (motion == nullptr || motion->level() != ConstraintLevel::position ||
        system.coordinate_map() != nullptr)
      throw Error("constraint '" + constraint->name() + "'",
                  "leaves no free choice of the states at which intervals start",
                  "use the method l-bfgs: multiple shooting takes prescribed coordinates alone");
    prescribed_.push_back({motion->dof().value, motion->function()});
  }
  const Eigen::Index n = system.dof_count();
  for (Eigen::Index k = 0; k < 2 * n + system.internal_count(); ++k)
    if (std::none_of(prescribed_.begin(), prescribed_.end(),
                     [&](const Prescribed& p) { return k == p.dof || k == n + p.dof; }))
      free_.push_back(k);
}

void TaskShooting::divide_parameters() {
  p_ = problem_.start();
  problem_.run_parameters().set(p_);
  first_ = joined_motion(problem_.run_parameters().start());
  for (size_t k = 0; k < problem_.unknowns().size(); ++k)
    if (problem_.task().parameters[problem_.unknowns()[k].parameter].kind ==
        TaskParameter::Kind::initial)
      starts_.push_back(static_cast<int>(k));
  std::vector<int> known, now;
  for (int k = 0; k < intervals_; ++k) {
    std::vector<int> carried, introduced;
    now = problem_.run_parameters().used_between(time(k), time(k + 1));
    for (const int parameter : now) {
      (has(known, parameter) ? carried : introduced).push_back(parameter);
    }
    known = now;
    carried_.push_back(std::move(carried));
    introduced_.push_back(std::move(introduced));
  }
  carried_.emplace_back();
  introduced_[0].insert(introduced_[0].end(), starts_.begin(), starts_.end());
}

/// A method with a memory begins anew in each interval. Then the run in one piece has to do so,
/// too: it does where a control bends.
void TaskShooting::require_restarts() const {
  if (problem_.settings().step.integrator != Integrator::bdf2) return;
  const std::vector<double>& times = problem_.run_parameters().controls().breakpoints();
  for (int k = 1; k < intervals_; ++k)
    if (std::none_of(times.begin(), times.end(), [&](double t) {
          return std::abs(t - time(k)) < 1e-6 * problem_.settings().dt;
        }))
      throw Error("optimizer",
                  fmt::format("bdf2 begins anew where an interval starts, at t = {:g} s, and a run "
                              "in one piece would not: no control bends there",
                              time(k)),
                  "put linear knots at the starts of intervals, or use sdirk2 or bdf1");
}

VecX TaskShooting::joined_motion(const State& state) {
  VecX out(state.q.size() + state.qdot.size() + state.z.size());
  out << state.q, state.qdot, state.z;
  return out;
}

VecX TaskShooting::full_state(int interval, const VecX& s) const {
  const Eigen::Index n = problem_.system().dof_count();
  VecX out(2 * n + problem_.system().internal_count());
  for (size_t k = 0; k < free_.size(); ++k) out[free_[k]] = s[static_cast<Eigen::Index>(k)];
  for (const Prescribed& p : prescribed_) {
    const std::array<double, 3> f = p.f.derivatives(time(interval));
    out[p.dof] = f[0];
    out[n + p.dof] = f[1];
  }
  return out;
}

State TaskShooting::start_of(int interval, const VecX& s) const {
  const Eigen::Index n = problem_.system().dof_count();
  VecX x;
  if (interval == 0) {
    x = joined_motion(problem_.run_parameters().start());
    x(free_) += s.head(motion_size()) - first_(free_);
  } else {
    x = full_state(interval, s);
  }
  State out;
  out.t = time(interval);
  out.q = x.head(n);
  out.qdot = x.segment(n, n);
  out.z = x.tail(problem_.system().internal_count());
  return out;
}

Bounds TaskShooting::bounds_of_start() const {
  const VecX s = first_(free_);
  return {s, s};
}

Bounds TaskShooting::bounds_of_states(int interval) const {
  const System& system = problem_.system();
  const auto size =
      motion_size() + static_cast<Eigen::Index>(carried_[static_cast<size_t>(interval)].size());
  Bounds out{VecX::Constant(size, -kInfinity), VecX::Constant(size, kInfinity)};
  const Eigen::Index first = motion_size() - system.internal_count();  // z is never prescribed
  for (size_t k = 0; k < system.hill_muscles().size(); ++k) {
    const HillDescription& hill = *system.muscles()[system.hill_muscles()[k]]->muscle().hill;
    const Eigen::Index activation = first + system.muscle_part()->activation_index(k),
                       fibre = first + system.muscle_part()->fibre_index(k);
    out.lower[activation] = hill.activation.minimum;
    out.upper[activation] = 1;
    out.lower[fibre] = hill.muscle.min_fibre_length();
    out.upper[fibre] = kLongestFibre * hill.muscle.optimal_fibre_length;
  }
  return out;
}

Bounds TaskShooting::bounds_of_controls(int interval) const {
  const std::vector<int>& parameters = introduced_[static_cast<size_t>(interval)];
  const Bounds all = problem_.bounds();
  return {all.lower(parameters), all.upper(parameters)};
}

ShootingProblem TaskShooting::problem() {
  ShootingProblem out;
  out.stage = [this](int k, const VecX& s, const VecX& u, StageValues& values,
                     StageJacobians* jacobians) { return evaluate(k, s, u, values, jacobians); };
  out.states.resize(static_cast<size_t>(intervals_) + 1);
  out.states[0] = bounds_of_start();
  for (int k = 1; k <= intervals_; ++k) out.states[static_cast<size_t>(k)] = bounds_of_states(k);
  for (int k = 0; k < intervals_; ++k) out.controls.push_back(bounds_of_controls(k));
  return out;
}

Trajectory TaskShooting::trajectory(const VecX& p, const MatX& states) const {
  Trajectory out;
  for (int k = 0; k <= intervals_; ++k) {
    const std::vector<int>& carried = carried_[static_cast<size_t>(k)];
    VecX s(motion_size() + static_cast<Eigen::Index>(carried.size()));
    s << (k == 0 ? first_ : VecX(states.col(k)))(free_), p(carried);
    out.states.push_back(std::move(s));
    if (k < intervals_) out.controls.push_back(p(introduced_[static_cast<size_t>(k)]));
  }
  return out;
}

VecX TaskShooting::parameters(const Trajectory& at) const {
  VecX out = problem_.start();
  for (int k = 0; k < intervals_; ++k)
    out(introduced_[static_cast<size_t>(k)]) = at.controls[static_cast<size_t>(k)];
  return out;
}

MatX TaskShooting::states(const Trajectory& at) {
  MatX out(2 * problem_.system().dof_count() + problem_.system().internal_count(), intervals_ + 1);
  problem_.run_parameters().set(parameters(at));
  out.col(0) = joined_motion(problem_.run_parameters().start());
  for (int k = 1; k <= intervals_; ++k)
    out.col(k) = full_state(k, at.states[static_cast<size_t>(k)]);
  return out;
}

}  // namespace sinew

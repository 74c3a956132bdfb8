#include <cmath>

#include "sinew/io/tasks/task_shooting.hpp"

// The guess of a trajectory; values and derivatives of an interval.

namespace sinew {
namespace {

constexpr double kNear = 0.05;  // a run this close to what it tracks is a good guess [rad, m]

/// Calls back for each state of a run.
class EachState final : public Objective {
 public:
  explicit EachState(std::function<void(int step, const State&)> f) : f_(std::move(f)) {}
  double evaluate(const At& at, StateVectors*) const override {
    f_(at.step, at.state);
    return 0;
  }

 private:
  std::function<void(int, const State&)> f_;
};

}  // namespace

Trajectory TaskShooting::guess(const VecX& p) {
  RunParameters& parameters = problem_.run_parameters();
  parameters.set(p);
  State state = parameters.start();
  MatX states(2 * state.q.size() + state.z.size(), intervals_ + 1);
  states.col(0) = joined_motion(state);
  const EachState nothing([](int, const State&) {});
  bool runs = true;
  for (int k = 1; k <= intervals_; ++k) {
    state.memory = {};
    runs = runs && run_.run(parameters.controls(), state, nothing);
    if (runs) state = run_.end();
    states.col(k) = joined_motion(state);
    VecX x = states.col(k);
    move_to_targets(k, x);
    if (const VecX moved = x - states.col(k);
        moved.head(state.q.size()).lpNorm<Eigen::Infinity>() > kNear) {
      find_equilibrium(p, x);
      states.col(k) = x;
    }
  }
  return trajectory(p, states);
}

void TaskShooting::move_to_targets(int interval, VecX& x) {
  const State anywhere;
  for (const TaskTerm& term : problem_.made_terms())
    for (const auto& squares : term.of_states) {
      const auto* target = dynamic_cast<const CoordinateTarget*>(squares.get());
      if (target == nullptr || target->of() != CoordinateTarget::Of::value ||
          target->when().factor(judged(interval * steps(), anywhere)) == 0)
        continue;
      const std::array<double, 3> f = target->target().derivatives(time(interval));
      x[target->dof()] = f[0];
      x[problem_.system().dof_count() + target->dof()] = f[1];
    }
}

void TaskShooting::find_equilibrium(const VecX& p, VecX& x) const {
  const System& system = problem_.system();
  if (system.internal_count() == 0) return;
  SystemEdit edit;
  edit.start = problem_.run_start(p);
  const auto count = static_cast<Eigen::Index>(system.coordinates().size());
  for (Eigen::Index k = 0; k < count; ++k) {
    const std::string& name = system.coordinates()[static_cast<size_t>(k)].name;
    edit.start->values[name] = x[k];
    edit.start->speeds[name] = x[system.dof_count() + k];
  }
  x.tail(system.internal_count()) = problem_.model().build(edit).described_state().z;
}

bool TaskShooting::evaluate(int k, const VecX& s, const VecX& u, StageValues& values,
                            StageJacobians* jacobians) {
  if (k == intervals_) {  // each state is judged at the end of an interval
    values.residuals.resize(0);
    if (jacobians != nullptr) jacobians->Rs.resize(0, s.size());
    return true;
  }
  const auto at = static_cast<size_t>(k);
  const std::vector<int>&carried = carried_[at], &next = carried_[at + 1];
  const VecX kept = p_(starts_);  // so that the start is solved anew only where it moves
  p_ = problem_.start();
  p_(starts_) = kept;
  p_(carried) = s.tail(static_cast<Eigen::Index>(carried.size()));
  p_(introduced_[at]) = u;
  problem_.run_parameters().set(p_);
  const State start = start_of(k, s);
  residuals_.clear();
  const EachState judge([&](int step, const State& state) { add_residuals(k, step, state); });
  if (!run_.run(problem_.run_parameters().controls(), start, judge)) {
    failure_ = run_.failure();
    return false;
  }
  add_parameter_residuals(k);
  values.residuals =
      Eigen::Map<const VecX>(residuals_.data(), static_cast<Eigen::Index>(residuals_.size()));
  values.end.resize(motion_size() + static_cast<Eigen::Index>(next.size()));
  values.end << joined_motion(run_.end())(free_), p_(next);
  if (jacobians != nullptr) differentiate_interval(k, *jacobians);
  return true;
}

void TaskShooting::add_residuals(int interval, int step, const State& state) {
  if (step == 0 && interval > 0) return;  // the end of the interval before
  const Objective::At at = judged(interval * steps() + step, state);
  for (const TaskTerm& term : problem_.made_terms()) {
    for (const auto& squares : term.of_states) {
      const double factor = squares->weight() * squares->when().factor(at);
      if (factor == 0) continue;
      for (const double r : squares->residual(at)) residuals_.push_back(std::sqrt(factor) * r);
    }
    if (!term.of_parameters || step == 0) continue;
    const double weight = std::sqrt(term.of_parameters->control_weight());
    for (const int control : term.of_parameters->controls()) {
      const auto& entry =
          problem_.run_parameters().controls().entries()[static_cast<size_t>(control)];
      residuals_.push_back(weight * entry.control.value.derivatives(state.t)[0]);
    }
  }
}

MatX TaskShooting::control_directions(int interval, double t) const {
  const auto at = static_cast<size_t>(interval);
  const auto carried = static_cast<Eigen::Index>(carried_[at].size());
  const auto introduced = static_cast<Eigen::Index>(introduced_[at].size());
  const RunParameters& parameters = problem_.run_parameters();
  MatX all = MatX::Zero(parameters.controls().size(), parameters.size());
  parameters.push_forward_controls(t, all);
  MatX out = MatX::Zero(all.rows(), motion_size() + carried + introduced);
  out.middleCols(motion_size(), carried) = all(Eigen::all, carried_[at]);
  out.rightCols(introduced) = all(Eigen::all, introduced_[at]);
  return out;
}

void TaskShooting::add_residual_rows(int interval, int step, const State& state,
                                     const MatX& columns) {
  if (step == 0 && interval > 0) return;
  const Objective::At at = judged(interval * steps() + step, state);
  const Eigen::Index n = problem_.system().dof_count(), z = problem_.system().internal_count();
  StateVectors bar;
  MatX controls;
  for (const TaskTerm& term : problem_.made_terms()) {
    for (const auto& squares : term.of_states) {
      const double factor = squares->weight() * squares->when().factor(at);
      if (factor == 0) continue;
      const Eigen::Index size = squares->residual(at).size();
      for (Eigen::Index i = 0; i < size; ++i) {
        bar.set_zero(problem_.system());
        squares->pull_back(at, std::sqrt(factor) * VecX::Unit(size, i), bar);
        rows_.emplace_back(columns.topRows(n).transpose() * bar.q +
                           columns.middleRows(n, n).transpose() * bar.qdot +
                           columns.bottomRows(z).transpose() * bar.z);
      }
    }
    if (!term.of_parameters || term.of_parameters->controls().empty() || step == 0) continue;
    if (controls.size() == 0) controls = control_directions(interval, state.t);
    const double weight = std::sqrt(term.of_parameters->control_weight());
    for (const int control : term.of_parameters->controls())
      rows_.emplace_back(weight * controls.row(control).transpose());
  }
}

void TaskShooting::add_parameter_residuals(int interval) {
  for (const TaskTerm& term : problem_.made_terms()) {
    if (!term.of_parameters || term.of_parameters->parameter_weight() == 0) continue;
    const double weight = std::sqrt(term.of_parameters->parameter_weight());
    for (const int k : introduced_[static_cast<size_t>(interval)])
      residuals_.push_back(weight * (p_[k] - term.of_parameters->middle(k)));
  }
}

void TaskShooting::add_parameter_rows(int interval) {
  const auto at = static_cast<size_t>(interval);
  const auto first = motion_size() + static_cast<Eigen::Index>(carried_[at].size());
  const auto count = static_cast<Eigen::Index>(introduced_[at].size());
  for (const TaskTerm& term : problem_.made_terms()) {
    if (!term.of_parameters || term.of_parameters->parameter_weight() == 0) continue;
    const double weight = std::sqrt(term.of_parameters->parameter_weight());
    for (Eigen::Index k = 0; k < count; ++k)
      rows_.emplace_back(weight * VecX::Unit(first + count, first + k));
  }
}

void TaskShooting::differentiate_interval(int interval, StageJacobians& out) {
  const auto at = static_cast<size_t>(interval);
  const std::vector<int>&carried = carried_[at], &introduced = introduced_[at],
        &next = carried_[at + 1];
  const auto s = motion_size() + static_cast<Eigen::Index>(carried.size());
  const auto u = static_cast<Eigen::Index>(introduced.size());
  MatX start = MatX::Zero(run_.end().q.size() * 2 + run_.end().z.size(), s + u);
  for (Eigen::Index k = 0; k < motion_size(); ++k) start(free_[static_cast<size_t>(k)], k) = 1;
  if (interval == 0 && !starts_.empty()) {
    problem_.run_parameters().model(run_.dt());
    start.rightCols(u) = problem_.run_parameters().start_directions()(Eigen::all, introduced);
  }
  rows_.clear();
  MatX end;
  run_.sensitivities(
      start, [&](double t, MatX& columns) { columns = control_directions(interval, t); },
      [&](int step, const State& state, const MatX& columns) {
        add_residual_rows(interval, step, state, columns);
        end = columns;
      });
  add_parameter_rows(interval);

  const auto place = [&](int parameter) {  // in (s; u)
    const auto found = std::find(carried.begin(), carried.end(), parameter);
    return found != carried.end()
               ? motion_size() + (found - carried.begin())
               : s + (std::find(introduced.begin(), introduced.end(), parameter) -
                      introduced.begin());
  };
  MatX F = MatX::Zero(motion_size() + static_cast<Eigen::Index>(next.size()), s + u);
  F.topRows(motion_size()) = end(free_, Eigen::all);
  for (size_t k = 0; k < next.size(); ++k)
    F(motion_size() + static_cast<Eigen::Index>(k), place(next[k])) = 1;
  out.A = F.leftCols(s);
  out.B = F.rightCols(u);
  MatX R(static_cast<Eigen::Index>(rows_.size()), s + u);
  for (size_t k = 0; k < rows_.size(); ++k) R.row(static_cast<Eigen::Index>(k)) = rows_[k];
  out.Rs = R.leftCols(s);
  out.Ru = R.rightCols(u);
}

}  // namespace sinew

#include "sinew/io/tasks/task_residuals.hpp"

#include <cmath>

#include "sinew/io/tasks/task_problem.hpp"

namespace sinew {
namespace {

/// Calls f(term, root of its weight) for the terms that count at a state.
template <class F>
void for_each_counted(const StateTerms& terms, const Objective::At& at, F&& f) {
  for (const auto& term : terms)
    if (const double factor = term->weight() * term->when().factor(at); factor > 0)
      f(*term, std::sqrt(factor));
}

}  // namespace

void append_residuals(const StateTerms& terms, const Objective::At& at, std::vector<double>& out) {
  for_each_counted(terms, at, [&](const LeastSquares& term, double root) {
    const LeastSquares::Residual r = term.residual(at);
    for (Eigen::Index i = 0; i < r.size(); ++i) out.push_back(root * r[i]);
  });
}

bool TaskProblem::evaluate_residuals(const VecX& p, VecX& residuals, MatX* jacobian) {
  if (!collect_residuals(p)) return false;
  std::vector<double> all = residuals_;
  std::vector<VecX> rows;  // of those of parameters
  for (const TaskTerm& term : terms_)
    if (term.of_parameters)
      term.of_parameters->append_residuals(p, *parameters_, all,
                                           jacobian == nullptr ? nullptr : &rows);
  residuals = Eigen::Map<const VecX>(all.data(), static_cast<Eigen::Index>(all.size()));
  if (jacobian == nullptr) return true;
  jacobian->setZero(residuals.size(), p.size());
  differentiate_residuals(*jacobian);
  for (size_t k = 0; k < rows.size(); ++k)
    jacobian->row(state_residuals() + static_cast<Eigen::Index>(k)) = rows[k].transpose();
  return true;
}

void TaskProblem::differentiate_residuals(MatX& J) {
  ModelDerivatives* const model = parameters_->model(run_->dt());
  const System& system = run_->system();
  Workspace ws(system);
  StateVectors bar;
  Eigen::Index row = 0;
  StateTerms terms;
  for (const TaskTerm& term : terms_)
    terms.insert(terms.end(), term.of_states.begin(), term.of_states.end());
  const double begin = parameters_->start().t;
  const auto on_state = [&](int step, const State& state, const MatX& columns) {
    const RunDerivatives::Multipliers& multipliers = run_->multipliers();
    const Objective::At at{
        system, state, step, settings_.steps, run_->dt(), ws, view(multipliers.lambda)};
    const Eigen::Index first = row, n = state.q.size();
    for_each_counted(terms, at, [&](const LeastSquares& term, double root) {
      const LeastSquares::Residual r = term.residual(at);
      for (Eigen::Index i = 0; i < r.size(); ++i, ++row) {
        bar.set_zero(system);
        term.pull_back(at, root * LeastSquares::Residual::Unit(r.size(), i), bar);
        J.row(row) = bar.q.transpose() * columns.topRows(n) +
                     bar.qdot.transpose() * columns.middleRows(n, n) +
                     bar.z.transpose() * columns.bottomRows(state.z.size());
        if (step > 0) J.row(row) += bar.lambda.transpose() * multipliers.columns;
      }
    });
    if (model == nullptr || row == first) return;
    // The same state in systems with other parameters.
    State moved = state;
    std::vector<double> values;
    model->differentiate(row - first, [&](const ModelDerivatives::Neighbour& of, VecRef out) {
      moved.t = of.time(begin, state.t);
      values.clear();
      append_residuals(terms,
                       {*of.at.system, moved, step, settings_.steps, of.at.dt, *of.ws, at.lambda},
                       values);
      out = Eigen::Map<const VecX>(values.data(), row - first);
    });
    for (int k = 0; k < model->size(); ++k)
      J.col(parameters_->model_columns()[static_cast<size_t>(k)]).segment(first, row - first) +=
          model->columns().col(k);
  };
  run_->sensitivities(
      parameters_->start_directions(),
      [&](double t, MatX& columns) { parameters_->push_forward_controls(t, columns); }, on_state,
      model, parameters_->model_columns());
}

}  // namespace sinew

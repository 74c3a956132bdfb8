#include "sinew/constraints/rows/constraint_workspace.hpp"

#include <algorithm>
#include <limits>

namespace sinew {
namespace {

int row_count(const ConstraintList& constraints) {
  int rows = 0;
  for (const auto& constraint : constraints) rows += constraint->rows();
  return rows;
}

}  // namespace

ConstraintWorkspace::ConstraintWorkspace(const Skeleton& skeleton,
                                         const ConstraintList& constraints, Eigen::Index on_links,
                                         Eigen::Index on_parts)
    : rows(skeleton, row_count(constraints), on_links, on_parts) {
  for (const auto& constraint : constraints) {
    only_position &= constraint->level() == ConstraintLevel::position;
    kinematics |= constraint->needs_kinematics();
    for (int k = 0; k < constraint->rows(); ++k) {
      position.push_back(constraint->level() == ConstraintLevel::position);
      holding.push_back(constraint->level() != ConstraintLevel::acceleration);
      every.push_back(1);
    }
  }
  active = every;
  for (VecX* x : {&lambda, &rhs, &residual, &delta, &trial, &left}) x->setZero(rows.size());
}

void size_dense(ConstraintWorkspace& c) {
  const int m = c.rows.size();
  const Eigen::Index n = c.rows.G.dofs();
  if (c.W.cols() == m && c.W.rows() == n) return;
  c.W.setZero(n, m);
  c.start.setZero(n, m);
  c.S.setZero(m, m);
  c.R.setZero(m, n);
  c.gram.setZero(m, m);
  c.solver.resize(m);
}

void select_rows(ConstraintWorkspace& c) {
  c.S.triangularView<Eigen::StrictlyUpper>() = c.S.transpose();
  c.row_space.analyze(c.S, MultiplierSolver::kDependent);
  for (size_t r = 0; r < c.active.size(); ++r)
    c.active[r] = c.row_space.independent(static_cast<Eigen::Index>(r));
}

void solve_multipliers(ConstraintWorkspace& c) {
  c.lambda = c.rhs;
  if (c.solver.factor(c.S, c.every, true)) {
    c.solver.solve_in_place(c.lambda);
    return;
  }
  c.S.triangularView<Eigen::StrictlyUpper>() = c.S.transpose();
  if (!c.solver.factor_dependent(c.S, c.S, c.every, true)) {
    c.lambda.setConstant(std::numeric_limits<double>::quiet_NaN());  // the state is not finite
    return;
  }
  c.solver.solve_in_place(c.lambda);
  c.left = c.rhs;
  c.left.noalias() -= c.S * c.lambda;
  note_conflict(c.left, c.rhs, c);
}

void note_conflict(const ConstVecRef& left, const ConstVecRef& rhs, ConstraintWorkspace& c) {
  // Below 1 m/s² (rad/s²) it is judged absolutely: at rest there may be only rounding to compare
  // with.
  if (left.size() == 0) return;
  Eigen::Index worst;
  const double share =
      left.cwiseAbs().maxCoeff(&worst) / std::max(1.0, rhs.lpNorm<Eigen::Infinity>());
  if (share <= c.conflict) return;
  c.conflict = share;
  c.conflict_row = static_cast<int>(worst);
}

}  // namespace sinew

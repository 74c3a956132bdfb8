#include <algorithm>
#include <cmath>
#include <limits>

#include "sinew/integrate/newton.hpp"

// Newton's method for a stage with constraints. With the stage's q = c_q + γ q̇, q̇ = c_v + γ q̈ the
// residuals are
//     g = M q̈ − f + Gᵀλ,   c = (G q̇ + ∂g/∂t + β g)/γ   (acceleration rows: c = G q̈ + bias)
// and their derivatives with respect to (q̈, λ)
//     [H Gᵀ; R 0],   H = M + γ ∂g/∂q̇ + γ² ∂g/∂q,   R = G + γ (∂(G q̇ + ∂g/∂t)/∂q + β G).
// For acceleration rows R = G: what is left out is O(γ), and costs iterations only.

namespace sinew {
namespace {

constexpr double kEps = std::numeric_limits<double>::epsilon();
constexpr int kHalvings = 20;

/// Residuals at (q̈, λ): writes q, q̇, newton.g and c.residual; those of rows that are not active, as
/// velocities or accelerations, to c.left.
void evaluate(const System& system, const At& at, const StepOptions& options,
              const ImplicitStage& stage, const VecX& qddot, const VecX& lambda, Workspace& ws) {
  ConstraintWorkspace& c = *ws.constraints;
  stage.qdot = stage.c_v + stage.gamma * qddot;
  stage.q = stage.c_q + stage.gamma * stage.qdot;
  inverse_dynamics(system, at, qddot, lambda, ws, ws.newton.g);
  const ConstraintRows& rows = c.rows;
  for (int r = 0; r < rows.size(); ++r) {
    const auto rr = static_cast<size_t>(r);
    const auto G = rows.Gt.col(r);
    const double missing = c.holding[rr] ? G.dot(stage.qdot) + rows.rate[r] +
                                               options.baumgarte.implicit * rows.value[r]
                                         : G.dot(qddot) + rows.bias[r];
    c.residual[r] = !c.active[rr] ? 0 : c.holding[rr] ? missing / stage.gamma : missing;
    c.left[r] = c.active[rr] ? 0 : missing;
  }
}

void update_row_derivatives(const System& system, double beta, double gamma, Workspace& ws) {
  ConstraintWorkspace& c = *ws.constraints;
  row_rate_derivatives(system, ws, c.R);
  for (int r = 0; r < c.rows.size(); ++r) {
    const auto G = c.rows.Gt.col(r).transpose();
    if (c.holding[static_cast<size_t>(r)])
      c.R.row(r) = gamma * c.R.row(r) + (1 + gamma * beta) * G;
    else
      c.R.row(r) = G;
  }
}

/// Σ g²/M_kk + Σ c²/(G diag(M)⁻¹ Gᵀ)_rr: both residuals as mass × acceleration².
class Merit {
 public:
  Merit(const VecX& diagonal, const ConstraintWorkspace& c) : M_(diagonal), c_(c) {}
  double operator()(const VecX& g) const {
    double sum = 0;
    for (Eigen::Index k = 0; k < g.size(); ++k) sum += g[k] * g[k] / M_[k];
    for (Eigen::Index r = 0; r < c_.residual.size(); ++r)
      if (c_.gram(r, r) > 0) sum += c_.residual[r] * c_.residual[r] / c_.gram(r, r);
    return sum;
  }

 private:
  const VecX& M_;                 // its diagonal
  const ConstraintWorkspace& c_;  // gram stays that of the last linearisation
};

/// G diag(M)⁻¹ Gᵀ.
void update_gram(const VecX& diagonal, ConstraintWorkspace& c) {
  const MatX& Gt = c.rows.Gt;
  for (Eigen::Index j = 0; j < Gt.cols(); ++j)
    for (Eigen::Index i = 0; i <= j; ++i) {
      double sum = 0;
      for (Eigen::Index k = 0; k < Gt.rows(); ++k) sum += Gt(k, i) * Gt(k, j) / diagonal[k];
      c.gram(i, j) = c.gram(j, i) = sum;
    }
}

/// Whether every row is as small as rounding or the tolerance makes it, against its own terms or,
/// in the metric of Merit, against the motion of the whole system: the rows of coordinates at rest
/// hold what the others leave in them by rounding.
bool rows_small(const ImplicitStage& stage, double tolerance, const VecX& diagonal,
                const ConstraintWorkspace& c) {
  double motion = 0;
  for (Eigen::Index k = 0; k < diagonal.size(); ++k) {
    const double rate = std::abs(stage.qddot[k]) + std::abs(stage.qdot[k] / stage.gamma);
    motion += diagonal[k] * rate * rate;
  }
  for (int r = 0; r < c.rows.size(); ++r) {
    if (std::abs(c.residual[r]) <= tolerance * std::sqrt(c.gram(r, r) * motion)) continue;
    double terms = std::abs(c.rows.rate[r]) / std::abs(stage.gamma) + std::abs(c.rows.bias[r]);
    for (Eigen::Index k = 0; k < c.rows.Gt.rows(); ++k)
      terms += std::abs(c.rows.Gt(k, r)) *
               (std::abs(stage.qddot[k]) + std::abs(stage.qdot[k] / stage.gamma));
    if (!(std::abs(c.residual[r]) <= tolerance * terms)) return false;
  }
  return true;
}

}  // namespace

bool solve_saddle_point(VecX& x, VecX& rows, Workspace& ws) {
  ConstraintWorkspace& c = *ws.constraints;
  c.W = c.rows.Gt;
  for (Eigen::Index j = 0; j < c.W.cols(); ++j) solve_newton_matrix(ws, c.W.col(j));
  solve_newton_matrix(ws, x);
  c.S.noalias() = c.R.lazyProduct(c.W);
  c.rhs = rows;
  rows = -c.rhs;
  rows.noalias() += c.R.lazyProduct(x);
  if (!c.solver.factor(c.S, c.active, false)) {
    update_gram(ws.newton.diagonal, c);
    if (!c.solver.factor_dependent(c.S, c.gram, c.active, false)) return false;
  }
  c.solver.solve_in_place(rows);
  x.noalias() -= c.W.lazyProduct(rows);
  if (c.solver.dependent()) {
    c.left = c.rhs;
    c.left.noalias() -= c.R.lazyProduct(x);
    note_conflict(c.left, c.rhs, c);
  }
  return true;
}

bool solve_constrained_stage(const StepContext& s, const ImplicitStage& stage, StepReport& report) {
  const System& system = s.system;
  const StepOptions& options = s.options;
  Workspace& ws = s.ws;
  Workspace::Newton& newton = newton_workspace(s);
  ConstraintWorkspace& c = *ws.constraints;
  const double gamma = stage.gamma;
  const At at = s.at(stage.t, stage.q, stage.qdot, stage.c_z, gamma);
  c.lambda.setZero();
  evaluate(system, at, options, stage, stage.qddot, c.lambda, ws);
  for (int iteration = 0;; ++iteration) {
    linearize(system, at, stage.qddot, c.lambda, ws, newton.g, newton.at);
    if (!newton.g.allFinite() || !c.residual.allFinite())
      return fail(StepStatus::diverged, newton.g, report);
    const double scale = force_scale(system, ws, newton.at, stage.qddot, newton.g);
    const auto residual = [&] {
      const double g = newton.g.lpNorm<Eigen::Infinity>();
      return g > 0 ? g / scale : 0;
    };
    const auto small_enough = [&] {
      return residual() <= options.newton_tolerance &&
             rows_small(stage, options.newton_tolerance, newton.diagonal, c);
    };
    const auto converged = [&] {
      note_conflict(c.left, c.rows.bias, c);
      report.newton_residual = std::max(report.newton_residual, residual());
      return true;
    };
    // W of the last iteration serves the projection, so there is at least one.
    if (iteration > 0 && small_enough()) return converged();
    if (iteration == options.newton_iterations)
      return fail(StepStatus::newton_failed, newton.g, report);

    if (!factor_newton_matrix(system, gamma, ws))
      return fail(StepStatus::singular, newton.g, report);
    update_row_derivatives(system, options.baumgarte.implicit, gamma, ws);
    update_gram(newton.diagonal, c);
    newton.delta = -newton.g;
    c.delta = -c.residual;
    c.conflict = 0;  // only that of the last iteration counts
    if (!solve_saddle_point(newton.delta, c.delta, ws))
      return fail(StepStatus::singular, newton.g, report);
    ++report.newton_iterations;

    // Rows that are rounding of nothing larger are never small against their own terms; no
    // correction of the velocity that can be represented is left for them.
    const double speed = std::max(stage.qdot.lpNorm<Eigen::Infinity>(),
                                  std::abs(gamma) * stage.qddot.lpNorm<Eigen::Infinity>());
    const double change = std::abs(gamma) * newton.delta.lpNorm<Eigen::Infinity>();
    // Forces of vertices are rounded with their positions: what cannot move these is as little.
    const double least =
        ws.soft ? 4 * kEps * std::max(1.0, stage.q.lpNorm<Eigen::Infinity>()) / std::abs(gamma) : 0;
    if (residual() <= options.newton_tolerance && change <= std::max(4 * kEps * speed, least))
      return converged();

    const Merit merit(newton.diagonal, c);
    const double before = merit(newton.g);
    bool falls = false;
    double length = 1;
    for (int k = 0; k <= kHalvings && !falls; ++k, length /= 2) {
      newton.trial = stage.qddot + length * newton.delta;
      c.trial = c.lambda + length * c.delta;
      evaluate(system, at, options, stage, newton.trial, c.trial, ws);
      falls = merit(newton.g) < before;
    }
    if (!falls) {
      // Stalled. That is the rounding floor if the correction is too small to move q, and a force
      // that jumps a little, as along a path that touches down, if hardly any is left; else a
      // failure.
      evaluate(system, at, options, stage, stage.qddot, c.lambda, ws);
      const double move = gamma * gamma * newton.delta.lpNorm<Eigen::Infinity>();
      if (move <= 4 * kEps * std::max(1.0, stage.q.lpNorm<Eigen::Infinity>()) ||
          residual() <= kStalledResidual)
        return converged();
      return fail(StepStatus::newton_failed, newton.g, report);
    }
    stage.qddot = newton.trial;
    c.lambda = c.trial;
    if (small_enough()) return converged();
  }
}

}  // namespace sinew

#include "sinew/integrate/newton.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "sinew/integrate/step_control.hpp"
#include "sinew/system/row_extent.hpp"

// With the stage's q = c_q + γ q̇, q̇ = c_v + γ q̈ the residuals are
//     g = M q̈ − f + Gᵀλ,   c = (G q̇ + ∂g/∂t + β g)/γ   (on accelerations: c = G q̈ + bias)
// and their derivatives with respect to (q̈, λ)
//     [A Gᵀ; R 0],   A = M + γ ∂g/∂q̇ + γ² ∂g/∂q,   R = G + γ (∂(G q̇ + ∂g/∂t)/∂q + β G).
// where rows on velocities have no β, since their g is 0. On accelerations the bias of a position,
// Ġ q̇, gives R = G + 2γ ∂(G q̇)/∂q; acceleration rows take R = G. The omitted terms, O(γ²) and O(γ),
// cost iterations only.

namespace sinew {
namespace {

constexpr double kEps = std::numeric_limits<double>::epsilon();
constexpr int kHalvings = 20;
/// Derivatives of an earlier iterate serve as long as an iteration reduces the residual to this
/// part of it: new ones cost as much as some ten residuals. With an accuracy few digits are needed,
/// and slow iterations are worth it, too.
constexpr double kFast = 0.2, kFastWithAccuracy = 0.5;
/// The part of StepOptions::accuracy that Newton's method may leave.
constexpr double kLeft = 0.01;

bool holds_velocity(const ImplicitStage& stage, const ConstraintWorkspace& c, size_t row) {
  return c.holding[row] && !stage.by_accelerations;
}

/// Residuals of the rows at (q̇, q̈): writes c.residual; those of rows that are not active, as
/// velocities or accelerations, to c.left.
void update_row_residuals(const StepOptions& options, const ImplicitStage& stage, const VecX& qddot,
                          ConstraintWorkspace& c) {
  const ConstraintRows& rows = c.rows;
  for (int r = 0; r < rows.size(); ++r) {
    const auto rr = static_cast<size_t>(r);
    const bool of_velocity = holds_velocity(stage, c, rr);
    double missing = 0;
    if (of_velocity)
      missing = rows.dot(r, stage.qdot.data()) + rows.rate[r] +
                options.baumgarte.implicit * rows.value[r];
    else
      missing = rows.dot(r, qddot.data()) + rows.bias[r] +
                stabilization(options.baumgarte, stage.qdot.data(), r, c);
    c.residual[r] = !c.active[rr] ? 0 : of_velocity ? missing / stage.gamma : missing;
    c.left[r] = c.active[rr] ? 0 : missing;
  }
}

void move_to(const ImplicitStage& stage, const VecX& qddot) {
  stage.qdot = stage.c_v + stage.gamma * qddot;
  stage.q = stage.c_q + stage.gamma * stage.qdot;
}

/// All residuals at (q̈, λ): writes q, q̇, newton.g and c.residual.
void evaluate(const StepContext& s, const At& at, const ImplicitStage& stage, const VecX& qddot,
              const VecX& lambda) {
  move_to(stage, qddot);
  inverse_dynamics(s.system, at, qddot, lambda, s.ws, s.ws.newton.g);
  update_row_residuals(s.options, stage, qddot, s.ws.constraints);
}

void update_row_derivatives(const System& system, double beta, const ImplicitStage& stage,
                            Workspace& ws) {
  ConstraintWorkspace& c = ws.constraints;
  const double gamma = stage.gamma;
  row_rate_derivatives(system, ws, c.R);
  for (int r = 0; r < c.rows.size(); ++r) {
    const auto rr = static_cast<size_t>(r);
    const auto G = c.rows.Gt().col(r).transpose();
    if (!c.holding[rr])
      c.R.row(r) = G;
    else if (holds_velocity(stage, c, rr))
      c.R.row(r) = gamma * c.R.row(r) + (c.position[rr] ? 1 + gamma * beta : 1) * G;
    else
      c.R.row(r) = 2 * gamma * c.R.row(r) + G;
  }
}

struct Residuals {
  double forces, rows;
  double sum() const { return forces + rows; }
};

/// The factor by which the residuals fell, that of the forces and that of the rows. One may hide
/// the other, whatever their measure: the worse counts, unless it was hardly there before.
double reduction(const Residuals& before, const Residuals& after) {
  const double least = 1e-6 * before.sum();
  return std::sqrt(std::max(after.forces / std::max(before.forces, least),
                            after.rows / std::max(before.rows, least)));
}

/// Σ g²/m and Σ c²/(G diag(M)⁻¹ Gᵀ)_rr: both residuals as mass × acceleration². m is M_kk for
/// coordinates of parts, whose masses differ from those of bodies by orders of magnitude, and for
/// those of the skeleton the mean of theirs: weighed one by one, the light end of a long chain
/// would decide alone, and Newton's method ends at wrong solutions there (scene `whip`).
class Merit {
 public:
  Merit(const VecX& diagonal, Eigen::Index n, const ConstraintWorkspace& c)
      : M_(diagonal), n_(n), mean_(n > 0 ? diagonal.head(n).mean() : 1), c_(c) {}
  Residuals operator()(const VecX& g) const {
    Residuals out{g.head(n_).squaredNorm() / mean_, 0};
    for (Eigen::Index k = n_; k < g.size(); ++k) out.forces += g[k] * g[k] / M_[k];
    for (Eigen::Index r = 0; r < c_.residual.size(); ++r)
      if (c_.gram(r, r) > 0) out.rows += c_.residual[r] * c_.residual[r] / c_.gram(r, r);
    return out;
  }

 private:
  const VecX& M_;  // diagonal of M
  Eigen::Index n_;
  double mean_;
  const ConstraintWorkspace& c_;  // gram stays that of the last linearisation
};

/// G diag(M)⁻¹ Gᵀ, all of it or its diagonal alone.
enum class Gram { all, diagonal };
void update_gram(Gram of, const VecX& diagonal, ConstraintWorkspace& c) {
  const MatX& Gt = c.rows.Gt();
  for (Eigen::Index j = 0; j < Gt.cols(); ++j)
    for (Eigen::Index i = of == Gram::all ? 0 : j; i <= j; ++i) {
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
  for (int r = 0; r < c.rows.size(); ++r) {
    for (Eigen::Index k = 0; r == 0 && k < diagonal.size(); ++k) {
      const double rate = std::abs(stage.qddot[k]) + std::abs(stage.qdot[k] / stage.gamma);
      motion += diagonal[k] * rate * rate;
    }
    if (std::abs(c.residual[r]) <= tolerance * std::sqrt(c.gram(r, r) * motion)) continue;
    double terms = std::abs(c.rows.rate[r]) / std::abs(stage.gamma) + std::abs(c.rows.bias[r]);
    for (Eigen::Index k = 0; k < c.rows.Gt().rows(); ++k)
      terms += std::abs(c.rows.Gt()(k, r)) *
               (std::abs(stage.qddot[k]) + std::abs(stage.qdot[k] / stage.gamma));
    if (!(std::abs(c.residual[r]) <= tolerance * terms)) return false;
  }
  return true;
}

/// The error of q that a correction of q̈ stands for, by its own size and by that of its rate.
double size_of(const VecX& delta, double gamma) {
  return delta.lpNorm<Eigen::Infinity>() * std::abs(gamma) * std::max(std::abs(gamma), kRateTime);
}

/// The diagonal of M; ones if there is no mass.
void update_diagonal(const System& system, const Linearization& at, VecX& diagonal) {
  const Eigen::Index n = at.M.rows();
  const NodeLayout& masses = system.masses();
  diagonal.head(n) = at.M.diagonal();
  for (int node = 0; node < masses.count(); ++node) {
    const Mat3& block = at.M_nodes.ff[static_cast<size_t>(masses.pattern().find(node, node))];
    diagonal.segment(n + masses.first(node), masses.size(node)) =
        block.diagonal().head(masses.size(node));
  }
  for (double& m : diagonal)
    if (!(m > 0)) m = 1;
}

}  // namespace

Workspace::Newton& newton_workspace(const StepContext& s) {
  Workspace::Newton& newton = s.ws.newton;
  if (newton.g.size() == s.system.dof_count()) return newton;
  newton.matrix.resize(static_cast<Eigen::Index>(s.system.coordinates().size()));
  for (VecX* x : {&newton.g, &newton.delta, &newton.trial, &newton.diagonal})
    x->resize(s.system.dof_count());
  return newton;
}

bool factor_newton_matrix(const System& system, double gamma, Workspace& ws) {
  assemble_stage_matrix(system, ws.newton.at, gamma, ws.newton.matrix);
  return ws.newton.matrix.factor();
}

bool factor_newton_mass(const System& system, Workspace& ws) {
  NodeMatrix& A = ws.newton.matrix;
  A.rr = ws.newton.at.M;
  copy_entries(system.masses(), ws.newton.at.M_nodes, system.nodes(), A.nodes);
  return A.factor();
}

double force_scale(const System& system, const At& at, const VecX& qddot, const VecX& g,
                   const Workspace& ws) {
  const MatX& M = ws.newton.at.M;
  double scale = 0;
  for (Eigen::Index k = 0; k < M.rows(); ++k) {
    double inertial = 0, sum = 0;
    for (Eigen::Index j = 0; j < M.cols(); ++j) {
      const double term = M(k, j) * qddot[j];
      inertial += std::abs(term);
      sum += term;
    }
    scale = std::max({scale, inertial, std::abs(sum - g[k])});
  }
  const int n = system.skeleton().dof_count();
  for (int k = 0; k < n; ++k) {
    const auto link = static_cast<size_t>(system.skeleton().link_of_dof(k));
    const double wrench = ws.skeleton.s[static_cast<size_t>(k)].norm() *
                          (ws.skeleton.F[link].norm() + ws.forces.wrench[link].norm());
    scale = std::max({scale, wrench, std::abs(ws.forces.tau[k])});
  }
  for (Eigen::Index k = n; k < ws.forces.tau.size(); ++k)
    scale = std::max({scale, std::abs(ws.forces.tau[k]), std::abs(ws.part_tau[k])});
  for (size_t k = 0; k < system.parts().size(); ++k)
    scale =
        std::max(scale, system.parts()[k]->force_scale(part_at(system, k, at, ws), *ws.parts[k]));
  return scale;
}

bool fail(StepStatus status, const VecX& x, StepReport& report) {
  Eigen::Index worst = 0;
  for (Eigen::Index k = 0; k < x.size(); ++k) {
    if (std::isnan(x[worst])) break;
    if (!(std::abs(x[k]) <= std::abs(x[worst]))) worst = k;
  }
  report.status = x.allFinite() ? status : StepStatus::diverged;
  report.worst_dof = static_cast<int>(worst);
  return false;
}

bool factor_saddle_point(const System& system, RowsOfStage rows, Workspace& ws) {
  ConstraintWorkspace& c = ws.constraints;
  const bool plain = rows == RowsOfStage::G;
  ws.row_factors = RowFactors::of_stage;
  if (ws.stage_saddle.factor(ws.newton.matrix, c.rows, c.active, plain ? nullptr : &c.R))
    return true;
  ws.row_factors = RowFactors::dense;
  size_dense(c);
  if (plain) c.R = c.rows.Gt().transpose();
  for (Eigen::Index j = 0; j < c.W.cols(); ++j) {
    c.W.col(j) = c.rows.Gt().col(j);
    ws.newton.matrix.solve_in_place(c.W.col(j));
  }
  for (Eigen::Index i = 0; i < c.R.rows(); ++i) {
    const auto [begin, count] = row_extent(c.R.cols(), [&](Eigen::Index k) { return c.R(i, k); });
    for (Eigen::Index j = 0; j < c.W.cols(); ++j) {
      double sum = 0;
      for (Eigen::Index k = begin; k < begin + count; ++k) sum += c.R(i, k) * c.W(k, j);
      c.S(i, j) = sum;
    }
  }
  if (c.solver.factor(c.S, c.active, false)) return true;
  update_diagonal(system, ws.newton.at, ws.newton.diagonal);
  update_gram(Gram::all, ws.newton.diagonal, c);
  return c.solver.factor_dependent(c.S, c.gram, c.active, false);
}

void solve_saddle_point(VecX& x, VecX& rows, Workspace& ws) {
  if (SaddleMatrix* const saddle = ws.saddle()) return saddle->solve(x, rows);
  ConstraintWorkspace& c = ws.constraints;
  ws.newton.matrix.solve_in_place(x);
  c.rhs = rows;
  rows = -c.rhs;
  rows.noalias() += c.R.lazyProduct(x);
  c.solver.solve_in_place(rows);
  x.noalias() -= c.W.lazyProduct(rows);
  if (c.solver.dependent()) {
    c.left = c.rhs;
    c.left.noalias() -= c.R.lazyProduct(x);
    note_conflict(c.left, c.rhs, c);
  }
}

bool solve_stage(const StepContext& s, const ImplicitStage& stage, StepReport& report) {
  const System& system = s.system;
  const StepOptions& options = s.options;
  Workspace& ws = s.ws;
  Workspace::Newton& newton = newton_workspace(s);
  ConstraintWorkspace& c = ws.constraints;
  const double gamma = stage.gamma;
  const At at = s.at(stage.t, stage.q, stage.qdot, stage.c_z, gamma);
  // Another program's digits need its iterates.
  const bool may_reuse = options.newton_residual == 0;
  const double fast = options.accuracy > 0 ? kFastWithAccuracy : kFast;
  bool reuses = stage.follows && may_reuse;  // derivatives of an earlier iterate
  PartInertia inertia = options.accuracy > 0 ? PartInertia::mass_alone : PartInertia::exact;
  size_dense(c);
  move_to(stage, stage.qddot);
  if (!reuses) c.lambda.setZero();
  if (reuses) evaluate(s, at, stage, stage.qddot, c.lambda);
  for (int iteration = 0;; ++iteration) {
    if (!reuses) {
      linearize(system, at, stage.qddot, c.lambda, inertia, ws, newton.g, newton.at);
      update_row_residuals(options, stage, stage.qddot, c);
      update_diagonal(system, newton.at, newton.diagonal);
      ++report.linearizations;
    }
    if (!newton.g.allFinite() || !c.residual.allFinite())
      return fail(StepStatus::diverged, newton.g, report);
    const double scale = force_scale(system, at, stage.qddot, newton.g, ws);
    const auto residual = [&] {
      const double g = newton.g.lpNorm<Eigen::Infinity>();
      return g > 0 ? g / scale : 0;
    };
    const auto small_enough = [&] {
      const bool balanced = options.newton_residual > 0
                                ? gamma * gamma * newton.g.norm() < options.newton_residual
                                : residual() <= options.newton_tolerance;
      return balanced && rows_small(stage, options.newton_tolerance, newton.diagonal, c);
    };
    const auto converged = [&] {
      note_conflict(c.left, c.rows.bias, c);
      report.newton_residual = std::max(report.newton_residual, residual());
      return true;
    };
    // W of the last iteration serves the projection: with rows there is at least one.
    if (iteration >= std::min(1, c.rows.size()) && small_enough()) return converged();
    if (iteration == options.newton_iterations)
      return fail(StepStatus::newton_failed, newton.g, report);

    if (!reuses) {
      if (!factor_newton_matrix(system, gamma, ws))
        return fail(StepStatus::singular, newton.g, report);
      update_row_derivatives(system, options.baumgarte.implicit, stage, ws);
      update_gram(Gram::diagonal, newton.diagonal, c);
      if (!factor_saddle_point(system, RowsOfStage::R, ws))
        return fail(StepStatus::singular, newton.g, report);
    }
    newton.delta = -newton.g;
    c.delta = -c.residual;
    c.conflict = 0;  // only the last iteration's counts
    solve_saddle_point(newton.delta, c.delta, ws);
    ++report.newton_iterations;

    // Rows that are rounding of nothing larger are never small against their own terms: no
    // correction of the velocity that can be represented, or that can move a coordinate, is left
    // for them.
    if (options.newton_residual == 0 && residual() <= options.newton_tolerance) {
      const double size = std::max(1.0, stage.q.lpNorm<Eigen::Infinity>());
      const double speed = std::max({stage.qdot.lpNorm<Eigen::Infinity>(),
                                     std::abs(gamma) * stage.qddot.lpNorm<Eigen::Infinity>(),
                                     size / std::abs(gamma)});
      const double change = std::abs(gamma) * newton.delta.lpNorm<Eigen::Infinity>();
      if (change <= 4 * kEps * speed) return converged();
    }

    const Merit merit(newton.diagonal, newton.at.M.rows(), c);
    const Residuals before = merit(newton.g);
    Residuals after = before;
    double length = 1;
    // Derivatives of an earlier iterate or of less than all get one try: new ones, all at the
    // iterate, come before shorter corrections.
    const bool rough = reuses || inertia != PartInertia::exact;
    for (int k = 0; k <= (rough ? 0 : kHalvings) && !(after.sum() < before.sum());
         ++k, length /= 2) {
      newton.trial = stage.qddot + length * newton.delta;
      c.trial = c.lambda + length * c.delta;
      evaluate(s, at, stage, newton.trial, c.trial);
      after = merit(newton.g);
    }
    if (!(after.sum() < before.sum())) {
      if (rough) {
        if (!reuses) inertia = PartInertia::exact;
        reuses = false;
        move_to(stage, stage.qddot);
        continue;
      }
      // Stalled. That is the rounding floor if the correction is too small to move q, or to matter
      // for the accuracy, and a force that jumps a little, as along a path that touches down, if
      // hardly any is left; else a failure.
      evaluate(s, at, stage, stage.qddot, c.lambda);
      const double move = gamma * gamma * newton.delta.lpNorm<Eigen::Infinity>();
      if (move <= 4 * kEps * std::max(1.0, stage.q.lpNorm<Eigen::Infinity>()) ||
          residual() <= kStalledResidual ||
          (options.accuracy > 0 && size_of(newton.delta, gamma) <= kLeft * options.accuracy))
        return converged();
      return fail(StepStatus::newton_failed, newton.g, report);
    }
    stage.qddot = newton.trial;
    c.lambda = c.trial;
    if (small_enough()) return converged();
    // The next corrections would be smaller by about as much as the residuals are now.
    const double rate = reduction(before, after);
    if (options.accuracy > 0 && rate < 1 &&
        rate / (1 - rate) * size_of(newton.delta, gamma) <= kLeft * options.accuracy)
      return converged();
    reuses = may_reuse && after.sum() < fast * fast * before.sum();
  }
}

}  // namespace sinew

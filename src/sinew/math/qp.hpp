#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "sinew/math/types.hpp"

/// Dense convex quadratic programs:
///
///     minimise ½ xᵀH x + cᵀx   subject to   A_e x = b_e,   A_i x ≤ b_i,   l ≤ x ≤ u
///
/// with H symmetric positive semidefinite, singular or not. A dual active-set method inside
/// proximal steps: docs/theory/qp.md has the derivation and the reasons.
///
///     QpSolver solver;                                    // a workspace: one per thread
///     const QpResult result = solver.solve({.H = M, .c = c, .A_i = G, .b_i = g});
///     const QpWarmStart warm{result.x, result.multipliers};
///     solver.solve({.H = M2, .c = c2, .A_i = G2, .b_i = g2}, &warm);

namespace sinew {

/// Views of matrices that outlive the solve. Absent parts stay empty (no rows, no bounds).
struct QpProblem {
  using Matrix = Eigen::Ref<const MatX>;
  Matrix H;  ///< n×n; only the lower triangle is read
  ConstVecRef c;
  Matrix A_e = kNoMatrix;
  ConstVecRef b_e = kNoVector;
  Matrix A_i = kNoMatrix;
  ConstVecRef b_i = kNoVector;    ///< +∞: no constraint
  ConstVecRef lower = kNoVector;  ///< n entries, −∞ for none; or empty
  ConstVecRef upper = kNoVector;  ///< n entries, +∞ for none; or empty

  static const MatX kNoMatrix;
  static const VecX kNoVector;
};

/// x and multipliers of an earlier solution of a problem of the same dimensions. Rows whose
/// multiplier is not zero are the first guess of the active set (only the sign counts: for bounds
/// it tells upper from lower); x matters only where H is singular, and then the minimiser nearest
/// to it is found, in the units of the scaled problem. Views: the solver's own last result will do.
struct QpWarmStart {
  ConstVecRef x;
  ConstVecRef multipliers;
};

enum class QpStatus {
  optimal,          ///< the certificate is within QpSolver::kTolerance
  infeasible,       ///< no x meets the constraints: see conflicting_rows and farkas
  unbounded,        ///< the objective falls without end along `ray`
  not_convex,       ///< H has a negative eigenvalue
  not_finite,       ///< NaN or infinity in the data where not allowed
  iteration_limit,  ///< x, multipliers and certificate are those of the last iterate
  inaccurate        ///< rounding stopped progress above the tolerance; the certificate says where
};
std::string_view to_string(QpStatus status);

/// Distance of x and its multipliers from the Karush-Kuhn-Tucker conditions, relative to the terms
/// they are made of, in units in which H has a diagonal of ones and every row has length one.
/// Infinite if there is no meaningful x (not convex, not finite, conflicts found in the data).
struct QpCertificate {
  double stationarity = 0;     ///< H x + c + A_eᵀλ_e + A_iᵀλ_i + μ = 0
  double primal = 0;           ///< A_e x = b_e, A_i x ≤ b_i, l ≤ x ≤ u
  double dual = 0;             ///< λ_i ≥ 0, and signs of μ
  double complementarity = 0;  ///< multiplier times slack
  double worst() const;
};

/// Rows are numbered: equalities, then inequalities, then the bounds of variable 0, 1, … The views
/// hold until the solver's next solve.
struct QpResult {
  using Vector = Eigen::Map<const VecX>;
  QpStatus status;
  Vector x;  ///< n; bounds hold exactly
  /// By row. H x + c + A_eᵀλ_e + A_iᵀλ_i + μ = 0, λ_i ≥ 0; μ_k > 0 holds x_k at u_k, μ_k < 0 at
  /// l_k.
  Vector multipliers;
  QpCertificate certificate;
  int iterations;      ///< rows that entered or left the working set
  int proximal_steps;  ///< solves with the working set held, each the start of an active-set run
  int factorisations;  ///< factorisations of H
  /// If infeasible: a minimal set of rows that contradict each other (without any one of them the
  /// others have a solution). Otherwise empty.
  std::span<const int> conflicting_rows;
  /// If infeasible: weights y of these rows with A_eᵀy_e + A_iᵀy_i + y_b = 0, y_i ≥ 0 and b_eᵀy_e +
  /// b_iᵀy_i + Σ (u_k y_k where y_k > 0, l_k y_k where y_k < 0) < 0. Zero if feasible, and if the
  /// conflict is one variable whose bounds cross.
  Vector farkas;
  /// If unbounded: H d = 0, cᵀd < 0, A_e d = 0, A_i d ≤ 0 and no bound in the way. Else zero.
  Vector ray;
};

class QpActiveSet;

class QpSolver {
 public:
  /// Largest entry of the certificate of a solution reported as optimal.
  static constexpr double kTolerance = 1e-10;

  /// The default limit is 20 (n + rows) + 200 iterations, far more than problems need.
  explicit QpSolver(int max_iterations = 0);
  ~QpSolver();
  QpSolver(QpSolver&&) noexcept;
  QpSolver& operator=(QpSolver&&) noexcept;

  /// Allocates only if the problem is larger than all before. Throws an Error if dimensions of the
  /// problem or of the warm start do not fit together.
  QpResult solve(const QpProblem& problem, const QpWarmStart* warm = nullptr);

 private:
  std::unique_ptr<QpActiveSet> active_set_;
};

}  // namespace sinew

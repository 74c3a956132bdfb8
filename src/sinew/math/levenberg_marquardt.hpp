#pragma once

#include "sinew/math/minimize.hpp"

namespace sinew {

/// Writes the residuals at x and, unless it is null, their Jacobian: a row for each residual, a
/// column for each unknown. False if there are none, as of a run that diverges. Trials are seen
/// without the Jacobian first; where one is taken, the same x follows with it, so that a caller who
/// remembers the last run need not repeat it.
using ResidualFunction = std::function<bool(const VecX& x, VecX& residuals, MatX* jacobian)>;

struct LeastSquaresOptions {
  VecX weights;  ///< w of the value ½ Σ w_k r_k², positive or zero; empty: ones
  int evaluations = 200;
  /// Ends where no entry of the gradient that may still be followed, in units of residuals (see
  /// `gradient_norm`), is larger than this part of the largest at the start.
  double gradient_tolerance = 1e-10;
  /// Ends where iterations gain less than this part of the value.
  double value_tolerance = 1e-15;
  /// Radius of the trust region of the first trial, in parts of the start's distance from zero, all
  /// unknowns in units in which each moves the residuals by about one.
  double first_step = 100;
};

/// `value` is ½ Σ w_k r_k², `gradient` Jᵀdiag(w)r. `gradient_norm` is the largest |gradient_k|/D_k
/// that may still be followed, with D_k the largest length so far of column k of diag(√w) J.
struct LeastSquaresResult : MinimizeResult {
  VecX residuals;      ///< at x, without weights
  MatX jacobian;       ///< at x, without weights
  double damping = 0;  ///< λ of the last step; 0: a Gauss–Newton step
  double radius = 0;   ///< of the trust region
  int jacobians = 0;   ///< evaluations with the Jacobian
};

/// One iteration, for a log; false stops.
using OnLeastSquares = std::function<bool(const LeastSquaresResult& so_far)>;

/// Levenberg–Marquardt for nonlinear least squares with bounds: the scaled trust region of Moré
/// (1978), in which each step minimises the linear model within the bounds by a quadratic program.
/// Starts from x0, moved into the bounds. Derivation in docs/theory/optimisation.md.
LeastSquaresResult levenberg_marquardt(const ResidualFunction& f, const VecX& x0,
                                       const Bounds& bounds = {},
                                       const LeastSquaresOptions& options = {},
                                       const OnLeastSquares& on_iteration = {});

}  // namespace sinew

#pragma once

#include <functional>
#include <string>
#include <vector>

#include "sinew/math/types.hpp"

/// The judge of every analytic derivative. One central difference proves little: a small error may
/// be luck, a larger one may be the step. Over a sweep of steps h the difference of a right
/// derivative shows truncation error C h², then rounding error ∝ 1/h, with a small minimum between;
/// a wrong derivative shows a plateau, a kink in the function a slope below 2.

namespace sinew {

using VectorFunction = std::function<VecX(const VecX&)>;

/// Column k is (f(x + h_k e_k) − f(x − h_k e_k)) / 2h_k with h_k = h max(1, |x_k|).
MatX central_difference(const VectorFunction& f, const VecX& x, double h);

struct DifferenceSweep {
  std::vector<double> steps;  ///< h = 10^-1, 10^-1.5, …, 10^-9
  /// max |difference − claimed| / scale, but not below the rounding error of the difference (luck
  /// is not accuracy); +∞ if f is not finite.
  std::vector<double> errors;
  double scale = 1;  ///< max |claimed|; if that is 0, max |f(x)|; if that is 0 too, 1
  double best_error = 0;
  double best_step = 0;
  /// Slope of log error against log h, by least squares over the steps next before the best one
  /// that rounding does not reach; 0 where `exact`, and for a plateau.
  double slope = 0;
  /// The difference agrees to rounding from the first step on: f is at most quadratic, and there is
  /// no truncation error to measure.
  bool exact = false;

  /// The derivative is right: the best error is within `tolerance` and the error fell at least with
  /// slope 2 (to 10 %; more where a third derivative happens to vanish), or is exact.
  bool confirms(double tolerance = 1e-7) const;
  /// The sweep as a table, for the message of a failed test.
  std::string table() const;
};

/// Compares `claimed` = ∂f/∂x at x with central differences of f. Evaluates f 1 + 34 dim(x) times.
DifferenceSweep check_derivative(const VectorFunction& f, const VecX& x, const MatX& claimed);

}  // namespace sinew

#pragma once

#include <functional>
#include <string>

#include "sinew/math/bounds.hpp"

namespace sinew {

/// Writes value and gradient at x; false if there are none, as of a run that diverges.
using ValueFunction = std::function<bool(const VecX& x, double& value, VecX& gradient)>;

struct MinimizeOptions {
  int memory = 10;  ///< pairs of steps that the curvature is learned from
  int evaluations = 500;
  /// Ends where no entry of the gradient that may still be followed is larger than this part of the
  /// largest at the start.
  double gradient_tolerance = 1e-10;
  /// Ends where an iteration gains less than this part of the value.
  double value_tolerance = 1e-15;
  double first_step = 1;  ///< length of the first trial in units of x, at most
};

enum class MinimizeEnd {
  converged,    ///< the gradient is small, or all points of a population are one
  stalled,      ///< no step along the direction gains anything: at rounding, or at a kink
  evaluations,  ///< their number ran out
  stopped,      ///< by the caller
  failed,       ///< no value at the start
  infeasible,   ///< no x meets the constraints
};
std::string to_string(MinimizeEnd end);

struct MinimizeResult {
  MinimizeEnd end = MinimizeEnd::failed;
  VecX x, gradient;
  double value = 0;
  double gradient_norm = 0;  ///< its largest entry that may still be followed
  int iterations = 0, evaluations = 0;
  int rejected = 0;  ///< trials without a value
};

/// One iteration, for a log; false stops.
using OnIteration = std::function<bool(const MinimizeResult& so_far)>;

/// L-BFGS (Nocedal and Wright 2006, 7.2 and 3.5) with bounds: entries at a bound that the gradient
/// would push further out are held, the others follow the quasi-Newton direction, and trials are
/// projected to the bounds. Starts from x0, moved into the bounds.
MinimizeResult minimize(const ValueFunction& f, const VecX& x0, const Bounds& bounds = {},
                        const MinimizeOptions& options = {}, const OnIteration& on_iteration = {});

}  // namespace sinew

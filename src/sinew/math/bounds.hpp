#pragma once

#include <limits>
#include <string>

#include "sinew/math/types.hpp"

namespace sinew {

/// Limits of the unknowns of an optimiser, infinite where there are none; empty: none at all.
struct Bounds {
  VecX lower, upper;

  /// Throws an Error that names them as `element`, unless there are n of each or none, no two
  /// cross, and none is NaN.
  void check(Eigen::Index n, const std::string& element = "bounds") const;
  /// Moves x to the nearest place within them.
  void clamp(VecX& x) const;

  double lower_of(Eigen::Index k) const {
    return lower.size() > 0 ? lower[k] : -std::numeric_limits<double>::infinity();
  }
  double upper_of(Eigen::Index k) const {
    return upper.size() > 0 ? upper[k] : std::numeric_limits<double>::infinity();
  }
  /// Whether x_k is at a bound that the descent would push it further out of.
  bool hold(Eigen::Index k, double x_k, double gradient_k) const {
    return (x_k <= lower_of(k) && gradient_k > 0) || (x_k >= upper_of(k) && gradient_k < 0);
  }
};

}  // namespace sinew

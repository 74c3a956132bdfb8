#pragma once

#include "sinew/math/types.hpp"

/// Plain loops for vectors of a few entries whose number is known only at run time: for these,
/// Eigen's expressions spend more on alignment and sizes than on the numbers.

namespace sinew {

inline double short_dot(Eigen::Index n, const double* a, const double* b) {
  double sum = 0;
  for (Eigen::Index k = 0; k < n; ++k) sum += a[k] * b[k];
  return sum;
}

/// y ← y + c x.
inline void short_add(Eigen::Index n, double c, const double* x, double* y) {
  for (Eigen::Index k = 0; k < n; ++k) y[k] += c * x[k];
}

}  // namespace sinew

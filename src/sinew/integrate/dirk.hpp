#pragma once

#include "sinew/integrate/step_common.hpp"

namespace sinew {

/// A diagonally implicit Runge–Kutta method with one γ whose last stage is the end of the step.
/// Every method of this form is one of these tables; the steps are the same.
struct DirkTable {
  static constexpr size_t kMostStages = 5;
  int order;
  size_t stages;
  double share;                        ///< γ over h
  double c[kMostStages];               ///< times of the stages over h; the last is 1
  double a[kMostStages][kMostStages];  ///< below the diagonal, which is `share`
  /// Weights of the stages before in the guess of q̈ that Newton's method starts from: interpolated
  /// in time where that is possible.
  double guess[kMostStages][kMostStages];
  /// The estimated error is h times these weights of the rates at the start and at the stages, and
  /// falls as h^error_order.
  double start_error;
  double error[kMostStages];
  int error_order;

  /// Weights of the stages in the result: the last row.
  double b(size_t stage) const { return stage + 1 == stages ? share : a[stages - 1][stage]; }
};

/// Of sdirk2 and sdirk4.
const DirkTable& dirk_table(Integrator integrator);

/// The number of stage vectors, and of those of internal stages, that they use.
constexpr size_t kDirkVectors = 7 + 3 * DirkTable::kMostStages;
constexpr size_t kDirkInternalVectors = 5 + DirkTable::kMostStages;

}  // namespace sinew

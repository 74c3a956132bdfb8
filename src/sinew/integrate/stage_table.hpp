#pragma once

#include <cstddef>

#include "sinew/integrate/integrator.hpp"

namespace sinew {

/// The coefficients of an implicit method. Every stage has the same γ, and the last one is the end
/// of the step:
///     q_i = Σ_k past_k q⁽ᵏ⁾ + h Σ_{j<i} a_ij q̇_j + γ q̇_i,   γ = share h,
/// q̇ and z alike; q⁽⁰⁾ is the state, q⁽¹⁾ the one a step before. Steps, reverse sweeps and
/// sensitivities are the same for all of them.
struct StageTable {
  static constexpr size_t kMostStages = 5;
  int order;
  size_t stages;
  double share;                        ///< γ over h
  double c[kMostStages];               ///< times of the stages over h; the last is 1
  double a[kMostStages][kMostStages];  ///< below the diagonal, which is `share`
  double past[2] = {1, 0};
  /// Whether the method is applied to energy variables, if the system has them and the options do
  /// not say otherwise.
  bool by_energy = false;
  /// Weights of the stages before in the guess of q̈ that Newton's method starts from: interpolated
  /// in time where that is possible.
  double guess[kMostStages][kMostStages] = {};
  /// The estimated error is h times these weights of the rates at the start and at the stages, and
  /// falls as h^error_order.
  double start_error = 0;
  double error[kMostStages] = {};
  int error_order = 0;

  /// Weights of the stages in the result: the last row.
  double b(size_t stage) const { return stage + 1 == stages ? share : a[stages - 1][stage]; }
};

/// Of bdf1, sdirk2, sdirk4 and bdf2, which takes its first step with the table of sdirk2.
const StageTable& stage_table(Integrator integrator);

}  // namespace sinew

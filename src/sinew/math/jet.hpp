#pragma once

#include <array>

#include "sinew/math/types.hpp"

namespace sinew {

/// A scalar function φ of up to six coordinates at one (q, q̇), with what a joint needs of it: its
/// derivatives, the third one contracted with q̇ twice so that no third-order tensor is stored.
/// Only the first n entries are meaningful, n the number of coordinates.
struct Jet {
  double value = 0;
  std::array<double, kMaxJointDofs> gradient{};                             ///< ∂φ/∂q_i
  std::array<std::array<double, kMaxJointDofs>, kMaxJointDofs> hessian{};   ///< ∂²φ/∂q_i∂q_j
  std::array<double, kMaxJointDofs> third{};                                ///< Σ_jk φ_ijk q̇_j q̇_k
};

}  // namespace sinew

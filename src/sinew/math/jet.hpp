#pragma once

#include <array>
#include <span>

#include "sinew/math/types.hpp"

namespace sinew {

/// A scalar function φ of up to six coordinates at one (q, q̇), with the derivatives that a joint
/// needs, the third one contracted with q̇ twice so that no third-order tensor is stored. Only the
/// first n entries are meaningful, n the number of coordinates.
struct JointFunctionValue {
  double value = 0;
  std::array<double, kMaxJointDofs> gradient{};                            ///< ∂φ/∂q_i
  std::array<std::array<double, kMaxJointDofs>, kMaxJointDofs> hessian{};  ///< ∂²φ/∂q_i∂q_j
  std::array<double, kMaxJointDofs> third{};  ///< Σ_jk φ_ijk q̇_j q̇_k

  /// φ = q_k.
  static JointFunctionValue Coordinate(std::span<const double> q, int k) {
    JointFunctionValue jet;
    jet.value = q[k];
    jet.gradient[k] = 1;
    return jet;
  }

  /// φ = f(q_k), from f and its first three derivatives at q_k.
  static JointFunctionValue Univariate(int k, const std::array<double, 4>& f,
                                       std::span<const double> qdot) {
    JointFunctionValue jet;
    jet.value = f[0];
    jet.gradient[k] = f[1];
    jet.hessian[k][k] = f[2];
    jet.third[k] = f[3] * qdot[k] * qdot[k];
    return jet;
  }
};

}  // namespace sinew

#pragma once

#include "sinew/math/se3.hpp"

/// The right Jacobian of SE(3): exp(φ)⁻¹ d exp(φ) = J_r(φ) dφ, all of them twists (ω; v) in the
/// moved frame. A twist is a rotation vector of dual numbers, ω + ε v, so that
///     J_r(φ) = [J_r(ω) 0; ∂_v J_r(ω) J_r(ω)]
/// with the right Jacobian of rotations and its rate along v (docs/theory/rotations.md). The left
/// Jacobian is J_r(−φ).

namespace sinew {

Mat6 right_jacobian_se3(const Vec6& phi);
/// J_r(φ)⁻¹; singular only at |ω| = 2π k, k ≥ 1.
Mat6 right_jacobian_se3_inverse(const Vec6& phi);

}  // namespace sinew

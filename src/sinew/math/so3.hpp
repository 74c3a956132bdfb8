#pragma once

#include "sinew/math/types.hpp"

/// Rotations in exponential coordinates, R = exp([q]). The right Jacobian J_r(q) maps q̇ to the
/// angular velocity in the rotated frame: ω = J_r(q) q̇,
///     J_r = I − b [q] + c [q]²,   b = (1 − cos θ)/θ²,   c = (θ − sin θ)/θ³,   θ = |q|.
/// Every coefficient has a series below a switch angle, so that nothing loses digits near 0.

namespace sinew {

Mat3 exp_so3(const Vec3& q);
/// Rotation vector of R with |q| ≤ π, accurate to rounding near 0 and near π.
Vec3 log_so3(const Mat3& R);

/// Rotation by `angle` about the unit vector `axis`.
Mat3 rotation_about(const Vec3& axis, double angle);

/// Nearest rotation to a nearly orthogonal matrix (polar decomposition).
Mat3 orthonormalized(const Mat3& R);

Mat3 right_jacobian(const Vec3& q);
/// d/dt J_r(q) along q̇.
Mat3 right_jacobian_rate(const Vec3& q, const Vec3& qdot);
/// Both, which share most of their work.
struct RightJacobian {
  Mat3 value, rate;
};
RightJacobian right_jacobian_and_rate(const Vec3& q, const Vec3& qdot);
/// ∂/∂q (J_r(q) v) for a constant v: the derivative of J_r, contracted.
Mat3 right_jacobian_product_derivative(const Vec3& q, const Vec3& v);
/// ∂/∂q (J̇_r(q, q̇) q̇) at constant q̇.
Mat3 right_jacobian_rate_product_derivative(const Vec3& q, const Vec3& qdot);
/// J_r(q)⁻¹; singular only at |q| = 2π k, k ≥ 1.
Mat3 right_jacobian_inverse(const Vec3& q);

}  // namespace sinew

#pragma once

#include <span>

#include "sinew/math/jet.hpp"
#include "sinew/model/joint_motion.hpp"

/// The kernel most joints share (Lee and Terzopoulos 2008 section 5.3): a product of exponentials
/// of constant twists,
///     Q(q) = H Π_k exp(g_k φ_k(q)),
/// each φ_k any scalar function of the joint's coordinates. A joint brings its twists and
/// functions; the kernel gives everything else.

namespace sinew {

struct ExponentialFactor {
  Vec6 twist;              ///< g, constant
  JointFunctionValue phi;  ///< φ at (q, q̇)
};

/// Fills Q, S and Ṡ; the number of coordinates is qdot.size().
void evaluate_product(const Pose& H, std::span<const ExponentialFactor> factors, Coordinates qdot,
                      JointMotion& out);

/// Fills ∂S/∂q and ∂(Ṡq̇)/∂q.
void differentiate_product(std::span<const ExponentialFactor> factors, Coordinates qdot,
                           JointMotionDerivatives& out);

/// Sizes `out` for n coordinates and zeroes it: this completes a joint whose S is constant.
void set_zero(int n, JointMotionDerivatives& out);

/// Unit twists: rotation about, and translation along, an axis through the origin.
inline Vec6 rotation_twist(const Vec3& axis) { return (Vec6() << axis, Vec3::Zero()).finished(); }
inline Vec6 translation_twist(const Vec3& axis) {
  return (Vec6() << Vec3::Zero(), axis).finished();
}

}  // namespace sinew

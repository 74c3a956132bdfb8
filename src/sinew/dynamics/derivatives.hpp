#pragma once

#include <algorithm>

#include "sinew/dynamics/force.hpp"

/// Derivatives of inverse dynamics g(q, q̇, q̈) = M q̈ − f, analytic, O(n · depth). Derivation in
/// docs/theory/derivatives.md.

namespace sinew {

/// Scratch of inverse_dynamics_derivatives. Spatial quantities here share one origin (that of the
/// first link), world axes: every entry combines distant links.
struct DerivativeWorkspace {
  explicit DerivativeWorkspace(const Skeleton& skeleton);

  /// Inertia of a subtree and how it changes as it moves: B = [Y 0; −2[l] 0] is the part of ∂F/∂q
  /// that multiplies the rate of an axis.
  struct Composite {
    double mass;
    Vec3 h;  ///< first moment
    Mat3 I;  ///< second moment
    Vec3 l;  ///< linear momentum
    Mat3 Y;
  };
  std::vector<Composite> composite;           ///< per link
  std::vector<Vec6> s, sdot, sddot;           ///< per coordinate: axis, its rate and second rate
  std::vector<Vec6> F;                        ///< per link: wrench that the joint transmits
  std::vector<JointMotionDerivatives> joint;  ///< per link; filled for generic links only
  std::vector<Mat6> K, D;                     ///< per link: subtree sums of ForceDerivatives
};

/// The origin that they share: that of the first link or, if no bone moves, the world's.
inline const Vec3& common_origin(const SkeletonWorkspace& ws) {
  return ws.link[std::min<size_t>(1, ws.link.size() - 1)].p;
}

/// Writes M = ∂g/∂q̈, dg_dq and dg_dqdot (n×n each) at constant applied wrenches in body frames and
/// constant generalised forces. Needs inverse_dynamics at (q, qdot, qddot).
void inverse_dynamics_derivatives(const Skeleton& skeleton, const VecView& q, const VecView& qdot,
                                  const VecView& qddot, const SkeletonWorkspace& ws,
                                  DerivativeWorkspace& dws, MatX& M, MatX& dg_dq, MatX& dg_dqdot);

/// Subtracts from dg_dq and dg_dqdot the projections of K and D to coordinates: JᵀKJ, JᵀDJ and, for
/// `kind` full, JᵀD ∂φ/∂q. Needs inverse_dynamics_derivatives in dws for `full`; for `reference` it
/// needs update_kinematics only.
void subtract_force_derivatives(const Skeleton& skeleton, const SkeletonWorkspace& ws,
                                const ForceDerivatives& forces, StiffnessModel kind,
                                DerivativeWorkspace& dws, MatX& dg_dq, MatX& dg_dqdot);

}  // namespace sinew

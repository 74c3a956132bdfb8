#pragma once

#include "sinew/dynamics/applied_forces.hpp"

namespace sinew {

/// Generalised momentum p = M(q) q̇ and generalised force ∂T/∂q + Q with Q that of gravity and
/// `forces`, in one O(n) pass without accelerations or factorisation. With ṡ_m the rate of axis m
/// and h the momentum of all that the joint carries,
///     p_m = s_m · h,   ∂T/∂q_m = ṡ_m · h,
/// because turning a moving subtree rigidly changes its velocity by turning it, which costs no
/// energy, and by ṡ_m (docs/theory/derivatives.md). Writes p, force, ws.a (momenta), ws.F. Needs
/// update_inertias.
void momentum_and_force(const Skeleton& skeleton, const Vec3& gravity, const AppliedForces& forces,
                        SkeletonWorkspace& ws, VecX& p, VecX& force);

/// Kinetic energy [J]. Needs update_inertias.
double kinetic_energy(const Skeleton& skeleton, const SkeletonWorkspace& ws);
/// −Σ m g·c [J]. Needs update_inertias.
double gravity_energy(const Skeleton& skeleton, const Vec3& gravity, const SkeletonWorkspace& ws);

/// Linear momentum, and angular momentum about the world's origin: (angular; linear). Needs
/// update_inertias.
Vec6 total_momentum(const Skeleton& skeleton, const SkeletonWorkspace& ws);
/// Total mass and centre of mass of all moving links.
struct MassCenter {
  double mass = 0;
  Vec3 position = Vec3::Zero();
};
MassCenter mass_center(const Skeleton& skeleton, const SkeletonWorkspace& ws);

}  // namespace sinew

#pragma once

#include "sinew/dynamics/applied_forces.hpp"

namespace sinew {

/// Eliminates the joints from the tips to the root (the articulated-body recursion): a
/// factorisation of the mass matrix in O(n). Writes ws.articulated, ws.elimination. Needs
/// update_inertias.
void factor_mass_matrix(const Skeleton& skeleton, SkeletonWorkspace& ws);

/// x = M(q)⁻¹ b with those factors, O(n). b and x may be the same vector. Writes ws.impulse.
void solve_mass_matrix(const Skeleton& skeleton, SkeletonWorkspace& ws, const ConstVecRef& b,
                       VecRef x);

/// q̈ = M⁻¹ f under gravity and `forces`, O(n): the articulated-body algorithm. Runs update_inertias
/// and leaves the factors of factor_mass_matrix. Writes ws.a, ws.F, ws.impulse besides. Needs
/// update_kinematics.
void forward_dynamics(const Skeleton& skeleton, const Vec3& gravity, const AppliedForces& forces,
                      SkeletonWorkspace& ws, VecRef qddot);

}  // namespace sinew

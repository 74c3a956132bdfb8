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
/// X = M(q)⁻¹ B, of the same size: faster than column by column.
void solve_mass_matrix(const Skeleton& skeleton, SkeletonWorkspace& ws, const MatX& B, MatX& X);

/// q̈ = M⁻¹ f under gravity and `forces`, O(n): the articulated-body algorithm. Runs update_inertias
/// and leaves the factors of factor_mass_matrix. Also writes ws.a, ws.F, ws.impulse. Needs
/// update_kinematics.
void forward_dynamics(const Skeleton& skeleton, const Vec3& gravity, const AppliedForces& forces,
                      SkeletonWorkspace& ws, VecRef qddot);
/// Also X = M⁻¹ B, with any number of columns, in the same sweeps.
void forward_dynamics(const Skeleton& skeleton, const Vec3& gravity, const AppliedForces& forces,
                      SkeletonWorkspace& ws, double* qddot, const MatX& B, MatX& X);

/// The correction of q̇ that an implicit step in momenta needs, x = M⁻¹ (b − p + c f), with
/// p and f = ∂T/∂q + Q those of momentum_and_force, in the same three passes as forward dynamics.
/// With `factor` false it uses the existing factors, of a nearby q. Writes force = f and x,
/// ws.a, ws.F, ws.impulse; runs update_inertias. Needs update_kinematics.
void momentum_correction(const Skeleton& skeleton, const Vec3& gravity, const AppliedForces& forces,
                         const VecX& b, double c, bool factor, SkeletonWorkspace& ws, VecX& force,
                         VecX& x);

}  // namespace sinew

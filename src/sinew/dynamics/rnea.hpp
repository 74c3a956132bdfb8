#pragma once

#include "sinew/dynamics/applied_forces.hpp"

namespace sinew {

/// Rigid inertias of all links in world axes: writes ws.inertia. Needs update_kinematics.
void update_inertias(const Skeleton& skeleton, SkeletonWorkspace& ws);

/// Accelerations of all links less gravity, and the wrench that each link by itself needs for them
/// beyond `forces`: writes ws.a, ws.F. `qddot` may be null for zero. Needs
/// update_kinematics and update_inertias. The forward half of inverse_dynamics.
void update_link_forces(const Skeleton& skeleton, const Vec3& gravity, const AppliedForces& forces,
                        const double* qddot, SkeletonWorkspace& ws);

/// The wrenches of update_link_forces summed from the tips to the root and projected on the joints:
/// writes tau and ws.F, which then holds the wrench that each joint transmits. The other half.
void collect_link_forces(const Skeleton& skeleton, const AppliedForces& forces,
                         SkeletonWorkspace& ws, double* tau);

/// The generalised forces that, together with `forces` and gravity, give the accelerations q̈:
///     tau = M(q) q̈ − f(q, q̇),   f all forces, velocity terms included.
/// Recursive Newton–Euler, O(n): writes tau, ws.a (accelerations less gravity), ws.F. Needs
/// update_kinematics and update_inertias.
void inverse_dynamics(const Skeleton& skeleton, const Vec3& gravity, const AppliedForces& forces,
                      const ConstVecRef& qddot, SkeletonWorkspace& ws, VecRef tau);

}  // namespace sinew

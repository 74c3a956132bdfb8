#pragma once

#include "sinew/dynamics/applied_forces.hpp"

namespace sinew {

/// Rigid inertias of all links in world axes: writes ws.inertia. Needs update_kinematics.
void update_inertias(const Skeleton& skeleton, SkeletonWorkspace& ws);

/// The generalised forces that, beside `forces` and gravity, give the accelerations q̈:
///     tau = M(q) q̈ − f(q, q̇),   f all that acts, velocity terms included.
/// Recursive Newton–Euler, O(n): writes tau, ws.a (accelerations less gravity), ws.F. Needs
/// update_kinematics and update_inertias.
void inverse_dynamics(const Skeleton& skeleton, const Vec3& gravity, const AppliedForces& forces,
                      const ConstVecRef& qddot, SkeletonWorkspace& ws, VecRef tau);

}  // namespace sinew

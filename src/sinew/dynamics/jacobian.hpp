#pragma once

#include "sinew/dynamics/workspace.hpp"

/// The Jacobian J_mr of REDMAX, from coordinates to body twists, φ_B = J q̇, six rows per body in
/// the user's order: as a matrix (Wang et al. 2019 Algorithm 1), and as products in O(n) without it
/// (Algorithms 2 and 3). All need update_kinematics at the same (q, q̇).

namespace sinew {

/// Writes J and J̇, each 6·bodies × n. O(n · depth).
void update_jacobian(const Skeleton& skeleton, const SkeletonWorkspace& ws, MatRef J, MatRef Jdot);

/// y = J x and z = J̇ x, each of 6·bodies entries.
void jacobian_times(const Skeleton& skeleton, const SkeletonWorkspace& ws, const ConstVecRef& x,
                    VecRef y, VecRef z);

/// x = Jᵀ y: the generalised forces of the body wrenches y.
void jacobian_transpose_times(const Skeleton& skeleton, const SkeletonWorkspace& ws,
                              const ConstVecRef& y, VecRef x);

}  // namespace sinew

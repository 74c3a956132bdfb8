#pragma once

#include "sinew/dynamics/applied_forces.hpp"

namespace sinew {

/// The plain maximal formulation (Wang 2022 section 3.11, Eq. 3.40): six accelerations per body and
/// a multiplier per direction that a joint blocks,
///     [ M_m  Gᵀ ] [ φ̇ ]   [ f_m ]
///     [ G    0  ] [ λ ] = [ γ   ].
/// Dense and O(n³): for comparison and teaching, not for speed.
struct MaximalSolution {
  VecX phidot;  ///< 6 per body, body frame, in the user's order
  VecX lambda;  ///< multipliers; −Gᵀλ are the joints' reaction wrenches
  VecX qddot;   ///< the accelerations of the coordinates that follow
};

/// Needs update_kinematics at (q, qdot). Allocates.
MaximalSolution maximal_dynamics(const Skeleton& skeleton, const Vec3& gravity,
                                 const AppliedForces& forces, const ConstVecRef& q,
                                 const ConstVecRef& qdot, const SkeletonWorkspace& ws);

}  // namespace sinew

#pragma once

#include "sinew/dynamics/applied_forces.hpp"

namespace sinew {

/// Recursive hybrid dynamics (Wang et al. 2019 Algorithm 6; Kim and Pollard 2011): where
/// prescribed[k] is true, the acceleration qddot[k] is given and tau[k] is the generalised force
/// that brings it about; elsewhere tau[k] is given (beside `forces` and gravity) and qddot[k] is
/// found. All coordinates of a joint are prescribed together or none. O(n). Written plainly, in
/// link frames, after the printed algorithm; with nothing prescribed it is forward dynamics, with
/// everything inverse dynamics. Needs update_kinematics at the same qdot. Allocates.
void hybrid_dynamics(const Skeleton& skeleton, const Vec3& gravity, const AppliedForces& forces,
                     const std::vector<bool>& prescribed, const ConstVecRef& qdot,
                     const SkeletonWorkspace& ws, VecRef qddot, VecRef tau);

}  // namespace sinew

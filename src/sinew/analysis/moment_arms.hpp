#pragma once

#include "sinew/dynamics/constraint.hpp"

namespace sinew {

/// Row k: the speeds of all coordinates per speed of coordinate k, if it moves and couplers hold
/// with the least change of speeds, G u = 0. With the moment arms r = −∂L/∂q of a muscle, row k
/// times r is its effective moment arm about coordinate k: the effect of its tension there,
/// couplers included. It is the identity without couplers. Needs update_kinematics.
MatX coupled_speeds(const Skeleton& skeleton, const ConstraintList& constraints,
                    const SkeletonWorkspace& ws, const VecX& q);

}  // namespace sinew

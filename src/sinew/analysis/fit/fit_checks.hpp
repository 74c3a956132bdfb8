#pragma once

#include <vector>

#include "sinew/analysis/fit/pose_metric.hpp"
#include "sinew/math/bspline.hpp"

namespace sinew {

/// The poses with rotations that are exactly orthonormal. Throws an Error that names the first pose
/// that is none.
std::vector<Pose> checked_poses(const std::vector<Pose>& poses);

/// The largest distance from the first pose to another [m].
double extent_of(const std::vector<Pose>& poses, const PoseMetric& metric);

/// The first control value of an open spline that values at these q cannot determine, counted from
/// 0, or −1: each must have a q of its own at which its basis function is not zero (Schoenberg and
/// Whitney 1953).
int undetermined_control_value(const CubicBSpline& spline, const VecX& q);

}  // namespace sinew

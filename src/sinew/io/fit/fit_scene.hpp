#pragma once

#include <string>

#include "sinew/analysis/fit/joint_fit.hpp"

namespace sinew {

/// A scene file that shows a fit: the child bone moves along the joint over its range; the parent
/// carries the measured poses, as axes, and from each the way to its pose on the joint, longer by a
/// factor that the description tells. Of many poses some hundred are shown.
std::string fit_scene(const JointFit& fit, const std::vector<Pose>& poses);

}  // namespace sinew

#pragma once

#include "sinew/muscles/opensim/opensim_path.hpp"
#include "sinew/muscles/path/muscle.hpp"

namespace sinew {

/// An OpenSim path for a muscle with mass: its surfaces have fixed places between the points.
/// OpenSim decides these anew in every pose; here they are decided once, from poses of the motion
/// in question, since a jump of mass would create energy (docs/theory/opensim_paths.md).
struct PathWithFixedWraps {
  std::vector<PathPoint> points;
  std::vector<PathSpan> spans;
  /// Surfaces that the poses meet and that the path does not wrap around, each with the reason.
  std::vector<std::string> left_out;
};

/// Each surface goes to the segment that wraps around it in most of the poses, on the same side,
/// smooth through touch-down; surfaces that no pose meets are omitted. Two surfaces on one segment
/// get a point between them, on the body on which it moves less. Points that
/// come and go get a place between their own and the straight line between their neighbours, the
/// one that fits all poses best; beside a surface they are there or not, as in most poses. A
/// surface that has no path around it in one of the poses is left out.
PathWithFixedWraps fix_wraps(const OpenSimPath& path, const Skeleton& skeleton,
                             const std::vector<VecX>& poses);

}  // namespace sinew

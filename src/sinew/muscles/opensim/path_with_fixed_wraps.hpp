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
  /// Surfaces that the poses meet, but on a segment that wraps around another more often.
  std::vector<std::string> left_out;
};

/// Each surface goes to the segment that wraps around it in most of the poses, on the same side,
/// smooth through touch-down; surfaces that no pose meets are omitted. Conditional points slide in
/// and out within `band` of their limits [rad, m]. Throws an Error if such a point is beside
/// another one or beside a surface.
PathWithFixedWraps fix_wraps(const OpenSimPath& path, const Skeleton& skeleton,
                             const std::vector<VecX>& poses, double band = 0.05);

}  // namespace sinew

#pragma once

#include "sinew/muscles/opensim/opensim_path.hpp"
#include "sinew/muscles/path/muscle.hpp"

namespace sinew {

/// A path of OpenSim as a muscle with mass needs it: with its surfaces at fixed places between the
/// points. What OpenSim decides anew in every pose is decided once, from poses of the motion in
/// question, since a jump of mass would make energy from nothing (docs/theory/opensim_paths.md).
struct PathWithFixedWraps {
  std::vector<PathPoint> points;
  std::vector<PathSpan> spans;
  /// Surfaces that the poses meet, but on a segment that wraps around another more often.
  std::vector<std::string> left_out;
};

/// Each surface goes to the segment that wraps around it in most of the poses, on the side on which
/// it does, smooth through touch-down; surfaces that no pose meets are left away. Conditional
/// points slide in and out within `band` of their limits [rad, m]. Throws an Error where such a
/// point is beside another one or beside a surface.
PathWithFixedWraps fix_route(const OpenSimPath& path, const Skeleton& skeleton,
                             const std::vector<VecX>& poses, double band = 0.05);

}  // namespace sinew

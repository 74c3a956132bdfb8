#pragma once

#include "sinew/io/scene/wrap_reader.hpp"
#include "sinew/muscles/path/muscle.hpp"

namespace sinew {

/// Treatment of a path point that belongs to the path only while a coordinate is in its range.
enum class ConditionPolicy {
  smooth,     ///< slides in and out over a band: conserves energy
  switching,  ///< jumps, as in OpenSim; a muscle with such a point has no mass
  forbidden,  ///< a mistake
};
/// The words of "policy" and "conditional", in the order of ConditionPolicy.
const std::vector<std::string>& condition_policies();

/// Defaults for reading a muscle's path.
struct PathDefaults {
  WrapDefaults wrap;
  ConditionPolicy policy = ConditionPolicy::switching;
};

struct PathReading {
  std::vector<PathPoint> points;
  std::vector<PathSpan> spans;
  BodyIndex origin = kWorld;  ///< the body of the first point
  bool switches = false;      ///< has a point that jumps
};

/// The list "path" of a muscle: points, and between two of them at most one surface.
PathReading read_path(const ObjectReader& muscle, const Skeleton& skeleton,
                      const PathDefaults& defaults);

}  // namespace sinew

#pragma once

#include <limits>

#include "sinew/constraints/rows/coupled_coordinates.hpp"
#include "sinew/model/skeleton.hpp"

namespace sinew {

struct OsimModel;
struct Scene;

/// What a coordinate is meant to stay within [rad, m]; nothing is clamped to it.
struct CoordinateRange {
  double lower = -std::numeric_limits<double>::infinity();
  double upper = std::numeric_limits<double>::infinity();
};

/// What motions and poses are read for.
struct MotionTarget {
  std::vector<Coordinate> coordinates;
  CoupledCoordinates coupled = {};           ///< which of them follow from others
  std::vector<CoordinateRange> ranges = {};  ///< of each; empty: of none is known
};

MotionTarget motion_target(const OsimModel& model);
/// Of System::coordinates().
MotionTarget motion_target(const Scene& scene);

}  // namespace sinew

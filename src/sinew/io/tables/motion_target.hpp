#pragma once

#include <limits>

#include "sinew/constraints/rows/coupled_coordinates.hpp"
#include "sinew/model/skeleton.hpp"

namespace sinew {

struct OsimModel;
struct Scene;

/// The intended range of a coordinate [rad, m]; nothing is clamped to it.
struct CoordinateRange {
  double lower = -std::numeric_limits<double>::infinity();
  double upper = std::numeric_limits<double>::infinity();
};

/// The model that motions and poses are read for.
struct MotionTarget {
  std::vector<Coordinate> coordinates;
  CoupledCoordinates coupled = {};           ///< the ones that follow from others
  std::vector<CoordinateRange> ranges = {};  ///< of each; empty: unknown
};

MotionTarget motion_target(const OsimModel& model);
/// The target of System::coordinates().
MotionTarget motion_target(const Scene& scene);

}  // namespace sinew

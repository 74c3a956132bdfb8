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

/// How far coordinates are moved to look at a model [rad, m, –].
struct Reach {
  double angle, length, parameter;     ///< either side of the default, without a range
  double widest_angle, widest_length;  ///< a wider range is none that a joint has
};
/// Through which `muscles` moves coordinates.
inline constexpr Reach kStudyReach = {0.5, 0.05, 0.5, 20, 20};

/// What a coordinate is moved through: its range, or some way either side of its default. A reach
/// of half a turn goes around zero, if the default is within it. One end alone keeps the other
/// where it would be without, or beside it.
CoordinateRange span_of(const Coordinate& coordinate, const CoordinateRange& given,
                        const Reach& reach);

MotionTarget motion_target(const OsimModel& model);
/// The target of System::coordinates().
MotionTarget motion_target(const Scene& scene);

}  // namespace sinew

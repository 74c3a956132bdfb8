#include "sinew/io/tables/motion_target.hpp"

#include <cmath>
#include <numbers>

#include "sinew/io/osim/osim_model.hpp"
#include "sinew/io/scene/scene.hpp"

namespace sinew {

CoordinateRange span_of(const Coordinate& c, const CoordinateRange& given, const Reach& reach) {
  const bool angle = c.kind == CoordinateKind::angle, length = c.kind == CoordinateKind::length;
  const double half = angle ? reach.angle : length ? reach.length : reach.parameter;
  const bool turn = angle && half >= std::numbers::pi && std::abs(c.q0) <= half;
  const double middle = turn ? 0 : c.q0;
  CoordinateRange out{middle - half, middle + half};
  const double width = given.upper - given.lower;
  if (std::isfinite(width) && width >= (length ? reach.widest_length : reach.widest_angle))
    return out;
  if (std::isfinite(given.lower)) out.lower = given.lower;
  if (std::isfinite(given.upper)) out.upper = given.upper;
  if (out.lower < out.upper) return out;
  if (std::isfinite(given.lower))
    out.upper = out.lower + half;
  else
    out.lower = out.upper - half;
  return out;
}

MotionTarget motion_target(const OsimModel& model) {
  MotionTarget out{model.skeleton.coordinates(), CoupledCoordinates(model.constraints)};
  for (const OsimCoordinate& c : model.coordinates) {
    // OpenSim writes some range for every coordinate; a range without width means none.
    const bool given = c.upper > c.lower;
    out.ranges.push_back(given ? CoordinateRange{c.lower, c.upper} : CoordinateRange());
  }
  return out;
}

MotionTarget motion_target(const Scene& scene) {
  MotionTarget out{scene.system.coordinates()};
  // The system has no coordinate for one that a map makes dependent; couplings count all of the
  // skeleton's.
  if (scene.system.coordinate_map() == nullptr)
    out.coupled = CoupledCoordinates(scene.system.constraints());
  for (const Coordinate& c : out.coordinates) {
    const auto found = scene.coordinate_ranges.find(c.name);
    out.ranges.push_back(found == scene.coordinate_ranges.end()
                             ? CoordinateRange()
                             : CoordinateRange{found->second.first, found->second.second});
  }
  return out;
}

}  // namespace sinew

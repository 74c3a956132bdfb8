#pragma once

#include <array>
#include <memory>
#include <vector>

#include "sinew/math/scalar_function.hpp"
#include "sinew/muscles/opensim/segment_wrap.hpp"

/// Paths as in OpenSim's models: points that appear, disappear and move with coordinates, and
/// surfaces that any segment of a range may meet. The segment that wraps is found anew in every
/// pose, so a path is more than a Muscle's fixed row of spans. OpenSimPathOnSkeleton puts one on a
/// skeleton.

namespace sinew {

/// A point of a path.
struct OpenSimPathPoint {
  BodyIndex body = kWorld;
  Vec3 x_B = Vec3::Zero();  ///< body frame [m]

  /// Part of the path only while this coordinate is between the limits; invalid: always.
  DofIndex condition;
  double lower = 0, upper = 0;

  /// A component of a point that moves along an axis of a frame of the body: a function of one
  /// coordinate, which counts only within its limits.
  struct Motion {
    Vec3 axis_B = Vec3::Zero();
    DofIndex dof;  ///< invalid: constant
    ScalarFunction f = ConstantFunction{0};
    double lower = 0, upper = 0;
  };
  std::vector<Motion> motions;  ///< added to x_B
};

/// A surface that segments between some of the points may wrap around.
struct OpenSimPathSurface {
  std::shared_ptr<const PathSurface> surface;
  int first = 0, last = 0;  ///< indices into the path's points, active or not
};

struct OpenSimPath {
  std::string name;
  std::vector<OpenSimPathPoint> points;
  std::vector<OpenSimPathSurface> surfaces;
};

/// Throws an Error naming `element` if the path makes no sense.
void validate(const OpenSimPath& path, const std::string& element);

}  // namespace sinew

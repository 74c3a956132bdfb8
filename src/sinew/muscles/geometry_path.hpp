#pragma once

#include <array>
#include <memory>
#include <vector>

#include "sinew/dynamics/kinematics.hpp"
#include "sinew/math/scalar_function.hpp"
#include "sinew/muscles/surface_contact.hpp"

/// Paths as OpenSim's models have them: points that come and go and move with coordinates, and
/// surfaces that are met wherever a segment of a range happens to meet them. Which segment wraps is
/// found anew in every pose, so that a path is more than a Muscle's fixed row of spans.

namespace sinew {

/// A point of a path.
struct RoutePoint {
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
struct RouteSurface {
  std::shared_ptr<const PathSurface> surface;
  int first = 0, last = 0;  ///< of the path's points, whether or not they are part of it
};

struct GeometryPath {
  std::string name;
  std::vector<RoutePoint> points;
  std::vector<RouteSurface> surfaces;
};

/// A point of the path in a pose.
struct PathNode {
  BodyIndex body = kWorld;
  Vec3 x_B = Vec3::Zero(), x_W = Vec3::Zero();
  int point = -1;    ///< of the path's points, or
  int surface = -1;  ///< of its surfaces, where it touches or leaves one
  double arc = 0;    ///< where it leaves one: length on it [m]
};

/// A path in a pose.
struct PathCourse {
  std::vector<PathNode> nodes;
  double length = 0;  ///< [m]
};

/// The course at the pose of `ws` (update_kinematics) and q.
void update_course(const GeometryPath& path, const Skeleton& skeleton, const SkeletonWorkspace& ws,
                   const ConstVecRef& q, PathCourse& out);

/// Adds the generalised forces of a unit tension: −∂L/∂q, the moment arms of unconstrained
/// coordinates.
void add_unit_tension(const GeometryPath& path, const Skeleton& skeleton,
                      const SkeletonWorkspace& ws, const ConstVecRef& q, const PathCourse& course,
                      VecRef tau);

/// Throws an Error naming `element` where the path makes no sense.
void validate(const GeometryPath& path, const std::string& element);

}  // namespace sinew

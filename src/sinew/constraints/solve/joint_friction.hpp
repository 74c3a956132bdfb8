#pragma once

#include <span>
#include <variant>

#include "sinew/constraints/rows/closure.hpp"

/// Friction inside joints and closures: the surfaces of a bearing carry the joint's reaction and
/// rub on each other. docs/theory/contact_dynamics.md has the loads.

namespace sinew {

/// Bearing of a revolute joint or a closure: a pin with faces at both ends.
struct CylinderBearing {
  double radius, height;  ///< [m]
};
/// Bearing of a spherical joint.
struct BallBearing {
  double radius;  ///< [m]
};
/// Bearing of a prismatic joint: a rail of that cross-section and length, in the joint's axes.
struct BoxBearing {
  Vec3 sides;  ///< [m]
};
using BearingShape = std::variant<CylinderBearing, BallBearing, BoxBearing>;

struct JointFriction {
  std::string name;
  BearingShape shape;
  double friction = 0;
  BodyIndex body = kWorld;  ///< the body whose joint it is in; kWorld: it is in a closure
  std::string closure;      ///< its name
  Vec3 axis =
      Vec3::UnitZ();  ///< closures only: the pin's, in the frame of the closure's first body

  /// Throws an Error naming the bearing if there is no such joint or closure, or one of another
  /// shape.
  void validate(const Skeleton& skeleton, const ConstraintList& constraints) const;
};

/// The place of a bearing, world axes.
struct BearingFrame {
  int child = 0, parent = 0;  ///< links: the one that turns or slides, and its base
  Vec3 centre;
  Mat3 R;         ///< its axes as columns: a pin's axis is z; a ball or box has the joint's
  int slide = 2;  ///< column along which a box slides
  /// A closure's rows among those of all constraints; none for joints.
  int first_row = 0, row_count = 0;
};
BearingFrame bearing_frame(const JointFriction& bearing, const ConstraintList& constraints,
                           const Skeleton& skeleton, const SkeletonWorkspace& ws);

/// 3 for balls, otherwise 1.
int row_count(const BearingShape& shape);

/// Coefficients of a row on the twist of a link at p, the child's positive: the rate at which the
/// surfaces turn or slide against each other.
Vec6 bearing_coefficient(const BearingShape& shape, const BearingFrame& frame, int row,
                         const Vec3& p);

/// The most that friction can do per unit of μ, and its effect on the normal loads.
struct BearingLoad {
  double bound[3] = {0, 0, 0};  ///< per row: largest couple or force [N m, N]
  /// Per row: wrench on the child, about the centre in the bearing's axes (moment; force), for a
  /// unit of the row's couple or force: it acts where the loads are.
  Vec6 friction[3] = {Vec6::Zero(), Vec6::Zero(), Vec6::Zero()};
};
/// `moment` and `force` are those that the normals carry, about the centre in the bearing's axes.
BearingLoad bearing_load(const BearingShape& shape, int slide, const Vec3& moment,
                         const Vec3& force);

}  // namespace sinew

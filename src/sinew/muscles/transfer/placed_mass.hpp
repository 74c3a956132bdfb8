#pragma once

#include "sinew/muscles/path/span_path.hpp"

/// The place of the muscles' mass in one pose, and the bodies it lies along.

namespace sinew {

/// Mass along a straight line: position and arc length are linear in ξ ∈ [0, 1], the density is
/// quadratic in it. A mass point has equal ends and m00 alone.
struct MassStretch {
  Vec3 x0, x1;    ///< world
  double s0, s1;  ///< arc length from the path's start
  PieceMoments<double> m;

  double mass() const { return m.m00 + 2 * m.m01 + m.m11; }
  /// In frame B, at its origin.
  SpatialInertia inertia(const Pose& E_WB) const;
  /// The mass between arc lengths `lo` and `hi`, the latter excluded.
  std::optional<MassStretch> between(double lo, double hi) const;
};

/// Part of a path, between two arc lengths, and the body that it lies along.
struct PathCell {
  double lo, hi;
  BodyIndex body;
};

struct PlacedMass {
  std::vector<MassStretch> stretches;
  /// From the start to the end of the path: each place belongs to the body of the nearest path
  /// point along the path, excluding the ground. Empty if there is no other.
  std::vector<PathCell> cells;
  std::vector<PathCell> cells_with_ground;  ///< the same if the ground counts like a body
  SpanStatus status = SpanStatus::free;     ///< the worst of its spans

  SpatialInertia inertia(const Pose& E_WB) const;
};

/// Bodies in a pose, to place muscles in.
class PlacedBodies {
 public:
  PlacedBodies(const Skeleton& skeleton, const VecX& q);

  Pose pose(BodyIndex body) const;
  /// Throws an Error naming the muscle if its mass is not entirely on its path.
  PlacedMass place(const Muscle& muscle);

 private:
  BodyIndex holder(const PathPoint& point) const;
  enum class Ground { counts, does_not_count };
  std::vector<PathCell> cells(const Muscle& muscle, Ground ground) const;

  const Skeleton& skeleton_;
  VecX q_;
  SkeletonWorkspace ws_;
  SpanPathWorkspace muscle_ws_;
};

}  // namespace sinew

#pragma once

#include <vector>

#include "sinew/math/se3.hpp"

namespace sinew {

/// How far apart two poses of a body are [m]. No distance between poses survives every change of
/// the fixed and of the moving frame, so that a distance must say which parts of the body it is
/// about. Both kinds here are
///     d² = θᵀ K θ + |x₁ − x₂|²,
/// θ the rotation vector between the two poses in the body's axes, x the two places of a point c of
/// the body. They do not depend on the fixed frame.
/// docs/theory/joint_fitting.md has the derivation.
class PoseMetric {
 public:
  /// K = ℓ²: a radian counts as much as ℓ [m]; c is `point`, in the moving frame [m]. Depends on
  /// the moving frame where c is its origin.
  static PoseMetric AtPoint(const Vec3& point, double length);
  /// The root mean square of how far these points of the body are apart, for rotations that are not
  /// large; points in the moving frame [m], with an arbitrary number of them, as the corners of a
  /// mesh. c is their mean. Depends on neither frame, as the points move with the body. Throws an
  /// Error unless three of them span a plane.
  static PoseMetric OfPoints(const std::vector<Vec3>& points);

  /// The same distances from poses of another frame J of the body, E_JB the body's frame in it.
  PoseMetric moved(const Pose& E_JB) const;

  const Vec3& center() const { return center_; }

  /// The difference r of two poses, d = |r| [m]: rotation, then displacement of c, both in the axes
  /// of `from`.
  Vec6 difference(const Pose& from, const Pose& to) const;
  /// ∂r/∂φ: how the difference changes as `from` moves with the twist φ (in its own axes). `r` is
  /// the difference.
  Mat6 difference_by_twist(const Pose& from, const Pose& to, const Vec6& r) const;
  double distance(const Pose& from, const Pose& to) const { return difference(from, to).norm(); }

  /// W with |W φ| the length of a twist of the body: d of poses that are a small φ apart.
  const Mat6& twist_weight() const { return twist_weight_; }
  double length(const Vec6& phi) const { return (twist_weight_ * phi).norm(); }

 private:
  PoseMetric(const Vec3& center, const Mat3& root);

  Vec3 center_;
  Mat3 root_;  ///< K^½, symmetric
  Mat6 twist_weight_;
};

}  // namespace sinew

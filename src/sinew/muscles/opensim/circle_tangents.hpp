#pragma once

#include <algorithm>
#include <cmath>
#include <numbers>

#include "sinew/math/se3.hpp"

/// Plane geometry of segments that meet circles, for segment_wrap.cpp.

namespace sinew::planar {

using Vec2 = Eigen::Vector2d;

/// A point on the border counts as on the required side.
inline int sign_of(double x) { return x >= 0 ? 1 : -1; }

/// From p1 to p2 around a circle about the origin, winding by `turn` (+1: counter-clockwise):
/// tangent, arc, tangent. Both are outside or on the circle.
struct PlanarPath {
  Vec2 r1, r2;           ///< unit vectors to the tangent points
  double l1, l2, angle;  ///< lengths of the tangents; angle of the arc, 0 to 2π

  PlanarPath(const Vec2& p1, const Vec2& p2, double radius, int turn) {
    const double rho1 = p1.norm(), rho2 = p2.norm();
    l1 = std::sqrt(std::max(0.0, rho1 * rho1 - radius * radius));
    l2 = std::sqrt(std::max(0.0, rho2 * rho2 - radius * radius));
    const auto turned = [](const Vec2& p, double rho, double c, double s) -> Vec2 {
      return Vec2(c * p.x() - s * p.y(), s * p.x() + c * p.y()) / (rho * rho);
    };
    r1 = turned(p1, rho1, radius, turn * l1);
    r2 = turned(p2, rho2, radius, -turn * l2);
    angle = std::atan2(turn * (r1.x() * r2.y() - r1.y() * r2.x()), r1.dot(r2));
    // The angle of a grazing path is only rounding.
    if (angle < 0) angle = angle > -1e-12 ? 0 : angle + 2 * std::numbers::pi;
  }
};

/// Whether the chord hits the circle between its ends, and its point nearest to the centre.
struct ChordFoot {
  double at;  ///< 0 at p1, 1 at p2
  double distance2;
  bool hits(double radius) const { return distance2 < radius * radius && at > 0 && at < 1; }
};
inline ChordFoot chord_foot(const Vec3& p1, const Vec3& p2) {
  const Vec3 d = p2 - p1;
  const double d2 = d.squaredNorm();
  if (d2 == 0) return {0, p1.squaredNorm()};
  const double at = -p1.dot(d) / d2;
  return {at, (p1 + at * d).squaredNorm()};
}

}  // namespace sinew::planar

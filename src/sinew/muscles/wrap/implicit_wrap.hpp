#pragma once

#include <string>

#include "sinew/muscles/wrap/level_function.hpp"

namespace sinew {

/// A path around any surface F = 0, as the elastic band of elastic_band.hpp: a polyline of 40
/// pieces that stays off the surface by about `softness` × `size`. It may touch in several places,
/// lift off and come back, and is as smooth as ∇F. It is never exactly straight near the surface.
///
/// The knots move freely along the path, so the polyline has corners that material passes:
/// SpanShape::smooth is false.
struct ImplicitWrap {
  static constexpr int kMaxPieces = 40;
  std::shared_ptr<const LevelFunction> level;
  double size = 0.05;      ///< R [m], a typical radius of curvature of the surface
  double softness = 0.04;  ///< range of the barrier over R; below 0.02 contact begins knot by knot
  /// The band is laid over the surface in this direction at first; zero: along the chord.
  Vec3 side = Vec3::Zero();

  SpanSolution solve(const Vec3& o, const Vec3& i) const;
  template <class T>
  void shape(const SpanSolution& solution, const Point<T>& o, const Point<T>& i,
             SpanShape<T>& out) const;
};

/// Throws Error without a level function, or unless size > 0 and 0.005 ≤ softness ≤ 0.2.
void validate(const ImplicitWrap& wrap, const std::string& element);

}  // namespace sinew

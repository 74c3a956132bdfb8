#pragma once

#include <concepts>

#include "sinew/muscles/wrap/span.hpp"

/// A level set is a surface given by a level function F: F = 0 on the surface, F > 0 outside, and
/// F = δ the surface inflated by δ (in metres where |∇F| = 1). Written G = ∇F, H = ∇∇F.

namespace sinew {

/// F and its first two derivatives.
struct LevelValue {
  double value;
  Vec3 gradient;
  Mat3 hessian;
};

/// The deepest point of the chord x(s) = o + s (i − o): a minimum of F over it.
struct ChordMinimum {
  bool found = false;  ///< within 0 < s < 1
  double s = 0;
  /// F there; if the chord passes the surface's core on the side that the model does not choose,
  /// the depth is counted through the core, and `wrong_side` is set.
  double depth = 0;
  bool wrong_side = false;
};

/// The requirements of the geodesic solver (geodesic.hpp) on a surface, besides the templates
///     T value(Point<T> x)                      F
///     T clearance(Point<T> x)                  smooth outside, at most F near the surface
///     Point<T> gradient(Point<T> x)            G
///     Point<T> normal(Point<T> x)              any positive multiple of G, the cheapest
///     Bend<T> bend(Point<T> x, Point<T> t)     −(tᵀHt / |G|²) G: x″ of a geodesic with x′ = t,
/// where Bend<T> has its value() and its derivative along(dx, dt).
template <class S>
concept LevelSurface = requires(const S s, const Vec3& x) {
  { s.value(x) } -> std::convertible_to<double>;
  { s.clearance(x) } -> std::convertible_to<double>;
  { s.gradient(x) } -> std::convertible_to<Vec3>;
  { s.normal(x) } -> std::convertible_to<Vec3>;
  { s.bend(x, x).value() } -> std::convertible_to<Vec3>;
  { s.bend(x, x).along(x, x) } -> std::convertible_to<Vec3>;
  { s.jet(x) } -> std::same_as<LevelValue>;
  { s.chord(x, x) } -> std::same_as<ChordMinimum>;
  { s.gaussian_curvature(x) } -> std::same_as<double>;       // of the level set through x [1/m²]
  { s.beside(x, x, ChordMinimum{}) } -> std::same_as<Vec3>;  // a point that leads a path past it
  { s.on_side(x, x) } -> std::same_as<bool>;                 // a path may touch at x in direction t
  { s.clear(x, x) } -> std::same_as<bool>;  // the segment between two points is not inside
  { s.size() } -> std::same_as<double>;     // a typical radius of curvature [m]
};

}  // namespace sinew

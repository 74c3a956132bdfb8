#pragma once

#include <string>

#include "sinew/muscles/wrap/geodesic.hpp"

namespace sinew {

/// A path around a half-infinite cylinder, x² + y² = r² for z ≤ 0, with half a sphere on top, by
/// the geodesic of geodesic.hpp. The curvature, which would jump at the seam z = 0, changes over
/// |z| < r/2 instead: the surface is thinner there by at most 0.0019 r, and the same elsewhere.
///
/// It passes on the side on which the chord passes the axis, or, if `side` is given, on the side to
/// which `side` points.
struct CappedCylinderWrap {
  static constexpr int kMaxPieces = 4;
  double radius = 0.05;  ///< r [m]
  WrapKind model = WrapKind::smooth;
  double band = kDefaultBand;  ///< ε [rad]: half the range of turning over which contact begins
  Vec3 side = Vec3::Zero();    ///< a direction in the surface's frame; zero: the chord's side

  SpanSolution solve(const Vec3& o, const Vec3& i) const;
  template <class T>
  void shape(const SpanSolution& solution, const Point<T>& o, const Point<T>& i,
             SpanShape<T>& out) const;
};

/// Throws Error unless the radius is positive and the band in (0, kMaxBand].
void validate(const CappedCylinderWrap& wrap, const std::string& element);

/// The level function √(x² + y² + S(z)²) − r, where S(z) is max(z, 0) with five continuous
/// derivatives. P = S²/2 enters the curvature.
struct CappedCylinderLevel {
  double r, width;  ///< the half-width of S, r/2
  Vec3 side;

  explicit CappedCylinderLevel(const CappedCylinderWrap& wrap)
      : r(wrap.radius), width(0.5 * wrap.radius), side(wrap.side) {}

  double size() const { return r; }
  bool clear(const Vec3&, const Vec3&) const { return true; }  // convex
  bool on_side(const Vec3& x, const Vec3&) const { return side.dot(lean(x)) >= 0; }
  Vec3 beside(const Vec3& o, const Vec3& i, const ChordMinimum& chord) const;
  /// T₁ and ℓ of the exact path around the inflated surface: close even if the path runs nearly
  /// along the cylinder, where inflation makes slow progress.
  bool guess(const Vec3& o, const Vec3& i, double level, geodesic::Unknowns<double>& u) const;

  /// S of z. With y = (z + w)/2w it is 2w y⁶ (21 − 60 y + 67.5 y² − 35 y³ + 7 y⁴).
  template <class T>
  T ramp(const T& z) const {
    const double z0 = value_of(z);
    if (z0 <= -width) return T(0);
    if (z0 >= width) return z;
    if (z0 > 0) return z + ramp(T(-z));  // S(z) − z = S(−z): no digits lost
    const T y = 0.5 * (z * (1 / width) + 1.0), y2 = y * y;
    return 2 * width * (y2 * y2 * y2 * (21.0 + y * (y * (67.5 + y * (7.0 * y - 35.0)) - 60.0)));
  }
  /// S′ = y⁵ (126 − 420 y + 540 y² − 315 y³ + 70 y⁴).
  template <class T>
  T ramp_slope(const T& z) const {
    const double z0 = value_of(z);
    if (z0 <= -width) return T(0);
    if (z0 >= width) return T(1);
    if (z0 > 0) return 1.0 - ramp_slope(T(-z));
    const T y = 0.5 * (z * (1 / width) + 1.0), y2 = y * y;
    return y2 * y2 * y * (126.0 + y * (y * (540.0 + y * (70.0 * y - 315.0)) - 420.0));
  }
  /// P′ = S S′, P″ = S′² + S S″ and P‴ = 3 S′ S″ + S S‴.
  template <class T>
  struct Profile {
    T first, second, third;
  };
  template <class T>
  Profile<T> profile(const T& z) const {
    const double z0 = value_of(z);
    if (z0 <= -width) return {T(0), T(0), T(0)};
    if (z0 >= width) return {z, T(1), T(0)};
    const T s = ramp(z), s1 = ramp_slope(z);
    const T y = 0.5 * (z * (1 / width) + 1.0), v = 1.0 - y, yv = y * v, cube = yv * yv * yv;
    const T s2 = (315 / width) * (cube * yv), s3 = (630 / width / width) * (cube * (v - y));
    return {s * s1, s1 * s1 + s * s2, 3.0 * (s1 * s2) + s * s3};
  }

  template <class T>
  T value(const Point<T>& x) const {
    using std::sqrt;
    const T s = ramp(x[2]);
    return sqrt(x[0] * x[0] + x[1] * x[1] + s * s) - r;
  }
  template <class T>
  T clearance(const Point<T>& x) const {
    return value(x);
  }
  template <class T>
  Point<T> gradient(const Point<T>& x) const {
    using std::sqrt;
    const T s = ramp(x[2]);
    const T inverse = 1.0 / sqrt(x[0] * x[0] + x[1] * x[1] + s * s);
    return {inverse * x[0], inverse * x[1], inverse * (s * ramp_slope(x[2]))};
  }
  template <class T>
  Point<T> normal(const Point<T>& x) const {
    return (1 / r) * lean(x);
  }
  /// f g with g = (x, y, P′) and f = −(t_x² + t_y² + P″ t_z²) / |g|².
  template <class T>
  struct Bend {
    Profile<T> p;
    Point<T> g, t;
    T f, inverse;  ///< inverse = 1/|g|²

    Point<T> value() const { return f * g; }
    Point<T> along(const Point<T>& dx, const Point<T>& dt) const {
      const Point<T> dg(dx[0], dx[1], p.second * dx[2]);
      const T square = t[0] * dt[0] + t[1] * dt[1] + p.second * (t[2] * dt[2]) +
                       0.5 * (p.third * (t[2] * t[2] * dx[2]));
      const T grow = g[0] * dg[0] + g[1] * dg[1] + g[2] * dg[2];
      const T df = -2.0 * ((square + f * grow) * inverse);
      return df * g + f * dg;
    }
  };
  template <class T>
  Bend<T> bend(const Point<T>& x, const Point<T>& t) const {
    const Profile<T> p = profile(x[2]);
    const Point<T> g(x[0], x[1], p.first);
    const T inverse = 1.0 / (g[0] * g[0] + g[1] * g[1] + g[2] * g[2]);
    const T f = -((t[0] * t[0] + t[1] * t[1] + p.second * (t[2] * t[2])) * inverse);
    return {p, g, t, f, inverse};
  }
  /// (P″ (x² + y²) + P′²) / |g|⁴
  double gaussian_curvature(const Vec3& x) const;
  LevelValue jet(const Vec3& x) const;
  ChordMinimum chord(const Vec3& o, const Vec3& i) const;

 private:
  template <class T>
  Point<T> lean(const Point<T>& x) const {
    return {x[0], x[1], ramp(x[2]) * ramp_slope(x[2])};
  }
};

}  // namespace sinew

#pragma once

#include <string>

#include "sinew/muscles/wrap/geodesic.hpp"

namespace sinew {

/// A path around an ellipsoid x²/a² + y²/b² + z²/c² = 1, by the geodesic of geodesic.hpp.
///
/// It passes on the side on which the chord passes the centre, or, if `side` is given, on the side
/// to which `side` points. A path around a closed surface need not be shortest among its neighbours
/// on the chosen side; it is then refused (SpanStatus::no_path).
struct EllipsoidWrap {
  static constexpr int kMaxPieces = 3;
  Vec3 semi_axes = Vec3::Constant(0.05);  ///< a, b, c [m]
  WrapKind model = WrapKind::smooth;
  double band = kDefaultBand;  ///< ε [rad]: half the range of turning over which contact begins
  Vec3 side = Vec3::Zero();    ///< a direction in the surface's frame; zero: the chord's side

  SpanSolution solve(const Vec3& o, const Vec3& i) const;
  template <class T>
  void shape(const SpanSolution& solution, const Point<T>& o, const Point<T>& i,
             SpanShape<T>& out) const;
};

/// Throws Error unless the axes are positive, within a factor 20 of each other, and the band is in
/// (0, kMaxBand].
void validate(const EllipsoidWrap& wrap, const std::string& element);

/// The level function of the ellipsoid: R (√(xᵀAx) − 1), A = diag(1/a², 1/b², 1/c²), R = ∛(abc).
/// Its level sets are scaled copies.
struct EllipsoidLevel {
  Vec3 a;    ///< diagonal of A [1/m²]
  double r;  ///< R [m]
  Vec3 side;

  explicit EllipsoidLevel(const EllipsoidWrap& wrap);

  double size() const { return r; }
  bool clear(const Vec3&, const Vec3&) const { return true; }  // convex
  bool on_side(const Vec3& x, const Vec3&) const { return side.dot(a.cwiseProduct(x)) >= 0; }
  /// Above the chosen side; without one, above the chord's side and slightly off it, since a path
  /// directly over it was not shortest.
  Vec3 beside(const Vec3& o, const Vec3& i, const ChordMinimum& chord) const;
  template <class T>
  T value(const Point<T>& x) const {
    using std::sqrt;
    const Point<T> ax = scaled(x);
    return r * sqrt(x.dot(ax)) - r;
  }
  template <class T>
  T clearance(const Point<T>& x) const {
    return value(x);
  }
  template <class T>
  Point<T> gradient(const Point<T>& x) const {
    using std::sqrt;
    const Point<T> ax = scaled(x);
    const T factor = r / sqrt(x.dot(ax));
    return factor * ax;
  }
  template <class T>
  Point<T> normal(const Point<T>& x) const {
    return r * scaled(x);
  }
  /// f Ax, f = −tᵀAt / |Ax|²: equal to −(tᵀHt/|G|²) G on the level set, without a root.
  template <class T>
  struct Bend {
    const Vec3& a;
    Point<T> ax, by_x, by_t;  ///< ∂f/∂x, ∂f/∂t
    T f;

    Point<T> value() const { return f * ax; }
    Point<T> along(const Point<T>& dx, const Point<T>& dt) const {
      const T df = by_x[0] * dx[0] + by_x[1] * dx[1] + by_x[2] * dx[2] + by_t[0] * dt[0] +
                   by_t[1] * dt[1] + by_t[2] * dt[2];
      return {df * ax[0] + f * (a[0] * dx[0]), df * ax[1] + f * (a[1] * dx[1]),
              df * ax[2] + f * (a[2] * dx[2])};
    }
  };
  template <class T>
  Bend<T> bend(const Point<T>& x, const Point<T>& t) const {
    const Point<T> ax = scaled(x), at = scaled(t);
    const T inverse = 1.0 / (ax[0] * ax[0] + ax[1] * ax[1] + ax[2] * ax[2]);
    const T f = -((t[0] * at[0] + t[1] * at[1] + t[2] * at[2]) * inverse);
    const T of_x = -2.0 * (f * inverse), of_t = -2.0 * inverse;
    const Point<T> aax = scaled(ax);
    return {a, ax, of_x * aax, of_t * at, f};
  }
  /// det(A) (xᵀAx) / |Ax|⁴
  double gaussian_curvature(const Vec3& x) const {
    const Vec3 ax = scaled(x);
    const double m = ax.squaredNorm();
    return a.prod() * x.dot(ax) / (m * m);
  }
  LevelValue jet(const Vec3& x) const;
  ChordMinimum chord(const Vec3& o, const Vec3& i) const;

 private:
  template <class T>
  Point<T> scaled(const Point<T>& x) const {
    return Point<T>(a[0] * x[0], a[1] * x[1], a[2] * x[2]);
  }
};

}  // namespace sinew

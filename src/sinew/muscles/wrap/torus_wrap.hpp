#pragma once

#include <string>

#include "sinew/muscles/wrap/geodesic.hpp"

namespace sinew {

/// The sense in which a path turns about the tube of a torus with axis z.
enum class TorusSide {
  nearest,    ///< on the side on which the chord passes the middle of the tube
  down_hole,  ///< like a path that goes down (−z) through the hole, or up around the outside
  up_hole,    ///< like a path that goes up (+z) through the hole, or down around the outside
};

/// A path around the tube of a torus, (√(x² + y²) − R)² + z² = r², by the geodesic of geodesic.hpp.
/// One contact only: a path that would touch the tube twice, or lift off and come back, is refused
/// (SpanStatus::no_path); ImplicitWrap handles these.
struct TorusWrap {
  static constexpr int kMaxPieces = 3;
  double radius = 0.1;  ///< R of the circle in the middle of the tube [m]
  double tube = 0.02;   ///< r of the tube [m]
  WrapKind model = WrapKind::smooth;
  double band = kDefaultBand;  ///< ε [rad]: half the range of turning over which contact begins
  TorusSide side = TorusSide::nearest;

  SpanSolution solve(const Vec3& o, const Vec3& i) const;
  template <class T>
  void shape(const SpanSolution& solution, const Point<T>& o, const Point<T>& i,
             SpanShape<T>& out) const;
};

/// Throws Error unless 0 < r < R and the band is in (0, kMaxBand].
void validate(const TorusWrap& wrap, const std::string& element);

/// The level function of the torus: the distance |w| − r from the tube, w = x − R (x, y, 0)/ρ.
struct TorusLevel {
  double radius, tube;
  TorusSide side;

  explicit TorusLevel(const TorusWrap& wrap)
      : radius(wrap.radius), tube(wrap.tube), side(wrap.side) {}

  double size() const { return tube; }
  bool clear(const Vec3& from, const Vec3& to) const;
  bool on_side(const Vec3& x, const Vec3& t) const { return !wrong(x, t); }
  Vec3 beside(const Vec3& o, const Vec3& i, const ChordMinimum& chord) const;
  template <class T>
  T value(const Point<T>& x) const {
    using std::sqrt;
    const T off = sqrt(x[0] * x[0] + x[1] * x[1]) - radius;
    return sqrt(off * off + x[2] * x[2]) - tube;
  }
  /// (|w|² − r²) (|w′|² − r²) / 16 r R² with w′ from the far side of the middle circle: a
  /// polynomial, smooth on the axis too, and between F/2 and F near the tube.
  template <class T>
  T clearance(const Point<T>& x) const {
    const T flat = x[0] * x[0] + x[1] * x[1];
    const T sum = flat + x[2] * x[2] + (radius * radius - tube * tube);
    return (sum * sum - (4 * radius * radius) * flat) * (1 / (16 * tube * radius * radius));
  }
  template <class T>
  Point<T> gradient(const Point<T>& x) const {
    using std::sqrt;
    const Point<T> w = from_middle(x);
    const T inverse = 1.0 / sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]);
    return inverse * w;
  }
  template <class T>
  Point<T> normal(const Point<T>& x) const {
    return (1 / tube) * from_middle(x);
  }
  /// f w, f = −(t·t − R k²/ρ³) / |w|², k = x t_y − y t_x.
  template <class T>
  struct Bend {
    double radius;
    Point<T> x, t, w;
    T rho, f, k, inverse;  ///< inverse = 1/|w|²

    Point<T> value() const { return f * w; }
    Point<T> along(const Point<T>& dx, const Point<T>& dt) const {
      const T per_rho = 1.0 / rho, c = radius * per_rho;
      const T drho = (x[0] * dx[0] + x[1] * dx[1]) * per_rho, dc = -(c * drho * per_rho);
      const T dk = dx[0] * t[1] + x[0] * dt[1] - dx[1] * t[0] - x[1] * dt[0];
      const Point<T> dw(dx[0] - c * dx[0] - x[0] * dc, dx[1] - c * dx[1] - x[1] * dc, dx[2]);
      const T square = t[0] * dt[0] + t[1] * dt[1] + t[2] * dt[2];
      const T spin = c * per_rho * per_rho * k * (dk - 1.5 * (k * drho * per_rho));
      const T grow = w[0] * dw[0] + w[1] * dw[1] + w[2] * dw[2];
      const T df = -2.0 * ((square - spin + f * grow) * inverse);
      return df * w + f * dw;
    }
  };
  template <class T>
  Bend<T> bend(const Point<T>& x, const Point<T>& t) const {
    using std::sqrt;
    const T rho = sqrt(x[0] * x[0] + x[1] * x[1]), per_rho = 1.0 / rho;
    const T c = 1.0 - radius * per_rho;
    const Point<T> w(c * x[0], c * x[1], x[2]);
    const T inverse = 1.0 / (w[0] * w[0] + w[1] * w[1] + w[2] * w[2]);
    const T k = x[0] * t[1] - x[1] * t[0], turn = k * per_rho;
    const T square = t[0] * t[0] + t[1] * t[1] + t[2] * t[2];
    const T f = (radius * (turn * turn * per_rho) - square) * inverse;
    return {radius, x, t, w, rho, f, k, inverse};
  }
  /// (ρ − R) / (ρ |w|²)
  double gaussian_curvature(const Vec3& x) const;
  LevelValue jet(const Vec3& x) const;
  ChordMinimum chord(const Vec3& o, const Vec3& i) const;

 private:
  template <class T>
  Point<T> from_middle(const Point<T>& x) const {
    using std::sqrt;
    const T c = 1.0 - radius / sqrt(x[0] * x[0] + x[1] * x[1]);
    return {c * x[0], c * x[1], x[2]};
  }
  /// Whether a path through x along t passes the middle of the tube on the side not chosen.
  bool wrong(const Vec3& x, const Vec3& t) const {
    // Across both the path and the middle circle; their right-handed turn is down_hole's.
    const double turn = from_middle(x).dot(Vec3(-x[1], x[0], 0).cross(t));
    return (side == TorusSide::down_hole && turn < 0) || (side == TorusSide::up_hole && turn > 0);
  }
  /// Calls visit(s) at every minimum of |w| on the part of a segment near the torus.
  template <class Visit>
  void minima(const Vec3& from, const Vec3& to, const Visit& visit) const;
};

}  // namespace sinew

#pragma once

#include "sinew/muscles/wrap/double_cylinder_wrap.hpp"

/// Paths around one or two circles of a plane, described in double_cylinder_wrap.hpp: tangents,
/// angles, radii at given w, and the equations for w.

namespace sinew::two_circles {

using Circle = DoubleCylinderWrap::Circle;

inline double sign_of(const Circle& circle) { return static_cast<double>(circle.side); }

/// A vector of the plane.
template <class T>
struct Flat {
  T x, y;
};
template <class T>
T squared(const Flat<T>& a) {
  return a.x * a.x + a.y * a.y;
}
template <class T>
Flat<T> from_center(const Circle& circle, const Point<T>& p) {
  return {p[0] - circle.x, p[1] - circle.y};
}
template <class T>
PlanarPair<T> pair_about(const Circle& circle, const Point<T>& o, const Point<T>& i) {
  const Flat<T> a = from_center(circle, o), b = from_center(circle, i);
  const Flat<T> chord{i[0] - o[0], i[1] - o[1]};
  return {squared(a), squared(b), a.x * b.x + a.y * b.y, sign_of(circle) * (a.x * b.y - a.y * b.x),
          squared(chord)};
}

/// A straight piece along the vector d, at the distance `offset` to the right of its start or to
/// the left of its end: its unit direction is d turned by −asin(offset/|d|).
template <class T>
struct Tangent {
  Flat<T> t;
  T length;
};
template <class T>
Tangent<T> tangent_along(const Flat<T>& d, const T& offset) {
  using std::sqrt;
  const T d2 = squared(d);
  const T length = sqrt(d2 - offset * offset);
  const T c = length / d2, s = offset / d2;
  return {{c * d.x + s * d.y, c * d.y - s * d.x}, length};
}

/// The angle by which a path turns about a circle, in (−π/2, 3π/2).
template <class T>
T turned(double sign, const Flat<T>& from, const Flat<T>& to) {
  using std::atan2;
  const T angle = atan2(sign * (from.x * to.y - from.y * to.x), T(from.x * to.x + from.y * to.y));
  return angle < -0.5 * std::numbers::pi ? angle + 2 * std::numbers::pi : angle;
}

/// The circles a path touches, in order.
struct Touched {
  int count = 0;
  std::array<int, 2> which{};
};

/// A path around the touched circles with given radii: tangents between them, angles about them.
template <class T>
struct Track {
  std::array<Tangent<T>, 3> tangent;
  std::array<T, 2> angle;
};

template <class T>
Track<T> track(const DoubleCylinderWrap& wrap, const Touched& touched,
               const std::array<T, 2>& radius, const Point<T>& o, const Point<T>& i) {
  Track<T> path;
  const auto circle = [&](int k) -> const Circle& {
    return wrap.circle[static_cast<size_t>(touched.which[static_cast<size_t>(k)])];
  };
  const auto n = static_cast<size_t>(touched.count);
  const Circle &first = circle(0), &last = circle(touched.count - 1);
  const Flat<T> a = from_center(first, o);
  path.tangent[0] = tangent_along<T>({-a.x, -a.y}, sign_of(first) * radius[0]);
  if (n == 2)
    path.tangent[1] = tangent_along<T>({T(last.x - first.x), T(last.y - first.y)},
                                       T(sign_of(last) * radius[1] - sign_of(first) * radius[0]));
  path.tangent[n] = tangent_along<T>(from_center(last, i), -sign_of(last) * radius[n - 1]);
  for (size_t k = 0; k < n; ++k)
    path.angle[k] =
        turned(sign_of(circle(static_cast<int>(k))), path.tangent[k].t, path.tangent[k + 1].t);
  return path;
}

/// Radii near the anchors limited, and the distances e over which gaps open.
template <class T>
struct Bands {
  std::array<T, 2> radius, e;
};

template <class T>
Bands<T> bands(const DoubleCylinderWrap& wrap, const Point<T>& o, const Point<T>& i) {
  using std::sqrt;
  Bands<T> out;
  if (wrap.model == WrapKind::exact) {
    for (size_t k = 0; k < 2; ++k) {
      out.radius[k] = T(wrap.circle[k].radius);
      out.e[k] = T(0);
    }
    return out;
  }
  const std::array<PlanarPair<T>, 2> pair{pair_about(wrap.circle[0], o, i),
                                          pair_about(wrap.circle[1], o, i)};
  for (size_t k = 0; k < 2; ++k) out.radius[k] = limited_radius(wrap.circle[k].radius, pair[k]);
  const double dx = wrap.circle[1].x - wrap.circle[0].x, dy = wrap.circle[1].y - wrap.circle[0].y;
  const T offset =
      sign_of(wrap.circle[1]) * out.radius[1] - sign_of(wrap.circle[0]) * out.radius[0];
  const T between2 = (dx * dx + dy * dy) - offset * offset;
  // Towards the other circle the tangent ends there or, if that is free, at the far anchor: the
  // root of the sum of squares of both inverse lengths stands for both cases.
  for (size_t k = 0; k < 2; ++k) {
    const T r2 = out.radius[k] * out.radius[k];
    const T near2 = (k == 0 ? pair[k].rho2_o : pair[k].rho2_i) - r2;
    const T far2 = (k == 0 ? pair[k].rho2_i : pair[k].rho2_o) - r2;
    out.e[k] = wrap.band / (1.0 / sqrt(near2) + sqrt(T(1.0 / between2 + 1.0 / far2)));
  }
  return out;
}

template <class T>
T gap(const T& w) {
  return smooth_ramp(T(-w), T(1));
}

/// R of the touched circles at w.
template <class T>
std::array<T, 2> radii(const Touched& touched, const Bands<T>& band, const std::array<T, 2>& w,
                       bool exact) {
  std::array<T, 2> out{T(0), T(0)};
  for (size_t k = 0; k < static_cast<size_t>(touched.count); ++k) {
    const auto c = static_cast<size_t>(touched.which[k]);
    out[k] = exact || w[k] >= 1.0 ? band.radius[c] : band.radius[c] + band.e[c] * gap(w[k]);
  }
  return out;
}

/// φ(R(w)) − ε S(w).
template <class T>
std::array<T, 2> residual(const DoubleCylinderWrap& wrap, const Touched& touched,
                          const Track<T>& path, const std::array<T, 2>& w) {
  std::array<T, 2> g{T(0), T(0)};
  for (size_t k = 0; k < static_cast<size_t>(touched.count); ++k)
    g[k] = path.angle[k] - wrap.band * smooth_ramp(w[k], T(1));
  return g;
}

}  // namespace sinew::two_circles

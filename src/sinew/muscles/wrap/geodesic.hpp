#pragma once

#include <string>

#include "sinew/math/smooth_ramp.hpp"
#include "sinew/muscles/wrap/level_set.hpp"
#include "sinew/muscles/wrap/planar_arc.hpp"

/// The path o – T₁ ⌢ T₂ – i around one smooth surface: a straight tangent, a geodesic of the level
/// set F = δ, a straight tangent (docs/theory/wrapping_general.md). Unknowns u = (T₁, ℓ), ℓ the
/// length of the geodesic, from
///     F(T₁) = δ,   N₁·(T₁ − o) = 0,   N₂·(i − T₂) = 0,   (N₂ × t₂)·(i − T₂) = 0,
/// where T₂ and t₂ end the geodesic that starts at T₁ along the projection of T₁ − o.
///
/// The exact path has δ = 0. The smooth one inflates the surface while the chord from o to i is
/// near it: with d the least F on the chord and S_e the smooth ramp,
///     δ = d + S_e(−d),   e ≈ ε s(1−s)|i − o| |G|,
/// so that it is the chord itself for d ≥ e and the exact path for d ≤ −e.

namespace sinew {

namespace geodesic {

inline constexpr int kSteps = 8;        ///< integration steps of the geodesic, fixed: smooth in u
inline constexpr int kCoarseSteps = 2;  ///< steps far from the solution
inline constexpr double kShort = 3e-4;  ///< arcs shorter than this × size are drawn as circles
/// Anchors must be this × size outside; their tangents are then at least 1e-4 × size long.
inline constexpr double kClearance = 1e-8;

template <class T>
struct Ray {
  Point<T> x, t;
};

/// The plain value of a point that carries derivatives, and its derivative in direction k.
template <class T>
auto base(const Point<T>& x) {
  return Point<decltype(x[0].v)>(x[0].v, x[1].v, x[2].v);
}
template <class T>
auto slope(const Point<T>& x, size_t k) {
  return Point<decltype(x[0].v)>(x[0].d[k], x[1].d[k], x[2].d[k]);
}

/// The acceleration of a geodesic. First derivatives go through the surface's own linearisation,
/// which costs a third of carrying them through every operation.
template <class Surface, class T>
Point<T> acceleration(const Surface& surface, const Point<T>& x, const Point<T>& t) {
  return surface.bend(x, t).value();
}
template <class Surface, class B, int N>
Point<Dual<B, N>> acceleration(const Surface& surface, const Point<Dual<B, N>>& x,
                               const Point<Dual<B, N>>& t) {
  const auto bend = surface.bend(base(x), base(t));
  Point<Dual<B, N>> out;
  const Point<B> value = bend.value();
  for (int j = 0; j < 3; ++j) out[j].v = value[j];
  for (size_t k = 0; k < N; ++k) {
    const Point<B> change = bend.along(slope(x, k), slope(t, k));
    for (int j = 0; j < 3; ++j) out[j].d[k] = change[j];
  }
  return out;
}

/// Butcher's Runge–Kutta method of order 6: the stages' weights, and in the last row the step's.
inline constexpr double kStage[7][7] = {
    {1.0 / 3},
    {0, 2.0 / 3},
    {1.0 / 12, 1.0 / 3, -1.0 / 12},
    {-1.0 / 16, 9.0 / 8, -3.0 / 16, -3.0 / 8},
    {0, 9.0 / 8, -3.0 / 8, -3.0 / 4, 1.0 / 2},
    {9.0 / 44, -9.0 / 11, 63.0 / 44, 18.0 / 11, 0, -16.0 / 11},
    {11.0 / 120, 0, 27.0 / 40, 27.0 / 40, -4.0 / 15, -4.0 / 15, 11.0 / 120}};

/// Σ w_j k_j with the weights of a stage. All numbers here are plain arrays of doubles, and plain
/// weights act on every entry alike: one loop that the compiler turns into wide operations.
template <size_t Stage, class T>
Point<T> weighted(const std::array<Point<T>, 7>& k) {
  constexpr size_t kDoubles = sizeof(Point<T>) / sizeof(double);
  Point<T> out;
  double* sum = reinterpret_cast<double*>(&out);
  const double* term = reinterpret_cast<const double*>(&k);
  for (size_t e = 0; e < kDoubles; ++e) {
    double s = kStage[Stage][0] * term[e];
    if constexpr (Stage >= 1) s += kStage[Stage][1] * term[kDoubles + e];
    if constexpr (Stage >= 2) s += kStage[Stage][2] * term[2 * kDoubles + e];
    if constexpr (Stage >= 3) s += kStage[Stage][3] * term[3 * kDoubles + e];
    if constexpr (Stage >= 4) s += kStage[Stage][4] * term[4 * kDoubles + e];
    if constexpr (Stage >= 5) s += kStage[Stage][5] * term[5 * kDoubles + e];
    if constexpr (Stage >= 6) s += kStage[Stage][6] * term[6 * kDoubles + e];
    sum[e] = s;
  }
  return out;
}

/// One step for x″ = a(x, x′); `a0` is a at the start.
template <class Surface, class T>
Ray<T> advance(const Surface& surface, const Ray<T>& y, const Point<T>& a0, const T& h) {
  std::array<Point<T>, 7> v, a;  // x′ and t′ of the stages
  v[0] = y.t;
  a[0] = a0;
  const auto stage = [&]<size_t kIndex>() {
    const Point<T> x = y.x + h * weighted<kIndex>(v);
    v[kIndex + 1] = y.t + h * weighted<kIndex>(a);
    a[kIndex + 1] = acceleration(surface, x, v[kIndex + 1]);
  };
  stage.template operator()<0>();
  stage.template operator()<1>();
  stage.template operator()<2>();
  stage.template operator()<3>();
  stage.template operator()<4>();
  stage.template operator()<5>();
  return {y.x + h * weighted<6>(v), y.t + h * weighted<6>(a)};
}

/// The start of the geodesic: at T₁, along T₁ − o projected on the tangent plane.
template <class Surface, class T>
Ray<T> departure(const Surface& surface, const Point<T>& o, const Point<T>& t1) {
  using std::sqrt;
  const Point<T> n = surface.normal(t1), along = t1 - o;
  const T part = along.dot(n) / n.dot(n);
  const Point<T> flat = along - part * n;
  const T scale = 1.0 / sqrt(flat.dot(flat));
  return {t1, scale * flat};
}

/// The end of the geodesic, after `steps` steps.
template <class Surface, class T>
Ray<T> arrive(const Surface& surface, Ray<T> y, const T& length, int steps) {
  const T h = length * (1.0 / steps);
  for (int k = 0; k < steps; ++k) y = advance(surface, y, acceleration(surface, y.x, y.t), h);
  return y;
}

template <class T>
using Unknowns = Eigen::Matrix<T, 4, 1>;

/// The four equations, given the geodesic's end.
template <class Surface, class T>
Unknowns<T> balance(const Surface& surface, const Point<T>& o, const Point<T>& i, const T& delta,
                    const Point<T>& t1, const Ray<T>& end) {
  const Point<T> n1 = surface.normal(t1), n2 = surface.normal(end.x), rest = i - end.x;
  Unknowns<T> r;
  r[0] = surface.value(t1) - delta;
  r[1] = n1.dot(t1 - o);
  r[2] = n2.dot(rest);
  r[3] = n2.cross(end.t).dot(rest);
  return r;
}

template <class Surface, class T>
Unknowns<T> residual(const Surface& surface, const Point<T>& o, const Point<T>& i, const T& delta,
                     const Unknowns<T>& u) {
  const Point<T> t1 = u.template head<3>();
  const Ray<T> end = arrive(surface, departure(surface, o, t1), u[3], kSteps);
  return balance(surface, o, i, delta, t1, end);
}

/// The chord's minimum as a function of the anchors: G·D = 0 solved for s by Newton's method from
/// its plain value.
template <class Surface, class T>
T refine_chord(const Surface& surface, double s0, const Point<T>& o, const Point<T>& i) {
  const Point<T> chord = i - o;
  const Vec3 d(value_of(chord[0]), value_of(chord[1]), value_of(chord[2]));
  const Vec3 p = Vec3(value_of(o[0]), value_of(o[1]), value_of(o[2])) + s0 * d;
  const double slope = d.dot(surface.jet(p).hessian * d);
  T s(s0);
  for (int k = 0; k < derivative_order<T>; ++k) {
    const Point<T> at = o + s * chord;
    s -= surface.gradient(at).dot(chord) * (1 / slope);
  }
  return s;
}

/// The level of the smooth path, given the chord's deepest point; `half_width` is e.
///
/// e would be ε s(1−s)|i − o||G|; the sum with the anchors' own clearances keeps it below both of
/// them, so that an anchor close to the surface is never inside the inflated one.
template <class T>
struct SmoothLevel {
  T depth, half_width, level;
};
template <class Surface, class T>
SmoothLevel<T> smooth_level(const Surface& surface, double band, const T& s, const Point<T>& o,
                            const Point<T>& i) {
  using std::sqrt;
  const Point<T> chord = i - o;
  const Point<T> p = o + s * chord;
  const Point<T> g = surface.gradient(p);
  const T lever = s * (1.0 - s) * band;
  const T f_o = surface.clearance(o), f_i = surface.clearance(i);
  const T e2 = lever * lever * chord.dot(chord) * g.dot(g);
  SmoothLevel<T> out;
  out.depth = surface.value(p);
  out.half_width = 1.0 / sqrt(1.0 / e2 + 1.0 / (f_o * f_o) + 1.0 / (f_i * f_i));
  const T under = -out.depth;
  out.level = out.depth + smooth_ramp(under, out.half_width);
  return out;
}

/// The values that `solve` leaves for `shape` in SpanSolution::unknowns.
struct Found {
  Unknowns<double> u;
  double s;        ///< parameter of the chord's minimum
  double in_band;  ///< 1: the level depends on the anchors; 0: it is 0
  Mat4 inverse;    ///< inverse of ∂residual/∂u
};

/// Throws Error unless the band is in (0, kMaxBand].
void validate_band(double band, const std::string& element);

SpanSolution pack(const Found& found);
Found unpack(const SpanSolution& solution);

template <class Surface>
SpanSolution solve(const Surface& surface, WrapKind model, double band, const Vec3& o,
                   const Vec3& i);

template <class Surface, class T>
void shape(const Surface& surface, double band, const SpanSolution& solution, const Point<T>& o,
           const Point<T>& i, SpanShape<T>& out);

}  // namespace geodesic
}  // namespace sinew

#pragma once

#include "sinew/muscles/geodesic.hpp"

/// The path of geodesic.hpp with derivatives.

namespace sinew::geodesic {

/// The arc's samples, at the ends of its integration steps; returns the total turning.
template <class Surface, class T>
T sample(const Surface& surface, Ray<T> y, const T& length, SampledArc<T>& arc) {
  using std::sqrt;
  static_assert(kSteps < SampledArc<T>::kMaxSamples && kSteps % 2 == 0);
  arc.samples = kSteps + 1;
  arc.length = length;
  const T h = length * (1.0 / kSteps);
  T turning(0);
  for (size_t k = 0; k <= kSteps; ++k) {
    const Point<T> a = acceleration(surface, y.x, y.t);
    arc.sample[k] = {y.x, y.t, a};
    // Simpson's weights 1 4 2 4 … 4 1 over the curvature |x″|.
    const double weight = k == 0 || k == kSteps ? 1 : (k % 2 == 1 ? 4 : 2);
    turning += (weight / 3) * sqrt(a.dot(a));
    if (k < kSteps) y = advance(surface, y, a, h);
  }
  return h * turning;
}

/// The arc from T₁ to T₂ and the straight pieces before and after it, put together.
///
/// An arc shorter than kShort is drawn as its circle of curvature at T₁. Unlike samples divided by
/// the arc's length, that has exact derivatives however short it is; at the far end it is off by
/// ℓ³/6 size² < 1e-11 size.
template <class T>
void assemble(const Point<T>& o, const Point<T>& i, const T& turning, bool is_short,
              SpanShape<T>& out) {
  using std::sqrt;
  const SampledArc<T>& samples = out.sampled[0];
  const auto& first = samples.sample[0];
  const Point<T> end = samples.sample[kSteps].x;
  out.start(o);
  out.add_straight(first.x);
  if (is_short) {
    HelixArc<T>& arc = out.helix[0];
    arc.turn = sqrt(first.n.dot(first.n));
    arc.radius = 1.0 / arc.turn;
    arc.e1 = -arc.radius * first.n;
    arc.e2 = first.t;
    arc.e3 = arc.e1.cross(arc.e2);
    arc.center = first.x - arc.radius * arc.e1;
    arc.pitch = T(0);
  }
  out.add_arc(end, is_short ? PieceKind::helix : PieceKind::sampled, 0, samples.length);
  out.add_straight(i);
  out.wrapped_angle = turning;
}

template <class Surface, class T>
T level_at(const Surface& surface, double band, const Found& found, const Point<T>& o,
           const Point<T>& i) {
  if (found.in_band == 0) return T(0);
  return smooth_level(surface, band, refine_chord(surface, found.s, o, i), o, i).level;
}

/// The solution as a function of the anchors: as many Newton steps as there are orders of
/// derivatives, with the inverse at the solution.
template <class Surface, class T>
Unknowns<T> refine(const Surface& surface, const Found& found, const T& level, const Point<T>& o,
                   const Point<T>& i) {
  Unknowns<T> u = found.u.template cast<T>();
  for (int k = 0; k < derivative_order<T>; ++k) {
    const Unknowns<T> r = residual(surface, o, i, level, u);
    for (int row = 0; row < 4; ++row)
      u[row] -= found.inverse(row, 0) * r[0] + found.inverse(row, 1) * r[1] +
                found.inverse(row, 2) * r[2] + found.inverse(row, 3) * r[3];
  }
  return u;
}

/// Any number: refine the unknowns, then draw. For Dual numbers there is a cheaper way, below.
template <class Surface, class T>
struct Draw {
  static void path(const Surface& surface, double band, const Found& found, const Point<T>& o,
                   const Point<T>& i, SpanShape<T>& out) {
    const T level = level_at(surface, band, found, o, i);
    const Unknowns<T> u = refine(surface, found, level, o, i);
    const Ray<T> start = departure(surface, o, Point<T>(u.template head<3>()));
    const T turning = sample(surface, start, u[3], out.sampled[0]);
    assemble(o, i, turning, found.u[3] < kShort * surface.size(), out);
  }
};

/// The inverse of a matrix of numbers with derivatives, from that of its plain values:
/// X ← X (2 − A X) gains an order each time (at least).
template <class T>
Eigen::Matrix<T, 4, 4> refine_inverse(const Eigen::Matrix<T, 4, 4>& a, const Mat4& plain) {
  Eigen::Matrix<T, 4, 4> x = plain.cast<T>();
  for (int k = 0; k < derivative_order<T>; ++k) {
    Eigen::Matrix<T, 4, 4> rest = -(a * x);
    for (int j = 0; j < 4; ++j) rest(j, j) += 2.0;
    x = x * rest;
  }
  return x;
}

/// First derivatives in N directions cost one geodesic with five: by T₁, by its direction's angle ψ
/// in the tangent plane (all that o changes directly), and by ℓ. The chain rule does the rest.
template <class Surface, class B, int N>
struct Draw<Surface, Dual<B, N>> {
  using T = Dual<B, N>;
  using Seed = Dual<B, 5>;
  using Weights = std::array<std::array<B, 5>, N>;  ///< of the five, in each direction

  static Point<B> base(const Point<T>& x) { return {x[0].v, x[1].v, x[2].v}; }
  static Point<B> slope(const Point<T>& x, size_t k) { return {x[0].d[k], x[1].d[k], x[2].d[k]}; }
  static Point<B> base(const Point<Seed>& x) { return {x[0].v, x[1].v, x[2].v}; }
  static Point<Seed> constant(const Point<B>& x) {
    Point<Seed> y;
    for (int j = 0; j < 3; ++j) {
      y[j] = Seed(0);
      y[j].v = x[j];
    }
    return y;
  }
  static T chain(const Seed& x, const Weights& w) {
    T y;
    y.v = x.v;
    for (size_t k = 0; k < N; ++k) {
      y.d[k] = x.d[0] * w[k][0];
      for (size_t j = 1; j < 5; ++j) y.d[k] = y.d[k] + x.d[j] * w[k][j];
    }
    return y;
  }
  static Point<T> chain(const Point<Seed>& x, const Weights& w) {
    return {chain(x[0], w), chain(x[1], w), chain(x[2], w)};
  }

  static void path(const Surface& surface, double band, const Found& found, const Point<T>& o,
                   const Point<T>& i, SpanShape<T>& out) {
    using std::sqrt;
    const Point<B> o0 = base(o), i0 = base(i);
    const T level = level_at(surface, band, found, o, i);
    const Unknowns<B> u = refine(surface, found, level.v, o0, i0);

    Point<Seed> t1;
    for (int j = 0; j < 3; ++j) t1[j] = Seed::Variable(u[j], j);
    Ray<Seed> start = departure(surface, constant(o0), t1);
    const Point<B> n = surface.normal(base(t1)), tangent = base(start.t);
    const B unit = 1.0 / sqrt(n.dot(n));
    const Point<B> sideways = unit * n.cross(tangent);
    for (int j = 0; j < 3; ++j) start.t[j].d[3] = sideways[j];
    SampledArc<Seed> arc;
    const Seed turning = sample(surface, start, Seed::Variable(u[3], 4), arc);

    const auto& last = arc.sample[kSteps];
    Seed level0(0);
    level0.v = level.v;
    const Unknowns<Seed> r =
        balance(surface, constant(o0), constant(i0), level0, t1, Ray<Seed>{last.x, last.t});
    Eigen::Matrix<B, 4, 4> jacobian;
    for (int row = 0; row < 4; ++row)
      for (int k = 0; k < 4; ++k) jacobian(row, k) = r[row].d[static_cast<size_t>(k < 3 ? k : 4)];
    const Eigen::Matrix<B, 4, 4> inverse = refine_inverse(jacobian, found.inverse);
    const Point<B> n2 = surface.normal(base(last.x)), b2 = n2.cross(base(last.t));
    const B per_length = 1.0 / tangent.dot(base(t1) - o0);

    Weights w;
    for (size_t k = 0; k < N; ++k) {
      const Point<B> od = slope(o, k), id = slope(i, k);
      const B psi = -(per_length * sideways.dot(od));
      Unknowns<B> rd;
      rd[0] = r[0].d[3] * psi - level.d[k];
      rd[1] = r[1].d[3] * psi - n.dot(od);
      rd[2] = r[2].d[3] * psi + n2.dot(id);
      rd[3] = r[3].d[3] * psi + b2.dot(id);
      const Unknowns<B> ud = -(inverse * rd);
      w[k] = {ud[0], ud[1], ud[2], psi, ud[3]};
    }
    SampledArc<T>& samples = out.sampled[0];
    samples.samples = arc.samples;
    samples.length = chain(arc.length, w);
    for (size_t k = 0; k <= kSteps; ++k)
      samples.sample[k] = {chain(arc.sample[k].x, w), chain(arc.sample[k].t, w),
                           chain(arc.sample[k].n, w)};
    assemble(o, i, chain(turning, w), found.u[3] < kShort * surface.size(), out);
  }
};

template <class Surface, class T>
void shape(const Surface& surface, double band, const SpanSolution& solution, const Point<T>& o,
           const Point<T>& i, SpanShape<T>& out) {
  if (solution.status != SpanStatus::wrapped) return straight_shape(o, i, out);
  Draw<Surface, T>::path(surface, band, unpack(solution), o, i, out);
}

}  // namespace sinew::geodesic

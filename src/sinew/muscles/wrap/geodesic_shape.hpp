#pragma once

#include "sinew/muscles/wrap/geodesic.hpp"

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
/// the arc's length, this has exact derivatives however short it is; at the far end it is off by
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

/// The solution as a function of the anchors: one Newton step per order of derivatives, with the
/// inverse at the solution.
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

/// For any number type: refine the unknowns, then draw. Some types have cheaper ways, below.
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

/// The geodesic with its derivatives by five: T₁, the angle ψ by which its direction turns in the
/// tangent plane (the only direct effect of o), and ℓ. Any number of first derivatives costs this
/// one geodesic; the chain rule does the rest.
template <class Surface, class B>
struct Fan {
  using Seed = Dual<B, 5>;
  using Weights = std::array<B, 5>;  ///< weights of the five, in one direction

  SampledArc<Seed> arc;
  Seed turning;

  Fan(const Surface& surface, const Unknowns<B>& u, const B& level, const Mat4& plain_inverse,
      const Point<B>& o, const Point<B>& i) {
    using std::sqrt;
    Point<Seed> t1;
    for (int j = 0; j < 3; ++j) t1[j] = Seed::Variable(u[j], j);
    Ray<Seed> start = departure(surface, constant(o), t1);
    const Point<B> tangent = base(start.t);
    n1_ = surface.normal(base(t1));
    const B unit = 1.0 / sqrt(n1_.dot(n1_));
    sideways_ = unit * n1_.cross(tangent);
    for (int j = 0; j < 3; ++j) start.t[j].d[3] = sideways_[j];
    turning = sample(surface, start, Seed::Variable(u[3], 4), arc);

    const auto& last = arc.sample[kSteps];
    Seed level0(0);
    level0.v = level;
    const Unknowns<Seed> r =
        balance(surface, constant(o), constant(i), level0, t1, Ray<Seed>{last.x, last.t});
    Eigen::Matrix<B, 4, 4> jacobian;
    for (int row = 0; row < 4; ++row) {
      for (int k = 0; k < 4; ++k) jacobian(row, k) = r[row].d[static_cast<size_t>(k < 3 ? k : 4)];
      by_psi_[row] = r[row].d[3];
    }
    inverse_ = refine_inverse(jacobian, plain_inverse);
    n2_ = surface.normal(base(last.x));
    b2_ = n2_.cross(base(last.t));
    per_length_ = 1.0 / tangent.dot(base(t1) - o);
  }

  /// Changes of the five with the anchors and the level.
  Weights along(const Point<B>& od, const Point<B>& id, const B& level) const {
    const B psi = -(per_length_ * sideways_.dot(od));
    Unknowns<B> r = by_psi_ * psi;
    r[0] = r[0] - level;
    r[1] = r[1] - n1_.dot(od);
    r[2] = r[2] + n2_.dot(id);
    r[3] = r[3] + b2_.dot(id);
    Weights w = against(r);
    w[3] = psi;
    return w;
  }
  /// The correction that removes a residual.
  Weights against(const Unknowns<B>& r) const {
    const Unknowns<B> u = -(inverse_ * r);
    return {u[0], u[1], u[2], B(0), u[3]};
  }
  /// The derivative of the geodesic's residual in the direction of these weights.
  static B chain(const Seed& x, const Weights& w) {
    B sum = x.d[0] * w[0];
    for (size_t j = 1; j < 5; ++j) sum = sum + x.d[j] * w[j];
    return sum;
  }

 private:
  static Point<Seed> constant(const Point<B>& x) {
    Point<Seed> y;
    for (int j = 0; j < 3; ++j) {
      y[j] = Seed(0);
      y[j].v = x[j];
    }
    return y;
  }

  Point<B> n1_, n2_, b2_, sideways_;
  B per_length_;
  Unknowns<B> by_psi_;  ///< derivative of the residual
  Eigen::Matrix<B, 4, 4> inverse_;
};

/// First derivatives in N directions.
template <class Surface, class B, int N>
struct Draw<Surface, Dual<B, N>> {
  using T = Dual<B, N>;

  static void path(const Surface& surface, double band, const Found& found, const Point<T>& o,
                   const Point<T>& i, SpanShape<T>& out) {
    const Point<B> o0 = base(o), i0 = base(i);
    const T level = level_at(surface, band, found, o, i);
    const Unknowns<B> u = refine(surface, found, level.v, o0, i0);
    const Fan<Surface, B> fan(surface, u, level.v, found.inverse, o0, i0);
    std::array<typename Fan<Surface, B>::Weights, N> w;
    for (size_t k = 0; k < N; ++k) w[k] = fan.along(slope(o, k), slope(i, k), level.d[k]);

    const auto chain = [&w](const Dual<B, 5>& x) {
      T y;
      y.v = x.v;
      for (size_t k = 0; k < N; ++k) y.d[k] = Fan<Surface, B>::chain(x, w[k]);
      return y;
    };
    const auto chain3 = [&](const Point<Dual<B, 5>>& x) {
      return Point<T>(chain(x[0]), chain(x[1]), chain(x[2]));
    };
    SampledArc<T>& samples = out.sampled[0];
    samples.samples = fan.arc.samples;
    samples.length = chain(fan.arc.length);
    for (size_t k = 0; k <= kSteps; ++k) {
      const auto& from = fan.arc.sample[k];
      samples.sample[k] = {chain3(from.x), chain3(from.t), chain3(from.n)};
    }
    assemble(o, i, chain(fan.turning), found.u[3] < kShort * surface.size(), out);
  }
};

/// The second derivative along a motion, too: a second geodesic, whose unknowns move without
/// acceleration, leaves a residual of second order; its correction acts through the first.
template <class Surface, int K>
struct Draw<Surface, MotionDual<K>> {
  using T = MotionDual<K>;
  using Along = Taylor2<double>;
  using Spread = Fan<Surface, double>;

  static Along along(const T& x) { return {x.v, x.rate(), x.d2}; }
  static Point<Along> along(const Point<T>& x) { return {along(x[0]), along(x[1]), along(x[2])}; }

  static void path(const Surface& surface, double band, const Found& found, const Point<T>& o,
                   const Point<T>& i, SpanShape<T>& out) {
    const T level = level_at(surface, band, found, o, i);
    const Spread fan(surface, found.u, level.v, found.inverse, base(o), base(i));
    std::array<typename Spread::Weights, K + 1> w;
    for (size_t k = 0; k <= K; ++k) w[k] = fan.along(slope(o, k), slope(i, k), level.d[k]);

    Point<Along> t1;
    for (int j = 0; j < 3; ++j) t1[j] = {found.u[j], w[K][static_cast<size_t>(j)], 0};
    SampledArc<Along> moving;
    const Along turning =
        sample(surface, departure(surface, along(o), t1), Along(found.u[3], w[K][4], 0), moving);
    const auto& last = moving.sample[kSteps];
    const Unknowns<Along> r =
        balance(surface, along(o), along(i), along(level), t1, Ray<Along>{last.x, last.t});
    const auto back = fan.against({r[0].d2, r[1].d2, r[2].d2, r[3].d2});

    const auto join = [&](const typename Spread::Seed& x, const Along& on) {
      T y;
      y.v = x.v;
      for (size_t k = 0; k < K; ++k) y.d[k] = Spread::chain(x, w[k]);
      y.d[K] = on.d1;
      y.d2 = on.d2 + Spread::chain(x, back);
      return y;
    };
    const auto join3 = [&](const Point<typename Spread::Seed>& x, const Point<Along>& on) {
      return Point<T>(join(x[0], on[0]), join(x[1], on[1]), join(x[2], on[2]));
    };
    SampledArc<T>& samples = out.sampled[0];
    samples.samples = moving.samples;
    samples.length = join(fan.arc.length, moving.length);
    for (size_t k = 0; k <= kSteps; ++k) {
      const auto& a = fan.arc.sample[k];
      const auto& b = moving.sample[k];
      samples.sample[k] = {join3(a.x, b.x), join3(a.t, b.t), join3(a.n, b.n)};
    }
    assemble(o, i, join(fan.turning, turning), found.u[3] < kShort * surface.size(), out);
  }
};

template <class Surface, class T>
void shape(const Surface& surface, double band, const SpanSolution& solution, const Point<T>& o,
           const Point<T>& i, SpanShape<T>& out) {
  if (solution.status != SpanStatus::wrapped) return straight_shape(o, i, out);
  Draw<Surface, T>::path(surface, band, unpack(solution), o, i, out);
}

}  // namespace sinew::geodesic

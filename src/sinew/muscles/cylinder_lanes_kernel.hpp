#pragma once

#include "sinew/muscles/cylinder_lanes.hpp"

// The path of docs/theory/wrapping.md unrolled: tangent, arc, tangent of lengths l₁, l₂, l₃ in the
// plane across the axis, z linear along all of them. Every number carries its derivative by the
// coordinate and its second derivative in time; its rate is the former times q̇. Mass is uniform,
// so integrals over tangents need mean and slope, those over the arc a few averages of sines.
//
// No function here has linkage beyond its file: each of the files that include this is compiled
// for another instruction set.

namespace sinew::lanes {
namespace {

/// Vectors of n doubles, and what comparing them gives.
template <int n>
struct Vector;
template <>
struct Vector<2> {
  typedef double V __attribute__((vector_size(16)));
  typedef long long Mask __attribute__((vector_size(16)));
};
template <>
struct Vector<4> {
  typedef double V __attribute__((vector_size(32)));
  typedef long long Mask __attribute__((vector_size(32)));
};
template <>
struct Vector<8> {
  typedef double V __attribute__((vector_size(64)));
  typedef long long Mask __attribute__((vector_size(64)));
};

template <int n>
struct Numbers {
  using V = typename Vector<n>::V;
  using Mask = typename Vector<n>::Mask;

  static V load(const double* x) { return *reinterpret_cast<const V*>(x); }
  static void store(double* x, V value) { *reinterpret_cast<V*>(x) = value; }
  static V root(V x) {
    V y;
    for (int k = 0; k < n; ++k) y[k] = __builtin_sqrt(x[k]);
    return y;
  }
  static V select(Mask mask, V yes, V no) { return mask ? yes : no; }
  static V clamp01(V x) {
    const V zero = {};
    const V upper = select(x < 1.0, x, zero + 1.0);
    return select(upper > 0.0, upper, zero);
  }
  static bool any(Mask mask) {
    long long all = 0;
    for (int k = 0; k < n; ++k) all |= mask[k];
    return all != 0;
  }

  /// The angle of (x, y) in [−π, π]. Of the smaller coordinate over the larger, or of what is left
  /// of it beyond π/4, by the series for |t| < tan(π/8): its last term is below 1e-17.
  static V arctangent(V y, V x) {
    constexpr double pi = 3.14159265358979323846;
    const V zero = {};
    const V ax = select(x < 0.0, -x, x), ay = select(y < 0.0, -y, y);
    const Mask steep = ay > ax;
    const V small = select(steep, ax, ay), large = select(steep, ay, ax);
    const Mask beyond = small > 0.41421356237309503 * large;
    const V t = select(beyond, small - large, small) / select(beyond, small + large, large);
    const V t2 = t * t;
    V sum = zero + 1.0 / 43;
    for (int k = 41; k >= 1; k -= 2) sum = 1.0 / k - t2 * sum;
    V angle = t * sum + select(beyond, zero + 0.25 * pi, zero);
    angle = select(steep, 0.5 * pi - angle, angle);
    angle = select(x < 0.0, pi - angle, angle);
    return select(y < 0.0, -angle, angle);
  }

  /// Value, ∂/∂q, second derivative in time.
  struct Q {
    V v, d, e;
    Q operator+(const Q& y) const { return {v + y.v, d + y.d, e + y.e}; }
    Q operator-(const Q& y) const { return {v - y.v, d - y.d, e - y.e}; }
    Q operator+(V c) const { return {v + c, d, e}; }
    Q operator-(V c) const { return {v - c, d, e}; }
    Q operator*(V c) const { return {v * c, d * c, e * c}; }
  };
  static Q select(Mask mask, const Q& yes, const Q& no) {
    return {select(mask, yes.v, no.v), select(mask, yes.d, no.d), select(mask, yes.e, no.e)};
  }

  /// Products need q̇².
  struct Algebra {
    V rate2;
    Q times(const Q& x, const Q& y) const {
      return {x.v * y.v, x.d * y.v + x.v * y.d, x.e * y.v + x.v * y.e + 2.0 * rate2 * (x.d * y.d)};
    }
    Q square(const Q& x) const {
      return {x.v * x.v, 2.0 * (x.v * x.d), 2.0 * (x.v * x.e + rate2 * (x.d * x.d))};
    }
    /// f(x) from f, f′ and f″.
    Q chain(const Q& x, V f, V f1, V f2) const {
      return {f, f1 * x.d, f1 * x.e + f2 * (rate2 * (x.d * x.d))};
    }
    Q inverse(const Q& x) const {
      const V f = 1.0 / x.v, f2 = f * f;
      return chain(x, f, -f2, 2.0 * (f2 * f));
    }
    Q root(const Q& x) const {
      const V f = Numbers::root(x.v), f1 = 0.5 / f;
      return chain(x, f, f1, -0.5 * (f1 / x.v));
    }
    /// The angle of (x, y).
    Q angle(const Q& y, const Q& x) const {
      const V inverse = 1.0 / (x.v * x.v + y.v * y.v);
      const V a = x.v * inverse, b = y.v * inverse;
      Q z;
      z.v = arctangent(y.v, x.v);
      z.d = a * y.d - b * x.d;
      z.e = a * y.e - b * x.e - 2.0 * rate2 * (z.d * (a * x.d + b * y.d));
      return z;
    }
  };

  /// Sine and cosine of |x| < 3π/2 and a little more, by their series about 0 or ±π.
  static void sin_cos(V x, V& sine, V& cosine) {
    constexpr double pi = 3.14159265358979323846;
    const V zero = {};
    const V sign = select(x < 0.0, zero - 1.0, zero + 1.0);
    const Mask far = x * sign > 0.5 * pi;
    const V y = select(far, x - pi * sign, x), y2 = y * y;
    V s = zero + 1, c = zero + 1;
    for (int k = 13; k >= 1; --k) {
      s = 1.0 - y2 * s * (1.0 / ((2 * k) * (2 * k + 1)));
      c = 1.0 - y2 * c * (1.0 / ((2 * k - 1) * (2 * k)));
    }
    sine = select(far, -y * s, y * s);
    cosine = select(far, -c, c);
  }

  /// Averages over ξ from −1 to 1 for ψ = δ ξ. t1 and t3 by their series, good to rounding for
  /// |δ| < 2.5; the others follow without loss.
  struct Averages {
    V c0, s1, c2, s3;      ///< of cos ψ, ξ sin ψ, ξ² cos ψ, ξ³ sin ψ
    V c0_twice, s1_twice;  ///< of cos 2ψ, ξ sin 2ψ
    explicit Averages(V delta) {
      const V x = delta * delta, zero = {};
      V t1 = zero, t3 = zero;  // s1/δ = Σ (−x)^j/((2j+1)! (2j+3)), s3/δ with 2j+5
      double scale = 1.0 / 1.5511210043330986e25;  // 1/25!
      for (int j = 12; j >= 0; --j) {
        t1 = scale / (2 * j + 3) - x * t1;
        t3 = scale / (2 * j + 5) - x * t3;
        if (j > 0) scale *= 2 * j * (2 * j + 1);
      }
      c0 = 3.0 * t1 - 0.5 * x * (t1 - t3);
      const V cosine = c0 - x * t1;
      c2 = (cosine + x * t3) * (1.0 / 3);
      s1 = delta * t1;
      s3 = delta * t3;
      c0_twice = c0 * cosine;
      s1_twice = 0.5 * (cosine * s1 + delta * (c0 * c0));
    }
  };
};

/// Integrals over the mass, in S about its origin: y the position, y′ = ∂y/∂q.
template <int n>
struct Integrals {
  using V = typename Numbers<n>::V;
  using Q = typename Numbers<n>::Q;
  V h[3] = {}, E[6] = {};               ///< ∫y; ∫y yᵀ: xx xy xz yy yz zz
  V G[3][3] = {};                       ///< ∫y′ yᵀ
  V f[3] = {}, M = {};                  ///< ∫y′; ∫y′·y′
  V ddh[3] = {}, ddn[3] = {}, Q2 = {};  ///< ∫ÿ; ∫y × ÿ; ∫y′·ÿ

  /// A mass m at y or, without `at_place`, a spread m about a place that is counted already.
  void add(const Q (&y)[3], V m, bool at_place) {
    V my[3];
    for (int a = 0; a < 3; ++a) {
      my[a] = m * y[a].v;
      if (!at_place) continue;
      h[a] += my[a];
      f[a] += m * y[a].d;
      ddh[a] += m * y[a].e;
    }
    E[0] += my[0] * y[0].v;
    E[1] += my[0] * y[1].v;
    E[2] += my[0] * y[2].v;
    E[3] += my[1] * y[1].v;
    E[4] += my[1] * y[2].v;
    E[5] += my[2] * y[2].v;
    for (int a = 0; a < 3; ++a)
      for (int b = 0; b < 3; ++b) G[a][b] += y[a].d * my[b];
    ddn[0] += my[1] * y[2].e - my[2] * y[1].e;
    ddn[1] += my[2] * y[0].e - my[0] * y[2].e;
    ddn[2] += my[0] * y[1].e - my[1] * y[0].e;
    M += m * (y[0].d * y[0].d + y[1].d * y[1].d + y[2].d * y[2].d);
    Q2 += m * (y[0].d * y[0].e + y[1].d * y[1].e + y[2].d * y[2].e);
  }

  /// A mass m on an arc about z: radius r, angle θ + ξ δ and height z + ξ s for ξ from −1 to 1; u
  /// the unit vector at ξ = 0 and w that a quarter turn further. With e_r = u cos ψ + w sin ψ,
  ///     y = r e_r + z e_z,   y′ = r′ e_r + r θ′ e_θ + z′ e_z,
  ///     ÿ = (r̈ − r θ̇²) e_r + (r θ̈ + 2 ṙ θ̇) e_θ + z̈ e_z.
  void add_arc(V m, const Q& r, const Q& theta, const Q& delta, const Q& z, const Q& s,
               const V (&u)[2], V rate) {
    const typename Numbers<n>::Averages at(delta.v);
    const V third = {};
    const V over3 = third + 1.0 / 3;
    const V rdot = r.d * rate, tdot = theta.d * rate, ddot = delta.d * rate;
    const V in0 = r.e - r.v * (tdot * tdot);  // of ÿ along e_r: in0 + ξ in1 + ξ² in2
    const V in1 = -2.0 * r.v * (tdot * ddot), in2 = -r.v * (ddot * ddot);
    const V on0 = r.v * theta.e + 2.0 * (rdot * tdot);  // along e_θ: on0 + ξ on1
    const V on1 = r.v * delta.e + 2.0 * (rdot * ddot);

    M += m * (r.d * r.d + r.v * r.v * (theta.d * theta.d + over3 * delta.d * delta.d) + z.d * z.d +
              over3 * (s.d * s.d));
    Q2 += m * (r.d * (in0 + over3 * in2) + r.v * (theta.d * on0 + over3 * (delta.d * on1)) +
               z.d * z.e + over3 * (s.d * s.e));

    // Components along u and w; then to x and y.
    const auto add2 = [&](V(&out)[3], V along_u, V along_w) {
      out[0] += m * (along_u * u[0] - along_w * u[1]);
      out[1] += m * (along_u * u[1] + along_w * u[0]);
    };
    const V zero = {};
    add2(h, r.v * at.c0, zero);
    h[2] += m * z.v;
    add2(f, r.d * at.c0 - r.v * (delta.d * at.s1), r.v * (theta.d * at.c0));
    f[2] += m * z.d;
    add2(ddh, in0 * at.c0 + in2 * at.c2 - on1 * at.s1, in1 * at.s1 + on0 * at.c0);
    ddh[2] += m * z.e;

    // y × ÿ = r (along e_θ) e_z + (z (along e_r) − r z̈) e_θ − z (along e_θ) e_r
    const V p0 = z.v * in0 - r.v * z.e, p1 = s.v * in0 + z.v * in1 - r.v * s.e;
    const V p2 = z.v * in2 + s.v * in1, p3 = s.v * in2;
    add2(ddn, -(p1 * at.s1 + p3 * at.s3) - (z.v * on0 * at.c0 + s.v * on1 * at.c2),
         p0 * at.c0 + p2 * at.c2 - (z.v * on1 + s.v * on0) * at.s1);
    ddn[2] += m * (r.v * on0);

    // ∫e_r e_rᵀ = ½(1 + C) u uᵀ + ½(1 − C) w wᵀ = ½ + ½ C (u uᵀ − w wᵀ)
    const V cc = 0.5 * at.c0_twice, ss = 0.5 * at.s1_twice;
    const V uu = u[0] * u[0] - u[1] * u[1], ud = 2.0 * (u[0] * u[1]);  // of u uᵀ − w wᵀ: xx, xy
    const V r2 = m * (r.v * r.v);
    E[0] += r2 * (0.5 + cc * uu);
    E[1] += r2 * (cc * ud);
    E[3] += r2 * (0.5 - cc * uu);
    const V zu = r.v * (z.v * at.c0), zw = r.v * (s.v * at.s1);
    E[2] += m * (zu * u[0] - zw * u[1]);
    E[4] += m * (zu * u[1] + zw * u[0]);
    E[5] += m * (z.v * z.v + over3 * (s.v * s.v));

    // ∫y′yᵀ across z: r r′ ∫e_r e_rᵀ + r² ∫θ′ e_θ e_rᵀ, the latter
    // −½ δ′S (u uᵀ − w wᵀ) + ½ θ′ (w uᵀ − u wᵀ) + ½ θ′ C (w uᵀ + u wᵀ)
    const V rr = m * (r.v * r.d);
    const V sym = rr * cc - r2 * (delta.d * ss), turn = r2 * theta.d;
    G[0][0] += 0.5 * rr + sym * uu - turn * (cc * ud);
    G[1][1] += 0.5 * rr - sym * uu + turn * (cc * ud);
    G[0][1] += sym * ud + turn * (cc * uu - 0.5);
    G[1][0] += sym * ud + turn * (cc * uu + 0.5);
    const V au = r.d * (z.v * at.c0) - r.v * ((theta.d * s.v + delta.d * z.v) * at.s1);
    const V aw = r.d * (s.v * at.s1) + r.v * (theta.d * z.v * at.c0 + delta.d * s.v * at.c2);
    G[0][2] += m * (au * u[0] - aw * u[1]);
    G[1][2] += m * (au * u[1] + aw * u[0]);
    const V bu = r.v * (z.d * at.c0), bw = r.v * (s.d * at.s1);
    G[2][0] += m * (bu * u[0] - bw * u[1]);
    G[2][1] += m * (bu * u[1] + bw * u[0]);
    G[2][2] += m * (z.d * z.v + over3 * (s.d * s.v));
  }
};

template <class V>
void cross(const V (&a)[3], const V (&b)[3], V (&out)[3]) {
  out[0] = a[1] * b[2] - a[2] * b[1];
  out[1] = a[2] * b[0] - a[0] * b[2];
  out[2] = a[0] * b[1] - a[1] * b[0];
}
template <class V>
void rotate(const V (&R)[9], const V (&x)[3], V (&out)[3]) {
  for (int a = 0; a < 3; ++a) out[a] = R[3 * a] * x[0] + R[3 * a + 1] * x[1] + R[3 * a + 2] * x[2];
}
template <class V>
void rotate_back(const V (&R)[9], const V (&x)[3], V (&out)[3]) {
  for (int a = 0; a < 3; ++a) out[a] = R[a] * x[0] + R[a + 3] * x[1] + R[a + 6] * x[2];
}

/// n of the lanes, from `first` on.
template <int n>
class Evaluation {
  using N = Numbers<n>;
  using V = typename N::V;
  using Mask = typename N::Mask;
  using Q = typename N::Q;

 public:
  Evaluation(const Description& of, const Motion& in, int first)
      : of_(of), in_(in), first_(first), rate_(load(in.rate)), algebra_{rate_ * rate_} {
    load(of.R, R_);
    load(of.p, p_);
  }

  void run(Result& out) {
    place_ends();
    find_path();
    add_mass();
    finish(out);
  }

 private:
  V load(const Lane& x) const { return N::load(x + first_); }
  template <int count>
  void load(const Lane (&x)[count], V (&to)[count]) const {
    for (int k = 0; k < count; ++k) to[k] = load(x[k]);
  }
  void store(Lane& x, V value) const { N::store(x + first_, value); }

  /// o and i in S.
  void place_ends() {
    V R[9], p[3], w[3], v[3], dw[3], dv[3], x_i[3];
    load(in_.R, R);
    load(in_.p, p);
    load(in_.w, w);
    load(in_.v, v);
    load(in_.dw, dw);
    load(in_.dv, dv);
    load(of_.x_i, x_i);
    load(of_.o, o_);
    V x[3], J[3], a[3], wJ[3], local[3], slope[3], second[3];
    rotate(R, x_i, x);
    for (int k = 0; k < 3; ++k) x[k] += p[k];
    cross(w, x, J);
    for (int k = 0; k < 3; ++k) J[k] += v[k];
    cross(dw, x, a);
    cross(w, J, wJ);
    for (int k = 0; k < 3; ++k) {
      a[k] += dv[k] + algebra_.rate2 * wJ[k];
      x[k] -= p_[k];
    }
    rotate_back(R_, x, local);
    rotate_back(R_, J, slope);
    rotate_back(R_, a, second);
    for (int k = 0; k < 3; ++k) i_[k] = {local[k], slope[k], second[k]};
  }

  /// Lengths of the pieces in the plane across z, directions and normals.
  void find_path() {
    const Algebra& al = algebra_;
    const V r = load(of_.radius), band = load(of_.band), side = load(of_.side), zero = {};
    const V rho2_o = o_[0] * o_[0] + o_[1] * o_[1];
    const Q rho2_i = al.square(i_[0]) + al.square(i_[1]);
    const Q dx = i_[0] - o_[0], dy = i_[1] - o_[1];
    const Q chord2 = al.square(dx) + al.square(dy), chord = al.root(chord2);
    const Q dot = i_[0] * o_[0] + i_[1] * o_[1];
    const Q cross = (i_[1] * o_[0] - i_[0] * o_[1]) * side;
    const Q before = dot * (zero - 1.0) + rho2_o, after = rho2_i - dot;  // D² s and D² (1 − s)
    const V h = cross.v / chord.v;
    const V width = band * before.v * after.v / (chord2.v * chord.v);

    // planar_winding, the limiter left to others
    const Mask outside = (before.v <= 0.0) | (after.v <= 0.0);
    const Mask left = cross.v >= 0.0;
    const Mask free_left = outside | (h - r >= width);
    const Mask clear = outside | (-cross.v >= r * chord.v);
    const Mask beyond = clear & (-cross.v <= dot.v);
    const Mask wound = dot.v < 0.0;
    const Mask free = (left & free_left) | (~left & ~wound & beyond);
    const Mask lost = ~left & ~wound & ~beyond;
    const V reach = r * (1.05 / 0.95);
    const Mask near = (rho2_o < reach * reach) | (rho2_i.v < reach * reach);
    odd_ = near | lost | ~(chord2.v > 1e-16 * rho2_o);

    radius_ = {r, zero, zero};
    const Mask in_band = ~free & (r - h < width);
    if (N::any(in_band & ~odd_))
      radius_ = N::select(in_band, smooth_radius(cross, chord, chord2, before, after), radius_);

    const Q r2 = al.square(radius_);
    const Q l_o = al.root(r2 * (zero - 1.0) + rho2_o), l_i = al.root(rho2_i - r2);
    const Q a = r2 - al.times(l_o, l_i), b = al.times(radius_, l_o + l_i);
    Q phi = al.angle(al.times(cross, a) - al.times(dot, b), al.times(dot, a) + al.times(cross, b));
    constexpr double pi = 3.14159265358979323846;
    phi.v = N::select(phi.v < -0.25 * pi, phi.v + 2 * pi, phi.v);

    const Q none = {zero, zero, zero};
    before_arc_ = l_o;
    first_piece_ = N::select(free, chord, l_o);
    arc_ = N::select(free, none, al.times(radius_, phi));
    plane_ = first_piece_ + arc_ + N::select(free, none, l_i);

    // Normals where the arc begins and ends, and tangents, along the path.
    const V per_o = 1.0 / rho2_o;
    const Q per_i = al.inverse(rho2_i);
    const Q turn_o = l_o * side, turn_i = l_i * side;
    normal_[0] = (radius_ * o_[0] - turn_o * o_[1]) * per_o;
    normal_[1] = (radius_ * o_[1] + turn_o * o_[0]) * per_o;
    const Q end_x = al.times(al.times(radius_, i_[0]) + al.times(turn_i, i_[1]), per_i);
    const Q end_y = al.times(al.times(radius_, i_[1]) - al.times(turn_i, i_[0]), per_i);
    const Q per_chord = al.inverse(chord);
    t1_[0] = N::select(free, al.times(dx, per_chord), normal_[1] * -side);
    t1_[1] = N::select(free, al.times(dy, per_chord), normal_[0] * side);
    t3_[0] = end_y * -side;
    t3_[1] = end_x * side;
  }

  /// r̃ within the band around touch-down: h + e S(y), y = ½((r − h)/e + 1).
  Q smooth_radius(const Q& cross, const Q& chord, const Q& chord2, const Q& before,
                  const Q& after) const {
    const Algebra& al = algebra_;
    const Q h = al.times(cross, al.inverse(chord));
    const Q e =
        al.times(al.times(before, after), al.inverse(al.times(chord2, chord))) * load(of_.band);
    const V zero = {};
    const Q depth = h * (zero - 1.0) + radius_.v;
    const Q y = (al.times(depth, al.inverse(e)) + (zero + 1.0)) * (zero + 0.5);
    const V v = y.v, v2 = v * v, v3 = v2 * v, z = 1.0 - v;
    const Q S =
        al.chain(y, v3 * v2 * (14.0 + v * (v * (20.0 - 5.0 * v) - 28.0)),
                 v2 * v2 * (70.0 + v * (v * (140.0 - 40.0 * v) - 168.0)), 280.0 * v3 * (z * z * z));
    return h + al.times(e, S);
  }

  /// The material β lies at the unrolled arc length a + β b and at the height z₀ + β z₁.
  void add_mass() {
    const Algebra& al = algebra_;
    const V zero = {}, side = load(of_.side), mass = load(of_.mass);
    const Q rise = i_[2] - o_[2];
    length_ = al.root(al.square(plane_) + al.square(rise));
    const Q per_length = al.inverse(length_);
    const Q lie = al.times(plane_, per_length), climb = al.times(rise, per_length);
    const Q A = length_ * load(of_.A1) + load(of_.A0), B = length_ * load(of_.B1) + load(of_.B0);
    const Q a = al.times(lie, A), b = al.times(lie, B);
    const Q z0 = al.times(climb, A) + o_[2], z1 = al.times(climb, B);
    odd_ |= ~(B.v > 0.0);

    const V per_b = 1.0 / b.v;
    const V b1 = N::clamp01((first_piece_.v - a.v) * per_b);
    const V b2 = N::clamp01((first_piece_.v + arc_.v - a.v) * per_b);
    add_straight(a, b, t1_, nullptr, z0, z1, zero, b1, mass);
    add_straight(a - plane_, b, t3_, i_, z0, z1, b2, zero + 1.0, mass);
    if (!N::any(b2 > b1)) return;

    const Q per_r = al.inverse(radius_) * side;
    const V middle = 0.5 * (b1 + b2), half = 0.5 * (b2 - b1);
    const Q by_beta = al.times(b, per_r);
    Q theta = al.times(a - before_arc_, per_r) + by_beta * middle;  // from the arc's start
    V sine, cosine;
    N::sin_cos(theta.v, sine, cosine);
    const V u[2] = {cosine * normal_[0].v - sine * normal_[1].v,
                    sine * normal_[0].v + cosine * normal_[1].v};
    // … and the start turns.
    theta.d += normal_[0].v * normal_[1].d - normal_[1].v * normal_[0].d;
    theta.e += normal_[0].v * normal_[1].e - normal_[1].v * normal_[0].e;
    sum_.add_arc(mass * (b2 - b1), radius_, theta, by_beta * half, z0 + z1 * middle, z1 * half, u,
                 rate_);
  }

  /// A tangent from β = lo to hi: `from` + (a + β b) t, from o where `from` is null.
  void add_straight(const Q& a, const Q& b, const Q (&t)[2], const Q* from, const Q& z0,
                    const Q& z1, V lo, V hi, V mass) {
    const Algebra& al = algebra_;
    const V middle = 0.5 * (lo + hi), share = hi - lo;
    const Q slope[3] = {al.times(b, t[0]), al.times(b, t[1]), z1};
    Q mean[3] = {al.times(a, t[0]) + slope[0] * middle, al.times(a, t[1]) + slope[1] * middle,
                 z0 + z1 * middle};
    for (int k = 0; k < 2; ++k) mean[k] = from ? mean[k] + from[k] : mean[k] + o_[k];
    const V m = mass * share;
    sum_.add(mean, m, true);
    sum_.add(slope, m * (share * share * (1.0 / 12)), false);
  }

  /// Forces by equation (4), and everything from S to its link.
  void finish(Result& out) {
    V omega[3], alpha[3], a_L[3], w[3], al[3], a[3];
    load(in_.omega, omega);
    load(in_.alpha, alpha);
    load(in_.a, a_L);
    V wd[3], wwd[3], ad[3];
    cross(omega, p_, wd);
    cross(omega, wd, wwd);
    cross(alpha, p_, ad);
    for (int k = 0; k < 3; ++k) a_L[k] += ad[k] + wwd[k];
    rotate_back(R_, omega, w);
    rotate_back(R_, alpha, al);
    rotate_back(R_, a_L, a);

    const V mass = load(of_.mass);
    Integrals<n>& I = sum_;
    const V(&E)[6] = I.E;
    const V full[3][3] = {{E[0], E[1], E[2]}, {E[1], E[3], E[4]}, {E[2], E[4], E[5]}};
    const V trace_E = E[0] + E[3] + E[5], trace_G = I.G[0][0] + I.G[1][1] + I.G[2][2];
    V Ew[3], Ea[3], Gw[3], ah[3], wh[3], wwh[3], wf[3], ha[3], wEw[3];
    V w2 = {}, wGw = {}, tau = I.Q2;
    for (int k = 0; k < 3; ++k) {
      Ew[k] = full[k][0] * w[0] + full[k][1] * w[1] + full[k][2] * w[2];
      Ea[k] = full[k][0] * al[0] + full[k][1] * al[1] + full[k][2] * al[2];
      Gw[k] = I.G[k][0] * w[0] + I.G[k][1] * w[1] + I.G[k][2] * w[2];
      w2 += w[k] * w[k];
      wGw += w[k] * Gw[k];
    }
    cross(al, I.h, ah);
    cross(w, I.h, wh);
    cross(w, wh, wwh);
    cross(w, I.f, wf);
    cross(I.h, a, ha);
    cross(w, Ew, wEw);
    const V momentum[3] = {I.G[2][1] - I.G[1][2], I.G[0][2] - I.G[2][0], I.G[1][0] - I.G[0][1]};
    V force[3], torque[3];
    for (int k = 0; k < 3; ++k) {
      force[k] = mass * a[k] + ah[k] + wwh[k] + 2.0 * rate_ * wf[k] + I.ddh[k];
      torque[k] = ha[k] + trace_E * al[k] - Ea[k] - wEw[k] +
                  2.0 * rate_ * (trace_G * w[k] - Gw[k]) + I.ddn[k];
      tau += I.f[k] * a[k] + momentum[k] * al[k];
    }
    tau += wGw - w2 * trace_G;

    store(out.M, I.M);
    store(out.tau, tau);
    store(out.length, length_.v);
    store(out.slope, length_.d);
    const V zero = {};
    store(out.odd, N::select(odd_, zero + 1.0, zero));
    move_wrench(torque, force, out.torque, out.force);
    move_wrench(momentum, I.f, out.n, out.f);
    move_inertia(full, mass, out);
  }

  void move_wrench(const V (&torque)[3], const V (&force)[3], Lane (&n_out)[3],
                   Lane (&f_out)[3]) const {
    V t[3], f[3], pf[3];
    rotate(R_, torque, t);
    rotate(R_, force, f);
    cross(p_, f, pf);
    for (int k = 0; k < 3; ++k) {
      store(n_out[k], t[k] + pf[k]);
      store(f_out[k], f[k]);
    }
  }

  void move_inertia(const V (&E)[3][3], V mass, Result& out) const {
    V h[3], RE[3][3];
    rotate(R_, sum_.h, h);
    for (int a = 0; a < 3; ++a)
      for (int b = 0; b < 3; ++b)
        RE[a][b] = R_[3 * a] * E[0][b] + R_[3 * a + 1] * E[1][b] + R_[3 * a + 2] * E[2][b];
    int k = 0;
    for (int a = 0; a < 3; ++a)
      for (int b = a; b < 3; ++b, ++k)
        store(out.E[k], RE[a][0] * R_[3 * b] + RE[a][1] * R_[3 * b + 1] + RE[a][2] * R_[3 * b + 2] +
                            h[a] * p_[b] + p_[a] * h[b] + mass * (p_[a] * p_[b]));
    for (int a = 0; a < 3; ++a) store(out.h[a], h[a] + mass * p_[a]);
  }

  using Algebra = typename N::Algebra;
  const Description& of_;
  const Motion& in_;
  const int first_;
  const V rate_;
  const Algebra algebra_;
  V R_[9], p_[3];  ///< S in its link
  V o_[3];
  Q i_[3];
  Mask odd_;
  Q radius_, before_arc_, first_piece_, arc_, plane_, length_;
  Q normal_[2];  ///< at the arc's start
  Q t1_[2], t3_[2];
  Integrals<n> sum_;
};

template <int n>
void evaluate(const Description& of, const Motion& in, Result& out) {
  for (int first = 0; first < kLanes; first += n) Evaluation<n>(of, in, first).run(out);
}

}  // namespace
}  // namespace sinew::lanes

#pragma once

#include "sinew/muscles/fast/cylinder_lanes.hpp"
#include "sinew/muscles/fast/cylinder_lanes_mass.hpp"

// The path of docs/theory/wrapping.md unrolled: tangent, arc, tangent of lengths l₁, l₂, l₃ in the
// plane across the axis, z linear along all of them. Every number carries its derivative by the
// coordinate and its second derivative in time; its rate is the former times q̇. Mass is uniform,
// so integrals over tangents need mean and slope, those over the arc a few averages of sines.
//
// No function here has linkage beyond its file: each of the files that include this is compiled for
// a different instruction set.

namespace sinew::lanes {
namespace {

/// n lanes, starting at `first`.
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

    // planar_winding, without the limiter
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

    odd_ |= ~free & past_an_end(l_o.v, l_i.v, radius_.v * phi.v, rho2_o, rho2_i.v);

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

  /// Whether a contact is not entirely on a finite cylinder: for smooth paths by the height of the
  /// foot at touch-down, for exact ones by the ends of the arc.
  Mask past_an_end(V l_o, V l_i, V arc, V rho2_o, V rho2_i) const {
    const V half = load(of_.half_length), r = load(of_.radius);
    const auto beyond = [&](V share) -> Mask {
      const V z = o_[2] + (i_[2].v - o_[2]) * share;
      return (z > half) | (z < -half);
    };
    const V full_o = N::root(rho2_o - r * r), full_i = N::root(rho2_i - r * r);
    const V per_plane = 1.0 / (l_o + arc + l_i);
    const Mask exact = load(of_.band) == 0.0;
    return (~exact & beyond(full_o / (full_o + full_i))) |
           (exact & (beyond(l_o * per_plane) | beyond(1.0 - l_i * per_plane)));
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

  /// A tangent from β = lo to hi: `from` + (a + β b) t, from o if `from` is null.
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

  /// Forces by equation (4), and the transformation from S to its link.
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
    V force[3], torque[3], tau;
    sum_.forces(mass, w, al, a, rate_, force, torque, tau);
    V momentum[3];
    sum_.momentum(momentum);

    store(out.M, sum_.M);
    store(out.tau, tau);
    store(out.length, length_.v);
    store(out.slope, length_.d);
    const V zero = {};
    store(out.odd, N::select(odd_, zero + 1.0, zero));
    move_wrench(torque, force, out.torque, out.force);
    move_wrench(momentum, sum_.f, out.n, out.f);
    move_inertia(mass, out);
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

  void move_inertia(V mass, Result& out) const {
    V h[3], RE[3][3], E[3][3];
    sum_.second_moments(E);
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

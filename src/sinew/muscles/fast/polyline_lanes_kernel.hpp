#pragma once

#include "sinew/muscles/fast/lane_numbers.hpp"
#include "sinew/muscles/fast/polyline_lanes.hpp"

// docs/theory/muscles.md, "Straight from point to point". Sums are kept in eight parts for every
// width and added in the same order, so that all widths give the same bits.
//
// No function here has linkage beyond its file: each of the files that include this is compiled for
// a different instruction set.

namespace sinew::lanes {
namespace {

template <int n, int K>
class Segments {
  using N = Numbers<n>;
  using V = typename N::V;

 public:
  explicit Segments(const Polygons& of) : of_(of) {}

  void measure(int s) const {
    V x0[3], x1[3], v0[3], v1[3], a0[3], a1[3], t[3], v[3];
    node(NodeRow::x, s, x0);
    node(NodeRow::x, s + 1, x1);
    node(NodeRow::v, s, v0);
    node(NodeRow::v, s + 1, v1);
    node(NodeRow::a, s, a0);
    node(NodeRow::a, s + 1, a1);
    V l2 = {}, v2 = {}, rate = {}, second = {};
    for (int c = 0; c < 3; ++c) {
      t[c] = x1[c] - x0[c];
      v[c] = v1[c] - v0[c];
      l2 += t[c] * t[c];
      v2 += v[c] * v[c];
    }
    const V zero = {}, l = N::root(l2), per_l = N::select(l > 0.0, 1.0 / l, zero);
    for (int c = 0; c < 3; ++c) {
      t[c] *= per_l;
      rate += t[c] * v[c];
      second += t[c] * (a1[c] - a0[c]);
    }
    for (int c = 0; c < 3; ++c) {
      store(SegmentRow::t + c, s, t[c]);
      store(SegmentRow::t_rate + c, s, per_l * (v[c] - rate * t[c]));
    }
    store(SegmentRow::length, s, l);
    store(SegmentRow::rate, s, rate);
    store(SegmentRow::second, s, second + per_l * (v2 - rate * rate));
    for (int k = 0; k < K; ++k) {
      V J0[3], J1[3], slope = {};
      node(NodeRow::columns + 3 * k, s, J0);
      node(NodeRow::columns + 3 * k, s + 1, J1);
      for (int c = 0; c < 3; ++c) slope += t[c] * (J1[c] - J0[c]);
      store(SegmentRow::columns + k, s, slope);
    }
  }

  /// Adds a segment to the sums.
  void add(int s) {
    V x0[3], x1[3], t[3], t_rate[3];
    node(NodeRow::x, s, x0);
    node(NodeRow::x, s + 1, x1);
    segment(SegmentRow::t, s, t);
    segment(SegmentRow::t_rate, s, t_rate);
    V m[3];
    segment(SegmentRow::mass, s, m);
    const V m0 = m[0] + m[1], m1 = m[1] + m[2];
    mass_ += m0 + m1;
    V y0[3], y1[3];
    for (int c = 0; c < 3; ++c) {
      h_[c] += m0 * x0[c] + m1 * x1[c];
      y0[c] = m[0] * x0[c] + m[1] * x1[c];
      y1[c] = m[1] * x0[c] + m[2] * x1[c];
    }
    int e = 0;
    for (int a = 0; a < 3; ++a)
      for (int b = a; b < 3; ++b) E_[e++] += x0[a] * y0[b] + x1[a] * y1[b];

    V a0[3], a1[3], F0[3], F1[3];
    acceleration(s, x0, t, t_rate, a0);
    acceleration(s + 1, x1, t, t_rate, a1);
    for (int c = 0; c < 3; ++c) {
      F0[c] = m[0] * a0[c] + m[1] * a1[c];
      F1[c] = m[1] * a0[c] + m[2] * a1[c];
      force_[c] += F0[c] + F1[c];
    }
    add_moment(x0, F0, torque_);
    add_moment(x1, F1, torque_);

    V E0[K][3], E1[K][3];
    for (int k = 0; k < K; ++k) {
      column(k, s, t, E0[k]);
      column(k, s + 1, t, E1[k]);
      V P0[3], P1[3];
      for (int c = 0; c < 3; ++c) {
        P0[c] = m[0] * E0[k][c] + m[1] * E1[k][c];
        P1[c] = m[1] * E0[k][c] + m[2] * E1[k][c];
        f_[k][c] += P0[c] + P1[c];
        tau_[k] += E0[k][c] * F0[c] + E1[k][c] * F1[c];
      }
      add_moment(x0, P0, n_[k]);
      add_moment(x1, P1, n_[k]);
      for (int l = 0; l <= k; ++l)
        for (int c = 0; c < 3; ++c) M_[k * (k + 1) / 2 + l] += E0[l][c] * P0[c] + E1[l][c] * P1[c];
    }
  }

  /// The parts of the sums in these lanes.
  void read(int first, double (*parts)[kStraightLanes]) const {
    const auto put = [&](int row, V value) { N::store(parts[row] + first, value); };
    put(SumRow::mass, mass_);
    for (int c = 0; c < 3; ++c) {
      put(SumRow::h + c, h_[c]);
      put(SumRow::torque + c, torque_[c]);
      put(SumRow::force + c, force_[c]);
    }
    for (int e = 0; e < 6; ++e) put(SumRow::E + e, E_[e]);
    for (int k = 0; k < K; ++k) {
      const int row = SumRow::columns + 7 * k;
      for (int c = 0; c < 3; ++c) {
        put(row + c, n_[k][c]);
        put(row + 3 + c, f_[k][c]);
      }
      put(row + 6, tau_[k]);
    }
    for (int i = 0; i < K * (K + 1) / 2; ++i) put(SumRow::columns + 7 * K + i, M_[i]);
  }

 private:
  V node(int row, int s) const {
    V out;
    __builtin_memcpy(&out, of_.node + row * of_.stride + s, sizeof out);
    return out;
  }
  void node(int row, int s, V (&out)[3]) const {
    for (int c = 0; c < 3; ++c) out[c] = node(row + c, s);
  }
  void segment(int row, int s, V (&out)[3]) const {
    for (int c = 0; c < 3; ++c)
      __builtin_memcpy(&out[c], of_.segment + (row + c) * of_.stride + s, sizeof(V));
  }
  void store(int row, int s, V value) const {
    __builtin_memcpy(of_.segment + row * of_.stride + s, &value, sizeof value);
  }

  /// ∂/∂q of the material at a node.
  void column(int k, int s, const V (&t)[3], V (&out)[3]) const {
    const V slide = node(NodeRow::columns + 3 * K + k, s);
    node(NodeRow::columns + 3 * k, s, out);
    for (int c = 0; c < 3; ++c) out[c] += slide * t[c];
  }

  /// Acceleration of the material at a node, including the frame's motion.
  void acceleration(int s, const V (&x)[3], const V (&t)[3], const V (&t_rate)[3],
                    V (&out)[3]) const {
    const double* f = of_.frame;
    const V slide = node(NodeRow::slide, s), slide_rate = node(NodeRow::slide_rate, s), zero = {};
    const V w[3] = {zero + f[0], zero + f[1], zero + f[2]};
    const V alpha[3] = {zero + f[3], zero + f[4], zero + f[5]};
    V v[3], turn[3], wx[3], bend[3];
    node(NodeRow::v, s, v);
    node(NodeRow::a, s, out);
    cross(alpha, x, turn);
    cross(w, x, wx);
    for (int c = 0; c < 3; ++c) wx[c] += 2.0 * (v[c] + slide * t[c]);
    cross(w, wx, bend);
    for (int c = 0; c < 3; ++c)
      out[c] += f[6 + c] + turn[c] + bend[c] + slide_rate * t[c] + 2.0 * slide * t_rate[c];
  }

  static void add_moment(const V (&x)[3], const V (&f)[3], V (&to)[3]) {
    V moment[3];
    cross(x, f, moment);
    for (int c = 0; c < 3; ++c) to[c] += moment[c];
  }

  const Polygons& of_;
  V mass_ = {}, h_[3] = {}, E_[6] = {}, torque_[3] = {}, force_[3] = {};
  V n_[K][3] = {}, f_[K][3] = {}, tau_[K] = {}, M_[K * (K + 1) / 2] = {};
};

template <int n, int K>
void measure(const Polygons& of) {
  const Segments<n, K> segments(of);
  for (int s = 0; s < of.segments; s += n) segments.measure(s);
}

template <int n, int K>
void sum(const Polygons& of, double* sums) {
  alignas(64) double parts[SumRow::count(K)][kStraightLanes];
  for (int first = 0; first < kStraightLanes; first += n) {
    Segments<n, K> segments(of);
    for (int s = first; s < of.segments; s += kStraightLanes) segments.add(s);
    segments.read(first, parts);
  }
  for (int row = 0; row < SumRow::count(K); ++row) {
    sums[row] = 0;
    for (int lane = 0; lane < kStraightLanes; ++lane) sums[row] += parts[row][lane];
  }
}

template <int n>
StraightKernels straight_kernels() {
  static constexpr StraightKernel kKernels[kMostColumns] = {
      {&measure<n, 1>, &sum<n, 1>}, {&measure<n, 2>, &sum<n, 2>}, {&measure<n, 3>, &sum<n, 3>},
      {&measure<n, 4>, &sum<n, 4>}, {&measure<n, 5>, &sum<n, 5>}, {&measure<n, 6>, &sum<n, 6>}};
  return kKernels;
}

}  // namespace
}  // namespace sinew::lanes

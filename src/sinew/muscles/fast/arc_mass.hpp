#pragma once

#include <cmath>

#include "sinew/muscles/fast/relative_motion.hpp"
#include "sinew/muscles/fast/span_mass.hpp"
#include "sinew/muscles/wrap/span.hpp"

/// Uniform mass on an arc in closed form. With ξ from −1 to 1 over the material on the arc,
///     y = c + ξ d + u cos ψ + w sin ψ,    ψ = ξ δ,
/// every vector and δ moving with the coordinates. So y, ∂y/∂q_k and ÿ are sums of the even
/// functions 1, cos ψ, ξ sin ψ, ξ² cos ψ and of the odd ones ξ, sin ψ, ξ cos ψ, ξ² sin ψ with
/// vectors as coefficients, and integrals are products with averages of two of these functions.

namespace sinew {

/// The range in which ArcMass is accurate [rad].
inline constexpr double kMaxArcAngle = 5;

/// Averages over ξ; |δ| ≤ 5. Without division by δ: t₁ = ⟨ξ sin ψ⟩/δ and t₃ = ⟨ξ³ sin ψ⟩/δ are
/// power series of x = δ², the others follow from them.
struct ArcAverages {
  double c0, s1, c2, s3;  ///< averages of cos ψ, ξ sin ψ, ξ² cos ψ, ξ³ sin ψ
  explicit ArcAverages(double delta) {
    const double x = delta * delta;
    double t1 = 0, t3 = 0;
    for (int j = 20; j >= 0; --j) {
      // Σ (−x)^j/((2j+1)! (2j+3)) and, for t₃, with (2j+5)
      const double step = x / ((2 * j + 2) * (2 * j + 3));
      t1 = 1.0 / (2 * j + 3) - step * t1;
      t3 = 1.0 / (2 * j + 5) - step * t3;
    }
    c0 = 3 * t1 - 0.5 * x * (t1 - t3);
    c2 = (c0 - x * t1 + x * t3) / 3;
    s1 = delta * t1;
    s3 = delta * t3;
  }
};

template <int K>
class ArcMass {
  using T = MotionDual<K>;
  using Coefficients = std::array<Vec3, 3>;  ///< for 1, cos ψ, ξ sin ψ or ξ, sin ψ, ξ cos ψ

 public:
  /// The material lies between arc lengths `middle` ∓ `half` of the arc.
  ArcMass(const HelixArc<T>& arc, const T& middle, const T& half) : delta_(arc.turn * half) {
    T sine, cosine;
    sin_cos(T(arc.turn * middle), sine, cosine);
    const T x = arc.radius * cosine, y = arc.radius * sine;
    const T rise = arc.pitch * middle, slope = arc.pitch * half;
    center_ = arc.center + rise * arc.e3;
    d_ = slope * arc.e3;
    u_ = x * arc.e1 + y * arc.e2;
    w_ = x * arc.e2 - y * arc.e1;

    const ArcAverages once(delta_.v), twice(2 * delta_.v);
    const double sin2 = 0.5 * (1.0 / 3 - twice.c2), cos2 = 0.5 * (1.0 / 3 + twice.c2);
    const double both = 0.5 * twice.s1, cubed = 0.5 * twice.s3;
    even_ << 1, once.c0, once.s1, once.c2,          //
        once.c0, 0.5 * (1 + twice.c0), both, cos2,  //
        once.s1, both, sin2, cubed;
    odd_ << 1.0 / 3, once.s1, once.c2, once.s3,     //
        once.s1, 0.5 * (1 - twice.c0), both, sin2,  //
        once.c2, both, cos2, cubed;
  }

  void add(double m, const FrameAcceleration& frame, SpanMass<K>& to) const {
    const std::array<Vec3, 2> y_even{value(center_), value(u_)}, y_odd{value(d_), value(w_)};
    add_inertia(m, y_even, y_odd, to);
    std::array<Coefficients, K> even, odd;
    for (size_t k = 0; k < K; ++k) {
      partials(k, even[k], odd[k]);
      Coefficients p_even, p_odd;
      for (int a = 0; a < 3; ++a) {
        const auto aa = static_cast<size_t>(a);
        p_even[aa] = p_odd[aa] = Vec3::Zero();
        for (int b = 0; b < 3; ++b) {
          p_even[aa] += (m * even_(a, b)) * even[k][static_cast<size_t>(b)];
          p_odd[aa] += (m * odd_(a, b)) * odd[k][static_cast<size_t>(b)];
        }
      }
      to.momentum_f[k] += p_even[0];
      to.momentum_n[k] += moment(y_even, y_odd, p_even, p_odd);
      for (size_t l = 0; l <= k; ++l) to.M[k][l] += work(even[l], odd[l], p_even, p_odd);
    }
    Coefficients f_even, f_odd;
    forces(m, frame, y_even, y_odd, f_even, f_odd);
    to.force += f_even[0];
    to.torque += moment(y_even, y_odd, f_even, f_odd);
    for (size_t k = 0; k < K; ++k) to.tau[k] += work(even[k], odd[k], f_even, f_odd);
  }

 private:
  static Vec3 value(const Point<T>& y) { return {y[0].v, y[1].v, y[2].v}; }
  static Vec3 partial(const Point<T>& y, size_t k) { return {y[0].d[k], y[1].d[k], y[2].d[k]}; }
  static Vec3 second(const Point<T>& y) { return {y[0].d2, y[1].d2, y[2].d2}; }
  using Two = std::array<Vec3, 2>;
  static Vec3 moment(const Two& y_even, const Two& y_odd, const Coefficients& even,
                     const Coefficients& odd) {
    return y_even[0].cross(even[0]) + y_even[1].cross(even[1]) + y_odd[0].cross(odd[0]) +
           y_odd[1].cross(odd[1]);
  }
  static double work(const Coefficients& y_even, const Coefficients& y_odd,
                     const Coefficients& even, const Coefficients& odd) {
    double sum = 0;
    for (size_t a = 0; a < 3; ++a) sum += y_even[a].dot(even[a]) + y_odd[a].dot(odd[a]);
    return sum;
  }

  /// ∂y/∂q_k; for k = K the rate.
  void partials(size_t k, Coefficients& even, Coefficients& odd) const {
    even = {partial(center_, k), partial(u_, k), -delta_.d[k] * value(u_)};
    odd = {partial(d_, k), partial(w_, k), delta_.d[k] * value(w_)};
  }

  void add_inertia(double m, const Two& y_even, const Two& y_odd, SpanMass<K>& to) const {
    to.mass += m;
    to.h += m * (y_even[0] + even_(0, 1) * y_even[1]);
    const Vec3 e0 = y_even[0] + even_(0, 1) * y_even[1];
    const Vec3 e1 = even_(0, 1) * y_even[0] + even_(1, 1) * y_even[1];
    const Vec3 o0 = odd_(0, 0) * y_odd[0] + odd_(0, 1) * y_odd[1];
    const Vec3 o1 = odd_(0, 1) * y_odd[0] + odd_(1, 1) * y_odd[1];
    size_t k = 0;
    for (int a = 0; a < 3; ++a)
      for (int b = a; b < 3; ++b)
        to.E[k++] += m * (y_even[0][a] * e0[b] + y_even[1][a] * e1[b] + y_odd[0][a] * o0[b] +
                          y_odd[1][a] * o1[b]);
  }

  /// The acceleration, equation (4), times averages.
  void forces(double m, const FrameAcceleration& frame, const Two& y_even, const Two& y_odd,
              Coefficients& f_even, Coefficients& f_odd) const {
    Coefficients r_even, r_odd;
    partials(K, r_even, r_odd);
    const double rate = delta_.rate();
    const Vec3 u = y_even[1], w = y_odd[1];
    const std::array<Vec3, 4> even{
        frame.a + frame.of(y_even[0], r_even[0]) + second(center_),
        frame.of(u, r_even[1]) + second(u_),
        frame.of(Vec3::Zero(), r_even[2]) - 2 * rate * partial(u_, K) - delta_.d2 * u,
        -rate * rate * u};
    const std::array<Vec3, 4> odd{
        frame.of(y_odd[0], r_odd[0]) + second(d_), frame.of(w, r_odd[1]) + second(w_),
        frame.of(Vec3::Zero(), r_odd[2]) + 2 * rate * partial(w_, K) + delta_.d2 * w,
        -rate * rate * w};
    for (int a = 0; a < 3; ++a) {
      const auto aa = static_cast<size_t>(a);
      f_even[aa] = f_odd[aa] = Vec3::Zero();
      for (int b = 0; b < 4; ++b) {
        f_even[aa] += (m * even_(a, b)) * even[static_cast<size_t>(b)];
        f_odd[aa] += (m * odd_(a, b)) * odd[static_cast<size_t>(b)];
      }
    }
  }

  T delta_;
  Point<T> center_, d_, u_, w_;
  Eigen::Matrix<double, 3, 4> even_, odd_;  ///< averages of products
};

}  // namespace sinew

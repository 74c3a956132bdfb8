#include "sinew/math/so3.hpp"

#include <array>
#include <cmath>

#include "sinew/math/se3.hpp"

// With s = θ² and D = (1/θ) d/dθ = 2 d/ds, so that ∂f(s)/∂q = (Df) qᵀ, everything here needs
//     b = (1 − cos θ)/θ²,  c = (θ − sin θ)/θ³,  b₁ = Db,  c₁ = Dc,  b₂ = D²b,  c₂ = D²c.
// They are members of one family, C_k = Σ_j (−s)^j / (2j+k)!, with b = C₂, c = C₃ and
//     D^m C_k = (−1)^m Σ_j (2j+2)…(2j+2m) (−s)^j / (2j+k+2m)!                          (series)
//     D C_k = (C_{k−1} − k C_k)/s,   D² C_k = (D C_{k−1} − (k+2) D C_k)/s               (closed)
// Each division by s in the closed form loses digits for small θ: at θ = 1, c₂ is wrong by 4000 ε.
// The series is good to rounding as far as its terms decrease, well past π. The switch angles below
// keep both sides within about 4 ε (docs/theory/rotations.md has the table).

namespace sinew {
namespace {

constexpr double kSwitchAngle = 3.5;        // b, c, b₁, c₁
constexpr double kSecondSwitchAngle = 4.5;  // b₂, c₂

template <int k, int m, int terms>
constexpr std::array<double, terms> series_coefficients() {
  std::array<double, terms> a{};
  long double factorial = 1;
  for (int i = 2; i < k + 2 * m; ++i) factorial *= i;
  for (int j = 0; j < terms; ++j) {
    const int n = 2 * j + k + 2 * m;
    factorial *= j == 0 ? n : n * (n - 1.0L);
    long double numerator = (j + m) % 2 == 0 ? 1 : -1;
    for (int i = 1; i <= m; ++i) numerator *= 2 * j + 2 * i;
    a[j] = static_cast<double>(numerator / factorial);
  }
  return a;
}

/// D^m C_k at s = θ² by its series. 14 terms reach rounding at 3.5 rad, 16 at 4.5 rad.
template <int k, int m>
double series(double s) {
  constexpr int terms = m < 2 ? 14 : 16;
  static constexpr auto a = series_coefficients<k, m, terms>();
  double sum = a[terms - 1];
  for (int j = terms - 2; j >= 0; --j) sum = sum * s + a[j];
  return sum;
}

struct ZerothOrder {
  double b, c;
};
struct FirstOrder {
  double b, c, b1, c1;
};
struct SecondOrder {
  double b2, c2;
};

ZerothOrder zeroth_order(double s) {
  if (s <= kSwitchAngle * kSwitchAngle) return {series<2, 0>(s), series<3, 0>(s)};
  const double theta = std::sqrt(s), half_sine = std::sin(0.5 * theta);
  return {2 * half_sine * half_sine / s, (1 - std::sin(theta) / theta) / s};
}

FirstOrder first_order(double s) {
  const auto [b, c] = zeroth_order(s);
  if (s <= kSwitchAngle * kSwitchAngle) return {b, c, series<2, 1>(s), series<3, 1>(s)};
  const double theta = std::sqrt(s);
  return {b, c, (std::sin(theta) / theta - 2 * b) / s, (b - 3 * c) / s};
}

SecondOrder second_order(double s, const FirstOrder& f) {
  if (s <= kSecondSwitchAngle * kSecondSwitchAngle) return {series<2, 2>(s), series<3, 2>(s)};
  const double theta = std::sqrt(s);
  const double a1 = (std::cos(theta) - std::sin(theta) / theta) / s;
  return {(a1 - 4 * f.b1) / s, (f.b1 - 5 * f.c1) / s};
}

/// I + a [q] + b [q]², with [q]² = q qᵀ − θ² I.
Mat3 rodrigues(const Vec3& q, double a, double b) {
  Mat3 m = b * q * q.transpose() + a * skew(q);
  // Diagonal from the two other components: 1 − b (θ² − q_i²) would cancel.
  const Vec3 sq = q.cwiseAbs2();
  m(0, 0) = 1 - b * (sq.y() + sq.z());
  m(1, 1) = 1 - b * (sq.z() + sq.x());
  m(2, 2) = 1 - b * (sq.x() + sq.y());
  return m;
}

}  // namespace

Mat3 exp_so3(const Vec3& q) {
  const double theta = q.norm();
  if (theta == 0) return rodrigues(q, 1, 0.5);
  const double half_sinc = std::sin(0.5 * theta) / (0.5 * theta);
  return rodrigues(q, half_sinc * std::cos(0.5 * theta), 0.5 * half_sinc * half_sinc);
}

Vec3 log_so3(const Mat3& R) {
  // Unit quaternion (w, v) up to a common factor. Dividing by the largest of its components, taken
  // from the symmetric part of R, keeps every other one accurate to rounding; near angle 0 that is
  // w, and v comes from the skew part; near π it is a component of v, and w comes from the skew
  // part.
  const Vec3 skew_part = unskew(R);  // 2 w v
  const double trace = R.trace();
  Vec3 v;
  double w;
  int i;
  const double largest = R.diagonal().maxCoeff(&i);
  if (trace >= largest) {
    w = 0.5 * (1 + trace);  // 2 w²
    v = skew_part;
  } else {
    w = skew_part[i];
    v = 0.5 * (R.col(i) + R.row(i).transpose());  // 2 v_i v, except for the i-th component
    v[i] = 0.5 * (1 + 2 * largest - trace);
    if (w < 0) v = -v;
    w = std::abs(w);
  }
  // q = 2 atan(|v|/w) v/|v|. For a tiny angle |v| may underflow, and q is 2 v/w to rounding.
  const double n = v.norm();
  return (n < 1e-9 * w ? 2 / w : 2 * std::atan2(n, w) / n) * v;
}

Mat3 rotation_about(const Vec3& axis, double angle) {
  const double half_sine = std::sin(0.5 * angle);
  return rodrigues(axis, std::sin(angle), 2 * half_sine * half_sine);
}

Mat3 orthonormalized(const Mat3& R) {
  // Newton's iteration X ← (X + X⁻ᵀ)/2 for the orthogonal polar factor: quadratic, and monotone for
  // any X with det X > 0. X⁻ᵀ is the matrix of cofactors over the determinant.
  Mat3 X = R;
  for (int iteration = 0; iteration < 50; ++iteration) {
    Mat3 cofactors;
    cofactors << X.col(1).cross(X.col(2)), X.col(2).cross(X.col(0)), X.col(0).cross(X.col(1));
    const Mat3 next = 0.5 * (X + cofactors / X.col(0).dot(cofactors.col(0)));
    const double change = (next - X).cwiseAbs().maxCoeff();
    X = next;
    // Quadratic convergence: a change of 1e-9 leaves an error of about 1e-18.
    if (!(change > 1e-9)) break;
  }
  return X;
}

Mat3 right_jacobian(const Vec3& q) {
  const auto [b, c] = zeroth_order(q.squaredNorm());
  return rodrigues(q, -b, c);
}

RightJacobian right_jacobian_and_rate(const Vec3& q, const Vec3& qdot) {
  // J̇ = −ḃ [q] − b [q̇] + ċ [q]² + c ([q̇][q] + [q][q̇]),  ḃ = b₁ q·q̇,  ċ = c₁ q·q̇,
  // [q]² = q qᵀ − (q·q) I. At q = 0 it is −½ [q̇].
  const double s = q.squaredNorm(), sigma = q.dot(qdot);
  const FirstOrder f = first_order(s);
  Mat3 m = (f.c1 * sigma) * q * q.transpose() + f.c * (qdot * q.transpose() + q * qdot.transpose());
  m.diagonal().array() -= f.c1 * sigma * s + 2 * f.c * sigma;
  return {rodrigues(q, -f.b, f.c), m - skew(f.b1 * sigma * q + f.b * qdot)};
}

Mat3 right_jacobian_rate(const Vec3& q, const Vec3& qdot) {
  return right_jacobian_and_rate(q, qdot).rate;
}

Mat3 right_jacobian_product_derivative(const Vec3& q, const Vec3& v) {
  // J v = v − b q×v + c q×(q×v),  q×(q×v) = (q·v) q − (q·q) v.
  const FirstOrder f = first_order(q.squaredNorm());
  const double sigma = q.dot(v);
  const Vec3 u = q.cross(v);
  Mat3 m = (f.c1 * q.cross(u) - f.b1 * u - 2 * f.c * v) * q.transpose() + f.c * q * v.transpose() +
           f.b * skew(v);
  m.diagonal().array() += f.c * sigma;
  return m;
}

Mat3 right_jacobian_rate_product_derivative(const Vec3& q, const Vec3& qdot) {
  // With σ = q·q̇, u = q×q̇ and [q̇] q̇ = 0,
  //     J̇ q̇ = −b₁ σ u + c₁ σ q×u + c q̇×u,
  // and ∂σ = q̇ᵀ, ∂u = −[q̇], ∂(q×u) = σ I + q q̇ᵀ − 2 q̇ qᵀ, ∂(q̇×u) = (q̇·q̇) I − q̇ q̇ᵀ,
  // ∂b₁ = b₂ qᵀ, ∂c₁ = c₂ qᵀ, ∂c = c₁ qᵀ.
  const double s = q.squaredNorm(), sigma = q.dot(qdot);
  const FirstOrder f = first_order(s);
  const auto [b2, c2] = second_order(s, f);
  const Vec3 u = q.cross(qdot), qu = q.cross(u);
  const Vec3 along_q = sigma * (c2 * qu - b2 * u) + f.c1 * qdot.cross(u) - 2 * f.c1 * sigma * qdot;
  const Vec3 along_qdot = f.c1 * (qu + sigma * q) - f.b1 * u - f.c * qdot;
  Mat3 m = along_q * q.transpose() + along_qdot * qdot.transpose() + (f.b1 * sigma) * skew(qdot);
  m.diagonal().array() += f.c1 * sigma * sigma + f.c * qdot.squaredNorm();
  return m;
}

Mat3 right_jacobian_inverse(const Vec3& q) {
  // J⁻¹ = I + ½ [q] + d [q]², d = (1 − (θ/2) cot(θ/2))/θ² = (2b − sin θ/θ)/(2 b θ²) = −b₁/(2b): no
  // difference of nearly equal numbers is left.
  const FirstOrder f = first_order(q.squaredNorm());
  return rodrigues(q, 0.5, -f.b1 / (2 * f.b));
}

}  // namespace sinew

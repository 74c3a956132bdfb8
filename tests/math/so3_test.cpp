#include "sinew/math/so3.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "sinew/math/se3.hpp"
#include "support/random.hpp"

namespace sinew {
namespace so3_test {

using test::Random;
constexpr double kPi = std::numbers::pi;
constexpr double kEps = std::numeric_limits<double>::epsilon();

double max_abs(const MatX& m) { return m.cwiseAbs().maxCoeff(); }

/// Truncated Taylor polynomial f + f_e ε + f_d δ + f_ed εδ with ε² = δ² = 0, in extended precision:
/// differentiates the power series below exactly, twice.
struct HyperDual {
  long double f = 0, e = 0, d = 0, ed = 0;
  HyperDual operator+(const HyperDual& o) const { return {f + o.f, e + o.e, d + o.d, ed + o.ed}; }
  HyperDual operator-(const HyperDual& o) const { return {f - o.f, e - o.e, d - o.d, ed - o.ed}; }
  HyperDual operator*(const HyperDual& o) const {
    return {f * o.f, f * o.e + e * o.f, f * o.d + d * o.f, f * o.ed + e * o.d + d * o.e + ed * o.f};
  }
};
using HyperVec = std::array<HyperDual, 3>;

/// J_r(q) v = Σ_k (−[q])^k v / (k+1)!, at q + ε e + δ d: a definition that shares nothing with the
/// closed forms under test. 60 terms converge for |q| < 8.
HyperVec jacobian_product_by_series(const Vec3& q, const Vec3& v, const Vec3& e, const Vec3& d) {
  HyperVec x, term, sum;
  for (int i = 0; i < 3; ++i) {
    x[i] = {q[i], e[i], d[i], 0};
    term[i] = sum[i] = {v[i], 0, 0, 0};
  }
  for (int k = 1; k < 60; ++k) {
    const HyperDual scale{-1.0L / (k + 1), 0, 0, 0};
    const HyperVec t = term;
    for (int i = 0; i < 3; ++i) {
      const int j = (i + 1) % 3, l = (i + 2) % 3;
      term[i] = scale * (x[j] * t[l] - x[l] * t[j]);
      sum[i] = sum[i] + term[i];
    }
  }
  return sum;
}

struct Reference {
  Mat3 J, Jdot, dJv, dJdot_qdot;
};

Reference reference(const Vec3& q, const Vec3& qdot) {
  Reference r;
  for (int k = 0; k < 3; ++k) {
    const Vec3 unit = Vec3::Unit(k);
    const HyperVec a = jacobian_product_by_series(q, unit, qdot, Vec3::Zero());
    const HyperVec b = jacobian_product_by_series(q, qdot, qdot, unit);
    for (int i = 0; i < 3; ++i) {
      r.J(i, k) = static_cast<double>(a[i].f);
      r.Jdot(i, k) = static_cast<double>(a[i].e);
      r.dJv(i, k) = static_cast<double>(b[i].d);
      r.dJdot_qdot(i, k) = static_cast<double>(b[i].ed);
    }
  }
  return r;
}

/// Zero, tiny, both sides of the switch angles, and around 2π.
std::vector<double> angles() {
  std::vector<double> list = {0, 3.4999, 3.5001, 4.4999, 4.5001, kPi, 2 * kPi, 2 * kPi - 1e-6, 6.5};
  for (int k = 16; k >= 1; --k) list.push_back(std::pow(10.0, -k));
  for (double t = 0.2; t < 6.5; t += 0.1) list.push_back(t);
  return list;
}

/// R = exp([q]) by the power series in extended precision.
Mat3 exp_by_series(const Vec3& q) {
  using MatL = Eigen::Matrix<long double, 3, 3>;
  const MatL w = skew(q).cast<long double>();
  MatL term = MatL::Identity(), sum = term;
  for (int k = 1; k < 60; ++k) sum += term = (term * w / static_cast<long double>(k)).eval();
  return sum.cast<double>();
}

TEST(So3, ExpMatchesThePowerSeries) {
  Random random(1);
  for (double theta : angles()) {
    const Vec3 q = theta * random.unit_vector();
    // The angle itself is known to θ ε; a handful of roundings on top. Off the diagonal the error
    // is relative to θ, so that tiny rotations keep their digits.
    EXPECT_LE(max_abs(exp_so3(q) - exp_by_series(q)), 4 * kEps * std::max(theta, 0.5)) << theta;
    const double skew_error = max_abs(unskew(exp_so3(q)) - unskew(exp_by_series(q)));
    EXPECT_LE(skew_error, 4 * kEps * theta) << theta;
  }
}

TEST(So3, ExpIsARotation) {
  Random random(2);
  for (double theta : angles()) {
    const Mat3 R = exp_so3(theta * random.unit_vector());
    EXPECT_LE(max_abs(R.transpose() * R - Mat3::Identity()), 8 * kEps);  // a few roundings of 1
    EXPECT_NEAR(R.determinant(), 1, 8 * kEps);
  }
}

TEST(So3, LogInvertsExpForTinyAngles) {
  Random random(3);
  for (int k = 1; k <= 300; ++k) {
    const Vec3 q = std::pow(10.0, -k) * random.unit_vector();
    EXPECT_LE((log_so3(exp_so3(q)) - q).norm(), 4 * kEps * q.norm()) << "angle 1e-" << k;
  }
  EXPECT_EQ(log_so3(Mat3::Identity()), Vec3::Zero());
}

TEST(So3, LogInvertsExpNearPi) {
  Random random(4);
  for (int k = 1; k <= 14; ++k) {
    for (int sample = 0; sample < 20; ++sample) {
      const double theta = kPi - std::pow(10.0, -k);
      const Vec3 axis = sample < 3 ? Vec3(Vec3::Unit(sample)) : random.unit_vector();
      const Vec3 q = theta * axis;
      // The entries of R are of order 1 and carry rounding, so the angle is known to a few ε.
      EXPECT_LE((log_so3(exp_so3(q)) - q).norm(), 8 * kEps * kPi) << "pi - 1e-" << k;
    }
  }
}

TEST(So3, LogAtPiIsALogarithmWhateverTheSignOfItsAxis) {
  Random random(5);
  for (double gap : {0.0, 1e-15, -1e-15, 1e-16}) {
    for (int sample = 0; sample < 50; ++sample) {
      const Vec3 axis = sample < 3 ? Vec3(Vec3::Unit(sample)) : random.unit_vector();
      const Vec3 q = (kPi - gap) * axis;
      const Vec3 found = log_so3(exp_so3(q));
      EXPECT_NEAR(found.norm(), kPi, 8 * kEps * kPi);
      EXPECT_LE(std::min((found - q).norm(), (found + q).norm()), 8 * kEps * kPi);
      EXPECT_LE(max_abs(exp_so3(found) - exp_so3(q)), 16 * kEps);
    }
  }
  // Exact half turns, as files give them.
  for (int k = 0; k < 3; ++k) {
    Mat3 half_turn = -Mat3::Identity();
    half_turn(k, k) = 1;
    EXPECT_LE((log_so3(half_turn).cwiseAbs() - kPi * Vec3::Unit(k)).norm(), 2 * kEps * kPi);
  }
}

TEST(So3, LogInvertsExpForAnyAngle) {
  Random random(6);
  for (int sample = 0; sample < 2000; ++sample) {
    const Vec3 q = random.uniform(0, kPi) * random.unit_vector();
    EXPECT_LE((log_so3(exp_so3(q)) - q).norm(), 8 * kEps * std::max(q.norm(), 0.5));
  }
}

TEST(So3, RotationAboutAnAxisIsExp) {
  Random random(7);
  for (double angle : {-7.0, -1e-9, 0.0, 1e-12, 0.5, kPi, 100.0}) {
    const Vec3 axis = random.unit_vector();
    // |axis| = 1 only to rounding, which exp scales by the angle.
    EXPECT_LE(max_abs(rotation_about(axis, angle) - exp_so3(angle * axis)),
              4 * kEps * (1 + std::abs(angle)));
  }
  EXPECT_LE((rotation_about(Vec3::UnitZ(), kPi / 2) * Vec3::UnitX() - Vec3::UnitY()).norm(), kEps);
}

TEST(So3, OrthonormalizedIsTheNearestRotation) {
  Random random(8);
  for (double size : {0.0, 1e-15, 1e-8, 1e-3, 0.3}) {
    const Mat3 R = random.pose().R;
    const Mat3 A = R + size * Mat3(random.matx(3, 3));
    const Mat3 Q = orthonormalized(A);
    EXPECT_LE(max_abs(Q.transpose() * Q - Mat3::Identity()), 8 * kEps);
    EXPECT_GT(Q.determinant(), 0);
    // Polar factor: QᵀA is symmetric (and positive definite), which singles out the nearest.
    EXPECT_LE(max_abs(unskew(Q.transpose() * A)), 8 * kEps);
    EXPECT_LE((Q - A).norm(), (R - A).norm() + 8 * kEps);
  }
}

TEST(So3, JacobianAndDerivativesMatchTheirSeriesAtEveryAngle) {
  Random random(9);
  for (double theta : angles()) {
    for (int sample = 0; sample < 10; ++sample) {
      const Vec3 q = theta * random.unit_vector();
      const Vec3 qdot = random.vec3();
      const Reference r = reference(q, qdot);
      // Coefficients are good to 4 ε, and sums of a few terms of the size of the largest entry (up
      // to six times the result where they cancel) add roundings.
      const auto tolerance = [](const Mat3& m) { return 32 * kEps * std::max(max_abs(m), 0.1); };
      EXPECT_LE(max_abs(right_jacobian(q) - r.J), tolerance(r.J)) << theta;
      EXPECT_LE(max_abs(right_jacobian_rate(q, qdot) - r.Jdot), tolerance(r.Jdot)) << theta;
      EXPECT_LE(max_abs(right_jacobian_product_derivative(q, qdot) - r.dJv), tolerance(r.dJv))
          << theta;
      EXPECT_LE(max_abs(right_jacobian_rate_product_derivative(q, qdot) - r.dJdot_qdot),
                tolerance(r.dJdot_qdot))
          << theta;
    }
  }
}

TEST(So3, JacobianRateAtZeroIsMinusHalfTheSkewOfTheVelocity) {
  const Vec3 qdot(0.3, -1.2, 2);
  EXPECT_EQ(right_jacobian_rate(Vec3::Zero(), qdot), -0.5 * skew(qdot));
  EXPECT_EQ(right_jacobian(Vec3::Zero()), Mat3::Identity());
}

TEST(So3, RightJacobianMapsCoordinateRatesToBodyAngularVelocity) {
  // ω = (Rᵀ dR/dt)ˇ, by a fourth-order central difference of exp: truncation h⁴ ~ 1e-12·|d⁵R|/30
  // and rounding ε/h ~ 1e-13.
  Random random(10);
  for (double theta : {0.0, 1e-9, 1e-4, 1.0, 2.5, kPi, 5.0, 2 * kPi - 1e-3}) {
    const Vec3 q = theta * random.unit_vector(), qdot = random.vec3();
    const double h = 1e-3;
    const auto R = [&](double t) { return exp_so3(q + t * qdot); };
    const Mat3 Rdot = (8 * (R(h) - R(-h)) - (R(2 * h) - R(-2 * h))) / (12 * h);
    EXPECT_LE((unskew(R(0).transpose() * Rdot) - right_jacobian(q) * qdot).norm(), 3e-12) << theta;
  }
}

TEST(So3, RightJacobianInverseInvertsUpToItsSingularity) {
  Random random(11);
  for (double theta : angles()) {
    const Vec3 q = theta * random.unit_vector();
    const Mat3 inverse = right_jacobian_inverse(q);
    if (theta == 2 * kPi) continue;  // singular there
    // Rounding is amplified by the condition number, which grows like 1/|θ − 2π|.
    EXPECT_LE(max_abs(right_jacobian(q) * inverse - Mat3::Identity()),
              8 * kEps * std::max(1.0, max_abs(inverse)))
        << theta;
  }
}

}  // namespace so3_test
}  // namespace sinew

#include "sinew/math/se3.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "support/random.hpp"

namespace sinew {
namespace se3_test {

using test::Random;
constexpr double kPi = std::numbers::pi;
constexpr double kEps = std::numeric_limits<double>::epsilon();
// A handful of roundings of quantities of order 1 to 4.
constexpr double kRounding = 16 * kEps;

double max_abs(const MatX& m) { return m.cwiseAbs().maxCoeff(); }

Mat4 hat(const Vec6& phi) {
  Mat4 m = Mat4::Zero();
  m.topLeftCorner<3, 3>() = skew(phi.head<3>());
  m.topRightCorner<3, 1>() = phi.tail<3>();
  return m;
}

/// exp of the 4×4 matrix by its power series in extended precision.
Mat4 exp_by_series(const Vec6& phi) {
  using MatL = Eigen::Matrix<long double, 4, 4>;
  const MatL w = hat(phi).cast<long double>();
  MatL term = MatL::Identity(), sum = term;
  for (int k = 1; k < 60; ++k) sum += term = (term * w / static_cast<long double>(k)).eval();
  return sum.cast<double>();
}

Vec6 twist(Random& random, double angle) {
  Vec6 phi = random.vec6();
  phi.head<3>() = angle * random.unit_vector();
  return phi;
}

TEST(Se3, SkewAndUnskewAreInverse) {
  const Vec3 a(1, 2, 3), b(-4, 0.5, 2);
  EXPECT_EQ(skew(a) * b, a.cross(b));
  EXPECT_EQ(unskew(skew(a)), a);
  EXPECT_EQ(unskew(Mat3::Identity()), Vec3::Zero());
}

TEST(Se3, PosesFormAGroup) {
  Random random(1);
  for (int i = 0; i < 100; ++i) {
    const Pose A = random.pose(), B = random.pose(), C = random.pose();
    EXPECT_LE(max_abs(((A * B) * C).matrix() - (A * (B * C)).matrix()), kRounding);
    EXPECT_LE(max_abs((A * A.inverse()).matrix() - Mat4::Identity()), kRounding);
    EXPECT_LE(max_abs((A * B).matrix() - A.matrix() * B.matrix()), kRounding);
    const Vec3 x = random.vec3();
    EXPECT_LE(((A * B) * x - A * (B * x)).norm(), kRounding);
  }
}

TEST(Se3, ExpMatchesThePowerSeries) {
  Random random(2);
  for (double angle : {0.0, 1e-16, 1e-12, 1e-9, 1e-4, 1e-2, 0.5, 1.5, 3.0, kPi, 3.6, 5.0, 6.4}) {
    const Vec6 phi = twist(random, angle);
    EXPECT_LE(max_abs(exp(phi).matrix() - exp_by_series(phi)), kRounding) << angle;
  }
}

TEST(Se3, LogInvertsExpForTinyTwists) {
  Random random(3);
  for (int k = 0; k <= 16; ++k) {
    // The whole twist tiny: each part keeps its own digits.
    const Vec6 phi = std::pow(10.0, -k) * random.vec6();
    const Vec6 found = log(exp(phi));
    EXPECT_LE((found - phi).norm(), 4 * kEps * phi.norm()) << "1e-" << k;
    // A tiny rotation beside a finite translation.
    const Vec6 mixed = twist(random, std::pow(10.0, -k));
    const Vec6 error = log(exp(mixed)) - mixed;
    EXPECT_LE(error.head<3>().norm(), 4 * kEps * mixed.head<3>().norm()) << "1e-" << k;
    EXPECT_LE(error.tail<3>().norm(), 4 * kEps * mixed.norm()) << "1e-" << k;
  }
}

TEST(Se3, LogInvertsExpNearPi) {
  Random random(4);
  for (int k = 1; k <= 14; ++k) {
    for (int sample = 0; sample < 20; ++sample) {
      const Vec6 phi = twist(random, kPi - std::pow(10.0, -k));
      EXPECT_LE((log(exp(phi)) - phi).norm(), kRounding * phi.norm()) << "pi - 1e-" << k;
    }
  }
}

TEST(Se3, LogAtPiIsALogarithm) {
  Random random(5);
  for (double gap : {0.0, 1e-15, -1e-15}) {
    for (int sample = 0; sample < 50; ++sample) {
      const Pose E = exp(twist(random, kPi - gap));
      const Vec6 phi = log(E);
      EXPECT_NEAR(phi.head<3>().norm(), kPi, kRounding);
      EXPECT_LE(max_abs(exp(phi).matrix() - E.matrix()), 2 * kRounding);
    }
  }
}

TEST(Se3, LogInvertsExpForAnyAngle) {
  Random random(6);
  for (int i = 0; i < 1000; ++i) {
    const Vec6 phi = twist(random, random.uniform(0, kPi));
    EXPECT_LE((log(exp(phi)) - phi).norm(), kRounding * phi.norm());
    const Pose E = random.pose(3);
    EXPECT_LE(max_abs(exp(log(E)).matrix() - E.matrix()), 2 * kRounding);
  }
}

TEST(Se3, AdIsAHomomorphism) {
  Random random(7);
  for (int i = 0; i < 100; ++i) {
    const Pose A = random.pose(), B = random.pose();
    EXPECT_LE(max_abs(Ad(A * B) - Ad(A) * Ad(B)), kRounding);
    EXPECT_LE(max_abs(Ad(A.inverse()) * Ad(A) - Mat6::Identity()), kRounding);
  }
}

TEST(Se3, AdIsConjugationOfTwists) {
  // [Ad(E) φ] = E [φ] E⁻¹.
  Random random(8);
  const Pose E = random.pose();
  const Vec6 phi = random.vec6();
  EXPECT_LE(max_abs(hat(Ad(E) * phi) - E.matrix() * hat(phi) * E.inverse().matrix()), kRounding);
}

TEST(Se3, RateOfAdIsAdTimesAd) {
  // d/dt Ad(E exp(t φ)) at 0 by fourth-order differences: truncation and rounding near 1e-12.
  Random random(9);
  for (int i = 0; i < 20; ++i) {
    const Pose E = random.pose();
    const Vec6 phi = random.vec6();
    const double h = 1e-3;
    const auto at = [&](double t) { return Ad(E * exp(t * phi)); };
    const Mat6 rate = (8 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12 * h);
    EXPECT_LE(max_abs(rate - Ad(E) * ad(phi)), 1e-11);
  }
}

TEST(Se3, AdOfExpIsExpOfAd) {
  Random random(10);
  const Vec6 phi = random.vec6(2);
  Mat6 term = Mat6::Identity(), sum = term;
  for (int k = 1; k < 60; ++k) sum += term = (term * ad(phi) / k).eval();
  EXPECT_LE(max_abs(Ad(exp(phi)) - sum), 10 * kRounding);  // the series sums terms of up to e³
}

TEST(Se3, BracketIsAntisymmetricAndMeetsJacobisIdentity) {
  Random random(11);
  const Vec6 a = random.vec6(), b = random.vec6(), c = random.vec6();
  EXPECT_LE((ad_times(a, b) + ad_times(b, a)).norm(), kRounding);
  EXPECT_LE(
      (ad_times(a, ad_times(b, c)) + ad_times(b, ad_times(c, a)) + ad_times(c, ad_times(a, b)))
          .norm(),
      kRounding);
}

TEST(Se3, ProductsWithoutMatricesMatchTheMatrices) {
  Random random(12);
  for (int i = 0; i < 50; ++i) {
    const Pose E = random.pose();
    const Vec6 a = random.vec6(), b = random.vec6();
    EXPECT_LE((Ad_times(E, a) - Ad(E) * a).norm(), kRounding);
    EXPECT_LE((Ad_inverse_times(E, a) - Ad(E.inverse()) * a).norm(), kRounding);
    EXPECT_LE((Ad_transpose_times(E, a) - Ad(E).transpose() * a).norm(), kRounding);
    EXPECT_LE((Ad_inverse_transpose_times(E, a) - Ad(E.inverse()).transpose() * a).norm(),
              kRounding);
    EXPECT_LE((ad_times(a, b) - ad(a) * b).norm(), kRounding);
    EXPECT_LE((ad_transpose_times(a, b) - ad(a).transpose() * b).norm(), kRounding);
  }
}

}  // namespace se3_test
}  // namespace sinew

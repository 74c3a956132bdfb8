#include "sinew/math/dual.hpp"

#include <gtest/gtest.h>

#include "sinew/math/smooth_ramp.hpp"

namespace sinew {
namespace dual_test {

/// A function that uses every operation, of two variables.
template <class T>
T everything(const T& x, const T& y) {
  using std::sqrt, std::exp, std::log, std::sin, std::cos, std::tanh, std::asin, std::acos,
      std::atan2;
  T z = sqrt(1.0 + x * x) / (2.0 - y) + exp(0.3 * x) * log(3.0 + y) - sin(x * y) * cos(x - 1.0);
  z +=
      tanh(x + y) * asin(0.4 * x) + acos(0.3 * y) / 2.0 - atan2(1.0 + y, x - 2.0) + 1.0 / (x + 4.0);
  z -= smooth_ramp(x - y, T(0.9) + 0.1 * x);
  return z;
}

constexpr double kX = 0.37, kY = -0.21;
// Central differences of step 1e-4 are wrong by about 1e-8 of the third derivative (of order one).
constexpr double kStep = 1e-4, kTolerance = 3e-7;

TEST(Dual, PartialDerivativesAreThoseOfDifferences) {
  using D = Dual<double, 2>;
  const D z = everything(D::Variable(kX, 0), D::Variable(kY, 1));
  EXPECT_DOUBLE_EQ(z.v, everything(kX, kY));
  EXPECT_NEAR(z.d[0], (everything(kX + kStep, kY) - everything(kX - kStep, kY)) / (2 * kStep),
              kTolerance);
  EXPECT_NEAR(z.d[1], (everything(kX, kY + kStep) - everything(kX, kY - kStep)) / (2 * kStep),
              kTolerance);
}

TEST(Dual, NestedOnesHaveSymmetricSecondDerivatives) {
  using D = Dual<double, 2>;
  using DD = Dual<D, 2>;
  DD x = DD::Variable(D::Variable(kX, 0), 0), y = DD::Variable(D::Variable(kY, 1), 1);
  const DD z = everything(x, y);
  EXPECT_NEAR(z.d[0].d[1], z.d[1].d[0], 1e-14);  // rounding
  const auto slope = [](double at) { return everything(D::Variable(at, 0), D::Variable(kY, 1)).d; };
  for (size_t k = 0; k < 2; ++k)
    EXPECT_NEAR(z.d[k].d[0], (slope(kX + kStep)[k] - slope(kX - kStep)[k]) / (2 * kStep),
                kTolerance);
}

/// Along x = kX + 0.8 t + t²/2·0.3, y = kY − 0.5 t + t²/2·0.9.
double along(double t) {
  return everything(kX + 0.8 * t + 0.15 * t * t, kY - 0.5 * t + 0.45 * t * t);
}

TEST(Taylor2, FollowsACurveToSecondOrder) {
  const Taylor2<double> z =
      everything(Taylor2<double>(kX, 0.8, 0.3), Taylor2<double>(kY, -0.5, 0.9));
  EXPECT_NEAR(z.d1, (along(kStep) - along(-kStep)) / (2 * kStep), kTolerance);
  EXPECT_NEAR(z.d2, (along(kStep) - 2 * along(0) + along(-kStep)) / (kStep * kStep), kTolerance);
}

TEST(Taylor2, OverDualsDifferentiatesAccelerations) {
  using D = Dual<double, 1>;
  const auto acceleration = [](const D& x) {
    return everything(Taylor2<D>(x, D(0.8), D(0.3)), Taylor2<D>(D(kY), D(-0.5), D(0.9))).d2;
  };
  const double difference =
      (acceleration(D(kX + kStep)).v - acceleration(D(kX - kStep)).v) / (2 * kStep);
  EXPECT_NEAR(acceleration(D::Variable(kX, 0)).d[0], difference, 10 * kTolerance);
}

TEST(MotionDual, IsBothAtOnce) {
  using D = Dual<double, 2>;
  MotionDual<2> x(kX), y(kY);
  x.d = {1, 0, 0.8};
  y.d = {0, 1, -0.5};
  x.d2 = 0.3;
  y.d2 = 0.9;
  const MotionDual<2> z = everything(x, y);
  const D partial = everything(D::Variable(kX, 0), D::Variable(kY, 1));
  const Taylor2<double> motion =
      everything(Taylor2<double>(kX, 0.8, 0.3), Taylor2<double>(kY, -0.5, 0.9));
  // The same formulas: rounding.
  EXPECT_NEAR(z.d[0], partial.d[0], 1e-15);
  EXPECT_NEAR(z.d[1], partial.d[1], 1e-15);
  EXPECT_NEAR(z.rate(), motion.d1, 1e-15);
  EXPECT_NEAR(z.d2, motion.d2, 1e-14);
}

TEST(Dual, LivesInEigensSmallMatrices) {
  using D = Dual<double, 3>;
  Point<D> x;
  for (int k = 0; k < 3; ++k) x[k] = D::Variable(k + 1.0, k);
  const Mat3 A = (Mat3() << 2, 1, 0, 1, 3, 1, 0, 1, 4).finished();
  const D form = x.dot(A * x);
  const Vec3 gradient = 2 * A * Vec3(1, 2, 3);
  for (int k = 0; k < 3; ++k) EXPECT_DOUBLE_EQ(form.d[static_cast<size_t>(k)], gradient[k]);
  const Point<D> c = x.cross(Point<D>(2.0 * x + Vec3(0, 0, 1)));  // x × ẑ
  EXPECT_DOUBLE_EQ(value_of(c[0]), 2);
  EXPECT_DOUBLE_EQ(c[1].d[0], -1);
}

}  // namespace dual_test
}  // namespace sinew

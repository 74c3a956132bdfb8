#include "sinew/math/piecewise_polynomial.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "sinew/math/scalar_function.hpp"

namespace sinew {
namespace piecewise_polynomial_test {

const std::vector<double> kX = {-1, -0.3, 0.2, 0.9, 1.4, 2.5};
const std::vector<double> kY = {0.4, -0.2, 0.7, 1.1, -0.5, 0.3};

double cubic(double x) { return 1 - 2 * x + 0.5 * x * x + 3 * x * x * x; }

std::vector<PiecewisePolynomial> every_kind() {
  return {PiecewisePolynomial::Linear(kX, kY),     PiecewisePolynomial::EndCubic(kX, kY),
          PiecewisePolynomial::Natural(kX, kY, 1), PiecewisePolynomial::Natural(kX, kY, 2),
          PiecewisePolynomial::Natural(kX, kY, 3), PiecewisePolynomial::Natural(kX, kY, 4)};
}

TEST(PiecewisePolynomial, PassesThroughItsPointsFromBothSides) {
  for (const PiecewisePolynomial& f : every_kind())
    for (size_t i = 0; i < kX.size(); ++i)
      for (const double side : {-1e-9, 0.0, 1e-9})
        // Slopes are below 100.
        EXPECT_NEAR(f.derivatives(kX[i] + side)[0], kY[i], 1e-7);
}

TEST(PiecewisePolynomial, DerivativesAreThoseOfTheValue) {
  for (const PiecewisePolynomial& f : every_kind())
    for (double x = -1.55; x < 3; x += 0.31)
      for (size_t k = 0; k < 3; ++k) {
        const double h = 1e-5;
        const double slope = (f.derivatives(x + h)[k] - f.derivatives(x - h)[k]) / (2 * h);
        // Rounding ε/h and truncation h² of functions of size 100.
        EXPECT_NEAR(f.derivatives(x)[k + 1], slope, 1e-6) << "x = " << x << ", k = " << k;
      }
}

TEST(PiecewisePolynomial, EndCubicReproducesACubicAndGoesOnStraight) {
  std::vector<double> y;
  for (const double x : kX) y.push_back(cubic(x));
  const auto f = PiecewisePolynomial::EndCubic(kX, y);
  for (double x = -1; x <= 2.5; x += 0.07) EXPECT_NEAR(f.derivatives(x)[0], cubic(x), 1e-13);
  const double slope = -2 + 2.5 + 9 * 2.5 * 2.5;
  EXPECT_NEAR(f.derivatives(3.5)[0], cubic(2.5) + slope, 1e-12);
  EXPECT_EQ(f.derivatives(3.5)[2], 0);
  EXPECT_EQ(f.derivatives(-2)[2], 0);
}

TEST(PiecewisePolynomial, NaturalCubicIsTheNaturalCubicSpline) {
  const auto f = PiecewisePolynomial::Natural(kX, kY, 2);
  const NaturalCubicSpline other(kX, kY);
  for (double x = -2; x < 3.5; x += 0.11)
    for (size_t k = 0; k < 3; ++k)
      // The dense system of |x|³ loses a few digits.
      EXPECT_NEAR(f.derivatives(x)[k], other.derivatives(x)[k], 1e-12);
}

TEST(PiecewisePolynomial, NaturalQuinticIsAParabolaOutsideAndHasFourContinuousDerivatives) {
  const auto f = PiecewisePolynomial::Natural(kX, kY, 3);
  EXPECT_EQ(f.derivatives(-3)[3], 0);
  EXPECT_EQ(f.derivatives(4)[3], 0);
  for (const double x : kX)
    for (size_t k = 0; k < 4; ++k)
      EXPECT_NEAR(f.derivatives(x - 1e-10)[k], f.derivatives(x + 1e-10)[k], 1e-7);
}

TEST(PiecewisePolynomial, SaysWhatIsWrongWithItsPoints) {
  EXPECT_EQ(PiecewisePolynomial::Linear({0}, {1}).defect(), "has fewer than 2 points");
  EXPECT_EQ(PiecewisePolynomial::EndCubic({0, 1}, {1}).defect(),
            "has different numbers of x and y values");
  EXPECT_EQ(PiecewisePolynomial::EndCubic({0, 1, 1}, {1, 2, 3}).defect(),
            "has an x that does not increase, at point 3");
  EXPECT_EQ(PiecewisePolynomial::Natural({0, 1}, {1, NAN}, 2).defect(),
            "has a value that is not finite");
  EXPECT_EQ(PiecewisePolynomial::Natural({0, 1, 2, 3, 4}, {1, 2, 0, 0, 0}, 5).defect(),
            "has a half order that is not 1, 2, 3 or 4");
}

TEST(ScalarFunction, ScalesEveryKind) {
  const std::vector<ScalarFunction> functions = {
      ConstantFunction{2},           LinearFunction{{3}, 1},
      PolynomialFunction{{1, 2, 3}}, SineFunction{2, 3, 0.4, 1},
      NaturalCubicSpline(kX, kY),    PiecewisePolynomial::EndCubic(kX, kY)};
  const std::vector<double> q = {0.37}, qdot = {1.3};
  for (const ScalarFunction& f : functions) {
    const std::vector<int> argument(static_cast<size_t>(argument_count(f)), 0);
    const JointFunctionValue one = evaluate(f, argument, q, qdot),
                             two = evaluate(scaled(f, -2), argument, q, qdot);
    EXPECT_NEAR(two.value, -2 * one.value, 1e-14);
    EXPECT_NEAR(two.gradient[0], -2 * one.gradient[0], 1e-14);
    EXPECT_NEAR(two.hessian[0][0], -2 * one.hessian[0][0], 1e-13);
    EXPECT_NEAR(two.third[0], -2 * one.third[0], 1e-12);
  }
}

}  // namespace piecewise_polynomial_test
}  // namespace sinew

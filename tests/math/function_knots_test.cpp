#include "sinew/math/function_knots.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace sinew {
namespace function_knots_test {

using testing::ElementsAre;
using testing::IsEmpty;

const std::vector<double> kX{-1, 0, 0.7, 2, 3}, kY{0.3, -0.2, 0.5, 1.1, 0.4};

/// "x:order", in order.
std::vector<std::string> knots(const ScalarFunction& f) {
  std::vector<std::string> out;
  for (const FunctionKnot& knot : knots_of(f)) {
    char text[40];
    std::snprintf(text, sizeof text, "%g:%d", knot.x, knot.order);
    out.emplace_back(text);
  }
  return out;
}

TEST(FunctionKnots, AreWhereTheLowestDerivativeThatJumpsDoes) {
  EXPECT_THAT(knots(PiecewisePolynomial::Linear(kX, kY)), ElementsAre("0:1", "0.7:1", "2:1"));
  EXPECT_THAT(knots(PiecewisePolynomial::EndCubic(kX, kY)),
              ElementsAre("-1:2", "0:3", "0.7:3", "2:3", "3:2"));
  EXPECT_THAT(knots(NaturalCubicSpline(kX, kY)), ElementsAre("-1:3", "0:3", "0.7:3", "2:3", "3:3"));
  // Natural splines of degree 2m − 1 bend in derivative 2m − 1, at their ends, too.
  EXPECT_THAT(knots(PiecewisePolynomial::Natural(kX, kY, 1)),
              ElementsAre("-1:1", "0:1", "0.7:1", "2:1", "3:1"));
  EXPECT_THAT(knots(PiecewisePolynomial::Natural(kX, kY, 2)),
              ElementsAre("-1:3", "0:3", "0.7:3", "2:3", "3:3"));
  EXPECT_THAT(knots(PiecewisePolynomial::Natural(kX, kY, 3)), IsEmpty());
  EXPECT_THAT(knots(PiecewisePolynomial::Natural(kX, kY, 4)), IsEmpty());
  EXPECT_THAT(knots(PiecewisePolynomial::EndCubic(kX, kY).scaled(1e-6)),
              ElementsAre("-1:2", "0:3", "0.7:3", "2:3", "3:2"));
}

TEST(FunctionKnots, AreNoneWhereOneFormulaHolds) {
  EXPECT_THAT(knots(ConstantFunction{2}), IsEmpty());
  EXPECT_THAT(knots(LinearFunction{{2}, 1}), IsEmpty());
  EXPECT_THAT(knots(PolynomialFunction{{1, 2, 3, 4}}), IsEmpty());
  EXPECT_THAT(knots(SineFunction{}), IsEmpty());
  std::vector<double> line, parabola, cubic;
  for (const double x : kX) {
    line.push_back(0.3 - 0.7 * x);
    parabola.push_back(x * x);
    cubic.push_back(x * x * x);
  }
  EXPECT_THAT(knots(PiecewisePolynomial::Linear(kX, line)), IsEmpty());
  EXPECT_THAT(knots(PiecewisePolynomial::EndCubic(kX, line)), IsEmpty());
  EXPECT_THAT(knots(NaturalCubicSpline(kX, line)), IsEmpty());
  EXPECT_THAT(knots(PiecewisePolynomial::EndCubic({0, 1}, {0, 1})), IsEmpty());
  // Only their straight continuations differ.
  EXPECT_THAT(knots(PiecewisePolynomial::EndCubic(kX, parabola)), ElementsAre("-1:2", "3:2"));
  EXPECT_THAT(knots(PiecewisePolynomial::EndCubic(kX, cubic)), ElementsAre("-1:2", "3:2"));
}

TEST(FunctionKnots, AreNotMadeByRounding) {
  // Forty points far from 0: equations for the coefficients keep few digits of high derivatives.
  for (const int points : {10, 40}) {
    std::vector<double> x, y;
    for (int k = 0; k < points; ++k) {
      x.push_back(100 + 0.1 * k + 0.03 * std::sin(k));
      y.push_back(5 + std::sin(x.back()));
    }
    for (const int m : {3, 4})
      EXPECT_THAT(knots(PiecewisePolynomial::Natural(x, y, m)), IsEmpty()) << points << " " << m;
    for (const FunctionKnot& knot : knots_of(NaturalCubicSpline(x, y))) EXPECT_EQ(knot.order, 3);
    for (const FunctionKnot& knot : knots_of(PiecewisePolynomial::EndCubic(x, y)))
      EXPECT_EQ(knot.order, knot.x == x.front() || knot.x == x.back() ? 2 : 3);
  }
}

}  // namespace function_knots_test
}  // namespace sinew

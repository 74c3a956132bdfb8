#include "sinew/math/scalar_function.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "support/finite_difference.hpp"

namespace sinew {
namespace scalar_function_test {

const NaturalCubicSpline kSpline({-1, 0, 0.7, 2, 3}, {0.3, -0.2, 0.5, 1.1, 0.4});
const std::vector<double> kQ{0.4, -0.6, 1.3}, kQdot{0.9, 1.7, -0.8};

struct Case {
  ScalarFunction f;
  std::vector<int> arguments;
};

const std::vector<Case> kCases{{ConstantFunction{1.5}, {}},
                               {LinearFunction{{0.5, -2}, 0.3}, {2, 0}},
                               {LinearFunction{{0.5, -2}, 0.3}, {1, 1}},
                               {PolynomialFunction{{0.2, -1, 0.4, 0.7, -0.3}}, {1}},
                               {SineFunction{0.7, 1.9, 0.4, -0.2}, {2}},
                               {SineProduct{-0.8, {0.3, 1.1}}, {2, 0}},
                               {SineProduct{0.8, {0.3, 1.1, -0.2}}, {1, 2, 1}},
                               {kSpline, {0}}};

JointFunctionValue at(const Case& c, const VecX& q) {
  return evaluate(c.f, c.arguments, {q.data(), 3}, {kQdot.data(), 3});
}

// Each derivative is the difference quotient of the one before; 1e-7 is far above what differences
// leave (about 1e-10) and far below any wrong term.
TEST(ScalarFunction, JetsAreConsistentDerivatives) {
  const VecX q = Eigen::Map<const VecX>(kQ.data(), 3),
             qdot = Eigen::Map<const VecX>(kQdot.data(), 3);
  for (const Case& c : kCases) {
    const JointFunctionValue jet = at(c, q);
    const auto gradient = [&](const VecX& x) -> VecX {
      return Eigen::Map<const VecX>(at(c, x).gradient.data(), 3);
    };
    const auto hessian_qdot = [&](const VecX& x) -> VecX {
      const JointFunctionValue j = at(c, x);
      VecX sum = VecX::Zero(1);
      for (int i = 0; i < 3; ++i)
        for (int k = 0; k < 3; ++k) sum[0] += j.hessian[i][k] * qdot[i] * qdot[k];
      return sum;
    };
    MatX H(3, 3);
    for (int i = 0; i < 3; ++i)
      for (int k = 0; k < 3; ++k) H(i, k) = jet.hessian[i][k];
    const auto value = [&](const VecX& x) -> VecX { return VecX::Constant(1, at(c, x).value); };
    const MatX g = Eigen::Map<const VecX>(jet.gradient.data(), 3).transpose();
    const MatX t = Eigen::Map<const VecX>(jet.third.data(), 3).transpose();
    EXPECT_LE(check_derivative(value, q, g).best_error, 1e-7) << c.f.index();
    EXPECT_LE(check_derivative(gradient, q, H).best_error, 1e-7) << c.f.index();
    EXPECT_LE(check_derivative(hessian_qdot, q, t).best_error, 1e-7) << c.f.index();
  }
}

TEST(ScalarFunction, ValuesAreAsDefined) {
  const VecX q = Eigen::Map<const VecX>(kQ.data(), 3);
  EXPECT_EQ(at(kCases[0], q).value, 1.5);
  EXPECT_DOUBLE_EQ(at(kCases[1], q).value, 0.3 + 0.5 * 1.3 - 2 * 0.4);
  const double x = -0.6;
  EXPECT_DOUBLE_EQ(at(kCases[3], q).value,
                   0.2 - x + 0.4 * x * x + 0.7 * x * x * x - 0.3 * x * x * x * x);
  EXPECT_DOUBLE_EQ(at(kCases[4], q).value, -0.2 + 0.7 * std::sin(1.9 * 1.3 + 0.4));
}

TEST(NaturalCubicSpline, PassesThroughItsPointsWithContinuousCurvature) {
  const auto& x = kSpline.x();
  for (size_t i = 0; i < x.size(); ++i) {
    EXPECT_NEAR(kSpline.derivatives(x[i])[0], kSpline.y()[i], 1e-15);
    for (size_t k = 0; k < 3; ++k) {
      const double before = kSpline.derivatives(x[i] - 1e-12)[k];
      const double after = kSpline.derivatives(x[i] + 1e-12)[k];
      EXPECT_NEAR(before, after, 1e-10);  // third derivatives below 10, times the step
    }
  }
}

TEST(NaturalCubicSpline, IsStraightBeyondItsEnds) {
  EXPECT_NEAR(kSpline.derivatives(-1)[2], 0, 1e-15);
  EXPECT_NEAR(kSpline.derivatives(3)[2], 0, 1e-14);
  for (const double x : {-2.5, 4.0}) {
    const double end = x < 0 ? -1 : 3;
    const auto at_end = kSpline.derivatives(end), far = kSpline.derivatives(x);
    EXPECT_NEAR(far[0], at_end[0] + at_end[1] * (x - end), 1e-14);
    EXPECT_NEAR(far[1], at_end[1], 1e-14);
    EXPECT_EQ(far[2], 0);
  }
}

// By hand: 2 (1 + 1) m₁ = 6 (−1 − 1), so f'' = −3 in the middle of a tent.
TEST(NaturalCubicSpline, MatchesAHandComputedTent) {
  const NaturalCubicSpline tent({0, 1, 2}, {0, 1, 0});
  EXPECT_DOUBLE_EQ(tent.derivatives(1)[2], -3);
  EXPECT_DOUBLE_EQ(tent.derivatives(0)[1], 1.5);
  EXPECT_DOUBLE_EQ(tent.derivatives(0.5)[0], 0.6875);
  const NaturalCubicSpline line({1, 3}, {2, 6});
  EXPECT_DOUBLE_EQ(line.derivatives(2)[0], 4);
}

TEST(ScalarFunction, SaysWhatIsWrong) {
  EXPECT_EQ(function_defect(kSpline), "");
  EXPECT_EQ(function_defect(ConstantFunction{std::nan("")}),
            "function has a coefficient that is not finite");
  EXPECT_EQ(function_defect(LinearFunction{{}, 1}), "function has no coefficients");
  EXPECT_EQ(function_defect(PolynomialFunction{}), "function has no coefficients");
  EXPECT_EQ(function_defect(SineFunction{1, INFINITY, 0, 0}),
            "function has a coefficient that is not finite");
  EXPECT_EQ(function_defect(NaturalCubicSpline({0}, {1})), "spline has fewer than 2 points");
  EXPECT_EQ(function_defect(NaturalCubicSpline({0, 1}, {1})),
            "spline has different numbers of x and y values");
  EXPECT_EQ(function_defect(NaturalCubicSpline({0, 1, 1}, {1, 2, 3})),
            "spline's x does not increase at point 3");
}

}  // namespace scalar_function_test
}  // namespace sinew

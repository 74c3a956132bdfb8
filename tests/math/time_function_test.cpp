#include "sinew/math/time_function.hpp"

#include <gtest/gtest.h>

#include "sinew/core/error.hpp"
#include "support/finite_difference.hpp"

namespace sinew {
namespace time_function_test {

using Interpolation = TimeFunction::Interpolation;

void expect_derivatives(const TimeFunction& f, double t) {
  const auto at = f.derivatives(t);
  const auto value = [&](int k) {
    return [&f, k](const VecX& x) {
      return VecX(VecX::Constant(1, f.derivatives(x[0])[static_cast<size_t>(k)]));
    };
  };
  for (int k = 0; k < 2; ++k) {
    const auto sweep = check_derivative(value(k), VecX::Constant(1, t),
                                        MatX::Constant(1, 1, at[static_cast<size_t>(k) + 1]));
    EXPECT_TRUE(sweep.confirms()) << "derivative " << k + 1 << '\n' << sweep.table();
  }
}

TEST(TimeFunction, DerivativesAgreeWithDifferences) {
  expect_derivatives(SigmoidFunction{1.5, 2, 3.5, 0.2}, 3.1);
  expect_derivatives(SigmoidFunction{-1.5, -2, 3.5, 0.2}, 4.4);
  expect_derivatives(ScalarFunction(SineFunction{0.5, 2, 0.3, 0.1}), 0.7);
  expect_derivatives(ScalarFunction(PolynomialFunction{{1, -2, 0.5, 0.3}}), 0.7);
  expect_derivatives(
      TimeFunction::Table({0, 1, 3, 4}, {0, 2, -1, 1}, Interpolation::cubic, "table"), 1.7);
}

TEST(TimeFunction, SigmoidNeitherOverflowsNorLosesItsTails) {
  const TimeFunction f = SigmoidFunction{2, 10, 0, 1};
  EXPECT_DOUBLE_EQ(f.derivatives(1e6)[0], 3);
  EXPECT_DOUBLE_EQ(f.derivatives(-1e6)[0], 1);
  EXPECT_DOUBLE_EQ(f.derivatives(-1e6)[1], 0);
  EXPECT_DOUBLE_EQ(f.derivatives(0)[0], 2);
}

TEST(TimeFunction, TablesHoldJoinOrSmooth) {
  const std::vector<double> t = {1, 2, 4}, y = {5, 7, 3};
  const auto step = TimeFunction::Table(t, y, Interpolation::step, "x");
  const auto linear = TimeFunction::Table(t, y, Interpolation::linear, "x");
  const auto cubic = TimeFunction::Table(t, y, Interpolation::cubic, "x");
  EXPECT_EQ(step.derivatives(1.9)[0], 5);
  EXPECT_EQ(step.derivatives(2)[0], 7);
  EXPECT_EQ(step.derivatives(-1)[0], 5);
  EXPECT_EQ(step.derivatives(9)[0], 3);
  EXPECT_EQ(step.breakpoints(), (std::vector<double>{2, 4}));
  EXPECT_DOUBLE_EQ(linear.derivatives(3)[0], 5);
  EXPECT_DOUBLE_EQ(linear.derivatives(2)[1], -2);  // from the right
  EXPECT_EQ(linear.derivatives(0)[1], 0);
  EXPECT_EQ(linear.derivatives(4)[1], 0);
  EXPECT_EQ(linear.breakpoints(), t);
  for (size_t k = 0; k < 3; ++k) EXPECT_NEAR(cubic.derivatives(t[k])[0], y[k], 1e-14);
  EXPECT_TRUE(cubic.breakpoints().empty());
}

TEST(TimeFunction, PieceCountsAsReachedAHairEarly) {
  const auto f = TimeFunction::Piecewise(
      {0, 0.3}, {ScalarFunction(ConstantFunction{1}), ScalarFunction(ConstantFunction{2})});
  EXPECT_EQ(f.derivatives(3 * 0.1 - 1e-16)[0], 2);
  EXPECT_EQ(f.derivatives(0.3 - 1e-9)[0], 1);
  EXPECT_EQ(f.derivatives(-1)[0], 1);
}

TEST(TimeFunction, SaysWhatIsWrongWithIt) {
  EXPECT_EQ(TimeFunction(1.0).defect(), "");
  EXPECT_NE(TimeFunction(std::nan("")).defect(), "");
  EXPECT_NE(TimeFunction(SigmoidFunction{1, std::nan(""), 0, 0}).defect(), "");
  EXPECT_NE(TimeFunction(ScalarFunction(LinearFunction{{1, 2}, 0})).defect(), "");
  EXPECT_NE(TimeFunction::Piecewise({}, {}).defect(), "");
  EXPECT_NE(TimeFunction::Piecewise({0, 1}, {ScalarFunction(ConstantFunction{1})}).defect(), "");
  const TimeFunction::Formula one = ScalarFunction(ConstantFunction{1});
  EXPECT_NE(TimeFunction::Piecewise({0, 2, 1}, {one, one, one}).defect(), "");
  EXPECT_THROW(TimeFunction::Table({0, 0}, {1, 2}, Interpolation::linear, "x"), Error);
  EXPECT_THROW(TimeFunction::Table({}, {}, Interpolation::step, "x"), Error);
}

}  // namespace time_function_test
}  // namespace sinew

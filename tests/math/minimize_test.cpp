#include "sinew/math/minimize.hpp"

#include <gtest/gtest.h>

namespace sinew {
namespace minimize_test {

/// Rosenbrock's valley in n dimensions.
bool rosenbrock(const VecX& x, double& value, VecX& gradient) {
  value = 0;
  gradient.setZero(x.size());
  for (Eigen::Index k = 0; k + 1 < x.size(); ++k) {
    const double a = x[k + 1] - x[k] * x[k], b = 1 - x[k];
    value += 100 * a * a + b * b;
    gradient[k] -= 400 * a * x[k] + 2 * b;
    gradient[k + 1] += 200 * a;
  }
  return true;
}

TEST(Minimize, FindsTheEndOfAValley) {
  const MinimizeResult result = minimize(rosenbrock, VecX::Constant(10, -1.2));
  EXPECT_NE(result.end, MinimizeEnd::failed);
  // One of the two minima of this function.
  EXPECT_LT(result.gradient_norm, 1e-6);
  const MinimizeResult two = minimize(rosenbrock, Eigen::Vector2d(-1.2, 1));
  EXPECT_NEAR(two.x[0], 1, 1e-8);
  EXPECT_NEAR(two.x[1], 1, 1e-8);
  EXPECT_LT(two.evaluations, 80);
}

TEST(Minimize, KeepsBoundsAndEndsAtThem) {
  Bounds bounds{Eigen::Vector2d(-2, -2), Eigen::Vector2d(0.5, 2)};
  int outside = 0;
  const auto f = [&](const VecX& x, double& value, VecX& gradient) {
    outside += x[0] > 0.5 || x[1] > 2 || x.minCoeff() < -2;
    return rosenbrock(x, value, gradient);
  };
  const MinimizeResult result = minimize(f, Eigen::Vector2d(-1.2, 3), bounds);
  EXPECT_EQ(outside, 0);
  EXPECT_LT(result.gradient_norm, 1e-6);
  EXPECT_EQ(result.x[0], 0.5);
  EXPECT_NEAR(result.x[1], 0.25, 1e-8);
}

TEST(Minimize, BacksAwayFromTrialsWithoutAValue) {
  const auto f = [&](const VecX& x, double& value, VecX& gradient) {
    if (x[0] > 1.05 || x.norm() > 5) return false;
    return rosenbrock(x, value, gradient);
  };
  MinimizeOptions options;
  options.first_step = 100;
  const MinimizeResult result = minimize(f, Eigen::Vector2d(-1.2, 1), {}, options);
  EXPECT_GT(result.rejected, 0);
  EXPECT_NEAR(result.x[0], 1, 1e-7);
  EXPECT_EQ(minimize(f, Eigen::Vector2d(3, 1)).end, MinimizeEnd::failed);
}

TEST(Minimize, StopsWhereItIsToldTo) {
  MinimizeOptions options;
  options.evaluations = 7;
  const MinimizeResult few = minimize(rosenbrock, Eigen::Vector2d(-1.2, 1), {}, options);
  EXPECT_EQ(few.end, MinimizeEnd::evaluations);
  EXPECT_LE(few.evaluations, 7);
  double last = std::numeric_limits<double>::infinity();
  const MinimizeResult stopped =
      minimize(rosenbrock, Eigen::Vector2d(-1.2, 1), {}, {}, [&](const MinimizeResult& so_far) {
        EXPECT_LE(so_far.value, last);
        last = so_far.value;
        return so_far.iterations < 3;
      });
  EXPECT_EQ(stopped.end, MinimizeEnd::stopped);
  EXPECT_EQ(stopped.iterations, 3);
}

TEST(Minimize, EndsAtAKink) {
  const auto f = [](const VecX& x, double& value, VecX& gradient) {
    value = std::abs(x[0]) + x[0] * x[0] + 1;
    gradient = VecX::Constant(1, (x[0] > 0 ? 1 : -1) + 2 * x[0]);
    return true;
  };
  const MinimizeResult result = minimize(f, VecX::Constant(1, 0.7));
  EXPECT_EQ(result.end, MinimizeEnd::stalled);
  EXPECT_NEAR(result.x[0], 0, 1e-6);
  EXPECT_LT(result.evaluations, 400);
}

}  // namespace minimize_test
}  // namespace sinew

#include "sinew/math/anderson.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "support/random.hpp"

namespace sinew {
namespace anderson_test {

TEST(Anderson, EndsALinearIterationAfterAsManyStepsAsItHasSlowDirections) {
  test::Random random(1);
  const MatX Q = Eigen::HouseholderQR<MatX>(random.matx(8, 8)).householderQ();
  VecX rates = VecX::Zero(8);
  rates.head(3) << 0.99, 0.9, -0.5;  // of the error per iteration
  const MatX G = Q * rates.asDiagonal() * Q.transpose();
  const VecX end = random.vecx(8);
  AndersonMemory memory(5);
  VecX x = random.vecx(8);
  for (int k = 0; k < 5; ++k) {
    memory.add(x, (G - MatX::Identity(8, 8)) * (x - end));
    x += memory.extrapolated();
  }
  EXPECT_LT((x - end).norm(), 1e-9);  // conditions of the differences are about 1e4
}

TEST(Anderson, FallsBackToTheStepItself) {
  AndersonMemory memory(3);
  const VecX x = VecX::Ones(2), step = Eigen::Vector2d(0.5, 0);
  memory.add(x, step);
  EXPECT_EQ(memory.extrapolated(), step);
  // The same step again: no change to learn from.
  memory.add(x + step, step);
  EXPECT_EQ(memory.extrapolated(), step);
  memory.clear();
  EXPECT_TRUE(memory.empty());
}

TEST(Anderson, SpeedsUpACurvedIteration) {
  // x ← cos x in each entry, and a slow neighbour.
  const auto step = [](const VecX& x) -> VecX {
    return Eigen::Vector2d(std::cos(x[0]) - x[0], 0.05 * (std::sin(x[0]) - x[1]));
  };
  AndersonMemory memory(4);
  VecX x = Eigen::Vector2d(0.2, 2);
  int iterations = 0;
  for (; step(x).norm() > 1e-12 && iterations < 100; ++iterations) {
    memory.add(x, step(x));
    x += memory.extrapolated();
  }
  EXPECT_LT(iterations, 15);                     // 500 without
  EXPECT_NEAR(x[0], 0.7390851332151607, 1e-10);  // Dottie's number
}

}  // namespace anderson_test
}  // namespace sinew

#include "sinew/math/normal_distribution.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace sinew {
namespace normal_distribution_test {

TEST(NormalQuantile, HasTheTabulatedValues) {
  EXPECT_NEAR(normal_quantile(0.975), 1.959963984540054, 1e-14);
  EXPECT_NEAR(normal_quantile(0.5), 0, 1e-16);
  EXPECT_NEAR(normal_quantile(1e-10), -6.361340902404056, 1e-13);
}

TEST(NormalQuantile, IsTheInverseOfTheShare) {
  for (double exponent = -300; exponent < -0.3; exponent += 0.37) {
    const double p = std::pow(10, exponent), x = normal_quantile(p);
    EXPECT_NEAR(normal_share(x) / p, 1, 1e-12) << p;
  }
}

}  // namespace normal_distribution_test
}  // namespace sinew

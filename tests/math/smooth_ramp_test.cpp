#include "sinew/math/smooth_ramp.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "support/finite_difference.hpp"

namespace sinew {
namespace smooth_ramp_test {

VecX one(double x) { return VecX::Constant(1, x); }

TEST(SmoothRamp, IsExactBeyondItsWidth) {
  for (const double w : {1e-6, 0.5, 30.0}) {
    EXPECT_EQ(smooth_ramp(-w, w), 0);
    EXPECT_EQ(smooth_ramp(-7 * w, w), 0);
    EXPECT_EQ(smooth_ramp(w, w), w);
    EXPECT_EQ(smooth_ramp(3 * w, w), 3 * w);
    EXPECT_EQ(smooth_ramp_slope(-w, w), 0);
    EXPECT_EQ(smooth_ramp_slope(w, w), 1);
    EXPECT_EQ(smooth_ramp_integral(-w, w), 0);
  }
  // 14 − 28/2 + 20/4 − 5/8 over 32.
  EXPECT_DOUBLE_EQ(smooth_ramp(0.0, 2.0), 2 * 4.375 / 32);
}

TEST(SmoothRamp, IsNeverNegativeNeverFallingAndConvex) {
  const double w = 0.3;
  double ramp = 0, slope = 0, integral = 0;
  for (double x = -1.01 * w; x < 1.01 * w; x += 1e-4 * w) {
    // Rounding of terms of up to 28 w near w.
    EXPECT_GE(smooth_ramp(x, w), std::max(ramp, x) - 1e-14 * w);
    // Near w the slope is 1 less what rounding of its four terms of up to 84 leaves.
    EXPECT_GE(smooth_ramp_slope(x, w), slope - 1e-13);
    EXPECT_GE(smooth_ramp_integral(x, w), integral);
    ramp = smooth_ramp(x, w);
    slope = smooth_ramp_slope(x, w);
    integral = smooth_ramp_integral(x, w);
    EXPECT_LE(ramp, std::max(x, 0.0) + 0.14 * w);
  }
}

TEST(SmoothRamp, DerivativesAgreeWithDifferences) {
  const double w = 0.8;
  for (const double x : {-0.7, -0.2, 0.0, 0.1, 0.75}) {
    const auto ramp = check_derivative([&](const VecX& v) { return one(smooth_ramp(v[0], w)); },
                                       one(x), one(smooth_ramp_slope(x, w)));
    EXPECT_TRUE(ramp.confirms()) << ramp.table();
    const auto integral =
        check_derivative([&](const VecX& v) { return one(smooth_ramp_integral(v[0], w)); }, one(x),
                         one(smooth_ramp(x, w)));
    EXPECT_TRUE(integral.confirms()) << integral.table();
  }
}

// The fourth difference is that of a C⁴ function: it goes to S⁗, 0 at both ends, in proportion to
// the distance h; a jump of any derivative up to the fourth would leave it at a constant or grow.
TEST(SmoothRamp, HasFourContinuousDerivatives) {
  const double w = 1;
  const auto fourth = [&](double x, double h) {
    return (smooth_ramp(x - 2 * h, w) - 4 * smooth_ramp(x - h, w) + 6 * smooth_ramp(x, w) -
            4 * smooth_ramp(x + h, w) + smooth_ramp(x + 2 * h, w)) /
           std::pow(h, 4);
  };
  for (const double end : {-w, w})
    EXPECT_NEAR(fourth(end, 0.005) / fourth(end, 0.01), 0.5, 0.02) << end;
  // The integral is continuous at w too.
  EXPECT_NEAR(smooth_ramp_integral(w * (1 - 1e-15), w), smooth_ramp_integral(w, w), 1e-14);
}

}  // namespace smooth_ramp_test
}  // namespace sinew

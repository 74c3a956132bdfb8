#include "sinew/muscles/path/gauss.hpp"

#include <gtest/gtest.h>

namespace sinew {
namespace gauss_test {

TEST(TurnParts, AddUpToTheWholeArcForAnyNumberOfTurns) {
  // ∫ (1 + t⁴ + t³ cos 2πt) dt from 0, t in turns: the kind of integrands that mass on arcs has.
  for (const double turns : {1.2, 2.0, 4.7, 5.99, 6.0, 7.3, 40.5, 1234.25}) {
    double sum = 0;
    const TurnParts parts = turn_parts(turns);
    EXPECT_LE(parts.count, kMaxTurnParts);
    for (const TurnPart& part : parts)
      for (const GaussNode& node : kGauss<kMaxGaussNodes>) {
        const double t = part.from + node.x * (part.to - part.from);
        const double c = std::cos(2 * std::numbers::pi * t);
        sum += part.weight * node.w * (part.to - part.from) * (1 + std::pow(t, 4) + t * t * t * c);
      }
    const double w = 2 * std::numbers::pi, s = std::sin(w * turns), c = std::cos(w * turns);
    const double x = turns;
    const double swinging = s * (x * x * x / w - 6 * x / (w * w * w)) +
                            c * (3 * x * x / (w * w) - 6 / (w * w * w * w)) + 6 / (w * w * w * w);
    const double exact = x + std::pow(x, 5) / 5 + swinging;
    EXPECT_NEAR(sum, exact, 2e-13 * exact) << turns;  // rounding of weights that add up
  }
}

}  // namespace gauss_test
}  // namespace sinew

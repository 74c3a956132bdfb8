#include "sinew/muscles/wrap/span.hpp"

#include <gtest/gtest.h>

namespace sinew {
namespace span_test {

TEST(SampledArc, ReproducesPolynomialsOfDegreeFive) {
  const auto x = [](double s) { return Vec3(s, s * s * s, 1 - s * s * s * s * s); };
  const auto dx = [](double s) { return Vec3(1, 3 * s * s, -5 * s * s * s * s); };
  const auto ddx = [](double s) { return Vec3(0, 6 * s, -20 * s * s * s); };
  SampledArc<double> arc;
  arc.samples = 4;
  arc.length = 1.5;
  for (int k = 0; k < 4; ++k)
    arc.sample[static_cast<size_t>(k)] = {x(0.5 * k), dx(0.5 * k), ddx(0.5 * k)};
  // Rounding of numbers up to 7.6.
  for (double s = 0; s <= 1.5; s += 0.0625) EXPECT_LT((arc.at(s) - x(s)).norm(), 1e-14) << s;
}

TEST(HelixArc, HasUnitSpeedAndTheGivenTurn) {
  HelixArc<PathDual> arc;
  arc.center = Vec3(1, 2, 3).cast<PathDual>();
  arc.e1 = Vec3(0, 1, 0).cast<PathDual>();
  arc.e2 = Vec3(0, 0, 1).cast<PathDual>();
  arc.e3 = Vec3(1, 0, 0).cast<PathDual>();
  arc.radius = 0.5;
  arc.pitch = 0.6;
  arc.turn = 0.8 / 0.5;
  const Point<PathDual> x = arc.at(PathDual::Variable(0.3, 6));
  const Vec3 tangent(x[0].d[6], x[1].d[6], x[2].d[6]);
  EXPECT_NEAR(tangent.norm(), 1, 1e-15);
  EXPECT_NEAR(value_of(x[1]) - 2, 0.5 * std::cos(0.48), 1e-15);
}

TEST(SpanShape, AddsUpItsPieces) {
  SpanShape<double> shape;
  shape.start(Vec3(0, 0, 0));
  EXPECT_DOUBLE_EQ(shape.add_straight(Vec3(3, 4, 0)), 5);
  shape.add_straight(Vec3(3, 4, 2));
  EXPECT_DOUBLE_EQ(shape.length, 7);
  EXPECT_EQ(shape.at(1, 0.5), Vec3(3, 4, 0.5));
}

}  // namespace span_test
}  // namespace sinew

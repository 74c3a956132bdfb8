#include "sinew/muscles/wrap/double_cylinder_wrap.hpp"

#include <gtest/gtest.h>

#include <numbers>

#include "sinew/core/error.hpp"
#include "support/random.hpp"

namespace sinew {
namespace double_cylinder_wrap_test {

using std::numbers::pi;

SpanShape<double> shape_of(const auto& wrap, const Vec3& o, const Vec3& i) {
  SpanShape<double> shape;
  wrap.template shape<double>(wrap.solve(o, i), o, i, shape);
  return shape;
}

constexpr auto kOver = WrapSide::clockwise;

TEST(DoubleCylinderWrap, IsABeltOverTwoPulleys) {
  // Down at both outer sides: a quarter turn about each, three straight pieces.
  const double r = 0.2, R = 0.2, apart = 1.5, down = 0.7;
  const DoubleCylinderWrap wrap{.circle = {{{0, 0, r, kOver}, {apart, 0, R, kOver}}}};
  for (const WrapKind kind : {WrapKind::exact, WrapKind::smooth}) {
    DoubleCylinderWrap belt = wrap;
    belt.model = kind;
    const SpanShape<double> s = shape_of(belt, Vec3(-r, -down, 0), Vec3(apart + R, -down, 0));
    ASSERT_EQ(s.pieces, 5);
    EXPECT_NEAR(s.length, 2 * down + apart + 0.5 * pi * (r + R), 1e-15);
    EXPECT_NEAR(s.wrapped_angle, pi, 1e-15);
    // The entries and exits.
    EXPECT_LT((s.node[1] - Vec3(-r, 0, 0)).norm(), 1e-15);
    EXPECT_LT((s.node[2] - Vec3(0, r, 0)).norm(), 1e-15);
    EXPECT_LT((s.node[3] - Vec3(apart, R, 0)).norm(), 1e-15);
    EXPECT_LT((s.node[4] - Vec3(apart + R, 0, 0)).norm(), 1e-15);
  }
}

TEST(DoubleCylinderWrap, CrossesOverBetweenThem) {
  // Over the first and under the second: the inner common tangent.
  const double r = 0.2, apart = 1.0;
  const DoubleCylinderWrap wrap{
      .circle = {{{0, 0, r, kOver}, {apart, 0, r, WrapSide::counter_clockwise}}},
      .model = WrapKind::exact};
  const SpanShape<double> s = shape_of(wrap, Vec3(-1, r, 0), Vec3(2, -r, 0));
  const double angle = std::asin(2 * r / apart);
  ASSERT_EQ(s.pieces, 5);
  EXPECT_NEAR(s.length, 2 + apart * std::cos(angle) + 2 * r * angle, 1e-15);
}

TEST(DoubleCylinderWrap, HasFourStates) {
  DoubleCylinderWrap wrap{.circle = {{{-0.5, 0, 0.2, kOver}, {0.5, 0, 0.2, kOver}}}};
  for (const WrapKind kind : {WrapKind::exact, WrapKind::smooth}) {
    wrap.model = kind;
    const auto pieces = [&](double y_o, double y_i) {
      const Vec3 o(-1.5, y_o, 0.1), i(1.5, y_i, 0.3);
      EXPECT_FALSE(failed(wrap.solve(o, i).status));
      return shape_of(wrap, o, i).pieces;
    };
    EXPECT_EQ(pieces(0.5, 0.5), 1);
    EXPECT_EQ(pieces(-0.5, 0.5), 3);
    EXPECT_EQ(pieces(0.5, -0.5), 3);
    EXPECT_EQ(pieces(0, 0), 5);
    // The cylinders it touches.
    EXPECT_LT(shape_of(wrap, Vec3(-1.5, -0.5, 0), Vec3(1.5, 0.5, 0)).node[1].x(), -0.4);
    EXPECT_GT(shape_of(wrap, Vec3(-1.5, 0.5, 0), Vec3(1.5, -0.5, 0)).node[1].x(), 0.4);
  }
  EXPECT_EQ(wrap.solve(Vec3(-0.5, 0.001, 0), Vec3(1, 0, 0)).status, SpanStatus::anchor_inside);
  wrap.model = WrapKind::exact;
  EXPECT_EQ(wrap.solve(Vec3(0.5, 0.1, 0), Vec3(1, 0, 0)).status, SpanStatus::anchor_inside);
}

TEST(DoubleCylinderWrap, IsTheSingleCylinderWhereTheOtherIsFarAway) {
  test::Random random(6);
  int wrapped = 0;
  for (int k = 0; k < 300; ++k) {
    const DoubleCylinderWrap both{.circle = {{{0, 0, 0.2, kOver}, {3, -5, 0.2, kOver}}},
                                  .model = WrapKind::exact};
    const CylinderWrap one{.radius = 0.2, .side = kOver, .model = WrapKind::exact};
    const Vec3 o(random.uniform(-1, -0.3), random.uniform(-0.5, 0.5), random.uniform(-1, 1));
    const Vec3 i(random.uniform(0.3, 1), random.uniform(-0.5, 0.5), random.uniform(-1, 1));
    const SpanShape<double> a = shape_of(both, o, i), b = shape_of(one, o, i);
    ASSERT_EQ(a.pieces, b.pieces);
    wrapped += a.pieces == 3;
    EXPECT_NEAR(a.length, b.length, 1e-14);
    EXPECT_LT((a.node[1] - b.node[1]).norm(), 1e-13);
  }
  EXPECT_GT(wrapped, 100);
}

TEST(DoubleCylinderWrap, SmoothIsExactOutsideTheBandsAndLongerInside) {
  test::Random random(3);
  DoubleCylinderWrap smooth{.circle = {{{-0.3, 0.05, 0.1, kOver}, {0.3, -0.02, 0.15, kOver}}}};
  DoubleCylinderWrap exact = smooth;
  exact.model = WrapKind::exact;
  int outside = 0, inside = 0;
  for (int k = 0; k < 1000; ++k) {
    const Vec3 o(random.uniform(-1, -0.5), random.uniform(-0.4, 0.5), random.uniform(-1, 1));
    const Vec3 i(random.uniform(0.5, 1), random.uniform(-0.4, 0.5), random.uniform(-1, 1));
    const SpanShape<double> a = shape_of(exact, o, i), b = shape_of(smooth, o, i);
    bool lifted = false;
    for (size_t n = 0; n < 2 && b.pieces > 1; ++n)
      if (static_cast<int>(n) < b.pieces / 2)
        lifted = lifted || (b.helix[n].radius != 0.1 && b.helix[n].radius != 0.15);
    if (a.pieces == b.pieces && !lifted) {
      ++outside;
      EXPECT_EQ(a.length, b.length);
    } else {
      ++inside;
      EXPECT_GE(b.length, a.length - 1e-14);
      // Half of lift times angle, for two: 0.137 ε reduced length, twice.
      EXPECT_LE(b.length, a.length + 0.02 * smooth.band * smooth.band);
    }
  }
  EXPECT_GT(outside, 300);
  EXPECT_GT(inside, 100);
}

TEST(DoubleCylinderWrap, RefusesNonsense) {
  const auto with = [](double x, WrapSide second, double radius, double band) {
    return DoubleCylinderWrap{.circle = {{{0, 0, 0.1, kOver}, {x, 0, radius, second}}},
                              .band = band};
  };
  EXPECT_NO_THROW(validate(with(0.3, kOver, 0.1, 0.07), "wrap"));
  EXPECT_THROW(validate(with(0.3, kOver, 0, 0.07), "wrap"), Error);
  EXPECT_THROW(validate(with(std::nan(""), kOver, 0.1, 0.07), "wrap"), Error);
  EXPECT_THROW(validate(with(0.3, WrapSide::nearest, 0.1, 0.07), "wrap"), Error);
  EXPECT_THROW(validate(with(0.1, kOver, 0.1, 0.07), "wrap"), Error);
  EXPECT_THROW(validate(with(0.2, WrapSide::counter_clockwise, 0.1, 0.07), "wrap"), Error);
  EXPECT_THROW(validate(with(0.3, kOver, 0.1, 0.3), "wrap"), Error);
}

}  // namespace double_cylinder_wrap_test
}  // namespace sinew

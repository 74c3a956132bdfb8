#include "sinew/muscles/wrap/implicit_wrap.hpp"

#include <gtest/gtest.h>

#include "sinew/core/error.hpp"
#include "sinew/muscles/wrap/ellipsoid_wrap.hpp"
#include "support/random.hpp"

namespace sinew {
namespace implicit_wrap_test {

using test::Random;

SpanShape<double> drawn(const ImplicitWrap& wrap, const Vec3& o, const Vec3& i) {
  SpanShape<double> out;
  wrap.shape<double>(wrap.solve(o, i), o, i, out);
  return out;
}

ImplicitWrap around_sphere(double radius) {
  ImplicitWrap wrap;
  wrap.size = radius;
  wrap.level = level_from_formula([radius](const auto& x) {
    using std::sqrt;
    return sqrt(x.dot(x)) - radius;
  });
  return wrap;
}

TEST(ImplicitWrap, ApproachesTheGeodesicAsTheBarrierHardens) {
  const EllipsoidWrap exact{.semi_axes = Vec3(0.1, 0.07, 0.15), .model = WrapKind::exact};
  const EllipsoidLevel level(exact);
  ImplicitWrap wrap;
  wrap.level = level_from_formula([level](const auto& x) { return level.value(x); });
  wrap.size = level.size();
  double last = 0;
  for (const double softness : {0.08, 0.04, 0.02}) {
    wrap.softness = softness;
    Random random(1);
    double sum = 0;
    int count = 0;
    while (count < 40) {
      const Vec3 o = random.vec3(0.3), i = random.vec3(0.3);
      const SpanSolution geodesic = exact.solve(o, i);
      if (geodesic.status != SpanStatus::wrapped || geodesic.unknowns[3] < 0.3 * level.size())
        continue;
      SpanShape<double> s;
      exact.shape<double>(geodesic, o, i, s);
      sum += std::abs(drawn(wrap, o, i).length - s.length) / level.size();
      ++count;
    }
    if (last > 0) {
      EXPECT_LT(sum, 0.7 * last) << softness;
    }
    last = sum;
  }
  EXPECT_LT(last / 40, 8e-3);
}

TEST(ImplicitWrap, TouchesTwoSpheresOneAfterTheOther) {
  const double r = 0.1;
  ImplicitWrap wrap;
  wrap.size = r;
  wrap.softness = 0.02;
  wrap.side = Vec3(0, 1, 0);
  wrap.level = level_from_formula([](const auto& x) {
    using std::sqrt, std::min;
    using T = std::decay_t<decltype(x[0])>;
    const auto off = [&](double c) {
      const T dx = x[0] - c;
      return T(sqrt(dx * dx + x[1] * x[1] + x[2] * x[2]) - 0.1);
    };
    const T left = off(-0.3), right = off(0.3);
    return left < right ? left : right;
  });
  const Vec3 o(-0.6, -0.05, 0), i(0.6, -0.05, 0);
  // Tangent to a circle around c from below, over it, level to the next: the same on both sides.
  const Vec3 to = Vec3(-0.3, 0, 0) - o;
  const double rho = to.norm(), tangent = std::sqrt(rho * rho - r * r);
  const double heading = std::atan2(to.y(), to.x()) + std::asin(r / rho);
  const double expected = 2 * (tangent + r * heading) + 0.6;
  const SpanShape<double> s = drawn(wrap, o, i);
  EXPECT_FALSE(s.smooth);
  EXPECT_EQ(s.pieces, 40);
  EXPECT_NEAR(s.length, expected, 0.05 * r);  // a range of the barrier at each of two contacts
  EXPECT_NEAR(s.wrapped_angle, 2 * heading, 0.1);
  // Between the spheres the band is straight, off the axis that joins them.
  EXPECT_NEAR(s.node[20].y(), r, 0.1 * r);
}

TEST(ImplicitWrap, PassesOnTheChosenSide) {
  ImplicitWrap wrap;  // a cylinder about z
  wrap.size = 0.1;
  wrap.level = level_from_formula([](const auto& x) {
    using std::sqrt;
    return sqrt(x[0] * x[0] + x[1] * x[1]) - 0.1;
  });
  for (const double miss : {-0.03, 0.0, 0.03})
    for (const Vec3& side : {Vec3(0, 1, 0), Vec3(0, -1, 0), Vec3(1, -0.1, 1)}) {
      wrap.side = side;
      const Vec3 o(-0.3, miss, 0), i(0.3, miss, 0.1);
      ASSERT_EQ(wrap.solve(o, i).status, SpanStatus::wrapped);
      EXPECT_GT(drawn(wrap, o, i).node[20].y() * side.y(), 0) << miss;
    }
}

TEST(ImplicitWrap, IsTheChordFarFromTheSurface) {
  const ImplicitWrap wrap = around_sphere(0.1);
  const Vec3 o(-1, 0.5, 0), i(1, 0.5, 0);
  EXPECT_EQ(wrap.solve(o, i).status, SpanStatus::free);
  EXPECT_EQ(drawn(wrap, o, i).length, 2);
  EXPECT_EQ(wrap.solve(Vec3(0, 0.05, 0), i).status, SpanStatus::anchor_inside);
}

TEST(ImplicitWrap, NonsenseIsRefusedByName) {
  EXPECT_THROW(validate(ImplicitWrap{}, "wrap"), Error);
  ImplicitWrap wrap = around_sphere(0.1);
  EXPECT_NO_THROW(validate(wrap, "wrap"));
  wrap.size = 0;
  EXPECT_THROW(validate(wrap, "wrap"), Error);
  wrap = around_sphere(0.1);
  wrap.softness = 0.5;
  EXPECT_THROW(validate(wrap, "wrap"), Error);
}

}  // namespace implicit_wrap_test
}  // namespace sinew

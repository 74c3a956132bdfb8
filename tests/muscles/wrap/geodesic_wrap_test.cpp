#include <gtest/gtest.h>

#include <memory>

#include "sinew/core/error.hpp"
#include "sinew/muscles/wrap/geodesic.hpp"
#include "sinew/muscles/wrap/wrap.hpp"
#include "support/random.hpp"

namespace sinew {
namespace geodesic_wrap_test {

using test::Random;

SpanShape<double> drawn(const Wrap& wrap, const Vec3& o, const Vec3& i) {
  SpanShape<double> out;
  shape<double>(wrap, solve(wrap, o, i), o, i, out);
  return out;
}

/// Around a circle of radius r in the plane of o, i and its centre c.
double length_around(double r, const Vec3& o, const Vec3& i) {
  const double rho_o = o.norm(), rho_i = i.norm();
  const double theta = std::atan2(o.cross(i).norm(), o.dot(i));
  const double phi = theta - std::acos(r / rho_o) - std::acos(r / rho_i);
  if (phi <= 0) return (i - o).norm();
  return std::sqrt(rho_o * rho_o - r * r) + r * phi + std::sqrt(rho_i * rho_i - r * r);
}

TEST(GeodesicStep, HasOrderSix) {
  const EllipsoidLevel level(EllipsoidWrap{.semi_axes = Vec3(1, 0.7, 1.5)});
  const Vec3 x(0.6, 0.3, 0.9), o(-1, 1, 0.5);
  const geodesic::Ray<double> start = geodesic::departure(level, o, x);
  const Vec3 reference = geodesic::arrive(level, start, 2.0, 256).x;
  double last = 0;
  for (const int steps : {16, 32, 64}) {
    const double error = (geodesic::arrive(level, start, 2.0, steps).x - reference).norm();
    // 2⁶ = 64, to a third.
    if (last > 0) {
      EXPECT_GT(last / error, 45) << steps;
    }
    last = error;
  }
  EXPECT_LT(last, 1e-9);
}

TEST(EllipsoidWrap, IsASphereWhenItsAxesAreEqual) {
  const double r = 0.3;
  const EllipsoidWrap sphere{.semi_axes = Vec3::Constant(r), .model = WrapKind::exact};
  Random random(1);
  int wrapped = 0;
  for (int k = 0; k < 1000; ++k) {
    const Vec3 o = random.uniform(1.05, 5) * r * random.unit_vector();
    const Vec3 i = random.uniform(1.05, 5) * r * random.unit_vector();
    const double theta = std::atan2(o.cross(i).norm(), o.dot(i));
    if (theta > 3.0) continue;  // near the antipode
    const SpanShape<double> s = drawn(sphere, o, i);
    wrapped += s.pieces == 3;
    // Eight steps of order 6 over up to 3 rad.
    EXPECT_NEAR(s.length, length_around(r, o, i), 1e-6 * r);
    if (s.pieces == 3) {
      EXPECT_NEAR(s.wrapped_angle, s.piece[1].length / r, 1e-6);
    }
  }
  EXPECT_GT(wrapped, 150);
}

TEST(EllipsoidWrap, IsACylinderWhenItIsLong) {
  const double r = 0.1;
  Random random(2);
  double last = 0;
  for (const double stretch : {5.0, 10.0, 20.0}) {
    const EllipsoidWrap wrap{.semi_axes = Vec3(r, r, stretch * r), .model = WrapKind::exact};
    double worst = 0;
    Random pairs(2);
    for (int k = 0; k < 200; ++k) {
      const double a = pairs.uniform(0.3, 2.5), z = 0.3 * r * pairs.uniform(-1, 1);
      const Vec3 o(3 * r, 0, 0), i(2 * r * std::cos(a), 2 * r * std::sin(a), 0);
      const double plane = length_around(r, o, i);
      const Vec3 lifted = i + z * Vec3::UnitZ();
      worst = std::max(worst, std::abs(drawn(wrap, o, lifted).length - std::hypot(plane, z)));
    }
    // The waist is thinner than the cylinder by r z²/2c²: the error falls with 1/stretch².
    if (last > 0) {
      EXPECT_LT(worst, 0.3 * last);
    }
    last = worst;
  }
  EXPECT_LT(last, 2e-4 * r);
}

TEST(TorusWrap, FollowsTheOuterEquatorAndTheCircleOfTheTube) {
  const TorusWrap wrap{.radius = 0.2, .tube = 0.06, .model = WrapKind::exact};
  for (const double a : {1.92, 2.0, 2.05}) {  // a longer one would slip off the ring
    const Vec3 o(0.5, 0, 0), i(0.4 * std::cos(a), 0.4 * std::sin(a), 0);
    ASSERT_EQ(solve(wrap, o, i).status, SpanStatus::wrapped) << a;
    EXPECT_NEAR(drawn(wrap, o, i).length, length_around(0.26, o, i), 1e-7) << a;
  }
  for (const double a : {-1.9, -0.5, 0.7, 1.5, 2.5}) {  // in the plane y = 0, around (0.2, 0, 0)
    const Vec3 middle(0.2, 0, 0);
    const Vec3 o = 0.15 * Vec3(0, 0, 1), i = 0.12 * Vec3(std::sin(a), 0, std::cos(a));
    const SpanStatus status = solve(wrap, middle + o, middle + i).status;
    EXPECT_FALSE(failed(status)) << a;
    EXPECT_NEAR(drawn(wrap, middle + o, middle + i).length, length_around(0.06, o, i), 1e-7) << a;
  }
}

TEST(GeodesicWrap, SmoothIsExactOutsideItsBandAndLongerInside) {
  Random random(3);
  const Vec3 axes(0.1, 0.07, 0.15);
  const EllipsoidWrap exact{.semi_axes = axes, .model = WrapKind::exact};
  const EllipsoidWrap smooth{.semi_axes = axes};
  const EllipsoidLevel level(exact);
  int outside = 0, inside = 0;
  for (int k = 0; k < 2000; ++k) {
    const Vec3 o = random.vec3(0.4), i = random.vec3(0.4);
    const SpanSolution a = exact.solve(o, i), b = smooth.solve(o, i);
    const ChordMinimum chord = level.chord(o, i);
    if (failed(a.status) || !chord.found) continue;
    const double e = geodesic::smooth_level(level, smooth.band, chord.s, o, i).half_width;
    const double l = drawn(exact, o, i).length, l_smooth = drawn(smooth, o, i).length;
    if (std::abs(chord.depth) >= e) {
      ++outside;
      EXPECT_EQ(a.status, b.status);
      EXPECT_EQ(l, l_smooth);  // the same computation
    } else {
      ++inside;
      // Half of lift times turning: both are at most 0.137 and 1 of ε, of the chord's lengths.
      EXPECT_GE(l_smooth, l - 1e-9);
      EXPECT_LT(l_smooth - l, 0.5 * 0.137 * smooth.band * smooth.band * (i - o).norm());
    }
  }
  EXPECT_GT(outside, 500);
  EXPECT_GT(inside, 30);
}

/// Lengths along a sweep of the insertion change as their gradients say: no jump at touch-down, nor
/// where the chord crosses the middle of the tube from one side to the other.
TEST(TorusWrap, KeepsToItsSideOfTheTube) {
  TorusWrap wrap{.radius = 0.08, .tube = 0.02, .side = TorusSide::down_hole};
  Random random(6);
  auto dual = std::make_unique<SpanShape<PathDual>>();
  int touch_downs = 0, crossings = 0;
  for (int run = 0; run < 40; ++run) {
    const Vec3 o(random.uniform(-0.09, -0.03), random.uniform(-0.03, 0.03),
                 random.uniform(0.1, 0.3));
    const double y = random.uniform(-0.03, 0.03), z = random.uniform(-0.3, -0.1);
    constexpr int kSteps = 150;
    constexpr double kStep = 0.15 / kSteps;
    double length = 0, slope = 0;
    SpanStatus last = SpanStatus::no_path;
    bool crossed = false;
    for (int k = 0; k <= kSteps; ++k) {
      const Vec3 i(-0.02 - k * kStep, y, z);
      const SpanSolution solution = wrap.solve(o, i);
      ASSERT_FALSE(failed(solution.status)) << name_of(solution.status) << " at " << k;
      Point<PathDual> o_d = o.cast<PathDual>(), i_d = i.cast<PathDual>();
      i_d[0] = PathDual::Variable(i[0], 3);
      wrap.shape<PathDual>(solution, o_d, i_d, *dual);
      const double now = dual->length.v, slope_now = -dual->length.d[3];
      if (k > 0) {
        // The trapezoidal rule: a twelfth of the third derivative, which within the band is up to
        // 1/(ε l²) for tangents of 0.1 m.
        EXPECT_NEAR(now - length, 0.5 * (slope + slope_now) * kStep, 120 * kStep * kStep * kStep);
        touch_downs += solution.status != last;
      }
      crossed = crossed || TorusLevel(wrap).chord(o, i).wrong_side;
      length = now;
      slope = slope_now;
      last = solution.status;
    }
    crossings += crossed;
  }
  EXPECT_GT(touch_downs, 20);
  EXPECT_GT(crossings, 20);
}

TEST(EllipsoidWrap, PassesOnTheChosenSideWhileThatIsShortest) {
  // A chord along the long axis, slightly to the other side: both ways around are shortest among
  // their neighbours.
  EllipsoidWrap wrap{.semi_axes = Vec3(0.05, 0.08, 0.12), .side = Vec3(1, 0, 0)};
  const Vec3 o(-0.004, 0, -0.25), i(-0.004, 0.01, 0.25);
  const SpanSolution solution = wrap.solve(o, i);
  ASSERT_EQ(solution.status, SpanStatus::wrapped);
  EXPECT_GT(solution.unknowns[0], 0.03);
  wrap.side = Vec3::Zero();
  EXPECT_LT(wrap.solve(o, i).unknowns[0], -0.03);
  // Around a sphere there is no such path, and a chord that is free stays free.
  wrap = {.semi_axes = Vec3::Constant(0.1), .side = Vec3(1, 0, 0)};
  EXPECT_EQ(wrap.solve(Vec3(-0.05, 0, -0.25), Vec3(-0.05, 0.01, 0.25)).status, SpanStatus::no_path);
  EXPECT_EQ(wrap.solve(Vec3(-0.15, 0, -0.25), Vec3(-0.15, 0.01, 0.25)).status, SpanStatus::free);
}

TEST(CappedCylinderWrap, SmoothAndExactAgreeToTheRoundingOfTheSeam) {
  const double r = 0.1;
  const CappedCylinderWrap smooth{.radius = r}, exact{.radius = r, .model = WrapKind::exact};
  const CappedCylinderLevel level(smooth);
  Random random(7);
  std::array<int, 4> ways{};
  double worst = 0;
  for (int k = 0; k < 2000; ++k) {
    const Vec3 o = random.vec3(0.4), i = random.vec3(0.4);
    if (level.value(o) < 0.01 || level.value(i) < 0.01) continue;
    const ChordMinimum chord = level.chord(o, i);
    if (!chord.found || chord.depth > -0.01) continue;  // beyond the band
    const SpanSolution a = exact.solve(o, i), b = smooth.solve(o, i);
    ASSERT_EQ(a.status, SpanStatus::wrapped);
    ASSERT_EQ(b.status, SpanStatus::wrapped);
    ++ways[static_cast<size_t>(a.unknowns[0])];
    worst = std::max(worst, std::abs(drawn(exact, o, i).length - drawn(smooth, o, i).length));
  }
  // The rounded seam is 0.0019 r thinner, on both sides of the path at most.
  EXPECT_LT(worst, 0.0038 * r);
  for (const int count : ways) EXPECT_GT(count, 5);  // cylinder, cap, and over the seam both ways
}

TEST(GeodesicWrap, AnchorsOnOrInsideTheSurfaceAreRefused) {
  const EllipsoidWrap ellipsoid{.semi_axes = Vec3(0.1, 0.1, 0.2)};
  EXPECT_EQ(ellipsoid.solve(Vec3(0.1, 0, 0), Vec3(1, 0, 0)).status, SpanStatus::anchor_inside);
  EXPECT_EQ(ellipsoid.solve(Vec3(1, 0, 0), Vec3(0, 0, 0.15)).status, SpanStatus::anchor_inside);
  const TorusWrap torus{.radius = 0.2, .tube = 0.05};
  EXPECT_EQ(torus.solve(Vec3(0.2, 0, 0.01), Vec3(1, 0, 0)).status, SpanStatus::anchor_inside);
  EXPECT_EQ(torus.solve(Vec3(0, 0, 1), Vec3(0, 0, -1)).status, SpanStatus::free);
  for (const WrapKind kind : {WrapKind::exact, WrapKind::smooth}) {
    const CappedCylinderWrap capped{.radius = 0.1, .model = kind};
    EXPECT_EQ(capped.solve(Vec3(0, 0, 0.1), Vec3(1, 0, 0)).status, SpanStatus::anchor_inside);
    EXPECT_EQ(capped.solve(Vec3(1, 0, 0), Vec3(0, 0.05, -9)).status, SpanStatus::anchor_inside);
    EXPECT_EQ(capped.solve(Vec3(1, 0, 0.2), Vec3(-1, 0, 0.2)).status, SpanStatus::free);
  }
}

TEST(GeodesicWrap, AnchorsCloseToTheSurfaceKeepAPath) {
  // The band narrows with the anchors' own distance, so that the inflated surface never reaches
  // them: from far away to a millionth of the radius.
  const EllipsoidWrap wrap{.semi_axes = Vec3(0.1, 0.07, 0.15)};
  Random random(4);
  for (int k = 0; k < 300; ++k) {
    const Vec3 on = wrap.semi_axes.cwiseProduct(random.unit_vector());
    const double gap = std::pow(10, random.uniform(-6, -1));
    const Vec3 n = EllipsoidLevel(wrap).gradient(on).normalized();
    const Vec3 t = n.cross(random.unit_vector()).normalized();
    const Vec3 o = (1 + gap) * on, i = on + 0.2 * t + random.uniform(-0.02, 0.02) * n;
    if (EllipsoidLevel(wrap).value(i) < 0.01) continue;
    EXPECT_FALSE(failed(wrap.solve(o, i).status)) << gap;
  }
}

TEST(GeodesicWrap, NonsenseIsRefusedByName) {
  const auto message = [](const auto& wrap) {
    try {
      validate(wrap, "wrap 'knee'");
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(message(EllipsoidWrap{}), "");
  EXPECT_EQ(message(TorusWrap{}), "");
  EXPECT_NE(message(EllipsoidWrap{.semi_axes = Vec3(1, 0, 1)}).find("knee"), std::string::npos);
  EXPECT_NE(message(EllipsoidWrap{.semi_axes = Vec3(1, 0.01, 1)}), "");
  EXPECT_NE(message(EllipsoidWrap{.band = 0}), "");
  EXPECT_NE(message(TorusWrap{.radius = 0.1, .tube = 0.1}), "");
  EXPECT_NE(message(TorusWrap{.band = 1}), "");
  EXPECT_EQ(message(CappedCylinderWrap{}), "");
  EXPECT_NE(message(CappedCylinderWrap{.radius = 0}), "");
}

}  // namespace geodesic_wrap_test
}  // namespace sinew

#include "sinew/muscles/wrap/cylinder_wrap.hpp"

#include <gtest/gtest.h>

#include <numbers>

#include "sinew/core/error.hpp"
#include "support/random.hpp"

namespace sinew {
namespace cylinder_wrap_test {

using std::numbers::pi;

template <class Wrap>
double length(const Wrap& wrap, const Vec3& o, const Vec3& i) {
  SpanShape<double> shape;
  wrap.template shape<double>(wrap.solve(o, i), o, i, shape);
  return shape.length;
}

/// The point at fraction alpha of the whole length.
template <class T>
Point<T> material_point(const SpanShape<T>& shape, double alpha) {
  T rest = alpha * shape.length;
  int k = 0;
  while (k < shape.pieces - 1 && rest > shape.piece[static_cast<size_t>(k)].length)
    rest = rest - shape.piece[static_cast<size_t>(k++)].length;
  return shape.at(k, rest);
}

/// From (−0.5, 0) to (x, 0.25) over the +y side of a cylinder of radius 0.15: touches for
/// x > 0.2950.
struct Transition {
  Vec3 o{-0.5, 0, 0};
  static Vec3 insertion(double x) { return {x, 0.25, 0}; }
  CylinderWrap wrap{.radius = 0.15, .side = WrapSide::clockwise, .model = WrapKind::exact};

  /// Derivatives by x of the point at alpha and of the length, in the first four columns and the
  /// last row: value, first, second, third.
  Eigen::Matrix4d derivatives(double x, double alpha) const {
    const Vec3 i = insertion(x);
    Point<ChunkTaylor> o_t, i_t;
    for (int k = 0; k < 3; ++k) {
      o_t[k] = ChunkTaylor(o[k]);
      i_t[k] = ChunkTaylor(i[k]);
    }
    i_t[0] = ChunkTaylor(Chunk::Variable(i[0], 0), Chunk(1), Chunk(0));
    auto shape = std::make_unique<SpanShape<ChunkTaylor>>();
    wrap.shape<ChunkTaylor>(wrap.solve(o, i), o_t, i_t, *shape);
    const Point<ChunkTaylor> p = material_point(*shape, alpha);
    Eigen::Matrix4d out;
    for (int row = 0; row < 4; ++row) {
      const ChunkTaylor& f = row < 3 ? p[row] : shape->length;
      out.row(row) << f.v.v, f.d1.v, f.d2.v, f.d2.d[0];
    }
    return out;
  }
};

TEST(CylinderWrap, TouchesAsPublishedWhereTheInsertionPasses) {
  const Transition t;
  const auto status = [&](double x) { return t.wrap.solve(t.o, t.insertion(x)).status; };
  // The chord is tangent at 0.25/tan(asin(0.15/0.5)) − 0.5, given as 0.2950.
  const double touch_down = 0.25 / std::tan(std::asin(0.3)) - 0.5;
  EXPECT_NEAR(touch_down, 0.2950, 1e-4);
  EXPECT_EQ(status(touch_down - 1e-12), SpanStatus::free);
  EXPECT_EQ(status(touch_down + 1e-12), SpanStatus::wrapped);
}

TEST(CylinderWrap, ExactPathsJumpInTheVelocityOfPointsAndNotInThatOfLength) {
  const Transition t;
  double free = 0.2949, wrapped = 0.2951;
  for (int k = 0; k < 40; ++k) {
    const double x = 0.5 * (free + wrapped);
    (t.wrap.solve(t.o, t.insertion(x)).status == SpanStatus::free ? free : wrapped) = x;
  }
  const Eigen::Matrix4d before = t.derivatives(free, 0.5), after = t.derivatives(wrapped, 0.5);
  // Given to five digits.
  EXPECT_NEAR(before(0, 1), 0.5, 1e-9);
  EXPECT_NEAR(before(1, 1), 0, 1e-9);
  EXPECT_NEAR(after(0, 1), 0.45500, 5e-6);
  EXPECT_NEAR(after(1, 1), 0.14309, 5e-6);
  EXPECT_NEAR(before(3, 1), 0.95394, 5e-6);
  EXPECT_NEAR(after(3, 1), before(3, 1), 1e-12);
}

TEST(CylinderWrap, SmoothPathsHaveContinuousThirdDerivativesAtBothEdgesOfTheBand) {
  Transition t;
  t.wrap.model = WrapKind::smooth;
  // Bisect for the edges: where the path becomes straight, and where its radius becomes r.
  const auto radius = [&](double x) {
    SpanShape<double> shape;
    shape.helix[0].radius = 1;
    t.wrap.shape<double>(t.wrap.solve(t.o, t.insertion(x)), t.o, t.insertion(x), shape);
    return shape.helix[0].radius;
  };
  double free = 0.2, in_band = 0.2950, outer = in_band, deep = 0.5;
  for (int k = 0; k < 60; ++k) {
    const double x = 0.5 * (free + in_band), y = 0.5 * (outer + deep);
    (radius(x) == 1 ? free : in_band) = x;
    (radius(y) > t.wrap.radius ? outer : deep) = y;
  }
  // To first order they are where the exact angle is ∓ε.
  const auto exact_angle = [&](double x) {
    const double r = t.wrap.radius, rho = std::hypot(x, 0.25);
    return pi - std::atan2(0.25, x) - std::acos(r / 0.5) - std::acos(r / rho);
  };
  EXPECT_NEAR(exact_angle(in_band), -t.wrap.band, 0.15 * t.wrap.band);
  EXPECT_NEAR(exact_angle(outer), t.wrap.band, 0.15 * t.wrap.band);
  for (const double alpha : {0.25, 0.75}) {  // on the tangents
    // S⁗ is continuous and zero at the edges, S‴ falls there with the square of the distance: what
    // is left 1e-6 of the band inside is rounding, divided by the short arc at the free edge.
    const double step = 6e-8;
    const Eigen::Matrix4d first =
        t.derivatives(in_band + step, alpha) - t.derivatives(free - step, alpha);
    const Eigen::Matrix4d second =
        t.derivatives(outer - step, alpha) - t.derivatives(deep + step, alpha);
    for (const Eigen::Matrix4d& jump : {first, second}) {
      EXPECT_LT(jump.col(1).norm(), 1e-6);
      EXPECT_LT(jump.col(2).norm(), 1e-5);
      EXPECT_LT(jump.col(3).norm(), 1e-3);
    }
  }
  // Between them derivatives are bounded: 1/ε and 1/ε², with the factors of S.
  double second = 0, third = 0;
  for (int k = 1; k < 200; ++k) {
    const Eigen::Matrix4d d = t.derivatives(free + (deep - free) * k / 200, 0.25);
    second = std::max(second, d.col(2).norm());
    third = std::max(third, d.col(3).norm());
  }
  RecordProperty("largest second derivative", std::to_string(second));
  EXPECT_LT(second, 1.1 / t.wrap.band);
  EXPECT_LT(third, 4 / (t.wrap.band * t.wrap.band));
}

TEST(CylinderWrap, HasThePublishedLengths) {
  CylinderWrap wrap{.radius = 0.15, .model = WrapKind::exact};
  const Vec3 i(-0.5, 0, 0);
  // Given to six decimals.
  EXPECT_NEAR(length(wrap, Vec3(1, 0, 0), i), 1.533945, 6e-7);
  EXPECT_NEAR(length(wrap, Vec3(1.2, 0, 0), i), 1.732061, 6e-7);
  wrap.radius = 0.20;
  EXPECT_NEAR(length(wrap, Vec3(1, 0, 0), i), 1.560628, 6e-7);
  wrap.radius = 0.25;
  EXPECT_NEAR(length(wrap, Vec3(1, 0, 0), i), 1.595328, 6e-7);
  // In line with the axis both sides are equally long, and the smooth model is past its band.
  wrap.side = WrapSide::clockwise;
  EXPECT_NEAR(length(wrap, Vec3(1, 0, 0), i), 1.595328, 6e-7);
  wrap.model = WrapKind::smooth;
  EXPECT_NEAR(length(wrap, Vec3(1, 0, 0), i), 1.595328, 6e-7);
}

TEST(CylinderWrap, SmoothIsExactOutsideTheBandAndAboveItInside) {
  test::Random random(2);
  const double r = 0.15;
  CylinderWrap exact{.radius = r, .model = WrapKind::exact}, smooth{.radius = r};
  int outside = 0, inside = 0;
  for (int k = 0; k < 3000; ++k) {
    const auto anchor = [&] {
      const double a = random.uniform(-pi, pi), rho = random.uniform(1.11 * r, 6 * r);
      return Vec3(rho * std::cos(a), rho * std::sin(a), random.uniform(-1, 1));
    };
    const Vec3 o = anchor(), i = anchor();
    const auto status = exact.solve(o, i).status;
    if (failed(status)) continue;
    SpanShape<double> a, b;
    exact.shape<double>(exact.solve(o, i), o, i, a);
    b.helix[0].radius = 0;
    smooth.shape<double>(smooth.solve(o, i), o, i, b);
    const double lift = b.pieces == 3 ? b.helix[0].radius - r : 0;
    if (a.pieces == b.pieces && lift == 0) {
      ++outside;
      EXPECT_EQ(a.length, b.length);
      EXPECT_EQ(a.node[1], b.node[1]);
    } else {
      ++inside;
      const double chord = (i - o).head<2>().norm();
      EXPECT_GE(lift, 0);
      // S exceeds max(x, 0) by at most 0.137 of the half-width, ε times the reduced length ≤ D/4.
      const double h = (o[0] * i[1] - o[1] * i[0]) / chord;
      EXPECT_LE(b.helix[0].radius, std::max(r, h) + 0.1368 * smooth.band * chord / 4);
      EXPECT_GE(b.length, a.length - 1e-15);
      EXPECT_LE(b.length, a.length + 0.01 * smooth.band * smooth.band * chord);
    }
  }
  EXPECT_GT(outside, 500);
  EXPECT_GT(inside, 30);
}

TEST(CylinderWrap, NearestIsTheShorterOfBothSides) {
  test::Random random(8);
  CylinderWrap wrap{.radius = 0.15, .model = WrapKind::exact};
  int wound = 0;
  for (int k = 0; k < 300; ++k) {
    const Vec3 o = random.vec3() + Vec3(1.2, 0, 0), i = random.vec3() - Vec3(1.2, 0, 0);
    wrap.side = WrapSide::clockwise;
    const double right = length(wrap, o, i);
    wrap.side = WrapSide::counter_clockwise;
    const double left = length(wrap, o, i);
    wrap.side = WrapSide::nearest;
    wound += wrap.solve(o, i).status == SpanStatus::wrapped;
    EXPECT_EQ(length(wrap, o, i), std::min(left, right));
  }
  EXPECT_GT(wound, 50);
}

TEST(CylinderWrap, HasNoPathFromInsideUnlessItIsSmooth) {
  CylinderWrap wrap{.radius = 0.2, .model = WrapKind::exact};
  const Vec3 i(-1, 0.1, 0.3);
  EXPECT_EQ(wrap.solve(Vec3(0.1, 0, 0), i).status, SpanStatus::anchor_inside);
  EXPECT_EQ(wrap.solve(Vec3(0.2, 0, 0), i).status, SpanStatus::anchor_inside);
  EXPECT_EQ(length(wrap, Vec3(0.1, 0, 0), i), (i - Vec3(0.1, 0, 0)).norm());
  wrap.model = WrapKind::smooth;
  EXPECT_EQ(wrap.solve(Vec3(0.1, 0, 0), i).status, SpanStatus::wrapped);
  EXPECT_EQ(wrap.solve(Vec3(0.001, 0, 0), i).status, SpanStatus::anchor_inside);
}

/// An anchor that goes into the cylinder and out again: everything stays finite, and the length
/// changes according to its gradient.
TEST(CylinderWrap, SmoothPathsFollowAnchorsThroughTheSurface) {
  const CylinderWrap wrap{.radius = 0.2, .band = 0.07};
  const Vec3 i(-0.5, 0.02, 0.1), from(0.4, 0.1, 0), to(0.03, 0.09, 0.05);
  auto shape = std::make_unique<SpanShape<PathDual>>();
  double before = 0, slope_before = 0, largest = 0;
  constexpr int kSteps = 2000;
  for (int k = 0; k <= kSteps; ++k) {
    const Vec3 o = from + (to - from) * k / kSteps;
    Point<PathDual> o_d;
    for (int c = 0; c < 3; ++c) o_d[c] = PathDual::Variable(o[c], c);
    wrap.shape<PathDual>(wrap.solve(o, i), o_d, i.cast<PathDual>(), *shape);
    double slope = 0;
    for (int c = 0; c < 3; ++c) slope += shape->length.d[static_cast<size_t>(c)] * (to - from)[c];
    ASSERT_TRUE(std::isfinite(slope));
    const double now = value_of(shape->length);
    // The trapezoidal rule: h³/12 of the third derivative.
    if (k > 0) {
      EXPECT_NEAR(now - before, 0.5 * (slope + slope_before) / kSteps, 1e-8);
    }
    largest = std::max(largest, std::abs(slope));
    before = now;
    slope_before = slope;
  }
  EXPECT_LT(largest, 2 * (to - from).norm());
}

TEST(CylinderWrap, WindsUpToThreeQuartersOfATurn) {
  CylinderWrap wrap{.radius = 0.1};
  const auto at = [](double angle) { return Vec3(std::cos(angle), std::sin(angle), 0); };
  for (const WrapKind model : {WrapKind::exact, WrapKind::smooth}) {
    wrap.model = model;
    const auto status = [&](double angle) { return wrap.solve(at(0), at(angle)).status; };
    EXPECT_EQ(status(0.5 * pi), SpanStatus::free);
    EXPECT_EQ(status(1.49 * pi), SpanStatus::wrapped);
    // The angle between the anchors, less the two that their tangents span.
    SpanShape<double> shape;
    wrap.shape<double>(wrap.solve(at(0), at(1.49 * pi)), at(0), at(1.49 * pi), shape);
    EXPECT_NEAR(shape.wrapped_angle, 1.49 * pi - 2 * std::acos(0.1), 1e-14);
    // Here the cut is: the chord would clear the cylinder on its wrong side.
    EXPECT_EQ(status(1.51 * pi), SpanStatus::no_path);
    EXPECT_EQ(status(1.74 * pi), SpanStatus::no_path);
    EXPECT_EQ(status(1.76 * pi), SpanStatus::free);
    EXPECT_EQ(status(1.999 * pi), SpanStatus::free);
    // Chords through the cylinder on its wrong side: more than half a turn, or passed the other
    // way.
    EXPECT_EQ(wrap.solve(Vec3(1, -0.05, 0), Vec3(-1, -0.05, 0)).status, SpanStatus::wrapped);
    EXPECT_EQ(wrap.solve(0.11 * at(0), 0.11 * at(-0.7)).status, SpanStatus::free);
    EXPECT_EQ(wrap.solve(0.102 * at(0), 0.102 * at(-0.7)).status, SpanStatus::no_path);
  }
}

TEST(CylinderWrap, FiniteOnesAreLeftWhereBothTangentPointsArePastAnEnd) {
  CylinderWrap finite{.radius = 0.1, .model = WrapKind::exact, .half_length = 0.2};
  CylinderWrap infinite{.radius = 0.1, .model = WrapKind::exact};
  const auto status = [&](double z_o, double z_i) {
    return finite.solve(Vec3(1, -0.02, z_o), Vec3(-1, -0.02, z_i)).status;
  };
  EXPECT_EQ(status(0, 0), SpanStatus::wrapped);
  EXPECT_EQ(status(0.19, 0.19), SpanStatus::wrapped);
  EXPECT_EQ(status(0.21, 0.21), SpanStatus::slipped_off);
  EXPECT_EQ(status(-0.21, -0.21), SpanStatus::slipped_off);
  // The tangent points are at about 0.05 to either side of the middle.
  EXPECT_EQ(status(-2, 2.1), SpanStatus::wrapped);
  EXPECT_EQ(status(-2, 2.4), SpanStatus::wrapped);
  EXPECT_EQ(status(-2, 3), SpanStatus::slipped_off);
  // From one side of both ends to the other: it crosses all of the cylinder.
  finite.half_length = 0.01;
  EXPECT_EQ(status(-2, 2), SpanStatus::wrapped);

  finite.half_length = 0.2;
  for (const WrapKind model : {WrapKind::exact, WrapKind::smooth}) {
    finite.model = infinite.model = model;
    const Vec3 o(0.5, -0.02, 0.1), i(-0.6, 0.07, 0.15);
    EXPECT_EQ(length(finite, o, i), length(infinite, o, i));
    const Vec3 up(0, 0, 0.3);
    EXPECT_EQ(length(finite, o + up, i + up), (i - o).norm());
  }
}

TEST(CylinderWrap, SmoothPathsSlipOffAnEndWithoutAJump) {
  const CylinderWrap wrap{.radius = 0.1, .half_length = 0.2};
  const Vec3 o(0.5, 0.02, 0.05), i(-0.6, 0.03, -0.05);
  const auto up = [](double z) { return Vec3(0, 0, z); };
  EXPECT_EQ(wrap.solve(o + up(0.21), i + up(0.21)).status, SpanStatus::wrapped);
  EXPECT_EQ(wrap.solve(o + up(0.31), i + up(0.31)).status, SpanStatus::slipped_off);
  // Shorter and shorter, and no faster than what there is to lose allows: the step's slope is 2.5
  // per band.
  const double whole = length(wrap, o, i), chord = (i - o).norm();
  double before = whole;
  constexpr int kSteps = 1000;
  for (int k = 1; k <= kSteps; ++k) {
    const double z = 0.15 + 0.2 * k / kSteps, now = length(wrap, o + up(z), i + up(z));
    EXPECT_LE(now, before + 1e-15);
    EXPECT_LT(before - now, 4 * (whole - chord) * 0.2 / 0.1 / kSteps);
    before = now;
  }
  EXPECT_EQ(before, (i + up(0.35) - (o + up(0.35))).norm());
  // Wound by more than half a turn it cannot slip off smoothly: that is reported.
  const Vec3 back(0, -0.1, 0);
  EXPECT_EQ(wrap.solve(o + up(0.19) + back, i + up(0.19) + back).status, SpanStatus::wrapped);
  EXPECT_EQ(wrap.solve(o + up(0.26) + back, i + up(0.26) + back).status, SpanStatus::no_path);
  EXPECT_EQ(wrap.solve(o + up(0.32) + back, i + up(0.32) + back).status, SpanStatus::slipped_off);
}

TEST(CylinderWrap, TurnsWithItsAnchorsAndMirrors) {
  test::Random random(4);
  for (int k = 0; k < 100; ++k) {
    CylinderWrap wrap{.radius = 0.2};
    const Vec3 o = random.vec3() + Vec3(1.3, 0, 0), i = random.vec3() - Vec3(1.3, 0, 0);
    const double l = length(wrap, o, i);
    const Eigen::AngleAxisd turn(random.uniform(0, 6), Vec3::UnitZ());
    const Vec3 up(0, 0, random.uniform(-1, 1));
    EXPECT_NEAR(length(wrap, turn * o + up, turn * i + up), l, 1e-14);
    // Backwards, and in a mirror, it winds the other way.
    wrap.side = WrapSide::clockwise;
    EXPECT_NEAR(length(wrap, i, o), l, 1e-14);
    const Vec3 mirror(1, -1, 1);
    EXPECT_NEAR(length(wrap, o.cwiseProduct(mirror), i.cwiseProduct(mirror)), l, 1e-14);
  }
}

TEST(CylinderWrap, RefusesNonsense) {
  EXPECT_NO_THROW(validate(CylinderWrap{.radius = 0.1}, "wrap"));
  EXPECT_THROW(validate(CylinderWrap{}, "wrap"), Error);
  EXPECT_THROW(validate(CylinderWrap{.radius = std::nan("")}, "wrap"), Error);
  EXPECT_THROW(validate(CylinderWrap{.radius = 0.1, .half_length = 0}, "wrap"), Error);
  EXPECT_THROW(validate(CylinderWrap{.radius = 0.1, .band = 0}, "wrap"), Error);
  EXPECT_THROW(validate(CylinderWrap{.radius = 0.1, .band = 1}, "wrap"), Error);
  EXPECT_THROW(validate(CylinderWrap{.radius = 0.1, .side = WrapSide::nearest}, "wrap"), Error);
}

}  // namespace cylinder_wrap_test
}  // namespace sinew

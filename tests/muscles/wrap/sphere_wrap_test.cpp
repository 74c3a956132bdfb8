#include "sinew/muscles/wrap/sphere_wrap.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <numbers>

#include "sinew/core/error.hpp"
#include "sinew/muscles/wrap/cylinder_wrap.hpp"
#include "support/random.hpp"

namespace sinew {
namespace sphere_wrap_test {

using std::numbers::pi;

template <class W>
SpanShape<double> shape_of(const W& wrap, const Vec3& o, const Vec3& i) {
  SpanShape<double> shape;
  wrap.template shape<double>(wrap.solve(o, i), o, i, shape);
  return shape;
}

TEST(SphereWrap, IsTheCylinderOfItsPlane) {
  test::Random random(1);
  int wrapped = 0;
  for (const WrapKind model : {WrapKind::exact, WrapKind::smooth})
    for (int k = 0; k < 300; ++k) {
      const SphereWrap sphere{.radius = 0.3, .model = model};
      const CylinderWrap cylinder{.radius = 0.3, .model = model};
      const double a = random.uniform(0.2, 2.8);
      const Vec3 o(random.uniform(0.32, 1), 0, 0);
      const Vec3 i = random.uniform(0.32, 1) * Vec3(std::cos(a), std::sin(a), 0);
      const Mat3 R = random.pose().R;
      const SpanShape<double> expected = shape_of(cylinder, o, i);
      const SpanShape<double> got = shape_of(sphere, R * o, R * i);
      wrapped += got.pieces == 3;
      // Rounding.
      ASSERT_EQ(got.pieces, expected.pieces);
      EXPECT_NEAR(got.length, expected.length, 1e-14);
      EXPECT_NEAR(got.wrapped_angle, expected.wrapped_angle, 1e-13);
      for (int n = 0; n <= got.pieces; ++n) {
        const auto at = static_cast<size_t>(n);
        EXPECT_LT((got.node[at] - R * expected.node[at]).norm(), 1e-13);
      }
    }
  EXPECT_GT(wrapped, 150);
}

TEST(SphereWrap, ExactHasNoPathThroughTheCentre) {
  const SphereWrap wrap{.radius = 0.1, .model = WrapKind::exact};
  EXPECT_EQ(wrap.solve(Vec3(1, 2, 3), Vec3(-2, -4, -6)).status, SpanStatus::no_path);
  EXPECT_EQ(wrap.solve(Vec3(1, 2, 3), Vec3(-2, -4, -6.0001)).status, SpanStatus::wrapped);
  EXPECT_EQ(wrap.solve(Vec3(1, 2, 3), Vec3(2, 4, 6)).status, SpanStatus::free);
  EXPECT_EQ(wrap.solve(Vec3(0.1, 0, 0), Vec3(-2, 0.1, 0)).status, SpanStatus::anchor_inside);
}

/// A path whose insertion passes the antipode of its origin, missing it by `miss` rad, at unit
/// angular speed; largest velocity of its points in units of r, and how far they leave the sphere.
struct Passage {
  double speed = 0, leaves = 0;
};
Passage pass_antipode(const SphereWrap& wrap, double miss) {
  const double r = wrap.radius;
  const Vec3 o(2 * r, 0, 0);
  auto shape = std::make_unique<SpanShape<PathTaylor>>();
  Passage passage;
  for (double a = -0.4; a <= 0.4; a += 0.001) {
    // Moves along z, past the antipode on the side that winds positively about z.
    const Vec3 i = 2 * r * Vec3(-std::cos(a), -std::sin(miss), std::sin(a));
    const Vec3 rate = 2 * r * Vec3(std::sin(a), 0, std::cos(a));
    Point<PathTaylor> o_t = o.cast<PathTaylor>(), i_t;
    for (int k = 0; k < 3; ++k) i_t[k] = PathTaylor(i[k], rate[k], 0);
    const SpanSolution solution = wrap.solve(o, i);
    EXPECT_EQ(solution.status, SpanStatus::wrapped) << a;
    wrap.shape<PathTaylor>(solution, o_t, i_t, *shape);
    for (int k = 0; k <= 8; ++k) {
      const PathTaylor s = shape->piece[1].length * (k / 8.0);
      const Point<PathTaylor> x = shape->at(1, s);
      passage.speed = std::max(passage.speed, Vec3(x[0].d1, x[1].d1, x[2].d1).norm() / r);
      passage.leaves = std::max(passage.leaves, Vec3(x[0].v, x[1].v, x[2].v).norm() / r - 1);
    }
  }
  return passage;
}

TEST(SphereWrap, SmoothPathsPassTheAntipodeAtBoundedSpeed) {
  SphereWrap wrap{.radius = 0.5, .model = WrapKind::exact, .axis = -Vec3::UnitZ()};
  // Exact: a miss of 0.01 rad turns the plane by 1/0.01 rad per rad.
  EXPECT_GT(pass_antipode(wrap, 0.01).speed, 50);
  wrap.model = WrapKind::smooth;
  const Passage near = pass_antipode(wrap, 0.001);
  // The normal turns by at most 2/τ per rad of the insertion.
  EXPECT_LT(near.speed, 2 / wrap.antipode_band);
  // Outside by the tilt: τ²/8 at most.
  EXPECT_LT(near.leaves, 0.01);
  EXPECT_GT(near.leaves, 0);
  RecordProperty("speed", std::to_string(near.speed));
  RecordProperty("leaves", std::to_string(near.leaves));
  // In line, and past it on the side that the axis disfavours: still a path.
  EXPECT_LT(pass_antipode(wrap, 0).speed, 2 / wrap.antipode_band);
  EXPECT_LT(pass_antipode(wrap, -0.05).speed, 3 / wrap.antipode_band);
}

TEST(SphereWrap, ThePathThatTheAxisForbidsIsRefused) {
  const SphereWrap wrap{.radius = 0.1};
  // In line along the axis itself.
  EXPECT_EQ(wrap.solve(Vec3(0, 0, 1), Vec3(0, 0, -1)).status, SpanStatus::no_path);
  EXPECT_EQ(wrap.solve(Vec3(1, 0, 0), Vec3(-1, 0, 0)).status, SpanStatus::wrapped);
  // O × I = −μ m, at π − θ = κ^½ = τ − κ/τ.
  const double miss = 0.5 * (std::sqrt(5) - 1) * wrap.antipode_band;
  EXPECT_EQ(wrap.solve(Vec3(1, 0, 0), Vec3(-std::cos(miss), std::sin(-miss), 0)).status,
            SpanStatus::no_path);
  EXPECT_EQ(wrap.solve(Vec3(1, 0, 0), Vec3(-std::cos(miss), std::sin(miss), 0)).status,
            SpanStatus::wrapped);
}

TEST(SphereWrap, TheTiltEndsWhereItShould) {
  const SphereWrap wrap{.radius = 0.5};
  const double edge = 2 * std::asin(0.5 * wrap.antipode_band * std::sqrt(1.5));
  for (const double miss : {1.001 * edge, 0.999 * edge, 0.5 * edge}) {
    const Vec3 o(1, 0, 0), i(-std::cos(miss), 0, std::sin(miss));
    SphereWrap plain = wrap;
    plain.model = WrapKind::exact;
    const double difference = (shape_of(wrap, o, i).node[1] - shape_of(plain, o, i).node[1]).norm();
    // Beyond its edge exact; within, it rises with the fifth power.
    if (miss > edge)
      EXPECT_LT(difference, 1e-15);
    else
      EXPECT_GT(difference, miss > 0.9 * edge ? 0 : 1e-3);
    EXPECT_LT(difference, miss > 0.9 * edge ? 1e-11 : 1);
  }
}

TEST(SphereWrap, RefusesNonsense) {
  EXPECT_NO_THROW(validate(SphereWrap{.radius = 0.1}, "wrap"));
  EXPECT_THROW(validate(SphereWrap{}, "wrap"), Error);
  EXPECT_THROW(validate(SphereWrap{.radius = -1}, "wrap"), Error);
  EXPECT_THROW(validate(SphereWrap{.radius = 0.1, .band = 0.5}, "wrap"), Error);
  EXPECT_THROW(validate(SphereWrap{.radius = 0.1, .axis = Vec3(0, 0, 2)}, "wrap"), Error);
  EXPECT_THROW(validate(SphereWrap{.radius = 0.1, .antipode_band = 0}, "wrap"), Error);
}

}  // namespace sphere_wrap_test
}  // namespace sinew

#include <gtest/gtest.h>

#include "sinew/muscles/wrap/wrap.hpp"
#include "support/message_of.hpp"

namespace sinew {
namespace pulley_wrap_test {

constexpr double kTurn = 2 * std::numbers::pi, kRadius = 0.2;
const Vec3 kO(-1, 0.1, 0.05), kI(0.9, -0.2, 0.25);

PulleyWrap pulley(RimHold hold = RimHold::none) {
  return {.radius = kRadius, .side = WrapSide::clockwise, .hold = hold};
}

double length(const PulleyWrap& wrap, const SpanSolution& solution, const Vec3& o, const Vec3& i) {
  SpanShape<double> out;
  wrap.shape<double>(solution, o, i, out);
  return out.length;
}

double tangent_length(const Vec3& x) {
  return std::sqrt(x.head<2>().squaredNorm() - kRadius * kRadius);
}

TEST(PulleyWrap, AnyNumberOfTurnsIsTheUnrolledCylinder) {
  const PulleyWrap wrap = pulley();
  const SpanSolution once = wrap.solve(kO, kI);
  for (const int turns : {0, 1, 2, 40}) {
    const SpanSolution solution = wrap.solve(kO, kI, kTurn * turns + 2);
    const double angle = wound_angle(solution);
    EXPECT_NEAR(angle, wound_angle(once) + kTurn * turns, 1e-12);  // rounding
    SpanShape<double> path;
    wrap.shape<double>(solution, kO, kI, path);
    const double plane = tangent_length(kO) + kRadius * angle + tangent_length(kI);
    EXPECT_NEAR(path.length, std::hypot(plane, kI.z() - kO.z()), 1e-13 * path.length);
    ASSERT_EQ(path.pieces, 3);
    const Vec3 end = path.at(1, path.piece[1].length);
    EXPECT_LT((end - path.node[2]).norm(), 1e-12);  // rounding of 250 rad
  }
}

TEST(PulleyWrap, TouchesAsACylinderDoes) {
  const CylinderWrap cylinder{
      .radius = kRadius, .side = WrapSide::clockwise, .model = WrapKind::exact};
  for (const double height : {-0.3, -0.1, 0.1, 0.19, 0.3}) {
    const Vec3 o(-1, height, 0), i(0.9, height, 0.1);
    const SpanSolution a = cylinder.solve(o, i), b = pulley().solve(o, i);
    EXPECT_EQ(a.status, b.status) << height;
    SpanShape<double> expected;
    cylinder.shape<double>(a, o, i, expected);
    EXPECT_NEAR(length(pulley(), b, o, i), expected.length, 1e-14);
  }
}

TEST(PulleyWrap, HeldEndsHaveNoTangent) {
  const Vec3 rim(kRadius * std::cos(2.0), kRadius * std::sin(2.0), 0);
  const PulleyWrap first = pulley(RimHold::first), last = pulley(RimHold::last);
  const SpanSolution out = first.solve(rim, kI, 14), in = last.solve(kO, rim, 14);
  for (const auto& [wrap, solution, x] : {std::tuple(first, out, kI), std::tuple(last, in, kO)}) {
    const double plane = kRadius * wound_angle(solution) + tangent_length(x);
    EXPECT_NEAR(wound_angle(solution), 14, std::numbers::pi);
    EXPECT_NEAR(length(wrap, solution, wrap.hold == RimHold::first ? rim : x,
                       wrap.hold == RimHold::first ? x : rim),
                std::hypot(plane, x.z()), 1e-13);
  }
  // Where the tangent leaves, less what is wound, is where the rim is held.
  EXPECT_NEAR(std::remainder(first.tangent_angle(kI, true) + wound_angle(out) - 2.0, kTurn), 0,
              1e-13);
  EXPECT_NEAR(std::remainder(last.tangent_angle(kO, false) - wound_angle(in) - 2.0, kTurn), 0,
              1e-13);
}

TEST(PulleyWrap, IsLostBeforeItPassesATurnUnnoticed) {
  const PulleyWrap wrap = pulley();
  const double angle = wound_angle(wrap.solve(kO, kI));
  EXPECT_EQ(wrap.solve(kO, kI, angle + 0.87 * std::numbers::pi).status, SpanStatus::wrapped);
  EXPECT_EQ(wrap.solve(kO, kI, angle + 0.88 * std::numbers::pi).status, SpanStatus::no_path);
  EXPECT_EQ(wrap.solve(Vec3(0.1, 0, 0), kI).status, SpanStatus::anchor_inside);
  // Held ends do not lift off: less than nothing is wound.
  const Vec3 rim(kRadius, 0, 0);
  const double left = wound_angle(pulley(RimHold::first).solve(rim, kI, -0.5));
  ASSERT_LT(left, 0);
  EXPECT_EQ(pulley(RimHold::first).solve(rim, kI, -0.5).status, SpanStatus::no_path);
  PulleyWrap past = pulley(RimHold::first);
  past.past = true;
  const SpanSolution backwards = past.solve(rim, kI, -0.5);
  EXPECT_EQ(backwards.status, SpanStatus::wrapped);
  EXPECT_NEAR(length(past, backwards, rim, kI),
              kRadius * left + std::hypot(tangent_length(kI), kI.z()), 1e-13);
}

TEST(PulleyWrap, NamesWhatIsWrong) {
  EXPECT_EQ(test::message_of([] { validate(pulley(), "guide 'x'"); }), "");
  PulleyWrap flat = pulley();
  flat.radius = 0;
  EXPECT_NE(test::message_of([&] { validate(flat, "guide 'x'"); }).find("radius"),
            std::string::npos);
  PulleyWrap any = pulley();
  any.side = WrapSide::nearest;
  EXPECT_NE(test::message_of([&] { validate(any, "guide 'x'"); }).find("side"), std::string::npos);
}

}  // namespace pulley_wrap_test
}  // namespace sinew

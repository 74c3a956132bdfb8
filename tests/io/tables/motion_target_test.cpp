#include "sinew/io/tables/motion_target.hpp"

#include <gtest/gtest.h>

#include <numbers>

namespace sinew {
namespace motion_target_test {

constexpr double kAny = std::numeric_limits<double>::infinity();
constexpr Reach kTurn = {std::numbers::pi, 1, 1, kAny, kAny};

Coordinate coordinate(CoordinateKind kind, double q0) {
  Coordinate out;
  out.kind = kind;
  out.q0 = q0;
  return out;
}

void expect_span(const CoordinateRange& span, double lower, double upper) {
  EXPECT_DOUBLE_EQ(span.lower, lower);
  EXPECT_DOUBLE_EQ(span.upper, upper);
}

TEST(SpanOfACoordinate, IsItsRange) {
  expect_span(span_of(coordinate(CoordinateKind::angle, 0.2), {-1, 2}, kStudyReach), -1, 2);
  expect_span(span_of(coordinate(CoordinateKind::length, 0.2), {-5, 5}, kTurn), -5, 5);
}

TEST(SpanOfACoordinate, WithoutARangeGoesEitherSideOfTheDefault) {
  expect_span(span_of(coordinate(CoordinateKind::angle, 1), {}, kStudyReach), 0.5, 1.5);
  expect_span(span_of(coordinate(CoordinateKind::length, 1), {}, kStudyReach), 0.95, 1.05);
  expect_span(span_of(coordinate(CoordinateKind::parameter, 1), {}, kTurn), 0, 2);
  // Wider than any joint.
  expect_span(span_of(coordinate(CoordinateKind::angle, 1), {-100, 100}, kStudyReach), 0.5, 1.5);
}

TEST(SpanOfACoordinate, HalfATurnGoesAroundZero) {
  const double pi = std::numbers::pi;
  expect_span(span_of(coordinate(CoordinateKind::angle, 1), {}, kTurn), -pi, pi);
  expect_span(span_of(coordinate(CoordinateKind::angle, 4), {}, kTurn), 4 - pi, 4 + pi);
}

TEST(SpanOfACoordinate, OneEndKeepsTheOtherOrMovesItBeside) {
  const Coordinate angle = coordinate(CoordinateKind::angle, 0);
  expect_span(span_of(angle, {-0.2, kAny}, kStudyReach), -0.2, 0.5);
  expect_span(span_of(angle, {2, kAny}, kStudyReach), 2, 2.5);
  expect_span(span_of(angle, {-kAny, -2}, kStudyReach), -2.5, -2);
}

}  // namespace motion_target_test
}  // namespace sinew

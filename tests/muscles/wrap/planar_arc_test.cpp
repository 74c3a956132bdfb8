#include "sinew/muscles/wrap/planar_arc.hpp"

#include <gtest/gtest.h>

#include "support/random.hpp"

namespace sinew {
namespace planar_arc_test {

/// Four derivatives along a line.
using Taylor4 = Taylor2<Taylor2<double>>;
Taylor4 variable(double t) { return {Taylor2<double>(t, 1, 0), Taylor2<double>(1), 0.0}; }
double fourth(const Taylor4& x) { return x.d2.d2; }

/// Clockwise from (−0.5, 0) to (x, 0.25); touches a circle of radius 0.15 for x > 0.29495.
template <class T>
PlanarPair<T> pair_at(const T& x) {
  const T dx = x + 0.5;
  return {T(0.25), x * x + 0.0625, -0.5 * x, T(0.125), dx * dx + 0.0625};
}
constexpr double kRadius = 0.15, kBand = 0.07;

template <class T>
T radius_at(const T& x) {
  return smooth_radius(T(kRadius), kBand, pair_at(x));
}

/// The point at which a condition that holds at `yes` ceases to hold.
double edge(double yes, double no, const auto& holds) {
  for (int k = 0; k < 60; ++k) {
    const double middle = 0.5 * (yes + no);
    (holds(middle) ? yes : no) = middle;
  }
  return yes;
}

TEST(PlanarArc, FourthDerivativesVanishAtTheEdgesOfTheBand) {
  const double free_edge = edge(0.295, 0.15, [](double x) {
    const auto pair = pair_at(x);
    return planar_winding(pair, kRadius, band_width(kBand, pair)) == Winding::contact;
  });
  const double deep_edge = edge(0.295, 0.55, [](double x) {
    const auto pair = pair_at(x);
    return kRadius - pair.cross / std::sqrt(pair.chord2) < band_width(kBand, pair);
  });
  const auto above_chord = [](double x) {
    const PlanarPair<Taylor4> pair = pair_at(variable(x));
    return std::abs(fourth(Taylor4(radius_at(variable(x)) - pair.cross / sqrt(pair.chord2))));
  };
  const auto angle = [](double x) {
    const PlanarPair<Taylor4> pair = pair_at(variable(x));
    return std::abs(fourth(planar_arc(pair, radius_at(variable(x))).angle));
  };
  const auto above_surface = [](double x) { return std::abs(fourth(radius_at(variable(x)))); };
  // Continuous, with a bend: a hundredth of the distance from the edge, a hundredth of the value.
  const double near = 1e-5, far = 1e-3;
  EXPECT_NEAR(above_chord(free_edge + near) / above_chord(free_edge + far), 0.01, 0.003);
  EXPECT_NEAR(angle(free_edge + near) / angle(free_edge + far), 0.01, 0.003);
  EXPECT_NEAR(above_surface(deep_edge - near) / above_surface(deep_edge - far), 0.01, 0.003);
  // And they are not small: what vanishes at the edges is not rounding.
  EXPECT_GT(above_chord(free_edge + far), 100);
}

TEST(PlanarArc, AnglesAndLengthsAreThoseOfTheFormula) {
  test::Random random(1);
  for (int k = 0; k < 1000; ++k) {
    const double rho_o = random.uniform(0.2, 1), rho_i = random.uniform(0.2, 1), r = 0.15;
    const double theta = random.uniform(0, 1.5 * std::numbers::pi);
    const double expected = theta - std::acos(r / rho_o) - std::acos(r / rho_i);
    if (expected < 0) continue;
    const double d = rho_o * rho_i * std::cos(theta), c = rho_o * rho_i * std::sin(theta);
    const PlanarArc<double> arc = planar_arc<double>(
        {rho_o * rho_o, rho_i * rho_i, d, c, rho_o * rho_o + rho_i * rho_i - 2 * d}, r);
    EXPECT_NEAR(arc.angle, expected, 1e-14);
    EXPECT_NEAR(arc.length(),
                std::sqrt(rho_o * rho_o - r * r) + std::sqrt(rho_i * rho_i - r * r) + r * expected,
                1e-14);
  }
}

TEST(PlanarArc, TheLimiterLeavesRoomForTangents) {
  for (double rho = 0.01; rho < 2; rho += 0.01)
    for (double other = 0.01; other < 2; other += 0.05) {
      const PlanarPair<double> pair{rho * rho, other * other, 0, 0, 1};
      const double r = limited_radius(1.0, pair);
      EXPECT_LE(r, 0.95 * std::min(rho, other) + 1e-15);
      EXPECT_GT(r, 0);
      if (std::min(rho, other) >= kLimiterReach) {
        EXPECT_EQ(r, 1);
      }
    }
}

}  // namespace planar_arc_test
}  // namespace sinew

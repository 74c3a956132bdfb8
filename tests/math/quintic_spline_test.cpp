#include "sinew/math/quintic_spline.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "sinew/core/error.hpp"

namespace sinew {
namespace quintic_spline_test {

constexpr double kPi = std::numbers::pi;

std::vector<double> uneven_times(int n, double dt) {
  std::vector<double> t;
  for (int i = 0; i < n; ++i) t.push_back(dt * (i + 0.3 * std::sin(2.1 * i)));
  return t;
}

TEST(QuinticSpline, ReproducesParabolasEverywhere) {
  const auto f = [](double t) { return 3 - 2 * t + 0.7 * t * t; };
  const std::vector<double> times = uneven_times(12, 0.1);
  MatX y(12, 1);
  for (int i = 0; i < 12; ++i) y(i, 0) = f(times[static_cast<size_t>(i)]);
  // f‴ = 0: the least there is, with or without smoothing, inside and beyond the ends
  for (const QuinticSpline& spline :
       {QuinticSpline::Interpolate(times, y, "test"), QuinticSpline::Smooth(times, y, 3, "test")}) {
    VecX v(1), d(1), s(1);
    for (double t = -0.5; t < 1.7; t += 0.037) {
      spline.evaluate(t, v, d, s);
      EXPECT_NEAR(v[0], f(t), 1e-10);
      EXPECT_NEAR(d[0], -2 + 1.4 * t, 1e-9);
      EXPECT_NEAR(s[0], 1.4, 1e-7);
    }
  }
}

TEST(QuinticSpline, HasFourContinuousDerivativesAndPassesThroughItsPoints) {
  const std::vector<double> times = uneven_times(20, 0.05);
  MatX y(20, 2);
  for (int i = 0; i < 20; ++i) y.row(i) << std::sin(9.0 * i), std::cos(5.0 * i);
  const QuinticSpline spline = QuinticSpline::Interpolate(times, y, "test");
  VecX a(2), d(2), s(2);
  const auto acceleration = [&](double t) {
    spline.evaluate(t, a, d, s);
    return VecX(s);
  };
  for (size_t i = 1; i + 1 < times.size(); ++i) {
    const double t = times[i];
    spline.evaluate(t, a, d, s);
    EXPECT_LT((a - y.row(static_cast<int>(i)).transpose()).norm(), 1e-14);
    // f̈ is a cubic on either side; second differences are f⁗ at t ± h. Their difference goes to
    // zero with h; a jump of f⁗ would stay.
    const auto difference = [&](double h) {
      const VecX here = acceleration(t);
      const VecX left = here - 2 * acceleration(t - h) + acceleration(t - 2 * h);
      const VecX right = here - 2 * acceleration(t + h) + acceleration(t + 2 * h);
      return ((left - right) / (h * h)).norm();
    };
    EXPECT_NEAR(difference(1e-3) / difference(2.5e-4), 4, 0.01) << i;
  }
}

TEST(QuinticSpline, ConvergesWithTheFourthOrderInAccelerations) {
  const auto error = [](int n) {
    std::vector<double> times;
    MatX y(n, 1);
    for (int i = 0; i < n; ++i) {
      times.push_back(i / (n - 1.0));
      y(i, 0) = std::sin(7 * times.back());
    }
    const QuinticSpline spline = QuinticSpline::Interpolate(times, y, "test");
    VecX v(1), d(1), s(1);
    double worst = 0;
    for (double t = 0.4; t < 0.6; t += 0.003) {
      spline.evaluate(t, v, d, s);
      worst = std::max(worst, std::abs(s[0] + 49 * std::sin(7 * t)));
    }
    return worst;
  };
  EXPECT_NEAR(std::log2(error(41) / error(81)), 4, 0.3);
}

TEST(QuinticSpline, SmoothingLeavesOneOverRootTwoAtTheCutoff) {
  const int n = 2001;
  const double dt = 0.005, cutoff = 6;
  for (const double frequency : {1.0, 6.0, 20.0}) {
    std::vector<double> times;
    MatX y(n, 1);
    for (int i = 0; i < n; ++i) {
      times.push_back(i * dt);
      y(i, 0) = std::sin(2 * kPi * frequency * times.back());
    }
    const QuinticSpline spline = QuinticSpline::Smooth(times, y, cutoff, "test");
    // amplitude in the middle, without phase: projection on the sine
    double sum = 0;
    for (int i = 400; i < 1600; ++i) sum += spline.values()(i, 0) * y(i, 0);
    const double want = 1 / (1 + (std::numbers::sqrt2 - 1) * std::pow(frequency / cutoff, 6));
    // sampling at 200 Hz is not continuous time: 2e-4 at 20 Hz
    EXPECT_NEAR(sum / 600, want, 1e-3) << frequency;
  }
}

TEST(QuinticSpline, RefusesTimesThatDoNotIncreaseAndHoles) {
  const MatX y = MatX::Ones(4, 1);
  EXPECT_THROW(QuinticSpline::Interpolate({0, 1, 1, 2}, y, "test"), Error);
  EXPECT_THROW(QuinticSpline::Interpolate({0, 1}, MatX::Ones(2, 1), "test"), Error);
  MatX holes = y;
  holes(2, 0) = std::nan("");
  EXPECT_THROW(QuinticSpline::Interpolate({0, 1, 2, 3}, holes, "test"), Error);
  EXPECT_THROW(QuinticSpline::Smooth({0, 1, 2, 3}, y, 0, "test"), Error);
}

}  // namespace quintic_spline_test
}  // namespace sinew

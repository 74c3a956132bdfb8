#include "sinew/analysis/motion/motion_table.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "sinew/core/error.hpp"

namespace sinew {
namespace motion_table_test {

/// A slow motion with noise of 40 Hz on it.
MotionTable noisy(int n, double dt, bool even) {
  MotionTable table;
  table.name = "noisy.mot";
  table.labels = {"a"};
  table.values.resize(n, 1);
  for (int i = 0; i < n; ++i) {
    const double t = dt * (i + (even ? 0 : 0.2 * std::sin(1.7 * i)));
    table.times.push_back(t);
    table.values(i, 0) =
        std::sin(2 * std::numbers::pi * t) + 0.1 * std::sin(2 * std::numbers::pi * 40 * t);
  }
  return table;
}

/// Largest error of the acceleration at rows away from the ends.
double acceleration_error(const QuinticSpline& spline, double from, double to) {
  VecX f(1), d(1), s(1);
  double worst = 0;
  const double w = 2 * std::numbers::pi;
  for (double t = from; t < to; t += 0.013) {
    spline.evaluate(t, f, d, s);
    worst = std::max(worst, std::abs(s[0] + w * w * std::sin(w * t)));
  }
  return worst;
}

TEST(MotionTable, BothFiltersTakeNoiseOutOfAccelerations) {
  const MotionTable table = noisy(400, 0.005, true);
  EXPECT_GT(acceleration_error(opensim_smoothing(table, -1), 0.5, 1.5), 1000);
  // 40 Hz at 0.1 has an acceleration of 6300; of it (6/40)^12 is left by one, (6/40)⁶ × 0.41 by the
  // other; the motion itself, at 1 Hz, loses (1/6)⁶ = 2e-5 of 39.
  EXPECT_LT(acceleration_error(opensim_smoothing(table, 6), 0.5, 1.5), 0.3);
  EXPECT_LT(acceleration_error(spline_smoothing(table, 6), 0.5, 1.5), 0.3);
}

TEST(MotionTable, SplineSmoothingServesUnevenTimesAndOpenSimsResamples) {
  const MotionTable table = noisy(400, 0.005, false);
  EXPECT_LT(acceleration_error(spline_smoothing(table, 6), 0.5, 1.5), 3);
  const QuinticSpline resampled = opensim_smoothing(table, 6);
  const double first = resampled.times()[1] - resampled.times()[0];
  const double last = resampled.times().back() - *(resampled.times().end() - 2);
  EXPECT_NEAR(first, last, 1e-12);
}

TEST(MotionTable, StatesAreFoundUnderTheirOldAndNewNames) {
  MotionTable table;
  table.labels = {"knee_angle_r",
                  "knee_angle_r_u",
                  "/jointset/hip/hip_flexion_r/value",
                  "/jointset/hip/hip_flexion_r/speed",
                  "soleus_r.activation",
                  "/forceset/tib_ant_r/fiber_length"};
  EXPECT_EQ(coordinate_column(table, "knee_angle_r"), 0);
  EXPECT_EQ(speed_column(table, "knee_angle_r"), 1);
  EXPECT_EQ(coordinate_column(table, "hip_flexion_r"), 2);
  EXPECT_EQ(speed_column(table, "hip_flexion_r"), 3);
  EXPECT_EQ(muscle_column(table, "soleus_r", "activation"), 4);
  EXPECT_EQ(muscle_column(table, "tib_ant_r", "fiber_length"), 5);
  EXPECT_EQ(coordinate_column(table, "flexion_r"), -1);
  EXPECT_THROW(table.column("ankle"), Error);
}

TEST(MotionTable, StraightLinesBetweenRowsAndConstantBeyond) {
  MotionTable table;
  table.times = {0, 1, 3};
  table.values = MatX{{0.0}, {2.0}, {6.0}};
  VecX x(1);
  for (const auto& [t, want] :
       {std::pair{-1.0, 0.0}, {0.5, 1.0}, {1.0, 2.0}, {2.0, 4.0}, {9.0, 6.0}}) {
    interpolate_linearly(table, t, x);
    EXPECT_DOUBLE_EQ(x[0], want);
  }
}

}  // namespace motion_table_test
}  // namespace sinew

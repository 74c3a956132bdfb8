#include "sinew/analysis/design/sensitivity.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "sinew/analysis/design/design.hpp"

namespace sinew {
namespace sensitivity_test {

constexpr double kPi = std::numbers::pi;

template <class F>
std::vector<double> results(const Design& design, F&& f) {
  std::vector<double> out(design.count());
  for (std::uint64_t i = 0; i < out.size(); ++i) out[i] = f(design.point(i));
  return out;
}

Design saltelli(std::uint64_t base, std::uint64_t seed, const Distribution& each, size_t k) {
  return Design({.kind = DesignOptions::Kind::saltelli, .runs = base, .seed = seed},
                std::vector<Distribution>(k, each));
}

/// Ishigami and Homma (1990), a = 7, b = 0.1.
double ishigami(const std::vector<double>& x) {
  return std::sin(x[0]) + 7 * std::pow(std::sin(x[1]), 2) +
         0.1 * std::pow(x[2], 4) * std::sin(x[0]);
}
struct IshigamiTruth {
  double first[3], total[3];
};
IshigamiTruth ishigami_truth() {
  const double p4 = std::pow(kPi, 4), p8 = p4 * p4, b = 0.1;
  const double v1 = 0.5 * std::pow(1 + b * p4 / 5, 2), v2 = 49.0 / 8,
               v13 = b * b * p8 * (1.0 / 18 - 1.0 / 50), v = v1 + v2 + v13;
  return {{v1 / v, v2 / v, 0}, {(v1 + v13) / v, v2 / v, v13 / v}};
}

TEST(SensitivityIndices, OfIshigamisFunctionAreWithinAHundredthForTwentySeeds) {
  const IshigamiTruth truth = ishigami_truth();
  double worst = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Design design = saltelli(4096, seed, Uniform{-kPi, kPi}, 3);
    ASSERT_EQ(design.count(), 20480u);
    const SensitivityIndices found = sensitivity_indices(results(design, ishigami), 3, seed, 0);
    EXPECT_EQ(found.used, 4096u);
    for (size_t j = 0; j < 3; ++j)
      worst = std::max({worst, std::abs(found.first[j].value - truth.first[j]),
                        std::abs(found.total[j].value - truth.total[j])});
  }
  RecordProperty("worst", std::to_string(worst));
  EXPECT_LE(worst, 0.01);
}

// Sobol's g-function with eight parameters (Saltelli and Sobol 1995).
TEST(SensitivityIndices, OfSobolsFunctionAreWithinAHundredth) {
  const double a[] = {0, 1, 4.5, 9, 99, 99, 99, 99};
  const auto g = [&](const std::vector<double>& x) {
    double out = 1;
    for (size_t j = 0; j < 8; ++j) out *= (std::abs(4 * x[j] - 2) + a[j]) / (1 + a[j]);
    return out;
  };
  double product = 1, v[8];
  for (size_t j = 0; j < 8; ++j) {
    v[j] = 1.0 / 3 / std::pow(1 + a[j], 2);
    product *= 1 + v[j];
  }
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const Design design = saltelli(4096, seed, Uniform{0, 1}, 8);
    ASSERT_EQ(design.count(), 40960u);
    const SensitivityIndices found = sensitivity_indices(results(design, g), 8, seed, 0);
    for (size_t j = 0; j < 8; ++j) {
      EXPECT_NEAR(found.first[j].value, v[j] / (product - 1), 0.01);
      EXPECT_NEAR(found.total[j].value, v[j] * product / (1 + v[j]) / (product - 1), 0.01);
    }
  }
}

// The intervals are those of random base points: Sobol's points are better than they say.
TEST(SensitivityIndices, HaveIntervalsThatHoldTheTruth) {
  const IshigamiTruth truth = ishigami_truth();
  int held = 0, count = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Design design = saltelli(512, seed, Uniform{-kPi, kPi}, 3);
    const SensitivityIndices found = sensitivity_indices(results(design, ishigami), 3, seed, 200);
    for (size_t j = 0; j < 3; ++j) {
      const auto holds = [](const SensitivityIndex& index, double value) {
        return index.lower <= value && value <= index.upper;
      };
      held += holds(found.first[j], truth.first[j]) + holds(found.total[j], truth.total[j]);
      count += 2;
      EXPECT_LT(found.first[j].upper - found.first[j].lower, 0.5);
    }
  }
  EXPECT_GE(held, 0.9 * count);
}

TEST(SensitivityIndices, LeaveOutBasePointsWithAFailure) {
  const Design design = saltelli(1000, 1, Uniform{0, 1}, 2);
  std::vector<double> f = results(design, [](const auto& x) { return x[0] + 2 * x[1]; });
  f[7] = f[400] = std::numeric_limits<double>::quiet_NaN();
  const SensitivityIndices found = sensitivity_indices(f, 2, 1, 0);
  EXPECT_EQ(found.used, 998u);
  EXPECT_NEAR(found.first[0].value, 0.2, 0.01);
  EXPECT_NEAR(found.total[1].value, 0.8, 0.01);
  EXPECT_TRUE(std::isnan(sensitivity_indices({1, 2, 3}, 2, 1, 0).first[0].value));
}

TEST(RankCorrelation, SeesWhatIsMonotonic) {
  const double none = std::numeric_limits<double>::quiet_NaN();
  EXPECT_DOUBLE_EQ(rank_correlation({1, 2, 3, 4, none}, {1, 8, 27, 64, 3}), 1);
  EXPECT_DOUBLE_EQ(rank_correlation({1, 2, 3, 4}, {4, 3, 2, 1}), -1);
  EXPECT_NEAR(rank_correlation({1, 2, 2, 3}, {1, 2, 3, 4}), 0.9486832980505138, 1e-14);
  EXPECT_TRUE(std::isnan(rank_correlation({1, 1, 1}, {1, 2, 3})));
}

}  // namespace sensitivity_test
}  // namespace sinew

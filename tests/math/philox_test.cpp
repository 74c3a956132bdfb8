#include "sinew/math/philox.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace sinew {
namespace philox_test {

using Four = std::array<std::uint32_t, 4>;

// Salmon et al. (2011), file kat_vectors of their Random123.
TEST(Philox, GivesThePublishedAnswers) {
  EXPECT_EQ(philox({0, 0, 0, 0}, {0, 0}), (Four{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  constexpr std::uint32_t kAll = 0xffffffff;
  EXPECT_EQ(philox({kAll, kAll, kAll, kAll}, {kAll, kAll}),
            (Four{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
            (Four{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(RandomNumbers, AreUniformAndDifferByUseSeedAndIndex) {
  const RandomNumbers points(1, RandomUse::points), strata(1, RandomUse::strata),
      other(2, RandomUse::points);
  double mean = 0, square = 0, product = 0;
  constexpr int kCount = 100000;
  for (std::uint64_t i = 0; i < kCount; ++i) {
    const double u = points.uniform(i, 3), v = points.uniform(i, 4);
    ASSERT_GT(u, 0);
    ASSERT_LT(u, 1);
    mean += u / kCount;
    square += (u - 0.5) * (u - 0.5) / kCount;
    product += (u - 0.5) * (v - 0.5) / kCount;
    ASSERT_NE(points.bits(i, 3), strata.bits(i, 3));
    ASSERT_NE(points.bits(i, 3), other.bits(i, 3));
  }
  // Four standard deviations.
  EXPECT_NEAR(mean, 0.5, 4 / std::sqrt(12.0 * kCount));
  EXPECT_NEAR(square, 1.0 / 12, 4 * std::sqrt(1.0 / 180 / kCount));
  EXPECT_NEAR(product, 0, 4.0 / 12 / std::sqrt(1.0 * kCount));
}

TEST(Permuted, IsAPermutationForEverySize) {
  for (const std::uint64_t n : {1, 2, 3, 4, 5, 16, 17, 1000, 4096}) {
    std::vector<char> seen(n, 0);
    for (std::uint64_t i = 0; i < n; ++i) {
      const std::uint64_t place = permuted(i, n, 7, 2);
      ASSERT_LT(place, n);
      EXPECT_FALSE(seen[place]);
      seen[place] = 1;
    }
  }
}

TEST(Permuted, DiffersFromParameterToParameter) {
  constexpr std::uint64_t n = 1000;
  double sum = 0;
  int fixed = 0;
  for (std::uint64_t i = 0; i < n; ++i) {
    const auto a = static_cast<double>(permuted(i, n, 7, 0));
    const auto b = static_cast<double>(permuted(i, n, 7, 1));
    sum += (a - 499.5) * (b - 499.5);
    fixed += a == static_cast<double>(i);
  }
  const double correlation = sum / (n * (n * n - 1.0) / 12);
  EXPECT_LT(std::abs(correlation), 4 / std::sqrt(1.0 * n));
  EXPECT_LT(fixed, 8);  // one is expected
}

}  // namespace philox_test
}  // namespace sinew

#include "sinew/math/sobol_sequence.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <set>

#include "sinew/core/error.hpp"
#include "sinew/math/sobol_numbers.hpp"

namespace sinew {
namespace sobol_sequence_test {

TEST(SobolNumbers, AreOddAndSmallEnough) {
  std::set<std::uint32_t> polynomials;
  for (const SobolNumbers& numbers : kSobolNumbers) {
    EXPECT_TRUE(polynomials.insert(numbers.polynomial).second);
    const int degree = std::bit_width(numbers.polynomial) - 1;
    for (int k = 0; k < degree; ++k) {
      const int m = numbers.m[static_cast<size_t>(k)];
      EXPECT_EQ(m % 2, 1);
      EXPECT_LT(m, 2 << k);
    }
  }
}

TEST(SobolSequence, BeginsAsSobolsDoes) {
  const SobolSequence sobol(2);
  const double expected[][2] = {{0, 0},         {0.5, 0.5},     {0.25, 0.75},   {0.75, 0.25},
                                {0.125, 0.625}, {0.625, 0.125}, {0.375, 0.375}, {0.875, 0.875}};
  for (std::uint32_t i = 0; i < 8; ++i)
    for (int k = 0; k < 2; ++k) EXPECT_EQ(std::floor(sobol.at(i, k) * 1024) / 1024, expected[i][k]);
}

// Every part of the unit interval of length 2⁻¹² holds one of the first 2¹² points, in each
// dimension, and so does every elementary interval of the first two dimensions.
TEST(SobolSequence, FillsElementaryIntervalsScrambledOrNot) {
  constexpr int m = 12;
  constexpr std::uint32_t n = 1u << m;
  for (const std::uint64_t seed : {0, 1, 2}) {
    const SobolSequence sobol = seed == 0 ? SobolSequence(64) : SobolSequence(64, seed);
    for (int k = 0; k < 64; ++k) {
      std::vector<char> seen(n, 0);
      for (std::uint32_t i = 0; i < n; ++i) seen[sobol.digits(i, k) >> (32 - m)] = 1;
      EXPECT_EQ(std::count(seen.begin(), seen.end(), 1), n) << k;
    }
    for (int split = 0; split <= m; ++split) {
      std::vector<char> seen(n, 0);
      for (std::uint32_t i = 0; i < n; ++i) {
        const std::uint64_t a = std::uint64_t{sobol.digits(i, 0)} >> (32 - split);
        const std::uint64_t b = std::uint64_t{sobol.digits(i, 1)} >> (32 - (m - split));
        seen[a << (m - split) | b] = 1;
      }
      EXPECT_EQ(std::count(seen.begin(), seen.end(), 1), n) << split;
    }
  }
}

TEST(SobolSequence, ScramblesDifferentlyWithEachSeed) {
  const SobolSequence one(3, 1), same(3, 1), two(3, 2);
  int equal = 0;
  for (std::uint32_t i = 0; i < 100; ++i)
    for (int k = 0; k < 3; ++k) {
      EXPECT_EQ(one.digits(i, k), same.digits(i, k));
      equal += one.digits(i, k) == two.digits(i, k);
    }
  EXPECT_EQ(equal, 0);
}

TEST(SobolSequence, RefusesMoreDimensionsThanItHas) { EXPECT_THROW(SobolSequence(65), Error); }

}  // namespace sobol_sequence_test
}  // namespace sinew

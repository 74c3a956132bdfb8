#pragma once

#include <array>
#include <cstdint>

/// Random numbers without a state: functions of a key and a counter.

namespace sinew {

/// Philox 4×32-10 (Salmon, Moraes, Dror and Shaw 2011): four numbers of 32 bits.
std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter,
                                    std::array<std::uint32_t, 2> key);

/// What random numbers are for: those of different uses are independent.
enum class RandomUse : std::uint32_t { points, strata, permutations, scrambling, resampling };

/// The numbers of one use under one seed, by two indices.
class RandomNumbers {
 public:
  RandomNumbers(std::uint64_t seed, RandomUse use) : seed_(seed), use_(use) {}

  /// 64 bits.
  std::uint64_t bits(std::uint64_t i, std::uint32_t j) const;
  /// Between 0 and 1, both excluded, on a grid of 2⁻⁵³.
  double uniform(std::uint64_t i, std::uint32_t j) const;
  /// A number from 0 to n − 1, all equally likely within n/2³².
  std::uint32_t below(std::uint32_t n, std::uint64_t i, std::uint32_t j) const;

 private:
  std::uint64_t seed_;
  RandomUse use_;
};

/// The place of i in the j-th random permutation of 0 … n − 1: nothing is shuffled or kept.
std::uint64_t permuted(std::uint64_t i, std::uint64_t n, std::uint64_t seed, std::uint32_t j);

}  // namespace sinew

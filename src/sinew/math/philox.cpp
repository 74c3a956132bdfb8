#include "sinew/math/philox.hpp"

#include <bit>

namespace sinew {

std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter,
                                    std::array<std::uint32_t, 2> key) {
  constexpr std::uint64_t kFactor0 = 0xD2511F53, kFactor1 = 0xCD9E8D57;
  constexpr std::uint32_t kGrowth0 = 0x9E3779B9, kGrowth1 = 0xBB67AE85;
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t a = kFactor0 * counter[0], b = kFactor1 * counter[2];
    counter = {
        static_cast<std::uint32_t>(b >> 32) ^ counter[1] ^ key[0], static_cast<std::uint32_t>(b),
        static_cast<std::uint32_t>(a >> 32) ^ counter[3] ^ key[1], static_cast<std::uint32_t>(a)};
    key[0] += kGrowth0;
    key[1] += kGrowth1;
  }
  return counter;
}

std::uint64_t RandomNumbers::bits(std::uint64_t i, std::uint32_t j) const {
  const auto out =
      philox({static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(i >> 32), j,
              static_cast<std::uint32_t>(use_)},
             {static_cast<std::uint32_t>(seed_), static_cast<std::uint32_t>(seed_ >> 32)});
  return static_cast<std::uint64_t>(out[1]) << 32 | out[0];
}

double RandomNumbers::uniform(std::uint64_t i, std::uint32_t j) const {
  // The middles of 2⁵² equal parts.
  return (static_cast<double>(bits(i, j) >> 12) + 0.5) * 0x1p-52;
}

std::uint32_t RandomNumbers::below(std::uint32_t n, std::uint64_t i, std::uint32_t j) const {
  return static_cast<std::uint32_t>((bits(i, j) >> 32) * n >> 32);
}

std::uint64_t permuted(std::uint64_t i, std::uint64_t n, std::uint64_t seed, std::uint32_t j) {
  // A Feistel network permutes 0 … 4ᵏ − 1, the least such range that holds n: it is walked along
  // until it comes back below n, which takes four steps on average at most.
  const int digits = static_cast<int>(std::bit_width(n > 1 ? n - 1 : std::uint64_t{1}));
  const int half = (digits + 1) / 2;
  const std::uint64_t mask = (std::uint64_t{1} << half) - 1;
  const RandomNumbers random(seed, RandomUse::permutations);
  do {
    std::uint64_t left = i >> half, right = i & mask;
    for (std::uint32_t round = 0; round < 6; ++round) {
      const std::uint64_t mixed = left ^ (random.bits(right, j * 8 + round) & mask);
      left = right;
      right = mixed;
    }
    i = left << half | right;
  } while (i >= n);
  return i;
}

}  // namespace sinew

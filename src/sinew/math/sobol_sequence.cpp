#include "sinew/math/sobol_sequence.hpp"

#include <bit>
#include <string>

#include "sinew/core/error.hpp"
#include "sinew/math/philox.hpp"
#include "sinew/math/sobol_numbers.hpp"

namespace sinew {
namespace {

constexpr int kDigits = 32;

/// Columns of the generator matrix of a dimension, as integers whose highest bit is the first
/// digit: m_k 2^(32−k), with Sobol's recurrence
///     m_k = 2 a₁ m_{k−1} ⊕ … ⊕ 2^d a_d m_{k−d} ⊕ m_{k−d}.
void append_columns(int dimension, std::vector<std::uint32_t>& out) {
  const size_t first = out.size();
  if (dimension == 0) {
    for (int k = 0; k < kDigits; ++k) out.push_back(std::uint32_t{1} << (kDigits - 1 - k));
    return;
  }
  const SobolNumbers& numbers = kSobolNumbers[static_cast<size_t>(dimension - 1)];
  const int degree = std::bit_width(numbers.polynomial) - 1;
  for (int k = 0; k < degree; ++k)
    out.push_back(static_cast<std::uint32_t>(numbers.m[static_cast<size_t>(k)])
                  << (kDigits - 1 - k));
  for (int k = degree; k < kDigits; ++k) {
    const auto earlier = [&](int i) { return out[first + static_cast<size_t>(k - i)]; };
    std::uint32_t column = earlier(degree) >> degree;
    for (int i = 1; i <= degree; ++i)
      if (numbers.polynomial >> (degree - i) & 1) column ^= earlier(i);
    out.push_back(column);
  }
}

/// L c over the two numbers 0 and 1, L unit lower triangular: its r-th row, from the top, is made
/// of the digits above r and digit r itself.
std::uint32_t product(const std::uint32_t (&rows)[kDigits], std::uint32_t column) {
  std::uint32_t out = 0;
  for (int r = 0; r < kDigits; ++r)
    out |= static_cast<std::uint32_t>(std::popcount(rows[r] & column) & 1) << (kDigits - 1 - r);
  return out;
}

}  // namespace

SobolSequence::SobolSequence(int dimensions) {
  if (dimensions > kMostDimensions)
    throw Error(
        "Sobol's sequence",
        "has " + std::to_string(kMostDimensions) + " dimensions, not " + std::to_string(dimensions),
        "vary fewer parameters, or choose random points");
  for (int k = 0; k < dimensions; ++k) append_columns(k, columns_);
  shift_.assign(static_cast<size_t>(dimensions), 0);
}

SobolSequence::SobolSequence(int dimensions, std::uint64_t seed) : SobolSequence(dimensions) {
  const RandomNumbers random(seed, RandomUse::scrambling);
  for (int k = 0; k < dimensions; ++k) {
    const auto j = static_cast<std::uint32_t>(k);
    std::uint32_t rows[kDigits];
    for (std::uint32_t r = 0; r < kDigits; ++r) {
      const std::uint32_t own = std::uint32_t{1} << (kDigits - 1 - r);
      const std::uint32_t above = r == 0 ? 0 : ~std::uint32_t{0} << (kDigits - r);
      rows[r] = (static_cast<std::uint32_t>(random.bits(r, j)) & above) | own;
    }
    for (int c = 0; c < kDigits; ++c) {
      std::uint32_t& column = columns_[static_cast<size_t>(kDigits * k + c)];
      column = product(rows, column);
    }
    shift_[j] = static_cast<std::uint32_t>(random.bits(kDigits, j));
  }
}

std::uint32_t SobolSequence::digits(std::uint32_t i, int k) const {
  std::uint32_t out = shift_[static_cast<size_t>(k)];
  for (size_t c = static_cast<size_t>(kDigits * k); i != 0; i >>= 1, ++c)
    if (i & 1) out ^= columns_[c];
  return out;
}

double SobolSequence::at(std::uint32_t i, int k) const {
  return (static_cast<double>(digits(i, k)) + 0.5) * 0x1p-32;
}

}  // namespace sinew

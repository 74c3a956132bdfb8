#pragma once

#include <cstdint>
#include <vector>

namespace sinew {

/// Sobol's sequence (1967): points that fill the unit cube evenly, however many of them are taken.
/// Random lower triangular matrices and a shift (Matoušek 1998) scramble it: every point is then
/// uniform, and the evenness is kept.
class SobolSequence {
 public:
  static constexpr int kMostDimensions = 64;
  /// Throws an Error for more dimensions than there are.
  explicit SobolSequence(int dimensions);
  SobolSequence(int dimensions, std::uint64_t seed);

  int dimensions() const { return static_cast<int>(shift_.size()); }
  /// The first 32 binary digits of coordinate k of point i < 2³².
  std::uint32_t digits(std::uint32_t i, int k) const;
  /// The same as a number between 0 and 1, both excluded: in the middle of what the digits leave.
  double at(std::uint32_t i, int k) const;

 private:
  std::vector<std::uint32_t> columns_;  // 32 of each generator matrix
  std::vector<std::uint32_t> shift_;
};

}  // namespace sinew

#pragma once

#include <cmath>
#include <cstdint>
#include <random>

namespace sinew {

/// Independent normal numbers of mean 0 and deviation 1, the same after the same seed: the standard
/// fixes the generator, and all else is arithmetic but for one logarithm of the C library.
/// (std::normal_distribution is left to implementations.)
class NormalNumbers {
 public:
  explicit NormalNumbers(std::uint64_t seed) : generator_(seed) {}

  /// Marsaglia's polar method (Knuth 1997, 3.4.1): a point of the unit disc gives two.
  double operator()() {
    if (kept_) {
      kept_ = false;
      return second_;
    }
    double a, b, s;
    do {
      a = 2 * uniform() - 1;
      b = 2 * uniform() - 1;
      s = a * a + b * b;
    } while (s >= 1 || s == 0);
    const double factor = std::sqrt(-2 * std::log(s) / s);
    kept_ = true;
    second_ = factor * b;
    return factor * a;
  }

 private:
  /// From 0 to 1, without 1.
  double uniform() { return static_cast<double>(generator_() >> 11) * 0x1p-53; }

  std::mt19937_64 generator_;
  bool kept_ = false;
  double second_ = 0;
};

}  // namespace sinew

#include "sinew/math/normal_distribution.hpp"

#include <cmath>
#include <numbers>

namespace sinew {

double normal_share(double x) { return 0.5 * std::erfc(-x / std::numbers::sqrt2); }

double normal_quantile(double p) {
  if (p > 0.5) return -normal_quantile(1 - p);
  // Near the root of Φ(x) ≈ φ(x)/|x| in the tail, then Halley's method: each step triples the
  // digits.
  double x = p > 0.1
                 ? std::sqrt(2 * std::numbers::pi) * (p - 0.5)
                 : -std::sqrt(-2 * std::log(p * std::sqrt(-4 * std::numbers::pi * std::log(p))));
  for (int k = 0; k < 20; ++k) {
    const double density = std::exp(-0.5 * x * x) / std::sqrt(2 * std::numbers::pi);
    const double step = (normal_share(x) - p) / density;
    const double change = step / (1 + 0.5 * x * step);
    x -= change;
    if (std::abs(change) <= 1e-15 * (1 + std::abs(x))) break;
  }
  return x;
}

}  // namespace sinew

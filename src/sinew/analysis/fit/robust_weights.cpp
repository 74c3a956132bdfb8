#include "sinew/analysis/fit/robust_weights.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace sinew {
namespace {

// Median length of 4, 5 and 6 independent normal numbers of deviation 1.
constexpr std::array<double, 3> kMedianLength = {1.8321, 2.0860, 2.3126};
// In deviations; of six normal numbers 2 in 1e6 are longer.
constexpr double kBiweightReach = 6.5;

double median(VecX values) {
  const auto middle = values.begin() + values.size() / 2;
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace

VecX biweights(const VecX& distances, int components, double rounding) {
  const double median_length = kMedianLength[static_cast<size_t>(components - 4)];
  const double deviation = std::max(median(distances) / median_length, rounding);
  if (!(deviation > 0)) return VecX::Ones(distances.size());
  return distances.unaryExpr([&](double d) {
    const double u = d / (kBiweightReach * deviation);
    return u < 1 ? std::pow(1 - u * u, 2) : 0;
  });
}

}  // namespace sinew

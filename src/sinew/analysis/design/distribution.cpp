#include "sinew/analysis/design/distribution.hpp"

#include <algorithm>
#include <cmath>

#include "sinew/math/normal_distribution.hpp"

namespace sinew {
namespace {

double value(const Uniform& d, double u) { return d.lower + u * (d.upper - d.lower); }
double value(const LogUniform& d, double u) {
  return d.lower * std::exp(u * std::log(d.upper / d.lower));
}
double value(const Normal& d, double u) {
  // Shares near 1 have no digits left: bounds above the mean are seen from above.
  if (d.lower > d.mean)
    return 2 * d.mean -
           value(Normal{d.mean, d.deviation, 2 * d.mean - d.upper, 2 * d.mean - d.lower}, 1 - u);
  const double below = normal_share((d.lower - d.mean) / d.deviation);
  const double above = normal_share((d.mean - d.upper) / d.deviation);
  const double share = below + u * (1 - above - below);
  const double rest = above + (1 - u) * (1 - above - below);
  // Where both bounds are below the mean, 1 − above is the share of the upper one.
  const double upper = normal_share((d.upper - d.mean) / d.deviation);
  const double x = d.upper < d.mean ? normal_quantile(below + u * (upper - below))
                   : share < 0.5    ? normal_quantile(share)
                                    : -normal_quantile(rest);
  return std::clamp(d.mean + d.deviation * x, d.lower, d.upper);
}
double value(const Choice& d, double u) {
  const auto count = static_cast<double>(d.values.size());
  return d.values[std::min(static_cast<size_t>(u * count), d.values.size() - 1)];
}

constexpr double kEdge = 1e-9;

}  // namespace

double quantile(const Distribution& distribution, double u) {
  return std::visit([u](const auto& d) { return value(d, u); }, distribution);
}

double lowest(const Distribution& distribution) {
  if (const auto* choice = std::get_if<Choice>(&distribution))
    return *std::min_element(choice->values.begin(), choice->values.end());
  return quantile(distribution, kEdge);
}

double highest(const Distribution& distribution) {
  if (const auto* choice = std::get_if<Choice>(&distribution))
    return *std::max_element(choice->values.begin(), choice->values.end());
  return quantile(distribution, 1 - kEdge);
}

}  // namespace sinew

#pragma once

#include <variant>
#include <vector>

/// How a parameter of a study is distributed.

namespace sinew {

struct Uniform {
  double lower = 0, upper = 1;
};
/// Its logarithm is uniform; 0 < lower < upper.
struct LogUniform {
  double lower = 1, upper = 10;
};
/// Normal within bounds: what lies beyond them is left out.
struct Normal {
  double mean = 0, deviation = 1;
  double lower, upper;  ///< infinite: no bound
};
/// One of these values, all equally likely. Values of a grid are these, in order.
struct Choice {
  std::vector<double> values;
};

using Distribution = std::variant<Uniform, LogUniform, Normal, Choice>;

/// The value below which the share u of the distribution lies, 0 < u < 1.
double quantile(const Distribution& distribution, double u);
/// The least and the largest value that a study may take: bounds, or the quantiles of 1e-9.
double lowest(const Distribution& distribution);
double highest(const Distribution& distribution);

}  // namespace sinew

#pragma once

#include <cstdint>

#include "sinew/math/minimize.hpp"

namespace sinew {

/// Writes the value at x; false if there is none, as of a run that diverges.
using PlainFunction = std::function<bool(const VecX& x, double& value)>;

struct CmaOptions {
  /// Standard deviations of the first generation, one for each unknown, or one for all. The
  /// solution should be within a few of them.
  VecX deviations = VecX::Ones(1);
  std::uint64_t seed = 1;
  int population = 0;  ///< points of a generation; 0: 4 + ⌊3 ln n⌋
  int evaluations = 10000;
  /// Ends where all deviations are below this part of the first ones.
  double step_tolerance = 1e-11;
  /// Ends where values of the last generations differ by less than this part of the start's.
  double value_tolerance = 1e-12;
};

/// x and value are the best of all points; there is no gradient.
struct CmaResult : MinimizeResult {
  double deviation = 1;  ///< the largest of the present generation, in parts of the first one
  double condition = 1;  ///< longest over shortest axis of the present generation, squared
};

/// One generation, for a log; false stops.
using OnGeneration = std::function<bool(const CmaResult& so_far)>;

/// The evolution strategy with covariance matrix adaptation (Hansen 2016), with its defaults: draws
/// a generation of points from a normal distribution, ranks them by value, and moves and shapes the
/// distribution after the best of them. It sees no gradient; it is here to compare with, and for
/// functions with kinks or many valleys. Bounds are met by a smooth map of all numbers into
/// them, and fixed unknowns take no part. Points without a value rank last. The same seed gives the
/// same points. The start must have a value.
CmaResult cma_es(const PlainFunction& f, const VecX& x0, const Bounds& bounds = {},
                 const CmaOptions& options = {}, const OnGeneration& on_generation = {});

}  // namespace sinew

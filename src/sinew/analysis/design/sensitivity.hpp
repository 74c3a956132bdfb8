#pragma once

#include <cstdint>
#include <vector>

#include "sinew/math/types.hpp"

/// How much of the spread of a result each parameter of a study explains.

namespace sinew {

/// An index with the interval that holds it with 95 %.
struct SensitivityIndex {
  double value = 0, lower = 0, upper = 0;
};

struct SensitivityIndices {
  /// Of each parameter: the share of the variance that it explains alone, and with all others.
  std::vector<SensitivityIndex> first, total;
  double variance = 0;
  std::uint64_t used = 0;  ///< base points whose runs all have a result
};

/// From the results of a Saltelli design of k parameters in the order of its runs; NaN where a run
/// has none. First-order indices as Saltelli et al. (2010) estimate them, total ones as Jansen
/// (1999); intervals by `resamples` bootstrap samples of the base points, whose numbers follow from
/// `seed`.
SensitivityIndices sensitivity_indices(const std::vector<double>& results, size_t k,
                                       std::uint64_t seed, int resamples = 1000);

/// Spearman's correlation of ranks, between −1 and 1; equal values share their mean rank. NaN where
/// one of the two does not vary. Pairs with a NaN are left out.
double rank_correlation(const std::vector<double>& x, const std::vector<double>& y);

}  // namespace sinew

#pragma once

#include "sinew/math/types.hpp"

namespace sinew {

/// Rounds of fits, each with the weights that the one before gives its poses.
constexpr int kRobustRounds = 10;
/// Of weights between two rounds: a hundredth is nothing that a fit shows.
constexpr double kRobustWeightChange = 0.01;

/// Weights of poses by their distances from a joint, each the length of `components` (4 to 6)
/// normal numbers whose deviation the median of all tells: Tukey's biweight, 1 on the joint, 0
/// beyond 6.5 deviations. Deviations below `rounding` [m] are taken as that.
VecX biweights(const VecX& distances, int components, double rounding);

}  // namespace sinew

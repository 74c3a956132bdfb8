#pragma once

namespace sinew {

/// Φ(x), the share of a normal distribution of mean 0 and deviation 1 that lies below x.
double normal_share(double x);
/// The x below which the share p lies, 0 < p < 1: to rounding.
double normal_quantile(double p);

}  // namespace sinew

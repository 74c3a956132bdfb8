#pragma once

#include "sinew/analysis/muscle_paths.hpp"

namespace sinew {

/// A muscle over the range of a coordinate.
struct ArmCurve {
  std::vector<double> value;   ///< of the coordinate [rad, m]
  std::vector<double> arm;     ///< moment arm about it, couplers included [m; 1 of lengths]
  std::vector<double> length;  ///< of the path [m]
};

/// Sweeps coordinate `k` from `lower` to `upper`, the others as in `state` as far as constraints
/// let them. Not a number where no pose satisfies the constraints, or the path is lost.
ArmCurve sweep_arms(const System& system, size_t muscle, int k, double lower, double upper,
                    const State& state, Workspace& ws);

}  // namespace sinew

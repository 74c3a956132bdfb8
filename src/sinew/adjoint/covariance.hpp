#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "sinew/math/types.hpp"

namespace sinew {

/// How well measurements tell parameters: the covariance of least squares r(p) with J = ∂r/∂p, if
/// the residuals are independent with the given variance.
struct Covariance {
  MatX matrix;  ///< variance (JᵀJ)⁻¹ over what the data resolve, in units of the parameters
  VecX deviations;  ///< standard deviations; infinite for a parameter in an unresolved combination
  /// Combinations that the data cannot tell, in words: "0.71 strength − 0.70 slack_length".
  std::vector<std::string> unresolved;
};

/// Whether residuals change by J δ if the parameters change by δ.
using FollowsJacobian = std::function<bool(const VecX& change)>;

/// A combination of unit length is resolved if its standard deviation is below `limit`: parameters
/// are multiples of their scales, and one that is uncertain by its scale is not known. It must also
/// follow the Jacobian, if that can be asked, over two deviations to both sides.
Covariance covariance(const MatX& J, double variance, std::span<const std::string> names,
                      double limit = 1, const FollowsJacobian& follows = {});

}  // namespace sinew

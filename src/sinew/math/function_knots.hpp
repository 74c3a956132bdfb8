#pragma once

#include <vector>

#include "sinew/math/scalar_function.hpp"

namespace sinew {

/// Where a function of one argument is not smooth.
struct FunctionKnot {
  double x;
  int order;  ///< of the lowest derivative that jumps there, at most 3; 0: the function itself
};

/// The knots at which f, f', f'' or f''' jumps, ascending; none of functions with one formula. A
/// difference that rounding explains is no jump: points on one straight line have no knots.
std::vector<FunctionKnot> knots_of(const ScalarFunction& f);

}  // namespace sinew

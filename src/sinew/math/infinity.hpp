#pragma once

#include <limits>

namespace sinew {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

}  // namespace sinew

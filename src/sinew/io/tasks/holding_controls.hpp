#pragma once

#include "sinew/system/system.hpp"

namespace sinew {

/// The values of these controls that hold a system at rest in the pose of `start`, all others as
/// they are: the smallest ones with the least force left over. Throws an Error if they cannot hold
/// it.
VecX holding_controls(const System& system, const State& start, const std::vector<int>& controls);

}  // namespace sinew

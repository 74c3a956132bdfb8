#pragma once

#include "sinew/system/system.hpp"

namespace sinew {

/// The unit of a column of RunColumns: "rad", "N·m"; empty where none is known.
std::string unit_of_column(const System& system, const std::string& table,
                           const std::string& label);
/// The unit of a state as --initial has it: "knee", "knee/speed", "soleus/fiber_length".
std::string unit_of_state(const System& system, const std::string& state);

}  // namespace sinew

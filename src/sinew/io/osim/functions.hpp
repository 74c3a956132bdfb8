#pragma once

#include "sinew/io/osim/document.hpp"
#include "sinew/math/scalar_function.hpp"

namespace sinew {

/// Whether an element is one of OpenSim's functions, known or not.
bool is_osim_function(std::string_view type);

/// The function that an element of `arguments` arguments describes. Throws an Error if its kind
/// cannot be read, or if it takes another number of arguments.
ScalarFunction read_osim_function(const OsimElement& in, int arguments);

/// The function that a property holds: directly in 4.x (an element named after it), one level down
/// in 3.x; none if absent or empty.
std::optional<OsimElement> find_osim_function(const OsimElement& owner, const char* key);

}  // namespace sinew

#pragma once

#include <string_view>

namespace sinew {

/// The version of the library, e.g. "0.1.0".
std::string_view version();

/// The commit the library was built from, twelve hexadecimal digits, with "-dirty" if tracked files
/// had changed since; "unknown" if it was not built from a git checkout.
std::string_view commit();

}  // namespace sinew

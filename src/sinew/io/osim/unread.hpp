#pragma once

#include <map>
#include <string>

#include "sinew/io/osim/document.hpp"

namespace sinew {

/// Counts elements of a model that no reader has read, as "<property> of Type", except those known
/// to have no effect. Call this last.
void count_osim_unread(const OsimDocument& document, std::map<std::string, int>& unsupported);

}  // namespace sinew

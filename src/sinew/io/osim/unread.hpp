#pragma once

#include <map>
#include <string>

#include "sinew/io/osim/document.hpp"

namespace sinew {

/// Counts what a model holds and no reader has asked for, as "<property> of Type": only what is
/// known to change nothing is passed over. To be called last.
void count_osim_unread(const OsimDocument& document, std::map<std::string, int>& unsupported);

}  // namespace sinew

#pragma once

#include "sinew/io/osim/paths.hpp"

namespace sinew {

/// The passive force that an element describes; null if its type, or the type of its path, cannot
/// be read: then `unread` is that type.
std::shared_ptr<const Force> read_osim_force(const OsimElement& in, const OsimPathScope& scope,
                                             std::string& unread);

}  // namespace sinew

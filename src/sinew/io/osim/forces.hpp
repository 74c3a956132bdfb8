#pragma once

#include "sinew/io/osim/constraints.hpp"

namespace sinew {

/// The passive force that an element describes; null where its type is none that can be read.
std::shared_ptr<const Force> read_osim_force(const OsimElement& in, const OsimScope& scope);

}  // namespace sinew

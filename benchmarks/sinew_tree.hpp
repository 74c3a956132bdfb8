#pragma once

#include "sinew/system/system.hpp"
#include "tree_spec.hpp"

namespace bench {

/// A tree as a system, with these forces.
sinew::System sinew_system(const TreeSpec& tree, const sinew::ForceList& forces);

}  // namespace bench

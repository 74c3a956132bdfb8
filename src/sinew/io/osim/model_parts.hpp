#pragma once

#include "sinew/io/osim/document.hpp"

namespace sinew {

/// The set that objects of a type belong to ("JointSet"); none for frames, which are found wherever
/// they are.
std::string set_of(std::string_view type);

/// The objects of one of the model's sets ("ForceSet"), and after them those of its <components>
/// and <ComponentSet> of the same kind: files of OpenSim 4 may keep any part of a model there, and
/// Moco's do. Objects of unknown kind count as forces.
std::vector<OsimElement> model_parts(const OsimDocument& document, const char* set);

/// The number of muscles of the model, wherever they are, whether or not they can be read.
int count_osim_muscles(const OsimDocument& document);

}  // namespace sinew

#pragma once

#include "sinew/io/object_reader.hpp"
#include "sinew/system/structures.hpp"

namespace sinew {

/// The scene's key "generate".
Structure read_structure(const SceneContext& context, const JsonNode& node);

}  // namespace sinew

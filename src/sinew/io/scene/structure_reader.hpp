#pragma once

#include "sinew/io/json/object_reader.hpp"
#include "sinew/io/scene/structures.hpp"

namespace sinew {

/// The scene's key "generate".
Structure read_structure(const SceneContext& context, const JsonNode& node);

}  // namespace sinew

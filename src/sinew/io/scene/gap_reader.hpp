#pragma once

#include "sinew/dynamics/gap.hpp"
#include "sinew/io/json/object_reader.hpp"

namespace sinew {

/// One of the scene's list "gaps". `shapes` are those of all bodies.
Gap::Spec read_gap(const SceneContext& context, const JsonNode& node, const Skeleton& skeleton,
                   const std::vector<std::vector<ShapePart>>& shapes);

}  // namespace sinew

#pragma once

#include <memory>

#include "sinew/dynamics/forces.hpp"
#include "sinew/io/object_reader.hpp"

namespace sinew {

/// The element of the scene's list "forces" that `node` describes; `number` (from 1) names it where
/// the file does not: "force-3".
std::shared_ptr<const Force> read_force(const SceneContext& context, const JsonNode& node,
                                        int number, const Skeleton& skeleton);

}  // namespace sinew

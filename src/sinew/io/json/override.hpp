#pragma once

#include "sinew/io/json/json_tree.hpp"
#include "sinew/io/json/scene_context.hpp"

namespace sinew {

/// Applies the context's overrides to the tree of its scene. Each is "path=value": the path goes
/// through objects by key and through lists by the elements' names or by number from 0
/// ("simulation.dt=0.001", "bodies.b1.joint.q0=[0.3]"); the value is JSON, or a bare word for a
/// string. Missing keys are added, so that the reader finds a misspelt one like any other. Throws
/// an Error naming the override.
void apply_overrides(const SceneContext& context, JsonNode& root);

}  // namespace sinew

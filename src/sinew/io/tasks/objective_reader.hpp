#pragma once

#include "sinew/io/json/json_tree.hpp"
#include "sinew/io/json/scene_context.hpp"
#include "sinew/io/tasks/task.hpp"

namespace sinew {

/// The element of a task's list "objectives" that `node` describes; `number` (from 1) names it if
/// the file does not.
TaskObjective read_task_objective(const SceneContext& context, const JsonNode& node, size_t number);

}  // namespace sinew

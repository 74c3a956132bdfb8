#pragma once

#include "sinew/io/json/scene_keys.hpp"

/// The vocabulary of task files, as data, like that of scenes: docs/task.schema.json is tested to
/// list the same.

namespace sinew::task_keys {

extern const ObjectKind kTask, kRun, kOptimizer;

/// One kind per value of the key "type".
extern const std::span<const ObjectKind> kParameterTypes, kObjectiveTypes;

/// All of the above.
std::vector<ObjectKind> all_kinds();

}  // namespace sinew::task_keys

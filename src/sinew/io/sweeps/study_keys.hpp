#pragma once

#include "sinew/io/json/scene_keys.hpp"

/// The vocabulary of study files, as data, like that of scenes: docs/study.schema.json is tested to
/// list the same.

namespace sinew::study_keys {

extern const ObjectKind kStudy, kRun, kDesign, kResult;

/// One kind per value of the key "type".
extern const std::span<const ObjectKind> kParameterTypes;

/// All of the above.
std::vector<ObjectKind> all_kinds();

}  // namespace sinew::study_keys

#pragma once

#include "sinew/analysis/muscle_state.hpp"
#include "sinew/io/json/object_reader.hpp"
#include "sinew/model/skeleton.hpp"

namespace sinew {

/// The key "hill" of a muscle.
HillDescription read_hill(const ValueReader& muscle, const JsonNode& node,
                          const Skeleton& skeleton);

}  // namespace sinew

#pragma once

#include "sinew/io/json/object_reader.hpp"
#include "sinew/model/skeleton.hpp"
#include "sinew/system/hill_equations.hpp"

namespace sinew {

/// The key "hill" of a muscle.
HillDescription read_hill(const ValueReader& muscle, const JsonNode& node,
                          const Skeleton& skeleton);

}  // namespace sinew

#pragma once

#include "sinew/io/json/object_reader.hpp"
#include "sinew/system/coordinate_map.hpp"

namespace sinew {

/// An element of the scene's list "extra_coordinates".
ExtraCoordinate read_extra_coordinate(const SceneContext& context, const JsonNode& node);

/// An element of the scene's list "dependent_coordinates".
DependentCoordinate read_dependent_coordinate(const SceneContext& context, const JsonNode& node,
                                              const Skeleton& skeleton,
                                              const std::vector<ExtraCoordinate>& extra);

}  // namespace sinew

#pragma once

#include "sinew/constraints/solve/unilateral_rows.hpp"
#include "sinew/io/json/object_reader.hpp"
#include "sinew/model/shape.hpp"

namespace sinew {

/// Limit on the shapes and mesh vertices that touch in a scene; vertices count one by one.
inline constexpr size_t kMostContacts = 10000;

/// An element of the scene's list "limits"; `number` (from 1) names it if the file does not:
/// "limit-3".
Limit read_limit(const SceneContext& context, const JsonNode& node, int number,
                 const Skeleton& skeleton);

/// An element of the scene's list "bearings"; named "bearing-3" if the file does not name it.
JointFriction read_bearing(const SceneContext& context, const JsonNode& node, int number,
                           const Skeleton& skeleton);

/// The scene's object "contacts".
struct ContactReading {
  std::vector<ContactSurface> surfaces;
  std::vector<int> lines;  ///< per surface
  std::vector<std::pair<BodyIndex, BodyIndex>> excluded;
};
ContactReading read_contacts(const SceneContext& context, const JsonNode& node,
                             const Skeleton& skeleton,
                             const std::vector<std::vector<ShapePart>>& shapes);

}  // namespace sinew

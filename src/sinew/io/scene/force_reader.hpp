#pragma once

#include <memory>

#include "sinew/dynamics/forces.hpp"
#include "sinew/io/json/object_reader.hpp"
#include "sinew/model/shape.hpp"
#include "sinew/strands/strand_forms.hpp"

namespace sinew {

/// The parts of a scene that forces refer to.
struct ForceScope {
  const Skeleton& skeleton;
  const std::vector<std::vector<ShapePart>>& shapes;  ///< per body
  size_t contact_points = 0;                          ///< total of the contacts read so far
  size_t cable_blocks = 0;                            ///< pairs of points of the cables read so far
};

/// A force, or the cable that one is.
using ForceReading = std::variant<std::shared_ptr<const Force>, DescribedStrand>;

/// The element of the scene's list "forces" that `node` describes; `number` (from 1) names it if
/// the file does not: "force-3".
ForceReading read_force(const SceneContext& context, const JsonNode& node, int number,
                        ForceScope& scope);

}  // namespace sinew

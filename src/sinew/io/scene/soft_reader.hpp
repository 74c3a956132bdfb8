#pragma once

#include "sinew/deformables/soft_body.hpp"
#include "sinew/io/json/object_reader.hpp"
#include "sinew/model/skeleton.hpp"
#include "sinew/strands/strand_forms.hpp"

namespace sinew {

/// A solid, or a strand.
using SoftReading = std::variant<SoftBodySpec, Chain>;

/// The element of the scene's list "soft_bodies" that `node` describes. Bodies it is attached to
/// have their default coordinates, which also define its rest state.
SoftReading read_soft_body(const SceneContext& context, const JsonNode& node,
                           const Skeleton& skeleton);

}  // namespace sinew

#pragma once

#include <map>

#include "sinew/io/json/object_reader.hpp"
#include "sinew/io/scene/wrap_reader.hpp"
#include "sinew/strands/strand.hpp"

namespace sinew {

/// Appends the element of the scene's list "strand_nodes" that `node` describes, after the frame of
/// its curve or surface, if that is fixed to a body.
void read_strand_node(const SceneContext& context, const JsonNode& node, const Skeleton& skeleton,
                      std::vector<StrandNode>& nodes);
/// Tubes by name: nodes at fixed places along their curves, in order.
using StrandTubes = std::map<std::string, std::vector<std::string>>;
/// Appends these nodes of the element of the scene's list "guides" that `node` describes, which has
/// "along".
void read_tube(const SceneContext& context, const JsonNode& node, StrandTubes& tubes,
               std::vector<StrandNode>& nodes);
/// The element of the scene's list "guides" that `node` describes.
StrandGuide read_guide(const SceneContext& context, const JsonNode& node, const Skeleton& skeleton,
                       WrapFiles& files);
/// The element of the scene's list "strands" that `node` describes, and how closely free nodes are
/// to divide it [m]; zero: not at all. Tubes that it runs through become their nodes.
Strand read_strand(const SceneContext& context, const JsonNode& node, const StrandTubes& tubes,
                   double& spacing);

}  // namespace sinew

#include "sinew/io/scene/structure_reader.hpp"

namespace sinew {

Structure read_structure(const SceneContext& context, const JsonNode& node) {
  const ObjectReader in(context, node, "generate", scene_keys::kGenerate);
  const Units& units = context.units;
  StructureOptions options;
  options.bodies = in.count_or("bodies", options.bodies, 1, 100000);
  options.length = in.positive_or("length", options.length, units.length);
  options.thickness = in.positive_or("thickness", options.thickness, units.length);
  options.density = in.positive_or("density", options.density, units.density());
  options.stiffness = in.not_negative_or("stiffness", options.stiffness, units.force_per_length());
  options.damping = in.not_negative_or("damping", options.damping, units.force_per_length());
  return make_structure(static_cast<StructureShape>(in.choice("shape", structure_names())),
                        options);
}

}  // namespace sinew

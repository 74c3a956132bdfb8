#include "sinew/io/scene/gap_reader.hpp"

#include "sinew/io/scene/element_lookup.hpp"

namespace sinew {

Gap::Spec read_gap(const SceneContext& context, const JsonNode& node, const Skeleton& skeleton,
                   const std::vector<std::vector<ShapePart>>& shapes) {
  const ObjectReader in(context, node, "gap", scene_keys::kGap);
  Gap::Spec spec;
  spec.name = in.name("name");
  spec.body = resolve_body(in, in.at("body"), "body", skeleton);
  spec.base = resolve_body(in, in.at("base"), "base", skeleton);
  if (spec.body != kWorld) spec.shapes = shapes[static_cast<size_t>(spec.body.value)];
  if (spec.shapes.empty())
    in.fail(in.at("body").line, "the body of gap '" + spec.name + "' has no shapes",
            "give the body shapes, or name another");
  if (in.has("shape")) {
    const int most = static_cast<int>(spec.shapes.size());
    spec.shapes = {spec.shapes[static_cast<size_t>(in.count_or("shape", 1, 1, most) - 1)]};
  }
  const ObjectReader plane(context, in.at("plane"), "gap '" + spec.name + "'", scene_keys::kPlane);
  spec.point = plane.vector3_or("point", Vec3::Zero(), context.units.length);
  spec.normal = plane.vector3_or("normal", Vec3::UnitY());
  if (!(spec.normal.norm() > 1e-12))
    plane.fail(plane.at("normal").line, "'normal' is zero", "give a direction");
  spec.normal.normalize();
  return spec;
}

}  // namespace sinew

#pragma once

#include <algorithm>

#include "sinew/strands/strands.hpp"
#include "sinew/system/equations.hpp"
#include "support/node_shapes.hpp"
#include "support/strand_systems.hpp"

namespace sinew::test {

/// How a strand meets a node on a shape.
enum class Meets { material, through, bead_alone };

/// Of all pieces of all strands.
inline double length_at_start(const System& system) {
  Workspace ws(system);
  const State state = system.default_state();
  update_kinematics(system, state, ws);
  controls_at(system, state, ws);
  const size_t part = system.strands_index();
  double out = 0;
  for (const StrandReading& row :
       system.strands()->read(part_at(system, part, state, ws), *ws.parts[part]))
    out += row.length;
  return out;
}

/// A floating tree, and a strand over two nodes on a shape: "node", whose control points are
/// bodies, free nodes and nodes that are blends and on curves themselves, and "other" on the same
/// shape. An `inextensible` strand keeps the length of the start.
inline SystemBuilder shaped_strands(unsigned seed, const ShapeExample& example, Meets meets,
                                    double damping, bool inextensible = false) {
  const int bodies = 4;
  SystemBuilder builder(floating_tree(seed, bodies));
  builder.set_gravity({0, -9, 1});
  Random random(seed + 300);
  const auto some_body = [&] {
    return BodyIndex(static_cast<int>(random.uniform(0, bodies - 1e-9)));
  };
  // A free node, and one that slides on an ellipse of two bodies and the free node.
  builder.add_strand_node(free_node("loose", Vec3(0, 2, 0) + random.vec3(0.3), 0.3));
  builder.add_strand_node(rigid_node("p", some_body(), random.vec3(0.4)));
  builder.add_strand_node(rigid_node("r", some_body(), random.vec3(0.4)));
  builder.add_strand_node(
      {"sliding", ShapedNode{EllipseCurve{}, {"p", "loose", "r"}, {0.4, 0}, {0.1, 0}, 0.2}});
  builder.add_strand_node(
      {"mean", ShapedNode{Blend{{0.6, 0.4}}, {"sliding", "p"}, {0, 0}, {0, 0}, 0.1}});
  std::vector<std::string> controls;
  for (size_t k = 0; k < example.controls; ++k) {
    if (k == 1 || k == 2) {
      controls.push_back(k == 1 ? "sliding" : "mean");
      continue;
    }
    controls.push_back("c" + std::to_string(k));
    builder.add_strand_node(rigid_node(controls.back(), some_body(), random.vec3(0.6)));
  }
  // Away from knots, where third derivatives jump.
  const auto u = [&] {
    return Eigen::Vector2d(std::floor(random.uniform(0, 2)) + random.uniform(0.18, 0.32),
                           random.uniform(0.18, 0.32));
  };
  const double bead = meets == Meets::material ? 0 : 0.2;
  builder.add_strand_node({"node", ShapedNode{example.shape, controls, u(), {0.2, 0.1}, bead}});
  // The same elsewhere: what has no coordinates needs other control points for that.
  if (coordinate_count(example.shape) == 0) std::reverse(controls.begin(), controls.end());
  builder.add_strand_node({"other", ShapedNode{example.shape, controls, u(), {0, 0}, 0.15}});
  builder.add_strand_node(rigid_node("start", some_body(), random.vec3(0.3) + Vec3(1, 0, 0)));
  builder.add_strand_node(free_node("end", Vec3(0, 0, 2) + random.vec3(0.3), 0.1));
  Strand strand;
  strand.name = "strand";
  strand.density = meets == Meets::bead_alone ? 0 : 0.3;
  strand.law = {LinearStretch{40}, damping, false};
  strand.points = {{"start", 0.0}, {"node", {}}, {"other", {}}, {"end", 3.0}};
  if (meets == Meets::material) strand.points[1].s = 1.0;
  if (inextensible) {
    strand.points.back().s = length_at_start(SystemBuilder(builder).add_strand(strand).build());
    strand.length = StrandLength::fixed;
  }
  builder.add_strand(strand);
  return builder;
}

}  // namespace sinew::test

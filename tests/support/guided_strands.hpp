#pragma once

#include "support/strand_systems.hpp"

/// Trees with strands around surfaces of their bodies.

namespace sinew::test {

/// Surfaces that a strand from (−1, 0.1, 0) to (1, 0.1, 0.1) in their frame touches.
inline std::vector<std::pair<const char*, Wrap>> surfaces() {
  CylinderWrap cylinder;
  cylinder.radius = 0.3;
  cylinder.side = WrapSide::clockwise;
  cylinder.model = WrapKind::exact;
  CylinderWrap smooth = cylinder;
  smooth.model = WrapKind::smooth;
  SphereWrap sphere;
  sphere.radius = 0.3;
  sphere.model = WrapKind::exact;
  PulleyWrap pulley;
  pulley.radius = 0.3;
  pulley.side = WrapSide::clockwise;
  EllipsoidWrap ellipsoid;
  ellipsoid.semi_axes = {0.3, 0.35, 0.5};
  ellipsoid.model = WrapKind::exact;
  return {{"exact cylinder", cylinder},
          {"smooth cylinder", smooth},
          {"sphere", sphere},
          {"pulley", pulley},
          {"ellipsoid", ellipsoid}};
}

inline Pose turned(double angle, const Vec3& p) {
  return {Eigen::AngleAxisd(angle, Vec3(1, 2, 3).normalized()).toRotationMatrix(), p};
}

/// A floating tree with a strand from a body around a surface of another to a free node, and on.
inline System guided(unsigned seed, const Wrap& wrap, double damping, bool inextensible) {
  const Skeleton skeleton = floating_tree(seed, 4);
  SkeletonWorkspace ws(skeleton);
  VecX q(skeleton.dof_count());
  for (int k = 0; k < q.size(); ++k) q[k] = skeleton.coordinates()[static_cast<size_t>(k)].q0;
  update_kinematics(skeleton, q, VecX::Zero(q.size()), ws);
  const Pose E_BS = turned(seed, Vec3(0.1, 0.2, 0.1));
  const Pose E_WS = body_pose(skeleton, ws, BodyIndex(2)) * E_BS;
  SystemBuilder builder(skeleton);
  builder.set_gravity({0, -9, 1});
  builder.add_strand_node(
      rigid_node("start", BodyIndex(1),
                 body_pose(skeleton, ws, BodyIndex(1)).inverse() * (E_WS * Vec3(-1, 0.1, 0))));
  builder.add_strand_node(free_node("bead", E_WS * Vec3(1, 0.1, 0.1), 0.3));
  builder.add_strand_node(free_node("end", E_WS * Vec3(1.4, -0.8, 0.3), 0.2));
  builder.add_strand_guide({"guide", BodyIndex(2), E_BS, wrap});
  Strand strand;
  strand.name = "strand";
  strand.density = 0.3;
  strand.law = {LinearStretch{40}, damping, false};
  strand.points = {{"start", 0.0, "guide"}, {"bead", {}}, {"end", 2.5}};
  if (inextensible) strand.length = StrandLength::fixed;
  return builder.add_strand(strand).build();
}

/// A tree with a strand that is wound on a pulley of a body by three turns, one that ends on the
/// rim of a drum, and a belt around two pulleys.
inline System wound(unsigned seed, bool elastic) {
  const Skeleton skeleton = floating_tree(seed, 4);
  SystemBuilder builder(skeleton);
  builder.set_gravity({0, -9, 1});
  SkeletonWorkspace ws(skeleton);
  VecX q(skeleton.dof_count());
  for (int k = 0; k < q.size(); ++k) q[k] = skeleton.coordinates()[static_cast<size_t>(k)].q0;
  update_kinematics(skeleton, q, VecX::Zero(q.size()), ws);
  const auto frame = [&](int body) {
    return body_pose(skeleton, ws, BodyIndex(body)) * turned(body, Vec3(0.1, 0.2, 0.1));
  };
  const auto guide = [&](const char* name, int body) {
    builder.add_strand_guide({name, BodyIndex(body), turned(body, Vec3(0.1, 0.2, 0.1)),
                              PulleyWrap{.radius = 0.2, .side = WrapSide::clockwise}});
  };
  const auto node = [&](const char* name, const Vec3& x) {
    builder.add_strand_node(free_node(name, x, 0.3));
  };
  Strand strand;
  strand.density = 0.3;
  strand.law = {LinearStretch{40}, elastic ? 3.0 : 0.0, false};
  if (!elastic) strand.length = StrandLength::fixed;
  guide("turns", 1);
  node("a", frame(1) * Vec3(-1, 0.1, 0));
  node("b", frame(1) * Vec3(1, 0.1, 0.1));
  strand.name = "capstan";
  strand.points = {{"a", 0.0, "turns", 3}, {"b", 6.0}};
  builder.add_strand(strand);
  guide("drum", 2);
  node("c", frame(2) * Vec3(0.3, -0.8, 0.1));
  strand.name = "hoist";
  strand.points = {{"", 0.0, "drum"}, {"c", 3.0}};
  builder.add_strand(strand);
  guide("left", 0);
  guide("right", 3);
  node("d", 0.5 * (frame(0).p + frame(3).p) + Vec3(0, 1, 0));
  node("e", 0.5 * (frame(0).p + frame(3).p) + Vec3(0, -1, 0.5));
  strand.name = "belt";
  strand.points = {{"d", {}, "right"}, {"e", {}, "left"}};
  strand.loop = 6.0;
  strand.speed = 0.7;
  return builder.add_strand(strand).build();
}

}  // namespace sinew::test

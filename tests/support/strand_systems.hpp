#pragma once

#include "sinew/builder/system_builder.hpp"
#include "sinew/strands/strand.hpp"
#include "support/floating_tree.hpp"

namespace sinew::test {

inline StrandNode free_node(std::string name, const Vec3& x, double mass = 0,
                            const Vec3& v = Vec3::Zero()) {
  return {std::move(name), MaximalNode{x, v, mass}};
}
inline StrandNode rigid_node(std::string name, BodyIndex body, const Vec3& x_B) {
  return {std::move(name), RigidNode{body, x_B}};
}

/// A skeleton that does not move, for strands alone.
inline Skeleton still_skeleton() {
  BodySpec stand;
  stand.name = "stand";
  stand.joint = Fixed{};
  stand.M_B = SpatialInertia::FromCentral(1, Vec3::Zero(), Mat3::Identity());
  return SkeletonBuilder().add_body(stand).build();
}

struct StrandOptions {
  double density = 0.3, damping = 0;
  StrandMass mass_model = StrandMass::continuous;
  bool velocity_terms = true;
  Vec3 gravity = Vec3(0, -9, 1);
};

/// A floating tree with two strands through bodies and free nodes. The first passes a bead and a
/// body; it is held by a free node and by bodies. The second ends at the first's bead, which is
/// virtual in one and material in the other, and passes the node that holds the first.
inline SystemBuilder floating_strands(unsigned seed, int bodies,
                                      const StrandOptions& options = {}) {
  SystemBuilder builder(floating_tree(seed, bodies));
  builder.set_gravity(options.gravity);
  Random random(seed + 100);
  const auto some_body = [&] {
    return BodyIndex(static_cast<int>(random.uniform(0, bodies - 1e-9)));
  };
  builder.add_strand_node(rigid_node("start", some_body(), random.vec3(0.3)));
  builder.add_strand_node(free_node("bead", Vec3(2, 0, 0) + random.vec3(0.3), 0.2));
  builder.add_strand_node(rigid_node("ring", some_body(), random.vec3(0.3)));
  builder.add_strand_node(free_node("held", Vec3(0, 2, 0) + random.vec3(0.3), 0.1));
  builder.add_strand_node(rigid_node("end", some_body(), random.vec3(0.3)));
  builder.add_strand_node(rigid_node("nail", kWorld, Vec3(0, 0, 3)));
  Strand first;
  first.name = "first";
  first.points = {{"start", 0.0}, {"bead", {}}, {"ring", {}}, {"held", 2.0}, {"end", 3.0}};
  first.density = options.density;
  first.mass_model = options.mass_model;
  first.velocity_terms = options.velocity_terms;
  first.law = {LinearStretch{40}, options.damping, false};
  Strand second = first;
  second.name = "second";
  second.points = {{"nail", 0.0}, {"held", {}}, {"bead", 2.5}};
  second.law = {LinearStretch{30}, options.damping, false};
  builder.add_strand(first).add_strand(second);
  return builder;
}

}  // namespace sinew::test

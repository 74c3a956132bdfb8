#include "support/random_tree.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "sinew/builder/system_builder.hpp"
#include "sinew/dynamics/forces.hpp"
#include "sinew/strands/strand_forms.hpp"
#include "support/joint_examples.hpp"

namespace sinew::test {
namespace {

SpatialInertia random_cuboid(Random& random) {
  const double mass = std::pow(10.0, random.uniform(-1, 1));
  const Vec3 a = Vec3::Constant(0.4) + random.vec3(0.2);  // sides
  const Vec3 square = a.cwiseProduct(a);
  const Vec3 moments = mass / 12 * (Vec3::Constant(square.sum()) - square);
  return SpatialInertia::FromCentral(mass, Vec3::Zero(), moments.asDiagonal())
      .transformed(random.pose(0.2));
}

/// Coordinates |q| ≤ 0.7 at which no column of S nearly depends on the others; empty if there seem
/// to be none (a composite can be singular everywhere near zero).
std::optional<VecX> regular_coordinates(const Joint& joint, Random& random) {
  const int n = joint.dof();
  for (int attempt = 0; attempt < 50; ++attempt) {
    const VecX q = random.vecx(n, 0.7);
    const Coordinates span(q.data(), static_cast<size_t>(n));
    JointMotion motion;
    joint.evaluate(span, span, motion);
    if (n == 0) return q;
    const VecX sigma = MatX(motion.S).jacobiSvd().singularValues();
    if (sigma[0] < 5 * sigma[n - 1]) return q;
  }
  return std::nullopt;
}

const Joint& random_joint(Random& random) {
  static const std::vector<const Joint*> kJoints = [] {
    std::vector<const Joint*> out;
    for (const JointExample& example : joint_examples())
      if (example.in_trees) out.push_back(&example.joint);
    return out;
  }();
  for (;;) {
    const auto k = random.uniform(0, static_cast<double>(kJoints.size()) - 1e-9);
    const Joint& joint = *kJoints[static_cast<size_t>(k)];
    if (regular_coordinates(joint, random)) return joint;
  }
}

}  // namespace

SkeletonBuilder random_tree(unsigned seed, int bodies) {
  Random random(seed);
  std::vector<BodySpec> specs;
  std::vector<int> depth;
  for (int i = 0; i < bodies; ++i) {
    BodySpec spec;
    spec.name = "b" + std::to_string(i);
    int above = i == 0 ? -1 : static_cast<int>(random.uniform(-0.3, i));
    while (above >= 0 && depth[static_cast<size_t>(above)] >= 12) --above;
    spec.parent = above < 0 ? "" : "b" + std::to_string(above);
    depth.push_back(above < 0 ? 1 : depth[static_cast<size_t>(above)] + 1);
    spec.joint = random_joint(random);
    if (i == 0 && spec.joint.dof() == 0) spec.joint = Revolute(Vec3::UnitX());
    spec.E_PJ = random.pose(0.4);
    spec.E_JB = random.pose(0.3);
    spec.M_B = random_cuboid(random);
    specs.push_back(spec);
  }
  // Children may come before their parents: the builder sorts.
  SkeletonBuilder builder;
  for (size_t i = specs.size(); i-- > 0;) builder.add_body(specs[i]);
  return builder;
}

RandomState random_state(const Skeleton& skeleton, unsigned seed) {
  Random random(seed + 1000);
  RandomState state{VecX(skeleton.dof_count()), random.vecx(skeleton.dof_count(), 1.5)};
  for (const Body& body : skeleton.bodies())
    state.q.segment(body.first_dof, body.joint.dof()) =
        regular_coordinates(body.joint, random).value();
  return state;
}

System with_random_forces(Skeleton skeleton, unsigned seed) {
  Random random(seed + 2000);
  SystemBuilder builder(std::move(skeleton));
  const Skeleton& s = builder.skeleton();
  const auto any_body = [&] {
    return BodyIndex(static_cast<int>(random.uniform(0, s.body_count() - 1e-9)));
  };
  const auto any_dof = [&] {
    return DofIndex(static_cast<int>(random.uniform(0, s.dof_count() - 1e-9)));
  };
  const auto add = [&](auto force) {
    builder.add_force(std::make_shared<decltype(force)>(std::move(force)));
  };
  // Drawn one by one: compilers differ in the order of a call's arguments.
  builder.set_gravity(random.vec3(10));
  const VecX torque = random.vecx(1, 5);
  add(JointTorque("torque", any_dof(), TimeTable::Constant(torque)));
  add(JointSpring("joint spring", any_dof(), 20, 0.7, 0.2));
  add(BodyDamping("drag", any_body(), 0.3, 0.8));
  const VecX push = random.vecx(3, 8);
  const Vec3 pushed = random.vec3();
  add(WorldForce("push", any_body(), pushed, TimeTable::Constant(push)));
  const Vec3 tied = random.vec3();
  const BodyIndex held = any_body();
  add(PointSpring("rope to ground", kWorld, random.vec3(2), held, tied, 30, 0.5, 0.4));
  if (s.body_count() > 1) {
    BodyIndex a = any_body(), b = any_body();
    if (a == b) b = BodyIndex((a + 1) % s.body_count());
    const Vec3 spring_b = random.vec3(), spring_a = random.vec3();
    add(PointSpring("spring", a, spring_a, b, spring_b, 50, 0, 0));
    const Vec3 damper_a = random.vec3(), damper_b = random.vec3();
    add(PointSpring("damper", b, damper_b, a, damper_a, 40, 2, 0.5));
    // Smooth for every state: it also pushes.
    builder.add(make_cable("cable",
                           {{a, random.vec3()}, {kWorld, random.vec3()}, {b, random.vec3()}},
                           {.stiffness = 30, .damping = 1, .rest_length = 2, .slack = false}));
  }
  return builder.build();
}

}  // namespace sinew::test

#pragma once

#include "sinew/analysis/drawing/soft_drawing.hpp"
#include "sinew/builder/system_builder.hpp"
#include "support/floating_tree.hpp"
#include "support/soft_examples.hpp"

namespace sinew::test {

/// Attaches vertices to bodies at random, most of them left free, each where it is when the
/// skeleton is at its default coordinates.
inline void attach_randomly(const Skeleton& skeleton, unsigned seed, double share,
                            SoftBodySpec& spec) {
  Random random(seed);
  SkeletonWorkspace ws(skeleton);
  VecX q(skeleton.dof_count()), qdot = VecX::Zero(q.size());
  for (int k = 0; k < q.size(); ++k) q[k] = skeleton.coordinates()[k].q0;
  update_kinematics(skeleton, q, qdot, ws);
  for (int v = 0; v < static_cast<int>(spec.mesh.vertices.size()); ++v) {
    if (random.uniform(0, 1) > share) continue;
    const BodyIndex body(static_cast<int>(random.uniform(0, skeleton.body_count() - 1e-9)));
    spec.attachments.push_back(
        {v, body, body_pose(skeleton, ws, body).inverse() * spec.mesh.vertices[v]});
  }
}

/// A small block of soft material.
inline SoftBodySpec soft_block(const Vec3& at, MaterialModel model, double young = 2e3) {
  SoftBodySpec spec;
  spec.name = "block";
  spec.mesh = block_mesh(2, 1, 1, {0.4, 0.2, 0.3});
  for (Vec3& x : spec.mesh.vertices) x += at;
  spec.material.model = model;
  spec.material.young = young;
  spec.material.poisson = 0.3;
  spec.material.density = 200;
  return spec;
}

/// A floating tree with a block in it, attached to several bodies.
inline System floating_soft_system(unsigned seed, int bodies, MaterialModel model, double viscosity,
                                   bool contact, const Vec3& gravity = Vec3::Zero()) {
  SystemBuilder builder(floating_tree(seed, bodies));
  builder.set_gravity(gravity);
  SoftBodySpec spec = soft_block({0.1, -0.1, 0.2}, model);
  spec.material.viscosity = viscosity;
  attach_randomly(builder.skeleton(), seed, 0.4, spec);
  if (contact) {
    SoftContact plane;
    plane.law.stiffness = 300;
    plane.law.onset = 0.1;
    plane.law.creep_velocity = 0.5;
    spec.contacts = {plane};
  }
  builder.add_soft_body(spec);
  return builder.build();
}

}  // namespace sinew::test

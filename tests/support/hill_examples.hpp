#pragma once

#include "sinew/analysis/muscle_state.hpp"
#include "sinew/builder/system_builder.hpp"

namespace sinew::test {

/// A flexor of an elbow: 1000 N, stiff tendon, pennate.
inline HillDescription flexor(double excitation, bool rigid = false) {
  HillDescription d;
  d.muscle.rigid_tendon = rigid;
  d.muscle.max_isometric_force = 600;
  d.muscle.optimal_fibre_length = 0.11;
  d.muscle.tendon_slack_length = 0.235;
  d.muscle.pennation_at_optimal = 0.1;
  set_millard_curves({}, 0.1, d.muscle);
  d.excitation = excitation;
  return d;
}

/// Upper arm and forearm, hanging; a flexor and an extensor across the elbow, the flexor from the
/// world across the shoulder too. With `mass` the flexor weighs something.
inline System arm(const HillDescription& flexor_of, HillDescription extensor_of, double mass = 0) {
  extensor_of.muscle.tendon_slack_length -= 0.04;  // its path is shorter
  SkeletonBuilder skeleton;
  BodySpec upper;
  upper.name = "upper";
  upper.joint = Revolute{Vec3(0, 0, 1)};
  upper.M_B =
      SpatialInertia::FromCentral(2, Vec3(0, -0.15, 0), Vec3(0.015, 0.003, 0.015).asDiagonal());
  upper.q0 = {-0.2};
  BodySpec fore = upper;
  fore.name = "fore";
  fore.parent = "upper";
  fore.E_PJ = Pose::Translation(Vec3(0, -0.29, 0));
  fore.M_B =
      SpatialInertia::FromCentral(1.5, Vec3(0, -0.14, 0), Vec3(0.02, 0.002, 0.02).asDiagonal());
  fore.q0 = {0.6};
  skeleton.add_body(upper).add_body(fore);
  SystemBuilder builder(skeleton.build());
  const BodyIndex a = builder.skeleton().find_body("upper");
  const BodyIndex b = builder.skeleton().find_body("fore");
  Muscle path;
  path.name = "flexor";
  path.mass = mass;
  path.points = {PathPoint::Fixed(kWorld, Vec3(0.03, 0.02, 0)),
                 PathPoint::Fixed(a, Vec3(0.04, -0.2, 0.01)),
                 PathPoint::Fixed(b, Vec3(0.01, -0.05, 0))};
  path.hill = flexor_of;
  builder.add_muscle(path);
  Muscle back;
  back.name = "extensor";
  back.points = {PathPoint::Fixed(a, Vec3(-0.03, -0.02, 0)),
                 PathPoint::Fixed(a, Vec3(-0.03, -0.28, 0)),
                 PathPoint::Fixed(b, Vec3(-0.02, -0.02, 0))};
  back.hill = extensor_of;
  builder.add_muscle(back);
  return builder.build();
}

/// A Hill muscle on a path by OpenSim's rules.
inline Muscle on_opensim_path(const OpenSimPath& path, const HillDescription& hill) {
  Muscle out;
  out.name = path.name;
  out.opensim_path = std::make_shared<const OpenSimPath>(path);
  out.hill = hill;
  return out;
}

}  // namespace sinew::test

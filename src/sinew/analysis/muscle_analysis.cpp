#include "sinew/analysis/muscle_analysis.hpp"

#include <cmath>

#include "sinew/muscles/opensim/opensim_path_on_skeleton.hpp"

namespace sinew {

void update_opensim_paths(const Skeleton& skeleton, const std::vector<OpenSimPath>& paths,
                          const VecX& q, const VecX& qdot, const SkeletonWorkspace& ws,
                          std::vector<MusclePath>& out) {
  out.resize(paths.size());
  const ConstVecRef q_ref = q, qdot_ref = qdot;
  const SkeletonAt in{skeleton, 0, q_ref, qdot_ref, ws};
  OpenSimPathWorkspace course;
  for (size_t i = 0; i < paths.size(); ++i) {
    const OpenSimPathOnSkeleton route(skeleton, paths[i]);
    route.update(in, course);
    route.update_length_gradient(in, course);
    MusclePath& path = out[i];
    path.moment_arms = VecX::Zero(q.size());
    for (size_t k = 0; k < route.dofs().size(); ++k)
      path.moment_arms[route.dofs()[k]] = -course.dL[k];
    path.length = course.length;
    path.rate = -path.moment_arms.dot(qdot);
    path.nodes.clear();
    for (const OpenSimPathNode& node : course.nodes) path.nodes.push_back(node.x);
  }
}

HillInstant hill_instant(const HillMuscle& muscle, double activation, double length, double rate,
                         std::optional<double> fibre_length) {
  HillInstant out;
  out.status = HillStatus::equilibrated;
  if (!fibre_length) {
    const HillEquilibrium e = equilibrate(muscle, activation, length, rate);
    out.status = e.status;
    fibre_length = e.fibre_length;
  }
  out.values = evaluate_hill(muscle, activation, length, rate, *fibre_length);
  const HillValues<double>& v = out.values;
  if (v.clamped) out.status = HillStatus::clamped;
  // l cos φ = √(l² − h²) changes by v/cos φ, and φ by −(v/l) tan φ.
  const double cosine = std::cos(v.pennation), velocity = v.fibre_velocity;
  const double spring = muscle.max_isometric_force * v.passive_force_length;
  out.pennation_rate = -velocity / v.fibre_length * std::tan(v.pennation);
  out.fibre_active_power = -(v.fibre_force - spring) * velocity;
  out.fibre_passive_power = -spring * velocity;
  out.tendon_power = -v.tendon_force * (rate - velocity / cosine);
  out.muscle_power = -v.tendon_force * rate;
  return out;
}

std::span<const MuscleQuantity> hill_quantities() {
  using I = HillInstant;
  static constexpr MuscleQuantity kQuantities[] = {
      {"FiberLength", [](const I& i) { return i.values.fibre_length; }},
      {"NormalizedFiberLength", [](const I& i) { return i.values.norm_fibre_length; }},
      {"TendonLength", [](const I& i) { return i.values.tendon_length; }},
      {"PennationAngle", [](const I& i) { return i.values.pennation; }},
      {"FiberVelocity", [](const I& i) { return i.values.fibre_velocity; }},
      {"NormFiberVelocity", [](const I& i) { return i.values.norm_fibre_velocity; }},
      {"PennationAngularVelocity", [](const I& i) { return i.pennation_rate; }},
      {"TendonForce", [](const I& i) { return i.values.tendon_force; }},
      {"FiberForce", [](const I& i) { return i.values.fibre_force; }},
      {"ActiveFiberForce", [](const I& i) { return i.values.active_fibre_force; }},
      {"PassiveFiberForce", [](const I& i) { return i.values.passive_fibre_force; }},
      {"ActiveFiberForceAlongTendon",
       [](const I& i) { return i.values.active_fibre_force * std::cos(i.values.pennation); }},
      {"PassiveFiberForceAlongTendon",
       [](const I& i) { return i.values.passive_fibre_force * std::cos(i.values.pennation); }},
      {"FiberActivePower", [](const I& i) { return i.fibre_active_power; }},
      {"FiberPassivePower", [](const I& i) { return i.fibre_passive_power; }},
      {"TendonPower", [](const I& i) { return i.tendon_power; }},
      {"MuscleActuatorPower", [](const I& i) { return i.muscle_power; }},
  };
  return kQuantities;
}

const char* name_of(HillStatus status) {
  switch (status) {
    case HillStatus::equilibrated:
      return "in equilibrium";
    case HillStatus::at_rest:
      return "in equilibrium only with a fibre at rest";
    case HillStatus::clamped:
      return "at its least fibre length";
    case HillStatus::no_equilibrium:
      break;
  }
  return "without equilibrium";
}

}  // namespace sinew

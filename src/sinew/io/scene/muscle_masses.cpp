#include <algorithm>

#include "sinew/io/scene/muscle_reader.hpp"
#include "sinew/muscles/transfer/placed_mass.hpp"

namespace sinew {
namespace {

std::vector<SpatialInertia> inertias(const Skeleton& skeleton) {
  std::vector<SpatialInertia> out;
  for (const Body& body : skeleton.bodies()) out.push_back(body.M_B);
  return out;
}

void add(SpatialInertia& to, const SpatialInertia& M_B, double factor) {
  to = to + SpatialInertia{factor * M_B.mass, factor * M_B.h, factor * M_B.I};
}

/// Adds a lumped muscle to its bodies.
void lump(const Skeleton& skeleton, const MuscleReading& reading,
          std::vector<SpatialInertia>& M_B) {
  const Lumping& lumping = reading.lumping;
  const double share = 1.0 / static_cast<double>(lumping.bodies.size());
  VecX q = VecX::Zero(skeleton.dof_count());
  for (int k = 0; k < skeleton.dof_count() && !lumping.at_zero; ++k)
    q[k] = skeleton.coordinates()[static_cast<size_t>(k)].q0;
  PlacedBodies bodies(skeleton, q);
  const PlacedMass placed = bodies.place(with_mass(reading.muscle, reading.mass));
  if (failed(placed.status) && !lumping.like_body)
    throw Error("muscle '" + reading.muscle.name + "'",
                "has no path in the pose in which its mass is frozen: " +
                    std::string(name_of(placed.status)),
                "choose another 'lump_pose' or default pose");
  for (const BodyIndex body : lumping.bodies) {
    if (body == kWorld) continue;
    const SpatialInertia& own = skeleton.body(body).M_B;
    SpatialInertia& sum = M_B[static_cast<size_t>(body.value)];
    if (lumping.like_body)
      add(sum, own, share * reading.mass / own.mass);
    else
      add(sum, placed.inertia(bodies.pose(body)), share);
  }
}

/// Muscles of one host share the mass it gives in the ratio of their masses.
ScalePolicy scale_policy(const MusclesReading& muscles) {
  ScalePolicy policy;
  for (const MuscleReading& reading : muscles.list) {
    if (!reading.muscle.has_mass()) continue;
    auto segment = std::find_if(policy.segments.begin(), policy.segments.end(),
                                [&](const SegmentShare& s) { return s.body == reading.host; });
    if (segment == policy.segments.end())
      segment = policy.segments.insert(segment, {reading.host, muscles.share, {}});
    segment->parts.push_back({reading.muscle.name, reading.mass});
  }
  return policy;
}

std::vector<Muscle> muscles_of(const MusclesReading& muscles) {
  std::vector<Muscle> out;
  for (const MuscleReading& reading : muscles.list) out.push_back(reading.muscle);
  return out;
}

}  // namespace

std::vector<WeighedMuscle> weighed(const std::vector<Muscle>& muscles,
                                   const MusclesReading& reading) {
  std::vector<WeighedMuscle> out;
  for (size_t i = 0; i < muscles.size(); ++i) {
    out.push_back({muscles[i], {}});
    if (const auto& hill = reading.list[i].hill) out.back().hill = hill->muscle;
  }
  return out;
}

std::optional<MassPlan> mass_plan(const Skeleton& skeleton, const MusclesReading& muscles) {
  const std::vector<Muscle> list = muscles_of(muscles);
  if (muscles.by_rule) return plan_muscle_mass(*muscles.by_rule, skeleton, weighed(list, muscles));
  if (muscles.source == MassSource::none) return std::nullopt;
  if (muscles.source == MassSource::scale) return MassPlan{list, scale_policy(muscles), {}};
  MomentsPolicy policy{muscles.share, {}};
  for (const MuscleReading& reading : muscles.list) policy.hosts.push_back(reading.host);
  return MassPlan{list, policy, {}};
}

MassTransfer settle_masses(const Skeleton& skeleton, const MusclesReading& muscles,
                           const std::optional<MassPlan>& plan) {
  if (plan) return transfer_mass(skeleton, plan->muscles, plan->policy);
  std::vector<SpatialInertia> M_B = inertias(skeleton);
  for (const MuscleReading& reading : muscles.list)
    if (!reading.lumping.bodies.empty()) lump(skeleton, reading, M_B);
  MassTransfer out;
  out.skeleton = skeleton.with_inertias(M_B);
  out.muscles = muscles_of(muscles);
  return out;
}

}  // namespace sinew

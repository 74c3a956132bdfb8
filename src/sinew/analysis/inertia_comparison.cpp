#include "sinew/analysis/inertia_comparison.hpp"

#include <fmt/format.h>

#include "sinew/analysis/muscle_paths.hpp"
#include "sinew/builder/system_builder.hpp"
#include "sinew/core/error.hpp"

namespace sinew {
namespace {

System make_system(const BonesModel& model, const Skeleton& skeleton,
                   const std::vector<Muscle>& muscles) {
  SystemBuilder builder(skeleton);
  builder.set_gravity(model.gravity);
  for (const auto& force : model.forces) builder.add_force(force);
  for (const Muscle& muscle : muscles)
    if (muscle.has_mass()) builder.add_muscle(muscle);
  return builder.build();
}

/// The policy for muscle m alone: its part of the mass that all of them take.
MomentsPolicy only(const MomentsPolicy& policy, const std::vector<Muscle>&, size_t m) {
  MomentsPolicy out{policy.share, {}};
  if (m < policy.hosts.size()) out.hosts = {policy.hosts[m]};
  return out;
}
ScalePolicy only(const ScalePolicy& policy, const std::vector<Muscle>& muscles, size_t m) {
  ScalePolicy out;
  for (const SegmentShare& segment : policy.segments) {
    double all = 0, own = 0;
    for (const SegmentShare::Part& part : segment.parts) {
      all += part.ratio;
      if (part.muscle == muscles[m].name) own += part.ratio;
    }
    if (own > 0)
      out.segments.push_back({segment.body, segment.share * own / all, {{muscles[m].name, 1}}});
  }
  return out;
}

/// A muscle without a path has no inertia: the moments would be wrong without a warning.
void require_paths(const System& system, const Motion& motion) {
  Workspace ws(system);
  for (const MotionSample& sample : motion) {
    const At at(sample.t, sample.q, sample.qdot);
    if (const LostPath lost = find_lost_path(system, at, ws); lost.muscle >= 0)
      throw Error("muscle '" + system.muscles()[static_cast<size_t>(lost.muscle)]->name() + "'",
                  fmt::format("has no path at t = {:.6g} s: {}", sample.t, name_of(lost.status)),
                  "change the surface it wraps around, or leave it without mass");
  }
}

}  // namespace

InertiaComparison compare_inertia(const BonesModel& model, const MassPolicy& policy,
                                  const Motion& motion) {
  InertiaComparison out{{}, {}, {}, transfer_mass(model.skeleton, model.muscles, policy)};
  out.bones = inverse_dynamics(make_system(model, model.skeleton, {}), motion);
  const System massive = make_system(model, out.transfer.skeleton, out.transfer.muscles);
  require_paths(massive, motion);
  out.muscles = inverse_dynamics(massive, motion);
  for (size_t m = 0; m < model.muscles.size(); ++m) {
    const MassPolicy own =
        std::visit([&](const auto& p) { return MassPolicy(only(p, model.muscles, m)); }, policy);
    const MassTransfer alone = transfer_mass(model.skeleton, {model.muscles[m]}, own);
    out.of_muscle.push_back(
        alone.moves.empty()
            ? MatX(MatX::Zero(out.bones.rows(), out.bones.cols()))
            : MatX(inverse_dynamics(make_system(model, alone.skeleton, alone.muscles), motion) -
                   out.bones));
  }
  return out;
}

MomentDifference difference(const VecX& first, const VecX& second) {
  MomentDifference out;
  if (first.size() == 0) return out;
  const VecX change = second - first;
  out.highest = first.maxCoeff();
  out.lowest = first.minCoeff();
  if (out.highest > 0) out.highest_change = second.maxCoeff() / out.highest - 1;
  if (out.lowest < 0) out.lowest_change = second.minCoeff() / out.lowest - 1;
  out.rms = std::sqrt(change.squaredNorm() / static_cast<double>(change.size()));
  out.largest = change.cwiseAbs().maxCoeff();
  return out;
}

}  // namespace sinew

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

/// The skeleton that lacks the mass of one muscle only.
Skeleton without_muscle(const Skeleton& skeleton, const MassTransfer& transfer, size_t muscle) {
  std::vector<SpatialInertia> M_B;
  for (const Body& body : skeleton.bodies()) M_B.push_back(body.M_B);
  for (const MassMove& move : transfer.moves) {
    if (static_cast<size_t>(move.muscle) != muscle) continue;
    SpatialInertia& rest = M_B[static_cast<size_t>(move.body)];
    rest = {rest.mass - move.taken.mass, rest.h - move.taken.h, rest.I - move.taken.I};
  }
  return skeleton.with_inertias(M_B);
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
  InertiaComparison out{
      {}, {}, {}, transfer_mass(model.skeleton, model.muscles, policy, model.reference)};
  out.bones = inverse_dynamics(make_system(model, model.skeleton, {}), motion);
  const System massive = make_system(model, out.transfer.skeleton, out.transfer.muscles);
  require_paths(massive, motion);
  out.muscles = inverse_dynamics(massive, motion);
  for (size_t m = 0; m < model.muscles.size(); ++m) {
    const Muscle& muscle = out.transfer.muscles[m];
    out.of_muscle.push_back(MatX::Zero(out.bones.rows(), out.bones.cols()));
    if (!muscle.has_mass()) continue;
    const Skeleton rest = without_muscle(model.skeleton, out.transfer, m);
    out.of_muscle.back() = inverse_dynamics(make_system(model, rest, {muscle}), motion) - out.bones;
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

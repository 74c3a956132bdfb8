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

MatX moments_of(const BonesModel& model, const Skeleton& skeleton,
                const std::vector<Muscle>& muscles, const Motion& motion) {
  MatX out = inverse_dynamics(make_system(model, skeleton, muscles), motion);
  for (size_t k = 0; k < motion.size(); ++k)
    model.coupled.pass_on(motion[k].q, out.col(static_cast<Eigen::Index>(k)));
  return out;
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

/// The skeleton with one body's mass and inertia multiplied.
Skeleton with_scaled_body(const Skeleton& skeleton, size_t body, double factor) {
  std::vector<SpatialInertia> M_B;
  for (const Body& b : skeleton.bodies()) M_B.push_back(b.M_B);
  SpatialInertia& M = M_B[body];
  M = {factor * M.mass, factor * M.h, factor * M.I};
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

MatX moments_after(const BonesModel& model, const MassTransfer& transfer, const Motion& motion) {
  require_paths(make_system(model, transfer.skeleton, transfer.muscles), motion);
  return moments_of(model, transfer.skeleton, transfer.muscles, motion);
}

}  // namespace

MatX moments_with_bones(const BonesModel& model, const Motion& motion) {
  return moments_of(model, model.skeleton, {}, motion);
}

MatX moments_with_muscles(const BonesModel& model, const MassPolicy& policy, const Motion& motion) {
  return moments_after(model, transfer_mass(model.skeleton, model.muscles, policy, model.reference),
                       motion);
}

MatX error_of_inertias(const BonesModel& model, const Motion& motion, double part) {
  const MatX moments = moments_with_bones(model, motion);
  MatX squares = MatX::Zero(moments.rows(), moments.cols());
  for (size_t b = 0; b < model.skeleton.bodies().size(); ++b) {
    if (model.skeleton.bodies()[b].M_B.mass == 0) continue;
    const Skeleton scaled = with_scaled_body(model.skeleton, b, 1 + part);
    squares += (moments_of(model, scaled, {}, motion) - moments).cwiseAbs2();
  }
  return squares.cwiseSqrt();
}

InertiaComparison compare_inertia(const BonesModel& model, const MassPolicy& policy,
                                  const Motion& motion) {
  InertiaComparison out{
      {}, {}, {}, transfer_mass(model.skeleton, model.muscles, policy, model.reference)};
  out.bones = moments_with_bones(model, motion);
  out.muscles = moments_after(model, out.transfer, motion);
  for (size_t m = 0; m < model.muscles.size(); ++m) {
    const Muscle& muscle = out.transfer.muscles[m];
    out.of_muscle.push_back(MatX::Zero(out.bones.rows(), out.bones.cols()));
    if (!muscle.has_mass()) continue;
    const Skeleton rest = without_muscle(model.skeleton, out.transfer, m);
    out.of_muscle.back() = moments_of(model, rest, {muscle}, motion) - out.bones;
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

#include "sinew/muscles/fast/massive_muscles.hpp"

namespace sinew {

MassiveMuscles::MassiveMuscles(const Skeleton& skeleton, SpanPathList paths)
    : paths_(std::move(paths)), cylinders_(paths_), polylines_(skeleton, paths_) {
  for (size_t k = 0; k < paths_.size(); ++k) {
    if (!paths_[k] || !paths_[k]->muscle().has_mass()) continue;
    numbers_.push_back(k);
    if (cylinders_.takes(k) || polylines_.takes(k)) continue;
    (paths_[k]->spanned() ? blocks_ : others_).push_back(k);
  }
}

void MassiveMuscles::note_belly(size_t muscle, double length, Workspace& ws) const {
  if (ws.vanished_belly < 0 && !paths_[muscle]->has_belly(length))
    ws.vanished_belly = static_cast<int>(muscle);
}

double MassiveMuscles::add(const SkeletonAt& in, const Tensions& tensions, const double* qddot,
                           Workspace& ws, SpanPathWorkspace& path, MuscleSums& sums,
                           std::vector<Vec6>& wrench) const {
  ws.vanished_belly = -1;
  double power = cylinders_.add(in, tensions, ws.cylinders, sums, wrench);
  const auto add_block = [&](size_t k) {
    const SpanPath& muscle = *paths_[k];
    const MuscleBlockPull pull =
        muscle.spanned()->add(muscle.muscle(), k, tensions, in, ws.block, sums, wrench);
    power += pull.power;
    note_belly(k, pull.length, ws);
  };
  for (const size_t k : ws.cylinders.others) add_block(k);
  power += polylines_.add(in, tensions, qddot, ws.polylines, sums, wrench);
  for (const size_t k : numbers_)
    if (polylines_.takes(k)) note_belly(k, ws.polylines.length[k], ws);
  for (const size_t k : blocks_) add_block(k);
  for (const size_t k : others_) {
    power += add_path(in, tensions, k, qddot, ws, path, sums.tau, wrench);
    paths_[k]->add_mass_matrix(path, sums.M);
  }
  return power;
}

double MassiveMuscles::add_forces(const SkeletonAt& in, const Tensions& tensions,
                                  const double* qddot, Workspace& ws, SpanPathWorkspace& path,
                                  VecX& tau, std::vector<Vec6>& wrench) const {
  ws.vanished_belly = -1;
  double power = 0;
  for (const size_t k : numbers_) power += add_path(in, tensions, k, qddot, ws, path, tau, wrench);
  return power;
}

double MassiveMuscles::add_path(const SkeletonAt& in, const Tensions& tensions, size_t muscle,
                                const double* qddot, Workspace& ws, SpanPathWorkspace& path,
                                VecX& tau, std::vector<Vec6>& wrench) const {
  const SpanPath& on = *paths_[muscle];
  on.update(in, qddot, on.force_view(), path);
  const double length = on.length(path);
  double rate = 0, tension = 0;
  if (!tensions.vanishes(muscle)) {
    on.update_length_gradient(path);
    for (size_t l = 0; l < on.dofs().size(); ++l) rate += path.dL[l] * in.qdot[on.dofs()[l]];
    tension = tensions.at(muscle, length, rate);
  }
  on.add_forces(in, tension, path, wrench, tau);
  note_belly(muscle, length, ws);
  return -tension * rate;
}

}  // namespace sinew

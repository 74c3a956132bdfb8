#include "sinew/muscles/transfer/mass_on_bones.hpp"

#include "sinew/muscles/transfer/placed_mass.hpp"

namespace sinew {
namespace {

/// What lies in the cells of all muscles, but for the ground's.
std::vector<MassMove> moves_along(const Skeleton& skeleton, const std::vector<Muscle>& muscles,
                                  std::vector<PathCell> PlacedMass::*cells) {
  VecX q(skeleton.dof_count());
  for (int k = 0; k < skeleton.dof_count(); ++k)
    q[k] = skeleton.coordinates()[static_cast<size_t>(k)].q0;
  PlacedBodies bodies(skeleton, q);
  std::vector<MassMove> out;
  for (size_t m = 0; m < muscles.size(); ++m) {
    if (!muscles[m].has_mass()) continue;
    const PlacedMass placed = bodies.place(muscles[m]);
    for (const PathCell& cell : placed.*cells)
      for (const MassStretch& stretch : placed.stretches)
        if (const auto part = stretch.between(cell.lo, cell.hi); part && cell.body != kWorld)
          out.push_back({cell.body, static_cast<int>(m), part->inertia(bodies.pose(cell.body)), 0});
  }
  return out;
}

}  // namespace

MassOnBones put_mass_on_bones(const Skeleton& skeleton, std::vector<Muscle> muscles) {
  std::vector<SpatialInertia> M_B;
  for (const Body& body : skeleton.bodies()) M_B.push_back(body.M_B);
  for (const MassMove& move : moves_along(skeleton, muscles, &PlacedMass::cells)) {
    SpatialInertia& sum = M_B[static_cast<size_t>(move.body.value)];
    sum = sum + move.taken;
  }
  for (Muscle& muscle : muscles) muscle = with_mass(muscle, 0);
  return {skeleton.with_inertias(M_B), std::move(muscles)};
}

std::vector<MassMove> mass_along_bodies(const Skeleton& skeleton,
                                        const std::vector<Muscle>& muscles) {
  return moves_along(skeleton, muscles, &PlacedMass::cells_with_ground);
}

}  // namespace sinew

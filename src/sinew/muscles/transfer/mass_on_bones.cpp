#include "sinew/muscles/transfer/mass_on_bones.hpp"

#include "sinew/muscles/transfer/mass_transfer.hpp"
#include "sinew/muscles/transfer/placed_mass.hpp"

namespace sinew {

MassOnBones put_mass_on_bones(const Skeleton& skeleton, std::vector<Muscle> muscles) {
  VecX q(skeleton.dof_count());
  for (int k = 0; k < skeleton.dof_count(); ++k)
    q[k] = skeleton.coordinates()[static_cast<size_t>(k)].q0;
  std::vector<SpatialInertia> M_B;
  for (const Body& body : skeleton.bodies()) M_B.push_back(body.M_B);

  PlacedBodies bodies(skeleton, q);
  for (Muscle& muscle : muscles) {
    if (!muscle.has_mass()) continue;
    const PlacedMass placed = bodies.place(muscle);
    for (const PathCell& cell : placed.cells)
      for (const MassStretch& stretch : placed.stretches)
        if (const auto part = stretch.between(cell.lo, cell.hi)) {
          SpatialInertia& sum = M_B[static_cast<size_t>(cell.body.value)];
          sum = sum + part->inertia(bodies.pose(cell.body));
        }
    muscle = with_mass(muscle, 0);
  }
  return {skeleton.with_inertias(M_B), std::move(muscles)};
}

}  // namespace sinew

#pragma once

#include "sinew/muscles/transfer/mass_transfer.hpp"

namespace sinew {

/// A model whose muscles' masses are fixed to its bodies.
struct MassOnBones {
  Skeleton skeleton;
  std::vector<Muscle> muscles;  ///< the same paths, without mass
};

/// The inverse of transfer_mass with moments: every stretch of a muscle is added, with its mass,
/// first and second moments in the default pose, to the body that it lies along. Mass, centre of
/// mass and inertia of the whole model in that pose stay; stretches of muscles that lie along the
/// ground only are lost. Throws an Error naming a muscle whose mass is not entirely on its path
/// there.
MassOnBones put_mass_on_bones(const Skeleton& skeleton, std::vector<Muscle> muscles);

/// What each body would get if mass along the ground stayed there: muscle by muscle, without
/// shares. Throws the same.
std::vector<MassMove> mass_along_bodies(const Skeleton& skeleton,
                                        const std::vector<Muscle>& muscles);

}  // namespace sinew

#pragma once

#include "sinew/muscles/path/span_path.hpp"

namespace sinew {

/// A model whose muscles' masses are fixed to its bodies.
struct MassOnBones {
  Skeleton skeleton;
  std::vector<Muscle> muscles;  ///< the same paths, without mass
};

/// The opposite of transfer_mass with its moments: every stretch of a muscle is added, with its
/// mass, first and second moments in the default pose, to the body that it lies along. Mass, centre
/// of mass and inertia of the whole model in that pose stay; what lies along the ground alone is
/// lost. Throws an Error naming a muscle whose mass is not all on its path there.
MassOnBones put_mass_on_bones(const Skeleton& skeleton, std::vector<Muscle> muscles);

}  // namespace sinew

#pragma once

#include <optional>

#include "sinew/model/skeleton.hpp"

namespace sinew {

/// The mirror image of poses of a skeleton with a left and a right side: q'[partner[k]] =
/// sign[k] q[k].
struct Mirror {
  std::vector<int> partner;  ///< the coordinate of the other side; in the middle: itself
  VecX sign;                 ///< ±1

  VecX image(const VecX& q) const;
};

/// The name of the same thing on the other side: "hip_l" of "hip_r", "LeftArm" of "RightArm"; the
/// name itself where it names no side.
std::string name_of_other_side(const std::string& name);

/// Sides are known by the names of coordinates and bodies; signs follow from the axes of the
/// joints. The plane is one of the ground's three. Empty if the skeleton does not have two sides,
/// or if these are not images of each other: in trial poses, to 1 % of the skeleton's size.
std::optional<Mirror> find_mirror(const Skeleton& skeleton);

}  // namespace sinew

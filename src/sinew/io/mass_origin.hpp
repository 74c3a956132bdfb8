#pragma once

#include "sinew/muscles/mass_transfer.hpp"

namespace sinew {

/// A model before its bodies gave mass to its muscles, and how they do.
struct MassOrigin {
  Skeleton bones;
  std::vector<Muscle> muscles;
  MassPolicy policy;
};

}  // namespace sinew

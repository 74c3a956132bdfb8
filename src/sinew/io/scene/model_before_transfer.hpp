#pragma once

#include "sinew/muscles/transfer/mass_transfer.hpp"

namespace sinew {

/// A model before its bodies gave mass to its muscles, and how they do.
struct ModelBeforeTransfer {
  Skeleton bones;
  std::vector<Muscle> muscles;
  MassPolicy policy;
};

}  // namespace sinew

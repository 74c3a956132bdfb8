#pragma once

#include "sinew/muscles/transfer/mass_transfer.hpp"

namespace sinew {

/// A model before its bodies gave mass to its muscles, and the rule by which they do.
struct ModelBeforeTransfer {
  Skeleton bones;
  std::vector<Muscle> muscles;
  MassPolicy policy;
};

}  // namespace sinew

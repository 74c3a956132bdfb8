#pragma once

#include <string>
#include <vector>

#include "engine.hpp"

namespace bench {

/// Difference of an engine's answers from those of the first engine, over all samples: the largest
/// difference of an entry over the largest entry. Negative if the engine does not offer the kernel.
struct Agreement {
  double acceleration = -1;
  double force = -1;
  double mass = -1;
};
Agreement compare(Engine& reference, Engine& engine, int samples);

}  // namespace bench

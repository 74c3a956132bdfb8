#pragma once

#include "sinew/io/scene/scene.hpp"

namespace sinew::fuzz {

/// Not a defect, but it would take the time of all other scenes: Newton factors a dense matrix,
/// and shapes in heaps are inside each other.
struct StepLimits {
  int dof = 150;        ///< with more, one explicit step
  size_t surfaces = 8;  ///< likewise
  int steps = 3;
};

struct StepCounts {
  long long steps = 0, failed = 0;
};

/// A few steps from the initial state. Throws a std::runtime_error if a state is not finite.
StepCounts step_scene(const Scene& scene, Integrator integrator, const StepLimits& limits);

}  // namespace sinew::fuzz

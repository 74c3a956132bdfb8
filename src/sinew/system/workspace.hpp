#pragma once

#include "sinew/dynamics/force.hpp"
#include "sinew/math/dense_solve.hpp"
#include "sinew/system/system.hpp"

namespace sinew {

/// Every intermediate of a step, grouped by stage. One per thread; disposable: throwing it away between
/// two calls changes no bit of any result.
struct Workspace {
  explicit Workspace(const System& system);

  // update_kinematics … of the dynamics layer
  SkeletonWorkspace skeleton;

  // update (system/equations.hpp)
  AppliedForces forces;

  // linearize: derivatives of the residual M q̈ − f; sized on first use, O(n²)
  std::unique_ptr<struct LinearizationWorkspace> linearization;

  // integrators' stage vectors, sized on first use
  std::vector<VecX> stage;
};

}  // namespace sinew

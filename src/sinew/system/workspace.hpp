#pragma once

#include <memory>

#include "sinew/dynamics/derivatives.hpp"
#include "sinew/math/dense_solve.hpp"
#include "sinew/system/system.hpp"

namespace sinew {

/// Every intermediate of a step, grouped by stage. One per thread; disposable: throwing it away
/// between two calls changes no bit of any result.
struct Workspace {
  explicit Workspace(const System& system)
      : skeleton(system.skeleton()), forces(system.skeleton()) {}

  // update_kinematics and the recursions of the dynamics layer
  SkeletonWorkspace skeleton;

  // update: applied forces at the last (t, q, q̇)
  AppliedForces forces;

  // linearize. O(n²), so made on first use: explicit integrators never pay for it.
  struct Linearizer {
    explicit Linearizer(const Skeleton& s) : skeleton(s), forces(s), mass_factor(s.dof_count()) {}
    DerivativeWorkspace skeleton;
    ForceDerivatives forces;
    LdltFactor mass_factor;
  };
  std::unique_ptr<Linearizer> linearizer;

  // step: stage vectors and Newton's matrices of the integrators, sized on first use
  std::vector<VecX> stage;
  std::vector<MatX> matrix;
  LuFactor newton_factor;
};

}  // namespace sinew

#pragma once

#include "sinew/system/equations.hpp"

namespace sinew {

struct RestReport {
  bool found = false;
  int iterations = 0;
  double residual = 0;  ///< largest force or torque that is left [N, Nm]
};

/// Moves a system without constraints to a state of rest nearby: forces vanish at q̇ = 0. Internal
/// states keep their values. Throws an Error for systems with constraints.
///
/// Every iteration is a step of implicit Euler from rest, (M + γ ∂g/∂q̇ + γ² ∂g/∂q) δq = −γ² g. γ
/// grows while forces fall, so the last ones are Newton's; where forces rise, it shrinks, and the
/// step follows the accelerations. A stable rest is found from nearby, an unstable one is left.
RestReport find_rest(const System& system, State& state, Workspace& ws);

}  // namespace sinew

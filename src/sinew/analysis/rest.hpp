#pragma once

#include "sinew/integrate/integrator.hpp"

namespace sinew {

struct RestReport {
  bool found = false;
  int steps = 0;
  double acceleration = 0;  ///< the largest that is left [m/s², rad/s²]
};

/// Moves a system to a state of rest nearby, at its time: q̇ = 0, and nothing accelerates it.
///
/// Every step is one of implicit Euler from rest. With the potential V it finds the minimum of
/// V(q) + |q − q₀|²/2h², |·| in the metric of the masses: V never rises. h doubles from step to
/// step, up to steps that Newton's method alone decides, and falls where that fails. A stable rest
/// is found, an unstable one is left. Constraints hold. Throws an Error for systems with limits,
/// contacts or bearings.
RestReport find_rest(const System& system, State& state, Workspace& ws);

}  // namespace sinew

#pragma once

#include "sinew/system/linearization.hpp"

namespace sinew {

class System;
struct At;
struct Workspace;

/// w = Lᵀq̇ with M = L Lᵀ: the kinetic energy is ½|w|². Where M changes fast along the motion, as
/// that of muscles with mass does at touch-down, q̇ must change with it, but w need not.
struct EnergyVariables {
  Linearization inertial;  ///< M, and D = ∂g/∂q̇ of inertia alone
  MatX L, Ldot;            ///< M = L Lᵀ, L lower triangular, and its rate along the motion
  MatX D;                  ///< scratch
  VecX g, rest;            ///< scratch
  VecX w, wdot;            ///< for the integrator

  /// Needs no earlier call. Leaves ws as inverse_dynamics with q̈ = 0 does. For systems with
  /// System::has_energy_variables. False if M is not positive definite.
  bool update(const System& system, const At& at, Workspace& ws);
  /// The same from M and D = ∂g/∂q̇ if only inertia depends on q̇.
  bool update(const MatX& mass, const MatX& dg_dqdot);
};

}  // namespace sinew

#pragma once

#include "sinew/system/equations.hpp"

namespace sinew {

/// w = Lᵀq̇ with M = L Lᵀ: the kinetic energy is ½|w|². Where M changes fast along the motion, as
/// that of muscles with mass does at touch-down, q̇ has to change with it, and w has not.
struct EnergyVariables {
  MatX M;         ///< mass matrix
  MatX L, Ldot;   ///< M = L Lᵀ, L lower triangular, and its rate along the motion
  MatX D, dg_dq;  ///< scratch
  VecX g, rest;   ///< scratch
  VecX w, wdot;   ///< of the integrator

  /// Needs no earlier call. Leaves ws as inverse_dynamics with q̈ = 0 does. For systems without
  /// dependent coordinates whose muscles all have their velocity terms. False where M is not
  /// positive definite.
  bool update(const System& system, const At& at, Workspace& ws);
  /// The same from M and D = ∂g/∂q̇ where nothing but inertia depends on q̇.
  bool update(const MatX& mass, const MatX& dg_dqdot);
};

/// Whether EnergyVariables are to be had, and worth having: muscles with mass, all with their
/// velocity terms, no constraints and no dependent coordinates.
bool has_energy_variables(const System& system);

}  // namespace sinew

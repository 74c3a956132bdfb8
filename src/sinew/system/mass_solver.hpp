#pragma once

#include <memory>

#include "sinew/math/types.hpp"
#include "sinew/system/at.hpp"

namespace sinew {

class System;
struct Workspace;

/// A system's solver for its mass matrix: by the skeleton's recursions in O(n) or, if parts
/// have mass or coordinates depend on others, by factors of the assembled matrix.
class MassSolver {
 public:
  virtual ~MassSolver() = default;

  /// Forces that the mass of parts requires at ẍ (null: zero), in the fastest form: wrenches are
  /// added to ws.skeleton.F, forces on coordinates are in ws.part_tau. Needs update_inertias.
  virtual void add_part_forces(const System& system, const At& at, const double* xddot,
                               Workspace& ws) = 0;
  /// q̈ under the forces in ws as if there were no constraints, and factors of their rows or W =
  /// M⁻¹Gᵀ of them, as ws.row_factors says. Needs update_forces and update_constraints. Leaves
  /// factors behind.
  virtual void accelerate(const System& system, const At& at, Workspace& ws, VecRef& qddot) = 0;
  /// Factors of M. Runs update_kinematics.
  virtual void factor(const System& system, const At& at, Workspace& ws) = 0;
  /// x ← M⁻¹ b, and W ← M⁻¹Gᵀ of the rows in ws.constraints, with the factors.
  virtual void solve(const System& system, Workspace& ws, const ConstVecRef& b, VecRef& x) = 0;
  virtual void solve_rows(const System& system, Workspace& ws) = 0;
  /// Factors of M with the rows as nodes, for ws.row_factors. Needs factor. False where they do not
  /// pay, or some rows depend on others.
  virtual bool factor_rows(Workspace& /*ws*/) { return false; }
  /// As the functions of equations.hpp by these names.
  virtual void momentum_and_force(const System& system, const At& at, Workspace& ws, VecX& p,
                                  VecX& dL_dq) = 0;
  virtual void momentum_correction(const System& system, const At& at, const VecX& b, double c,
                                   bool factor, Workspace& ws, VecX& dL_dq, VecX& x) = 0;
};

/// The solver that suits the system.
std::unique_ptr<MassSolver> make_mass_solver(const System& system);

}  // namespace sinew

#pragma once

#include <memory>

#include "sinew/constraints/rows/constraint_workspace.hpp"
#include "sinew/constraints/solve/saddle_matrix.hpp"
#include "sinew/constraints/solve/unilateral_workspace.hpp"
#include "sinew/dynamics/derivatives.hpp"
#include "sinew/system/border.hpp"
#include "sinew/system/energy_variables.hpp"
#include "sinew/system/mass_solver.hpp"
#include "sinew/system/system.hpp"

namespace sinew {

struct MatrixFreeScratch;

/// What corrections along the rows are made with: W and S, or factors with rows as nodes.
enum class RowFactors { dense, of_stage, of_mass };

/// Every intermediate of a step, grouped by stage. One per thread; disposable: discarding it
/// between two calls changes no bit of any result.
struct Workspace {
  explicit Workspace(const System& system);

  // expand: from the state's coordinates to those of elements, and back
  std::unique_ptr<Border> border;

  // update_kinematics and the recursions of the dynamics layer
  SkeletonWorkspace skeleton;

  // update_forces: applied forces
  AppliedForces forces;
  // inverse_dynamics, forward_dynamics: the part of forces.power that drives coordinates
  double drive_power = 0;

  // update_forces: values of the system's own controls, if none are given
  VecX controls;

  // one per part
  std::vector<std::unique_ptr<PartScratch>> parts;
  // forces that the parts' mass requires: on all coordinates; on links, where unused
  VecX part_tau;
  std::vector<Vec6> unused_wrench;
  // their mass; update_mass_matrix: that of the whole system, and factors of what its nodes leave
  // of it. Sized on first use
  PartMass part_mass;
  struct Mass {
    explicit Mass(const NodeLayout& masses) : M(masses) {}
    NodeMatrix M;
    EnvelopeFactor factor;
  } mass;

  // the solver that factors it
  std::unique_ptr<MassSolver> mass_solver;

  // constraints: rows, multipliers
  ConstraintWorkspace constraints;
  // factors with many rows on nodes, of implicit stages and of M; those that serve now. Sized on
  // first use
  SaddleMatrix stage_saddle, mass_saddle;
  RowFactors row_factors = RowFactors::dense;
  /// Null: W and S of `constraints` serve.
  SaddleMatrix* saddle() {
    return row_factors == RowFactors::dense      ? nullptr
           : row_factors == RowFactors::of_stage ? &stage_saddle
                                                 : &mass_saddle;
  }

  // limits and contacts: rows, responses, impulses
  UnilateralWorkspace unilateral;

  // linearize. O(n²), so made on first use: explicit integrators never pay for it.
  struct Linearizer {
    Linearizer(const Skeleton& s, int dofs) : skeleton(s), forces(s), g(dofs) {}
    DerivativeWorkspace skeleton;
    ForceDerivatives forces;

    MatX inertial_dg_dqdot;  ///< inertia's part of ∂g/∂q̇, between the skeleton's coordinates
    VecX at_rest;            ///< zeros, as long as x

    // forward_dynamics_derivatives
    VecX g;
    Linearization at;
    Eigen::LLT<MatX> mass;
  };
  std::unique_ptr<Linearizer> linearizer;
  EnergyVariables energy;

  // step: stage vectors of the integrators, as long as q and as z; values of controls. Sized on
  // first use
  std::vector<VecX> stage, internal_stage;
  VecX step_controls;
  VecX internal_units;  ///< in which errors of z are measured

  // step, implicit integrators: Newton's method, sized on first use
  struct Newton {
    explicit Newton(const NodeLayout& nodes) : matrix(nodes) {}
    Linearization at;      ///< derivatives of the residual at the iterate
    NodeMatrix matrix;     ///< derivative of the residual with respect to the unknowns
    VecX diagonal;         ///< diagonal of M
    VecX g, delta, trial;  ///< residual; correction; iterate that the line search tries
  } newton;

  // step, linearly implicit Euler by conjugate gradients: made on first use
  std::shared_ptr<MatrixFreeScratch> matrix_free;
};

}  // namespace sinew

#pragma once

#include <memory>

#include "sinew/constraints/rows/constraint_workspace.hpp"
#include "sinew/constraints/solve/unilateral_workspace.hpp"
#include "sinew/dynamics/derivatives.hpp"
#include "sinew/math/dense_solve.hpp"
#include "sinew/system/system.hpp"

namespace sinew {

/// Derivatives of the residual g = M q̈ − f at one point.
struct Linearization {
  MatX M;         ///< ∂g/∂q̈
  MatX dg_dq;     ///< ∂g/∂q at constant q̇, q̈
  MatX dg_dqdot;  ///< ∂g/∂q̇
};

struct MatrixFreeScratch;
struct MuscleScratch;
std::shared_ptr<MuscleScratch> make_muscle_scratch(const Skeleton& skeleton);
struct HillScratch;
std::shared_ptr<HillScratch> make_hill_scratch(const System& system);
struct SoftScratch;
std::shared_ptr<SoftScratch> make_soft_scratch(const System& system);

/// Every intermediate of a step, grouped by stage. One per thread; disposable: throwing it away
/// between two calls changes no bit of any result.
struct Workspace {
  explicit Workspace(const System& system)
      : skeleton(system.skeleton()), forces(system.skeleton()) {
    if (system.coordinate_map())
      map = std::make_unique<MapWorkspace>(system.skeleton(), *system.coordinate_map());
    if (!system.unilaterals().empty())
      unilateral = std::make_unique<UnilateralWorkspace>(system.skeleton());
    if (!system.muscles().empty() || !system.hill_muscles().empty())
      muscles = make_muscle_scratch(system.skeleton());
    if (!system.hill_muscles().empty()) hill = make_hill_scratch(system);
    if (system.soft()) {
      soft = make_soft_scratch(system);
      forces.tau.setZero(system.dof_count());
    }
    if (system.constraints().empty()) return;
    constraints = std::make_unique<ConstraintWorkspace>(system.skeleton(), system.constraints(),
                                                        system.dof_count());
    if (map) {
      map->Gt.setZero(system.skeleton().dof_count(), constraints->rows.size());
      map->R.setZero(constraints->rows.size(), system.skeleton().dof_count());
    }
  }

  // hyper-reduced coordinates; null without any
  std::unique_ptr<MapWorkspace> map;

  // update_kinematics and the recursions of the dynamics layer
  SkeletonWorkspace skeleton;

  // update_forces: applied forces
  AppliedForces forces;

  // update_forces: values of the system's own controls, where none are given
  VecX controls;

  // muscles of either kind; null without any
  std::shared_ptr<MuscleScratch> muscles;
  // Hill muscles: how they pulled; null without any
  std::shared_ptr<HillScratch> hill;

  // deformable bodies: forces, stiffness, factors; null without any
  std::shared_ptr<SoftScratch> soft;

  // constraints: rows, multipliers; null without any
  std::unique_ptr<ConstraintWorkspace> constraints;

  // limits and contacts: rows, responses, impulses; null without any
  std::unique_ptr<UnilateralWorkspace> unilateral;

  // linearize. O(n²), so made on first use: explicit integrators never pay for it.
  struct Linearizer {
    Linearizer(const Skeleton& s, int dofs) : skeleton(s), forces(s), g(dofs) {}
    DerivativeWorkspace skeleton;
    ForceDerivatives forces;

    // forward_dynamics_derivatives
    VecX g;
    Linearization at;
    Eigen::LLT<MatX> mass;
  };
  std::unique_ptr<Linearizer> linearizer;

  // step: stage vectors of the integrators, as long as q and as z; values of controls. Sized on
  // first use
  std::vector<VecX> stage, internal_stage;
  VecX step_controls;

  // step, implicit integrators: Newton's method, sized on first use
  struct Newton {
    Linearization at;      ///< derivatives of the residual at the iterate; of coordinates only
    MatX H;                ///< derivative of the residual with respect to the unknowns
    LuFactor lu;           ///< of H
    VecX diagonal;         ///< of M, vertices included
    VecX g, delta, trial;  ///< residual; correction; iterate that the line search tries
  } newton;

  // step, linearly implicit Euler by conjugate gradients: made on first use
  std::shared_ptr<MatrixFreeScratch> matrix_free;
};

}  // namespace sinew

#pragma once

#include "sinew/constraints/rows/constraint_workspace.hpp"
#include "sinew/constraints/solve/impulse_solver.hpp"
#include "sinew/constraints/solve/unilateral_rows.hpp"

namespace sinew {

/// The mean force between two surfaces in a step.
struct ContactForce {
  ShapePair surfaces;
  Vec3 x;  ///< between them, at the start of the step; world [m]
  Vec3 f;  ///< on the first surface, friction included; world [N]
};

/// Scratch of steps with limits and contacts. Grows with the largest number of rows seen.
struct UnilateralWorkspace {
  /// The coordinates of a state: of links and of parts.
  UnilateralWorkspace(const Skeleton& skeleton, Eigen::Index on_links, int on_parts)
      : rows(skeleton, on_links, on_parts),
        applied(skeleton, on_parts),
        tau(skeleton.dof_count()) {}

  UnilateralRows rows;
  /// Gᵀ of the rows.
  const MatX& Gt() const { return rows.rows.Gt(); }

  // Response of coordinates to a unit impulse along a row while equality constraints hold, in the
  // metric of a symmetric matrix H: w = (1 − W_G S⁻¹ G) H⁻¹ rᵀ. One column for each row.
  MatX H;           ///< symmetric: the step's matrix after parts are eliminated
  LdltFactor ldlt;  ///< factors of H
  MatX W;           ///< n × rows: w
  MatX W_G;         ///< n × constraint rows: H⁻¹Gᵀ
  MatX S;           ///< G W_G
  MatX Y;  ///< constraint rows × rows: multipliers of the constraints, S⁻¹ G H⁻¹ rᵀ
  MultiplierSolver solver;  ///< for S

  // the problem of the impulses, over the rows that matter
  std::vector<int> order;      ///< row order[i] is unknown i
  std::vector<char> selected;  ///< per entry of rows.list
  std::vector<int> joining;    ///< entries of rows.list that the last solution violates
  std::vector<ImpulseSolver::Normal> normals;
  std::vector<ImpulseSolver::Bounded> bounded;
  MatX A;        ///< rows of `order`: R W
  VecX b;        ///< rates without impulses, less the targets
  VecX x;        ///< impulses
  VecX target;   ///< per entry of rows.list: lower bound of its rate
  VecX free;     ///< per row: rate without impulses
  VecX dlambda;  ///< per constraint row: impulses that the constraints add
  ImpulseSolver impulses;
  std::vector<ContactForce> forces;  ///< forces of the contacts active in the last step

  // loads of bearings
  AppliedForces applied;   ///< everything that acts on the links, impulses as forces
  VecX tau;                ///< on the skeleton's coordinates
  VecX qdot, last, qddot;  ///< end of the step, now and one iteration before; q̈
  VecX product, difference;
  std::vector<BearingLoad> loads;  ///< per bearing

  QpSolver qp;  ///< for the projection
};

}  // namespace sinew

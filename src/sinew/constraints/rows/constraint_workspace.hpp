#pragma once

#include "sinew/constraints/solve/multiplier_solver.hpp"
#include "sinew/dynamics/constraint.hpp"

namespace sinew {

/// Scratch of the solves with constraints. Without constraints it has no rows.
struct ConstraintWorkspace {
  /// The coordinates of a state: of links, the skeleton's unless some depend on others, and of
  /// parts.
  ConstraintWorkspace(const Skeleton& skeleton, const ConstraintList& constraints,
                      Eigen::Index on_links, Eigen::Index on_parts);

  ConstraintRows rows;
  /// Flags per row: rows on position level; on position or velocity level; all.
  std::vector<char> position, holding, every;
  bool only_position = true;  ///< whether all of them hold on position level
  bool kinematics = false;    ///< whether any of them needs the skeleton's kinematics

  // Dense solvers, from here to `gram`: sized by size_dense on first use.
  MatX W;                   ///< n × rows: M⁻¹Gᵀ, response of coordinates to unit multipliers
  MatX S;                   ///< rows × rows: G W or near it
  MultiplierSolver solver;  ///< for S
  /// Rows that implicit steps solve for, all but those that depend on others at the start of the
  /// step. Off the manifold, where iterates are, redundant rows look independent but leave nothing
  /// to move.
  std::vector<char> active;
  RowSpace row_space;  ///< scratch of select_rows
  VecX lambda;         ///< multipliers of the last solve, as forces; reactions are −Gᵀλ
  VecX rhs;

  // implicit integrators
  MatX R;      ///< rows × n: derivative of the rows' residuals with respect to q̈
  MatX start;  ///< n × rows: W at the start of the step
  MatX gram;   ///< rows × rows
  VecX residual, delta, trial, left;

  /// Largest violation, relative, of rows that no acceleration can satisfy together, and where;
  /// since it was last reset.
  double conflict = 0;
  int conflict_row = -1;
};

/// Makes room for dense solvers.
void size_dense(ConstraintWorkspace& c);

/// x ← x + sign W μ.
inline void move_along(const MatX& W, const VecX& mu, double sign, VecRef x) {
  for (Eigen::Index r = 0; r < W.cols(); ++r)
    short_add(W.rows(), sign * mu[r], W.col(r).data(), x.data());
}

/// Writes c.active from S = G M⁻¹Gᵀ (lower triangle).
void select_rows(ConstraintWorkspace& c);

/// λ from S λ = rhs over all rows, S = G M⁻¹Gᵀ (lower triangle). Records rows
/// that contradict each other (conflict).
void solve_multipliers(ConstraintWorkspace& c);
/// Records the violation that dependent rows with right-hand sides `rhs` leave.
void note_conflict(const ConstVecRef& left, const ConstVecRef& rhs, ConstraintWorkspace& c);

}  // namespace sinew

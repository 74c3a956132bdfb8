#pragma once

#include "sinew/system/equations.hpp"

/// Bringing states to the constraints. All of it in the metric of the masses: coordinates move
/// along M⁻¹Gᵀ, so that light parts give way and no momentum along the allowed directions is
/// changed.

namespace sinew {

struct ProjectionReport {
  bool ok = true;
  double error = 0;       ///< largest |g| left [m, rad]
  double rate_error = 0;  ///< largest |ġ| left where rows depend on each other, else 0 [m/s, rad/s]
  int worst_row = -1;     ///< where, if not ok
};

/// Positions to |g| ≤ 1e-12 (or the rounding of large coordinates) by Newton's method, then
/// velocities, exactly. `directions` says that ws.constraints->W holds M⁻¹Gᵀ, or
/// something near it, of a nearby state: it is used as long as it serves. Not ok if g stays above
/// 1e-9 or rates contradict each other; q and q̇ are then of no use. Writes ws.constraints->rows of
/// the projected state.
ProjectionReport project(const System& system, double t, VecX& q, VecX& qdot, bool directions,
                         Workspace& ws);

/// Gives project a start that is better by an order of h. Right after forward_dynamics at (t₀, q₀,
/// q̇₀), moves q = q₀ + h q̇₀ + h² q̈ along W by what g will be there,
///     g₀ + h ġ₀ + (h²/2)(2 G q̈ + bias) = g₀ − (h²/2) bias + O(h³),   with G q̈ + bias = 0.
/// The projection ends in the same place, since it also moves along W only. Does nothing where some
/// rows are not on position level.
void anticipate_drift(double h, VecX& q, Workspace& ws);

/// Largest |g| at a state, and where.
ProjectionReport constraint_violation(const System& system, double t, const ConstVecRef& q,
                                      const ConstVecRef& qdot, Workspace& ws);

/// project() from afar: Newton's method with shortened steps. Throws an Error naming the worst
/// constraint where none of this helps.
void assemble_state(const System& system, State& state, Workspace& ws);

/// How many rows of each constraint depend on rows before them, at a state that satisfies them and
/// in its neighbourhood.
std::vector<int> find_redundancies(const System& system, const State& state, Workspace& ws);

}  // namespace sinew

#pragma once

#include "sinew/system/equations.hpp"

/// Projection of states to the constraints, in the metric of the masses: coordinates move
/// along M⁻¹Gᵀ, so that light parts give way and no momentum along the allowed directions is
/// changed.

namespace sinew {

struct ProjectionReport {
  bool ok = true;
  double error = 0;       ///< largest |g| left [m, rad]
  double rate_error = 0;  ///< largest |ġ| left where rows depend on each other, else 0 [m/s, rad/s]
  int worst_row = -1;     ///< where, if not ok
  bool moved = false;     ///< whether q or q̇ is another one
};

/// The contents of ws.constraints for a projection.
enum class Directions {
  none,      ///< nothing: W is made at the start of the projection
  borrowed,  ///< W = M⁻¹Gᵀ, or something near it, of a nearby state: used as long as it works
  anticipated,  ///< also the factors of its S, and q as set by anticipate_drift
};

/// Positions to |g| ≤ 1e-12 (or the rounding of large coordinates; 1e-11 where anticipated) by
/// Newton's method, then velocities, exactly. The error reported is measured where q ends. Not ok
/// if g stays above 1e-9 or rates contradict each other; q and q̇ are then useless. Writes value,
/// rate and G of ws.constraints->rows at the projected state.
void project(const System& system, double t, VecX& q, VecX& qdot, Directions directions,
             Workspace& ws, ProjectionReport& report);
inline ProjectionReport project(const System& system, double t, VecX& q, VecX& qdot,
                                Directions directions, Workspace& ws) {
  ProjectionReport report;
  project(system, t, q, qdot, directions, ws, report);
  return report;
}

/// Gives project a start that is better by an order of h. Right after forward_dynamics at (t₀, q₀,
/// q̇₀), moves q = q₀ + h q̇₀ + h² q̈ along W by what g will be there,
///     g₀ + h ġ₀ + (h²/2)(2 G q̈ + bias) = g₀ − (h²/2) bias + O(h³),   with G q̈ + bias = 0.
/// The projection ends in the same place, since it also moves along W only; what it leaves is g₀ of
/// the next step, which so takes it up. Does nothing, and returns borrowed, if some rows are not on
/// position level.
Directions anticipate_drift(double h, VecX& q, Workspace& ws);

/// Largest |g| at a state, and where.
ProjectionReport constraint_violation(const System& system, double t, const VecX& q,
                                      const VecX& qdot, Workspace& ws);

/// project() from afar: Newton's method with shortened steps, from other starts nearby if that
/// fails. Throws an Error naming the worst constraint if none of this helps.
void assemble_state(const System& system, State& state, Workspace& ws);

/// The default state solved to rounding, as gradients need it: what is left of constraints, and
/// internal state in equilibrium. Differs from default_state by their tolerances.
State exact_start(const System& system);

/// Moves q until no gap of a limit or contact is below −1e-12 (or rounding), and equality
/// constraints still hold, along M⁻¹ times the rows of what overlaps; velocities of the constraints
/// follow. Those of gaps stay unchanged: the next step treats an impact, with its
/// friction. Not ok, and `source` says where, if overlaps of more than 1e-9 remain; then q is of no
/// use.
struct SeparationReport {
  bool ok = true;
  double error = 0;  ///< largest overlap left [m, rad]
  UnilateralSource source;
  ProjectionReport constraints;
};
SeparationReport separate(const System& system, double t, VecX& q, VecX& qdot,
                          Directions directions, Workspace& ws);

/// Largest overlap at a state.
SeparationReport overlap(const System& system, double t, const VecX& q, const VecX& qdot,
                         Workspace& ws);

/// separate() of a default state. Throws an Error naming the pair that cannot be separated.
void separate_state(const System& system, State& state, Workspace& ws);

/// The number of rows of each constraint that depend on earlier rows, at a state that satisfies
/// them and in its neighbourhood.
std::vector<int> find_redundancies(const System& system, const State& state, Workspace& ws);

}  // namespace sinew

#include "sinew/integrate/hill_stage.hpp"
#include "sinew/integrate/newton.hpp"
#include "sinew/integrate/step_common.hpp"

// Implicit Euler: the stage q₁ = q₀ + h q̇₁, q̇₁ = q̇₀ + h q̈₁. First order, L-stable.

namespace sinew {

StepReport bdf1(const System& system, const StepOptions& options, double h, State& state,
                Workspace& ws) {
  const std::span<VecX> stage = stages(system, 3, ws);
  VecX &q = stage[0], &qdot = stage[1], &qddot = stage[2];
  StepReport report;
  report.h = h;
  qddot.setZero();  // the guess q₀ + h q̇₀
  const ImplicitStage end{state.t + h, h, state.q, state.qdot, q, qdot, qddot};
  begin_hill_stage(system, state, end.t, h, state.fibre_length, ws);
  if (!solve_stage(system, options, end, ws, report)) return report;
  const double power = ws.forces.power;
  if (!finish(system, options, state.t + h, Directions::borrowed, q, qdot, ws, report))
    return report;
  report.work = h * power;
  accept_muscles(ws, state);
  state.q = q;
  state.qdot = qdot;
  state.t += h;
  return report;
}

}  // namespace sinew

#include "sinew/integrate/step_common.hpp"
#include "sinew/integrate/unilateral_step.hpp"

//     q̇₁ = q̇₀ + h q̈(t₀, q₀, q̇₀),   q₁ = q₀ + h q̇₁.
// First order, one evaluation. Symplectic only where M is constant. Impulses of limits and contacts
// are added to q̇₁.

namespace sinew {

StepReport semi_implicit_euler(const System& system, const StepOptions& options, double h,
                               State& state, Workspace& ws) {
  const std::span<VecX> stage = stages(system, 3, ws);
  VecX &q = stage[0], &qdot = stage[1], &qddot = stage[2];
  StepReport report;
  report.h = h;
  forward_dynamics(system, state.t, state.q, state.qdot, ws, qddot, options.baumgarte);
  report.work = report.one_sided_work = h * ws.forces.power;
  qdot = state.qdot + h * qddot;
  if (ws.unilateral) {
    MatX& M = ws.unilateral->H;
    mass_matrix(system, ws, M);
    if (!add_impulses(system, options, h, state, M, qdot, ws, report)) return report;
    if (ws.constraints)
      report.work += h * reaction_power(system.constraints(), qdot, ws.constraints->rows,
                                        ws.unilateral->dlambda);
  }
  q = state.q + h * qdot;
  auto directions = Directions::borrowed;
  if (ws.constraints && options.projection) directions = anticipate_drift(h, q, ws);
  if (!finish(system, options, state.t + h, directions, q, qdot, ws, report)) return report;
  state.q = q;
  state.qdot = qdot;
  state.t += h;
  return report;
}

}  // namespace sinew

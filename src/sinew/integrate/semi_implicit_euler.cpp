#include "sinew/integrate/methods.hpp"
#include "sinew/system/projection.hpp"

//     q̇₁ = q̇₀ + h q̈(t₀, q₀, q̇₀),   q₁ = q₀ + h q̇₁.
// First order, one evaluation. Symplectic only where M is constant.

namespace sinew {

StepReport semi_implicit_euler(const System& system, const StepOptions& options, double h,
                               State& state, Workspace& ws) {
  const std::span<VecX> stage = stages(system, 3, ws);
  VecX &q = stage[0], &qdot = stage[1], &qddot = stage[2];
  StepReport report;
  report.h = h;
  forward_dynamics(system, state.t, state.q, state.qdot, ws, qddot, options.baumgarte);
  report.work = h * ws.forces.power;
  qdot = state.qdot + h * qddot;
  q = state.q + h * qdot;
  if (ws.constraints && options.projection) anticipate_drift(h, q, ws);
  if (!finish(system, options, state.t + h, true, q, qdot, ws, report)) return report;
  state.q = q;
  state.qdot = qdot;
  state.t += h;
  return report;
}

}  // namespace sinew

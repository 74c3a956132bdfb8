#include "sinew/integrate/internal_stage.hpp"
#include "sinew/integrate/newton.hpp"
#include "sinew/integrate/unilateral_step.hpp"

//     q̇₁ = q̇₀ + h q̈(t₀, q₀, q̇₀),   q₁ = q₀ + h q̇₁.
// First order, one evaluation. Symplectic only if M is constant. Impulses of limits and contacts
// are added to q̇₁. Activations follow their exact flow, fibres the new path by implicit Euler.

namespace sinew {

StepReport semi_implicit_euler(const StepContext& s) {
  const std::span<VecX> stage = stages(s, 3);
  VecX &q = stage[0], &qdot = stage[1], &qddot = stage[2];
  VecX& z = internal_stages(s, 1)[0];
  State& state = s.state;
  Workspace& ws = s.ws;
  const double h = s.h;
  StepReport report;
  report.h = h;
  forward_dynamics(s.system, s.start(), ws, qddot, s.options.baumgarte);
  report.work = h * ws.forces.power;
  report.one_sided_work = report.work - h * ws.drive_power;
  qdot = state.qdot + h * qddot;
  const auto with_masses = [&] {
    Workspace::Newton& newton = newton_workspace(s);
    update_mass_matrix(s.system, state, ws);
    newton.at.M = ws.mass.M.rr;
    newton.at.M_nodes = ws.mass.M.nodes;
    return factor_newton_mass(s.system, ws) || fail(StepStatus::singular, qddot, report);
  };
  ws.unilateral.dlambda.setZero(ws.constraints.rows.size());
  if (!add_impulses(s, qdot, report, with_masses)) return report;
  report.work += h * reaction_power(s.system.constraints(), view(qdot), ws.constraints.rows,
                                    view(ws.unilateral.dlambda));
  q = state.q + h * qdot;
  const Directions directions =
      s.options.projection ? anticipate_drift(h, q, ws) : Directions::borrowed;
  if (!finish(s, state.t + h, directions, q, qdot, report)) return report;
  z = state.z;
  advance_internal(s, state.t + h, z);
  follow_path(s, state.t + h, q, qdot, z);
  state.z = z;
  accept(s, q, qdot);
  return report;
}

}  // namespace sinew

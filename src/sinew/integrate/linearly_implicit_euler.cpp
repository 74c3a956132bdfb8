#include "sinew/integrate/methods.hpp"
#include "sinew/integrate/newton.hpp"

// One Newton step of implicit Euler, from q̇₀ (000 Eq. 4.82, signs of the errata). With K = ∂f/∂q
// and D = ∂f/∂q̇ at the old state and the forces of the new time,
//     f(t₁, q₁, q̇₁) ≈ f + h K q̇₁ + D (q̇₁ − q̇₀),
//     (M − h D − h² K) q̇₁ = (M − h D) q̇₀ + h f,   q₁ = q₀ + h q̇₁.
// The residual g = M q̈ − f at q̈ = 0 has g = −f, ∂g/∂q = −K, ∂g/∂q̇ = −D. Solved for q̇₁ − q̇₀, which
// is smaller than q̇₁ and so keeps more digits.
//
// A damping force −d q̇ enters f and D so that only its implicit part d q̇₁ is left: with the K and D
// of JacobianKind::reference this is exactly the reference's step, which has damping in D alone.

namespace sinew {

StepReport linearly_implicit_euler(const System& system, JacobianKind jacobian, double h,
                                   State& state, Workspace& ws) {
  const std::span<VecX> stage = stages(system, 4, ws);
  VecX &q = stage[0], &qdot = stage[1], &qddot = stage[2], &g = stage[3];
  Workspace::Newton& newton = newton_workspace(system, ws);
  StepReport report;
  report.h = h;

  qddot.setZero();
  linearize(system, state.t + h, state.q, state.qdot, qddot, jacobian, ws, g, newton.at);
  report.work = h * ws.forces.power;
  newton.H = newton.at.M + h * newton.at.dg_dqdot + (h * h) * newton.at.dg_dq;
  if (!newton.lu.factor(newton.H)) {
    fail(StepStatus::singular, g, report);
    return report;
  }
  qdot = -h * g;
  qdot.noalias() -= (h * h) * newton.at.dg_dq * state.qdot;
  newton.lu.solve_in_place(qdot);
  qdot += state.qdot;
  q = state.q + h * qdot;
  if (!is_sane(q, qdot, report)) return report;
  state.q = q;
  state.qdot = qdot;
  state.t += h;
  return report;
}

}  // namespace sinew

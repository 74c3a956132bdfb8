#include "sinew/integrate/step_common.hpp"

// The classical Runge–Kutta method on (q, q̇): fourth order, four evaluations.

namespace sinew {

StepReport rk4(const System& system, const StepOptions& options, double h, State& state,
               Workspace& ws) {
  const std::span<VecX> stage = stages(system, 5, ws);
  VecX &q = stage[0], &qdot = stage[1];       // where a stage is evaluated, then the new state
  VecX& a = stage[2];                         // q̈ there
  VecX &v_sum = stage[3], &a_sum = stage[4];  // Σ b_i q̇_i and Σ b_i q̈_i
  constexpr double b[4] = {1. / 6, 1. / 3, 1. / 3, 1. / 6};
  constexpr double c[4] = {0, 0.5, 0.5, 1};  // also the one entry of each row of the tableau
  StepReport report;
  report.h = h;

  v_sum.setZero();
  a_sum.setZero();
  q = state.q;
  qdot = state.qdot;
  for (int i = 0; i < 4; ++i) {
    forward_dynamics(system, state.t + c[i] * h, q, qdot, ws, a, options.baumgarte);
    v_sum += b[i] * qdot;
    a_sum += b[i] * a;
    report.work += b[i] * h * ws.forces.power;
    if (i == 3) break;
    q = state.q + (c[i + 1] * h) * qdot;
    qdot = state.qdot + (c[i + 1] * h) * a;
  }
  q = state.q + h * v_sum;
  qdot = state.qdot + h * a_sum;
  if (!finish(system, options, state.t + h, Directions::borrowed, q, qdot, ws, report))
    return report;
  state.q = q;
  state.qdot = qdot;
  state.t += h;
  return report;
}

}  // namespace sinew

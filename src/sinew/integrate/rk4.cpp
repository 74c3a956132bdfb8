#include "sinew/integrate/internal_stage.hpp"

// The classical Runge–Kutta method on (q, q̇, z): fourth order, four evaluations.

namespace sinew {

StepReport rk4(const StepContext &s) {
  const std::span<VecX> stage = stages(s, 5), internal = internal_stages(s, 3);
  VecX &q = stage[0], &qdot = stage[1], &z = internal[0];  // state of a stage, then the new state
  VecX &a = stage[2], &zdot = internal[1];                 // q̈ and ż there
  // Σ b_i q̇_i, Σ b_i q̈_i and Σ b_i ż_i
  VecX &v_sum = stage[3], &a_sum = stage[4], &zdot_sum = internal[2];
  constexpr double b[4] = {1. / 6, 1. / 3, 1. / 3, 1. / 6};
  constexpr double c[4] = {0, 0.5, 0.5, 1};  // also the one entry of each row of the tableau
  State &state = s.state;
  const double h = s.h;
  StepReport report;
  report.h = h;

  v_sum.setZero();
  a_sum.setZero();
  zdot_sum.setZero();
  q = state.q;
  qdot = state.qdot;
  z = state.z;
  for (int i = 0; i < 4; ++i) {
    const At at = s.measured_at(state.t + c[i] * h, q, qdot, z);
    follow_controls(s.system, at.controls, z);
    forward_dynamics(s.system, at, s.ws, a, s.options.baumgarte);
    internal_rates(s.system, at, s.ws, zdot);
    v_sum += b[i] * qdot;
    a_sum += b[i] * a;
    zdot_sum += b[i] * zdot;
    report.work += b[i] * h * s.ws.forces.power;
    if (i == 3) break;
    q = state.q + (c[i + 1] * h) * qdot;
    qdot = state.qdot + (c[i + 1] * h) * a;
    z = state.z + (c[i + 1] * h) * zdot;
  }
  q = state.q + h * v_sum;
  qdot = state.qdot + h * a_sum;
  z = state.z + h * zdot_sum;
  if (!finish(s, state.t + h, Directions::borrowed, q, qdot, report)) return report;
  follow_controls(s.system, s.measured_at(state.t + h, q, qdot, z).controls, z);
  state.z = z;
  accept(s, q, qdot);
  return report;
}

}  // namespace sinew

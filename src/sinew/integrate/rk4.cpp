#include "sinew/integrate/step_common.hpp"

// The classical Runge–Kutta method on (q, q̇): fourth order, four evaluations.

namespace sinew {

StepReport rk4(const StepContext& s) {
  const std::span<VecX> stage = stages(s, 5);
  VecX &q = stage[0], &qdot = stage[1];       // where a stage is evaluated, then the new state
  VecX& a = stage[2];                         // q̈ there
  VecX &v_sum = stage[3], &a_sum = stage[4];  // Σ b_i q̇_i and Σ b_i q̈_i
  constexpr double b[4] = {1. / 6, 1. / 3, 1. / 3, 1. / 6};
  constexpr double c[4] = {0, 0.5, 0.5, 1};  // also the one entry of each row of the tableau
  const State& state = s.state;
  const double h = s.h;
  StepReport report;
  report.h = h;

  v_sum.setZero();
  a_sum.setZero();
  q = state.q;
  qdot = state.qdot;
  for (int i = 0; i < 4; ++i) {
    forward_dynamics(s.system, s.at(state.t + c[i] * h, q, qdot, state.z), s.ws, a,
                     s.options.baumgarte);
    v_sum += b[i] * qdot;
    a_sum += b[i] * a;
    report.work += b[i] * h * s.ws.forces.power;
    if (i == 3) break;
    q = state.q + (c[i + 1] * h) * qdot;
    qdot = state.qdot + (c[i + 1] * h) * a;
  }
  q = state.q + h * v_sum;
  qdot = state.qdot + h * a_sum;
  if (!finish(s, state.t + h, Directions::borrowed, q, qdot, report)) return report;
  accept(s, q, qdot);
  return report;
}

}  // namespace sinew

#include <cmath>
#include <numbers>

#include "sinew/integrate/methods.hpp"
#include "sinew/integrate/newton.hpp"

// Two implicit stages with the same γ = a h, a = 1 − 1/√2: second order, L-stable.
//     q_a = q₀ + a h q̇_a,                        q̇_a = q̇₀ + a h q̈_a
//     q₁ = q₀ + (1−a) h q̇_a + a h q̇₁,           q̇₁ = q̇₀ + (1−a) h q̈_a + a h q̈₁
// Written for q₁ alone this is the reference's M (q₁ − q₀ − (2a−1) h q̇₀ − 2(1−a) h q̇_a) = a² h² f.

namespace sinew {

StepReport sdirk2(const System& system, const StepOptions& options, double h, State& state,
                  Workspace& ws) {
  constexpr double a = 1 - 1 / std::numbers::sqrt2;
  const std::span<VecX> stage = stages(system, 5, ws);
  VecX &c_q = stage[0], &c_v = stage[1], &q = stage[2], &qdot = stage[3], &qddot = stage[4];
  StepReport report;
  report.h = h;

  qddot.setZero();
  const ImplicitStage first{state.t + a * h, a * h, state.q, state.qdot, q, qdot, qddot};
  if (!solve_stage(system, options, first, ws, report)) return report;
  const double power_a = ws.forces.power;

  c_q = state.q + ((1 - a) * h) * qdot;
  c_v = state.qdot + ((1 - a) * h) * qddot;
  const ImplicitStage second{state.t + h, a * h, c_q, c_v, q, qdot, qddot};
  if (!solve_stage(system, options, second, ws, report)) return report;
  const double power = ws.forces.power;
  if (!finish(system, options, state.t + h, Directions::borrowed, q, qdot, ws, report))
    return report;
  report.work = h * ((1 - a) * power_a + a * power);
  state.q = q;
  state.qdot = qdot;
  state.t += h;
  return report;
}

}  // namespace sinew

#include <algorithm>
#include <cmath>

#include "sinew/integrate/hill_stage.hpp"
#include "sinew/integrate/newton.hpp"
#include "sinew/integrate/step_common.hpp"

// Two-step backward differentiation, on q and on q̇ alike: second order, L-stable.
//     q₂ = (4 q₁ − q₀)/3 + (2h/3) q̇₂,   q̇₂ = (4 q̇₁ − q̇₀)/3 + (2h/3) q̈₂
// State and memory hold 1 and 0. SDIRK2 takes the first step, and the first after a change of h and
// after a jump of the forces, which history must not span.

namespace sinew {
namespace {

/// Whether a force jumped during the step that led here, or jumps now.
bool forces_jumped(const System& system, double t, double h) {
  const std::vector<double>& times = system.breakpoints();
  const double hair = 1e-6 * std::abs(h);
  const double from = std::min(t, t - h) + hair, to = std::max(t, t - h) + hair;
  const auto next = std::lower_bound(times.begin(), times.end(), from);
  return next != times.end() && *next < to;
}

StepReport first_step(const System& system, const StepOptions& options, double h, State& state,
                      Workspace& ws) {
  const std::span<VecX> stage = stages(system, 8, ws);
  VecX &q_1 = stage[6], &qdot_1 = stage[7];  // sdirk2 uses those before
  q_1 = state.q;
  qdot_1 = state.qdot;
  if (ws.hill) ws.hill->previous = state.fibre_length;
  const StepReport report = sdirk2(system, options, h, state, ws);
  if (report.status != StepStatus::ok) return report;
  StepMemory& memory = state.memory;
  memory.q_1 = q_1;
  memory.qdot_1 = qdot_1;
  if (ws.hill) memory.fibre_1 = ws.hill->previous;
  memory.steps = 1;
  memory.power = ws.forces.power;
  seal(Integrator::bdf2, h, state);
  return report;
}

}  // namespace

StepReport bdf2(const System& system, const StepOptions& options, double h, State& state,
                Workspace& ws) {
  StepMemory& memory = state.memory;
  if (memory.steps == 0 || memory.h != h || forces_jumped(system, state.t, h))
    return first_step(system, options, h, state, ws);

  const std::span<VecX> stage = stages(system, 5, ws);
  VecX &c_q = stage[0], &c_v = stage[1], &q = stage[2], &qdot = stage[3], &qddot = stage[4];
  StepReport report;
  report.h = h;
  c_q = (4 * state.q - memory.q_1) / 3;
  c_v = (4 * state.qdot - memory.qdot_1) / 3;
  const double gamma = 2 * h / 3;
  qddot = (state.qdot - memory.qdot_1) / h;  // the guess
  if (options.newton_residual > 0)           // the reference's: q₂ = q₁ + h q̇₁
    qddot = (state.q + h * state.qdot - c_q - gamma * c_v) / (gamma * gamma);
  const ImplicitStage end{state.t + h, gamma, c_q, c_v, q, qdot, qddot};
  if (ws.hill) {
    ws.hill->start = (4 * state.fibre_length - memory.fibre_1) / 3;
    begin_hill_stage(system, state, end.t, gamma, ws.hill->start, ws);
  }
  if (!solve_stage(system, options, end, ws, report)) return report;
  const double power = ws.forces.power;
  if (!finish(system, options, state.t + h, Directions::borrowed, q, qdot, ws, report))
    return report;
  report.work = h / 2 * (memory.power + power);

  memory.q_1 = state.q;
  memory.qdot_1 = state.qdot;
  if (ws.hill) memory.fibre_1 = state.fibre_length;
  accept_muscles(ws, state);
  memory.power = power;
  ++memory.steps;
  state.q = q;
  state.qdot = qdot;
  state.t += h;
  seal(Integrator::bdf2, h, state);
  return report;
}

}  // namespace sinew

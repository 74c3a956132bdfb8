#include <algorithm>
#include <cmath>

#include "sinew/integrate/stage_step.hpp"

// Two-step backward differentiation, on q, q̇ and z alike: second order, L-stable.
//     q₂ = (4 q₁ − q₀)/3 + (2h/3) q̇₂,   q̇₂ = (4 q̇₁ − q̇₀)/3 + (2h/3) q̈₂
// State and memory hold 1 and 0. SDIRK2 takes the first step, and the first after a change of h and
// after a jump of the forces, which history must not span.

namespace sinew {
namespace {

/// Whether a force jumped during the step that led here, or jumps now.
bool forces_jumped(const StepContext& s) {
  const double t = s.state.t, hair = 1e-6 * std::abs(s.h);
  const double from = std::min(t, t - s.h) + hair, to = std::max(t, t - s.h) + hair;
  return next_jump(s, from) < to;
}

StepReport first_step(const StepContext& s) {
  // sdirk2 uses those before.
  const std::span<VecX> room = stages(s, StageStep::kVectors + 2).subspan(StageStep::kVectors);
  VecX& z_1 = internal_stages(s, StageStep::kInternalVectors + 1)[StageStep::kInternalVectors];
  room[0] = s.state.q;
  room[1] = s.state.qdot;
  z_1 = s.state.z;
  const StepReport report = sdirk2(s);
  if (report.status != StepStatus::ok) return report;
  StepMemory& memory = s.state.memory;
  memory.q_1 = room[0];
  memory.qdot_1 = room[1];
  memory.z_1 = z_1;
  memory.steps = 1;
  memory.power = s.ws.forces.power;
  seal(Integrator::bdf2, s.h, s.state);
  return report;
}

}  // namespace

StepReport bdf2(const StepContext& s) {
  State& state = s.state;
  StepMemory& memory = state.memory;
  const double h = s.h;
  if (memory.steps == 0 || memory.h != h || forces_jumped(s)) return first_step(s);

  const StageTable& table = stage_table(Integrator::bdf2);
  StageStep k(s, table);
  StepReport report;
  report.h = h;
  if (s.options.newton_residual > 0) {
    // The reference's: q₂ = q₁ + h q̇₁.
    const double gamma = table.share * h;
    k.guess() = (state.q + h * state.qdot -
                 (4 * state.q - memory.q_1 + gamma * (4 * state.qdot - memory.qdot_1)) / 3) /
                (gamma * gamma);
  } else {
    k.guess() = (state.qdot - memory.qdot_1) / h;
  }
  if (!k.solve(h, false, report)) return report;
  const double power = s.ws.forces.power;
  if (!finish(s, state.t + h, s.options.directions, k.q(), k.qdot(), report)) return report;
  report.work = h / 2 * (memory.power + power);
  k.record(k.q(), k.qdot(), report.projected);

  memory.q_1 = state.q;
  memory.qdot_1 = state.qdot;
  memory.z_1 = state.z;
  memory.power = power;
  ++memory.steps;
  state.z = k.z();
  accept(s, k.q(), k.qdot());
  seal(Integrator::bdf2, h, state);
  return report;
}

}  // namespace sinew

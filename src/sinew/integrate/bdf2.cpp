#include <algorithm>
#include <cmath>

#include "sinew/integrate/dirk.hpp"
#include "sinew/integrate/internal_stage.hpp"
#include "sinew/integrate/newton.hpp"

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
  const std::span<VecX> stage = stages(s, kDirkVectors + 2);
  VecX &q_1 = stage[kDirkVectors], &qdot_1 = stage[kDirkVectors + 1];
  VecX& z_1 = internal_stages(s, kDirkInternalVectors + 1)[kDirkInternalVectors];
  q_1 = s.state.q;
  qdot_1 = s.state.qdot;
  z_1 = s.state.z;
  const StepReport report = sdirk2(s);
  if (report.status != StepStatus::ok) return report;
  StepMemory& memory = s.state.memory;
  memory.q_1 = q_1;
  memory.qdot_1 = qdot_1;
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

  const std::span<VecX> stage = stages(s, 5);
  VecX &c_q = stage[0], &c_v = stage[1], &q = stage[2], &qdot = stage[3], &qddot = stage[4];
  VecX& z = internal_stages(s, 1)[0];
  StepReport report;
  report.h = h;
  c_q = (4 * state.q - memory.q_1) / 3;
  c_v = (4 * state.qdot - memory.qdot_1) / 3;
  z = (4 * state.z - memory.z_1) / 3;
  const double gamma = 2 * h / 3, t = state.t + h;
  advance_internal(s, t, z);
  qddot = (state.qdot - memory.qdot_1) / h;  // the guess
  if (s.options.newton_residual > 0)         // the reference's: q₂ = q₁ + h q̇₁
    qddot = (state.q + h * state.qdot - c_q - gamma * c_v) / (gamma * gamma);
  if (!solve_stage(s, {t, gamma, c_q, c_v, z, q, qdot, qddot}, report)) return report;
  const double power = s.ws.forces.power;
  read_stage(s, z);
  if (!finish(s, t, Directions::borrowed, q, qdot, report)) return report;
  report.work = h / 2 * (memory.power + power);

  memory.q_1 = state.q;
  memory.qdot_1 = state.qdot;
  memory.z_1 = state.z;
  memory.power = power;
  ++memory.steps;
  state.z = z;
  accept(s, q, qdot);
  seal(Integrator::bdf2, h, state);
  return report;
}

}  // namespace sinew

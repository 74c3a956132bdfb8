#include "sinew/integrate/internal_stage.hpp"
#include "sinew/integrate/newton.hpp"

// Implicit Euler: the stage q₁ = q₀ + h q̇₁, q̇₁ = q̇₀ + h q̈₁. First order, L-stable.

namespace sinew {

StepReport bdf1(const StepContext& s) {
  const std::span<VecX> stage = stages(s, 3);
  VecX &q = stage[0], &qdot = stage[1], &qddot = stage[2];
  VecX& z = internal_stages(s, 1)[0];
  State& state = s.state;
  StepReport report;
  report.h = s.h;
  const double t = state.t + s.h;
  z = state.z;
  advance_activations(s, t, z);
  qddot.setZero();  // the guess q₀ + h q̇₀
  if (!solve_stage(s, {t, s.h, state.q, state.qdot, z, q, qdot, qddot}, report)) return report;
  report.work = s.h * s.ws.forces.power;
  read_fibres(s, z);
  if (!finish(s, t, Directions::borrowed, q, qdot, report)) return report;
  state.z = z;
  accept(s, q, qdot);
  return report;
}

}  // namespace sinew

#include "sinew/integrate/internal_stage.hpp"
#include "sinew/integrate/newton.hpp"
#include "sinew/integrate/unilateral_step.hpp"

// Implicit Euler: the stage q₁ = q₀ + h q̇₁, q̇₁ = q̇₀ + h q̈₁. First order, L-stable.
//
// Limits, contacts and bearings change its q̇₁ by impulses, found at the start of the step, with
// the response of the stage's matrix there.

namespace sinew {

StepReport bdf1(const StepContext& s) {
  const std::span<VecX> stage = stages(s, 5);
  VecX &q = stage[0], &qdot = stage[1], &qddot = stage[2];
  VecX& z = internal_stages(s, 1)[0];
  State& state = s.state;
  StepReport report;
  report.h = s.h;
  const double t = state.t + s.h;
  z = state.z;
  advance_internal(s, t, z);
  qddot.setZero();  // the guess q₀ + h q̇₀
  if (!solve_stage(s, {t, s.h, state.q, state.qdot, z, q, qdot, qddot}, report)) return report;
  report.work = s.h * s.ws.forces.power;
  const auto at_the_start = [&] {
    VecX &zero = stage[3], &g = stage[4];
    const At start = s.at(t, state.q, state.qdot, z, s.h);
    zero.setZero();
    linearize(s.system, start, zero, StiffnessModel::exact, s.ws, g, newton_workspace(s).at);
    update_constraints(s.system, start, s.ws);
    return factor_newton_matrix(s.system, s.h, s.ws) || fail(StepStatus::singular, g, report);
  };
  if (!add_impulses(s, qdot, report, at_the_start)) return report;
  q = state.q + s.h * qdot;
  if (!finish(s, t, Directions::borrowed, q, qdot, report)) return report;
  follow_path(s, t, q, qdot, z);
  state.z = z;
  accept(s, q, qdot);
  return report;
}

}  // namespace sinew

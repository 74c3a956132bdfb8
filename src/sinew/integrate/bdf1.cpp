#include "sinew/integrate/internal_stage.hpp"
#include "sinew/integrate/newton.hpp"
#include "sinew/integrate/stage_step.hpp"
#include "sinew/integrate/unilateral_step.hpp"

// Implicit Euler: the stage q₁ = q₀ + h q̇₁, q̇₁ = q̇₀ + h q̈₁. First order, L-stable.
//
// Limits, contacts and bearings change its q̇₁ by impulses, found at the start of the step, with
// the response of the stage's matrix there.

namespace sinew {

StepReport bdf1(const StepContext& s) {
  const std::span<VecX> room = stages(s, StageStep::kVectors + 2).subspan(StageStep::kVectors);
  StageStep k(s, stage_table(Integrator::bdf1));
  VecX &q = k.q(), &qdot = k.qdot(), &z = k.z();
  State& state = s.state;
  StepReport report;
  report.h = s.h;
  const double t = state.t + s.h;
  if (!k.solve(s.h, false, report)) return report;
  report.work = k.work(s.h);
  const auto at_the_start = [&] {
    VecX &zero = room[0], &g = room[1];
    const At start = s.at(t, state.q, state.qdot, k.c_z(), s.h);
    zero.setZero();
    linearize(s.system, start, zero, StiffnessModel::exact, s.ws, g, newton_workspace(s).at);
    update_constraints(s.system, start, s.ws);
    return factor_newton_matrix(s.system, s.h, s.ws) || fail(StepStatus::singular, g, report);
  };
  if (!add_impulses(s, qdot, report, at_the_start)) return report;
  if (!s.system.unilaterals().empty()) q = state.q + s.h * qdot;
  if (!finish(s, t, s.options.directions, q, qdot, report)) return report;
  if (!s.system.unilaterals().empty()) {
    z = k.c_z();
    follow_path(s, t, q, qdot, z);
  }
  k.record(q, qdot, report.projected);
  state.z = z;
  accept(s, q, qdot);
  return report;
}

}  // namespace sinew

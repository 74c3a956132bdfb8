#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "sinew/integrate/internal_stage.hpp"
#include "sinew/integrate/newton.hpp"

// Two implicit stages with the same γ = a h, a = 1 − 1/√2: second order, L-stable.
//     q_a = q₀ + a h q̇_a,                        q̇_a = q̇₀ + a h q̈_a
//     q₁ = q₀ + (1−a) h q̇_a + a h q̇₁,           q̇₁ = q̇₀ + (1−a) h q̈_a + a h q̈₁
// Written for q₁ alone this is the reference's M (q₁ − q₀ − (2a−1) h q̇₀ − 2(1−a) h q̇_a) = a² h² f.
//
// Muscles with mass change M within few steps where they touch a surface. There the method is
// applied to (q, w), w = Lᵀq̇ with M = L Lᵀ, ẇ = Lᵀq̈ + L̇ᵀq̇, whose kinetic energy ½|w|² does not
// depend on M. A stage w_a = c_w + γ ẇ_a is one for q̇ with c_v = L⁻ᵀ(c_w + γ L̇ᵀq̇), L at the
// stage: c_v is iterated along. Its derivative by q̇ is γ L⁻ᵀL̇ᵀ, the change of L within a step:
// small.

namespace sinew {
namespace {

constexpr double kShare = 1 - 1 / std::numbers::sqrt2;
constexpr double kFirstTolerance = 1e-6;  // before c_v is known better

/// A stage in energy variables. In: w = c_w in ws.energy, c_v a guess. Out: ẇ there.
/// First the stage at that c_v, which is close; then Newton's method for q̈ goes on while c_v
/// follows, by its change dc: q̇ moves by dc + γ δ, g by H δ + (D + γ K) dc.
bool solve_energy_stage(const StepContext& s, const ImplicitStage& stage, VecX& c_v,
                        StepReport& report) {
  const System& system = s.system;
  const StepOptions& options = s.options;
  Workspace& ws = s.ws;
  EnergyVariables& energy = ws.energy;
  Workspace::Newton& newton = newton_workspace(s);
  StepOptions first = options;
  first.newton_tolerance = std::max(options.newton_tolerance, kFirstTolerance);
  StepReport before;  // its residual is not the final one
  if (!solve_stage({s.system, first, s.controls, s.h, s.state, ws}, stage, before)) {
    report = before;
    return false;
  }
  report.newton_iterations += before.newton_iterations;
  const double gamma = stage.gamma;
  const At at = s.at(stage.t, stage.q, stage.qdot, stage.c_z, gamma);
  double last = std::numeric_limits<double>::infinity();
  for (int k = 0; k < options.newton_iterations; ++k) {
    linearize(system, at, stage.qddot, StiffnessModel::exact, ws, newton.g, newton.at);
    const double scale = force_scale(system, at, stage.qddot, newton.g, ws);
    const double residual = newton.g.lpNorm<Eigen::Infinity>() / scale;
    if (!energy.update(newton.at.M, ws.linearizer->inertial_dg_dqdot) ||
        !factor_newton_matrix(system, gamma, ws))
      return fail(StepStatus::singular, newton.g, report);
    energy.wdot.noalias() = energy.Ldot.transpose() * stage.qdot;
    newton.trial = energy.w + gamma * energy.wdot;
    energy.L.transpose().triangularView<Eigen::Upper>().solveInPlace(newton.trial);
    energy.wdot.noalias() += energy.L.transpose() * stage.qddot;

    newton.trial -= c_v;  // dc
    newton.delta = -newton.g;
    newton.delta.noalias() -= newton.at.dg_dqdot * newton.trial;
    newton.delta.noalias() -= gamma * (newton.at.dg_dq * newton.trial);
    newton.matrix.solve_in_place(newton.delta);
    ++report.newton_iterations;
    stage.qddot += newton.delta;
    c_v += newton.trial;
    stage.qdot = c_v + gamma * stage.qddot;
    stage.q = stage.c_q + gamma * stage.qdot;
    newton.trial += gamma * newton.delta;
    const double move = newton.trial.lpNorm<Eigen::Infinity>();
    if (!std::isfinite(move)) return fail(StepStatus::diverged, newton.trial, report);
    // To 1e-13 of the rates; or, at rounding, no further.
    const double size = 1 + stage.qdot.lpNorm<Eigen::Infinity>();
    if (move <= 1e-13 * size || (move <= 1e-10 * size && move >= last)) {
      report.newton_residual = std::max(report.newton_residual, residual);
      return true;
    }
    last = move;
  }
  return fail(StepStatus::newton_failed, newton.g, report);
}

/// The step in energy variables.
StepReport energy_sdirk2(const StepContext& s) {
  const std::span<VecX> stage = stages(s, 6);
  VecX &c_q = stage[0], &c_v = stage[1], &q = stage[2], &qdot = stage[3], &qddot = stage[4];
  VecX& c_w = stage[5];
  const State& state = s.state;
  Workspace& ws = s.ws;
  EnergyVariables& energy = ws.energy;
  const double h = s.h, gamma = kShare * h;
  StepReport report;
  report.h = h;

  if (!energy.update(s.system, s.start(), ws)) {
    fail(StepStatus::singular, state.qdot, report);
    return report;
  }
  c_w.noalias() = energy.L.transpose() * state.qdot;
  energy.w = c_w;
  c_v = state.qdot;
  qddot.setZero();
  const ImplicitStage first{state.t + gamma, gamma, state.q, c_v, state.z, q, qdot, qddot};
  if (!solve_energy_stage(s, first, c_v, report)) return report;
  const double power_a = ws.forces.power;

  c_q = state.q + ((1 - kShare) * h) * qdot;
  c_v = state.qdot + ((1 - kShare) * h) * qddot;
  energy.w = c_w + ((1 - kShare) * h) * energy.wdot;
  const ImplicitStage second{state.t + h, gamma, c_q, c_v, state.z, q, qdot, qddot};
  if (!solve_energy_stage(s, second, c_v, report)) return report;
  const double power = ws.forces.power;
  if (!finish(s, state.t + h, Directions::borrowed, q, qdot, report)) return report;
  report.work = h * ((1 - kShare) * power_a + kShare * power);
  accept(s, q, qdot);
  return report;
}

}  // namespace

StepReport sdirk2(const StepContext& s) {
  if (s.system.has_energy_variables()) return energy_sdirk2(s);
  constexpr double a = kShare;
  const std::span<VecX> stage = stages(s, 5);
  VecX &c_q = stage[0], &c_v = stage[1], &q = stage[2], &qdot = stage[3], &qddot = stage[4];
  VecX& z = internal_stages(s, 1)[0];
  State& state = s.state;
  const double h = s.h;
  StepReport report;
  report.h = h;

  qddot.setZero();
  z = state.z;
  advance_internal(s, state.t + a * h, z);
  if (!solve_stage(s, {state.t + a * h, a * h, state.q, state.qdot, z, q, qdot, qddot}, report))
    return report;
  const double power_a = s.ws.forces.power;

  c_q = state.q + ((1 - a) * h) * qdot;
  c_v = state.qdot + ((1 - a) * h) * qddot;
  read_stage(s, z);  // c_z = z₀ + (1−a) h ż_a
  z = state.z + ((1 - a) / a) * (z - state.z);
  advance_internal(s, state.t + h, z);
  if (!solve_stage(s, {state.t + h, a * h, c_q, c_v, z, q, qdot, qddot}, report)) return report;
  const double power = s.ws.forces.power;
  read_stage(s, z);
  if (!finish(s, state.t + h, Directions::borrowed, q, qdot, report)) return report;
  report.work = h * ((1 - a) * power_a + a * power);
  state.z = z;
  accept(s, q, qdot);
  return report;
}

}  // namespace sinew

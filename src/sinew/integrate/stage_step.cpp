#include "sinew/integrate/stage_step.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "sinew/integrate/internal_stage.hpp"
#include "sinew/integrate/newton.hpp"
#include "sinew/integrate/step_control.hpp"
#include "sinew/integrate/step_tape.hpp"

// Stage i of a step, with γ = share h:
//     q_i = c_q + γ q̇_i,   q̇_i = c_v + γ q̈_i,   z alike,
// c_q, c_v and c_z from the past and the stages before it (StageTable).
//
// Muscles with mass change M within few steps where they touch a surface. There the method is
// applied to (q, w), w = Lᵀq̇ with M = L Lᵀ, ẇ = Lᵀq̈ + L̇ᵀq̇, whose kinetic energy ½|w|² does not
// depend on M. A stage w_a = c_w + γ ẇ_a is one for q̇ with c_v = L⁻ᵀ(c_w + γ L̇ᵀq̇), L at the
// stage: c_v is iterated along. Its derivative by q̇ is γ L⁻ᵀL̇ᵀ, the change of L within a step:
// small.

namespace sinew {
namespace {

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
  const bool solved = solve_stage({s.system, first, s.controls, s.h, s.state, ws}, stage, before);
  report.newton_iterations += before.newton_iterations;
  report.linearizations += before.linearizations;
  if (!solved) {
    report.status = before.status;
    report.worst_dof = before.worst_dof;
    return false;
  }
  const double gamma = stage.gamma;
  const At at = s.at(stage.t, stage.q, stage.qdot, stage.c_z, gamma);
  double last = std::numeric_limits<double>::infinity();
  for (int k = 0; k < options.newton_iterations; ++k) {
    linearize(system, at, stage.qddot, StiffnessModel::exact, ws, newton.g, newton.at);
    ++report.linearizations;
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

}  // namespace

StageStep::StageStep(const StepContext& s, const StageTable& table)
    : StageStep(s, table, stages(s, kVectors), internal_stages(s, kInternalVectors)) {}

StageStep::StageStep(const StepContext& s, const StageTable& table, std::span<VecX> room,
                     std::span<VecX> internal)
    : s_(s),
      table_(table),
      c_q_(room[0]),
      c_v_(room[1]),
      c_w_(room[2]),
      q_(room[3]),
      v_(room.subspan(4, StageTable::kMostStages)),
      a_(room.subspan(4 + StageTable::kMostStages, StageTable::kMostStages)),
      wdot_(room.subspan(4 + 2 * StageTable::kMostStages, StageTable::kMostStages)),
      c_z_(internal[0]),
      z_(internal[1]),
      flow_(internal[2]),
      zdot_(internal.subspan(3, StageTable::kMostStages)) {
  guess().setZero();
}

bool StageStep::solve(double h, bool jumps, StepReport& report) {
  const State& state = s_.state;
  const double gamma = table_.share * h;
  const bool by_energy = table_.by_energy && s_.system.has_energy_variables() &&
                         s_.options.variables == StepVariables::energy;
  // Fixed steps of order two lose nothing by rows on velocities.
  const bool by_accelerations = table_.order > 2 || s_.options.accuracy > 0;
  StepTape* const tape = s_.options.tape;
  if (tape != nullptr)
    tape->begin(table_, state.t, h, q_.size(), s_.ws.constraints.rows.size(), z_.size());
  if (by_energy && !begin_energy(report)) return false;
  // A stage whose guess is its solution leaves no factors to the next.
  const int before = report.newton_iterations;
  for (size_t i = 0; i < table_.stages; ++i) {
    begin_stage(i, h);
    const double end = state.t + table_.c[i] * h;
    const double t = jumps && i + 1 == table_.stages ? just_before(end, h) : end;
    begin_internal(i, t, h);
    guess_from_earlier(i);
    const bool follows = report.newton_iterations > before;
    const ImplicitStage stage{t,  gamma, c_q_,  c_v_,    c_z_,
                              q_, v_[i], a_[i], follows, by_accelerations};
    if (by_energy) {
      s_.ws.energy.w = c_w_;
      for (size_t j = 0; j < i; ++j) s_.ws.energy.w += (table_.a[i][j] * h) * wdot_[j];
      if (!solve_energy_stage(s_, stage, c_v_, report)) return false;
      wdot_[i] = s_.ws.energy.wdot;
    } else if (!solve_stage(s_, stage, report)) {
      return false;
    }
    power_[i] = s_.ws.forces.power;
    z_ = c_z_;
    read_stage(s_, z_);
    zdot_[i] = (z_ - c_z_) / gamma;
    if (tape != nullptr) tape->add_stage(q_, v_[i], a_[i], s_.ws.constraints.lambda, c_z_);
  }
  return true;
}

double StageStep::work(double h) const {
  double sum = 0;
  for (size_t i = 0; i < table_.stages; ++i) sum += table_.b(i) * power_[i];
  return h * sum;
}

void StageStep::record(const VecX& q, const VecX& qdot, bool projected) const {
  if (s_.options.tape != nullptr) s_.options.tape->end(q, qdot, projected);
}

bool StageStep::begin_energy(StepReport& report) {
  if (!s_.ws.energy.update(s_.system, s_.start(), s_.ws))
    return fail(StepStatus::singular, s_.state.qdot, report);
  c_w_.noalias() = s_.ws.energy.L.transpose() * s_.state.qdot;
  return true;
}

/// c_q and c_v.
void StageStep::begin_stage(size_t i, double h) {
  const State& state = s_.state;
  c_q_ = table_.past[0] * state.q;
  c_v_ = table_.past[0] * state.qdot;
  if (table_.past[1] != 0) {
    c_q_ += table_.past[1] * state.memory.q_1;
    c_v_ += table_.past[1] * state.memory.qdot_1;
  }
  for (size_t j = 0; j < i; ++j) {
    c_q_ += (table_.a[i][j] * h) * v_[j];
    c_v_ += (table_.a[i][j] * h) * a_[j];
  }
}

/// c_z. Entries with a known flow take it from the start of the step.
void StageStep::begin_internal(size_t i, double t, double h) {
  c_z_ = table_.past[0] * s_.state.z;
  if (table_.past[1] != 0) c_z_ += table_.past[1] * s_.state.memory.z_1;
  for (size_t j = 0; j < i; ++j) c_z_ += (table_.a[i][j] * h) * zdot_[j];
  if (table_.order > 2)
    advance_internal_accurately(s_, t, flow_, c_z_);
  else
    advance_internal(s_, t, c_z_);
}

void StageStep::guess_from_earlier(size_t i) {
  if (i > 0) a_[i].setZero();
  for (size_t j = 0; j < i; ++j)
    if (table_.guess[i][j] != 0) a_[i] += table_.guess[i][j] * a_[j];
}

}  // namespace sinew

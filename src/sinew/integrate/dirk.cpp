#include "sinew/integrate/dirk.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include "sinew/integrate/internal_stage.hpp"
#include "sinew/integrate/newton.hpp"
#include "sinew/integrate/step_control.hpp"

// Stage i of a step, with γ = share h:
//     q_i = q₀ + h Σ_{j<i} a_ij q̇_j + γ q̇_i,   q̇_i = q̇₀ + h Σ_{j<i} a_ij q̈_j + γ q̈_i,   z alike.
//
// Muscles with mass change M within few steps where they touch a surface. There the method is
// applied to (q, w), w = Lᵀq̇ with M = L Lᵀ, ẇ = Lᵀq̈ + L̇ᵀq̇, whose kinetic energy ½|w|² does not
// depend on M. A stage w_a = c_w + γ ẇ_a is one for q̇ with c_v = L⁻ᵀ(c_w + γ L̇ᵀq̇), L at the
// stage: c_v is iterated along. Its derivative by q̇ is γ L⁻ᵀL̇ᵀ, the change of L within a step:
// small.

namespace sinew {
namespace {

constexpr double kShare2 = 1 - 1 / std::numbers::sqrt2;
/// The error is measured by the second divided difference of the rates at 0, a and 1. Of a linear
/// system that is a h² y⃛; the method's error is ((1 − a) a² + a/2 − 1/6) h³ y⃛.
constexpr double kMeasure = ((1 - kShare2) * kShare2 * kShare2 + kShare2 / 2 - 1. / 6) / kShare2;

/// Alexander's method of two stages; L-stable. Written for q₁ alone it is the reference's
/// M (q₁ − q₀ − (2a−1) h q̇₀ − 2(1−a) h q̇_a) = a² h² f.
constexpr DirkTable kSdirk2 = {
    .order = 2,
    .stages = 2,
    .share = kShare2,
    .c = {kShare2, 1},
    .a = {{}, {1 - kShare2}},
    .guess = {{}, {1}},
    .start_error = kMeasure / kShare2,
    .error = {-kMeasure / (kShare2 * (1 - kShare2)), kMeasure / (1 - kShare2)},
    .error_order = 3,
};

/// Hairer and Wanner II, Table IV.6.5, with its embedded solution of third order; L-stable.
constexpr DirkTable kSdirk4 = {
    .order = 4,
    .stages = 5,
    .share = 1. / 4,
    .c = {1. / 4, 3. / 4, 11. / 20, 1. / 2, 1},
    .a = {{},
          {1. / 2},
          {17. / 50, -1. / 25},
          {371. / 1360, -137. / 2720, 15. / 544},
          {25. / 24, -49. / 48, 125. / 16, -85. / 12}},
    .guess = {{}, {1}, {0.4, 0.6}, {1. / 12, -1. / 8, 25. / 24}, {0, 2, 0, -1}},
    .start_error = 0,
    .error = {25. / 24 - 59. / 48, -49. / 48 + 17. / 96, 125. / 16 - 225. / 32, 0, 1. / 4},
    .error_order = 4,
};

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

class DirkStep final : public EstimatingMethod {
 public:
  DirkStep(const StepContext& s, const DirkTable& table)
      : DirkStep(s, table, stages(s, kDirkVectors), internal_stages(s, kDirkInternalVectors)) {}

  /// Solves the stages of a step of h.
  bool solve(double h, bool jumps, StepReport& report) {
    const State& state = s_.state;
    const double gamma = table_.share * h;
    const bool by_energy = s_.system.has_energy_variables();
    // Fixed steps of order two lose nothing by rows on velocities.
    const bool by_accelerations = table_.order > 2 || s_.options.accuracy > 0;
    if (by_energy && !begin_energy(report)) return false;
    // A stage whose guess is its solution leaves no factors to the next.
    const int before = report.newton_iterations;
    for (size_t i = 0; i < table_.stages; ++i) {
      c_q_ = state.q;
      c_v_ = state.qdot;
      for (size_t j = 0; j < i; ++j) {
        c_q_ += (table_.a[i][j] * h) * v_[j];
        c_v_ += (table_.a[i][j] * h) * a_[j];
      }
      const double end = state.t + table_.c[i] * h;
      const double t = jumps && i + 1 == table_.stages ? just_before(end, h) : end;
      begin_internal(i, t, h);
      guess(i);
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
    }
    return true;
  }
  double work(double h) const {
    double sum = 0;
    for (size_t i = 0; i < table_.stages; ++i) sum += table_.b(i) * power_[i];
    return h * sum;
  }

  double rate() override {
    find_start();
    return largest_rate(s_, start_a_, start_zdot_);
  }
  std::optional<ErrorRatio> attempt(double h, bool jumps, StepReport& report) override {
    if (table_.start_error != 0) find_start();
    if (!solve(h, jumps, report)) return std::nullopt;
    const auto estimate = [&](const VecX& start, std::span<const VecX> rates, VecX& out) {
      out.setZero();
      if (table_.start_error != 0) out = table_.start_error * start;
      for (size_t i = 0; i < table_.stages; ++i) out += table_.error[i] * rates[i];
      out *= h;
    };
    estimate(s_.state.qdot, v_, error_q_);
    estimate(start_a_, a_, error_qdot_);
    estimate(start_zdot_, zdot_, error_z_);
    add_flow_error(s_, s_.state.t + h, table_.order, z_, flow_, error_z_);
    return error_ratio(s_, {error_q_, error_qdot_, error_z_}, end());
  }
  StepVectors end() override { return {q_, v_[table_.stages - 1], z_}; }
  void accept(double h, double t, double h_next, bool jumps, StepReport& report) override {
    State& state = s_.state;
    report.work = work(h);
    state.t = t;
    state.q = q_;
    state.qdot = v_[table_.stages - 1];
    state.z = z_;
    StepMemory& memory = state.memory;
    memory.qddot = a_[table_.stages - 1];
    memory.zdot = zdot_[table_.stages - 1];
    memory.h_next = h_next;
    memory.steps = jumps ? 0 : memory.steps + 1;
    end_step(s_);
    seal(s_.options.integrator, h, state);
  }

 private:
  DirkStep(const StepContext& s, const DirkTable& table, std::span<VecX> room,
           std::span<VecX> internal)
      : s_(s),
        table_(table),
        c_q_(room[0]),
        c_v_(room[1]),
        c_w_(room[2]),
        q_(room[3]),
        error_q_(room[4]),
        error_qdot_(room[5]),
        start_a_(room[6]),
        v_(room.subspan(7, kMost)),
        a_(room.subspan(7 + kMost, kMost)),
        wdot_(room.subspan(7 + 2 * kMost, kMost)),
        c_z_(internal[0]),
        z_(internal[1]),
        error_z_(internal[2]),
        start_zdot_(internal[3]),
        flow_(internal[4]),
        zdot_(internal.subspan(5, kMost)) {}

  bool begin_energy(StepReport& report) {
    if (!s_.ws.energy.update(s_.system, s_.start(), s_.ws))
      return fail(StepStatus::singular, s_.state.qdot, report);
    c_w_.noalias() = s_.ws.energy.L.transpose() * s_.state.qdot;
    return true;
  }
  /// c_z. Entries with a known flow take it from the start of the step.
  void begin_internal(size_t i, double t, double h) {
    c_z_ = s_.state.z;
    for (size_t j = 0; j < i; ++j) c_z_ += (table_.a[i][j] * h) * zdot_[j];
    if (table_.order > 2)
      advance_internal_accurately(s_, t, flow_, c_z_);
    else
      advance_internal(s_, t, c_z_);
  }
  /// Accelerations from those of the stages before; for the first, those at the end of the step
  /// before, where an adaptive run remembers them.
  void guess(size_t i) {
    a_[i].setZero();
    const VecX& before = s_.state.memory.qddot;
    if (i == 0 && s_.options.accuracy > 0 && before.size() == a_[i].size()) a_[i] = before;
    for (size_t j = 0; j < i; ++j)
      if (table_.guess[i][j] != 0) a_[i] += table_.guess[i][j] * a_[j];
  }
  /// The rates at the start of the step: those of the last stage before it, unless forces, charts
  /// or, by projection, the state changed in between.
  void find_start() {
    if (start_known_) return;
    start_known_ = true;
    const StepMemory& memory = s_.state.memory;
    if (memory.steps > 0) {
      start_a_ = memory.qddot;
      start_zdot_ = memory.zdot;
      return;
    }
    const At at = s_.start();
    forward_dynamics(s_.system, at, s_.ws, start_a_, s_.options.baumgarte);
    internal_rates(s_.system, at, s_.ws, start_zdot_);
  }

  static constexpr size_t kMost = DirkTable::kMostStages;
  const StepContext& s_;
  const DirkTable& table_;
  VecX &c_q_, &c_v_, &c_w_;       // constants of the stage
  VecX& q_;                       // of the latest stage
  VecX &error_q_, &error_qdot_;   // estimated
  VecX& start_a_;                 // q̈ at the start
  std::span<VecX> v_, a_, wdot_;  // q̇, q̈ and ẇ of each stage
  VecX &c_z_, &z_, &error_z_, &start_zdot_, &flow_;
  std::span<VecX> zdot_;
  std::array<double, kMost> power_{};
  bool start_known_ = false;
};

StepReport dirk(const StepContext& s, const DirkTable& table) {
  DirkStep k(s, table);
  if (s.options.accuracy > 0) return control_step(s, table.error_order, k);
  StepReport report;
  report.h = s.h;
  if (!k.solve(s.h, false, report)) return report;
  const StepVectors end = k.end();
  if (!finish(s, s.state.t + s.h, Directions::borrowed, end.q, end.qdot, report)) return report;
  report.work = k.work(s.h);
  s.state.z = end.z;
  accept(s, end.q, end.qdot);
  return report;
}

}  // namespace

const DirkTable& dirk_table(Integrator integrator) {
  return integrator == Integrator::sdirk4 ? kSdirk4 : kSdirk2;
}

StepReport sdirk2(const StepContext& s) { return dirk(s, kSdirk2); }
StepReport sdirk4(const StepContext& s) { return dirk(s, kSdirk4); }

}  // namespace sinew

#include "sinew/integrate/internal_stage.hpp"
#include "sinew/integrate/stage_step.hpp"
#include "sinew/integrate/step_control.hpp"

// sdirk2 and sdirk4: steps of the length given, or, with an accuracy, chosen by the estimated
// error.

namespace sinew {
namespace {

constexpr size_t kOwn = StageStep::kVectors, kOwnInternal = StageStep::kInternalVectors;

class DirkStep final : public EstimatingMethod {
 public:
  DirkStep(const StepContext& s, const StageTable& table)
      : DirkStep(s, table, stages(s, kOwn + 3).subspan(kOwn),
                 internal_stages(s, kOwnInternal + 2).subspan(kOwnInternal)) {}

  double rate() override {
    find_start();
    return largest_rate(s_, start_a_, start_zdot_);
  }
  std::optional<ErrorRatio> attempt(double h, bool jumps, StepReport& report) override {
    if (table_.start_error != 0) find_start();
    // Accelerations at the end of the step before, where they are remembered.
    const VecX& before = s_.state.memory.qddot;
    if (before.size() == stages_.guess().size())
      stages_.guess() = before;
    else
      stages_.guess().setZero();
    if (!stages_.solve(h, jumps, report)) return std::nullopt;
    const auto estimate = [&](const VecX& start, std::span<const VecX> rates, VecX& out) {
      out.setZero();
      if (table_.start_error != 0) out = table_.start_error * start;
      for (size_t i = 0; i < table_.stages; ++i) out += table_.error[i] * rates[i];
      out *= h;
    };
    estimate(s_.state.qdot, stages_.rates(), error_q_);
    estimate(start_a_, stages_.accelerations(), error_qdot_);
    estimate(start_zdot_, stages_.internal_rates(), error_z_);
    add_flow_error(s_, s_.state.t + h, table_.order, stages_.z(), stages_.internal_scratch(),
                   error_z_);
    return error_ratio(s_, {error_q_, error_qdot_, error_z_}, end());
  }
  StepVectors end() override { return {stages_.q(), stages_.qdot(), stages_.z()}; }
  void accept(double h, double t, double h_next, bool jumps, StepReport& report) override {
    State& state = s_.state;
    report.work = stages_.work(h);
    state.t = t;
    state.q = stages_.q();
    state.qdot = stages_.qdot();
    state.z = stages_.z();
    StepMemory& memory = state.memory;
    memory.qddot = stages_.qddot();
    memory.zdot = stages_.zdot();
    memory.h_next = h_next;
    memory.steps = jumps ? 0 : memory.steps + 1;
    end_step(s_);
    seal(s_.options.integrator, h, state);
  }

 private:
  DirkStep(const StepContext& s, const StageTable& table, std::span<VecX> room,
           std::span<VecX> internal)
      : s_(s),
        table_(table),
        stages_(s, table),
        error_q_(room[0]),
        error_qdot_(room[1]),
        start_a_(room[2]),
        error_z_(internal[0]),
        start_zdot_(internal[1]) {}

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

  const StepContext& s_;
  const StageTable& table_;
  StageStep stages_;
  VecX &error_q_, &error_qdot_;  // estimated
  VecX& start_a_;                // q̈ at the start
  VecX &error_z_, &start_zdot_;
  bool start_known_ = false;
};

StepReport dirk(const StepContext& s, const StageTable& table) {
  if (s.options.accuracy > 0) {
    DirkStep k(s, table);
    return control_step(s, table.error_order, k);
  }
  StageStep k(s, table);
  StepReport report;
  report.h = s.h;
  if (!k.solve(s.h, false, report)) return report;
  if (!finish(s, s.state.t + s.h, s.options.directions, k.q(), k.qdot(), report)) return report;
  report.work = k.work(s.h);
  k.record(k.q(), k.qdot(), report.projected);
  s.state.z = k.z();
  accept(s, k.q(), k.qdot());
  return report;
}

}  // namespace

StepReport sdirk2(const StepContext& s) { return dirk(s, stage_table(Integrator::sdirk2)); }
StepReport sdirk4(const StepContext& s) { return dirk(s, stage_table(Integrator::sdirk4)); }

}  // namespace sinew

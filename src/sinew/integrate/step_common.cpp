#include "sinew/integrate/step_common.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "sinew/integrate/integrator_table.hpp"
#include "sinew/integrate/step_tape.hpp"
#include "sinew/system/rearrangement.hpp"

namespace sinew {
namespace {

/// Tells whether q or q̇ changed since the memory was written (an impulse, a reset): a sum
/// of their bits with weights that differ, cheap enough for every step. t is left out: callers may
/// round it to multiples of h.
std::uint64_t fingerprint(const State& state) {
  std::uint64_t sum = 0, weight = 0x9e3779b97f4a7c15u;
  const auto add = [&](const VecX& x) {
    for (const double value : x) {
      sum +=
          (std::bit_cast<std::uint64_t>(value) >> 1 ^ std::bit_cast<std::uint64_t>(value)) * weight;
      weight += 0x5851f42d4c957f2eu;  // even, so that all weights are odd
    }
  };
  add(state.q);
  add(state.qdot);
  add(state.z);
  return sum;
}

int owner(Integrator integrator) { return 1 + static_cast<int>(integrator); }

void prepare_constraints(const System& system, Integrator integrator, const State& state,
                         Workspace& ws) {
  ConstraintWorkspace& c = ws.constraints;
  c.conflict = 0;
  if (system.redundancies().empty()) return;
  c.active = c.every;
  if (!info(integrator).implicit) return;
  factor_mass_matrix(system, state, ws);
  update_constraints(system, state, ws);
  update_directions(system, ws);
  select_rows(c);
}

}  // namespace

double prepare(const System& system, const StepOptions& options, double h, State& state,
               Workspace& ws) {
  const Integrator integrator = options.integrator;
  const double gained = rearrange(system, h, options.projection, state, ws);
  prepare_constraints(system, integrator, state, ws);
  StepMemory& memory = state.memory;
  if ((info(integrator).remembers || is_adaptive(options)) &&
      (memory.owner != owner(integrator) || memory.seal != fingerprint(state))) {
    memory.owner = 0;
    memory.steps = 0;
    memory.h_next = 0;
  }
  // BDF2's history (q_1, q̇_1) moves to the new chart; accelerations and momenta would have to be
  // made anew.
  if (!rechart(system, state, ws)) return gained;
  if (integrator != Integrator::bdf2) memory.steps = 0;
  if (options.tape != nullptr) options.tape->note_rechart();
  return gained;
}

void seal(Integrator integrator, double h, State& state) {
  state.memory.owner = owner(integrator);
  state.memory.h = h;
  state.memory.seal = fingerprint(state);
}

namespace {

/// Values at t; `known` makes the At that controllers measure at.
template <class Known>
VecView evaluate_controls(const StepContext& s, double t, Known&& known) {
  VecX& values = s.ws.step_controls;
  if (s.system.controls().size() == 0) return {nullptr, 0};
  values.resize(s.system.controls().size());
  s.controls.evaluate(t, known(), values);
  return view(values);
}

}  // namespace

VecView StepContext::controls_at(double t) const {
  return evaluate_controls(*this, t, [&] { return At(state); });
}

At StepContext::measured_at(double t, const VecX& q, const VecX& qdot, const VecX& z) const {
  return {t, q, qdot, z, 0, evaluate_controls(*this, t, [&] { return At(t, q, qdot); })};
}

At StepContext::at(double t, const VecX& q, const VecX& qdot, const VecX& z, double gamma) const {
  return {t, q, qdot, z, gamma, controls_at(t)};
}

std::span<VecX> stages(const StepContext& s, size_t count) {
  std::vector<VecX>& stage = s.ws.stage;
  while (stage.size() < count) stage.emplace_back(s.system.dof_count());
  return {stage.data(), count};
}

std::span<VecX> internal_stages(const StepContext& s, size_t count) {
  std::vector<VecX>& stage = s.ws.internal_stage;
  while (stage.size() < count) stage.emplace_back(s.state.z.size());
  return {stage.data(), count};
}

void accept(const StepContext& s, VecX& q, VecX& qdot) {
  s.state.q.swap(q);
  s.state.qdot.swap(qdot);
  s.state.t += s.h;
  end_step(s);
}

namespace {

class EndOfStep final : public PartMoment {
 public:
  EndOfStep(const StepContext& s, size_t part) : s_(s), part_(part) {}
  PartAt at() const override {
    const At end = s_.start();
    update_kinematics(s_.system, end, s_.ws);
    return part_at(s_.system, part_, end, s_.ws.border->expanded(end), end.controls.data(), s_.ws);
  }

 private:
  const StepContext& s_;
  size_t part_;
};

}  // namespace

void end_step(const StepContext& s) {
  for (size_t k = 0; k < s.system.parts().size(); ++k) {
    const Part& part = *s.system.parts()[k];
    part.end_step(EndOfStep(s, k),
                  s.state.z.segment(s.system.place(k).internal, part.internal_count()));
  }
}

double next_jump(const StepContext& s, double t) {
  double next = std::numeric_limits<double>::infinity();
  for (const std::vector<double>* times : {&s.system.breakpoints(), &s.controls.breakpoints()}) {
    const auto found = std::lower_bound(times->begin(), times->end(), t);
    if (found != times->end()) next = std::min(next, *found);
  }
  return next;
}

double last_jump(const StepContext& s, double t) {
  double last = -std::numeric_limits<double>::infinity();
  for (const std::vector<double>* times : {&s.system.breakpoints(), &s.controls.breakpoints()}) {
    const auto found = std::upper_bound(times->begin(), times->end(), t);
    if (found != times->begin()) last = std::max(last, *std::prev(found));
  }
  return last;
}

bool is_sane(const VecX& q, const VecX& qdot, StepReport& report) {
  constexpr double kAbsurd = 1e12;
  for (Eigen::Index k = 0; k < q.size(); ++k) {
    // Written so that NaN fails.
    if (std::isfinite(q[k]) && std::abs(qdot[k]) <= kAbsurd) continue;
    report.status = StepStatus::diverged;
    report.worst_dof = static_cast<int>(k);
    return false;
  }
  return true;
}

namespace {

bool fail_constraint(const System& system, int row, StepReport& report) {
  report.status = StepStatus::constraint_failed;
  report.worst_constraint = row < 0 ? -1 : system.constraint_of_row(row);
  return false;
}

}  // namespace

bool finish(const StepContext& s, double t, Directions directions, VecX& q, VecX& qdot,
            StepReport& report) {
  const System& system = s.system;
  const StepOptions& options = s.options;
  Workspace& ws = s.ws;
  for (size_t k = 0; k < system.parts().size(); ++k) {
    PartEvent failure = system.parts()[k]->failure(*ws.parts[k]);
    if (failure.kind.empty()) continue;
    report.part_failure = std::move(failure);
    report.status = StepStatus::part_failed;
    return false;
  }
  if (!is_sane(q, qdot, report)) return false;
  const ConstraintWorkspace& c = ws.constraints;
  // Contradictions of positions and velocities show in the projection; only what it does not see,
  // and what a dead centre cannot explain, is judged by accelerations. Relative; without projection
  // drift alone makes rows disagree.
  const double limit = options.projection ? 1e-6 : 1e-3;
  if (c.conflict > limit && !(options.projection && c.holding[static_cast<size_t>(c.conflict_row)]))
    return fail_constraint(system, c.conflict_row, report);
  const SeparationReport end = options.projection ? separate(system, t, q, qdot, directions, ws)
                                                  : overlap(system, t, q, qdot, ws);
  report.constraint_error = std::max(end.error, end.constraints.error);
  report.projected = end.constraints.moved;
  if (!end.constraints.ok) return fail_constraint(system, end.constraints.worst_row, report);
  if (!end.ok) {
    report.status = StepStatus::contact_failed;
    report.worst_source = end.source;
    return false;
  }
  return is_sane(q, qdot, report);
}

}  // namespace sinew

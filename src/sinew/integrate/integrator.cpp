#include "sinew/integrate/integrator.hpp"

#include <algorithm>
#include <cmath>

#include "sinew/core/error.hpp"
#include "sinew/core/names.hpp"
#include "sinew/integrate/integrator_table.hpp"
#include "sinew/integrate/step_common.hpp"
#include "sinew/integrate/step_tape.hpp"

namespace sinew {

std::string to_string(Integrator integrator) { return std::string(info(integrator).name); }

const std::vector<Integrator>& all_integrators() {
  static const std::vector<Integrator> all = [] {
    std::vector<Integrator> out;
    for (const IntegratorInfo& method : integrator_table()) out.push_back(method.integrator);
    return out;
  }();
  return all;
}

Integrator integrator_from_string(std::string_view name) {
  std::vector<std::string> names;
  for (const Integrator integrator : all_integrators()) {
    names.push_back(to_string(integrator));
    if (names.back() == name) return integrator;
  }
  throw Error("integrator", "there is none called '" + std::string(name) + "'",
              suggest(name, names));
}

std::string to_string(StiffnessModel kind) {
  return kind == StiffnessModel::exact    ? "full"
         : kind == StiffnessModel::redmax ? "reference"
                                          : "definite";
}

std::string to_string(StepVariables variables) {
  return variables == StepVariables::energy ? "energy" : "rates";
}

std::string to_string(LinearSolver solver) {
  return solver == LinearSolver::direct ? "direct" : "conjugate-gradient";
}

std::string to_string(StepStatus status) {
  switch (status) {
    case StepStatus::ok:
      return "ok";
    case StepStatus::diverged:
      return "diverged";
    case StepStatus::newton_failed:
      return "newton failed";
    case StepStatus::step_underflow:
      return "no step is short enough for the accuracy";
    case StepStatus::singular:
      return "singular";
    case StepStatus::solver_failed:
      return "conjugate gradients failed";
    case StepStatus::constraint_failed:
      return "constraint failed";
    case StepStatus::contact_failed:
      return "contact failed";
    case StepStatus::part_failed:
      return "part failed";
    case StepStatus::too_many_steps:
      return "the limit of steps (most_steps) was reached";
  }
  return "";
}

namespace {

/// Whether a step that fails may be taken in two halves: comparisons with another program's digits
/// need it whole.
bool may_halve(const StepOptions& options) {
  return info(options.integrator).halves && options.newton_residual <= 0 && !is_adaptive(options);
}

void add(const StepReport& half, StepReport& sum) {
  sum.work += half.work;
  sum.newton_residual = std::max(sum.newton_residual, half.newton_residual);
  sum.newton_iterations += half.newton_iterations;
  sum.linearizations += half.linearizations;
  sum.rejected += half.rejected;
  sum.constraint_error = half.constraint_error;
}

StepReport step_or_halves(const StepContext& s, int halvings);

/// A step that failed after `iterations`, in two halves.
StepReport two_halves(const StepContext& s, int halvings, int iterations) {
  State& state = s.state;
  const State start = state;
  StepTape* const tape = s.options.tape;
  const size_t taped = tape != nullptr ? tape->size() : 0;
  StepReport sum;
  sum.h = s.h;
  sum.rejected = 1;
  sum.newton_iterations = iterations;
  for (int part = 0; part < 2; ++part) {
    // The second one ends where the whole would have.
    const double length = part == 0 ? 0.5 * s.h : start.t + s.h - state.t;
    const StepReport half =
        step_or_halves({s.system, s.options, s.controls, length, state, s.ws}, halvings - 1);
    if (half.status != StepStatus::ok) {
      state = start;
      if (tape != nullptr) tape->truncate(taped);
      return half;
    }
    add(half, sum);
  }
  return sum;
}

/// A step and, where Newton's method finds no solution of it, its halves, at most `halvings` deep.
StepReport step_or_halves(const StepContext& s, int halvings) {
  const StepOptions& options = s.options;
  const double gained = prepare(s.system, options, s.h, s.state, s.ws);
  StepReport report = info(options.integrator).step(s);
  if (report.status == StepStatus::newton_failed && halvings > 0 && may_halve(options))
    report = two_halves(s, halvings, report.newton_iterations);
  report.work += gained;
  return report;
}

}  // namespace

StepReport step(const System& system, const StepOptions& options, double h, State& state,
                Workspace& ws) {
  return step(system, options, h, system.controls(), state, ws);
}

StepReport step(const System& system, const StepOptions& options, double h,
                const Controls& controls, State& state, Workspace& ws) {
  if (!std::isfinite(h) || h == 0)
    throw Error("step", "has no length", "give a finite step h other than 0");
  require_supported(system, options, h);
  return step_or_halves({system, options, controls, h, state, ws}, options.newton_halvings);
}

}  // namespace sinew

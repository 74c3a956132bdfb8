#include "sinew/integrate/integrator.hpp"

#include <algorithm>
#include <cmath>

#include "sinew/core/error.hpp"
#include "sinew/core/names.hpp"
#include "sinew/integrate/dopri5.hpp"
#include "sinew/integrate/hill_stage.hpp"
#include "sinew/integrate/step_common.hpp"

namespace sinew {

std::string to_string(Integrator integrator) {
  switch (integrator) {
    case Integrator::semi_implicit_euler:
      return "semi-implicit-euler";
    case Integrator::linearly_implicit_euler:
      return "linearly-implicit-euler";
    case Integrator::rk4:
      return "rk4";
    case Integrator::dopri5:
      return "dopri5";
    case Integrator::bdf1:
      return "bdf1";
    case Integrator::sdirk2:
      return "sdirk2";
    case Integrator::bdf2:
      return "bdf2";
    case Integrator::variational:
      return "variational";
  }
  return "";
}

const std::vector<Integrator>& all_integrators() {
  static const std::vector<Integrator> all = {Integrator::semi_implicit_euler,
                                              Integrator::linearly_implicit_euler,
                                              Integrator::rk4,
                                              Integrator::dopri5,
                                              Integrator::bdf1,
                                              Integrator::sdirk2,
                                              Integrator::bdf2,
                                              Integrator::variational};
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

bool is_energy_judged(Integrator integrator) {
  return integrator == Integrator::rk4 || integrator == Integrator::dopri5 ||
         integrator == Integrator::variational;
}

bool is_implicit(Integrator integrator) {
  return integrator == Integrator::bdf1 || integrator == Integrator::sdirk2 ||
         integrator == Integrator::bdf2 || integrator == Integrator::variational;
}

int order(Integrator integrator) {
  switch (integrator) {
    case Integrator::semi_implicit_euler:
    case Integrator::linearly_implicit_euler:
    case Integrator::bdf1:
      return 1;
    case Integrator::sdirk2:
    case Integrator::bdf2:
    case Integrator::variational:
      return 2;
    case Integrator::rk4:
      return 4;
    case Integrator::dopri5:
      return 5;
  }
  return 0;
}

std::string to_string(StiffnessModel kind) {
  return kind == StiffnessModel::exact    ? "full"
         : kind == StiffnessModel::redmax ? "reference"
                                          : "definite";
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
      return "step underflow";
    case StepStatus::singular:
      return "singular";
    case StepStatus::solver_failed:
      return "conjugate gradients failed";
    case StepStatus::constraint_failed:
      return "constraint failed";
    case StepStatus::contact_failed:
      return "contact failed";
    case StepStatus::muscle_failed:
      return "muscle failed";
    case StepStatus::too_many_steps:
      return "the limit of steps (most_steps) was reached";
  }
  return "";
}

namespace {

StepReport take_step(const System& system, const StepOptions& options, double h, State& state,
                     Workspace& ws) {
  switch (options.integrator) {
    case Integrator::semi_implicit_euler:
      return semi_implicit_euler(system, options, h, state, ws);
    case Integrator::linearly_implicit_euler:
      return options.solver == LinearSolver::direct
                 ? linearly_implicit_euler(system, options, h, state, ws)
                 : matrix_free_euler(system, options, h, state, ws);
    case Integrator::rk4:
      return rk4(system, options, h, state, ws);
    case Integrator::dopri5:
      break;
    case Integrator::bdf1:
      return bdf1(system, options, h, state, ws);
    case Integrator::sdirk2:
      return sdirk2(system, options, h, state, ws);
    case Integrator::bdf2:
      return bdf2(system, options, h, state, ws);
    case Integrator::variational:
      return ws.constraints ? constrained_variational(system, options, h, state, ws)
                            : variational(system, h, state, ws);
  }
  return {};
}

/// Whether a step that fails may be taken in two halves: methods that remember earlier steps, and
/// comparisons with another program's digits, need theirs whole.
bool may_halve(const StepOptions& options) {
  return (options.integrator == Integrator::bdf1 || options.integrator == Integrator::sdirk2) &&
         options.newton_residual <= 0;
}

void add(const StepReport& half, StepReport& sum) {
  sum.work += half.work;
  sum.newton_residual = std::max(sum.newton_residual, half.newton_residual);
  sum.newton_iterations += half.newton_iterations;
  sum.rejected += half.rejected;
  sum.constraint_error = half.constraint_error;
}

/// A step and, where Newton's method finds no solution of it, its halves, at most `halvings` deep.
StepReport step_or_halves(const System& system, const StepOptions& options, double h, int halvings,
                          State& state, Workspace& ws) {
  hold_muscles(system, state, ws);
  prepare(system, options.integrator, state, ws);
  const StepReport whole = take_step(system, options, h, state, ws);
  release_muscles(ws);
  if (whole.status != StepStatus::newton_failed || halvings == 0 || !may_halve(options))
    return whole;
  const State start = state;
  StepReport sum;
  sum.h = h;
  sum.rejected = 1;
  sum.newton_iterations = whole.newton_iterations;
  for (int part = 0; part < 2; ++part) {
    // The second one ends where the whole would have.
    const double length = part == 0 ? 0.5 * h : start.t + h - state.t;
    const StepReport half = step_or_halves(system, options, length, halvings - 1, state, ws);
    if (half.status != StepStatus::ok) {
      state = start;
      return half;
    }
    add(half, sum);
  }
  return sum;
}

}  // namespace

StepReport step(const System& system, const StepOptions& options, double h, State& state,
                Workspace& ws) {
  if (!std::isfinite(h) || h == 0)
    throw Error("step", "has no length", "give a finite step h other than 0");
  require_hill_support(system, options.integrator, h);
  if (options.integrator == Integrator::dopri5)
    return step_dopri5(system, options, h, state, ws, nullptr);
  require_unilateral_support(system, options.integrator, h);
  return step_or_halves(system, options, h, options.newton_halvings, state, ws);
}

}  // namespace sinew

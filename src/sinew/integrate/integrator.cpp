#include "sinew/integrate/integrator.hpp"

#include <cmath>

#include "sinew/core/error.hpp"
#include "sinew/core/names.hpp"
#include "sinew/integrate/dopri5.hpp"
#include "sinew/integrate/hill_stage.hpp"
#include "sinew/integrate/methods.hpp"

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

std::string to_string(JacobianKind kind) {
  return kind == JacobianKind::full        ? "full"
         : kind == JacobianKind::reference ? "reference"
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

}  // namespace

StepReport step(const System& system, const StepOptions& options, double h, State& state,
                Workspace& ws) {
  if (!std::isfinite(h) || h == 0)
    throw Error("step", "has no length", "give a finite step h other than 0");
  require_hill_support(system, options.integrator, h);
  if (options.integrator == Integrator::dopri5)
    return step_dopri5(system, options, h, state, ws, nullptr);
  require_unilateral_support(system, options.integrator, h);
  hold_muscles(system, state, ws);
  prepare(system, options.integrator, state, ws);
  const StepReport report = take_step(system, options, h, state, ws);
  release_muscles(ws);
  return report;
}

}  // namespace sinew

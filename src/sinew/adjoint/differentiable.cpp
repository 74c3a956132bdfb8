#include <algorithm>

#include "sinew/adjoint/run_derivatives.hpp"
#include "sinew/core/error.hpp"
#include "sinew/integrate/integrator_table.hpp"

namespace sinew {

StepOptions differentiable_options(StepOptions options) {
  options.variables = StepVariables::rates;
  options.directions = Directions::none;
  return options;
}

namespace {

constexpr Integrator kDifferentiable[] = {Integrator::bdf1, Integrator::sdirk2, Integrator::bdf2};

void refuse(const std::string& element, const Obstacle& obstacle) {
  if (!obstacle.reason.empty()) throw Error(element, obstacle.reason, obstacle.remedy);
}

/// What makes velocities jump.
void refuse_impulses(const UnilateralElements& elements) {
  const auto refuse_named = [](const std::string& element, const char* remedy) {
    refuse(element, {"makes velocities jump", remedy});
  };
  if (!elements.limits.empty())
    refuse_named("limit '" + elements.limits[0].name() + "'",
                 "use a stop without a damper, or in place of a rope an elastic one");
  if (!elements.contacts.empty())
    refuse_named("contact '" + elements.contacts.surfaces()[0].name + "'", "use smooth contact");
  if (!elements.bearings.empty())
    refuse_named("bearing '" + elements.bearings[0].name + "'", "use damping of the joint");
}

void refuse_holds(const Part& part) {
  if (part.hold_count() > 0)
    refuse(part.element_with(Feature::bearings),
           {"has friction that makes velocities jump", "give it a 'creep' velocity"});
}

}  // namespace

void require_differentiable(const System& system, const RunSettings& settings) {
  const StepOptions& step = settings.step;
  if (std::find(std::begin(kDifferentiable), std::end(kDifferentiable), step.integrator) ==
      std::end(kDifferentiable))
    throw Error("integrator", "gradients do not pass steps of " + to_string(step.integrator),
                "choose bdf1, sdirk2 or bdf2");
  if (step.accuracy > 0)
    throw Error("accuracy", "gradients are those of steps of one length",
                "leave it out and give a step");
  if (step.variables == StepVariables::energy && system.has_energy_variables() &&
      step.integrator != Integrator::bdf1)
    throw Error("variables", "gradients do not pass energy variables", "choose \"rates\"");
  if (system.has(Feature::constraints) && !step.projection)
    throw Error("projection", "gradients pass only steps that end on the constraints",
                "set \"simulation.projection\": true");
  if (system.has(Feature::constraints) && step.directions != Directions::none)
    throw Error("projection", "gradients pass only projections along directions of their own",
                "use differentiable_options");
  if (settings.steps < 1 || !(settings.dt > 0))
    throw Error("run", "has no steps", "give a positive step and at least one of them");
  refuse_impulses(system.unilaterals());
  if (!system.redundancies().empty())
    throw Error("constraints", "some depend on others: " + system.redundancies()[0],
                "remove those");
  for (const auto& constraint : system.constraints())
    if (constraint->level() == ConstraintLevel::acceleration)
      throw Error("constraint '" + constraint->name() + "'",
                  "acts on accelerations, which gradients do not pass",
                  "prescribe a position or a velocity");
  for (const auto& force : system.forces())
    refuse("force '" + force->name() + "'", force->obstacle());
  for (const auto& part : system.parts()) {
    refuse("gradient", part->obstacle());
    refuse_holds(*part);
  }
  // Last: what it advises may be what gradients do not pass.
  require_supported(system, step, settings.dt);
}

}  // namespace sinew

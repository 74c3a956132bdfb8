#include "fuzz/scene_steps.hpp"

#include <stdexcept>

namespace sinew::fuzz {

StepCounts step_scene(const Scene& scene, Integrator integrator, const StepLimits& limits) {
  const bool large = scene.system.dof_count() > limits.dof ||
                     scene.system.unilaterals().contacts.surfaces().size() > limits.surfaces;
  StepOptions options = scene.settings.step;
  options.integrator = large ? Integrator::semi_implicit_euler : integrator;
  Workspace ws(scene.system);
  State state = scene.system.default_state();
  StepCounts counts;
  for (int k = 0; k < (large ? 1 : limits.steps); ++k) {
    const StepReport report = step(scene.system, options, scene.settings.dt, state, ws);
    ++counts.steps;
    if (!state.q.allFinite() || !state.qdot.allFinite())
      throw std::runtime_error("a state that is not finite after " + to_string(options.integrator));
    if (report.status == StepStatus::ok) continue;
    ++counts.failed;
    break;
  }
  return counts;
}

}  // namespace sinew::fuzz

#include "sinew/integrate/internal_stage.hpp"

#include <algorithm>

#include "sinew/system/hill_equations.hpp"

namespace sinew {

void advance_activations(const StepContext& s, double t, VecX& z) {
  const HillList& muscles = s.system.hill_muscles();
  if (muscles.empty()) return;
  const State& start = s.state;
  const VecView now = s.controls_at(t);
  const auto clamped = [](const ActivationDynamics& d, double a) {
    return std::clamp(a, d.minimum, 1.0);
  };
  for (size_t i = 0; i < muscles.size(); ++i)
    if (muscles[i]->description.immediate)
      z[activation_index(i)] =
          clamped(muscles[i]->description.activation, now[s.system.excitation_control(i)]);
  const VecView halfway = s.controls_at(0.5 * (start.t + t));
  for (size_t i = 0; i < muscles.size(); ++i)
    if (!muscles[i]->description.immediate)
      z[activation_index(i)] =
          step_activation(muscles[i]->description.activation, start.z[activation_index(i)],
                          halfway[s.system.excitation_control(i)], t - start.t);
}

void read_fibres(const StepContext& s, VecX& z) {
  for (size_t i = 0; i < s.system.hill_muscles().size(); ++i)
    z[fibre_index(s.system, i)] = s.ws.hill->tension[i].fibre_length;
}

}  // namespace sinew

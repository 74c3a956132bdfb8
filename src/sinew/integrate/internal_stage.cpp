#include "sinew/integrate/internal_stage.hpp"

#include <algorithm>

#include "sinew/system/hill_equations.hpp"

namespace sinew {

void advance_activations(const StepContext& s, double t, VecX& z) {
  const HillList& muscles = s.system.hill_muscles();
  if (muscles.empty()) return;
  const State& start = s.state;
  set_immediate_activations(s.system, s.controls_at(t), z);
  const VecView halfway = s.controls_at(0.5 * (start.t + t));
  for (size_t i = 0; i < muscles.size(); ++i)
    if (!muscles[i]->description.immediate)
      z[activation_index(i)] =
          step_activation(muscles[i]->description.activation, start.z[activation_index(i)],
                          halfway[s.system.excitation_control(i)], t - start.t);
}

void set_immediate_activations(const System& system, const VecView& controls, VecX& z) {
  for (size_t i = 0; i < system.hill_muscles().size(); ++i) {
    const HillDescription& d = system.hill_muscles()[i]->description;
    if (d.immediate)
      z[activation_index(i)] =
          std::clamp(controls[system.excitation_control(i)], d.activation.minimum, 1.0);
  }
}

void read_fibres(const StepContext& s, VecX& z) {
  for (size_t i = 0; i < s.system.hill_muscles().size(); ++i)
    z[fibre_index(s.system, i)] = s.ws.hill->tension[i].fibre_length;
}

void follow_path(const StepContext& s, double t, const VecX& q, const VecX& qdot, VecX& z) {
  if (s.system.hill_muscles().empty()) return;
  update_forces(s.system, s.at(t, q, qdot, z, s.h), s.ws);
  read_fibres(s, z);
}

void begin_trapezoid(const StepContext& s, const At* start, VecX& c) {
  if (s.state.z.size() == 0) return;
  if (start != nullptr)
    internal_rates(s.system, *start, s.ws, c);
  else
    c = s.state.memory.zdot;
  c = s.state.z + (s.h / 2) * c;
  advance_activations(s, s.state.t + s.h, c);
}

void end_trapezoid(const StepContext& s, const VecX& c, const VecX& q, const VecX& qdot) {
  if (c.size() == 0) return;
  State& state = s.state;
  update_forces(s.system, s.at(state.t + s.h, q, qdot, c, s.h / 2), s.ws);
  state.z = c;
  read_fibres(s, state.z);
  state.memory.zdot = (state.z - c) / (s.h / 2);
}

}  // namespace sinew

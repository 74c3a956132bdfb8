#include "sinew/integrate/hill_stage.hpp"

#include <algorithm>

namespace sinew {

void advance_activations(const System& system, const State& state, double t, VecX& out) {
  out.resize(state.activation.size());
  for (Eigen::Index k = 0; k < out.size(); ++k) {
    const HillDescription& d = system.hill_muscles()[static_cast<size_t>(k)]->description;
    const auto excitation = [&](double at) { return excitation_at(system, d, state, at); };
    out[k] = d.immediate ? std::clamp(excitation(t), d.activation.minimum, 1.0)
                         : step_activation(d.activation, state.activation[k],
                                           excitation(0.5 * (state.t + t)), t - state.t);
  }
}

void begin_hill_stage(const System& system, const State& state, double t, double gamma,
                      const VecX& c, Workspace& ws) {
  if (!ws.hill) return;
  ws.hill->mode = HillScratch::Mode::implicit;
  ws.hill->gamma = gamma;
  ws.hill->fibre = c;
  advance_activations(system, state, t, ws.hill->activation);
}

void read_fibres(const Workspace& ws, VecX& out) {
  if (!ws.hill) return;
  for (size_t i = 0; i < ws.hill->tension.size(); ++i)
    out[static_cast<Eigen::Index>(i)] = ws.hill->tension[i].fibre_length;
}

void accept_muscles(const Workspace& ws, State& state) {
  if (!ws.hill) return;
  state.activation = ws.hill->activation;
  read_fibres(ws, state.fibre_length);
}

}  // namespace sinew

#include "sinew/integrate/hill_stage.hpp"

#include <algorithm>

#include "sinew/core/error.hpp"

namespace sinew {

void require_hill_support(const System& system, Integrator integrator, double h) {
  if (system.hill_muscles().empty()) return;
  const std::string element = "muscle '" + system.hill_muscles()[0]->name() + "'";
  const bool serves = integrator == Integrator::linearly_implicit_euler ||
                      integrator == Integrator::bdf1 || integrator == Integrator::sdirk2 ||
                      integrator == Integrator::bdf2;
  if (!serves)
    throw Error(element, "is too stiff for " + to_string(integrator) + ", which is explicit in it",
                "choose sdirk2, bdf2, bdf1 or linearly-implicit-euler");
  if (!(h > 0))
    throw Error(element, "cannot be stepped back in time", "give a step h greater than 0");
}

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

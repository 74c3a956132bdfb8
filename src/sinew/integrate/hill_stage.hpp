#pragma once

#include "sinew/integrate/integrator.hpp"
#include "sinew/system/hill_equations.hpp"

/// What implicit steps do with Hill muscles. All do nothing where there are none.

namespace sinew {

/// Activations at t, from those of `state`: the exact flow under the excitations halfway.
void advance_activations(const System& system, const State& state, double t, VecX& out);

/// Tensions from now on are those at the end of the stage l = c + γ l̇ at time t.
void begin_hill_stage(const System& system, const State& state, double t, double gamma,
                      const VecX& c, Workspace& ws);

/// Fibre lengths at the end of the stage, as of the last evaluation of forces.
void read_fibres(const Workspace& ws, VecX& out);

/// Activations and fibre lengths of the stage that ended the step become the state's.
void accept_muscles(const Workspace& ws, State& state);

}  // namespace sinew

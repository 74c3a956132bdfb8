#pragma once

#include "sinew/muscles/hill/hill_element.hpp"
#include "sinew/muscles/hill/hill_equilibrium.hpp"
#include "sinew/system/equations.hpp"

/// Muscles of a system, seen from outside.

namespace sinew {

struct MuscleScratch;

/// The muscles' scratch. For systems that have muscles.
MuscleScratch& muscle_scratch(Workspace& ws);

/// Where a Hill muscle's internal state is in State::z.
Eigen::Index activation_index(const System& system, size_t hill);
Eigen::Index fibre_index(const System& system, size_t hill);

/// Sets the internal state: as described, else in equilibrium at the state's q and q̇. Says how it
/// went for each Hill muscle. Throws an Error naming a muscle whose path has no length.
std::vector<HillStatus> initialize_muscles(const System& system, State& state, Workspace& ws);

/// All quantities of all Hill muscles at a state.
std::vector<HillValues<double>> hill_values(const System& system, const State& state,
                                            Workspace& ws);

}  // namespace sinew

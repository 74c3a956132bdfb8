#pragma once

#include "sinew/muscles/hill/hill_equilibrium.hpp"
#include "sinew/muscles/muscle_element.hpp"
#include "sinew/system/equations.hpp"

/// Muscles of a system, seen from outside.

namespace sinew {

struct MuscleScratch;

/// The muscles' scratch. For systems that have muscles.
MuscleScratch& muscle_scratch(Workspace& ws);

/// The place of a muscle in System::hill_muscles(); −1: it is not among them.
int hill_index(const System& system, size_t muscle);
/// Where the internal state of a muscle of System::hill_muscles() is in State::z.
Eigen::Index activation_index(const System& system, size_t hill);
Eigen::Index fibre_index(const System& system, size_t hill);

/// Sets the internal state: as described, else in equilibrium at the state's q and q̇. Says how it
/// went for each of System::hill_muscles(). Throws an Error naming a muscle whose path has no
/// length.
std::vector<HillStatus> initialize_muscles(const System& system, State& state, Workspace& ws);

/// All quantities of System::hill_muscles() at a state.
std::vector<HillValues<double>> hill_values(const System& system, const State& state,
                                            Workspace& ws);

}  // namespace sinew

#pragma once

#include "sinew/analysis/motion/motion.hpp"
#include "sinew/io/models/loaded_model.hpp"

/// What studies of motions make of a model.

namespace sinew {

/// load_model. Throws an Error for scenes with dependent coordinates.
LoadedModel load_motion_model(const std::string& model, const std::vector<std::string>& set);

/// Gives the muscles of an OpenSim model mass, from their strength: F₀ l₀ ρ/σ, with the density ρ
/// of muscle and the `specific_tension` σ [Pa]. Their surfaces are put where the poses ask for;
/// those that cannot be are left without mass, with a warning.
void add_massive_muscles(const Motion& motion, double specific_tension, LoadedModel& model);

/// Skeleton, gravity, muscles, and the forces but for those `excluded` by name; ALL: without any.
SystemBuilder motion_system(const LoadedModel& model,
                            const std::vector<std::string>& excluded = {});

/// "knee_moment", "pelvis_tx_force": how OpenSim names generalised forces.
std::vector<std::string> moment_labels(const std::vector<Coordinate>& coordinates);

}  // namespace sinew

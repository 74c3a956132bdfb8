#pragma once

#include "sinew/analysis/motion/motion.hpp"
#include "sinew/io/models/loaded_model.hpp"
#include "sinew/muscles/transfer/muscle_masses.hpp"

/// What studies of motions make of a model.

namespace sinew {

/// load_model. Throws an Error for scenes with dependent coordinates.
LoadedModel load_motion_model(const std::string& model, const std::vector<std::string>& set);

/// The muscles of a model, without mass, on a skeleton whose bodies have all of it.
struct UnweighedModel {
  Skeleton bones;
  std::vector<WeighedMuscle> muscles;
  std::optional<VecX> reference;  ///< pose in which bodies give mass; none: the default
};

/// Surfaces of OpenSim's paths are put where the poses ask for; adds those left out to the model's
/// warnings.
UnweighedModel unweighed(LoadedModel& model, const std::vector<VecX>& poses);
std::vector<VecX> poses_of(const Motion& motion);

/// Gives the muscles mass as the options say, which the bones beside them give; nothing where they
/// do not say.
void weigh_muscles(const MuscleMassOptions& options, const Motion& motion, LoadedModel& model);

/// Skeleton, gravity, muscles, and the forces but for those `excluded` by name; ALL: without any.
SystemBuilder motion_system(const LoadedModel& model,
                            const std::vector<std::string>& excluded = {});

/// "knee_moment", "pelvis_tx_force": how OpenSim names generalised forces.
std::vector<std::string> moment_labels(const std::vector<Coordinate>& coordinates);

}  // namespace sinew

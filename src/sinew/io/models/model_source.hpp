#pragma once

#include <filesystem>

#include "sinew/analysis/motion/motion.hpp"
#include "sinew/builder/system_builder.hpp"
#include "sinew/io/osim/osim_model.hpp"
#include "sinew/io/scene/model_before_transfer.hpp"
#include "sinew/io/tables/motion_target.hpp"
#include "sinew/model/shape.hpp"
#include "sinew/system/system.hpp"

namespace sinew {

/// What analyses of motions need of a model, whether it comes from a scene or from OpenSim.
struct ModelSource {
  std::string name;
  std::filesystem::path path;
  std::uint64_t content_hash = 0;
  Skeleton skeleton;
  MotionTarget target;  ///< of motions
  Vec3 gravity = Vec3::Zero();
  ForceList forces;
  std::vector<Muscle> muscles;  ///< with the masses that they have
  std::shared_ptr<const ModelBeforeTransfer>
      mass_origin;                             ///< null unless bodies gave mass to muscles
  std::vector<OsimPath> paths;                 ///< of an OpenSim model: see add_massive_muscles
  std::vector<std::vector<ShapePart>> shapes;  ///< per body, of a scene
  std::vector<OsimMarker> markers;             ///< of an OpenSim model
  std::vector<OsimGeometry> geometry;          ///< of an OpenSim model
  std::vector<std::string> warnings;
};

/// `model` is an .osim file, or a scene by name or file; `set` changes values of scenes. Throws an
/// Error for scenes with dependent coordinates.
ModelSource load_model(const std::string& model, const std::vector<std::string>& set);

/// Gives the muscles of an OpenSim model mass, from their strength: F₀ l₀ ρ/σ, with the density ρ
/// of muscle and the `specific_tension` σ [Pa]. Their surfaces are put where the poses ask for;
/// those that cannot be are left without mass, with a warning.
void add_massive_muscles(const Motion& motion, double specific_tension, ModelSource& model);

/// Skeleton, gravity, muscles, and the forces but for those `excluded` by name; ALL: without any.
SystemBuilder motion_system(const ModelSource& model,
                            const std::vector<std::string>& excluded = {});

/// "knee_moment", "pelvis_tx_force": how OpenSim names generalised forces.
std::vector<std::string> moment_labels(const std::vector<Coordinate>& coordinates);

}  // namespace sinew

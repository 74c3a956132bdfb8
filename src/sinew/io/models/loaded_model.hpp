#pragma once

#include <filesystem>
#include <functional>
#include <set>

#include "sinew/integrate/simulate.hpp"
#include "sinew/io/models/muscle_mass.hpp"
#include "sinew/io/models/run_options.hpp"
#include "sinew/io/models/system_edit.hpp"
#include "sinew/io/osim/osim_model.hpp"
#include "sinew/io/scene/scene.hpp"
#include "sinew/io/tables/motion_target.hpp"
#include "sinew/model/shape.hpp"
#include "sinew/muscles/path/muscle.hpp"

namespace sinew {

/// What is drawn of a model besides its muscles.
struct ModelLook {
  std::vector<std::vector<ShapePart>> shapes;  ///< per body, of a scene
  std::vector<ShapePart> fixed;                ///< that do not move, of a scene
  std::vector<OsimMarker> markers;
  std::vector<OsimGeometry> geometry;  ///< of an OpenSim model
};

/// A scene or a model of OpenSim, with all that is asked of either.
struct LoadedModel {
  std::string name;        ///< of the file, without its ending
  std::string model_name;  ///< that an OpenSim model gives itself; else the same
  std::string title, description, citation;
  std::filesystem::path path;
  std::uint64_t content_hash = 0;  ///< FNV-1a of the file's bytes

  /// What the reader made of the file, with the options that it was loaded with: one of these, the
  /// other is null.
  std::shared_ptr<const Scene> scene;
  std::shared_ptr<const OsimModel> osim;

  SimulationSettings settings;  ///< docs/opensim.md has those of OpenSim's models
  Skeleton skeleton;
  Vec3 gravity = Vec3::Zero();
  ForceList forces;
  /// Muscles of a scene with their masses, without Hill descriptions.
  std::vector<Muscle> muscles;
  std::shared_ptr<const ModelBeforeTransfer> mass_origin;  ///< null unless bodies gave mass to them
  MotionTarget target;                   ///< coordinates with their ranges, and which follow others
  std::set<std::string> locked;          ///< coordinates that cannot be moved
  std::vector<std::string> state_names;  ///< of an OpenSim model, see osim_state_names
  RunStart start;                        ///< as the options said
  ModelLook look;

  /// What the options for mass did; null where they left the file as it is.
  std::shared_ptr<const MuscleMassRecord> muscle_mass;
  /// Whether mass that can be on the bones or in muscles is on the bones, as the file has it; none
  /// where there is no such mass.
  std::optional<bool> mass_on_bones;

  std::vector<std::string> warnings;
  std::vector<std::string> left_out;  ///< what cannot be read of an OpenSim model, in words
  std::vector<std::string> notes;     ///< for whoever looks closer

  /// All of it, driven and starting as the options said, with the edit made. Throws an Error where
  /// that cannot be simulated.
  std::function<System(const SystemEdit&)> build;
  System system() const { return build({}); }
};

struct LoadOptions {
  /// Changes of the file before it is checked: "simulation.dt=0.001" of scenes (override.hpp),
  /// "/bodyset/femur_r/mass=8" of OpenSim's models (OsimEdits).
  std::vector<std::string> set = {};
  RunOptions run = {};
  std::string loads = {};  ///< ExternalLoads file; empty: none
  bool strict = false;     ///< what cannot be read of an OpenSim model is an Error
  MuscleMassOptions mass = {};
  /// Muscles of an OpenSim model pull along routes that are fixed and smooth, as those are that
  /// carry mass, instead of paths that search and jump: gradients need that. Scenes have
  /// `wrap_model`.
  bool smooth_paths = false;
  /// Activations of an OpenSim model's muscles follow excitations by one smooth law, without a kink
  /// where they meet. Scenes have `activation_law`.
  bool blended_activation = false;
  /// Where the options do not say: muscles of an OpenSim model can get mass by an edit, and have
  /// none as loaded.
  bool offer_mass = false;
};

/// An .osim file, or a scene by name or by file. Throws an Error where it cannot be read.
LoadedModel load_model(const std::string& path_or_name, const LoadOptions& options = {});

/// Coordinates that constraints moved from where the options wanted them, in words.
std::vector<std::string> moved_starts(const LoadedModel& model, const System& system,
                                      const SimulationSettings& settings);

/// Names of the states of an OpenSim model's system: value and speed of each coordinate, then
/// activation and fibre length of each muscle that pulls.
std::vector<std::string> osim_state_names(const OsimModel& model);

}  // namespace sinew

#pragma once

#include "commands.hpp"
#include "sinew/io/osim/osim_model.hpp"
#include "sinew/io/scene/scene.hpp"

namespace sinew::cli {

/// A model of OpenSim made ready to run.
struct OsimScene {
  Scene scene;
  std::vector<std::string> state_names;  ///< see sinew::state_names
  std::vector<std::string> warnings;
  std::vector<OsimGeometry> geometry = {};  ///< what it draws
  std::vector<OsimMarker> markers = {};
};

/// A scene by its file, or a model of OpenSim by its own, undriven: what pictures need.
OsimScene load_drawn(const std::filesystem::path& path, const std::vector<std::string>& set);

/// Reads the model, its controls and its initial state. Runs by SDIRK2 with steps of 2 ms unless
/// told otherwise (docs/opensim.md says why).
OsimScene load_osim_scene(const SimulateOptions& options);

}  // namespace sinew::cli

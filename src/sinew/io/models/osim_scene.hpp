#pragma once

#include "sinew/io/osim/osim_model.hpp"
#include "sinew/io/scene/scene.hpp"

namespace sinew {

/// What drives a model of OpenSim, and where it begins.
struct OsimDrive {
  std::vector<std::string> excitations;  ///< NAME=VALUE
  std::string controls;                  ///< file; empty: none
  std::vector<std::string> initial;      ///< a file, or NAME=VALUE
};

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
/// told otherwise (docs/opensim.md says why). `loads` is an ExternalLoads file, or empty; `strict`:
/// what cannot be read is an error.
OsimScene load_osim_scene(const std::filesystem::path& path, const OsimDrive& drive,
                          const std::string& loads, bool strict);

}  // namespace sinew

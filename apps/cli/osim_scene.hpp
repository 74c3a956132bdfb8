#pragma once

#include "commands.hpp"
#include "sinew/io/scene.hpp"

namespace sinew::cli {

/// A model of OpenSim made ready to run.
struct OsimScene {
  Scene scene;
  std::vector<std::string> state_names;  ///< see sinew::state_names
  std::vector<std::string> warnings;
};

/// Reads the model, its controls and its initial state. Runs by SDIRK2 with steps of 2 ms unless
/// told otherwise (docs/opensim.md says why).
OsimScene load_osim_scene(const SimulateOptions& options);

}  // namespace sinew::cli

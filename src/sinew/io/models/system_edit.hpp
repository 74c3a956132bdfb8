#pragma once

#include <optional>

#include "sinew/builder/run_start.hpp"
#include "sinew/dynamics/force.hpp"

namespace sinew {

/// What is changed of a model after it was read, before its system is built.
struct SystemEdit {
  ForceList forces = {};  ///< added to those of the model
  /// Muscles keep their paths and give their masses to the bones: back to those that gave them, or
  /// to those that they lie along in the default pose.
  bool mass_on_bones = false;
  std::optional<RunStart> start = {};  ///< none: as the model says
};

}  // namespace sinew

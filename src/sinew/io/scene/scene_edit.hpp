#pragma once

#include "sinew/dynamics/force.hpp"
#include "sinew/io/scene/scene.hpp"

namespace sinew {

/// What is changed of a scene after it was read, before its system is built.
struct SceneEdit {
  ForceList forces;  ///< added to those of the scene
  /// Muscles keep their paths and give their masses to the bones: back to those that gave them, or
  /// to those that they lie along in the default pose.
  bool mass_on_bones = false;
};

/// parse_scene with the change made. Names that the scene does not have are of no effect.
Scene parse_changed_scene(std::string_view text, const std::string& source,
                          const std::filesystem::path& folder,
                          const std::vector<std::string>& overrides, const SceneEdit& change);

}  // namespace sinew

#pragma once

#include "sinew/dynamics/force.hpp"
#include "sinew/io/scene/scene.hpp"

namespace sinew {

/// Changes to a scene after reading and before its system is built.
struct SceneEdit {
  ForceList forces;  ///< added to the scene's
  /// Muscles keep their paths and give their masses to the bones: back to the bodies that gave
  /// them, or to those that they lie along in the default pose.
  bool mass_on_bones = false;
};

/// parse_scene with the change made. Names that the scene does not have have no effect.
Scene parse_changed_scene(std::string_view text, const std::string& source,
                          const std::filesystem::path& folder,
                          const std::vector<std::string>& overrides, const SceneEdit& change);

}  // namespace sinew

#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "sinew/analysis/fit/joint_fit.hpp"

/// Fitted joints for models.

namespace sinew {

/// The keys "joint" and "placement" of a body in a scene file, as a JSON object.
std::string scene_joint(const JointFit& fit);

/// A fitted joint as OpenSim's CustomJoint has it.
struct CustomJoint {
  FunctionJoint functions;
  std::vector<std::string> coordinates;  ///< their names
  /// Where its frames are on the two bodies; none: where they are.
  struct Places {
    std::string parent, child;  ///< names of the bodies; "ground" for the ground
    Pose E_PF, E_CF;
  };
  std::optional<Places> places = {};
};

/// The element <CustomJoint>, or without places its <SpatialTransform>.
std::string joint_element(const CustomJoint& joint);

/// Writes a copy of an OpenSim model in which a CustomJoint with these coordinates moves by these
/// functions, from the places that are given. Throws an Error where the model has no such joint.
void write_changed_osim(const std::filesystem::path& from, const std::filesystem::path& to,
                        const std::string& joint_name, const CustomJoint& joint);

}  // namespace sinew

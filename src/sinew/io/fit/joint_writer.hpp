#pragma once

#include <filesystem>
#include <string>

#include "sinew/analysis/fit/joint_fit.hpp"

/// Fitted joints for models.

namespace sinew {

/// The keys "joint" and "placement" of a body in a scene file, as a JSON object.
std::string scene_joint(const JointFit& fit);

/// The joint as OpenSim's <SpatialTransform> of six functions of a coordinate.
std::string spatial_transform(const FunctionJoint& joint, const std::string& coordinate);

/// Writes a copy of an OpenSim model in which a CustomJoint of one coordinate moves by these
/// functions. Throws an Error where the model has no such joint.
void write_changed_osim(const std::filesystem::path& from, const std::filesystem::path& to,
                        const std::string& joint_name, const FunctionJoint& joint);

}  // namespace sinew

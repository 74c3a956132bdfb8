#pragma once

#include <optional>
#include <string>
#include <utility>

#include "sinew/io/fit/bone_poses.hpp"

/// Joints of models as the source of poses, and what another joint in their place changes.

namespace sinew {

/// Poses of a body against its parent, whose joint has one coordinate or two, in a scene or an
/// OpenSim model, evenly spaced over the joint's range or the one that is given, with their q; of
/// two coordinates about as many, on a grid. Throws an Error that suggests the nearest name.
BonePoses poses_of_model_joint(const std::string& model, const std::string& joint,
                               std::optional<std::pair<double, double>> range, int samples);

/// The name of the joint's one coordinate.
std::string coordinate_of(const std::string& model, const std::string& joint);

/// The largest changes between two models that differ in a joint.
struct JointChange {
  double moment_arm = 0;              ///< over the range of the joint's coordinate [m]
  std::string muscle;                 ///< whose it is; empty: no muscle
  double moment = 0;                  ///< along the motion [N m]
  std::string coordinate;             ///< at which it is
  std::vector<std::string> warnings;  ///< of the motion, in words
};
/// `motion` empty: moments are not compared.
JointChange compare_joint(const std::string& before, const std::string& after,
                          const std::string& joint, const std::string& motion);

}  // namespace sinew

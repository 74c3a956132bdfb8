#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sinew/io/fit/bone_poses.hpp"
#include "sinew/model/joint.hpp"

/// Joints of models as the source of poses, and what another joint in their place changes.

namespace sinew {

/// Poses of a body against its parent, whose joint has one coordinate or two, in a scene or an
/// OpenSim model, evenly spaced over the joint's range or the one that is given, with their q; of
/// two coordinates about as many, on a grid. Throws an Error that suggests the nearest name.
BonePoses poses_of_model_joint(const std::string& model, const std::string& joint,
                               std::optional<std::pair<double, double>> range, int samples);

/// Along which a joint's coordinate goes, also in a joint of several parts; null of others.
const CubicBSpline* spline_of_coordinate(const Joint& joint, int k);

/// The bodies of a joint ("ground" for the world) and the names of its coordinates. Throws an Error
/// for one that the model moves from its child's side.
struct JointNames {
  std::string parent, child;
  std::vector<std::string> coordinates;
};
JointNames names_of_joint(const std::string& model, const std::string& joint);

/// The largest changes between two models that differ in a joint.
struct JointChange {
  double moment_arm = 0;              ///< over the ranges of the joint's coordinates [m]
  std::string muscle;                 ///< whose it is; empty: no muscle
  double moment = 0;                  ///< along the motion [N m]
  std::string coordinate;             ///< at which it is
  std::vector<std::string> warnings;  ///< of the motion, in words
};
/// `motion` empty: moments are not compared.
JointChange compare_joint(const std::string& before, const std::string& after,
                          const std::string& joint, const std::string& motion);

}  // namespace sinew

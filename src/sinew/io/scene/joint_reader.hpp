#pragma once

#include "sinew/io/json/object_reader.hpp"
#include "sinew/model/joint.hpp"

namespace sinew {

/// Elastic ends of the range of a joint's coordinates, SI, one value per coordinate; all empty if
/// the joint has none.
struct StopsReading {
  std::vector<double> lower, upper;  ///< infinite if not given
  std::vector<double> stiffness, damping;
  std::vector<double> transition;  ///< depth over which they set in smoothly; 0: at once
};

/// The joint of a body as the file describes it, values in SI, one per coordinate.
struct JointReading {
  Joint joint = Fixed{};
  std::string name;  ///< empty: not given
  Pose E_PJ;
  std::vector<std::string> coordinate_names;  ///< empty: not given
  std::vector<double> q0, qdot0;
  std::vector<double> stiffness, damping, rest;
  StopsReading stops;
  int line = 0;
};
JointReading read_joint(const SceneContext& context, const JsonNode& node,
                        const std::string& body_name);

/// One value per coordinate from a number, which then holds for all, or a list.
std::vector<double> per_coordinate(const ValueReader& reader, const JsonNode& node, int count,
                                   std::string_view what);

}  // namespace sinew

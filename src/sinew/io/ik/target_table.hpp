#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "sinew/analysis/ik/inverse_kinematics.hpp"
#include "sinew/analysis/motion/motion_table.hpp"

namespace sinew {

/// A point of a body under a name of its own: "heel=foot:0.01,-0.02,0".
struct NamedPoint {
  std::string name;
  BodyIndex body;
  Vec3 x_B;
};
/// Throws an Error that says how it is written, or suggests the nearest body.
NamedPoint parse_named_point(const std::string& text, const Skeleton& skeleton);

/// Targets over time: for each time of a table those that the row has numbers for. Columns of a
/// body are <body>_X, _Y, _Z, the place of its origin [m], and <body>_Ox, _Oy, _Oz, turned about x,
/// then the new y, then the new z [rad], as `bodies.sto` of a run has them: a pose where all six
/// are there, a point where only the first three are. Columns of a named point are <point>_X, _Y,
/// _Z.
struct TargetTable {
  std::vector<double> times;
  std::vector<std::vector<IkTarget>> targets;  ///< of each time
  std::vector<std::string> names;              ///< of the bodies and points that are there
  std::vector<std::string> warnings;
};

/// `bodies` empty: all that the table has. Throws an Error for names that the table does not have,
/// and if it has none at all.
TargetTable read_targets(const std::filesystem::path& path, const Skeleton& skeleton,
                         const std::vector<std::string>& bodies,
                         const std::vector<NamedPoint>& points, double length);

}  // namespace sinew

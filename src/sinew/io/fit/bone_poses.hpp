#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "sinew/math/se3.hpp"

namespace sinew {

/// Measured poses of one bone, the child, against another, its parent.
struct BonePoses {
  std::vector<Pose> poses;  ///< [m]
  MatX q;                   ///< one coordinate or two of each pose, a column each; empty: unknown
  std::vector<int> rows;    ///< of each pose in its file, counted from 1
  std::vector<std::string> warnings;
  /// Of a model's joint: where its frames are, on the parent and of the child in the moving one.
  Pose E_PJ = {}, E_JB = {};
};

/// A table with a row for each pose (.sto, .mot or .csv). Columns: tx, ty, tz [m]; the rotation as
/// r11, r12, … r33 (a matrix), as qw, qx, qy, qz (a quaternion), or as rx, ry, rz (turned about x,
/// then the new y, then the new z; rad, or degrees where the header of a .sto or .mot says so);
/// and, if they are known, q, or q1 and q2. Other columns are ignored. Throws an Error with file
/// and row.
BonePoses read_pose_table(const std::filesystem::path& path);
BonePoses parse_pose_table(std::string_view text, const std::string& name);

/// Markers on two bones (.trc), three or more on each, by name. The frame of a bone is made of its
/// first three markers in the first row that has them all: origin in the first, x towards the
/// second, z normal to all three. Rows in which a bone has fewer than three are left out, with a
/// warning.
BonePoses read_marker_poses(const std::filesystem::path& path,
                            const std::vector<std::string>& parent,
                            const std::vector<std::string>& child);

}  // namespace sinew

#include "sinew/io/fit/bone_poses.hpp"

#include <Eigen/Geometry>
#include <Eigen/SVD>
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <optional>

#include "sinew/core/error.hpp"
#include "sinew/core/names.hpp"
#include "sinew/io/scene/scene.hpp"
#include "sinew/io/tables/storage_file.hpp"
#include "sinew/io/tables/text_lines.hpp"
#include "sinew/io/tables/trc_file.hpp"
#include "sinew/math/so3.hpp"

namespace sinew {
namespace {

/// Columns by name, of any kind of table.
struct PoseColumns {
  std::string file;
  std::vector<std::string> labels;
  std::vector<std::vector<double>> rows;
  double angle_unit = 1;  ///< [rad]

  int find(const std::string& label) const {
    int found = -1;
    for (size_t k = 0; k < labels.size(); ++k)
      if (labels[k] == label) {
        if (found >= 0) throw Error(file, "has two columns '" + label + "'", "leave one out");
        found = static_cast<int>(k);
      }
    return found;
  }
  int column(const std::string& label) const {
    const int found = find(label);
    if (found < 0)
      throw Error(file, "has no column '" + label + "'",
                  "give tx, ty, tz, and r11 … r33, qw, qx, qy, qz or rx, ry, rz");
    return found;
  }
  template <size_t n>
  std::array<int, n> columns(const std::array<const char*, n>& names) const {
    std::array<int, n> out{};
    for (size_t i = 0; i < n; ++i) out[i] = column(names[i]);
    return out;
  }
};

std::vector<std::string> split_at_commas(std::string_view line) {
  std::vector<std::string> out;
  while (true) {
    const size_t comma = line.find(',');
    std::string_view cell = trimmed(line.substr(0, comma));
    if (cell.size() >= 2 && cell.front() == '"' && cell.back() == '"')
      cell = cell.substr(1, cell.size() - 2);
    out.emplace_back(cell);
    if (comma == std::string_view::npos) return out;
    line.remove_prefix(comma + 1);
  }
}

PoseColumns parse_csv(std::string_view text, const std::string& name) {
  TextLines lines(text, name);
  PoseColumns out{.file = name, .labels = {}, .rows = {}};
  std::string_view line;
  while (lines.next(line)) {
    if (trimmed(line).empty()) continue;
    const std::vector<std::string> cells = split_at_commas(line);
    if (out.labels.empty()) {
      out.labels = cells;
      continue;
    }
    if (cells.size() != out.labels.size())
      lines.fail("row", "has " + std::to_string(cells.size()) + " cells",
                 "give " + std::to_string(out.labels.size()) + ", as the first line names");
    out.rows.emplace_back();
    for (const std::string& cell : cells) {
      double value = 0;
      if (!parse_number(cell, value))
        lines.fail("row", quoted_word(cell) + " is not a number", "give a number");
      out.rows.back().push_back(value);
    }
  }
  return out;
}

PoseColumns from_storage(const StorageFile& file) {
  PoseColumns out{.file = file.table.name, .labels = file.table.labels, .rows = {}};
  if (file.in_degrees) out.angle_unit = std::numbers::pi / 180;
  for (Eigen::Index i = 0; i < file.table.values.rows(); ++i) {
    const VecX row = file.table.values.row(i);
    out.rows.emplace_back(row.begin(), row.end());
  }
  return out;
}

Mat3 rotation_of_row(const PoseColumns& table, const std::vector<double>& row,
                     const std::string& element) {
  const auto at = [&](int k) { return row[static_cast<size_t>(k)]; };
  if (table.find("r11") >= 0) {
    const auto c =
        table.columns<9>({"r11", "r12", "r13", "r21", "r22", "r23", "r31", "r32", "r33"});
    Mat3 R;
    for (int i = 0; i < 9; ++i) R(i / 3, i % 3) = at(c[static_cast<size_t>(i)]);
    return R;
  }
  if (table.find("qw") >= 0) {
    const auto c = table.columns<4>({"qw", "qx", "qy", "qz"});
    const Eigen::Quaterniond quaternion(at(c[0]), at(c[1]), at(c[2]), at(c[3]));
    // Printed with three digits, a quaternion is still one.
    if (!(std::abs(quaternion.norm() - 1) < 5e-3))
      throw Error(element, "its quaternion does not have length 1", "give qw, qx, qy, qz in order");
    return quaternion.normalized().toRotationMatrix();
  }
  const auto c = table.columns<3>({"rx", "ry", "rz"});
  Mat3 R = Mat3::Identity();
  for (int i = 0; i < 3; ++i)
    R = R * rotation_about(Vec3::Unit(i), at(c[static_cast<size_t>(i)]) * table.angle_unit);
  return R;
}

/// Angles of more than a turn, which are to be radians.
void warn_of_degrees(const PoseColumns& table, BonePoses& out) {
  if (table.find("r11") >= 0 || table.find("qw") >= 0 || table.angle_unit != 1) return;
  const auto c = table.columns<3>({"rx", "ry", "rz"});
  double largest = 0;
  int worst = 0;
  for (size_t k = 0; k < table.rows.size(); ++k)
    for (const int i : c)
      if (const double angle = std::abs(table.rows[k][static_cast<size_t>(i)]);
          angle > largest && std::isfinite(angle))
        largest = angle, worst = out.rows[k];
  if (largest > 2 * std::numbers::pi)
    out.warnings.push_back(table.file + ": row " + std::to_string(worst) + " turns by " +
                           std::to_string(static_cast<int>(std::min(largest, 1e9))) +
                           " rad: if that is degrees, give radians, or a .sto or .mot whose header "
                           "says inDegrees=yes");
}

BonePoses poses_of_table(const PoseColumns& table) {
  if (table.rows.empty()) throw Error(table.file, "has no rows", "give a row for each pose");
  const auto position = table.columns<3>({"tx", "ty", "tz"});
  std::vector<int> coordinates;
  if (table.find("q") >= 0) coordinates = {table.find("q")};
  if (table.find("q1") >= 0 || table.find("q2") >= 0) {
    coordinates.insert(coordinates.end(), {table.find("q1"), table.find("q2")});
    if (coordinates.size() > 2 || coordinates[0] < 0 || coordinates[1] < 0)
      throw Error(table.file, "names coordinates other than q, or q1 and q2",
                  "give q for a joint of one coordinate, q1 and q2 for one of two");
  }
  BonePoses out;
  out.q.resize(static_cast<Eigen::Index>(coordinates.size()),
               static_cast<Eigen::Index>(coordinates.empty() ? 0 : table.rows.size()));
  for (size_t k = 0; k < table.rows.size(); ++k) {
    const std::vector<double>& row = table.rows[k];
    const std::string element = table.file + ": pose " + std::to_string(k + 1);
    Pose pose;
    for (int i = 0; i < 3; ++i)
      pose.p[i] = row[static_cast<size_t>(position[static_cast<size_t>(i)])];
    pose.R = rotation_of_row(table, row, element);
    for (size_t i = 0; i < coordinates.size(); ++i)
      out.q(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(k)) =
          row[static_cast<size_t>(coordinates[i])];
    out.poses.push_back(pose);
    out.rows.push_back(static_cast<int>(k) + 1);
  }
  warn_of_degrees(table, out);
  return out;
}

/// Positions of some markers in one row [m]; NaN where one is missing.
std::vector<Vec3> marker_positions(const MarkerFile& file, const std::vector<int>& markers,
                                   Eigen::Index row) {
  std::vector<Vec3> out;
  for (const int m : markers) out.emplace_back(file.table.values.row(row).segment<3>(3 * m));
  return out;
}

std::vector<int> find_markers(const MarkerFile& file, const std::vector<std::string>& names) {
  std::vector<int> out;
  for (const std::string& name : names) {
    const auto found = std::find(file.markers.begin(), file.markers.end(), name);
    if (found == file.markers.end())
      throw Error(file.table.name, "has no marker '" + name + "'", suggest(name, file.markers));
    out.push_back(static_cast<int>(found - file.markers.begin()));
  }
  return out;
}

/// The markers of a bone in its own frame, from the first row that has them all.
std::vector<Vec3> marker_shape(const MarkerFile& file, const std::vector<int>& markers,
                               const std::string& bone) {
  for (Eigen::Index row = 0; row < file.table.values.rows(); ++row) {
    std::vector<Vec3> x = marker_positions(file, markers, row);
    bool complete = true;
    for (const Vec3& at : x) complete = complete && at.allFinite();
    if (!complete) continue;
    const Vec3 along = x[1] - x[0], normal = along.cross(x[2] - x[0]);
    // Less than a degree between the two directions tells nothing of the third.
    if (!(normal.norm() > 0.01 * along.norm() * (x[2] - x[0]).norm()))
      throw Error(file.table.name, "the first three markers of the " + bone + " lie on a line",
                  "name three that do not first");
    Mat3 R;
    R << along.normalized(), normal.cross(along).normalized(), normal.normalized();
    const Pose frame{R, x[0]};
    for (Vec3& at : x) at = frame.inverse() * at;
    return x;
  }
  throw Error(file.table.name, "no row has all markers of the " + bone,
              "name only markers that are seen together");
}

/// The pose that takes the shape to the markers that are seen, closest in the mean square (Kabsch
/// 1976); none if fewer than three are seen.
std::optional<Pose> pose_of_markers(const std::vector<Vec3>& shape, const std::vector<Vec3>& seen) {
  Vec3 from = Vec3::Zero(), to = Vec3::Zero();
  double n = 0;
  for (size_t k = 0; k < seen.size(); ++k)
    if (seen[k].allFinite()) from += shape[k], to += seen[k], ++n;
  if (n < 3) return std::nullopt;
  from /= n;
  to /= n;
  Mat3 H = Mat3::Zero();
  for (size_t k = 0; k < seen.size(); ++k)
    if (seen[k].allFinite()) H += (seen[k] - to) * (shape[k] - from).transpose();
  const Eigen::JacobiSVD<Mat3> svd(H, Eigen::ComputeFullU | Eigen::ComputeFullV);
  const Mat3 U = svd.matrixU(), V = svd.matrixV();
  const Vec3 sign(1, 1, (U * V.transpose()).determinant() < 0 ? -1 : 1);
  const Mat3 R = U * sign.asDiagonal() * V.transpose();
  return Pose{R, to - R * from};
}

}  // namespace

BonePoses parse_pose_table(std::string_view text, const std::string& name) {
  if (name.ends_with(".csv")) return poses_of_table(parse_csv(text, name));
  return poses_of_table(from_storage(parse_storage(text, name)));
}

BonePoses read_pose_table(const std::filesystem::path& path) {
  if (path.extension() != ".csv") {
    const StorageFile file = read_storage(path);
    BonePoses out = poses_of_table(from_storage(file));
    out.warnings.insert(out.warnings.begin(), file.warnings.begin(), file.warnings.end());
    return out;
  }
  return parse_pose_table(read_text_file(path), path.string());
}

BonePoses read_marker_poses(const std::filesystem::path& path,
                            const std::vector<std::string>& parent,
                            const std::vector<std::string>& child) {
  if (parent.size() < 3 || child.size() < 3)
    throw Error("markers", "a bone has fewer than three", "name at least three of each bone");
  const MarkerFile file = read_trc(path);
  const std::vector<int> on_parent = find_markers(file, parent),
                         on_child = find_markers(file, child);
  const std::vector<Vec3> parent_shape = marker_shape(file, on_parent, "parent");
  const std::vector<Vec3> child_shape = marker_shape(file, on_child, "child");
  BonePoses out;
  out.warnings = file.warnings;
  for (Eigen::Index row = 0; row < file.table.values.rows(); ++row) {
    const auto P = pose_of_markers(parent_shape, marker_positions(file, on_parent, row));
    const auto C = pose_of_markers(child_shape, marker_positions(file, on_child, row));
    if (!P || !C) continue;
    out.poses.push_back(P->inverse() * *C);
    out.rows.push_back(static_cast<int>(row) + 1);
  }
  const auto missing = file.table.values.rows() - static_cast<Eigen::Index>(out.poses.size());
  if (missing > 0)
    out.warnings.push_back(path.string() + ": " + std::to_string(missing) +
                           " rows are left out, in which a bone has fewer than three markers");
  return out;
}

}  // namespace sinew

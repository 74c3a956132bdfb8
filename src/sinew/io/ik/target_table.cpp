#include "sinew/io/ik/target_table.hpp"

#include <array>
#include <cmath>
#include <optional>

#include "sinew/core/error.hpp"
#include "sinew/core/names.hpp"
#include "sinew/io/tables/storage_file.hpp"
#include "sinew/io/tables/text_lines.hpp"
#include "sinew/math/so3.hpp"

namespace sinew {
namespace {

/// Three columns <name><suffix>, if all are there.
std::optional<std::array<int, 3>> three_columns(const MotionTable& table, const std::string& name,
                                                const std::array<const char*, 3>& suffixes) {
  std::array<int, 3> out{};
  int found = 0;
  for (size_t i = 0; i < 3; ++i) {
    out[i] = table.find(name + suffixes[i]);
    found += out[i] >= 0;
  }
  if (found == 0) return std::nullopt;
  if (found < 3)
    throw Error(table.name,
                "has only " + std::to_string(found) + " of the columns " + name + suffixes[0] +
                    ", " + name + suffixes[1] + ", " + name + suffixes[2],
                "give all three, or none");
  return out;
}

constexpr std::array<const char*, 3> kPlace = {"_X", "_Y", "_Z"};
constexpr std::array<const char*, 3> kTurn = {"_Ox", "_Oy", "_Oz"};

/// A body or a point with its columns.
struct TargetColumns {
  BodyIndex body;
  Vec3 x_B = Vec3::Zero();
  std::array<int, 3> place{};
  std::optional<std::array<int, 3>> turn;
};

Vec3 three_values(const MatX& values, Eigen::Index row, const std::array<int, 3>& columns) {
  return {values(row, columns[0]), values(row, columns[1]), values(row, columns[2])};
}

std::optional<IkTarget> target_of_row(const TargetColumns& columns, const MatX& values,
                                      Eigen::Index row, double length) {
  const Vec3 place = three_values(values, row, columns.place);
  if (!place.allFinite()) return std::nullopt;
  if (!columns.turn) return IkPoint{columns.body, columns.x_B, place};
  const Vec3 angles = three_values(values, row, *columns.turn);
  if (!angles.allFinite()) return std::nullopt;
  Mat3 R = Mat3::Identity();
  for (int i = 0; i < 3; ++i) R = R * rotation_about(Vec3::Unit(i), angles[i]);
  return IkPose{columns.body, Pose{R, place}, PoseMetric::AtPoint(Vec3::Zero(), length)};
}

bool is_turn(const std::string& label) {
  return label.ends_with("_Ox") || label.ends_with("_Oy") || label.ends_with("_Oz");
}

std::vector<TargetColumns> columns_of(const MotionTable& table, const Skeleton& skeleton,
                                      const std::vector<std::string>& bodies,
                                      const std::vector<NamedPoint>& points, TargetTable& out) {
  std::vector<TargetColumns> list;
  std::vector<std::string> wanted = bodies;
  if (bodies.empty())
    for (const Body& body : skeleton.bodies()) wanted.push_back(body.name);
  for (const std::string& name : wanted) {
    const BodyIndex body = skeleton.find_body(name);
    const auto place = three_columns(table, name, kPlace);
    if (!place && !bodies.empty())
      throw Error(table.name, "has no columns of body '" + name + "'",
                  "give " + name + "_X, _Y, _Z, and for its rotation _Ox, _Oy, _Oz");
    if (!place) continue;
    list.push_back({body, Vec3::Zero(), *place, three_columns(table, name, kTurn)});
    out.names.push_back(name);
  }
  for (const NamedPoint& point : points) {
    const auto place = three_columns(table, point.name, kPlace);
    if (!place)
      throw Error(table.name, "has no columns of point '" + point.name + "'",
                  "give " + point.name + "_X, _Y, _Z");
    list.push_back({point.body, point.x_B, *place, std::nullopt});
    out.names.push_back(point.name);
  }
  if (list.empty())
    throw Error(table.name, "has no column of a body of the model",
                "name columns <body>_X, _Y, _Z, or give --point");
  return list;
}

}  // namespace

NamedPoint parse_named_point(const std::string& text, const Skeleton& skeleton) {
  const size_t equals = text.find('='), colon = text.find(':', equals);
  const auto fail = [&] {
    throw Error("point '" + text + "'", "is not written as it must be",
                "write NAME=BODY:X,Y,Z with the place on the body in metres");
  };
  if (equals == 0 || equals == std::string::npos || colon == std::string::npos) fail();
  NamedPoint out{text.substr(0, equals),
                 skeleton.find_body(text.substr(equals + 1, colon - equals - 1)), Vec3::Zero()};
  std::string_view rest = std::string_view(text).substr(colon + 1);
  for (int i = 0; i < 3; ++i) {
    const size_t comma = rest.find(',');
    if ((comma == std::string_view::npos) != (i == 2) ||
        !parse_number(trimmed(rest.substr(0, comma)), out.x_B[i]) || !std::isfinite(out.x_B[i]))
      fail();
    if (i < 2) rest.remove_prefix(comma + 1);
  }
  return out;
}

TargetTable read_targets(const std::filesystem::path& path, const Skeleton& skeleton,
                         const std::vector<std::string>& bodies,
                         const std::vector<NamedPoint>& points, double length) {
  StorageFile file = read_storage(path);
  to_radians(is_turn, file);
  TargetTable out;
  out.warnings = file.warnings;
  const std::vector<TargetColumns> list = columns_of(file.table, skeleton, bodies, points, out);
  for (size_t k = 0; k < file.table.times.size(); ++k) {
    std::vector<IkTarget> targets;
    for (const TargetColumns& columns : list)
      if (auto target =
              target_of_row(columns, file.table.values, static_cast<Eigen::Index>(k), length))
        targets.push_back(*target);
    if (targets.empty()) {
      out.warnings.push_back(path.string() + ": nothing is known at " +
                             std::to_string(file.table.times[k]) + " s: that row is left out");
      continue;
    }
    out.times.push_back(file.table.times[k]);
    out.targets.push_back(std::move(targets));
  }
  return out;
}

}  // namespace sinew

#include "sinew/export/moving_line.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "sinew/muscles/opensim/opensim_path_drawing.hpp"

namespace sinew {
namespace {

using std::numbers::pi;

/// The part of a belly's cross-section over its largest: slim bellies run out into their tendons.
double fullness(double beta) {
  return beta <= 0 || beta >= 1 ? 0 : std::pow(std::sin(pi * beta), 2);
}
constexpr double kMeanFullness = 0.5;
constexpr size_t kBellyPoints = 12;  // of a belly, beside its corners

/// Arc lengths of the points.
std::vector<double> lengths_along(const std::vector<Vec3>& line) {
  std::vector<double> out(line.size(), 0);
  for (size_t k = 1; k < line.size(); ++k) out[k] = out[k - 1] + (line[k] - line[k - 1]).norm();
  return out;
}

/// The direction of the line at a point: between its neighbours that are elsewhere.
Vec3 direction_at(const std::vector<Vec3>& line, size_t k, double near) {
  size_t a = k, b = k;
  while (a > 0 && (line[a] - line[k]).norm() <= near) --a;
  while (b + 1 < line.size() && (line[b] - line[k]).norm() <= near) ++b;
  const Vec3 way = line[b] - line[a];
  const double size = way.norm();
  return size > near ? Vec3(way / size) : Vec3(Vec3::UnitY());
}

/// The line without points that are where others are, or on a straight line between others.
std::vector<Vec3> corners(const std::vector<Vec3>& line) {
  const double near = 1e-9 * length_of(line);
  std::vector<Vec3> out = {line.front()};
  for (size_t k = 1; k + 1 < line.size(); ++k) {
    const Vec3 before = line[k] - out.back(), after = line.back() - line[k];
    if (before.norm() <= near || after.norm() <= near) continue;
    size_t next = k + 1;
    while ((line[next] - line[k]).norm() <= near) ++next;
    const Vec3 way = line[next] - line[k];
    if (before.cross(way).norm() > 1e-6 * before.norm() * way.norm()) out.push_back(line[k]);
  }
  out.push_back(line.back());
  return out;
}

/// The line from one arc length to another.
std::vector<Vec3> piece(const std::vector<Vec3>& line, double from, double to) {
  const std::vector<double> s = lengths_along(line);
  const double near = 1e-9 * s.back();
  const auto point = [&](double at) -> Vec3 {
    size_t k = 0;
    while (k + 2 < s.size() && s[k + 1] < at) ++k;
    const double length = s[k + 1] - s[k];
    const double part = length > 0 ? std::clamp((at - s[k]) / length, 0.0, 1.0) : 0;
    return line[k] + part * (line[k + 1] - line[k]);
  };
  std::vector<Vec3> out = {point(from)};
  for (size_t k = 0; k < s.size(); ++k)
    if (s[k] > from + near && s[k] < to - near) out.push_back(line[k]);
  out.push_back(point(to));
  return out;
}

/// Points of a line that begins where `out` ends, if that has any: `count` with that one.
void append_points(const std::vector<Vec3>& line, size_t count, std::vector<Vec3>& out) {
  const std::vector<Vec3> points =
      length_of(line) > 0 ? spread_points(line, count) : std::vector<Vec3>(count, line.front());
  out.insert(out.end(), points.begin() + (out.empty() ? 0 : 1), points.end());
}

}  // namespace

double length_of(const std::vector<Vec3>& line) {
  return line.empty() ? 0 : lengths_along(line).back();
}

std::vector<Eigen::Quaterniond> across(const std::vector<Vec3>& line, Vec3& side) {
  const double near = 1e-9 * std::max(1e-3, length_of(line));
  std::vector<Eigen::Quaterniond> out;
  Vec3 u = side;
  for (size_t k = 0; k < line.size(); ++k) {
    const Vec3 way = direction_at(line, k, near);
    Vec3 turned = u - u.dot(way) * way;
    if (turned.norm() < 1e-6) turned = way.unitOrthogonal();
    u = turned.normalized();
    Mat3 R;
    R << u, way.cross(u), way;
    out.emplace_back(R);
    if (k == 0) side = u;
  }
  return out;
}

MuscleTube::MuscleTube(const DrawnBelly& belly, const LineFrames& paths, double size)
    : belly_(belly) {
  const double length = std::max(length_of(paths[0]), 1e-3 * size);
  const double flesh = place(length).length;
  // A modest one where nothing is known.
  volume_ =
      belly.volume > 0 ? belly.volume : kMeanFullness * pi * flesh * std::pow(0.008 * size, 2);
  const double usual = std::sqrt(volume_ / (kMeanFullness * pi * flesh));
  tendon_ = std::min(0.4 * usual, std::max(0.17 * usual, 0.0022 * size));

  // Tendon, belly, tendon, per frame.
  std::vector<LineFrames> parts(3);
  for (const std::vector<Vec3>& path : paths) {
    const std::vector<Vec3> line = corners(path);
    const double whole = length_of(line);
    const Place at = place(whole);
    const double ends[] = {0, at.begin, at.begin + at.length, whole};
    for (size_t k = 0; k < 3; ++k) parts[k].push_back(piece(line, ends[k], ends[k + 1]));
  }
  lines_.resize(paths.size());
  for (size_t k = 0; k < 3; ++k) {
    size_t count = 2;
    double longest = 0;
    for (const std::vector<Vec3>& part : parts[k]) {
      count = std::max(count, part.size());
      longest = std::max(longest, length_of(part));
    }
    if (k == 1) {
      first_ = lines_[0].empty() ? 0 : lines_[0].size() - 1;
      count += kBellyPoints;
    }
    // A tendon that is never there has no points; a belly has, even on a path of no length.
    if (k == 1 || longest > 1e-6 * length)
      for (size_t f = 0; f < paths.size(); ++f) append_points(parts[k][f], count, lines_[f]);
    if (k == 1) last_ = lines_[0].size() - 1;
  }
}

MuscleTube::Place MuscleTube::place(double length) const {
  if (!(belly_.volume > 0)) return {0.18 * length, 0.64 * length};
  const MaterialMap& map = belly_.map;
  // A belly may be short, and does not vanish.
  const double flesh = std::clamp(map.B0 + map.B1 * length, 0.25 * length, length);
  return {std::clamp(map.A0 + map.A1 * length, 0.0, length - flesh), flesh};
}

std::vector<std::vector<double>> MuscleTube::radii() const {
  std::vector<std::vector<double>> out;
  for (const std::vector<Vec3>& line : lines_) {
    const std::vector<double> s = lengths_along(line);
    const Place flesh = place(s.back());
    std::vector<double>& radii = out.emplace_back(s.size());
    double content = 0;
    for (size_t k = 0; k < s.size(); ++k) {
      radii[k] = flesh.length > 0 ? fullness((s[k] - flesh.begin) / flesh.length) : 0;
      if (k > 0) content += 0.5 * (radii[k - 1] + radii[k]) * (s[k] - s[k - 1]);
    }
    const double most = content > 0 ? volume_ / (pi * content) : 0;
    for (double& r : radii) r = std::sqrt(tendon_ * tendon_ + most * r);
  }
  return out;
}

}  // namespace sinew

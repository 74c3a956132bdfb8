#include "sinew/muscles/opensim/path_with_fixed_wraps.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>

#include "sinew/math/infinity.hpp"
#include "sinew/muscles/opensim/opensim_path_on_skeleton.hpp"

namespace sinew {
namespace {

/// The number of times a segment wraps around a surface, and its winding about the surface's z.
struct Count {
  int wraps = 0;
  int counter_clockwise = 0;

  Count& operator+=(const Count& other) {
    wraps += other.wraps;
    counter_clockwise += other.counter_clockwise;
    return *this;
  }
};

/// The middle between two surfaces that a segment wraps around one after the other, summed over
/// the poses, in the frames of their bodies.
struct Middle {
  struct OnBody {
    Vec3 sum = Vec3::Zero();
    double squares = 0;

    void add(const Vec3& x) {
      sum += x;
      squares += x.squaredNorm();
    }
  };
  int poses = 0;
  OnBody first, second;

  Vec3 mean(const OnBody& on) const { return on.sum / poses; }
  /// How far it moves on the body.
  double spread(const OnBody& on) const { return on.squares / poses - mean(on).squaredNorm(); }
};

struct Counts {
  std::vector<std::vector<Count>> of;              ///< [surface][segment]
  std::map<std::pair<int, int>, Middle> in_a_row;  ///< by the first and the second surface
  std::vector<std::vector<bool>> present;          ///< [pose][point]: whether it is in the path
};

/// A radius of the surface: an arc of half its circle is a long way round.
double radius_of(const Wrap& wrap) {
  if (const auto* cylinder = std::get_if<CylinderWrap>(&wrap)) return cylinder->radius;
  if (const auto* sphere = std::get_if<SphereWrap>(&wrap)) return sphere->radius;
  if (const auto* ellipsoid = std::get_if<EllipsoidWrap>(&wrap)) return ellipsoid->semi_axes[0];
  return std::get<TorusWrap>(wrap).tube;
}

Counts count_wraps(const OpenSimPath& path, const Skeleton& skeleton,
                   const std::vector<VecX>& poses) {
  Counts out;
  out.of.assign(path.surfaces.size(), std::vector<Count>(path.points.size()));
  SkeletonWorkspace ws(skeleton);
  const OpenSimPathOnSkeleton route(skeleton, path);
  OpenSimPathWorkspace course;
  const VecX rest = VecX::Zero(skeleton.dof_count());
  const ConstVecRef qdot = rest;
  for (const VecX& pose : poses) {
    const ConstVecRef q = pose;
    update_kinematics(skeleton, q, qdot, ws);
    route.update({skeleton, 0, q, qdot, ws}, course);
    const auto surface_of = [&](int s) -> const PathSurface& {
      return *path.surfaces[static_cast<size_t>(s)].surface;
    };
    std::vector<bool>& present = out.present.emplace_back(path.points.size());
    for (const OpenSimPathNode& node : course.nodes)
      if (node.point >= 0) present[static_cast<size_t>(node.point)] = true;
    int point = 0;
    for (size_t n = 0; n + 1 < course.nodes.size(); ++n) {
      const OpenSimPathNode &node = course.nodes[n], &next = course.nodes[n + 1];
      if (node.point >= 0) point = node.point;
      if (node.surface < 0 || next.surface < 0) continue;
      if (next.surface != node.surface) {  // from one surface to the next
        const Vec3 x = 0.5 * (node.x + next.x);
        const auto on = [&](int s) {
          return Vec3(body_pose(skeleton, ws, surface_of(s).body).inverse() * x);
        };
        Middle& middle = out.in_a_row[{node.surface, next.surface}];
        ++middle.poses;
        middle.first.add(on(node.surface));
        middle.second.add(on(next.surface));
        continue;
      }
      const Pose E_SW = course.E_WS[static_cast<size_t>(node.surface)].inverse();
      const Vec3 r1 = E_SW * node.x, r2 = E_SW * next.x;
      const bool far_way = next.arc > std::numbers::pi * radius_of(surface_of(node.surface).wrap);
      Count& count = out.of[static_cast<size_t>(node.surface)][static_cast<size_t>(point)];
      ++count.wraps;
      count.counter_clockwise += (r1.x() * r2.y() - r1.y() * r2.x() > 0) != far_way;
    }
  }
  return out;
}

/// The surface as a span has it: on the side on which the poses wrap, smooth through touch-down.
Wrap smooth_wrap(const PathSurface& surface, const Count& count) {
  Wrap out = surface.wrap;
  if (auto* cylinder = std::get_if<CylinderWrap>(&out)) {
    cylinder->half_length = kInfinity;
    cylinder->side = 2 * count.counter_clockwise >= count.wraps ? WrapSide::counter_clockwise
                                                                : WrapSide::clockwise;
  } else if (auto* ellipsoid = std::get_if<EllipsoidWrap>(&out)) {
    ellipsoid->side = surface.sign * Vec3::Unit(surface.axis);
  }
  return out;
}

/// The point without its condition.
PathPoint present(const OpenSimPathPoint& point) {
  PathPoint out = PathPoint::Fixed(point.body, point.x_B);
  for (const OpenSimPathPoint::Motion& motion : point.motions) {
    PathTerm term;
    term.body = point.body;
    term.x_B = motion.axis_B;
    term.direction = true;
    if (motion.dof.valid())
      term.weights = {{motion.dof, motion.f}};
    else
      term.scale = std::get<ConstantFunction>(motion.f).value;
    out.terms.push_back(std::move(term));
  }
  return out;
}

/// Whether a point is part of the path whenever another one of the same condition is.
bool covers(const OpenSimPathPoint& wide, const OpenSimPathPoint& narrow) {
  return wide.condition == narrow.condition && wide.lower <= narrow.lower &&
         wide.upper >= narrow.upper;
}

/// The surfaces that the segments between two points wrap around, the most frequent first.
using FoundSurfaces = std::vector<std::pair<int, Count>>;

FoundSurfaces surfaces_between(size_t from, size_t to, const Counts& counts) {
  FoundSurfaces out;
  for (size_t s = 0; s < counts.of.size(); ++s) {
    Count sum;
    for (size_t k = from; k < to; ++k) sum += counts.of[s][k];
    if (sum.wraps > 0) out.emplace_back(static_cast<int>(s), sum);
  }
  std::stable_sort(out.begin(), out.end(),
                   [](const auto& a, const auto& b) { return a.second.wraps > b.second.wraps; });
  return out;
}

/// The part of the poses in which a point belongs to the path.
double presence(const Counts& counts, size_t point) {
  double out = 0;
  for (const std::vector<bool>& present : counts.present) out += present[point];
  return out / static_cast<double>(counts.present.size());
}

/// Whether a point comes and goes in the poses, and no surface is beside it.
bool is_blended(const OpenSimPath& path, const Counts& counts, size_t k) {
  if (k == 0 || k + 1 == path.points.size()) return false;
  const double part = presence(counts, k);
  return part > 0 && part < 1 && surfaces_between(k - 1, k + 1, counts).empty();
}

/// The points that stay: all but those that are mostly away beside a surface, or always.
std::vector<size_t> lasting_points(const OpenSimPath& path, const Counts& counts) {
  std::vector<size_t> out;
  for (size_t k = 0; k < path.points.size(); ++k) {
    const bool end = k == 0 || k + 1 == path.points.size();
    if (end || is_blended(path, counts, k) || presence(counts, k) > 0.5) out.push_back(k);
  }
  return out;
}

PathSpan span_around(const PathSurface& surface, const Count& count) {
  return {surface.body, surface.E_BS, smooth_wrap(surface, count)};
}

/// On the body on which it moves less.
PathPoint point_between(const Middle& middle, const PathSurface& first, const PathSurface& second) {
  if (middle.spread(middle.first) <= middle.spread(middle.second))
    return PathPoint::Fixed(first.body, middle.mean(middle.first));
  return PathPoint::Fixed(second.body, middle.mean(middle.second));
}

/// Adds the spans of a segment with the names of their surfaces, and a point between two.
void add_spans(const OpenSimPath& path, const FoundSurfaces& found, const Counts& counts,
               std::vector<std::string>& names, PathWithFixedWraps& out) {
  const auto surface = [&](int s) -> const PathSurface& {
    return *path.surfaces[static_cast<size_t>(s)].surface;
  };
  if (found.empty()) {
    out.spans.emplace_back();
    names.emplace_back();
    return;
  }
  // The second is the one that most poses meet just before or after the first.
  size_t other = 0;
  const Middle* middle = nullptr;
  bool before = false;
  for (size_t k = 1; k < found.size(); ++k)
    for (const bool first : {false, true}) {
      const auto row = first ? std::pair(found[k].first, found[0].first)
                             : std::pair(found[0].first, found[k].first);
      const auto at = counts.in_a_row.find(row);
      if (at == counts.in_a_row.end() || (middle && middle->poses >= at->second.poses)) continue;
      middle = &at->second;
      other = k;
      before = first;
    }
  for (size_t k = 1; k < found.size(); ++k)
    if (k != other)
      out.left_out.push_back("'" + surface(found[k].first).name +
                             "', which shares a segment with other surfaces");
  const PathSurface& main = surface(found[0].first);
  out.spans.push_back(span_around(main, found[0].second));
  names.push_back(main.name);
  if (other == 0) return;
  const PathSurface& second = surface(found[other].first);
  const PathSpan more = span_around(second, found[other].second);
  out.spans.insert(before ? out.spans.end() - 1 : out.spans.end(), more);
  names.insert(before ? names.end() - 1 : names.end(), second.name);
  out.points.push_back(before ? point_between(*middle, second, main)
                              : point_between(*middle, main, second));
}

Vec3 position(const PathPoint& point, const Skeleton& skeleton, const SkeletonWorkspace& ws,
              const VecX& q) {
  Vec3 out = Vec3::Zero();
  for (const PathTerm& term : point.terms) {
    const Pose E_WB = body_pose(skeleton, ws, term.body);
    out += weight_of(term, q) * (term.direction ? Vec3(E_WB.R * term.x_B) : E_WB * term.x_B);
  }
  return out;
}

/// Adds a point times a factor; points of one body become one.
void add_scaled(const PathPoint& added, double factor, PathPoint& out) {
  for (PathTerm term : added.terms) {
    term.scale *= factor;
    const auto same = std::find_if(out.terms.begin(), out.terms.end(), [&](const PathTerm& t) {
      return t.body == term.body && !t.direction && !term.direction && t.weights.empty() &&
             term.weights.empty();
    });
    if (same == out.terms.end()) {
      out.terms.push_back(std::move(term));
      continue;
    }
    const double sum = same->scale + term.scale;
    same->x_B = (same->scale * same->x_B + term.scale * term.x_B) / sum;
    same->scale = sum;
  }
}

/// Where a point that comes and goes lies beside the line between its neighbours, over all poses.
class Detour {
 public:
  Detour(const PathPoint& point, const PathPoint& before, const PathPoint& after,
         const Skeleton& skeleton, const std::vector<VecX>& poses) {
    SkeletonWorkspace ws(skeleton);
    for (const VecX& q : poses) {
      update_kinematics(skeleton, q, VecX::Zero(q.size()), ws);
      const Vec3 a = position(before, skeleton, ws, q);
      line_.push_back(position(after, skeleton, ws, q) - a);
      offset_.push_back(position(point, skeleton, ws, q) - a);
      fraction_ += offset_.back().dot(line_.back()) / line_.back().squaredNorm();
    }
    fraction_ = std::clamp(fraction_ / static_cast<double>(poses.size()), 0.05, 0.95);
  }

  /// Of the line: where the point is beside it, in the mean.
  double fraction() const { return fraction_; }

  /// The constant part of the detour that is nearest to all or nothing of it, as the poses have
  /// it: the least sum of squares.
  double mean_part(const Counts& counts, size_t point) const {
    double present = 0, all = 0;
    for (size_t k = 0; k < line_.size(); ++k) {
      const double square = (offset_[k] - fraction_ * line_[k]).squaredNorm();
      all += square;
      if (counts.present[k][point]) present += square;
    }
    return all > 0 ? present / all : 0;
  }

 private:
  std::vector<Vec3> line_, offset_;  // per pose
  double fraction_ = 0;
};

/// The places of the points that stay: first those that are always there, then those that come and
/// go, the widest conditions first.
std::map<size_t, PathPoint> place_points(const OpenSimPath& path, const std::vector<size_t>& kept,
                                         const Counts& counts, const Skeleton& skeleton,
                                         const std::vector<VecX>& poses) {
  std::map<size_t, PathPoint> out;
  std::vector<size_t> blended;
  for (const size_t k : kept)
    if (is_blended(path, counts, k))
      blended.push_back(k);
    else
      out.emplace(k, present(path.points[k]));
  while (!blended.empty()) {
    const auto widest = std::find_if(blended.begin(), blended.end(), [&](size_t a) {
      return std::none_of(blended.begin(), blended.end(), [&](size_t b) {
        const OpenSimPathPoint &p = path.points[a], &q = path.points[b];
        return covers(q, p) && !covers(p, q);
      });
    });
    const size_t k = *widest;
    blended.erase(widest);
    const auto after = out.upper_bound(k);
    const PathPoint own = present(path.points[k]), &next = after->second,
                    &last = std::prev(after)->second;
    const Detour detour(own, last, next, skeleton, poses);
    const double part = detour.mean_part(counts, k);
    PathPoint placed;
    add_scaled(own, part, placed);
    add_scaled(last, (1 - part) * (1 - detour.fraction()), placed);
    add_scaled(next, (1 - part) * detour.fraction(), placed);
    out.emplace(k, std::move(placed));
  }
  return out;
}

/// Makes spans straight that have no path around their surface in one of the poses.
void drop_lost_surfaces(const Skeleton& skeleton, const std::vector<VecX>& poses,
                        const std::vector<std::string>& names, PathWithFixedWraps& out) {
  SkeletonWorkspace ws(skeleton);
  for (const VecX& q : poses) {
    update_kinematics(skeleton, q, VecX::Zero(q.size()), ws);
    for (size_t k = 0; k < out.spans.size(); ++k) {
      PathSpan& span = out.spans[k];
      if (std::holds_alternative<Straight>(span.wrap)) continue;
      const Pose E_SW = (body_pose(skeleton, ws, span.body) * span.E_BS).inverse();
      const Vec3 o = E_SW * position(out.points[k], skeleton, ws, q);
      const Vec3 i = E_SW * position(out.points[k + 1], skeleton, ws, q);
      const SpanStatus status = solve(span.wrap, o, i).status;
      if (!failed(status)) continue;
      out.left_out.push_back("'" + names[k] +
                             "', which it cannot in every pose: " + name_of(status));
      span = {};
    }
  }
}

}  // namespace

PathWithFixedWraps fix_wraps(const OpenSimPath& path, const Skeleton& skeleton,
                             const std::vector<VecX>& poses) {
  const Counts counts = count_wraps(path, skeleton, poses);
  const std::vector<size_t> kept = lasting_points(path, counts);
  const std::map<size_t, PathPoint> place = place_points(path, kept, counts, skeleton, poses);
  PathWithFixedWraps out;
  std::vector<std::string> names;  // of the surface of each span
  for (size_t k = 0; k < kept.size(); ++k) {
    out.points.push_back(place.at(kept[k]));
    if (k + 1 < kept.size())
      add_spans(path, surfaces_between(kept[k], kept[k + 1], counts), counts, names, out);
  }
  drop_lost_surfaces(skeleton, poses, names, out);
  return out;
}

}  // namespace sinew

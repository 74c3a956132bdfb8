#include "sinew/muscles/geometry_path.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "sinew/core/error.hpp"

namespace sinew {
namespace {

/// Slack of the limits of conditional points, as in OpenSim.
constexpr double kConditionSlack = 1e-5;
/// Several surfaces are met in turns until the length stands still.
constexpr int kMostSweeps = 100;
constexpr double kStill = 1e-13;  ///< [m]

bool is_active(const RoutePoint& point, const ConstVecRef& q) {
  if (!point.condition.valid()) return true;
  const double value = q[point.condition];
  return value >= point.lower - kConditionSlack && value <= point.upper + kConditionSlack;
}

std::array<double, 4> derivatives(const ScalarFunction& f, double x) {
  const double one = 1;
  const int argument = 0;
  const Jet jet = evaluate(f, {&argument, 1}, {&x, 1}, {&one, 1});
  return {jet.value, jet.gradient[0], jet.hessian[0][0], jet.third[0]};
}

Vec3 place(const RoutePoint& point, const ConstVecRef& q) {
  Vec3 x = point.x_B;
  for (const RoutePoint::Motion& m : point.motions) {
    const double value = m.dof.valid() ? std::clamp(q[m.dof], m.lower, m.upper) : 0;
    x += derivatives(m.f, value)[0] * m.axis_B;
  }
  return x;
}

/// Builds the course of one path.
class CourseBuilder {
 public:
  CourseBuilder(const GeometryPath& path, const Skeleton& skeleton, const SkeletonWorkspace& ws,
                const ConstVecRef& q, std::vector<PathNode>& nodes)
      : path_(path), skeleton_(skeleton), ws_(ws), q_(q), nodes_(nodes) {}

  double build() {
    nodes_.clear();
    for (size_t i = 0; i < path_.points.size(); ++i) {
      const RoutePoint& point = path_.points[i];
      if (!is_active(point, q_)) continue;
      PathNode node{.body = point.body, .x_B = place(point, q_), .point = static_cast<int>(i)};
      node.x_W = body_pose(skeleton_, ws_, point.body) * node.x_B;
      nodes_.push_back(node);
    }
    wrap();
    return length();
  }

 private:
  double length() const {
    double sum = 0;
    for (size_t i = 0; i + 1 < nodes_.size(); ++i) {
      const PathNode &a = nodes_[i], &b = nodes_[i + 1];
      const bool arc = a.surface >= 0 && a.surface == b.surface;
      sum += arc ? b.arc : (b.x_W - a.x_W).norm();
    }
    return sum;
  }

  /// One surface: once. Several: in turns, each meeting the path that the others have left.
  void wrap() {
    std::vector<int> order;
    for (size_t s = 0; s < path_.surfaces.size(); ++s) order.push_back(static_cast<int>(s));
    const int sweeps = order.size() < 2 ? static_cast<int>(order.size()) : kMostSweeps;
    double before = std::numeric_limits<double>::infinity();
    for (int sweep = 0; sweep < sweeps; ++sweep) {
      std::vector<Meeting> result;
      for (const int s : order) {
        remove(s);
        result.push_back(meet(s));
      }
      const double now = length();
      if (std::abs(now - before) < kStill) return;
      before = now;
      // An end of the second may be inside because the first was not met yet: begin with the other.
      if (sweep == 0 && order.size() > 1 && result[0] == Meeting::none &&
          result[1] == Meeting::inside) {
        remove(order[0]);
        std::swap(order[0], order[1]);
      }
    }
  }

  void remove(int s) {
    const auto on = [&](const PathNode& node) { return node.surface == s; };
    nodes_.erase(std::remove_if(nodes_.begin(), nodes_.end(), on), nodes_.end());
  }

  /// First and last node of the surface's range; false where no point of it is active.
  bool find_range(const RouteSurface& route, size_t& first, size_t& last) const {
    const auto in_range = [&](const PathNode& n) {
      return n.point >= route.first && n.point <= route.last;
    };
    const auto begin = std::find_if(nodes_.begin(), nodes_.end(), in_range);
    const auto end = std::find_if(nodes_.rbegin(), nodes_.rend(), in_range);
    if (begin == nodes_.end()) return false;
    first = static_cast<size_t>(begin - nodes_.begin());
    last = static_cast<size_t>(nodes_.rend() - end) - 1;
    return true;
  }

  /// Finds the segment that wraps around surface s: the first that hits it, else the one with the
  /// least detour. Returns what became of the last segment looked at.
  Meeting meet(int s) {
    const RouteSurface& route = path_.surfaces[static_cast<size_t>(s)];
    const PathSurface& surface = *route.surface;
    size_t first = 0, last = 0;
    if (!surface.active || !find_range(route, first, last)) return Meeting::none;
    const Pose E_WS = body_pose(skeleton_, ws_, surface.body) * surface.E_BS;
    const Pose E_SW = E_WS.inverse();
    Meeting result = Meeting::none;
    SurfaceContact best;
    size_t best_at = 0;
    double least = std::numeric_limits<double>::infinity();
    for (size_t i = first; i < last; ++i) {
      const PathNode &a = nodes_[i], &b = nodes_[i + 1];
      if (a.surface >= 0 && b.surface >= 0 && same_surface(a, b)) continue;
      const SurfaceContact c = meet_surface(surface, E_SW * a.x_W, E_SW * b.x_W);
      result = c.meeting;
      if (!c.wraps()) continue;
      const double detour = (E_WS * c.r1 - a.x_W).norm() + c.arc + (E_WS * c.r2 - b.x_W).norm() -
                            (a.x_W - b.x_W).norm();
      if (c.meeting != Meeting::mandatory && !(detour < least)) continue;
      best = c;
      best_at = i;
      least = detour;
      if (c.meeting == Meeting::mandatory) break;
    }
    if (best.wraps()) insert(s, best, E_WS, best_at);
    return result;
  }

  bool same_surface(const PathNode& a, const PathNode& b) const {
    return path_.surfaces[static_cast<size_t>(a.surface)].surface ==
           path_.surfaces[static_cast<size_t>(b.surface)].surface;
  }

  void insert(int s, const SurfaceContact& c, const Pose& E_WS, size_t after) {
    const PathSurface& surface = *path_.surfaces[static_cast<size_t>(s)].surface;
    PathNode node{.body = surface.body, .surface = s};
    const auto at = nodes_.begin() + static_cast<ptrdiff_t>(after) + 1;
    PathNode touch = node, leave = node;
    touch.x_B = surface.E_BS * c.r1;
    touch.x_W = E_WS * c.r1;
    leave.x_B = surface.E_BS * c.r2;
    leave.x_W = E_WS * c.r2;
    leave.arc = c.arc;
    nodes_.insert(at, {touch, leave});
  }

  const GeometryPath& path_;
  const Skeleton& skeleton_;
  const SkeletonWorkspace& ws_;
  const ConstVecRef& q_;
  std::vector<PathNode>& nodes_;
};

/// Adds Jᵀf of a force at a point of a body, world axes.
void add_point_force(const Skeleton& skeleton, const SkeletonWorkspace& ws, BodyIndex body,
                     const Vec3& x_W, const Vec3& f, VecRef tau) {
  if (body == kWorld) return;
  const int link = skeleton.body(body).link;
  for (int k = 0; k < skeleton.dof_count(); ++k) {
    const int mover = skeleton.link_of_dof(k);
    if (link < mover || link >= skeleton.subtree_end(mover)) continue;
    const Vec6& s = ws.s[static_cast<size_t>(k)];
    const Vec3 arm = x_W - ws.link[static_cast<size_t>(mover)].p;
    tau[k] += f.dot(s.tail<3>() + s.head<3>().cross(arm));
  }
}

}  // namespace

void update_course(const GeometryPath& path, const Skeleton& skeleton, const SkeletonWorkspace& ws,
                   const ConstVecRef& q, PathCourse& out) {
  out.length = CourseBuilder(path, skeleton, ws, q, out.nodes).build();
}

void add_unit_tension(const GeometryPath& path, const Skeleton& skeleton,
                      const SkeletonWorkspace& ws, const ConstVecRef& q, const PathCourse& course,
                      VecRef tau) {
  const std::vector<PathNode>& nodes = course.nodes;
  for (size_t i = 0; i < nodes.size(); ++i) {
    const PathNode& node = nodes[i];
    // Straight pieces pull their ends towards each other; on a surface the pull stays within it.
    Vec3 f = Vec3::Zero();
    const auto pull = [&](const PathNode& other) {
      if (node.surface >= 0 && node.surface == other.surface) return;
      const Vec3 d = other.x_W - node.x_W;
      if (const double l = d.norm(); l > 0) f += d / l;
    };
    if (i > 0) pull(nodes[i - 1]);
    if (i + 1 < nodes.size()) pull(nodes[i + 1]);
    add_point_force(skeleton, ws, node.body, node.x_W, f, tau);
    if (node.point < 0) continue;
    const Mat3 R = body_pose(skeleton, ws, node.body).R;
    for (const RoutePoint::Motion& m : path.points[static_cast<size_t>(node.point)].motions)
      if (m.dof.valid()) tau[m.dof] += f.dot(R * m.axis_B) * derivatives(m.f, q[m.dof])[1];
  }
}

void validate(const GeometryPath& path, const std::string& element) {
  if (path.points.size() < 2)
    throw Error(element, "its path has fewer than two points", "give an origin and an insertion");
  for (const RouteSurface& route : path.surfaces)
    if (route.first < 0 || route.last >= static_cast<int>(path.points.size()) ||
        route.first > route.last)
      throw Error(element, "a surface has a range of points that the path does not have",
                  "give the first and last point, counted from 1, or −1 −1 for all");
}

}  // namespace sinew

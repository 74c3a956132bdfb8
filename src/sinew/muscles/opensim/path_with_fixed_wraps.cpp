#include "sinew/muscles/opensim/path_with_fixed_wraps.hpp"

#include <cmath>
#include <numbers>

#include "sinew/core/error.hpp"
#include "sinew/math/infinity.hpp"
#include "sinew/muscles/opensim/opensim_path_on_skeleton.hpp"

namespace sinew {
namespace {

/// The number of times a segment wraps around a surface, and its winding about the surface's z.
struct Count {
  int wraps = 0;
  int counter_clockwise = 0;
};

/// [surface][segment]
using Counts = std::vector<std::vector<Count>>;

/// A radius of the surface: an arc of half its circle is a long way round.
double radius_of(const Wrap& wrap) {
  if (const auto* cylinder = std::get_if<CylinderWrap>(&wrap)) return cylinder->radius;
  if (const auto* sphere = std::get_if<SphereWrap>(&wrap)) return sphere->radius;
  if (const auto* ellipsoid = std::get_if<EllipsoidWrap>(&wrap)) return ellipsoid->semi_axes[0];
  return std::get<TorusWrap>(wrap).tube;
}

Counts count_wraps(const OpenSimPath& path, const Skeleton& skeleton,
                   const std::vector<VecX>& poses) {
  Counts out(path.surfaces.size(), std::vector<Count>(path.points.size()));
  SkeletonWorkspace ws(skeleton);
  const OpenSimPathOnSkeleton route(skeleton, path);
  OpenSimPathWorkspace course;
  const VecX rest = VecX::Zero(skeleton.dof_count());
  const ConstVecRef qdot = rest;
  for (const VecX& pose : poses) {
    const ConstVecRef q = pose;
    update_kinematics(skeleton, q, qdot, ws);
    route.update({skeleton, 0, q, qdot, ws}, course);
    int point = 0;
    for (size_t n = 0; n < course.nodes.size(); ++n) {
      const OpenSimPathNode& node = course.nodes[n];
      if (node.point >= 0) point = node.point;
      if (node.surface < 0 || n + 1 == course.nodes.size()) continue;
      const OpenSimPathNode& leaves = course.nodes[n + 1];
      if (leaves.surface != node.surface) continue;  // here it leaves the surface
      const PathSurface& surface = *path.surfaces[static_cast<size_t>(node.surface)].surface;
      const Pose E_SW = course.E_WS[static_cast<size_t>(node.surface)].inverse();
      const Vec3 r1 = E_SW * node.x, r2 = E_SW * leaves.x;
      const bool far_way = leaves.arc > std::numbers::pi * radius_of(surface.wrap);
      Count& count = out[static_cast<size_t>(node.surface)][static_cast<size_t>(point)];
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

}  // namespace

PathWithFixedWraps fix_wraps(const OpenSimPath& path, const Skeleton& skeleton,
                             const std::vector<VecX>& poses, double band) {
  const Counts counts = count_wraps(path, skeleton, poses);
  const size_t n = path.points.size();
  PathWithFixedWraps out;
  out.spans.resize(n - 1);
  for (size_t k = 0; k + 1 < n; ++k) {
    int best = -1, most = 0;
    for (size_t s = 0; s < counts.size(); ++s)
      if (counts[s][k].wraps > most) {
        best = static_cast<int>(s);
        most = counts[s][k].wraps;
      }
    for (size_t s = 0; s < counts.size(); ++s)
      if (counts[s][k].wraps > 0 && static_cast<int>(s) != best)
        out.left_out.push_back(path.surfaces[s].surface->name);
    if (best < 0) continue;
    const PathSurface& surface = *path.surfaces[static_cast<size_t>(best)].surface;
    out.spans[k] = {surface.body, surface.E_BS,
                    smooth_wrap(surface, counts[static_cast<size_t>(best)][k])};
  }

  for (const OpenSimPathPoint& point : path.points) out.points.push_back(present(point));
  for (size_t k = 1; k + 1 < n; ++k) {
    const OpenSimPathPoint& point = path.points[k];
    if (!point.condition.valid()) continue;
    const auto wraps = [&](size_t span) {
      return !std::holds_alternative<Straight>(out.spans[span].wrap);
    };
    if (path.points[k + 1].condition.valid())
      throw Error("path '" + path.name + "'", "has two neighbouring conditional points",
                  "leave the muscle without mass");
    if (wraps(k - 1) || wraps(k))
      throw Error("path '" + path.name + "'", "has a surface beside a conditional point",
                  "leave the muscle without mass");
    const Window window{.lower = point.lower, .upper = point.upper, .band = band};
    out.points[k] = PathPoint::Conditional(point.body, point.x_B, point.condition, window,
                                           out.points[k - 1], out.points[k + 1], 0.5);
  }
  return out;
}

}  // namespace sinew

#include "sinew/muscles/opensim/opensim_path_drawing.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "sinew/muscles/wrap/ellipsoid_wrap.hpp"
#include "sinew/muscles/wrap/geodesic.hpp"
#include "sinew/muscles/wrap/torus_wrap.hpp"

namespace sinew {
namespace {

/// An arc on a surface, frame S.
struct Arc {
  Vec3 r1, r2;    ///< its start and end
  Vec3 from;      ///< start of the straight piece before it
  double length;  ///< [m]
};

/// Along the piece before the arc; towards its end if that piece has no length.
Vec3 heading(const Arc& arc) {
  const Vec3 along = arc.r1 - arc.from;
  return along.norm() > 1e-9 ? along : Vec3(arc.r2 - arc.r1);
}

/// A helix: unrolled, it is straight.
void add_helix(const Arc& arc, double radius, std::vector<Vec3>& out) {
  const Vec3 d = heading(arc);
  const double rise = arc.r2.z() - arc.r1.z();
  const double turn =
      std::copysign(std::sqrt(std::max(0.0, arc.length * arc.length - rise * rise)) / radius,
                    arc.r1.x() * d.y() - arc.r1.y() * d.x());
  for (int k = 1; k < kDrawnChords; ++k) {
    const double part = static_cast<double>(k) / kDrawnChords;
    const double c = std::cos(part * turn), s = std::sin(part * turn);
    out.emplace_back(c * arc.r1.x() - s * arc.r1.y(), s * arc.r1.x() + c * arc.r1.y(),
                     arc.r1.z() + part * rise);
  }
}

/// A geodesic of a level set: false if it does not end at r2.
template <class Level>
bool add_geodesic(const Arc& arc, const Level& level, std::vector<Vec3>& out) {
  const size_t begin = out.size();
  geodesic::Ray<double> ray =
      geodesic::departure<Level, double>(level, arc.r1 - heading(arc), arc.r1);
  for (int k = 0; k < kDrawnChords; ++k) {
    ray = geodesic::advance(level, ray, geodesic::acceleration(level, ray.x, ray.t),
                            arc.length / kDrawnChords);
    if (k + 1 < kDrawnChords) out.push_back(ray.x);
  }
  // NaN fails, too.
  if ((ray.x - arc.r2).norm() < 1e-3 * arc.length) return true;
  out.resize(begin);
  return false;
}

/// The curve of an ellipsoid in the plane of r1, r2 and the heading: paths run there if no geodesic
/// was found (ellipsoid_segment_wrap.hpp). On the unit sphere it is a circle.
void add_section(const Arc& arc, const Vec3& radii, std::vector<Vec3>& out) {
  const Vec3 a = arc.r1.cwiseQuotient(radii), b = arc.r2.cwiseQuotient(radii);
  const Vec3 d = heading(arc).cwiseQuotient(radii);
  const Vec3 n = d.cross(b - a).stableNormalized();
  const Vec3 center = n.dot(a) * n, e1 = a - center;
  const Vec3 e2 = n.cross(e1);
  const double toward = d.dot(e2) < 0 ? -1 : 1;
  double turn = toward * std::atan2((b - center).dot(e2), (b - center).dot(e1));
  if (turn < 0) turn += 2 * std::numbers::pi;
  for (int k = 1; k < kDrawnChords; ++k) {
    const double phi = toward * turn * k / kDrawnChords;
    out.push_back((center + std::cos(phi) * e1 + std::sin(phi) * e2).cwiseProduct(radii));
  }
}

void add_arc(const Arc& arc, const PathSurface& surface, std::vector<Vec3>& out) {
  if (!(arc.length > 0)) return;
  if (const auto* cylinder = std::get_if<CylinderWrap>(&surface.wrap)) {
    add_helix(arc, cylinder->radius, out);
  } else if (const auto* sphere = std::get_if<SphereWrap>(&surface.wrap)) {
    add_section(arc, Vec3::Constant(sphere->radius), out);
  } else if (const auto* ellipsoid = std::get_if<EllipsoidWrap>(&surface.wrap)) {
    if (!add_geodesic(arc, EllipsoidLevel({.semi_axes = ellipsoid->semi_axes}), out))
      add_section(arc, ellipsoid->semi_axes, out);
  } else if (const auto* torus = std::get_if<TorusWrap>(&surface.wrap)) {
    add_geodesic(arc, TorusLevel({.radius = torus->radius, .tube = torus->tube}), out);
  }
}

}  // namespace

int drawing_points(const OpenSimPath& path) {
  return static_cast<int>(path.points.size() + (kDrawnChords + 1) * path.surfaces.size());
}

void draw_opensim_path(const OpenSimPathOnSkeleton& route, const OpenSimPathWorkspace& ws,
                       std::vector<Vec3>& out) {
  std::vector<Vec3> line;
  std::vector<Vec3> arc;
  for (size_t i = 0; i < ws.nodes.size(); ++i) {
    const OpenSimPathNode& node = ws.nodes[i];
    const bool leaves = i > 0 && node.surface >= 0 && node.surface == ws.nodes[i - 1].surface;
    if (leaves) {
      const auto s = static_cast<size_t>(node.surface);
      const Pose &E_WS = ws.E_WS[s], E_SW = E_WS.inverse();
      const Vec3& before = ws.nodes[i > 1 ? i - 2 : i - 1].x;
      arc.clear();
      add_arc({E_SW * ws.nodes[i - 1].x, E_SW * node.x, E_SW * before, node.arc},
              *route.path().surfaces[s].surface, arc);
      for (const Vec3& x_S : arc) line.push_back(E_WS * x_S);
    }
    line.push_back(node.x);
  }
  out = spread_points(line, static_cast<size_t>(drawing_points(route.path())));
}

void place_anchors(const OpenSimPathOnSkeleton& route, const OpenSimPathWorkspace& ws,
                   std::vector<Vec3>& out) {
  const Vec3 first = ws.nodes.empty() ? Vec3(Vec3::Zero()) : ws.nodes.front().x;
  out.assign(route.path().points.size(), first);
  int last = -1;
  for (const OpenSimPathNode& node : ws.nodes) {
    if (node.point < 0) continue;
    // Omitted points coincide with the one before them.
    for (int k = last + 1; k < node.point && last >= 0; ++k)
      out[static_cast<size_t>(k)] = out[static_cast<size_t>(last)];
    out[static_cast<size_t>(node.point)] = node.x;
    last = node.point;
  }
  for (size_t k = static_cast<size_t>(last + 1); k < out.size() && last >= 0; ++k)
    out[k] = out[static_cast<size_t>(last)];
}

std::vector<Vec3> spread_points(const std::vector<Vec3>& line, size_t count) {
  const size_t n = line.size();
  std::vector<Vec3> out(count, n == 0 ? Vec3(Vec3::Zero()) : line.back());
  if (n < 2) return out;
  std::vector<double> s(n, 0);
  for (size_t i = 1; i < n; ++i) s[i] = s[i - 1] + (line[i] - line[i - 1]).norm();
  size_t last = 0;
  out[0] = line[0];
  for (size_t i = 1; i < n; ++i) {
    const double wanted = s.back() > 0 ? s[i] / s.back() * static_cast<double>(count - 1) : 0;
    // Space for the points before it, and for those after it.
    const size_t place = std::clamp(static_cast<size_t>(std::lround(wanted)), last + 1,
                                    i + 1 == n ? count - 1 : count - (n - i));
    for (size_t k = last + 1; k <= place; ++k) {
      const double part = static_cast<double>(k - last) / static_cast<double>(place - last);
      out[k] = line[i - 1] + part * (line[i] - line[i - 1]);
    }
    last = place;
  }
  return out;
}

}  // namespace sinew

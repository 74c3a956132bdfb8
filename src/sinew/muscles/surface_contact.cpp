#include "sinew/muscles/surface_contact.hpp"

#include <cmath>
#include <numbers>
#include <optional>

#include "sinew/core/error.hpp"
#include "sinew/muscles/ellipsoid_wrap.hpp"
#include "sinew/muscles/torus_wrap.hpp"

namespace sinew {
namespace {

using Vec2 = Eigen::Vector2d;
constexpr double kPi = std::numbers::pi;

/// A point counts as on the side asked for where it is on the border.
int sign_of(double x) { return x >= 0 ? 1 : -1; }

/// From p1 to p2 around a circle about the origin, winding by `turn` (+1: counter-clockwise):
/// tangent, arc, tangent. Both are outside or on the circle.
struct PlanarPath {
  Vec2 r1, r2;           ///< unit vectors to the tangent points
  double l1, l2, angle;  ///< lengths of the tangents; angle of the arc, 0 to 2π

  PlanarPath(const Vec2& p1, const Vec2& p2, double radius, int turn) {
    const double rho1 = p1.norm(), rho2 = p2.norm();
    l1 = std::sqrt(std::max(0.0, rho1 * rho1 - radius * radius));
    l2 = std::sqrt(std::max(0.0, rho2 * rho2 - radius * radius));
    const auto turned = [](const Vec2& p, double rho, double c, double s) -> Vec2 {
      return Vec2(c * p.x() - s * p.y(), s * p.x() + c * p.y()) / (rho * rho);
    };
    r1 = turned(p1, rho1, radius, turn * l1);
    r2 = turned(p2, rho2, radius, -turn * l2);
    angle = std::atan2(turn * (r1.x() * r2.y() - r1.y() * r2.x()), r1.dot(r2));
    if (angle < 0) angle += 2 * kPi;
  }
};

/// Whether the chord hits the circle between its ends, and where it comes nearest to the centre.
struct ChordFoot {
  double at;  ///< 0 at p1, 1 at p2
  double distance2;
  bool hits(double radius) const { return distance2 < radius * radius && at > 0 && at < 1; }
};
ChordFoot chord_foot(const Vec3& p1, const Vec3& p2) {
  const Vec3 d = p2 - p1;
  const double d2 = d.squaredNorm();
  if (d2 == 0) return {0, p1.squaredNorm()};
  const double at = -p1.dot(d) / d2;
  return {at, (p1 + at * d).squaredNorm()};
}

/// On which side to wind about a cylinder that paths must pass on one side. The tangent points of
/// p1 decide, then those of p2; where none is on the side asked for, the longer way does.
int constrained_turn(const PathSurface& s, const Vec3& p1, const Vec3& p2, const PlanarPath& left,
                     const PlanarPath& right) {
  const auto on = [&](const Vec2& r, const Vec3& p) {
    return sign_of(s.axis < 2 ? r[s.axis] : p.z()) == s.sign;
  };
  const bool left1 = on(left.r1, p1), right1 = on(right.r1, p1);
  const bool left2 = on(left.r2, p2), right2 = on(right.r2, p2);
  if (left1 != right1) return left1 ? 1 : -1;
  if (left1) return right2 ? -1 : 1;
  if (right2) return -1;
  if (left2) return 1;
  const auto gap = [](const PlanarPath& p) { return std::min(p.angle, 2 * kPi - p.angle); };
  return gap(left) > gap(right) ? 1 : -1;
}

SurfaceContact meet_cylinder(const PathSurface& s, const Vec3& p1, const Vec3& p2) {
  const double radius = s.size[0], half = 0.5 * s.size[1];
  const Vec2 a = p1.head<2>(), b = p2.head<2>();
  SurfaceContact out;
  if (std::min(a.squaredNorm(), b.squaredNorm()) < radius * radius) {
    out.meeting = Meeting::inside;
    return out;
  }
  const ChordFoot foot =
      chord_foot(Vec3(p1.x(), p1.y(), 0), Vec3(p2.x(), p2.y(), 0));  // seen along the axis
  const bool hits = foot.hits(radius);
  int turn = sign_of(a.x() * b.y() - a.y() * b.x());
  out.meeting = hits ? Meeting::mandatory : Meeting::possible;
  if (s.sign == 0) {
    if (!hits) return {};
  } else {
    const int side1 = sign_of(p1[s.axis]), side2 = sign_of(p2[s.axis]);
    if (side1 == s.sign || side2 == s.sign) {
      const double near = p1[s.axis] + foot.at * (p2[s.axis] - p1[s.axis]);
      if (!hits && (side1 == side2 || sign_of(near) == s.sign)) return {};
    } else {
      out.meeting = Meeting::possible;
    }
    turn = constrained_turn(s, p1, p2, PlanarPath(a, b, radius, 1), PlanarPath(a, b, radius, -1));
  }
  // Unrolled, the path is straight: its height is linear in the length of its plan.
  const PlanarPath path(a, b, radius, turn);
  const double plan = path.l1 + radius * path.angle + path.l2;
  const double slope = plan > 0 ? (p2.z() - p1.z()) / plan : 0;
  out.r1 << radius * path.r1, p1.z() + slope * path.l1;
  out.r2 << radius * path.r2, p2.z() - slope * path.l2;
  out.arc = radius * path.angle * std::hypot(1, slope);
  if (std::abs(out.r1.z()) > half && std::abs(out.r2.z()) > half) return {};
  return out;
}

SurfaceContact meet_sphere(const PathSurface& s, const Vec3& p1, const Vec3& p2) {
  const double radius = s.size[0];
  SurfaceContact out;
  if (std::min(p1.norm(), p2.norm()) < radius) {
    out.meeting = Meeting::inside;
    return out;
  }
  if (!chord_foot(p1, p2).hits(radius)) return out;
  // The plane of centre, p1 and p2; any through the chord where they are in line.
  const Vec3 e1 = p1.normalized();
  Vec3 across = p2 - e1.dot(p2) * e1;
  if (across.norm() < 1e-12 * p2.norm()) across = e1.unitOrthogonal();
  const Vec3 e2 = across.normalized();
  const Vec2 a(p1.norm(), 0), b(e1.dot(p2), e2.dot(p2));
  const auto in_space = [&](const Vec2& x) -> Vec3 { return x.x() * e1 + x.y() * e2; };
  const PlanarPath shorter(a, b, radius, 1), longer(a, b, radius, -1);
  out.meeting = Meeting::possible;
  bool far = false;
  if (s.sign != 0) {
    const bool on1 = sign_of(p1[s.axis]) == s.sign, on2 = sign_of(p2[s.axis]) == s.sign;
    if (on1 || on2) out.meeting = Meeting::mandatory;
    // The long way where it leaves the ends towards the side asked for.
    const Vec3 leave = in_space(radius * (longer.r1 + longer.r2) - a - b);
    if (!on1 || !on2) far = s.sign * leave[s.axis] >= 0;
  }
  const PlanarPath& path = far ? longer : shorter;
  out.r1 = radius * in_space(path.r1);
  out.r2 = radius * in_space(path.r2);
  out.arc = radius * path.angle;
  return out;
}

/// Contact of a geodesic model of ours; none where it passes by, nothing where it has no path.
template <class Wrap>
std::optional<SurfaceContact> meet_geodesic(const Wrap& wrap, const Vec3& p1, const Vec3& p2) {
  const SpanSolution solution = wrap.solve(p1, p2);
  SurfaceContact out;
  if (solution.status == SpanStatus::free) return out;
  if (solution.status != SpanStatus::wrapped) return std::nullopt;
  SpanShape<double> shape;
  wrap.template shape<double>(solution, p1, p2, shape);
  out.meeting = Meeting::mandatory;
  out.r1 = shape.node[1];
  out.r2 = shape.node[2];
  out.arc = shape.piece[1].length;
  return out;
}

/// The plane through p1, p2 and a point c of the ellipsoid cuts it in an ellipse; tangent, arc,
/// tangent about that, on the side of c. Scaled to the unit sphere the ellipse is a circle, and
/// tangents stay tangents.
SurfaceContact meet_section(const Vec3& size, const Vec3& p1, const Vec3& p2, const Vec3& c) {
  const Vec3 a = p1.cwiseQuotient(size), b = p2.cwiseQuotient(size);
  const Vec3 normal = (b - a).cross(c.cwiseQuotient(size) - a);
  SurfaceContact out;
  if (!(normal.norm() > 1e-12)) return out;
  const Vec3 n = normal.normalized(), center = n.dot(a) * n;
  const double radius = std::sqrt(std::max(0.0, 1 - center.squaredNorm()));
  const Vec3 e1 = (a - center).normalized(), e2 = n.cross(e1);
  const auto in_plane = [&](const Vec3& x) { return Vec2(e1.dot(x - center), e2.dot(x - center)); };
  // c is to the left of the way from a to b, seen against n: pass it on the left, clockwise.
  const PlanarPath path(in_plane(a), in_plane(b), radius, -1);
  const double start = std::atan2(path.r1.y(), path.r1.x());
  const auto at = [&](double turned) -> Vec3 {
    const double phi = start - turned;
    return (center + radius * (std::cos(phi) * e1 + std::sin(phi) * e2)).cwiseProduct(size);
  };
  const auto speed = [&](double turned) {
    const double phi = start - turned;
    return radius * (std::cos(phi) * e2 - std::sin(phi) * e1).cwiseProduct(size).norm();
  };
  // Simpson's rule: the integrand is smooth and periodic.
  constexpr int kSteps = 64;
  const double h = path.angle / kSteps;
  double sum = speed(0) + speed(path.angle);
  for (int i = 1; i < kSteps; ++i) sum += (i % 2 == 1 ? 4 : 2) * speed(i * h);
  out.meeting = Meeting::mandatory;
  out.r1 = at(0);
  out.r2 = at(path.angle);
  out.arc = sum * h / 3;
  return out;
}

double length_of(const SurfaceContact& c, const Vec3& p1, const Vec3& p2) {
  return (c.r1 - p1).norm() + c.arc + (c.r2 - p2).norm();
}

SurfaceContact meet_ellipsoid(const PathSurface& s, const Vec3& p1, const Vec3& p2) {
  const Vec3 a = p1.cwiseQuotient(s.size), b = p2.cwiseQuotient(s.size);
  SurfaceContact out;
  // OpenSim's tolerance for ends on the surface.
  if (std::min(a.squaredNorm(), b.squaredNorm()) < 1 - 1e-4) {
    out.meeting = Meeting::inside;
    return out;
  }
  const ChordFoot foot = chord_foot(a, b);
  if (!foot.hits(1)) return out;
  // The point of the surface above the middle of the piece inside, flipped to the side asked for.
  Vec3 c = a + foot.at * (b - a);
  const bool flipped = s.sign != 0 && sign_of(c[s.axis]) != s.sign;
  if (flipped) c[s.axis] = -c[s.axis];
  if (c.norm() < 1e-9) c = (b - a).unitOrthogonal();
  const Vec3 side = c.cwiseQuotient(s.size).normalized();

  EllipsoidWrap wrap{.semi_axes = s.size, .model = WrapKind::exact};
  std::optional<SurfaceContact> best;
  const auto consider = [&](const std::optional<SurfaceContact>& found) {
    if (found && found->wraps() && (!best || length_of(*found, p1, p2) < length_of(*best, p1, p2)))
      best = found;
  };
  if (flipped) wrap.side = side;
  consider(meet_geodesic(wrap, p1, p2));
  // Over either side where both are allowed and the chord passes near the centre.
  if (s.sign == 0 && foot.distance2 < 0.5) {
    wrap.side = -side;
    consider(meet_geodesic(wrap, p1, p2));
  }
  // No shortest path on that side: as OpenSim does, in a plane, over the border of the half-space.
  if (flipped || !best) {
    consider(meet_section(s.size, p1, p2, c.normalized().cwiseProduct(s.size)));
    c[s.axis] = 0;
    if (flipped && c.norm() > 1e-6)
      consider(meet_section(s.size, p1, p2, c.normalized().cwiseProduct(s.size)));
  }
  return best.value_or(out);
}

SurfaceContact meet_torus(const PathSurface& s, const Vec3& p1, const Vec3& p2) {
  // Paths run through the hole.
  const TorusWrap wrap{.radius = s.size[1],
                       .tube = s.size[0],
                       .model = WrapKind::exact,
                       .side = p1.z() > p2.z() ? TorusSide::down_hole : TorusSide::up_hole};
  SurfaceContact out = meet_geodesic(wrap, p1, p2).value_or(SurfaceContact());
  if (out.wraps()) out.meeting = Meeting::possible;
  return out;
}

}  // namespace

SurfaceContact meet_surface(const PathSurface& surface, const Vec3& p1, const Vec3& p2) {
  switch (surface.kind) {
    case PathSurface::Kind::cylinder:
      return meet_cylinder(surface, p1, p2);
    case PathSurface::Kind::sphere:
      return meet_sphere(surface, p1, p2);
    case PathSurface::Kind::ellipsoid:
      return meet_ellipsoid(surface, p1, p2);
    case PathSurface::Kind::torus:
      break;
  }
  return meet_torus(surface, p1, p2);
}

void validate(const PathSurface& surface, const std::string& element) {
  const Vec3& size = surface.size;
  const auto require = [&](bool condition, const char* problem, const char* remedy) {
    if (!condition) throw Error(element, problem, remedy);
  };
  require(size.allFinite() && size[0] > 0, "its radius is not positive",
          "give a number of metres above zero");
  if (surface.kind == PathSurface::Kind::cylinder)
    require(size[1] > 0, "its length is not positive", "give a number of metres above zero");
  if (surface.kind == PathSurface::Kind::ellipsoid) {
    require(size.minCoeff() > 0, "its radii are not all positive",
            "give three numbers of metres above zero");
    validate(EllipsoidWrap{.semi_axes = size}, element);
  }
  if (surface.kind == PathSurface::Kind::torus)
    require(size[1] > size[0], "its tube is thicker than its circle",
            "give the tube's radius first");
}

}  // namespace sinew

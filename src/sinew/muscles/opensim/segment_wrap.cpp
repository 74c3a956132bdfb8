#include "sinew/muscles/opensim/segment_wrap.hpp"

#include <cmath>
#include <numbers>

#include "sinew/core/error.hpp"
#include "sinew/muscles/opensim/circle_tangents.hpp"
#include "sinew/muscles/opensim/ellipsoid_segment_wrap.hpp"

namespace sinew {
namespace {

using planar::chord_foot;
using planar::ChordFoot;
using planar::PlanarPath;
using planar::sign_of;
using planar::Vec2;
constexpr double kPi = std::numbers::pi;

/// The side on which to wind about a cylinder that paths must pass on one side. The tangent points
/// of p1 decide, then those of p2; if none is on the required side, the longer way decides.
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

SegmentWrap meet(const CylinderWrap& cylinder, const PathSurface& s, const Vec3& p1,
                 const Vec3& p2) {
  const double radius = cylinder.radius, half = cylinder.half_length;
  const Vec2 a = p1.head<2>(), b = p2.head<2>();
  SegmentWrap out;
  if (std::min(a.squaredNorm(), b.squaredNorm()) < radius * radius) {
    out.meeting = WrapDecision::inside;
    return out;
  }
  const ChordFoot foot =
      chord_foot(Vec3(p1.x(), p1.y(), 0), Vec3(p2.x(), p2.y(), 0));  // seen along the axis
  const bool hits = foot.hits(radius);
  int turn = sign_of(a.x() * b.y() - a.y() * b.x());
  out.meeting = hits ? WrapDecision::mandatory : WrapDecision::possible;
  if (s.sign == 0) {
    if (!hits) return {};
  } else {
    const int side1 = sign_of(p1[s.axis]), side2 = sign_of(p2[s.axis]);
    if (side1 == s.sign || side2 == s.sign) {
      const double near = p1[s.axis] + foot.at * (p2[s.axis] - p1[s.axis]);
      if (!hits && (side1 == side2 || sign_of(near) == s.sign)) return {};
    } else {
      out.meeting = WrapDecision::possible;
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

SegmentWrap meet(const SphereWrap& sphere, const PathSurface& s, const Vec3& p1, const Vec3& p2) {
  const double radius = sphere.radius;
  SegmentWrap out;
  if (std::min(p1.norm(), p2.norm()) < radius) {
    out.meeting = WrapDecision::inside;
    return out;
  }
  if (!chord_foot(p1, p2).hits(radius)) return out;
  // The plane of centre, p1 and p2; any plane through the chord if they are in line.
  const Vec3 e1 = p1.normalized();
  Vec3 across = p2 - e1.dot(p2) * e1;
  if (across.norm() < 1e-12 * p2.norm()) across = e1.unitOrthogonal();
  const Vec3 e2 = across.normalized();
  const Vec2 a(p1.norm(), 0), b(e1.dot(p2), e2.dot(p2));
  const auto in_space = [&](const Vec2& x) -> Vec3 { return x.x() * e1 + x.y() * e2; };
  const PlanarPath shorter(a, b, radius, 1), longer(a, b, radius, -1);
  out.meeting = WrapDecision::possible;
  bool far = false;
  if (s.sign != 0) {
    const bool on1 = sign_of(p1[s.axis]) == s.sign, on2 = sign_of(p2[s.axis]) == s.sign;
    if (on1 || on2) out.meeting = WrapDecision::mandatory;
    // The long way, if it leaves the ends towards the required side.
    const Vec3 leave = in_space(radius * (longer.r1 + longer.r2) - a - b);
    if (!on1 || !on2) far = s.sign * leave[s.axis] >= 0;
  }
  const PlanarPath& path = far ? longer : shorter;
  out.r1 = radius * in_space(path.r1);
  out.r2 = radius * in_space(path.r2);
  out.arc = radius * path.angle;
  return out;
}

SegmentWrap meet(const EllipsoidWrap& ellipsoid, const PathSurface& s, const Vec3& p1,
                 const Vec3& p2) {
  return meet_ellipsoid(ellipsoid.semi_axes, s, p1, p2);
}

SegmentWrap meet(const TorusWrap& torus, const PathSurface&, const Vec3& p1, const Vec3& p2) {
  // Paths run through the hole.
  const TorusWrap wrap{.radius = torus.radius,
                       .tube = torus.tube,
                       .model = WrapKind::exact,
                       .side = p1.z() > p2.z() ? TorusSide::down_hole : TorusSide::up_hole};
  const SpanSolution solution = wrap.solve(p1, p2);
  SegmentWrap out;
  if (solution.status != SpanStatus::wrapped) return out;
  SpanShape<double> shape;
  wrap.shape<double>(solution, p1, p2, shape);
  out.meeting = WrapDecision::possible;
  out.r1 = shape.node[1];
  out.r2 = shape.node[2];
  out.arc = shape.piece[1].length;
  return out;
}

template <class Other>
SegmentWrap meet(const Other&, const PathSurface&, const Vec3&, const Vec3&) {
  return {};
}

class Validate {
 public:
  explicit Validate(const std::string& element) : element_(element) {}
  void operator()(const CylinderWrap& w) const {
    require_radius(w.radius);
    require(w.half_length > 0, "its length is not positive", kPositive);
  }
  void operator()(const SphereWrap& w) const { require_radius(w.radius); }
  void operator()(const EllipsoidWrap& w) const {
    require(w.semi_axes.allFinite() && w.semi_axes.minCoeff() > 0, "its radii are not all positive",
            "give three numbers of metres above zero");
    validate(w, element_);
  }
  void operator()(const TorusWrap& w) const {
    require_radius(w.tube);
    require(std::isfinite(w.radius) && w.radius > w.tube, "its tube is thicker than its circle",
            "give the tube's radius first");
  }
  template <class Other>
  void operator()(const Other&) const {
    require(false, "is not a surface that paths by OpenSim's rules wrap around",
            "give a cylinder, a sphere, an ellipsoid or a torus");
  }

 private:
  static constexpr const char* kPositive = "give a number of metres above zero";
  void require(bool condition, const char* problem, const char* remedy) const {
    if (!condition) throw Error(element_, problem, remedy);
  }
  void require_radius(double radius) const {
    require(std::isfinite(radius) && radius > 0, "its radius is not positive", kPositive);
  }
  const std::string& element_;
};

}  // namespace

SegmentWrap wrap_segment(const PathSurface& surface, const Vec3& p1, const Vec3& p2) {
  return std::visit([&](const auto& wrap) { return meet(wrap, surface, p1, p2); }, surface.wrap);
}

void validate(const PathSurface& surface, const std::string& element) {
  std::visit(Validate(element), surface.wrap);
}

}  // namespace sinew

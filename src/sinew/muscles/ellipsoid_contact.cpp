#include "sinew/muscles/ellipsoid_contact.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <optional>

#include "sinew/muscles/ellipsoid_wrap.hpp"
#include "sinew/muscles/geodesic_solve.hpp"
#include "sinew/muscles/planar_path.hpp"

namespace sinew {
namespace {

using planar::chord_foot;
using planar::ChordFoot;
using planar::PlanarPath;
using planar::sign_of;
using planar::Vec2;

/// The plane through a, b and c cuts the unit sphere in a circle; tangent, arc, tangent about that
/// on the side of c. Scaled by the radii the circle is an ellipse, and tangents stay tangents.
struct Section {
  Vec3 center, e1, e2;
  double radius = 0, start = 0, angle = 0;
  bool found = false;

  Section(const Vec3& a, const Vec3& b, const Vec3& c) {
    const Vec3 normal = (b - a).cross(c - a);
    if (!(normal.norm() > 1e-12)) return;
    const Vec3 n = normal.normalized();
    center = n.dot(a) * n;
    radius = std::sqrt(std::max(0.0, 1 - center.squaredNorm()));
    e1 = (a - center).normalized();
    e2 = n.cross(e1);
    const auto flat = [&](const Vec3& x) { return Vec2(e1.dot(x - center), e2.dot(x - center)); };
    // c is to the left of the way from a to b, seen against n: pass it on the left, clockwise.
    const PlanarPath path(flat(a), flat(b), radius, -1);
    start = std::atan2(path.r1.y(), path.r1.x());
    angle = path.angle;
    found = true;
  }
  Vec3 at(double turned) const {
    const double phi = start - turned;
    return center + radius * (std::cos(phi) * e1 + std::sin(phi) * e2);
  }
  /// Of the arc, by Simpson's rule: the integrand is smooth and periodic.
  double arc(const Vec3& radii, int steps) const {
    return integral(
        steps, [&](const Vec3& slope, const Vec3&) { return slope.cwiseProduct(radii).norm(); });
  }
  /// By how much the arc is longer than OpenSim's polyline in it, whose pieces are as many as there
  /// are millimetres between its ends: of a curve in pieces of length h that is ∫ κ²h²/24 ds.
  double cut(const Vec3& radii, double arc, double chord) const {
    const double piece = arc / std::max(1.0, chord / 1e-3);
    const double bent = integral(16, [&](const Vec3& slope, const Vec3& inward) {
      const Vec3 v = slope.cwiseProduct(radii), a = inward.cwiseProduct(radii);
      return v.cross(a).squaredNorm() / std::pow(v.norm(), 5);
    });
    return piece * piece / 24 * bent;
  }

 private:
  /// Of f(dx/dφ, d²x/dφ²) over the arc.
  template <class F>
  double integral(int steps, F&& f) const {
    const auto value = [&](double turned) {
      const double phi = start - turned, c = radius * std::cos(phi), s = radius * std::sin(phi);
      return f(Vec3(c * e2 - s * e1), Vec3(-c * e1 - s * e2));
    };
    const double h = angle / steps;
    double sum = value(0) + value(angle);
    for (int i = 1; i < steps; ++i) sum += (i % 2 == 1 ? 4 : 2) * value(i * h);
    return sum * h / 3;
  }
};

SurfaceContact contact_of(const Section& section, const Vec3& radii, int steps) {
  SurfaceContact out;
  if (!section.found) return out;
  out.meeting = Meeting::mandatory;
  out.r1 = section.at(0).cwiseProduct(radii);
  out.r2 = section.at(section.angle).cwiseProduct(radii);
  out.arc = section.arc(radii, steps);
  return out;
}

/// The path in the plane through p1, p2 and c, as long as OpenSim finds it.
SurfaceContact opensim_section(const Vec3& radii, const Vec3& p1, const Vec3& p2, const Vec3& c) {
  const Section section(p1.cwiseQuotient(radii), p2.cwiseQuotient(radii), c.cwiseQuotient(radii));
  SurfaceContact out = contact_of(section, radii, 64);
  if (out.wraps()) out.arc -= section.cut(radii, out.arc, (out.r2 - out.r1).norm());
  return out;
}

double length_of(const SurfaceContact& c, const Vec3& p1, const Vec3& p2) {
  return (c.r1 - p1).norm() + c.arc + (c.r2 - p2).norm();
}

/// The point of the ellipsoid nearest to p. Where a coordinate of p is zero the point is sought in
/// that plane.
Vec3 nearest_point(const Vec3& radii, const Vec3& p) {
  const Vec3 square = radii.cwiseAbs2();
  double t = -std::numeric_limits<double>::infinity();
  for (int k = 0; k < 3; ++k)
    if (p[k] != 0) t = std::max(t, radii[k] * std::abs(p[k]) - square[k]);
  if (!std::isfinite(t)) return Vec3(radii.x(), 0, 0);
  // x = square p / (square + t) is on the surface for the root of a decreasing, convex function:
  // Newton's method climbs to it from the left.
  for (int k = 0; k < 60; ++k) {
    double f = -1, slope = 0;
    for (int j = 0; j < 3; ++j) {
      if (p[j] == 0) continue;
      const double u = radii[j] * p[j] / (square[j] + t);
      f += u * u;
      slope -= 2 * u * u / (square[j] + t);
    }
    const double step = -f / slope;
    t += step;
    if (!(step > 1e-14 * square.maxCoeff())) break;
  }
  Vec3 x = p;
  for (int k = 0; k < 3; ++k)
    if (p[k] != 0) x[k] = square[k] * p[k] / (square[k] + t);
  return x;
}

/// The exact path that touches near t1 and stays on the surface for about the length `arc`, on
/// whichever side that is, by Newton's method from there.
SpanSolution solve_near(const EllipsoidWrap& wrap, const Vec3& o, const Vec3& i, const Vec3& t1,
                        double arc) {
  const EllipsoidLevel level(wrap);
  SpanSolution solution;
  const double least = geodesic::kClearance * level.size();
  if (!(level.value(o) > least && level.value(i) > least)) {
    solution.status = SpanStatus::anchor_inside;
    return solution;
  }
  geodesic::Found found;
  found.s = 0.5;  // of no use to the exact path, as is the band
  found.in_band = 0;
  found.u << t1, arc;
  const geodesic::Search<EllipsoidLevel> search(level, o, i);
  const SpanStatus status = geodesic::finish(search, level.size(), 0, found);
  if (status == SpanStatus::wrapped) solution = geodesic::pack(found);
  solution.status = status;
  return solution;
}

/// The family of sections, turned about the segment, and the geodesics near its shortest members.
class Around {
 public:
  static constexpr int kPlanes = 24;

  Around(const Vec3& radii, const Vec3& p1, const Vec3& p2, const ChordFoot& foot)
      : radii_(radii),
        p1_(p1),
        p2_(p2),
        a_(p1.cwiseQuotient(radii)),
        b_(p2.cwiseQuotient(radii)),
        foot_(a_ + foot.at * (b_ - a_)) {
    const Vec3 d = (b_ - a_).normalized();
    u_ = foot_.norm() > 1e-9 ? foot_.normalized() : d.unitOrthogonal();
    v_ = d.cross(u_);
    for (int k = 0; k < kPlanes; ++k) length_[static_cast<size_t>(k)] = length(turn(k));
  }

  /// From the plane through c downhill to a shortest member.
  int downhill(const Vec3& c) const {
    const Vec3 w = c.cwiseQuotient(radii_) - foot_;
    int k = wrapped(static_cast<int>(std::lround(std::atan2(v_.dot(w), u_.dot(w)) / kStep)));
    while (true) {
      const int next = at(k + 1) < at(k - 1) ? k + 1 : k - 1;
      if (!(at(next) < at(k))) return k;
      k = wrapped(next);
    }
  }
  bool shortest(int k) const { return at(k) <= at(k - 1) && at(k) < at(k + 1); }

  /// The geodesic near a shortest member; none where that is not shortest among its neighbours.
  std::optional<SurfaceContact> geodesic(int k) const {
    // The parabola through three members.
    const double l = at(k - 1), m = at(k), r = at(k + 1), bend = l - 2 * m + r;
    const double best = turn(k) + (bend > 0 ? 0.5 * (l - r) / bend * kStep : 0);
    const SurfaceContact guess = contact_of(section(best), radii_, 16);
    if (!guess.wraps()) return std::nullopt;
    const EllipsoidWrap wrap{.semi_axes = radii_, .model = WrapKind::exact};
    const SpanSolution solution = solve_near(wrap, p1_, p2_, guess.r1, guess.arc);
    if (solution.status != SpanStatus::wrapped) return std::nullopt;
    SpanShape<double> shape;
    wrap.shape<double>(solution, p1_, p2_, shape);
    SurfaceContact out;
    out.meeting = Meeting::mandatory;
    out.r1 = shape.node[1];
    out.r2 = shape.node[2];
    out.arc = shape.piece[1].length;
    return out;
  }

 private:
  static constexpr double kStep = 2 * std::numbers::pi / kPlanes;

  static int wrapped(int k) { return (k + 2 * kPlanes) % kPlanes; }
  static double turn(int k) { return k * kStep; }
  double at(int k) const { return length_[static_cast<size_t>(wrapped(k))]; }
  Section section(double phi) const {
    return Section(a_, b_, foot_ + std::cos(phi) * u_ + std::sin(phi) * v_);
  }
  double length(double phi) const {
    return length_of(contact_of(section(phi), radii_, 16), p1_, p2_);
  }

  Vec3 radii_, p1_, p2_, a_, b_, foot_, u_, v_;
  std::array<double, kPlanes> length_;
};

}  // namespace

SurfaceContact meet_section(const Vec3& radii, const Vec3& p1, const Vec3& p2, const Vec3& c) {
  return contact_of(
      Section(p1.cwiseQuotient(radii), p2.cwiseQuotient(radii), c.cwiseQuotient(radii)), radii, 64);
}

SectionGuide section_guide(const PathSurface& surface, const Vec3& p1, const Vec3& p2) {
  const Vec3& radii = surface.size;
  const Vec3 a = p1.cwiseQuotient(radii), b = p2.cwiseQuotient(radii);
  const ChordFoot foot = chord_foot(a, b);
  const double half = std::sqrt(std::max(0.0, 1 - foot.distance2)) / (b - a).norm();
  const Vec3 in = p1 + (foot.at - half) * (p2 - p1), through = 2 * half * (p2 - p1);

  // Along an axis: the surface is nearest in the plane across the axis to which the segment is most
  // nearly parallel, at the point where it crosses that plane. Less so where that is near its ends.
  constexpr double kLeast = 0.7073, kMost = 0.9, kEnd = 0.3;
  Eigen::Index axis = 0;
  double along = (p2 - p1).normalized().cwiseAbs().maxCoeff(&axis);
  const double crossing = -in[axis] / through[axis];
  const double inner = std::clamp(std::min(crossing, 1 - crossing) / kEnd, 0.0, 1.0);
  if (along > kLeast) along = kLeast + inner * (along - kLeast);
  const double fan = std::clamp((kMost - along) / (kMost - kLeast), 0.0, 1.0);

  SectionGuide out{.c = Vec3::Zero()};
  if (fan < 1) {
    Vec3 x = in + crossing * through;
    x[axis] = 0;
    out.c = (1 - fan) * nearest_point(radii, x);
  }
  if (fan > 0) {
    // The mean direction to the surface from the points inside.
    constexpr int kSamples = 300;
    Vec3 sum = Vec3::Zero();
    for (int k = 1; k < kSamples - 1; ++k) {
      const Vec3 x = in + (static_cast<double>(k) / kSamples) * through;
      sum += (nearest_point(radii, x) - x).normalized();
    }
    const Vec3 middle = in + 0.5 * through;
    out.c += fan * nearest_point(radii, middle + radii.mean() * sum.normalized());
  }
  out.c = nearest_point(radii, out.c);
  if (surface.sign == 0 || sign_of(out.c[surface.axis]) == surface.sign) return out;
  // Mirrored in the border of the half-space, or, by the mean direction, moved onto it.
  out.moved = true;
  out.c[surface.axis] *= fan - 1;
  out.c = nearest_point(radii, out.c);
  return out;
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

  const Around around(s.size, p1, p2, foot);
  std::optional<SectionGuide> guide;
  if (s.sign != 0) guide = section_guide(s, p1, p2);
  const int led = guide && !guide->moved ? around.downhill(guide->c) : -1;
  const auto on_side = [&](const SurfaceContact& c) {
    return s.sign == 0 || s.sign * (c.r1[s.axis] + c.r2[s.axis]) >= 0;
  };
  std::optional<SurfaceContact> best;
  const auto consider = [&](const SurfaceContact& found) {
    if (!best || length_of(found, p1, p2) < length_of(*best, p1, p2)) best = found;
  };
  for (int k = 0; k < Around::kPlanes; ++k) {
    if (!around.shortest(k) && k != led) continue;
    const std::optional<SurfaceContact> found = around.geodesic(k);
    if (found && (k == led || on_side(*found))) consider(*found);
  }
  if (!best || (guide && guide->moved)) {
    if (!guide) guide = section_guide(s, p1, p2);
    consider(opensim_section(s.size, p1, p2, guide->c));
  }
  return best.value_or(out);
}

}  // namespace sinew

#include "sinew/muscles/opensim/ellipsoid_segment_wrap.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <optional>

#include "sinew/muscles/opensim/circle_tangents.hpp"
#include "sinew/muscles/wrap/ellipsoid_wrap.hpp"
#include "sinew/muscles/wrap/geodesic_solve.hpp"

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
  /// Length of the arc by Simpson's rule: the integrand is smooth and periodic.
  double arc(const Vec3& radii, int steps) const {
    return integral(
        steps, [&](const Vec3& slope, const Vec3&) { return slope.cwiseProduct(radii).norm(); });
  }
  /// The excess of the arc over OpenSim's polyline in it, which has one piece per millimetre
  /// between its ends: for pieces of length h it is ∫ κ²h²/24 ds.
  double cut(const Vec3& radii, double arc, double chord) const {
    const double piece = arc / std::max(1.0, chord / 1e-3);
    const double bent = integral(16, [&](const Vec3& slope, const Vec3& inward) {
      const Vec3 v = slope.cwiseProduct(radii), a = inward.cwiseProduct(radii);
      return v.cross(a).squaredNorm() / std::pow(v.norm(), 5);
    });
    return piece * piece / 24 * bent;
  }

 private:
  /// Integral of f(dx/dφ, d²x/dφ²) over the arc.
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

SegmentWrap contact_of(const Section& section, const Vec3& radii, int steps) {
  SegmentWrap out;
  if (!section.found) return out;
  out.meeting = WrapDecision::mandatory;
  out.r1 = section.at(0).cwiseProduct(radii);
  out.r2 = section.at(section.angle).cwiseProduct(radii);
  out.arc = section.arc(radii, steps);
  return out;
}

/// The path in the plane through p1, p2 and c, as long as OpenSim finds it.
SegmentWrap opensim_section(const Vec3& radii, const Vec3& p1, const Vec3& p2, const Vec3& c) {
  const Section section(p1.cwiseQuotient(radii), p2.cwiseQuotient(radii), c.cwiseQuotient(radii));
  SegmentWrap out = contact_of(section, radii, 64);
  if (out.wraps()) out.arc -= section.cut(radii, out.arc, (out.r2 - out.r1).norm());
  return out;
}

double length_of(const SegmentWrap& c, const Vec3& p1, const Vec3& p2) {
  return (c.r1 - p1).norm() + c.arc + (c.r2 - p2).norm();
}

/// The point of the ellipsoid nearest to p. If a coordinate of p is zero, the point is sought in
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

/// Surfaces with few and wide valleys of length around a segment.
bool is_round(const Vec3& radii) { return radii.maxCoeff() < 2 * radii.minCoeff(); }

/// Steps of the integration for an arc of this length over a round surface's size: the method is of
/// order six, and its error, below 1e-9 of the size, jumps where their number changes.
int steps_for(double arc) {
  if (arc < 0.2) return 2;
  return arc < 0.5 ? 4 : geodesic::kSteps;
}

using Search = geodesic::Search<EllipsoidLevel>;

/// The path near u around a round surface, quickly: few steps lead near it, and no derivatives are
/// carried along. False if that fails.
bool trace_round(const Search& search, double size, geodesic::Unknowns<double>& u,
                 geodesic::Trace& path) {
  geodesic::Unknowns<double> near = u;
  if (search.approach(0, geodesic::kCoarseSteps, 1e-3, 8, near) && near[3] > 0 &&
      (near - u).cwiseAbs().maxCoeff() < 0.3 * size)
    u = near;
  // The last step leaves an error of its size squared; the length changes by the square of that.
  for (int steps = 0; steps < steps_for(u[3] / size);) {
    steps = steps_for(u[3] / size);
    if (!search.approach(0, steps, 1e-6, 8, u, &path)) return false;
  }
  return u[3] > 0 && search.judge(u, path) == SpanStatus::wrapped;
}

/// The geodesic that touches near t1 and stays on the surface for about the length `arc`, on either
/// side, by Newton's method from there; none if it is not shortest among its neighbours.
std::optional<SegmentWrap> solve_near(const Vec3& radii, const Vec3& p1, const Vec3& p2,
                                      const Vec3& t1, double arc) {
  const EllipsoidLevel level(EllipsoidWrap{.semi_axes = radii, .model = WrapKind::exact});
  const double size = level.size(), least = geodesic::kClearance * size;
  if (!(level.value(p1) > least && level.value(p2) > least)) return std::nullopt;
  const Search search(level, p1, p2);
  geodesic::Unknowns<double> u;
  u << t1, arc;
  geodesic::Trace path;
  if (!is_round(radii) || !trace_round(search, size, u, path)) {
    geodesic::Found found{.u = {}, .s = 0.5, .in_band = 0, .inverse = {}};  // s is unused here
    found.u << t1, arc;
    if (geodesic::finish(search, size, 0, found) != SpanStatus::wrapped) return std::nullopt;
    u = found.u;
    path = search.trace(u, geodesic::kSteps);
  }
  SegmentWrap out;
  out.meeting = WrapDecision::mandatory;
  out.r1 = path.start.x;
  out.r2 = path.end.x;
  out.arc = u[3];
  return out;
}

/// Nodes and weights of Gauss's rule with six points on [−1, 1], one of each pair.
constexpr double kNode[3] = {0.2386191860831969, 0.6612093864662645, 0.9324695142031521};
constexpr double kWeight[3] = {0.4679139345726910, 0.3607615730481386, 0.1713244923791704};

/// The family of sections, turned about the segment, and the geodesics near its shortest members.
///
/// Scaled to the unit sphere, with f the foot of the centre on the chord, δ = |f|, d the chord's
/// direction, u = f/δ, v = d × u, the member φ lies in the plane of d and w = cos φ u + sin φ v. In
/// coordinates (x, y) along d and w about the circle's centre the ends are (−x_a, δ cos φ) and
/// (x_b, δ cos φ); the circle has the radius ρ = √(1 − δ² sin² φ), and the tangents are as long as
/// all from the same end to the sphere. Unscaled, (x, y) has the length √(A x² + 2 B x y + C y²).
class Around {
 public:
  static constexpr int kPlanes = 24;

  Around(const Vec3& radii, const Vec3& p1, const Vec3& p2, const ChordFoot& foot)
      : radii_(radii), p1_(p1), p2_(p2) {
    const Vec3 a = p1.cwiseQuotient(radii), b = p2.cwiseQuotient(radii);
    foot_ = a + foot.at * (b - a);
    const double length = (b - a).norm();
    d_ = (b - a) / length;
    delta_ = foot_.norm();
    u_ = delta_ > 1e-9 ? Vec3(foot_ / delta_) : d_.unitOrthogonal();
    v_ = d_.cross(u_);
    x1_ = -foot.at * length;
    x2_ = (1 - foot.at) * length;
    l1_ = std::sqrt(std::max(0.0, a.squaredNorm() - 1));
    l2_ = std::sqrt(std::max(0.0, b.squaredNorm() - 1));
    const Vec3 D = d_.cwiseProduct(radii), U = u_.cwiseProduct(radii), V = v_.cwiseProduct(radii);
    dd_ = D.dot(D), du_ = D.dot(U), dv_ = D.dot(V);
    uu_ = U.dot(U), uv_ = U.dot(V), vv_ = V.dot(V);
    round_ = is_round(radii);
    flatness_ = radii.maxCoeff() / radii.minCoeff() - 1;
    length_.fill(kUnknown);
  }

  /// From the plane through c downhill to a shortest member.
  int downhill(const Vec3& c) const {
    const Vec3 w = c.cwiseQuotient(radii_) - foot_;
    return downhill(
        wrapped(static_cast<int>(std::lround(std::atan2(v_.dot(w), u_.dot(w)) / kStep))));
  }
  /// The same from member k; 0 is the one over the side on which the chord passes the centre.
  int downhill(int k) const {
    while (true) {
      const int next = at(k + 1) < at(k - 1) ? k + 1 : k - 1;
      if (!(at(next) < at(k))) return k;
      k = wrapped(next);
    }
  }
  bool shortest(int k) const { return at(k) <= at(k - 1) && at(k) < at(k + 1); }
  /// Length of the shortest member near k, by the parabola through three.
  double valley(int k) const {
    const double l = at(k - 1), m = at(k), r = at(k + 1), bend = l - 2 * m + r;
    return bend > 0 ? m - 0.125 * (l - r) * (l - r) / bend : m;
  }
  /// The chord passes the centre so far off that ways around the other side are longer.
  bool is_one_sided() const { return round_ && delta_ > 0.1 + 0.7 * flatness_; }

  /// The geodesic near a shortest member; none if that is not shortest among its neighbours.
  std::optional<SegmentWrap> geodesic(int k) const {
    // The parabola through three members.
    const double l = at(k - 1), m = at(k), r = at(k + 1), bend = l - 2 * m + r;
    const double best = k * kStep + (bend > 0 ? 0.5 * (l - r) / bend * kStep : 0);
    const double c = std::cos(best), s = std::sin(best);
    const Member guess(*this, c, s, false);
    // The touch point, from the foot.
    const double x = guess.radius * guess.r1.x(), y = guess.radius * guess.r1.y() - delta_ * c;
    const Vec3 t1 = (foot_ + x * d_ + y * (c * u_ + s * v_)).cwiseProduct(radii_);
    return solve_near(radii_, p1_, p2_, t1, guess.arc);
  }

 private:
  struct Turns {
    std::array<double, kPlanes> cosine, sine;
    Turns() {
      for (size_t k = 0; k < kPlanes; ++k) {
        const double turn = 2 * std::numbers::pi * static_cast<double>(k) / kPlanes;
        cosine[k] = std::cos(turn);
        sine[k] = std::sin(turn);
      }
    }
  };
  static const Turns kTurns;

  /// A member: tangent, arc, tangent, passing w on its side, clockwise in (x, y).
  struct Member {
    double radius, arc, length;
    Vec2 r1;

    Member(const Around& of, double c, double s, bool coarse) {
      const double y = of.delta_ * c, B = c * of.du_ + s * of.dv_;
      const double C = c * c * of.uu_ + 2 * c * s * of.uv_ + s * s * of.vv_, A = of.dd_;
      radius = std::sqrt(std::max(0.0, 1 - of.delta_ * of.delta_ * s * s));
      const double l1 = of.l1_, l2 = of.l2_, x1 = of.x1_, x2 = of.x2_;
      const double scale1 = 1 / (radius * radius + l1 * l1);
      const double scale2 = 1 / (radius * radius + l2 * l2);
      r1 = scale1 * Vec2(radius * x1 + l1 * y, radius * y - l1 * x1);
      const Vec2 r2 = scale2 * Vec2(radius * x2 - l2 * y, radius * y + l2 * x2);
      const double ca = r1.dot(r2), sa = r1.y() * r2.x() - r1.x() * r2.y();
      double angle = std::atan2(sa, ca);
      if (angle < 0) angle = angle > -1e-12 ? 0 : angle + 2 * std::numbers::pi;
      // Across r the tangent runs along (r_y, −r_x).
      const auto stretch = [&](const Vec2& r) {
        return std::sqrt(A * r.y() * r.y() - 2 * B * r.x() * r.y() + C * r.x() * r.x());
      };
      // The speed² on the arc is a + b cos χ + e sin χ, χ from −angle to angle.
      const double cos1 = r1.x() * r1.x() - r1.y() * r1.y(), sin1 = 2 * r1.x() * r1.y();
      const double cm = cos1 * ca + sin1 * sa, sm = sin1 * ca - cos1 * sa;
      const double a = 0.5 * (A + C), b = 0.5 * (C - A) * cm - B * sm,
                   e = -0.5 * (C - A) * sm - B * cm;
      const auto speeds = [&](double cosine, double sine) {
        return std::sqrt(std::max(0.0, a + b * cosine + e * sine)) +
               std::sqrt(std::max(0.0, a + b * cosine - e * sine));
      };
      double mean = 0;
      if (coarse) {  // Boole's rule: half the angle comes without trigonometry
        const double sh = std::sqrt(std::max(0.0, 0.5 * (1 - ca)));
        const double ch = std::copysign(std::sqrt(std::max(0.0, 0.5 * (1 + ca))), sa);
        mean = (7 * speeds(ca, sa) + 32 * speeds(ch, sh) + 12 * std::sqrt(a + b)) / 90;
      } else {
        // Gauss's rule on either half.
        for (int k = 0; k < 3; ++k)
          for (const double node : {0.5 * (1 - kNode[k]), 0.5 * (1 + kNode[k])})
            mean += 0.25 * kWeight[k] * speeds(std::cos(angle * node), std::sin(angle * node));
      }
      arc = angle * radius * mean;
      length = l1 * stretch(r1) + arc + l2 * stretch(r2);
    }
  };

  static int wrapped(int k) { return (k + 2 * kPlanes) % kPlanes; }
  double at(int k) const {
    double& length = length_[static_cast<size_t>(wrapped(k))];
    if (length != kUnknown) return length;
    const auto turn = static_cast<size_t>(wrapped(k));
    return length = Member(*this, kTurns.cosine[turn], kTurns.sine[turn], round_).length;
  }

  Vec3 radii_, p1_, p2_, foot_, d_, u_, v_;
  double delta_, x1_, x2_, l1_, l2_, dd_, du_, dv_, uu_, uv_, vv_;
  double flatness_;
  bool round_;
  static constexpr double kStep = 2 * std::numbers::pi / kPlanes;
  static constexpr double kUnknown = -1;
  mutable std::array<double, kPlanes> length_;  ///< lengths of members, as far as computed
};

const Around::Turns Around::kTurns;

}  // namespace

SegmentWrap meet_section(const Vec3& radii, const Vec3& p1, const Vec3& p2, const Vec3& c) {
  return contact_of(
      Section(p1.cwiseQuotient(radii), p2.cwiseQuotient(radii), c.cwiseQuotient(radii)), radii, 64);
}

SectionGuide section_guide(const Vec3& radii, const PathSurface& surface, const Vec3& p1,
                           const Vec3& p2) {
  const Vec3 a = p1.cwiseQuotient(radii), b = p2.cwiseQuotient(radii);
  const ChordFoot foot = chord_foot(a, b);
  const double half = std::sqrt(std::max(0.0, 1 - foot.distance2)) / (b - a).norm();
  const Vec3 in = p1 + (foot.at - half) * (p2 - p1), through = 2 * half * (p2 - p1);

  // Along an axis: the surface is nearest in the plane across the axis to which the segment is most
  // nearly parallel, at the point where it crosses that plane. This counts less near its ends.
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

SegmentWrap meet_ellipsoid(const Vec3& radii, const PathSurface& s, const Vec3& p1,
                           const Vec3& p2) {
  const Vec3 a = p1.cwiseQuotient(radii), b = p2.cwiseQuotient(radii);
  SegmentWrap out;
  // OpenSim's tolerance for ends on the surface.
  if (std::min(a.squaredNorm(), b.squaredNorm()) < 1 - 1e-4) {
    out.meeting = WrapDecision::inside;
    return out;
  }
  const ChordFoot foot = chord_foot(a, b);
  if (!foot.hits(1)) return out;

  const Around around(radii, p1, p2, foot);
  const auto on_side = [&](const SegmentWrap& c) {
    return s.sign == 0 || s.sign * (c.r1[s.axis] + c.r2[s.axis]) >= 0;
  };
  if (around.is_one_sided())
    if (const auto contact = around.geodesic(around.downhill(0)); contact && on_side(*contact))
      return *contact;

  std::array<int, Around::kPlanes> valleys;
  size_t count = 0;
  for (int k = 0; k < Around::kPlanes; ++k)
    if (around.shortest(k)) valleys[count++] = k;
  std::sort(valleys.begin(), valleys.begin() + count,
            [&](int a_k, int b_k) { return around.valley(a_k) < around.valley(b_k); });

  std::array<std::optional<SegmentWrap>, Around::kPlanes> found;
  std::optional<SegmentWrap> best;
  const auto consider = [&](const SegmentWrap& contact) {
    if (!best || length_of(contact, p1, p2) < length_of(*best, p1, p2)) best = contact;
  };
  // On round surfaces a geodesic's detour is more than a third of that of the section next to it.
  const double straight = (p2 - p1).norm();
  const auto cannot_win = [&](int k) {
    return best && is_round(radii) &&
           around.valley(k) - straight > 3 * (length_of(*best, p1, p2) - straight);
  };
  size_t done = 0;
  for (; done < count && !cannot_win(valleys[done]); ++done)
    if ((found[done] = around.geodesic(valleys[done]))) consider(*found[done]);
  // The shortest of all is allowed: nothing can be shorter, whatever leads OpenSim.
  if (best && on_side(*best)) return *best;

  for (; done < count; ++done) found[done] = around.geodesic(valleys[done]);
  best.reset();
  for (size_t k = 0; k < count; ++k)
    if (found[k] && on_side(*found[k])) consider(*found[k]);
  const SectionGuide guide = section_guide(radii, s, p1, p2);
  std::optional<SegmentWrap> led;  // where OpenSim's plane leads to
  if (!guide.moved)
    for (size_t k = 0; k < count; ++k)
      if (valleys[k] == around.downhill(guide.c)) led = found[k];
  if (led && on_side(*led)) return *best;
  // That way leads to the other side. The section itself passes c, which is on the side asked for,
  // or on its border: then most of the arc may be on the other side, and a geodesic is better.
  const Section section(a, b, guide.c.cwiseQuotient(radii));
  if (best && !(section.found && s.sign * section.at(0.5 * section.angle)[s.axis] >= 0))
    return *best;
  consider(opensim_section(radii, p1, p2, guide.c));
  return *best;
}

}  // namespace sinew

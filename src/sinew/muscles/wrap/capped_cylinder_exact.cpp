#include "sinew/muscles/wrap/capped_cylinder_exact.hpp"

#include <algorithm>
#include <limits>

#include "sinew/muscles/wrap/capped_cylinder_seam.hpp"

namespace sinew::capped {
namespace {

struct Candidate {
  Way way = Way::barrel;
  double psi = 0, sign = 1;
  double length = std::numeric_limits<double>::infinity();
  Vec3 contact = Vec3::Zero();  ///< a normal where it touches
};

/// The angle about z from a to b in the sense of `sign`, in [0, 2π).
double winding(const Vec3& a, const Vec3& b, double sign) {
  const double angle = std::atan2(sign * (a[0] * b[1] - a[1] * b[0]), a[0] * b[0] + a[1] * b[1]);
  return angle < 0 ? angle + 2 * std::numbers::pi : angle;
}

Candidate around_barrel(const Vec3& o, const Vec3& i, double sign, double r) {
  const double rho2_o = o[0] * o[0] + o[1] * o[1], rho2_i = i[0] * i[0] + i[1] * i[1];
  Candidate out{Way::barrel, 0, sign};
  if (rho2_o <= r * r || rho2_i <= r * r) return out;
  const Tangent<double> first(rho2_o, r), last(rho2_i, r);
  const double phi = winding(o, i, sign) - first.angle - last.angle;
  if (phi < 0) return out;
  const double plane = first.length + r * phi + last.length, rise = i[2] - o[2];
  if (o[2] + rise * first.length / plane > 0 || i[2] - rise * last.length / plane > 0) return out;
  out.length = std::hypot(plane, rise);
  out.contact = turned(o, first.angle + 0.5 * phi, sign);
  return out;
}

Candidate over_cap(const Vec3& o, const Vec3& i, double r) {
  Candidate out{Way::cap};
  const Tangent<double> first(o.squaredNorm(), r);
  const Vec3 e = o.normalized(), along = (i - i.dot(e) * e).normalized();
  const Vec3 start = std::cos(first.angle) * e + std::sin(first.angle) * along;
  const CapHalf<double> rest(r * start, i, r);
  if (rest.arc < 0 || start[2] < 0 || rest.touch[2] < 0) return out;
  out.length = first.length + r * rest.arc + rest.tangent.length;
  out.contact = start + rest.touch / r;
  return out;
}

/// The path from a, below the seam, to b.
Candidate over_seam(const Vec3& a, const Vec3& b, double sign, double r) {
  Candidate best{Way::up, 0, sign};
  const double rho2 = a[0] * a[0] + a[1] * a[1];
  if (a[2] > 0 || rho2 <= r * r) return best;
  const double first = Tangent<double>(rho2, r).angle;
  const auto slope = [&](double psi) { return mismatch(a, b, psi, sign, r); };
  constexpr int kGrid = 32;
  const double step = 1.5 * std::numbers::pi / kGrid;
  double low = first, slope_low = slope(low);
  for (int k = 1; k <= kGrid; ++k) {
    const double high = first + k * step, slope_high = slope(high);
    if (slope_low <= 0 && slope_high > 0) {
      double left = low, right = high;
      for (int bisection = 0; bisection < 60; ++bisection) {
        const double middle = 0.5 * (left + right);
        (slope(middle) <= 0 ? left : right) = middle;
      }
      const double psi = 0.5 * (left + right);
      const CylinderHalf<double> below(a, psi, sign, r);
      const CapHalf<double> above(below.seam, b, r);
      const double length = below.length + r * above.arc + above.tangent.length;
      if (above.arc >= 0 && above.touch[2] >= 0 && above.along[2] >= 0 && length < best.length)
        best = {Way::up, psi, sign, length, below.touch + below.seam + above.touch};
    }
    low = high;
    slope_low = slope_high;
  }
  return best;
}

/// The least distance of a segment from the axis' half-line z ≤ 0, by the convexity of its square.
double clearance(const Vec3& o, const Vec3& i) {
  const auto core = [&](double s) {
    Vec3 x = o + s * (i - o);
    x[2] = std::max(x[2], 0.0);
    return x;
  };
  const Vec3 d = i - o;
  const auto slope = [&](double s) {
    const Vec3 x = core(s);
    return x[0] * d[0] + x[1] * d[1] + x[2] * d[2];
  };
  double low = 0, high = 1;
  for (int k = 0; k < 60; ++k) {
    const double middle = 0.5 * (low + high);
    (slope(middle) < 0 ? low : high) = middle;
  }
  return core(0.5 * (low + high)).norm();
}

}  // namespace

SpanSolution solve_exact(const CappedCylinderWrap& wrap, const Vec3& o, const Vec3& i) {
  const double r = wrap.radius;
  SpanSolution solution;
  const auto outside = [&](const Vec3& x) {
    return Vec3(x[0], x[1], std::max(x[2], 0.0)).norm() > r * (1 + geodesic::kClearance);
  };
  if (!outside(o) || !outside(i)) {
    solution.status = SpanStatus::anchor_inside;
    return solution;
  }
  if (clearance(o, i) >= r) return solution;
  Candidate best;
  const auto consider = [&](Candidate candidate) {
    if (candidate.length < best.length && wrap.side.dot(candidate.contact) >= 0) best = candidate;
  };
  consider(over_cap(o, i, r));
  for (const double sign : {1.0, -1.0}) {
    consider(around_barrel(o, i, sign, r));
    consider(over_seam(o, i, sign, r));
    Candidate down = over_seam(i, o, -sign, r);
    down.way = Way::down;
    consider(down);
  }
  if (!std::isfinite(best.length)) {
    solution.status = SpanStatus::no_path;
    return solution;
  }
  solution.status = SpanStatus::wrapped;
  solution.count = 3;
  solution.unknowns[0] = static_cast<double>(best.way);
  solution.unknowns[1] = best.psi;
  solution.unknowns[2] = best.sign;
  return solution;
}

}  // namespace sinew::capped

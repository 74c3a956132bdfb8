#include "sinew/muscles/capped_cylinder_exact.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace sinew::capped {
namespace {

enum class Way { barrel, cap, up, down };  ///< up: from the cylinder over the seam to the cap

/// A tangent from a point at distance ρ of a circle's centre: its length and the angle at the
/// centre.
template <class T>
struct Tangent {
  T length, angle;
  Tangent(const T& rho2, double r) {
    using std::atan2, std::sqrt;
    length = sqrt(rho2 - r * r);
    angle = atan2(length, T(r));
  }
};

template <class T>
T square(const Point<T>& x) {
  return x[0] * x[0] + x[1] * x[1] + x[2] * x[2];
}
template <class T>
T product(const Point<T>& x, const Point<T>& y) {
  return x[0] * y[0] + x[1] * y[1] + x[2] * y[2];
}

/// The direction across z from the axis to a point, turned by an angle in the sense of `sign`.
template <class T>
Point<T> turned(const Point<T>& anchor, const T& angle, double sign) {
  using std::cos, std::sin, std::sqrt;
  const T per_rho = 1.0 / sqrt(anchor[0] * anchor[0] + anchor[1] * anchor[1]);
  const T x = anchor[0] * per_rho, y = anchor[1] * per_rho;
  const T c = cos(angle), s = sign * sin(angle);
  return {c * x - s * y, c * y + s * x, T(0)};
}

/// From an anchor a below the seam around the cylinder to the point P of the seam that is `psi`
/// further about z: a tangent, a helix. z is linear in the length unrolled.
template <class T>
struct CylinderHalf {
  Tangent<T> tangent;
  T plane, length;  ///< lengths unrolled to the plane, and in space
  Point<T> touch, seam;
  CylinderHalf(const Point<T>& a, const T& psi, double sign, double r)
      : tangent(T(a[0] * a[0] + a[1] * a[1]), r) {
    using std::sqrt;
    plane = tangent.length + r * (psi - tangent.angle);
    length = sqrt(plane * plane + a[2] * a[2]);
    touch = r * turned(a, tangent.angle, sign);
    touch[2] = a[2] * (1.0 - tangent.length / plane);
    seam = r * turned(a, psi, sign);
  }
};

/// From the point P of the seam over the cap to an anchor b: a great circle, a tangent.
template <class T>
struct CapHalf {
  Tangent<T> tangent;
  T arc;                  ///< angle
  Point<T> along, touch;  ///< direction at P
  CapHalf(const Point<T>& seam, const Point<T>& b, double r) : tangent(square(b), r) {
    using std::atan2, std::cos, std::sin, std::sqrt;
    const Point<T> p = (1 / r) * seam;
    const T ahead = product(p, b);
    const Point<T> across = b - ahead * p;
    const T beside = sqrt(square(across));
    along = (1.0 / beside) * across;
    arc = atan2(beside, ahead) - tangent.angle;
    touch = r * (cos(arc) * p + sin(arc) * along);
  }
};

/// ∂(length)/∂ψ of both halves together, over r: the difference of the tangents' parts along the
/// seam.
template <class T>
T mismatch(const Point<T>& a, const Point<T>& b, const T& psi, double sign, double r) {
  const CylinderHalf<T> below(a, psi, sign, r);
  const CapHalf<T> above(below.seam, b, r);
  const Point<T> seam_tangent = turned(a, T(psi + 0.5 * std::numbers::pi), sign);
  return below.plane / below.length - product(above.along, seam_tangent);
}

/// ψ as a function of the anchors: Newton's method from its plain value.
template <class T>
T refine_crossing(const Point<T>& a, const Point<T>& b, double psi0, double sign, double r) {
  using Seed = Dual<double, 1>;
  Point<Seed> a0, b0;
  for (int k = 0; k < 3; ++k) {
    a0[k] = Seed(value_of(a[k]));
    b0[k] = Seed(value_of(b[k]));
  }
  const double slope = mismatch(a0, b0, Seed::Variable(psi0, 0), sign, r).d[0];
  T psi(psi0);
  for (int k = 0; k < derivative_order<T>; ++k) psi -= mismatch(a, b, psi, sign, r) * (1 / slope);
  return psi;
}

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

/// From a, below the seam, to b.
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

namespace {

/// A great circle from `start` along the unit vector `along`.
template <class T>
void set_great_circle(const Point<T>& start, const Point<T>& along, double r, HelixArc<T>& arc) {
  arc.center = Point<T>(T(0), T(0), T(0));
  arc.e1 = (1 / r) * start;
  arc.e2 = along;
  arc.e3 = arc.e1.cross(arc.e2);
  arc.radius = T(r);
  arc.turn = T(1 / r);
  arc.pitch = T(0);
}

/// A helix from `start`, winding about z in the sense of `sign`, with dz/ds = pitch.
template <class T>
void set_helix(const Point<T>& start, const T& pitch, double sign, double r, HelixArc<T>& arc) {
  using std::sqrt;
  arc.center = Point<T>(T(0), T(0), start[2]);
  arc.e1 = Point<T>((1 / r) * start[0], (1 / r) * start[1], T(0));
  arc.e3 = Point<T>(T(0), T(0), T(1));
  arc.e2 = arc.e3.cross(arc.e1);
  arc.radius = T(r);
  arc.turn = (sign / r) * sqrt(1.0 - pitch * pitch);
  arc.pitch = pitch;
}

template <class T>
void add_over_seam(const Point<T>& o, const Point<T>& i, bool up, double psi0, double sign,
                   double r, SpanShape<T>& out) {
  using std::sin, std::cos;
  const Point<T>&a = up ? o : i, &b = up ? i : o;
  const T psi = refine_crossing(a, b, psi0, sign, r);
  const CylinderHalf<T> below(a, psi, sign, r);
  const CapHalf<T> above(below.seam, b, r);
  const T helix = below.length * (1.0 - below.tangent.length / below.plane);
  const T pitch = -(a[2] / below.length);  // towards the seam
  const T circle = r * above.arc;
  if (up) {
    out.add_straight(below.touch);
    set_helix(below.touch, pitch, sign, r, out.helix[0]);
    out.add_arc(below.seam, PieceKind::helix, 0, helix);
    set_great_circle(below.seam, above.along, r, out.helix[1]);
    out.add_arc(above.touch, PieceKind::helix, 1, circle);
  } else {
    const Point<T> back = sin(above.arc) * ((1 / r) * below.seam) - cos(above.arc) * above.along;
    out.add_straight(above.touch);
    set_great_circle(above.touch, back, r, out.helix[0]);
    out.add_arc(below.seam, PieceKind::helix, 0, circle);
    set_helix(below.seam, T(-pitch), -sign, r, out.helix[1]);
    out.add_arc(below.touch, PieceKind::helix, 1, helix);
  }
  // A helix of radius r and slope dz/ds has the curvature (1 − pitch²)/r.
  out.wrapped_angle = above.arc + helix * (1.0 - pitch * pitch) * (1 / r);
  out.add_straight(i);
}

}  // namespace

template <class T>
void exact_shape(const CappedCylinderWrap& wrap, const SpanSolution& solution, const Point<T>& o,
                 const Point<T>& i, SpanShape<T>& out) {
  using std::atan2, std::cos, std::sin, std::sqrt;
  if (solution.status != SpanStatus::wrapped) return straight_shape(o, i, out);
  const double r = wrap.radius, psi = solution.unknowns[1], sign = solution.unknowns[2];
  const auto way = static_cast<Way>(static_cast<int>(solution.unknowns[0]));
  out.start(o);
  if (way == Way::up || way == Way::down)
    return add_over_seam(o, i, way == Way::up, psi, sign, r, out);
  if (way == Way::cap) {
    const Tangent<T> first(square(o), r);
    const T per_rho = 1.0 / sqrt(square(o));
    const Point<T> e = per_rho * o, across = i - product(i, e) * e;
    const T scale = 1.0 / sqrt(square(across));
    const Point<T> along = scale * across;
    const T c = cos(first.angle), s = sin(first.angle);
    const Point<T> start = r * (c * e + s * along);
    const CapHalf<T> rest(start, i, r);
    out.add_straight(start);
    set_great_circle(start, rest.along, r, out.helix[0]);
    out.add_arc(rest.touch, PieceKind::helix, 0, T(r * rest.arc));
    out.wrapped_angle = rest.arc;
    out.add_straight(i);
    return;
  }
  const Tangent<T> first(T(o[0] * o[0] + o[1] * o[1]), r);
  const Tangent<T> last(T(i[0] * i[0] + i[1] * i[1]), r);
  const T cross = sign * (o[0] * i[1] - o[1] * i[0]), dot = o[0] * i[0] + o[1] * i[1];
  T theta = atan2(cross, dot);
  if (theta < 0.0) theta = theta + 2 * std::numbers::pi;
  const T phi = theta - first.angle - last.angle, rise = i[2] - o[2];
  const T plane = first.length + r * phi + last.length;
  const T stretch = sqrt(plane * plane + rise * rise) / plane;
  Point<T> start = r * turned(o, first.angle, sign);
  Point<T> end = r * turned(i, last.angle, -sign);
  start[2] = o[2] + rise * (first.length / plane);
  end[2] = i[2] - rise * (last.length / plane);
  const T pitch = rise / (plane * stretch);
  out.add_straight(start);
  set_helix(start, pitch, sign, r, out.helix[0]);
  out.add_arc(end, PieceKind::helix, 0, T(r * phi * stretch));
  out.wrapped_angle = phi / stretch;
  out.add_straight(i);
}
#define SINEW_SHAPE(T)                                                                          \
  template void exact_shape<T>(const CappedCylinderWrap&, const SpanSolution&, const Point<T>&, \
                               const Point<T>&, SpanShape<T>&);
SINEW_FOR_PATH_SCALARS(SINEW_SHAPE)
#undef SINEW_SHAPE

}  // namespace sinew::capped

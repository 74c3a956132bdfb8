#include "sinew/muscles/wrap/pulley_wrap.hpp"

#include "sinew/core/error.hpp"
#include "sinew/muscles/path/gauss.hpp"

namespace sinew {
namespace {

constexpr double kPulleyTurn = 2 * std::numbers::pi;
constexpr double kCut = 0.875 * std::numbers::pi;  // from there to half a turn there is no path

}  // namespace

template <class T>
struct PulleyWrap::Contact {
  T x, y, l;
};

/// A tangent touches the rim at the point's direction turned by ±acos(r/ρ), whose cosine and sine
/// are r/ρ and l/ρ.
template <class T>
PulleyWrap::Contact<T> PulleyWrap::contact(const Point<T>& x, double turn, bool held) const {
  using std::sqrt;
  const T rho2 = x[0] * x[0] + x[1] * x[1];
  if (held) {
    const T rho = sqrt(rho2);
    return {x[0] / rho, x[1] / rho, T(0)};
  }
  const T l = sqrt(rho2 - radius * radius);
  const T c = radius / rho2, s = turn * (l / rho2);
  return {c * x[0] - s * x[1], c * x[1] + s * x[0], l};
}

SpanSolution PulleyWrap::solve(const Vec3& o, const Vec3& i) const {
  return solve(o, i, 0.25 * kPulleyTurn);
}

SpanSolution PulleyWrap::solve(const Vec3& o, const Vec3& i, double expected) const {
  SpanSolution solution;
  solution.count = 1;
  solution.unknowns[0] = 0;
  const double innermost = radius * radius;
  if ((hold != RimHold::first && o.head<2>().squaredNorm() <= innermost) ||
      (hold != RimHold::last && i.head<2>().squaredNorm() <= innermost)) {
    solution.status = SpanStatus::anchor_inside;
    return solution;
  }
  const double sign = static_cast<double>(side);
  const Contact<double> a = contact<double>(o, sign, hold == RimHold::first),
                        b = contact<double>(i, -sign, hold == RimHold::last);
  const double angle = std::atan2(sign * (a.x * b.y - a.y * b.x), a.x * b.x + a.y * b.y);
  const double away = std::remainder(angle - expected, kPulleyTurn);
  solution.unknowns[0] = expected + away;
  solution.status = SpanStatus::wrapped;
  if (std::abs(away) > kCut)
    solution.status = SpanStatus::no_path;
  else if (solution.unknowns[0] < 0 && !past)
    solution.status = hold == RimHold::none ? SpanStatus::free : SpanStatus::no_path;
  return solution;
}

template <class T>
void PulleyWrap::shape(const SpanSolution& solution, const Point<T>& o, const Point<T>& i,
                       SpanShape<T>& out) const {
  using std::atan2, std::sqrt;
  if (solution.status != SpanStatus::wrapped) return straight_shape(o, i, out);
  const double sign = static_cast<double>(side);
  const Contact<T> a = contact(o, sign, hold == RimHold::first),
                   b = contact(i, -sign, hold == RimHold::last);
  T angle = atan2(T(sign * (a.x * b.y - a.y * b.x)), T(a.x * b.x + a.y * b.y));
  angle = angle + kPulleyTurn * std::round((wound_angle(solution) - value_of(angle)) / kPulleyTurn);
  const T rise = i[2] - o[2];
  out.start(o);
  if (past) {
    const T l = a.l + b.l;  // one of them is zero
    out.add_straight(i, sqrt(l * l + rise * rise) + radius * angle);
    return;
  }
  const T plane = a.l + radius * angle + b.l;
  const T length = sqrt(plane * plane + rise * rise), slope = rise / plane;
  const T stretch = length / plane;

  HelixArc<T>& helix = out.helix[0];
  helix.center << T(0), T(0), o[2] + slope * a.l;
  helix.e1 << a.x, a.y, T(0);
  helix.e2 << -a.y, a.x, T(0);
  helix.e3 << T(0), T(0), T(1);
  helix.radius = T(radius);
  helix.turn = sign / (radius * stretch);
  helix.pitch = rise / length;
  const Point<T> start(radius * a.x, radius * a.y, helix.center[2]);
  const Point<T> end(radius * b.x, radius * b.y, i[2] - slope * b.l);
  if (hold == RimHold::first) out.start(start);
  if (hold != RimHold::first) out.add_straight(start, a.l * stretch);
  out.add_arc(end, PieceKind::helix, 0, radius * angle * stretch);
  if (hold != RimHold::last) out.add_straight(i, b.l * stretch);
  out.wrapped_angle = angle;
}

#define SINEW_SHAPE(T)                                                                      \
  template void PulleyWrap::shape<T>(const SpanSolution&, const Point<T>&, const Point<T>&, \
                                     SpanShape<T>&) const;
SINEW_FOR_PATH_SCALARS(SINEW_SHAPE)
#undef SINEW_SHAPE

double PulleyWrap::tangent_angle(const Vec3& x, bool leaving) const {
  const double turn = static_cast<double>(side) * (leaving ? -1 : 1);
  const Contact<double> at = contact<double>(x, turn, false);
  return std::atan2(at.y, at.x);
}

int PulleyWrap::max_groups() const {
  return longest <= kLargestGaussArc * radius ? kMaxPieces : kMaxPieces - 1 + kMaxTurnParts;
}

void validate(const PulleyWrap& wrap, const std::string& element) {
  if (!(std::isfinite(wrap.radius) && wrap.radius > 0))
    throw Error(element, "its radius is not positive", "give the pulley's radius in metres");
  if (wrap.side == WrapSide::nearest)
    throw Error(element, "its side is not clockwise or counter-clockwise",
                "say how the strand winds about z, from its first node to its last");
}

}  // namespace sinew

#include "sinew/muscles/wrap/capped_cylinder_seam.hpp"

namespace sinew::capped {
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

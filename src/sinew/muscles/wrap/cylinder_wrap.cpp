#include "sinew/muscles/wrap/cylinder_wrap.hpp"

#include "sinew/core/error.hpp"
#include "sinew/muscles/wrap/length_gradient.hpp"

namespace sinew {
namespace {

template <class T>
PlanarPair<T> planar_pair(const Point<T>& o, const Point<T>& i, double sign) {
  const T dx = i[0] - o[0], dy = i[1] - o[1];
  return {o[0] * o[0] + o[1] * o[1], i[0] * i[0] + i[1] * i[1], o[0] * i[0] + o[1] * i[1],
          sign * (o[0] * i[1] - o[1] * i[0]), dx * dx + dy * dy};
}

/// From 1 to 0 as y goes from 0 to 1, C⁴: 1 − y⁵ (126 − 420 y + 540 y² − 315 y³ + 70 y⁴).
template <class T>
T smooth_step_down(const T& y) {
  const T y2 = y * y;
  return 1.0 - y2 * y2 * y * (126.0 + y * (-420.0 + y * (540.0 + y * (-315.0 + 70.0 * y))));
}

}  // namespace

/// r̃. Past an end the depth r − h of the smooth model falls to −e, where the path is the chord:
///     r̃ = h + S_e(w (r − h) − (1 − w) e),    w = step(|z_c|),    z_c = z_o + (z_i − z_o) l_o/(l_o
///     + l_i)
/// with l for the full radius; z_c is the height of the foot at touch-down.
template <class T>
T CylinderWrap::path_radius(const PlanarPair<T>& pair, const T& z_o, const T& z_i) const {
  using std::sqrt, std::abs;
  if (model == WrapKind::exact) return T(radius);
  const T r = limited_radius(radius, pair);
  if (!std::isfinite(half_length)) return smooth_radius(r, band, pair);
  const T l_o = sqrt(pair.rho2_o - r * r), l_i = sqrt(pair.rho2_i - r * r);
  const T past = (abs(T(z_o + (z_i - z_o) * (l_o / (l_o + l_i)))) - half_length) / radius;
  if (past <= 0.0) return smooth_radius(r, band, pair);
  const T chord = sqrt(pair.chord2), h = pair.cross / chord;
  if (past >= 1.0) return h;
  T e = band_width(band, pair, chord);
  if (e < 0.0) e = T(0);
  const T w = smooth_step_down(past);
  return h + smooth_ramp(T(w * (r - h) - (1.0 - w) * e), e);
}

bool CylinderWrap::both_past_one_end(const PlanarPair<double>& pair, double z_o, double z_i) const {
  const PlanarArc<double> arc = planar_arc(pair, radius);
  const double slope = (z_i - z_o) / arc.length();
  const double z_1 = z_o + slope * arc.l_o, z_2 = z_i - slope * arc.l_i;
  return std::min(z_1, z_2) > half_length || std::max(z_1, z_2) < -half_length;
}

SpanSolution CylinderWrap::solve(const Vec3& o, const Vec3& i) const {
  SpanSolution solution;
  double sign = static_cast<double>(side);
  if (side == WrapSide::nearest) sign = o[0] * i[1] - o[1] * i[0] >= 0 ? 1 : -1;
  solution.count = 1;
  solution.unknowns[0] = sign;

  const PlanarPair<double> pair = planar_pair(o, i, sign);
  const bool exact = model == WrapKind::exact;
  const double r = exact ? radius : limited_radius(radius, pair);
  // The smooth model has a path from inside too, except beside the axis, where it has no direction.
  const double innermost = exact ? radius : 0.01 * radius;
  if (std::min(pair.rho2_o, pair.rho2_i) <= innermost * innermost) {
    solution.status = SpanStatus::anchor_inside;
    return solution;
  }
  const Winding winding = planar_winding(pair, r, exact ? 0 : band_width(band, pair));
  if (winding == Winding::no_path) solution.status = SpanStatus::no_path;
  if (winding != Winding::contact) return solution;
  solution.status = SpanStatus::wrapped;
  if (!std::isfinite(half_length)) return solution;

  if (exact) {
    if (both_past_one_end(pair, o[2], i[2])) solution.status = SpanStatus::slipped_off;
    return solution;
  }
  const double h = pair.cross / std::sqrt(pair.chord2);
  const double r_path = path_radius(pair, o[2], i[2]);
  if (r_path <= h)
    solution.status = SpanStatus::slipped_off;
  else if (r_path < 0.05 * radius)  // lifting off, wound by half a turn or more: it would snap
    solution.status = SpanStatus::no_path;
  return solution;
}

template <class T>
void CylinderWrap::shape(const SpanSolution& solution, const Point<T>& o, const Point<T>& i,
                         SpanShape<T>& out) const {
  if (solution.status != SpanStatus::wrapped) return straight_shape(o, i, out);
  const double sign = solution.unknowns[0];
  const PlanarPair<T> pair = planar_pair(o, i, sign);
  const PlanarArc<T> arc = planar_arc(pair, path_radius(pair, o[2], i[2]));

  // The tangent points are o and i turned by ±acos(r̃/ρ), whose cosine and sine are r̃/ρ and l/ρ.
  const T cos_o = arc.radius / pair.rho2_o, sin_o = sign * (arc.l_o / pair.rho2_o);
  const T cos_i = arc.radius / pair.rho2_i, sin_i = -sign * (arc.l_i / pair.rho2_i);
  const T slope = (i[2] - o[2]) / arc.length();
  HelixArc<T>& helix = out.helix[0];
  helix.center << T(0), T(0), o[2] + slope * arc.l_o;
  helix.e1 << cos_o * o[0] - sin_o * o[1], cos_o * o[1] + sin_o * o[0], T(0);
  helix.e2 << -helix.e1[1], helix.e1[0], T(0);
  helix.e3 << T(0), T(0), T(1);
  const Point<T> start(arc.radius * helix.e1[0], arc.radius * helix.e1[1], helix.center[2]);
  const Point<T> end(arc.radius * (cos_i * i[0] - sin_i * i[1]),
                     arc.radius * (cos_i * i[1] + sin_i * i[0]), i[2] - slope * arc.l_i);
  out.start(o);
  add_wrapped(arc, T(i[2] - o[2]), sign, start, end, i, out);
}

void CylinderWrap::length_gradient(const SpanSolution& solution, const Vec3& o, const Vec3& i,
                                   double& length, Vec3& dl_do, Vec3& dl_di) const {
  if (solution.status != SpanStatus::wrapped) return straight_gradient(o, i, length, dl_do, dl_di);
  const double sign = solution.unknowns[0];
  const PlanarPair<double> pair = planar_pair(o, i, sign);
  const bool exact = model == WrapKind::exact;
  PlanarPair<double> slopes{0, 0, 0, 0, 0};
  const double r = exact ? radius : smooth_radius_slopes(radius, band, pair, slopes);
  // A smooth finite cylinder has a different r̃ past its ends.
  if (!exact && std::isfinite(half_length) && path_radius(pair, o[2], i[2]) != r)
    return dual_gradient(*this, solution, o, i, length, dl_do, dl_di);
  const PlanarArc<double> arc = planar_arc(pair, r);
  const double plane = arc.length(), rise = i[2] - o[2];
  length = std::sqrt(plane * plane + rise * rise);
  const double lie = plane / length, climb = rise / length;

  // Unit vectors of the tangents, outwards: o and i turned by the angles between radius and
  // tangent.
  const double a = arc.l_o / pair.rho2_o, b = sign * arc.radius / pair.rho2_o;
  const double c = arc.l_i / pair.rho2_i, d = sign * arc.radius / pair.rho2_i;
  dl_do << a * o[0] + b * o[1], a * o[1] - b * o[0], 0;
  dl_di << c * i[0] - d * i[1], c * i[1] + d * i[0], 0;
  if (!exact) {
    const Vec3 chord = i - o;
    const double cross = sign * slopes.cross, chord2 = 2 * slopes.chord2;
    const double by_o = 2 * slopes.rho2_o, by_i = 2 * slopes.rho2_i;
    dl_do +=
        arc.angle * Vec3(by_o * o[0] + slopes.dot * i[0] + cross * i[1] - chord2 * chord[0],
                         by_o * o[1] + slopes.dot * i[1] - cross * i[0] - chord2 * chord[1], 0);
    dl_di +=
        arc.angle * Vec3(by_i * i[0] + slopes.dot * o[0] - cross * o[1] + chord2 * chord[0],
                         by_i * i[1] + slopes.dot * o[1] + cross * o[0] + chord2 * chord[1], 0);
  }
  dl_do = lie * dl_do - Vec3(0, 0, climb);
  dl_di = lie * dl_di + Vec3(0, 0, climb);
}

#define SINEW_SHAPE(T)                                                                        \
  template void CylinderWrap::shape<T>(const SpanSolution&, const Point<T>&, const Point<T>&, \
                                       SpanShape<T>&) const;
SINEW_FOR_PATH_SCALARS(SINEW_SHAPE)
#undef SINEW_SHAPE

void validate(const CylinderWrap& wrap, const std::string& element) {
  const auto require = [&](bool condition, const char* problem, const char* remedy) {
    if (!condition) throw Error(element, problem, remedy);
  };
  require(std::isfinite(wrap.radius) && wrap.radius > 0, "its radius is not positive",
          "give the cylinder's radius in metres");
  require(wrap.half_length > 0, "its half_length is not positive",
          "give half the cylinder's length in metres, or leave it out for one without ends");
  require(wrap.band > 0 && wrap.band <= kMaxBand, "its band is not in (0, 0.3] rad",
          "0.07 suits steps of up to 1 ms, 0.13 those of 5 ms");
  require(wrap.side != WrapSide::nearest || wrap.model == WrapKind::exact,
          "side 'nearest' jumps from one side to the other, which the smooth model cannot",
          "choose the side, clockwise or counter_clockwise about z, or the exact model");
}

}  // namespace sinew

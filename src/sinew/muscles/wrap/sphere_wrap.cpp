#include "sinew/muscles/wrap/sphere_wrap.hpp"

#include "sinew/core/error.hpp"
#include "sinew/muscles/wrap/length_gradient.hpp"

namespace sinew {
namespace {

/// The plane of a path about the sphere: its unit normal and the inputs of planar_arc.hpp. Heights
/// over it are zero unless the normal is tilted.
template <class T>
struct Plane {
  Point<T> n;
  T z_o, z_i;
  PlanarPair<T> pair;
};

template <class T>
Plane<T> common_plane(const Point<T>& o, const Point<T>& i) {
  using std::sqrt;
  const Point<T> across = o.cross(i), chord = i - o;
  const T cross = sqrt(across.dot(across));
  const T inverse = 1.0 / cross;
  return {inverse * across, T(0), T(0), {o.dot(o), i.dot(i), o.dot(i), cross, chord.dot(chord)}};
}

template <class T>
Plane<T> tilted_plane(const Point<T>& o, const Point<T>& i, const Point<T>& normal) {
  using std::sqrt;
  Plane<T> plane;
  plane.n = normal / T(sqrt(normal.dot(normal)));
  plane.z_o = plane.n.dot(o);
  plane.z_i = plane.n.dot(i);
  const Point<T> chord = i - o;
  const T rise = plane.z_i - plane.z_o;
  plane.pair = {o.dot(o) - plane.z_o * plane.z_o, i.dot(i) - plane.z_i * plane.z_i,
                o.dot(i) - plane.z_o * plane.z_i, plane.n.dot(o.cross(i)),
                chord.dot(chord) - rise * rise};
  return plane;
}

}  // namespace

bool SphereWrap::near_antipode(const Vec3& o, const Vec3& i) const {
  const double kappa = 2 * (1 + o.dot(i) / std::sqrt(o.squaredNorm() * i.squaredNorm()));
  return kappa < 1.5 * antipode_band * antipode_band;
}

template <class T>
Point<T> SphereWrap::tilted_normal(const Point<T>& o, const Point<T>& i) const {
  using std::sqrt;
  const T rho_o = sqrt(o.dot(o)), rho_i = sqrt(i.dot(i)), both = rho_o * rho_i;
  const T kappa = 2.0 * (1.0 + o.dot(i) / both);
  const T mu = both * smooth_ramp(T(antipode_band - kappa / antipode_band), T(0.5 * antipode_band));
  const Point<T> line = o / rho_o - i / rho_i;
  const Point<T> m = axis.cast<T>();
  const T along = m.dot(line) / line.dot(line);
  return o.cross(i) + mu * (m - along * line);
}

SpanSolution SphereWrap::solve(const Vec3& o, const Vec3& i) const {
  SpanSolution solution;
  const bool exact = model == WrapKind::exact;
  const double rho2_o = o.squaredNorm(), rho2_i = i.squaredNorm();
  // The smooth model has a path from inside too, except at the centre, where it has no direction.
  const double innermost = exact ? radius : 0.01 * radius;
  if (std::min(rho2_o, rho2_i) <= innermost * innermost) {
    solution.status = SpanStatus::anchor_inside;
    return solution;
  }
  const bool tilted = !exact && near_antipode(o, i);
  solution.count = 1;
  solution.unknowns[0] = tilted;
  // Rounding decides the plane if the sine is smaller; the tilted normal needs a good part of μ.
  const Vec3 normal = tilted ? tilted_normal<double>(o, i) : Vec3(o.cross(i));
  const double least = tilted ? 0.1 * antipode_band : 1e-10;
  if (normal.squaredNorm() <= least * least * rho2_o * rho2_i) {
    if (o.dot(i) < 0) solution.status = SpanStatus::no_path;
    return solution;
  }
  const PlanarPair<double> pair = (tilted ? tilted_plane(o, i, normal) : common_plane(o, i)).pair;
  const double r = exact ? radius : limited_radius(radius, pair);
  const Winding winding = planar_winding(pair, r, exact ? 0 : band_width(band, pair));
  if (winding == Winding::contact) solution.status = SpanStatus::wrapped;
  if (winding == Winding::no_path) solution.status = SpanStatus::no_path;
  return solution;
}

template <class T>
void SphereWrap::shape(const SpanSolution& solution, const Point<T>& o, const Point<T>& i,
                       SpanShape<T>& out) const {
  if (solution.status != SpanStatus::wrapped) return straight_shape(o, i, out);
  const bool tilted = solution.unknowns[0] != 0;
  const Plane<T> plane =
      tilted ? tilted_plane<T>(o, i, tilted_normal(o, i)) : common_plane<T>(o, i);
  const PlanarPair<T>& pair = plane.pair;
  const T r = model == WrapKind::exact ? T(radius)
                                       : smooth_radius(limited_radius(radius, pair), band, pair);
  const PlanarArc<T> arc = planar_arc(pair, r);

  // The tangent points are o and i turned by ±acos(r̃/ρ), whose cosine and sine are r̃/ρ and l/ρ.
  Point<T> o_flat = o, i_flat = i;
  if (tilted) {
    o_flat -= plane.z_o * plane.n;
    i_flat -= plane.z_i * plane.n;
  }
  const T cos_o = arc.radius / pair.rho2_o, sin_o = arc.l_o / pair.rho2_o;
  const T cos_i = arc.radius / pair.rho2_i, sin_i = arc.l_i / pair.rho2_i;
  const Point<T> o_turned = plane.n.cross(o_flat), i_turned = plane.n.cross(i_flat);
  HelixArc<T>& helix = out.helix[0];
  helix.e1 = cos_o * o_flat + sin_o * o_turned;
  helix.e2 = cos_o * o_turned - sin_o * o_flat;
  helix.e3 = plane.n;
  Point<T> start = r * helix.e1, end = r * (cos_i * i_flat - sin_i * i_turned);
  out.start(o);
  if (tilted) {
    const T slope = (plane.z_i - plane.z_o) / arc.length();
    helix.center = (plane.z_o + slope * arc.l_o) * plane.n;
    start += helix.center;
    end += (plane.z_i - slope * arc.l_i) * plane.n;
    return add_wrapped(arc, T(plane.z_i - plane.z_o), 1, start, end, i, out);
  }
  helix.center = Point<T>(T(0), T(0), T(0));
  add_wrapped(arc, T(0), 1, start, end, i, out);
}

void SphereWrap::length_gradient(const SpanSolution& solution, const Vec3& o, const Vec3& i,
                                 double& length, Vec3& dl_do, Vec3& dl_di) const {
  if (solution.status != SpanStatus::wrapped) return straight_gradient(o, i, length, dl_do, dl_di);
  if (solution.unknowns[0] != 0) return dual_gradient(*this, solution, o, i, length, dl_do, dl_di);
  const Plane<double> plane = common_plane(o, i);
  const PlanarPair<double>& pair = plane.pair;
  const bool exact = model == WrapKind::exact;
  PlanarPair<double> slopes{0, 0, 0, 0, 0};
  const double r = exact ? radius : smooth_radius_slopes(radius, band, pair, slopes);
  const PlanarArc<double> arc = planar_arc(pair, r);
  length = arc.length();
  const Vec3 o_turned = plane.n.cross(o), i_turned = plane.n.cross(i);
  dl_do = (arc.l_o * o - r * o_turned) / pair.rho2_o;
  dl_di = (arc.l_i * i + r * i_turned) / pair.rho2_i;
  if (exact) return;
  const Vec3 chord = 2 * slopes.chord2 * (i - o);
  dl_do += arc.angle * (2 * slopes.rho2_o * o + slopes.dot * i - slopes.cross * i_turned - chord);
  dl_di += arc.angle * (2 * slopes.rho2_i * i + slopes.dot * o + slopes.cross * o_turned + chord);
}

#define SINEW_SHAPE(T)                                                                      \
  template void SphereWrap::shape<T>(const SpanSolution&, const Point<T>&, const Point<T>&, \
                                     SpanShape<T>&) const;
SINEW_FOR_PATH_SCALARS(SINEW_SHAPE)
#undef SINEW_SHAPE

void validate(const SphereWrap& wrap, const std::string& element) {
  const auto require = [&](bool condition, const char* problem, const char* remedy) {
    if (!condition) throw Error(element, problem, remedy);
  };
  require(std::isfinite(wrap.radius) && wrap.radius > 0, "its radius is not positive",
          "give the sphere's radius in metres");
  require(wrap.band > 0 && wrap.band <= kMaxBand, "its band is not in (0, 0.3] rad",
          "0.07 suits steps of up to 1 ms, 0.13 those of 5 ms");
  require(std::abs(wrap.axis.norm() - 1) < 1e-9, "its axis is not a unit vector",
          "give the unit vector about which paths between opposite points should wind");
  require(wrap.antipode_band > 0 && wrap.antipode_band <= 0.5,
          "its antipode_band is not in (0, 0.5] rad",
          "0.2 keeps velocities below those of the anchors");
}

}  // namespace sinew

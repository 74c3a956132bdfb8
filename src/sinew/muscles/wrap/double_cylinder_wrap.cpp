#include "sinew/muscles/wrap/double_cylinder_wrap.hpp"

#include "sinew/core/error.hpp"
#include "sinew/muscles/wrap/length_gradient.hpp"
#include "sinew/muscles/wrap/two_circles.hpp"

namespace sinew {

using namespace two_circles;

template <class T>
void DoubleCylinderWrap::shape(const SpanSolution& solution, const Point<T>& o, const Point<T>& i,
                               SpanShape<T>& out) const {
  using std::sqrt;
  if (solution.status != SpanStatus::wrapped) return straight_shape(o, i, out);
  Touched touched{static_cast<int>(solution.unknowns[0]),
                  {static_cast<int>(solution.unknowns[1]), static_cast<int>(solution.unknowns[2])}};
  const bool exact = model == WrapKind::exact;
  const auto count = static_cast<size_t>(touched.count);
  const Bands<T> band_o_i = bands<T>(*this, o, i);
  std::array<T, 2> w{T(solution.unknowns[3]), T(solution.unknowns[4])};
  bool deep = true;
  for (size_t k = 0; k < count; ++k) deep = deep && (exact || w[k] >= 1.0);
  Track<T> path = track(*this, touched, radii(touched, band_o_i, w, exact), o, i);
  if (!deep) {
    const Eigen::Map<const Eigen::Matrix2d> inverse(&solution.unknowns[5]);
    for (int order = 0; order < derivative_order<T>; ++order) {
      const std::array<T, 2> g = residual(*this, touched, path, w);
      w[0] = w[0] - (inverse(0, 0) * g[0] + inverse(0, 1) * g[1]);
      w[1] = w[1] - (inverse(1, 0) * g[0] + inverse(1, 1) * g[1]);
      path = track(*this, touched, radii(touched, band_o_i, w, exact), o, i);
    }
  }
  const std::array<T, 2> radius = radii(touched, band_o_i, w, exact);

  T plane = path.tangent[count].length;
  for (size_t k = 0; k < count; ++k)
    plane = plane + path.tangent[k].length + radius[k] * path.angle[k];
  const T rise = i[2] - o[2], length = sqrt(plane * plane + rise * rise);
  const T stretch = length / plane, slope_z = rise / plane;
  out.start(o);
  T z = o[2];
  for (size_t k = 0; k < count; ++k) {
    const Circle& c = circle[static_cast<size_t>(touched.which[k])];
    const double sign = sign_of(c);
    const Flat<T>&in = path.tangent[k].t, &leaving = path.tangent[k + 1].t;
    const T arc = radius[k] * path.angle[k], r = sign * radius[k];
    z = z + slope_z * path.tangent[k].length;
    HelixArc<T>& helix = out.helix[k];
    helix.center << T(c.x), T(c.y), z;
    helix.e1 << sign * in.y, -sign * in.x, T(0);
    helix.e2 << sign * in.x, sign * in.y, T(0);
    helix.e3 << T(0), T(0), T(1);
    helix.radius = radius[k];
    helix.turn = sign / (radius[k] * stretch);
    helix.pitch = rise / length;
    out.add_straight(Point<T>(c.x + r * in.y, c.y - r * in.x, z), path.tangent[k].length * stretch);
    z = z + slope_z * arc;
    out.add_arc(Point<T>(c.x + r * leaving.y, c.y - r * leaving.x, z), PieceKind::helix,
                static_cast<int>(k), arc * stretch);
    out.wrapped_angle = out.wrapped_angle + path.angle[k];
  }
  out.add_straight(i, path.tangent[count].length * stretch);
}

void DoubleCylinderWrap::length_gradient(const SpanSolution& solution, const Vec3& o, const Vec3& i,
                                         double& length, Vec3& dl_do, Vec3& dl_di) const {
  if (solution.status != SpanStatus::wrapped) return straight_gradient(o, i, length, dl_do, dl_di);
  SpanShape<double> path;
  shape<double>(solution, o, i, path);
  const auto count = static_cast<size_t>(solution.unknowns[0]);
  for (size_t k = 0; k < count; ++k)
    if (path.helix[k].radius != circle[static_cast<size_t>(solution.unknowns[1 + k])].radius)
      return dual_gradient(*this, solution, o, i, length, dl_do, dl_di);
  // At fixed radii the path is the shortest: only its ends matter.
  const auto last = static_cast<size_t>(path.pieces);
  length = path.length;
  dl_do = (o - path.node[1]) / path.piece[0].length;
  dl_di = (i - path.node[last - 1]) / path.piece[last - 1].length;
}

#define SINEW_SHAPE(T)                                                             \
  template void DoubleCylinderWrap::shape<T>(const SpanSolution&, const Point<T>&, \
                                             const Point<T>&, SpanShape<T>&) const;
SINEW_FOR_PATH_SCALARS(SINEW_SHAPE)
#undef SINEW_SHAPE

void validate(const DoubleCylinderWrap& wrap, const std::string& element) {
  const auto require = [&](bool condition, const char* problem, const char* remedy) {
    if (!condition) throw Error(element, problem, remedy);
  };
  for (const Circle& c : wrap.circle) {
    require(std::isfinite(c.radius) && c.radius > 0, "a radius is not positive",
            "give the cylinders' radii in metres");
    require(std::isfinite(c.x) && std::isfinite(c.y), "a centre is not finite",
            "give the points at which the axes cross the plane z = 0, in metres");
    require(c.side != WrapSide::nearest, "side 'nearest' is not defined for two cylinders",
            "choose clockwise or counter_clockwise about z for each");
  }
  const Circle &a = wrap.circle[0], &b = wrap.circle[1];
  // So that a common tangent exists for every radius between the limiter's and r + e.
  const double apart = std::hypot(b.x - a.x, b.y - a.y);
  const double least = a.side == b.side ? std::max(a.radius, b.radius) : a.radius + b.radius;
  require(apart >= 1.25 * least, "its cylinders are too close to each other",
          "keep their axes 1.25 of the larger radius apart, or of the sum of both if the path "
          "crosses over between them");
  require(wrap.band > 0 && wrap.band <= 0.15, "its band is not in (0, 0.15] rad",
          "0.07 suits steps of up to 1 ms, 0.13 those of 5 ms");
}

}  // namespace sinew

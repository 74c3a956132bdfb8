#include "sinew/muscles/double_cylinder_wrap.hpp"

#include <algorithm>

#include "sinew/core/error.hpp"
#include "sinew/muscles/length_gradient.hpp"

namespace sinew {
namespace {

using Circle = DoubleCylinderWrap::Circle;

double sign_of(const Circle& circle) { return static_cast<double>(circle.side); }

/// A vector of the plane.
template <class T>
struct Flat {
  T x, y;
};
template <class T>
T squared(const Flat<T>& a) {
  return a.x * a.x + a.y * a.y;
}
template <class T>
Flat<T> from_center(const Circle& circle, const Point<T>& p) {
  return {p[0] - circle.x, p[1] - circle.y};
}
template <class T>
PlanarPair<T> pair_about(const Circle& circle, const Point<T>& o, const Point<T>& i) {
  const Flat<T> a = from_center(circle, o), b = from_center(circle, i);
  const Flat<T> chord{i[0] - o[0], i[1] - o[1]};
  return {squared(a), squared(b), a.x * b.x + a.y * b.y, sign_of(circle) * (a.x * b.y - a.y * b.x),
          squared(chord)};
}

/// A straight piece along the vector d, at the distance `offset` to the right of its start or to
/// the left of its end: its unit direction is d turned by −asin(offset/|d|).
template <class T>
struct Tangent {
  Flat<T> t;
  T length;
};
template <class T>
Tangent<T> tangent_along(const Flat<T>& d, const T& offset) {
  using std::sqrt;
  const T d2 = squared(d);
  const T length = sqrt(d2 - offset * offset);
  const T c = length / d2, s = offset / d2;
  return {{c * d.x + s * d.y, c * d.y - s * d.x}, length};
}

/// The angle by which a path turns about a circle, in (−π/2, 3π/2).
template <class T>
T turned(double sign, const Flat<T>& from, const Flat<T>& to) {
  using std::atan2;
  const T angle = atan2(sign * (from.x * to.y - from.y * to.x), T(from.x * to.x + from.y * to.y));
  return angle < -0.5 * std::numbers::pi ? angle + 2 * std::numbers::pi : angle;
}

/// The circles a path touches, in order.
struct Touched {
  int count = 0;
  std::array<int, 2> which{};
};

/// A path around the touched circles with given radii: tangents between them, angles about them.
template <class T>
struct Track {
  std::array<Tangent<T>, 3> tangent;
  std::array<T, 2> angle;
};

template <class T>
Track<T> track(const DoubleCylinderWrap& wrap, const Touched& touched,
               const std::array<T, 2>& radius, const Point<T>& o, const Point<T>& i) {
  Track<T> path;
  const auto circle = [&](int k) -> const Circle& {
    return wrap.circle[static_cast<size_t>(touched.which[static_cast<size_t>(k)])];
  };
  const auto n = static_cast<size_t>(touched.count);
  const Circle &first = circle(0), &last = circle(touched.count - 1);
  const Flat<T> a = from_center(first, o);
  path.tangent[0] = tangent_along<T>({-a.x, -a.y}, sign_of(first) * radius[0]);
  if (n == 2)
    path.tangent[1] = tangent_along<T>({T(last.x - first.x), T(last.y - first.y)},
                                       T(sign_of(last) * radius[1] - sign_of(first) * radius[0]));
  path.tangent[n] = tangent_along<T>(from_center(last, i), -sign_of(last) * radius[n - 1]);
  for (size_t k = 0; k < n; ++k)
    path.angle[k] =
        turned(sign_of(circle(static_cast<int>(k))), path.tangent[k].t, path.tangent[k + 1].t);
  return path;
}

/// Radii near the anchors limited, and the distances e over which gaps open.
template <class T>
struct Bands {
  std::array<T, 2> radius, e;
};

template <class T>
Bands<T> bands(const DoubleCylinderWrap& wrap, const Point<T>& o, const Point<T>& i) {
  using std::sqrt;
  Bands<T> out;
  if (wrap.model == WrapKind::exact) {
    for (size_t k = 0; k < 2; ++k) {
      out.radius[k] = T(wrap.circle[k].radius);
      out.e[k] = T(0);
    }
    return out;
  }
  const std::array<PlanarPair<T>, 2> pair{pair_about(wrap.circle[0], o, i),
                                          pair_about(wrap.circle[1], o, i)};
  for (size_t k = 0; k < 2; ++k) out.radius[k] = limited_radius(wrap.circle[k].radius, pair[k]);
  const double dx = wrap.circle[1].x - wrap.circle[0].x, dy = wrap.circle[1].y - wrap.circle[0].y;
  const T offset =
      sign_of(wrap.circle[1]) * out.radius[1] - sign_of(wrap.circle[0]) * out.radius[0];
  const T between2 = (dx * dx + dy * dy) - offset * offset;
  // Towards the other circle the tangent ends there or, if that is free, at the far anchor: the
  // root of the sum of squares of both inverse lengths stands for either.
  for (size_t k = 0; k < 2; ++k) {
    const T r2 = out.radius[k] * out.radius[k];
    const T near2 = (k == 0 ? pair[k].rho2_o : pair[k].rho2_i) - r2;
    const T far2 = (k == 0 ? pair[k].rho2_i : pair[k].rho2_o) - r2;
    out.e[k] = wrap.band / (1.0 / sqrt(near2) + sqrt(T(1.0 / between2 + 1.0 / far2)));
  }
  return out;
}

template <class T>
T gap(const T& w) {
  return smooth_ramp(T(-w), T(1));
}

/// R of the touched circles at w.
template <class T>
std::array<T, 2> radii(const Touched& touched, const Bands<T>& band, const std::array<T, 2>& w,
                       bool exact) {
  std::array<T, 2> out{T(0), T(0)};
  for (size_t k = 0; k < static_cast<size_t>(touched.count); ++k) {
    const auto c = static_cast<size_t>(touched.which[k]);
    out[k] = exact || w[k] >= 1.0 ? band.radius[c] : band.radius[c] + band.e[c] * gap(w[k]);
  }
  return out;
}

/// φ(R(w)) − ε S(w).
template <class T>
std::array<T, 2> residual(const DoubleCylinderWrap& wrap, const Touched& touched,
                          const Track<T>& path, const std::array<T, 2>& w) {
  std::array<T, 2> g{T(0), T(0)};
  for (size_t k = 0; k < static_cast<size_t>(touched.count); ++k)
    g[k] = path.angle[k] - wrap.band * smooth_ramp(w[k], T(1));
  return g;
}

using Mat2 = Eigen::Matrix2d;
using Vec2 = Eigen::Vector2d;

/// ∂g/∂w: ∂φ_j/∂R_j is the sum of the inverse lengths of its tangents, ∂φ_1/∂R_2 = ∂φ_2/∂R_1 =
/// −σ_1 σ_2 over that of the common one. Dominated by its diagonal.
Mat2 slope(const DoubleCylinderWrap& wrap, const Touched& touched, const Track<double>& path,
           const Bands<double>& band, const std::array<double, 2>& w) {
  Mat2 A = Mat2::Identity();
  for (int k = 0; k < touched.count; ++k) {
    const auto n = static_cast<size_t>(k), c = static_cast<size_t>(touched.which[n]);
    const double by_w = -band.e[c] * smooth_ramp_slope(-w[n], 1);
    A(k, k) = by_w * (1 / path.tangent[n].length + 1 / path.tangent[n + 1].length) -
              wrap.band * smooth_ramp_slope(w[n], 1);
    if (touched.count == 2)
      A(1 - k, k) =
          -by_w * sign_of(wrap.circle[0]) * sign_of(wrap.circle[1]) / path.tangent[1].length;
  }
  return A;
}

/// What the iteration works on.
struct Problem {
  const DoubleCylinderWrap& wrap;
  const Vec3 &o, &i;
  Bands<double> band;

  Track<double> path(const Touched& touched, const std::array<double, 2>& w) const {
    return track(wrap, touched, radii(touched, band, w, wrap.model == WrapKind::exact), o, i);
  }
  /// How a straight piece between two points passes a circle.
  Winding winding(int c, const Vec3& from, const Vec3& to) const {
    const auto n = static_cast<size_t>(c);
    return planar_winding(pair_about(wrap.circle[n], from, to), band.radius[n], band.e[n]);
  }
  /// Whether a path along the common tangent of both circles touches both: o before the first, i
  /// after the second. The chord may pass them on their other sides, as under a belt.
  bool belt() const {
    const Track<double> both = track(wrap, {2, {0, 1}}, band.radius, o, i);
    const auto on = [&](size_t c) {
      const double r = sign_of(wrap.circle[c]) * band.radius[c];
      const Flat<double>& t = both.tangent[1].t;
      return Vec3(wrap.circle[c].x + r * t.y, wrap.circle[c].y - r * t.x, 0);
    };
    return winding(0, o, on(1)) == Winding::contact && winding(1, on(0), i) == Winding::contact;
  }
};

/// Solves equation k for w[k], the other kept: on [−1, ∞) it falls, from a gap to a wrap. Gives −1
/// where the circle is free.
void solve_one(const Problem& p, const Touched& touched, size_t k, std::array<double, 2>& w) {
  w[k] = 1;
  const double deep = p.path(touched, w).angle[k] / p.wrap.band;
  if (deep >= 1 || p.wrap.model == WrapKind::exact) {
    w[k] = deep;
    return;
  }
  const auto g = [&](double value) {
    w[k] = value;
    return residual(p.wrap, touched, p.path(touched, w), w)[k];
  };
  if (g(-1) <= 0) return;
  double low = -1, high = 1;
  for (int iteration = 0; iteration < 12; ++iteration) {
    const double middle = 0.5 * (low + high);
    (g(middle) > 0 ? low : high) = middle;
  }
}

/// Newton's method on what is touched; false where it does not converge.
bool polish(const Problem& p, const Touched& touched, std::array<double, 2>& w, Mat2& inverse) {
  for (int iteration = 0; iteration < 30; ++iteration) {
    const Track<double> path = p.path(touched, w);
    const std::array<double, 2> g = residual(p.wrap, touched, path, w);
    inverse = slope(p.wrap, touched, path, p.band, w).inverse();
    const Vec2 step = inverse * Vec2(g[0], g[1]);
    if (!(step.norm() < 10)) return false;
    for (size_t k = 0; k < static_cast<size_t>(touched.count); ++k)
      w[k] -= step[static_cast<Eigen::Index>(k)];
    // Quadratic: the next step would be below rounding.
    if (step.norm() < 1e-9) return true;
  }
  return false;
}

/// Brings w to the solution, and drops circles that turn out to be free.
SpanStatus settle(const Problem& p, Touched& touched, std::array<double, 2>& w, Mat2& inverse) {
  w = {1, 1};
  const auto count = static_cast<size_t>(touched.count);
  const bool exact = p.wrap.model == WrapKind::exact;
  bool deep = true;
  {  // all of them wrapped exactly
    const Track<double> path = p.path(touched, w);
    for (size_t k = 0; k < count; ++k) {
      w[k] = path.angle[k] / p.wrap.band;
      deep = deep && w[k] >= (exact ? 0 : 1);
    }
  }
  if (deep) return SpanStatus::wrapped;
  const double free = exact ? 0 : -1;
  if (!exact) {  // the root is the only one: Newton's method may start anywhere in the band
    std::array<double, 2> trial = w;
    for (size_t k = 0; k < count; ++k) trial[k] = std::clamp(trial[k], -0.5, 10.0);
    if (polish(p, touched, trial, inverse) && trial[0] > free && (count == 1 || trial[1] > free)) {
      w = trial;
      return SpanStatus::wrapped;
    }
  }
  // One after the other until they agree roughly; the matrix is dominated by its diagonal, so this
  // converges.
  w = {1, 1};
  for (int sweep = 0; sweep < 60; ++sweep) {
    const std::array<double, 2> before = w;
    for (size_t k = 0; k < count; ++k) solve_one(p, touched, k, w);
    if (std::abs(w[0] - before[0]) + std::abs(w[1] - before[1]) < 0.05) break;
  }
  if (count == 2 && (w[0] <= free || w[1] <= free)) {
    const size_t kept = w[0] <= free ? 1 : 0;
    touched = {1, {touched.which[kept], 0}};
    return settle(p, touched, w, inverse);
  }
  if (w[0] <= free) return SpanStatus::free;
  if (exact) return SpanStatus::wrapped;
  return polish(p, touched, w, inverse) ? SpanStatus::wrapped : SpanStatus::not_converged;
}

/// Orders of derivatives that a scalar carries.
template <class T>
inline constexpr int kOrders = 0;
template <class T, int N>
inline constexpr int kOrders<Dual<T, N>> = 1 + kOrders<T>;
template <class T>
inline constexpr int kOrders<Taylor2<T>> = 2 + kOrders<T>;
template <int K>
inline constexpr int kOrders<MotionDual<K>> = 2;

}  // namespace

SpanSolution DoubleCylinderWrap::solve(const Vec3& o, const Vec3& i) const {
  SpanSolution solution;
  for (const Circle& c : circle) {
    const double innermost = (model == WrapKind::exact ? 1 : 0.01) * c.radius;
    if (std::min(squared(from_center(c, o)), squared(from_center(c, i))) <= innermost * innermost) {
      solution.status = SpanStatus::anchor_inside;
      return solution;
    }
  }
  const Problem p{*this, o, i, bands<double>(*this, o, i)};
  Touched touched;
  bool blocked = false;
  if (p.belt()) {
    touched = {2, {0, 1}};
  } else {
    for (int c = 0; c < 2; ++c) {
      const Winding winding = p.winding(c, o, i);
      if (winding == Winding::contact) touched.which[static_cast<size_t>(touched.count++)] = c;
      blocked = blocked || winding == Winding::no_path;
    }
  }
  if (touched.count == 0) {
    solution.status = blocked ? SpanStatus::no_path : SpanStatus::free;
    return solution;
  }
  std::array<double, 2> w{};
  Mat2 inverse = Mat2::Zero();
  solution.status = settle(p, touched, w, inverse);
  if (touched.count == 1 && solution.status == SpanStatus::wrapped) {
    // The other circle may be in the way of the path, though not of the chord, or the reverse.
    const int kept = touched.which[0], other = 1 - kept;
    SpanShape<double> path;
    solution.count = 9;
    solution.unknowns[0] = 1;
    solution.unknowns[1] = kept;
    solution.unknowns[3] = w[0];
    shape<double>(solution, o, i, path);
    const Winding winding =
        other == 1 ? p.winding(1, path.node[2], i) : p.winding(0, o, path.node[1]);
    if (winding == Winding::no_path) solution.status = SpanStatus::no_path;
    if (winding == Winding::contact) {
      touched = {2, {0, 1}};
      solution.status = settle(p, touched, w, inverse);
    }
  }
  solution.count = 9;
  for (size_t k = 0; k < 2; ++k) {
    solution.unknowns[1 + k] = touched.which[k];
    solution.unknowns[3 + k] = w[k];
  }
  solution.unknowns[0] = touched.count;
  Eigen::Map<Mat2>(&solution.unknowns[5]) = inverse;
  return solution;
}

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
    const Eigen::Map<const Mat2> inverse(&solution.unknowns[5]);
    for (int order = 0; order < kOrders<T>; ++order) {
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
            "give where the axes cross the plane z = 0, in metres");
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

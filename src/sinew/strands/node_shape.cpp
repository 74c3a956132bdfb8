#include "sinew/strands/node_shape.hpp"

#include <cmath>

#include "sinew/core/error.hpp"

// Weights are products of functions of u and of v, or sums of such. Polylines and B-splines have
// w_k(u) = B(u − k), with the basis B of either, for control points P_k of all integers k: beyond
// the ends of the list they continue in a line, P_{−k} = P_0 − k (P_1 − P_0), or repeat. So a curve
// starts in P_0 without curvature, and what follows is a straight line.

namespace sinew {
namespace {

/// A function of one number with its first three derivatives.
using Derivatives = std::array<double, 4>;

Derivatives constant(double c) { return {c, 0, 0, 0}; }
Derivatives cosine(double x, double scale = 1) {
  const double s = scale * std::sin(x), c = scale * std::cos(x);
  return {c, -s, -c, s};
}
Derivatives sine(double x, double scale = 1) {
  const double s = scale * std::sin(x), c = scale * std::cos(x);
  return {s, c, -s, -c};
}

/// Basis of uniform cubic B-splines, zero for |x| ≥ 2.
Derivatives cubic_basis(double x) {
  const double a = std::abs(x), sign = x < 0 ? -1 : 1;
  if (a >= 2) return constant(0);
  if (a >= 1) {
    const double b = 2 - a;
    return {b * b * b / 6, -sign * b * b / 2, b, -sign};
  }
  return {2.0 / 3 - a * a + a * a * a / 2, sign * (-2 * a + 1.5 * a * a), -2 + 3 * a, 3 * sign};
}

/// |x| with a corner of half-width r made round: r (3 + 6 t² − t⁴)/8 at t = x/r, which meets |x| at
/// |t| = 1 with two derivatives.
Derivatives rounded_abs(double x, double r) {
  const double sign = x < 0 ? -1 : 1;
  if (std::abs(x) >= r) return {sign * x, sign, 0, 0};
  const double t = x / r, t2 = t * t;
  return {r * (3 + 6 * t2 - t2 * t2) / 8, (3 * t - t * t2) / 2, 1.5 * (1 - t2) / r, -3 * t / r / r};
}

/// Basis of polylines with rounded corners: the hat |x + 1|/2 − |x| + |x − 1|/2.
Derivatives hat(double x, double r) {
  const Derivatives a = rounded_abs(x + 1, r), b = rounded_abs(x, r), c = rounded_abs(x - 1, r);
  Derivatives out;
  for (size_t k = 0; k < 4; ++k) out[k] = (a[k] + c[k]) / 2 - b[k];
  return out;
}

NodeWeight product(size_t control, const Derivatives& f, const Derivatives& g) {
  return {control,
          f[0] * g[0],
          {f[1] * g[0], f[0] * g[1]},
          {f[2] * g[0], f[1] * g[1], f[0] * g[2]},
          {f[3] * g[0], f[2] * g[1], f[1] * g[2], f[0] * g[3]}};
}

Derivatives scaled(double c, Derivatives f) {
  for (double& entry : f) entry *= c;
  return f;
}

/// Calls f(control point, its weight) for the P_k that reach u, each of them or what it stands for:
/// always eight times, so that rows made of it have the same size wherever the node is.
template <class Basis, class F>
void along(double u, size_t controls, CurveEnds ends, Basis&& basis, F&& f) {
  // A number without neighbours has no place on a curve: the step that led to it fails.
  if (!(std::abs(u) < 1e15)) return f(size_t{0}, constant(std::nan("")));
  const auto n = static_cast<long>(controls), first = static_cast<long>(std::floor(u)) - 1;
  for (long k = first; k < first + 4; ++k) {
    const Derivatives w = basis(u - static_cast<double>(k));
    if (ends == CurveEnds::wrapped) {
      f(static_cast<size_t>(((k % n) + n) % n), w);
      f(size_t{0}, constant(0));
    } else if (k < 0) {
      f(size_t{0}, scaled(static_cast<double>(1 - k), w));
      f(size_t{1}, scaled(static_cast<double>(k), w));
    } else if (k >= n) {
      f(controls - 1, scaled(static_cast<double>(k - n + 2), w));
      f(controls - 2, scaled(static_cast<double>(n - 1 - k), w));
    } else {
      f(static_cast<size_t>(k), w);
      f(size_t{0}, constant(0));
    }
  }
}

struct Weigh {
  size_t controls;
  Eigen::Vector2d u;
  WeightVisitor& use;

  void put(size_t control, const Derivatives& f, const Derivatives& g = constant(1)) const {
    use(product(control, f, g));
  }
  /// Σ of these for an axis of a frame: the same less for its origin.
  void on_axis(size_t axis, const Derivatives& f, const Derivatives& g) const {
    put(axis + 1, f, g);
    put(0, scaled(-1, f), g);
  }
  void origin() const { put(0, constant(1)); }

  void operator()(const PolylineCurve& curve) const {
    along(
        u[0], controls, curve.ends, [&](double x) { return hat(x, curve.rounding); },
        [&](size_t control, const Derivatives& w) { put(control, w); });
  }
  void operator()(const BSplineCurve& curve) const {
    along(u[0], controls, curve.ends, cubic_basis,
          [&](size_t control, const Derivatives& w) { put(control, w); });
  }
  void operator()(const EllipseCurve&) const {
    origin();
    on_axis(0, cosine(u[0]), constant(1));
    on_axis(1, sine(u[0]), constant(1));
  }
  void operator()(const EllipsoidSurface& surface) const {
    origin();
    on_axis(0, cosine(u[0], surface.semi_axes[0]), cosine(u[1]));
    on_axis(1, sine(u[0], surface.semi_axes[1]), cosine(u[1]));
    on_axis(2, constant(surface.semi_axes[2]), sine(u[1]));
  }
  void operator()(const CylinderSurface& surface) const {
    origin();
    on_axis(0, cosine(u[0], surface.radius), constant(1));
    on_axis(1, sine(u[0], surface.radius), constant(1));
    on_axis(2, constant(1), {u[1], 1, 0, 0});
  }
  void operator()(const TorusSurface& surface) const {
    origin();
    Derivatives arm = cosine(u[1], surface.tube);
    arm[0] += surface.ring;
    on_axis(0, cosine(u[0]), arm);
    on_axis(1, sine(u[0]), arm);
    on_axis(2, constant(1), sine(u[1], surface.tube));
  }
  void operator()(const BSplineSurface& surface) const {
    const auto rows = static_cast<size_t>(surface.rows);
    const auto columns = static_cast<size_t>(surface.columns);
    along(u[0], rows, CurveEnds::plain, cubic_basis, [&](size_t row, const Derivatives& f) {
      along(u[1], columns, CurveEnds::plain, cubic_basis,
            [&](size_t column, const Derivatives& g) { put(row * columns + column, f, g); });
    });
  }
  void operator()(const Blend& blend) const {
    for (size_t c = 0; c < controls; ++c) put(c, constant(blend.weights[c]));
  }
};

}  // namespace

void visit_weights(const NodeShape& shape, size_t controls, const Eigen::Vector2d& u,
                   WeightVisitor& use) {
  std::visit(Weigh{controls, u, use}, shape);
}

int coordinate_count(const NodeShape& shape) {
  if (std::holds_alternative<Blend>(shape)) return 0;
  return shape.index() <= 2 ? 1 : 2;
}

const char* name_of(const NodeShape& shape) {
  constexpr std::array kNames = {"polyline", "b-spline", "ellipse", "ellipsoid",
                                 "cylinder", "torus",    "patch",   "blend"};
  static_assert(kNames.size() == std::variant_size_v<NodeShape>);
  return kNames[shape.index()];
}

namespace {

struct CheckShape {
  size_t controls;
  const std::string& element;

  void require(bool good, const char* problem, const char* remedy) const {
    if (!good) throw Error(element, problem, remedy);
  }
  void require_curve(CurveEnds ends) const {
    require(controls >= 2, "has fewer than two control points", "give at least both ends");
    require(ends != CurveEnds::wrapped || controls >= 3,
            "is closed, but has fewer than three control points", "give more of them");
  }
  void require_frame() const {
    require(controls == 4, "has no frame", "give an origin and the ends of three unit vectors");
  }

  void operator()(const PolylineCurve& curve) const {
    require_curve(curve.ends);
    require(curve.rounding > 0 && curve.rounding <= 0.5,
            "has a rounding that is not between 0 and 1/2",
            "give the bent part of the pieces beside a corner");
  }
  void operator()(const BSplineCurve& curve) const { require_curve(curve.ends); }
  void operator()(const EllipseCurve&) const {
    require(controls == 3, "needs three control points", "give its center and two points on it");
  }
  void operator()(const EllipsoidSurface& surface) const {
    require_frame();
    require(surface.semi_axes.allFinite() && surface.semi_axes.minCoeff() > 0,
            "has semi-axes that are not positive", "give three lengths in m");
  }
  void operator()(const CylinderSurface& surface) const {
    require_frame();
    require(std::isfinite(surface.radius) && surface.radius > 0,
            "has a radius that is not positive", "give it in m");
  }
  void operator()(const TorusSurface& surface) const {
    require_frame();
    require(std::isfinite(surface.ring) && surface.tube > 0 && surface.tube < surface.ring,
            "has a tube that is not thinner than its ring", "give 0 < tube radius < ring radius");
  }
  void operator()(const BSplineSurface& surface) const {
    require(surface.rows >= 2 && surface.columns >= 2, "has fewer than two rows or columns",
            "give a grid of control points");
    require(static_cast<size_t>(surface.rows) * static_cast<size_t>(surface.columns) == controls,
            "has rows of different lengths", "give a grid of control points");
  }
  void operator()(const Blend& blend) const {
    require(controls >= 1 && blend.weights.size() == controls,
            "does not have one weight for each of its nodes", "give as many weights as nodes");
    double sum = 0;
    for (const double w : blend.weights) sum += w;
    require(std::abs(sum - 1) < 1e-9, "has weights whose sum is not 1", "divide them by their sum");
  }
};

}  // namespace

void validate(const NodeShape& shape, size_t controls, const std::string& element) {
  std::visit(CheckShape{controls, element}, shape);
}

}  // namespace sinew

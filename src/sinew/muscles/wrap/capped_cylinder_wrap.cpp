#include "sinew/muscles/wrap/capped_cylinder_wrap.hpp"

#include "sinew/core/error.hpp"
#include "sinew/muscles/wrap/capped_cylinder_exact.hpp"
#include "sinew/muscles/wrap/geodesic_shape.hpp"
#include "sinew/muscles/wrap/geodesic_solve.hpp"

namespace sinew {

double CappedCylinderLevel::gaussian_curvature(const Vec3& x) const {
  const Profile<double> p = profile(x[2]);
  const double flat = x[0] * x[0] + x[1] * x[1], g2 = flat + p.first * p.first;
  return (p.second * flat + p.first * p.first) / (g2 * g2);
}

LevelValue CappedCylinderLevel::jet(const Vec3& x) const {
  const Profile<double> p = profile(x[2]);
  const double s = ramp(x[2]), distance = std::sqrt(x[0] * x[0] + x[1] * x[1] + s * s);
  LevelValue f;
  f.value = distance - r;
  f.gradient = Vec3(x[0], x[1], p.first) / distance;
  f.hessian = -f.gradient * f.gradient.transpose() / distance;
  f.hessian.diagonal() += Vec3(1, 1, p.second) / distance;
  return f;
}

ChordMinimum CappedCylinderLevel::chord(const Vec3& o, const Vec3& i) const {
  // (x² + y²)/2 + P is convex: its slope along the chord has one zero at most.
  const Vec3 d = i - o;
  const auto slope = [&](double s) { return lean(Vec3(o + s * d)).dot(d); };
  ChordMinimum out;
  if (!(slope(0) < 0 && slope(1) > 0)) return out;
  double low = 0, high = 1;
  out.s = 0.5;
  for (int k = 0; k < 80; ++k) {
    const Vec3 x = o + out.s * d;
    const double f = lean(x).dot(d);
    (f < 0 ? low : high) = out.s;
    const double bend = d[0] * d[0] + d[1] * d[1] + profile(x[2]).second * d[2] * d[2];
    const double newton = out.s - f / bend;
    const double next = newton > low && newton < high ? newton : 0.5 * (low + high);
    const bool done = std::abs(next - out.s) < 1e-15;
    out.s = next;
    if (done) break;
  }
  out.found = out.s > 0 && out.s < 1;
  const Vec3 p = o + out.s * d;
  out.depth = value(p);
  out.wrong_side = side.dot(lean(p)) < 0;
  return out;
}

Vec3 CappedCylinderLevel::beside(const Vec3& o, const Vec3& i, const ChordMinimum& chord) const {
  const Vec3 p = o + chord.s * (i - o), d = (i - o).normalized();
  const Vec3 core(0, 0, std::min(p[2], 0.0));
  Vec3 out = side - side.dot(d) * d;
  if (side.isZero()) {
    const Vec3 up = (lean(p) - lean(p).dot(d) * d).normalized();
    out = up + 0.4 * d.cross(up);
  }
  return core + 1.15 * r * out.normalized();
}

bool CappedCylinderLevel::guess(const Vec3& o, const Vec3& i, double level,
                                geodesic::Unknowns<double>& u) const {
  const CappedCylinderWrap inflated{.radius = r + level, .model = WrapKind::exact, .side = side};
  const SpanSolution solution = inflated.solve(o, i);
  if (solution.status != SpanStatus::wrapped) return false;
  SpanShape<double> path;
  inflated.shape<double>(solution, o, i, path);
  u << path.node[1],
      path.length - path.piece[0].length - path.piece[static_cast<size_t>(path.pieces - 1)].length;
  return true;
}

SpanSolution CappedCylinderWrap::solve(const Vec3& o, const Vec3& i) const {
  if (model == WrapKind::exact) return capped::solve_exact(*this, o, i);
  return geodesic::solve(CappedCylinderLevel(*this), model, band, o, i);
}

template <class T>
void CappedCylinderWrap::shape(const SpanSolution& solution, const Point<T>& o, const Point<T>& i,
                               SpanShape<T>& out) const {
  if (model == WrapKind::exact) return capped::exact_shape(*this, solution, o, i, out);
  geodesic::shape(CappedCylinderLevel(*this), band, solution, o, i, out);
}
#define SINEW_SHAPE(T)                                                             \
  template void CappedCylinderWrap::shape<T>(const SpanSolution&, const Point<T>&, \
                                             const Point<T>&, SpanShape<T>&) const;
SINEW_FOR_PATH_SCALARS(SINEW_SHAPE)
#undef SINEW_SHAPE

void validate(const CappedCylinderWrap& wrap, const std::string& element) {
  if (!(wrap.radius > 0))
    throw Error(element, "the radius is " + std::to_string(wrap.radius),
                "give a positive radius in metres");
  if (!wrap.side.allFinite())
    throw Error(element, "the side is not a direction", "give three numbers, or none");
  geodesic::validate_band(wrap.band, element);
}

}  // namespace sinew

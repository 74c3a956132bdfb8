#include "sinew/muscles/wrap/ellipsoid_wrap.hpp"

#include "sinew/core/error.hpp"
#include "sinew/muscles/wrap/geodesic_shape.hpp"
#include "sinew/muscles/wrap/geodesic_solve.hpp"

namespace sinew {

EllipsoidLevel::EllipsoidLevel(const EllipsoidWrap& wrap)
    : a(wrap.semi_axes.cwiseAbs2().cwiseInverse()),
      r(std::cbrt(wrap.semi_axes.prod())),
      side(wrap.side) {}

LevelValue EllipsoidLevel::jet(const Vec3& x) const {
  const Vec3 ax = a.cwiseProduct(x);
  const double g = std::sqrt(x.dot(ax));
  LevelValue f;
  f.value = r * (g - 1);
  f.gradient = r / g * ax;
  f.hessian = -r / (g * g * g) * ax * ax.transpose();
  f.hessian.diagonal() += r / g * a;
  return f;
}

ChordMinimum EllipsoidLevel::chord(const Vec3& o, const Vec3& i) const {
  // √(xᵀAx) is least where xᵀA D = 0.
  const Vec3 d = i - o, ad = a.cwiseProduct(d);
  ChordMinimum out;
  out.s = -o.dot(ad) / d.dot(ad);
  out.found = out.s > 0 && out.s < 1;
  if (!out.found) return out;
  const Vec3 p = o + out.s * d;
  out.depth = value(p);
  out.wrong_side = side.dot(a.cwiseProduct(p)) < 0;
  return out;
}

Vec3 EllipsoidLevel::beside(const Vec3& o, const Vec3& i, const ChordMinimum& chord) const {
  // These are coordinates in which the ellipsoid is the unit sphere.
  const Vec3 scale = a.cwiseSqrt();
  const Vec3 d = scale.cwiseProduct(i - o).normalized();
  const Vec3 p = scale.cwiseProduct(o + chord.s * (i - o));
  Vec3 out = scale.cwiseProduct(side);
  out -= out.dot(d) * d;
  if (side.isZero()) out = p.normalized() + 0.4 * d.cross(p).normalized();
  return 1.15 * out.normalized().cwiseQuotient(scale);
}

SpanSolution EllipsoidWrap::solve(const Vec3& o, const Vec3& i) const {
  return geodesic::solve(EllipsoidLevel(*this), model, band, o, i);
}

template <class T>
void EllipsoidWrap::shape(const SpanSolution& solution, const Point<T>& o, const Point<T>& i,
                          SpanShape<T>& out) const {
  geodesic::shape(EllipsoidLevel(*this), band, solution, o, i, out);
}
#define SINEW_SHAPE(T)                                                                         \
  template void EllipsoidWrap::shape<T>(const SpanSolution&, const Point<T>&, const Point<T>&, \
                                        SpanShape<T>&) const;
SINEW_FOR_PATH_SCALARS(SINEW_SHAPE)
#undef SINEW_SHAPE

void validate(const EllipsoidWrap& wrap, const std::string& element) {
  const Vec3& axes = wrap.semi_axes;
  if (!(axes.minCoeff() > 0 && axes.maxCoeff() <= 20 * axes.minCoeff()))
    throw Error(element,
                "an ellipsoid needs three positive semi-axes within a factor 20 of each other, "
                "not " +
                    std::to_string(axes[0]) + ", " + std::to_string(axes[1]) + ", " +
                    std::to_string(axes[2]),
                "longer ones are better described as a cylinder");
  if (!wrap.side.allFinite())
    throw Error(element, "the side is not a direction", "give three numbers, or none");
  geodesic::validate_band(wrap.band, element);
}

}  // namespace sinew

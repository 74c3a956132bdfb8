#include "sinew/muscles/wrap/torus_wrap.hpp"

#include "sinew/core/error.hpp"
#include "sinew/muscles/wrap/geodesic_shape.hpp"
#include "sinew/muscles/wrap/geodesic_solve.hpp"

namespace sinew {

double TorusLevel::gaussian_curvature(const Vec3& x) const {
  const double rho = std::hypot(x[0], x[1]);
  return (rho - radius) / (rho * from_middle(x).squaredNorm());
}

LevelValue TorusLevel::jet(const Vec3& x) const {
  const double rho = std::hypot(x[0], x[1]);
  const Vec3 w = from_middle(x), around(-x[1] / rho, x[0] / rho, 0);
  const double distance = w.norm();
  LevelValue f;
  f.value = distance - tube;
  f.gradient = w / distance;
  f.hessian = (Mat3::Identity() - f.gradient * f.gradient.transpose() -
               radius / rho * around * around.transpose()) /
              distance;
  return f;
}

template <class Visit>
void TorusLevel::minima(const Vec3& from, const Vec3& to, const Visit& visit) const {
  // Only the part within a ball around the torus can come near it; on the wrong side of the tube
  // the path is attracted from further away.
  const Vec3 d = to - from;
  const double a = d.squaredNorm(), b = from.dot(d);
  const double reach = side == TorusSide::nearest ? radius + 2 * tube : 3 * radius;
  const double root = b * b - a * (from.squaredNorm() - reach * reach);
  if (!(root > 0)) return;
  const double first = std::max(0.0, (-b - std::sqrt(root)) / a);
  const double last = std::min(1.0, (-b + std::sqrt(root)) / a);
  if (!(first < last)) return;

  const auto slope = [&](double s) { return gradient(Vec3(from + s * d)).dot(d); };
  const int intervals = side == TorusSide::nearest ? 32 : 64;
  double low = first, slope_low = slope(low);
  for (int k = 1; k <= intervals; ++k) {
    const double high = first + (last - first) * k / intervals, slope_high = slope(high);
    if (slope_low < 0 && slope_high >= 0) {
      // Newton's method for slope = 0, kept within the interval by halving it.
      double left = low, right = high, s = (low + high) / 2;
      for (int iteration = 0; iteration < 60; ++iteration) {
        const Vec3 x = from + s * d;
        const double value = slope(s);
        (value < 0 ? left : right) = s;
        const double next = s - value / d.dot(jet(x).hessian * d);
        const double then = next > left && next < right ? next : (left + right) / 2;
        const bool done = std::abs(then - s) < 1e-15;
        s = then;
        if (done) break;
      }
      visit(s);
    }
    low = high;
    slope_low = slope_high;
  }
}

bool TorusLevel::clear(const Vec3& from, const Vec3& to) const {
  bool is_clear = true;
  // Towards the end on the surface F is flat: its rounding errors are not a second contact.
  minima(from, to, [&](double s) {
    if (value(Vec3(from + s * (to - from))) < -1e-6 * tube) is_clear = false;
  });
  return is_clear;
}

ChordMinimum TorusLevel::chord(const Vec3& o, const Vec3& i) const {
  ChordMinimum best;
  const Vec3 d = i - o;
  minima(o, i, [&](double s) {
    if (s <= 0 || s >= 1) return;
    const Vec3 x = o + s * d, w = from_middle(x);
    const bool is_wrong = wrong(x, d);
    const double depth = (is_wrong ? -w.norm() : w.norm()) - tube;
    if (!best.found || depth < best.depth) best = {true, s, depth, is_wrong};
  });
  return best;
}

Vec3 TorusLevel::beside(const Vec3& o, const Vec3& i, const ChordMinimum& chord) const {
  const Vec3 p = o + chord.s * (i - o), w = from_middle(p);
  return p - w + (chord.wrong_side ? -1.3 : 1.3) * tube * w.normalized();
}

SpanSolution TorusWrap::solve(const Vec3& o, const Vec3& i) const {
  return geodesic::solve(TorusLevel(*this), model, band, o, i);
}

template <class T>
void TorusWrap::shape(const SpanSolution& solution, const Point<T>& o, const Point<T>& i,
                      SpanShape<T>& out) const {
  geodesic::shape(TorusLevel(*this), band, solution, o, i, out);
}
#define SINEW_SHAPE(T)                                                                     \
  template void TorusWrap::shape<T>(const SpanSolution&, const Point<T>&, const Point<T>&, \
                                    SpanShape<T>&) const;
SINEW_FOR_PATH_SCALARS(SINEW_SHAPE)
#undef SINEW_SHAPE

void validate(const TorusWrap& wrap, const std::string& element) {
  if (!(wrap.tube > 0 && wrap.radius > wrap.tube))
    throw Error(element,
                "a torus needs radius > tube > 0, not radius " + std::to_string(wrap.radius) +
                    " and tube " + std::to_string(wrap.tube),
                "give the radius of the circle in the middle of the tube, and that of the tube");
  geodesic::validate_band(wrap.band, element);
}

}  // namespace sinew

#include "sinew/muscles/hill/bezier_curve.hpp"

#include <algorithm>
#include <cmath>

#include "sinew/core/error.hpp"

namespace sinew {

namespace {

/// Value and derivatives by u of the quintic with control values c0 c1 c1 c2 c2 c3.
/// With w = 1 − u the Bernstein sum is
///     c0 w⁵ + c1 (5 u w⁴ + 10 u² w³) + c2 (10 u³ w² + 5 u⁴ w) + c3 u⁵;
/// the differences of its control values are c1−c0, 0, c2−c1, 0, c3−c2.
CurvePoint quintic(const double c[4], double u) {
  const double w = 1 - u;
  const double a = c[1] - c[0], b = c[2] - c[1], d = c[3] - c[2];
  const double u2 = u * u, w2 = w * w;
  return {c[0] * w2 * w2 * w + c[1] * (5 * u * w2 * w2 + 10 * u2 * w2 * w) +
              c[2] * (10 * u2 * u * w2 + 5 * u2 * u2 * w) + c[3] * u2 * u2 * u,
          5 * (a * w2 * w2 + 6 * b * u2 * w2 + d * u2 * u2),
          20 * (-a * w2 * w + 3 * b * u * w * (w - u) + d * u2 * u)};
}

/// The place of the target in the section, from 0 to 1.
double share(const double c[4], double target) { return (target - c[0]) / (c[3] - c[0]); }

/// u from the cubic that has the right slopes at both ends; a section may be flat there.
double rough_parameter(const double c[4], double target) {
  const double width = c[3] - c[0], t = share(c, target), s = 1 - t;
  const double from = 5 * (c[1] - c[0]), to = 5 * (c[3] - c[2]);
  if (!(from > 0.1 * width && to > 0.1 * width)) return t;
  return std::clamp(t * (t * (1 + 2 * s) + s * width * (s / from - t / to)), 0.0, 1.0);
}

/// u in [0, 1] with quintic(c, u) = target, for a section that increases: Chebyshev's method, which
/// cubes the error, within a bracket that shrinks in every step.
double parameter(const double c[4], double target, double u) {
  double low = 0, high = 1;
  for (int i = 0; i < 100; ++i) {
    const CurvePoint p = quintic(c, u);
    const double error = p.y - target;
    if (error == 0) break;
    (error < 0 ? low : high) = u;
    const double inverse = 1 / p.dy, newton = error * inverse;
    const double turn = std::clamp(0.5 * newton * p.d2y * inverse, -0.5, 1.0);
    const double step = newton * (1 + turn), next = u - step;
    const bool inside = next > low && next < high;
    // A step this small, nearly Newton's: after it only rounding remains.
    if (std::abs(step) <= 1e-16 || (inside && std::abs(step) < 2e-6 && std::abs(turn) < 1e-4))
      return inside ? next : u;
    u = inside ? next : 0.5 * (low + high);
  }
  return u;
}

}  // namespace

BezierCurve::BezierCurve(const char* name, const std::vector<Knot>& knots,
                         const std::vector<double>& curviness)
    : slope_before_(knots.front().slope), slope_after_(knots.back().slope) {
  for (size_t i = 0; i + 1 < knots.size(); ++i) {
    const Knot &a = knots[i], &b = knots[i + 1];
    // The corner, where the tangents meet; parallel ones only if they are the same line.
    const double turn = a.slope - b.slope;
    const double corner = std::abs(turn) > 1.5e-8
                              ? (b.y - a.y - b.x * b.slope + a.x * a.slope) / turn
                              : 0.5 * (a.x + b.x);
    const double corner_y = (corner - b.x) * b.slope + b.y;
    if (!(a.x < b.x) || !(corner > a.x && corner < b.x))
      throw Error(name, "its slopes and points do not fit together",
                  "between neighbouring points the curve must turn one way only; change the "
                  "slopes or move the points apart");
    const double c = 0.1 + 0.8 * curviness[i];
    sections_.push_back(
        make_section({a.x, a.x + c * (corner - a.x), b.x + c * (corner - b.x), b.x},
                     {a.y, a.y + c * (corner_y - a.y), b.y + c * (corner_y - b.y), b.y}));
  }
}

BezierCurve::Section BezierCurve::make_section(const double (&x)[4], const double (&y)[4]) {
  Section out{};
  std::copy(x, x + 4, out.x);
  std::copy(y, y + 4, out.y);
  const double width = x[3] - x[0];
  for (size_t k = 0; k <= kPieces; ++k) {
    const double at = x[0] + width * static_cast<double>(k) / kPieces;
    const double u = parameter(x, at, rough_parameter(x, at));
    out.guess[2 * k] = u;
    out.guess[2 * k + 1] = width / quintic(x, u).dy;
  }
  return out;
}

/// u by the cubic between the two nearest known values; so close that one step of Chebyshev's
/// method is enough.
double BezierCurve::guess(const Section& section, double x) {
  const double at = kPieces * share(section.x, x);
  const auto piece = static_cast<size_t>(std::clamp(at, 0.0, kPieces - 1.0));
  const double t = at - static_cast<double>(piece), s = 1 - t;
  const double* const g = &section.guess[2 * piece];
  return s * s * (g[0] * (1 + 2 * t) + t * g[1] / kPieces) +
         t * t * (g[2] * (1 + 2 * s) - s * g[3] / kPieces);
}

CurvePoint BezierCurve::at(double x) const { return evaluate(x, false); }
CurvePoint BezierCurve::inverse(double y) const { return evaluate(y, true); }

CurvePoint BezierCurve::evaluate(double x, bool inverse) const {
  const auto in = [&](const Section& s) { return inverse ? s.y : s.x; };
  const auto out = [&](const Section& s) { return inverse ? s.x : s.y; };
  const auto line = [&](double x0, double y0, double slope) {
    if (inverse) slope = 1 / slope;
    return CurvePoint{y0 + slope * (x - x0), slope, 0};
  };
  const Section &first = sections_.front(), &last = sections_.back();
  if (!(x > in(first)[0])) return line(in(first)[0], out(first)[0], slope_before_);
  if (x >= in(last)[3]) return line(in(last)[3], out(last)[3], slope_after_);
  const Section* section = &first;
  while (x >= in(*section)[3]) ++section;
  const double u =
      parameter(in(*section), x, inverse ? rough_parameter(section->y, x) : guess(*section, x));
  const CurvePoint X = quintic(in(*section), u), Y = quintic(out(*section), u);
  const double by_x = 1 / X.dy, slope = Y.dy * by_x;
  return {Y.y, slope, (Y.d2y - slope * X.d2y) * by_x * by_x};
}

}  // namespace sinew

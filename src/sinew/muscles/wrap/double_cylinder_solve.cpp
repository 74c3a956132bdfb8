#include <algorithm>

#include "sinew/muscles/wrap/two_circles.hpp"

namespace sinew {
namespace {

using namespace two_circles;
using Mat2 = Eigen::Matrix2d;
using Vec2 = Eigen::Vector2d;

/// ∂g/∂w: ∂φ_j/∂R_j is the sum of the inverse lengths of its tangents, ∂φ_1/∂R_2 = ∂φ_2/∂R_1 = −σ_1
/// σ_2 over the length of the common one. It is diagonally dominant.
Mat2 slope(const DoubleCylinderWrap& wrap, const Touched& touched, const Track<double>& path,
           const Bands<double>& band, const std::array<double, 2>& w) {
  Mat2 A = Mat2::Identity();
  for (int k = 0; k < touched.count; ++k) {
    const auto n = static_cast<size_t>(k), c = static_cast<size_t>(touched.which[n]);
    const double by_w = -band.e[c] * smooth_ramp_slope(-w[n], 1);
    A(k, k) = by_w * (1 / path.tangent[n].length + 1 / path.tangent[n + 1].length) -
              wrap.band * smooth_ramp_slope(w[n], 1);
    if (touched.count == 2)
      A(1 - k, k) = -by_w * two_circles::sign_of(wrap.circle[0]) *
                    two_circles::sign_of(wrap.circle[1]) / path.tangent[1].length;
  }
  return A;
}

/// The state of the iteration.
struct Problem {
  const DoubleCylinderWrap& wrap;
  const Vec3 &o, &i;
  Bands<double> band;

  Track<double> path(const Touched& touched, const std::array<double, 2>& w) const {
    return track(wrap, touched, radii(touched, band, w, wrap.model == WrapKind::exact), o, i);
  }
  /// The way in which a straight piece between two points passes a circle.
  Winding winding(int c, const Vec3& from, const Vec3& to) const {
    const auto n = static_cast<size_t>(c);
    return planar_winding(pair_about(wrap.circle[n], from, to), band.radius[n], band.e[n]);
  }
  /// Whether a path along the common tangent of both circles touches both: o before the first, i
  /// after the second. The chord may pass them on their other sides, as under a belt.
  bool belt() const {
    const Track<double> both = track(wrap, {2, {0, 1}}, band.radius, o, i);
    const auto on = [&](size_t c) {
      const double r = two_circles::sign_of(wrap.circle[c]) * band.radius[c];
      const Flat<double>& t = both.tangent[1].t;
      return Vec3(wrap.circle[c].x + r * t.y, wrap.circle[c].y - r * t.x, 0);
    };
    return winding(0, o, on(1)) == Winding::contact && winding(1, on(0), i) == Winding::contact;
  }
};

/// Solves equation k for w[k], the other kept: on [−1, ∞) it falls, from a gap to a wrap. Gives −1
/// if the circle is free.
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

/// Newton's method for the touched circles; false if it does not converge.
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
  // One after the other until they agree roughly; the matrix is diagonally dominant, so this
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

}  // namespace sinew

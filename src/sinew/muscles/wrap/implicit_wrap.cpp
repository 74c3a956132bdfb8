#include "sinew/muscles/wrap/implicit_wrap.hpp"

#include "sinew/core/error.hpp"
#include "sinew/muscles/wrap/elastic_band.hpp"

namespace sinew {
namespace {

/// The chord, or, if a side is chosen and the chord passes inside, a detour over that side: the
/// chord's part inside is lifted until it is clear.
band::Knots first_guess(const ImplicitWrap& wrap, const Vec3& o, const Vec3& i) {
  const band::Knots x = band::straight_knots(o, i);
  if (wrap.side.isZero()) return x;
  const Vec3 d = (i - o).normalized();
  const Vec3 across = (wrap.side - wrap.side.dot(d) * d).normalized();
  size_t first = band::kPieces, last = 0;
  double lift = 0;
  for (size_t k = 1; k < band::kPieces; ++k) {
    if (wrap.level->jet(x[k]).value > 0) continue;
    first = std::min(first, k);
    last = k;
    const double most = 20 * wrap.size;
    while (lift < most && wrap.level->jet(x[k] + lift * across).value < 0.2 * wrap.size)
      lift += 0.2 * wrap.size;
  }
  if (first > last) return x;
  return band::bent_knots(o, x[first] + lift * across, x[last] + lift * across, i);
}

}  // namespace

SpanSolution ImplicitWrap::solve(const Vec3& o, const Vec3& i) const {
  SpanSolution solution;
  const auto jet = [this](const Vec3& x) { return level->jet(x); };
  if (!(jet(o).value > 0 && jet(i).value > 0)) {
    solution.status = SpanStatus::anchor_inside;
    return solution;
  }
  const band::Barrier barrier{size, softness * size};
  band::Knots x = first_guess(*this, o, i);
  band::Relaxation relaxation(jet, barrier, o, i);
  relaxation.update(x);
  bool pushed = false;
  for (size_t k = 1; k < band::kPieces; ++k) pushed = pushed || relaxation.push(k) > 0;
  if (!pushed) return solution;
  if (!band::settle(jet, barrier, 1e-11, x)) {
    solution.status = SpanStatus::not_converged;
    return solution;
  }
  // A band that hangs inside, or jumps across a thin part between two knots, is not a path.
  solution.status = SpanStatus::wrapped;
  double* at = solution.unknowns.data();
  for (size_t k = 0; k < band::kPieces; ++k) {
    const double depth = std::min(jet(x[k]).value, jet(0.5 * (x[k] + x[k + 1])).value);
    if (depth < -8 * barrier.range) solution.status = SpanStatus::no_path;
    if (k > 0)
      for (int c = 0; c < 3; ++c) *at++ = x[k][c];
  }
  solution.count = 3 * (band::kPieces - 1);
  return solution;
}

template <class T>
void ImplicitWrap::shape(const SpanSolution& solution, const Point<T>& o, const Point<T>& i,
                         SpanShape<T>& out) const {
  using std::exp, std::sqrt;
  if (solution.status != SpanStatus::wrapped) return straight_shape(o, i, out);
  const band::Barrier barrier{size, softness * size};
  band::Knots plain;
  for (int k = 0; k < 3; ++k) {
    plain.front()[k] = value_of(o[k]);
    plain.back()[k] = value_of(i[k]);
  }
  for (size_t k = 1; k < band::kPieces; ++k) plain[k] = Vec3(&solution.unknowns[3 * (k - 1)]);
  const auto jet = [this](const Vec3& x) { return level->jet(x); };

  std::array<Point<T>, band::kPieces + 1> x, r;
  x.front() = o;
  x.back() = i;
  for (size_t k = 1; k < band::kPieces; ++k) x[k] = plain[k].cast<T>();
  const Point<T> chord = i - o;
  const T load = barrier.load(T(chord[0] * chord[0] + chord[1] * chord[1] + chord[2] * chord[2]));
  // The push on a knot: load b′(−F/e) G.
  const auto push = [&](size_t k, Point<T>& force) {
    const LevelAt<T> f(*level, x[k]);
    const T y = f.value * (-1 / barrier.range);
    const T slope = value_of(y) <= band::Barrier::kParabola
                        ? exp(y)
                        : (y - (band::Barrier::kParabola - 1)) * exp(band::Barrier::kParabola);
    const T factor = load * slope;
    force = factor * f.gradient;
  };
  constexpr int kOrder = derivative_order<T>;
  band::Relaxation relaxation(jet, barrier, plain.front(), plain.back());
  relaxation.update(plain);
  if (kOrder > 0) relaxation.factor(true);
  for (int pass = 0; pass < kOrder; ++pass) {
    for (size_t k = 1; k < band::kPieces; ++k) {
      r[k] = x[k - 1] + x[k + 1] - 2.0 * x[k];
      if (relaxation.push(k) == 0) continue;
      Point<T> force;
      push(k, force);
      r[k] += force;
    }
    relaxation.elimination().solve(r);
    for (size_t k = 1; k < band::kPieces; ++k) x[k] += r[k];
  }
  out.start(o);
  T turning(0);
  for (size_t k = 1; k <= band::kPieces; ++k) {
    out.add_straight(x[k]);
    if (k == band::kPieces || relaxation.push(k) == 0) continue;
    // In balance the push is 2x_k − x_{k−1} − x_{k+1}: the turning there times the piece's length.
    Point<T> force;
    push(k, force);
    turning += sqrt(force[0] * force[0] + force[1] * force[1] + force[2] * force[2]);
  }
  out.wrapped_angle = turning / out.length * static_cast<double>(band::kPieces);
  out.smooth = false;
}
#define SINEW_SHAPE(T)                                                                        \
  template void ImplicitWrap::shape<T>(const SpanSolution&, const Point<T>&, const Point<T>&, \
                                       SpanShape<T>&) const;
SINEW_FOR_PATH_SCALARS(SINEW_SHAPE)
#undef SINEW_SHAPE

void validate(const ImplicitWrap& wrap, const std::string& element) {
  if (!wrap.level) throw Error(element, "an implicit surface needs a level function", "give one");
  if (!(wrap.size > 0))
    throw Error(element, "the size is " + std::to_string(wrap.size),
                "give a typical radius of curvature of the surface, in metres");
  if (!(wrap.softness >= 0.005 && wrap.softness <= 0.2))
    throw Error(element, "the softness is " + std::to_string(wrap.softness),
                "give a number from 0.005 to 0.2; 0.04 suits steps of 1 ms");
}

}  // namespace sinew

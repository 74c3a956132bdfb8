#include "sinew/muscles/path/muscle.hpp"

#include <cmath>

#include "sinew/core/error.hpp"

namespace sinew {
namespace {

/// From 0 at y = 0 to 1 at y = 1 with four vanishing derivatives at both ends; value and three
/// derivatives. The derivative is 630 y⁴ (1 − y)⁴.
std::array<double, 4> smooth_step(double y) {
  if (y <= 0) return {0, 0, 0, 0};
  if (y >= 1) return {1, 0, 0, 0};
  const double z = 1 - y, y2 = y * y, y3 = y2 * y, p = y * z;
  return {y3 * y2 * (126 + y * (-420 + y * (540 + y * (-315 + 70 * y)))), 630 * p * p * p * p,
          2520 * p * p * p * (z - y), 2520 * p * p * (3 * (z - y) * (z - y) - 2 * p)};
}

std::array<double, 4> evaluate_window(const Window& w, double x) {
  if (w.band <= 0) return {x >= w.lower && x <= w.upper ? w.inside : w.outside, 0, 0, 0};
  const double scale = 1 / (2 * w.band);
  const std::array<double, 4> up = smooth_step((x - w.lower) * scale + 0.5);
  const std::array<double, 4> down = smooth_step((x - w.upper) * scale + 0.5);
  std::array<double, 4> out;
  double factor = w.inside - w.outside;
  for (size_t k = 0; k < 4; ++k) {
    out[k] = factor * (up[k] - down[k]);
    factor *= scale;
  }
  out[0] += w.outside;
  return out;
}

}  // namespace

std::array<double, 4> evaluate(const std::variant<ScalarFunction, Window>& function, double x) {
  if (const Window* window = std::get_if<Window>(&function)) return evaluate_window(*window, x);
  const double one = 1;
  const int argument = 0;
  const JointFunctionValue jet =
      evaluate(std::get<ScalarFunction>(function), {&argument, 1}, {&x, 1}, {&one, 1});
  return {jet.value, jet.gradient[0], jet.hessian[0][0], jet.third[0]};
}

double weight_of(const PathTerm& term, const ConstVecRef& q) {
  double out = term.scale;
  for (const PathWeight& weight : term.weights) out *= evaluate(weight.function, q[weight.dof])[0];
  return out;
}

PathPoint PathPoint::Fixed(BodyIndex body, const Vec3& x_B) {
  return {{PathTerm{body, x_B, false, 1, {}}}};
}

PathPoint PathPoint::Moving(BodyIndex body, const Vec3& x_B, const std::array<DofIndex, 3>& dof,
                            const std::array<ScalarFunction, 3>& f) {
  PathPoint point = Fixed(body, x_B);
  for (int k = 0; k < 3; ++k) {
    const auto kk = static_cast<size_t>(k);
    if (dof[kk].valid()) point.terms.push_back({body, Vec3::Unit(k), true, 1, {{dof[kk], f[kk]}}});
  }
  return point;
}

PathPoint PathPoint::Conditional(BodyIndex body, const Vec3& x_B, DofIndex dof,
                                 const Window& window, const PathPoint& before,
                                 const PathPoint& after, double fraction) {
  // At either end it would fall onto a neighbour, with no direction between the two.
  if (!(fraction > 0 && fraction < 1))
    throw Error("conditional path point", "its fraction of the line is not inside (0, 1)",
                "give one between its two neighbours");
  PathPoint point;
  point.terms.push_back({body, x_B, false, 1, {{dof, window}}});
  const auto add = [&](const PathPoint& neighbour, double share) {
    Window outside = window;
    outside.inside = 0;
    outside.outside = share;
    for (const PathTerm& term : neighbour.terms)
      point.terms.emplace_back(term).weights.push_back({dof, outside});
  };
  add(before, 1 - fraction);
  add(after, fraction);
  return point;
}

}  // namespace sinew

#include "sinew/muscles/hill/activation.hpp"

#include <algorithm>
#include <cmath>

#include "sinew/core/error.hpp"

namespace sinew {

namespace {

/// If activation rises, separating
///     (0.5 + 1.5 a) da/(u − a) = dt/τ
/// gives, with x = u − a from x₀, c = 0.5 + 1.5 u and y = ln(x₀/x) ≥ 0,
///     c y − 1.5 (x₀ − x) = h/τ,   x = x₀ e^−y:
/// the left-hand side is increasing and convex in y, so that Newton's method from the right
/// converges monotonically.
double rise(double a, double u, double t) {
  const double x0 = u - a, c = 0.5 + 1.5 * u;
  double y = (t + 1.5 * x0) / c;  // an upper bound
  for (int i = 0; i < 100; ++i) {
    const double x = x0 * std::exp(-y);
    const double step = (c * y - 1.5 * (x0 - x) - t) / (c - 1.5 * x);
    y -= step;
    if (!(std::abs(step) > 1e-15 * y)) break;
  }
  return u - x0 * std::exp(-y);
}

/// If it falls, da/((u − a)(0.5 + 1.5 a)) = dt/τ makes (a − u)/(a + ⅓) decay exponentially.
double fall(double a, double u, double t) {
  const double b = 1.0 / 3;
  const double z = (a - u) / (a + b) * std::exp(-1.5 * (u + b) * t);
  return (u + b * z) / (1 - z);
}

}  // namespace

void check_activation(const ActivationDynamics& d, const std::string& element) {
  if (!(d.activation_time > 0 && d.deactivation_time > 0) || !std::isfinite(d.activation_time) ||
      !std::isfinite(d.deactivation_time))
    throw Error(element, "its time constants of activation are not positive",
                "give seconds, such as 0.01 and 0.04");
  if (!(d.minimum >= 0 && d.minimum < 1))
    throw Error(element, "minimum_activation is " + std::to_string(d.minimum),
                "it must be in [0, 1)");
}

ActivationRate activation_rate(const ActivationDynamics& d, double activation, double excitation) {
  const double a = std::clamp(activation, d.minimum, 1.0);
  const double u = std::clamp(excitation, d.minimum, 1.0);
  const double w = 0.5 + 1.5 * a, x = u - a;
  ActivationRate out;
  double by_u = 0;
  if (d.kind == ActivationDynamics::Kind::piecewise) {
    const bool rises = u > a;
    const double k = rises ? 1 / (d.activation_time * w) : w / d.deactivation_time;
    out.rate = k * x;
    out.d_activation = -k + 1.5 * x * (rises ? -k / w : k / w);
    by_u = k;
  } else {
    const double th = std::tanh(d.smoothing * x), up = 0.5 * (1 + th), down = 0.5 * (1 - th);
    const double k_up = 1 / (d.activation_time * w), k_down = w / d.deactivation_time;
    const double k = up * k_up + down * k_down;
    const double turn = 0.5 * d.smoothing * (1 - th * th) * (k_up - k_down);
    out.rate = k * x;
    out.d_activation = -k - turn * x + 1.5 * x * (-up * k_up + down * k_down) / w;
    by_u = k + turn * x;
  }
  if (activation != a) out.d_activation = 0;
  out.d_excitation = excitation == u ? by_u : 0;
  return out;
}

double step_activation(const ActivationDynamics& d, double activation, double excitation,
                       double h) {
  const double a = std::clamp(activation, d.minimum, 1.0);
  const double u = std::clamp(excitation, d.minimum, 1.0);
  if (d.kind == ActivationDynamics::Kind::piecewise) {
    if (u > a) return std::min(rise(a, u, h / d.activation_time), u);
    return std::max(fall(a, u, h / d.deactivation_time), u);
  }
  // Fourth order with steps of a hundredth of the faster constant: 1e-8, far inside stability.
  const double fastest = std::min(d.activation_time, d.deactivation_time);
  const int steps = std::clamp(static_cast<int>(std::ceil(h / (0.01 * fastest))), 1, 10000);
  const double dt = h / steps;
  const auto rate = [&](double x) { return activation_rate(d, x, u).rate; };
  double x = a;
  for (int i = 0; i < steps; ++i) {
    const double k1 = rate(x), k2 = rate(x + 0.5 * dt * k1), k3 = rate(x + 0.5 * dt * k2);
    x += dt / 6 * (k1 + 2 * k2 + 2 * k3 + rate(x + dt * k3));
  }
  return std::clamp(x, std::min(a, u), std::max(a, u));
}

}  // namespace sinew

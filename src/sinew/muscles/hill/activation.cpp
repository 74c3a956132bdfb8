#include "sinew/muscles/hill/activation.hpp"

#include <algorithm>
#include <cmath>

#include "sinew/core/error.hpp"
#include "sinew/math/dual.hpp"

namespace sinew {

namespace {

/// If activation rises, separating
///     (0.5 + 1.5 a) da/(u − a) = dt/τ
/// gives, with x = u − a from x₀, c = 0.5 + 1.5 u and y = ln(x₀/x) ≥ 0,
///     c y − 1.5 (x₀ − x) = h/τ,   x = x₀ e^−y:
/// the left-hand side is increasing and convex in y, so that Newton's method from the right
/// converges monotonically.
template <class T>
T rise(const T& a, const T& u, double t) {
  const T x0 = u - a, c = 0.5 + 1.5 * u;
  const auto missing = [t](const auto& y, const auto& from, const auto& factor) {
    using std::exp;
    return factor * y - 1.5 * (from - from * exp(-y)) - t;
  };
  const double plain_x0 = value_of(x0), plain_c = value_of(c);
  double y = (t + 1.5 * plain_x0) / plain_c;  // an upper bound
  for (int i = 0; i < 100; ++i) {
    const double step = missing(y, plain_x0, plain_c) / (plain_c - 1.5 * plain_x0 * std::exp(-y));
    y -= step;
    if (!(std::abs(step) > 1e-15 * y)) break;
  }
  using std::exp;
  if constexpr (std::is_same_v<T, double>) {
    return u - x0 * exp(-y);
  } else {
    // One more step carries the derivatives.
    const double slope = plain_c - 1.5 * plain_x0 * std::exp(-y);
    const T solution = T(y) - missing(T(y), x0, c) / slope;
    return u - x0 * exp(-solution);
  }
}

/// If it falls, da/((u − a)(0.5 + 1.5 a)) = dt/τ makes (a − u)/(a + ⅓) decay exponentially.
template <class T>
T fall(const T& a, const T& u, double t) {
  using std::exp;
  const double b = 1.0 / 3;
  const T z = (a - u) / (a + b) * exp(-1.5 * (u + b) * t);
  return (u + b * z) / (1.0 - z);
}

using ActivationDual = Dual<double, 2>;  // by activation and excitation

double rate_of(const ActivationDynamics& d, double a, double u) {
  return activation_rate(d, a, u).rate;
}
ActivationDual rate_of(const ActivationDynamics& d, const ActivationDual& a,
                       const ActivationDual& u) {
  const ActivationRate rate = activation_rate(d, a.v, u.v);
  ActivationDual out(rate.rate);
  for (size_t k = 0; k < 2; ++k) out.d[k] = rate.d_activation * a.d[k] + rate.d_excitation * u.d[k];
  return out;
}

/// a and u within their limits.
template <class T>
T step_within_limits(const ActivationDynamics& d, const T& a, const T& u, double h) {
  if (d.kind == ActivationDynamics::Kind::piecewise) {
    const bool rises = u > a;
    const T end = rises ? rise(a, u, h / d.activation_time) : fall(a, u, h / d.deactivation_time);
    return rises == (end > u) ? u : end;
  }
  // Fourth order with steps of a hundredth of the faster constant: 1e-8, far inside stability.
  const double fastest = std::min(d.activation_time, d.deactivation_time);
  const int steps = std::clamp(static_cast<int>(std::ceil(h / (0.01 * fastest))), 1, 10000);
  const double dt = h / steps;
  T x = a;
  for (int i = 0; i < steps; ++i) {
    const T k1 = rate_of(d, x, u), k2 = rate_of(d, T(x + 0.5 * dt * k1), u);
    const T k3 = rate_of(d, T(x + 0.5 * dt * k2), u), k4 = rate_of(d, T(x + dt * k3), u);
    x += dt / 6 * (k1 + 2.0 * k2 + 2.0 * k3 + k4);
  }
  if (u > a) return x > u ? u : x < a ? a : x;
  return x > a ? a : x < u ? u : x;
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
  return step_within_limits(d, std::clamp(activation, d.minimum, 1.0),
                            std::clamp(excitation, d.minimum, 1.0), h);
}

ActivationStep differentiate_step_activation(const ActivationDynamics& d, double activation,
                                             double excitation, double h) {
  const auto limited = [&](double x, int k) {
    const double held = std::clamp(x, d.minimum, 1.0);
    return x == held ? ActivationDual::Variable(x, k) : ActivationDual(held);
  };
  const ActivationDual end =
      step_within_limits(d, limited(activation, 0), limited(excitation, 1), h);
  return {end.v, end.d[0], end.d[1]};
}

}  // namespace sinew

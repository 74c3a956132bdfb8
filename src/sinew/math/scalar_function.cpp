#include "sinew/math/scalar_function.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace sinew {
namespace {

std::array<double, 4> derivatives(const PolynomialFunction& f, double x) {
  // Horner's scheme for the value and the derivatives divided by their factorials.
  std::array<double, 4> p{};
  for (auto c = f.coefficients.rbegin(); c != f.coefficients.rend(); ++c) {
    for (size_t k = 3; k > 0; --k) p[k] = p[k] * x + p[k - 1];
    p[0] = p[0] * x + *c;
  }
  return {p[0], p[1], 2 * p[2], 6 * p[3]};
}

std::array<double, 4> derivatives(const SineFunction& f, double x) {
  const double s = f.amplitude * std::sin(f.frequency * x + f.phase);
  const double c = f.amplitude * std::cos(f.frequency * x + f.phase);
  const double w = f.frequency;
  return {f.offset + s, w * c, -w * w * s, -w * w * w * c};
}

/// Every derivative is a product of the same number of factors: each factor is differentiated as
/// often as f is by its argument.
JointFunctionValue product_jet(const SineProduct& f, std::span<const int> arguments,
                               std::span<const double> q, std::span<const double> qdot) {
  const size_t n = arguments.size();
  std::array<std::array<double, 4>, kMaxJointDofs> factor;  // sin and its first three derivatives
  for (size_t k = 0; k < n; ++k) {
    const double x = q[arguments[k]] + f.phases[k], s = std::sin(x), c = std::cos(x);
    factor[k] = {s, c, -s, -c};
  }
  const auto derivative = [&](std::initializer_list<size_t> by) {
    double product = f.amplitude;
    for (size_t k = 0; k < n; ++k)
      product *= factor[k][static_cast<size_t>(std::count(by.begin(), by.end(), k))];
    return product;
  };
  JointFunctionValue jet;
  jet.value = derivative({});
  for (size_t i = 0; i < n; ++i) {
    const int a = arguments[i];
    jet.gradient[a] += derivative({i});
    for (size_t j = 0; j < n; ++j) {
      jet.hessian[a][arguments[j]] += derivative({i, j});
      for (size_t k = 0; k < n; ++k)
        jet.third[a] += derivative({i, j, k}) * qdot[arguments[j]] * qdot[arguments[k]];
    }
  }
  return jet;
}

std::array<double, 4> derivatives(const NaturalCubicSpline& f, double x) {
  return f.derivatives(x);
}

std::array<double, 4> derivatives(const PiecewisePolynomial& f, double x) {
  return f.derivatives(x);
}

std::vector<double> times(std::vector<double> values, double factor) {
  for (double& v : values) v *= factor;
  return values;
}

bool all_finite(const std::vector<double>& values) {
  return std::all_of(values.begin(), values.end(), [](double v) { return std::isfinite(v); });
}

template <class... F>
struct Overloaded : F... {
  using F::operator()...;
};
template <class... F>
Overloaded(F...) -> Overloaded<F...>;

}  // namespace

// f'' at the points solves the tridiagonal system
//     h_{i−1} m_{i−1} + 2 (h_{i−1} + h_i) m_i + h_i m_{i+1} = 6 (s_i − s_{i−1}),   m₀ = m_n = 0,
// h the intervals and s the slopes of the chords: f' is continuous.
NaturalCubicSpline::NaturalCubicSpline(std::vector<double> x, std::vector<double> y)
    : x_(std::move(x)), y_(std::move(y)) {
  if (!defect().empty()) return;
  const size_t n = x_.size();
  second_.assign(n, 0);
  std::vector<double> ratio(n, 0);  // the eliminated upper diagonal
  for (size_t i = 1; i + 1 < n; ++i) {
    const double h0 = x_[i] - x_[i - 1], h1 = x_[i + 1] - x_[i];
    const double jump = (y_[i + 1] - y_[i]) / h1 - (y_[i] - y_[i - 1]) / h0;
    const double pivot = 2 * (h0 + h1) - h0 * ratio[i - 1];
    ratio[i] = h1 / pivot;
    second_[i] = (6 * jump - h0 * second_[i - 1]) / pivot;
  }
  for (size_t i = n - 1; i-- > 1;) second_[i] -= ratio[i] * second_[i + 1];
}

std::string NaturalCubicSpline::defect() const {
  if (x_.size() != y_.size()) return "spline has different numbers of x and y values";
  if (x_.size() < 2) return "spline has fewer than 2 points";
  if (!all_finite(x_) || !all_finite(y_)) return "spline has a value that is not finite";
  for (size_t i = 1; i < x_.size(); ++i)
    if (!(x_[i] > x_[i - 1]))
      return "spline's x does not increase at point " + std::to_string(i + 1);
  return {};
}

std::array<double, 4> NaturalCubicSpline::derivatives(double x) const {
  const size_t i =
      static_cast<size_t>(std::upper_bound(x_.begin() + 1, x_.end() - 1, x) - x_.begin()) - 1;
  const double h = x_[i + 1] - x_[i], chord = (y_[i + 1] - y_[i]) / h;
  const double m0 = second_[i], m1 = second_[i + 1], third = (m1 - m0) / h;
  const double slope0 = chord - h * (2 * m0 + m1) / 6, slope1 = chord + h * (m0 + 2 * m1) / 6;
  if (x < x_.front()) return {y_.front() + slope0 * (x - x_.front()), slope0, 0, 0};
  if (x > x_.back()) return {y_.back() + slope1 * (x - x_.back()), slope1, 0, 0};
  const double d = x - x_[i];
  return {y_[i] + d * (slope0 + d * (m0 / 2 + d * third / 6)), slope0 + d * (m0 + d * third / 2),
          m0 + d * third, third};
}

JointFunctionValue evaluate(const ScalarFunction& function, std::span<const int> arguments,
                            std::span<const double> q, std::span<const double> qdot) {
  return std::visit(
      Overloaded{[](const ConstantFunction& f) {
                   JointFunctionValue jet;
                   jet.value = f.value;
                   return jet;
                 },
                 [&](const LinearFunction& f) {
                   JointFunctionValue jet;
                   jet.value = f.offset;
                   for (size_t k = 0; k < arguments.size(); ++k) {
                     jet.value += f.coefficients[k] * q[arguments[k]];
                     jet.gradient[arguments[k]] += f.coefficients[k];
                   }
                   return jet;
                 },
                 [&](const SineProduct& f) { return product_jet(f, arguments, q, qdot); },
                 [&](const auto& f) {
                   const int a = arguments[0];
                   return JointFunctionValue::Univariate(a, derivatives(f, q[a]), qdot);
                 }},
      function);
}

int argument_count(const ScalarFunction& function) {
  return std::visit(
      Overloaded{[](const ConstantFunction&) { return 0; },
                 [](const LinearFunction& f) { return static_cast<int>(f.coefficients.size()); },
                 [](const SineProduct& f) { return static_cast<int>(f.phases.size()); },
                 [](const auto&) { return 1; }},
      function);
}

ScalarFunction scaled(const ScalarFunction& function, double factor) {
  return std::visit(
      Overloaded{
          [&](const ConstantFunction& f) -> ScalarFunction {
            return ConstantFunction{factor * f.value};
          },
          [&](const LinearFunction& f) -> ScalarFunction {
            return LinearFunction{times(f.coefficients, factor), factor * f.offset};
          },
          [&](const PolynomialFunction& f) -> ScalarFunction {
            return PolynomialFunction{times(f.coefficients, factor)};
          },
          [&](const SineFunction& f) -> ScalarFunction {
            return SineFunction{factor * f.amplitude, f.frequency, f.phase, factor * f.offset};
          },
          [&](const SineProduct& f) -> ScalarFunction {
            return SineProduct{factor * f.amplitude, f.phases};
          },
          [&](const NaturalCubicSpline& f) -> ScalarFunction {
            return NaturalCubicSpline(f.x(), times(f.y(), factor));
          },
          [&](const PiecewisePolynomial& f) -> ScalarFunction { return f.scaled(factor); }},
      function);
}

std::string function_defect(const ScalarFunction& function) {
  const std::string not_finite = "function has a coefficient that is not finite";
  return std::visit(
      Overloaded{
          [&](const ConstantFunction& f) { return std::isfinite(f.value) ? "" : not_finite; },
          [&](const LinearFunction& f) {
            if (f.coefficients.empty()) return std::string("function has no coefficients");
            return all_finite(f.coefficients) && std::isfinite(f.offset) ? "" : not_finite;
          },
          [&](const PolynomialFunction& f) {
            if (f.coefficients.empty()) return std::string("function has no coefficients");
            return all_finite(f.coefficients) ? "" : not_finite;
          },
          [&](const SineFunction& f) {
            return all_finite({f.amplitude, f.frequency, f.phase, f.offset}) ? "" : not_finite;
          },
          [&](const SineProduct& f) {
            if (f.phases.empty()) return std::string("function has no factors");
            return all_finite(f.phases) && std::isfinite(f.amplitude) ? "" : not_finite;
          },
          [](const NaturalCubicSpline& f) { return f.defect(); },
          [](const PiecewisePolynomial& f) {
            return f.defect().empty() ? std::string() : "spline " + f.defect();
          }},
      function);
}

}  // namespace sinew

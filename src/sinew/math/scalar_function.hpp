#pragma once

#include <span>
#include <string>
#include <variant>
#include <vector>

#include "sinew/math/jet.hpp"
#include "sinew/math/piecewise_polynomial.hpp"

/// Functions of coordinates, as data, for function joints. All but piecewise polynomials are twice
/// continuously differentiable; all give their derivatives to third order.

namespace sinew {

/// f = value.
struct ConstantFunction {
  double value = 0;
};

/// f = offset + Σ_k coefficients[k] x_k, with one argument per coefficient.
struct LinearFunction {
  std::vector<double> coefficients;
  double offset = 0;
};

/// f = Σ_k coefficients[k] xᵏ, with one argument; the constant term comes first.
struct PolynomialFunction {
  std::vector<double> coefficients;
};

/// f = offset + amplitude sin(frequency x + phase), with one argument; frequency per unit of x.
struct SineFunction {
  double amplitude = 1, frequency = 1, phase = 0, offset = 0;
};

/// f = amplitude Π_k sin(x_k + phases[k]), with one argument per phase.
struct SineProduct {
  double amplitude = 1;
  std::vector<double> phases;
};

/// The interpolating cubic spline with f'' = 0 at both ends, with one argument. Outside its points
/// it continues as a straight line, which keeps f'' continuous.
class NaturalCubicSpline {
 public:
  /// At least two points, x increasing.
  NaturalCubicSpline(std::vector<double> x, std::vector<double> y);
  const std::vector<double>& x() const { return x_; }
  const std::vector<double>& y() const { return y_; }
  /// Empty if the points make a spline; otherwise the defect.
  std::string defect() const;

  /// f, f', f'' and f''' at x; the last is a step function.
  std::array<double, 4> derivatives(double x) const;

 private:
  std::vector<double> x_, y_;
  std::vector<double> second_;  ///< f'' at the points
};

using ScalarFunction =
    std::variant<ConstantFunction, LinearFunction, PolynomialFunction, SineFunction, SineProduct,
                 NaturalCubicSpline, PiecewisePolynomial>;

/// f at the coordinates q_a, a in `arguments`: one index for every argument, none for a constant.
JointFunctionValue evaluate(const ScalarFunction& f, std::span<const int> arguments,
                            std::span<const double> q, std::span<const double> qdot);

/// Number of arguments f takes; 0 for a constant, which accepts and ignores any.
int argument_count(const ScalarFunction& f);

/// factor × f.
ScalarFunction scaled(const ScalarFunction& f, double factor);

/// Empty if f can be evaluated; otherwise the defect of its numbers.
std::string function_defect(const ScalarFunction& f);

}  // namespace sinew

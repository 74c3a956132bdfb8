#pragma once

#include <array>
#include <string>
#include <variant>
#include <vector>

#include "sinew/math/scalar_function.hpp"
#include "sinew/math/time_table.hpp"

namespace sinew {

/// f = offset + amplitude / (1 + exp(−rate (x − center))): a smooth step.
struct SigmoidFunction {
  double amplitude = 1, rate = 1, center = 0, offset = 0;
};

/// A number as a function of time with two derivatives, used to prescribe motions. It consists of
/// one formula, or of several that follow each other at given times; there it may jump or bend.
class TimeFunction {
 public:
  using Formula = std::variant<ScalarFunction, SigmoidFunction>;  ///< with at most one argument, t

  TimeFunction(double constant)  // NOLINT(google-explicit-constructor)
      : TimeFunction(ScalarFunction(ConstantFunction{constant})) {}
  TimeFunction(ScalarFunction f)  // NOLINT(google-explicit-constructor)
      : pieces_{{0, std::move(f)}} {}
  TimeFunction(SigmoidFunction f)  // NOLINT(google-explicit-constructor)
      : pieces_{{0, f}} {}

  /// formulas[k] holds from starts[k] until the next start; the first also holds at all earlier
  /// times.
  static TimeFunction Piecewise(std::vector<double> starts, std::vector<Formula> formulas);

  enum class Interpolation { step, linear, cubic };
  /// A table in time, held from each entry to the next (`step`), joined by straight lines
  /// (`linear`) or by a natural cubic spline (`cubic`; two continuous derivatives). Before the
  /// first and after the last entry step and linear keep their values; cubic continues straight.
  /// Throws an Error naming `element` unless times increase strictly and all numbers are finite.
  static TimeFunction Table(const std::vector<double>& times, const std::vector<double>& values,
                            Interpolation interpolation, const std::string& element);

  /// f, ḟ and f̈ at t; from the right where they jump. A piece counts as reached a hair (1e-12
  /// relative) early, so that t = k h lands on the right side however k h was rounded.
  std::array<double, 3> derivatives(double t) const;
  /// Times at which the formula changes, ascending.
  const std::vector<double>& breakpoints() const { return starts_; }
  /// Empty if the function can be evaluated; otherwise its defect.
  std::string defect() const;

 private:
  struct Piece {
    double origin;  ///< the formula's argument is t − origin: keeps the digits of tables
    Formula formula;
  };
  TimeFunction() = default;

  std::vector<Piece> pieces_;
  std::vector<double> starts_;  ///< start times of pieces_[1], pieces_[2], …
};

}  // namespace sinew

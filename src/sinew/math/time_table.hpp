#pragma once

#include <string>
#include <vector>

#include "sinew/math/types.hpp"

namespace sinew {

/// A vector of `width` numbers as a function of time: constant, or a table that is held from each
/// entry to the next (`step`) or joined by straight lines (`linear`); before the first and after
/// the last entry it keeps their values.
class TimeTable {
 public:
  enum class Interpolation { step, linear };

  static TimeTable Constant(const VecX& value);
  /// Throws an Error naming `element` unless times increase strictly, values have one width, and
  /// all are finite.
  static TimeTable FromRows(std::vector<double> times, std::vector<VecX> values,
                            Interpolation interpolation, const std::string& element);

  int width() const { return static_cast<int>(values_.front().size()); }
  /// The value at t. A step counts as reached a hair (1e-12 relative) early, so that t = k h lands
  /// on the right side of it however k h was rounded.
  void evaluate(double t, VecRef out) const;
  double evaluate_scalar(double t) const;
  /// Times where the value jumps (step) or bends (linear).
  const std::vector<double>& breakpoints() const { return times_; }

 private:
  size_t interval(double t) const;

  std::vector<double> times_;  // empty for a constant
  std::vector<VecX> values_;
  Interpolation interpolation_ = Interpolation::step;
};

}  // namespace sinew

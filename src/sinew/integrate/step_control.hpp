#pragma once

#include <optional>

#include "sinew/integrate/step_common.hpp"

/// Lengths of the steps of methods that estimate their error.

namespace sinew {

/// The time over which an error of a rate counts as one of its coordinate [s]: about as long as a
/// motion takes to forget it.
constexpr double kRateTime = 0.1;

/// q, q̇ and z, or errors of them.
struct StepVectors {
  VecX &q, &qdot, &z;
};

/// Largest |error| over its tolerance, and its coordinate; NaN if any is.
struct ErrorRatio {
  double value = 0;
  int dof = -1;
};
/// By StepOptions::accuracy or, without it, by the tolerances.
ErrorRatio error_ratio(const StepContext& s, const StepVectors& error, const StepVectors& end);

/// A hair of time, ten times TimeTable's.
double hair(double t, double h);
/// The time at which forces are evaluated at the end of a step: a hair before it if they jump
/// there.
double just_before(double t, double h);

/// A method as the control of its steps sees it.
class EstimatingMethod {
 public:
  virtual ~EstimatingMethod() = default;
  /// largest_rate at the start of the step.
  virtual double rate() = 0;
  /// The length to try first: one over which such rates change little.
  virtual double first_length(const StepContext& s, int order);
  /// Tries a step of h; `jumps`: forces jump at its end. None if it has no solution: the report
  /// says why.
  virtual std::optional<ErrorRatio> attempt(double h, bool jumps, StepReport& report) = 0;
  /// The end of the last attempt, which `finish` may move to the constraints.
  virtual StepVectors end() = 0;
  /// It was accepted. Its end becomes the state at t; the memory is written. `jumps`: forces or the
  /// state at its end.
  virtual void accept(double h, double t, double h_next, bool jumps, StepReport& report) = 0;
};

/// One accepted step of at most s.h. `order`: the error of an attempt falls as h^order.
StepReport control_step(const StepContext& s, int order, EstimatingMethod& method);

/// Largest of q̇, q̈ and ż, each in the units of its error [1/s].
double largest_rate(const StepContext& s, const VecX& qddot, const VecX& zdot);

}  // namespace sinew

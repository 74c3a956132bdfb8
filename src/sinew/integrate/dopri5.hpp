#pragma once

#include "sinew/integrate/step_common.hpp"

namespace sinew {

/// The free interpolant of Dormand and Prince over one accepted step: q and q̇ at any t of the step
/// to fourth order, from stages that exist anyway. In the rotation charts of the step's end.
struct DenseOutput {
  double t = 0;  ///< start of the step
  double h = 0;
  /// Columns: y₀, y₁ − y₀, and the three bubbles that carry slopes and curvature (Hairer, Nørsett
  /// and Wanner I, section II.6), for y = q, q̇ and z.
  MatX q_coefficients, qdot_coefficients, z_coefficients;

  /// Writes all of `out` except its memory. `time` in [t, t + h].
  void evaluate(double time, State& out) const;
};

/// step() with Integrator::dopri5, and the interpolant of the step taken if `dense` is given.
/// Dormand and Prince 5(4): fifth order, seven stages of which the last is the first of the next
/// step.
///
/// A step never crosses a time of System::breakpoints(): it ends on it, its last stages see the
/// forces from the left (a hair before the jump), and the next step starts afresh with those from
/// the right.
StepReport step_dopri5(const StepContext& s, DenseOutput* dense);

}  // namespace sinew

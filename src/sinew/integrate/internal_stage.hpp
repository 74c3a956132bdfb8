#pragma once

#include "sinew/integrate/step_common.hpp"

/// Steps of the internal state of parts. Explicit methods integrate ż. In implicit ones a
/// stage z = c + γ ż is solved part by part wherever forces are evaluated (At::gamma).

namespace sinew {

/// Entries of z whose flow is known become those at t, from the step's start: under the controls
/// halfway.
void advance_internal(const StepContext& s, double t, VecX& z);

/// The same to fourth order, by extrapolation. `scratch` is as long as z.
void advance_internal_accurately(const StepContext& s, double t, VecX& scratch, VecX& z);
/// Adds the errors that these make in z at t, the second for order > 2.
void add_flow_error(const StepContext& s, double t, int order, const VecX& z, VecX& scratch,
                    VecX& error);

/// Entries of z that follow the controls at once become those of these controls.
void follow_controls(const System& system, const VecView& controls, VecX& z);

/// The other entries become those at the end of the stage at which forces were evaluated last.
void read_stage(const StepContext& s, VecX& z);

/// Internal state at the end of a step to (t, q, q̇), including the entries from advance_internal:
/// the rest by implicit Euler.
void follow_path(const StepContext& s, double t, const VecX& q, const VecX& qdot, VecX& z);

/// The trapezoidal rule for z: c = z₀ + (h/2) ż₀ with the known entries at the end of the step. ż₀
/// is the memory's or, if there is none, that of `start`, at which forces were evaluated last.
void begin_trapezoid(const StepContext& s, const At* start, VecX& c);
/// z₁ = c + (h/2) ż₁ at the end (q, q̇) of the step becomes the state's, ż₁ the memory's.
void end_trapezoid(const StepContext& s, const VecX& c, const VecX& q, const VecX& qdot);

}  // namespace sinew

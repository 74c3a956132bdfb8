#pragma once

#include "sinew/integrate/step_common.hpp"

/// What steps do with the internal state of muscles. Explicit methods integrate ż. In implicit ones
/// a stage z = c + γ ż is solved muscle by muscle wherever forces are evaluated (At::gamma).

namespace sinew {

/// Activations in z become those at t, from those of the step's start: the exact flow under the
/// controls halfway.
void advance_activations(const StepContext& s, double t, VecX& z);

/// Activations in z that are the excitations themselves become those of these controls.
void set_immediate_activations(const System& system, const VecView& controls, VecX& z);

/// Fibre lengths in z become those at the end of the stage where forces were evaluated last.
void read_fibres(const StepContext& s, VecX& z);

/// Internal state at the end of a step to (t, q, q̇), activations in z among it: of fibres by
/// implicit Euler along the new path.
void follow_path(const StepContext& s, double t, const VecX& q, const VecX& qdot, VecX& z);

/// The trapezoidal rule for z: c = z₀ + (h/2) ż₀ with the activations of the end of the step. ż₀ is
/// the memory's or, where there is none, that of `start`, at which forces were evaluated last.
void begin_trapezoid(const StepContext& s, const At* start, VecX& c);
/// z₁ = c + (h/2) ż₁ at the end (q, q̇) of the step becomes the state's, ż₁ the memory's.
void end_trapezoid(const StepContext& s, const VecX& c, const VecX& q, const VecX& qdot);

}  // namespace sinew

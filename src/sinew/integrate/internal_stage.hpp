#pragma once

#include "sinew/integrate/step_common.hpp"

/// What implicit steps do with the internal state of muscles. A stage z = c + γ ż is solved muscle
/// by muscle wherever forces are evaluated (At::gamma).

namespace sinew {

/// Activations in z become those at t, from those of the step's start: the exact flow under the
/// controls halfway.
void advance_activations(const StepContext& s, double t, VecX& z);

/// Fibre lengths in z become those at the end of the stage where forces were evaluated last.
void read_fibres(const StepContext& s, VecX& z);

}  // namespace sinew

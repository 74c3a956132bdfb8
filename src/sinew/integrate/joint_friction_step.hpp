#pragma once

#include "sinew/system/equations.hpp"

/// Friction inside bearings. Its bounds are μ times the loads of the joints, which depend on the
/// end of the step: a fixed point.

namespace sinew {

/// The rows of bearings become the first unknowns, with bounds of zero; those of parts the next
/// ones, with their own.
void reset_bearings(double h, UnilateralWorkspace& u);

/// Bounds from the reactions of joints and closures at u.qdot, the velocity at the end of the step
/// with the impulses x. `relaxation`: the fraction by which they move towards it.
void update_bearing_bounds(const System& system, double h, const State& state, double relaxation,
                           Workspace& ws);

}  // namespace sinew

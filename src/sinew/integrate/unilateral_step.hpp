#pragma once

#include "sinew/integrate/step_common.hpp"

namespace sinew {

/// Velocity at the end of a step, with the impulses of limits and contacts. In: qdot, what it would
/// be without them, constraints satisfied; s.ws at the state of the step; H, the symmetric matrix
/// by which impulses change velocities (M, or M with what an implicit step adds). Adds to the
/// multipliers of the constraints (forces) and to the work of the report. False, and the report
/// says where, if the impulses cannot be found; qdot is then of no use.
bool add_impulses(const StepContext& s, const MatX& H, VecX& qdot, StepReport& report);

}  // namespace sinew

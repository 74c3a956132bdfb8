#pragma once

#include "sinew/integrate/step_common.hpp"

namespace sinew {

/// Velocity at the end of a step, with the impulses of limits and contacts. In: qdot, what it would
/// be without them, constraints satisfied; s.ws at the state of the step; H, the symmetric matrix
/// by which impulses change velocities (M, or M with what an implicit step adds). Adds to the
/// multipliers of the constraints (forces) and to the work of the report. False, and the report
/// says where, if the impulses cannot be found; qdot is then of no use.
bool add_impulses(const StepContext& s, const MatX& H, VecX& qdot, StepReport& report);

/// A matrix for it, from that of the last solution in s.ws.newton: its symmetric part, so that the
/// impulses are those of a minimum; M where that is not positive definite. Either is H but for
/// O(h).
const MatX& impulse_matrix(const StepContext& s);

}  // namespace sinew

#pragma once

#include "sinew/integrate/step_common.hpp"

namespace sinew {

/// Adds to q̇, free of them, the impulses of limits, contacts and bearings over the step, in the
/// metric of the symmetric part of newton.matrix, which must have been factored (M if that is
/// not positive definite: newton.at has it); those of the constraints join ws.constraints.lambda.
/// Needs update_constraints. False if none are found, with the place in the report.
bool solve_impulses(const StepContext& s, VecX& qdot, StepReport& report);

/// The same, if there is anything to do: `prepare` then makes the matrix and the rows, or says in
/// the report why it cannot.
template <class Prepare>
bool add_impulses(const StepContext& s, VecX& qdot, StepReport& report, Prepare&& prepare) {
  if (s.system.unilaterals().empty()) return true;
  return prepare() && solve_impulses(s, qdot, report);
}

}  // namespace sinew

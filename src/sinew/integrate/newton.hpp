#pragma once

#include "sinew/integrate/integrator.hpp"

namespace sinew {

/// The workspace's Newton part, sized for the system.
Workspace::Newton& newton_workspace(const System& system, Workspace& ws);

/// Puts a failure into the report: diverged where x is not finite, else `status`; the worst
/// coordinate is that of the largest |x|. Returns false.
bool fail(StepStatus status, const VecX& x, StepReport& report);

/// One stage of an implicit method. BDF1, both stages of SDIRK2 and BDF2 all have this form:
///     q = c_q + γ q̇,   q̇ = c_v + γ q̈,   g = M(q) q̈ − f(t, q, q̇) = 0.
/// The unknown is q̈: nothing is divided by γ, so no digits are lost at small steps.
struct ImplicitStage {
  double t;
  double gamma;  ///< [s]
  const VecX& c_q;
  const VecX& c_v;
  VecX& q;      ///< out
  VecX& qdot;   ///< out
  VecX& qddot;  ///< in: a guess; out: the solution
};

/// Newton's method with the analytic derivative and a halving line search. Afterwards ws is updated
/// at the solution. False, and the report says why, where it fails; the report also counts the
/// iterations and keeps the worst residual of the step's stages.
bool solve_stage(const System& system, const StepOptions& options, const ImplicitStage& stage,
                 Workspace& ws, StepReport& report);

}  // namespace sinew

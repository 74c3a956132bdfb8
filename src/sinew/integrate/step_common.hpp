#pragma once

#include <span>

#include "sinew/integrate/integrator.hpp"
#include "sinew/system/projection.hpp"

/// The integrators, one function each, in the file of its name; and what they share. Every one
/// works on stage vectors of the workspace and touches the state only once all has gone well.
/// `prepare` must have run.

namespace sinew {

StepReport semi_implicit_euler(const System& system, const StepOptions& options, double h,
                               State& state, Workspace& ws);
StepReport linearly_implicit_euler(const System& system, const StepOptions& options, double h,
                                   State& state, Workspace& ws);
/// The same by conjugate gradients, without any matrix; linearly_implicit_euler calls it.
StepReport matrix_free_euler(const System& system, const StepOptions& options, double h,
                             State& state, Workspace& ws);
StepReport rk4(const System& system, const StepOptions& options, double h, State& state,
               Workspace& ws);
StepReport bdf1(const System& system, const StepOptions& options, double h, State& state,
                Workspace& ws);
StepReport sdirk2(const System& system, const StepOptions& options, double h, State& state,
                  Workspace& ws);
StepReport bdf2(const System& system, const StepOptions& options, double h, State& state,
                Workspace& ws);
/// step_dopri5 without its interpolant.
StepReport dopri5(const System& system, const StepOptions& options, double h, State& state,
                  Workspace& ws);
StepReport variational(const System& system, const StepOptions& options, double h, State& state,
                       Workspace& ws);
/// The same with constraints; variational calls it.
StepReport constrained_variational(const System& system, const StepOptions& options, double h,
                                   State& state, Workspace& ws);

/// Drops a memory that is not of this integrator and this very state, then moves rotation charts
/// that have come near their edge. Memory that cannot move along is dropped too.
void prepare(const System& system, Integrator integrator, State& state, Workspace& ws);

/// Says that the memory is `integrator`'s and belongs to the present q, q̇.
void seal(Integrator integrator, double h, State& state);

/// The first `count` stage vectors of the workspace, n entries each; allocates the first time only.
std::span<VecX> stages(const System& system, size_t count, Workspace& ws);

/// Whether q and q̇ may become the state: finite, and no rate beyond 1e12. Otherwise the report says
/// diverged and names the worst coordinate.
bool is_sane(const VecX& q, const VecX& qdot, StepReport& report);

/// The last act of every step: q and q̇ at time t are made to satisfy the constraints (`directions`
/// as in project) and then may become the state, or the report says why not.
bool finish(const System& system, const StepOptions& options, double t, Directions directions,
            VecX& q, VecX& qdot, Workspace& ws, StepReport& report);

}  // namespace sinew

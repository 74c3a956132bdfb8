#pragma once

#include <span>

#include "sinew/integrate/integrator.hpp"

/// The integrators, one function each, in the file of its name; and their shared functions. Every
/// one works on stage vectors of the workspace and changes the state only after success. `prepare`
/// must have run.

namespace sinew {

/// One step: the inputs of an integrator.
struct StepContext {
  const System& system;
  const StepOptions& options;
  const Controls& controls;
  double h;  ///< [s]
  State& state;
  Workspace& ws;

  /// Values of the controls at t, from data at the start of the step: valid until the next
  /// call of one of these.
  VecView controls_at(double t) const;
  /// The equations' view of (t, q, q̇) and of the internal state z, held or, γ > 0, of a stage.
  At at(double t, const VecX& q, const VecX& qdot, const VecX& z, double gamma = 0) const;
  /// The same, internal state held, with controls that depend on q and q̇: for explicit methods.
  At measured_at(double t, const VecX& q, const VecX& qdot, const VecX& z) const;
  /// The same at the state.
  At start() const { return at(state.t, state.q, state.qdot, state.z); }
};

StepReport semi_implicit_euler(const StepContext& s);
StepReport linearly_implicit_euler(const StepContext& s);
/// The same by conjugate gradients, without any matrix; linearly_implicit_euler calls it.
StepReport matrix_free_euler(const StepContext& s);
StepReport rk4(const StepContext& s);
/// step_dopri5 without its interpolant.
StepReport dopri5(const StepContext& s);
StepReport bdf1(const StepContext& s);
StepReport sdirk2(const StepContext& s);
StepReport sdirk4(const StepContext& s);
StepReport bdf2(const StepContext& s);
StepReport variational(const StepContext& s);
/// The same with constraints; variational calls it.
StepReport constrained_variational(const StepContext& s);

/// Drops a memory that does not belong to this integrator and exactly this state, then moves
/// rotation charts that have come near their edge. Memory that cannot be moved is dropped, too.
/// Before all that, parts may rearrange themselves for a step of length h: returns the energy
/// gained by this [J].
double prepare(const System& system, const StepOptions& options, double h, State& state,
               Workspace& ws);

/// Marks the memory as `integrator`'s and as belonging to the present state.
void seal(Integrator integrator, double h, State& state);

/// The first `count` stage vectors of the workspace, as long as q; allocates the first time only.
std::span<VecX> stages(const StepContext& s, size_t count);
/// The same as long as z.
std::span<VecX> internal_stages(const StepContext& s, size_t count);

/// Whether q and q̇ may become the state: finite, and no rate beyond 1e12. Otherwise the report is
/// diverged and names the worst coordinate.
bool is_sane(const VecX& q, const VecX& qdot, StepReport& report);

/// The last act of every step: q and q̇ at time t are made to satisfy the constraints (`directions`
/// as in project) and then may become the state, or the report tells why not.
bool finish(const StepContext& s, double t, Directions directions, VecX& q, VecX& qdot,
            StepReport& report);

/// They become the state, h later, and are left with what was there. What of z changes only at the
/// end of a step becomes what it is from here on.
void accept(const StepContext& s, VecX& q, VecX& qdot);
/// The last part of it.
void end_step(const StepContext& s);

/// The first time from `t` on at which a force or a control jumps; infinity if none does.
double next_jump(const StepContext& s, double t);
/// The last one up to `t`; minus infinity if there is none.
double last_jump(const StepContext& s, double t);

}  // namespace sinew

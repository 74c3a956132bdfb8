#pragma once

#include "sinew/integrate/step_common.hpp"

namespace sinew {

/// The workspace's Newton part, sized for the system.
Workspace::Newton& newton_workspace(const StepContext& s);

/// A = M + γ ∂g/∂q̇ + γ² ∂g/∂q from newton.at into newton.matrix, and its factors. False if A is
/// singular.
bool factor_newton_matrix(const System& system, double gamma, Workspace& ws);
/// With A = M.
bool factor_newton_mass(const System& system, Workspace& ws);

/// The largest of the forces that add up to g = M q̈ − f, against which g is small or not: M q̈, f,
/// and (at rest both vanish) the wrenches on links and at joints and the joint forces they are made
/// of, and the parts' own forces.
double force_scale(const System& system, const At& at, const VecX& qddot, const VecX& g,
                   const Workspace& ws);

/// Puts a failure into the report: diverged if x is not finite, otherwise `status`; the worst
/// coordinate is that of the largest |x|. Returns false.
bool fail(StepStatus status, const VecX& x, StepReport& report);

/// Relative residual at which a Newton iteration that no step length improves has converged: forces
/// may jump by this much (paths whose touch points are found by iteration), and the report shows
/// it.
constexpr double kStalledResidual = 1e-9;

/// One stage of an implicit method. BDF1, both stages of SDIRK2 and BDF2 all have this form:
///     q = c_q + γ q̇,   q̇ = c_v + γ q̈,   g = M(q) q̈ − f(t, q, q̇) + Gᵀλ = 0,
/// with the rows of constraints on velocity level, G q̇ + ∂g/∂t + implicit g = 0, or on that of
/// accelerations, G q̈ + bias = 0.
/// The unknowns are q̈ and λ: nothing is divided by γ, so no digits are lost at small steps.
/// Positions are left to the projection at the end of the step: imposed here they would cost SDIRK2
/// an order (docs/theory/constraints.md).
struct ImplicitStage {
  double t;
  double gamma;  ///< [s]
  const VecX& c_q;
  const VecX& c_v;
  const VecX& c_z;  ///< for the internal state, z = c_z + γ ż
  VecX& q;          ///< out
  VecX& qdot;       ///< out
  VecX& qddot;      ///< in: a guess; out: the solution
  /// Whether the stage before it, of the same step and with the same γ, left derivatives in the
  /// workspace that serve here, too.
  bool follows = false;
  /// Whether all rows are imposed on accelerations: velocities, too, are left to the projection.
  /// Imposed on velocities they limit any method to order two.
  bool by_accelerations = false;
};

/// Newton's method with the analytic derivative and a halving line search. Derivatives are kept as
/// long as the residual falls fast with them. Afterwards ws is updated at the solution, λ is in
/// ws.constraints. False if it fails, with the reason in the report; the report also counts
/// iterations and linearisations, and keeps the worst residual of the step's stages.
bool solve_stage(const StepContext& s, const ImplicitStage& stage, StepReport& report);

/// R of a saddle point: the rows' own G, or the one in ws.constraints.
enum class RowsOfStage { G, R };
/// Prepares solves with [A Gᵀ; R 0], A as factored and G the rows': leaves what ws.row_factors
/// says: factors in ws.stage_saddle, or W = A⁻¹Gᵀ and factors of R W in ws.constraints. False if
/// nothing is finite.
bool factor_saddle_point(const System& system, RowsOfStage rows, Workspace& ws);
/// [A Gᵀ; R 0] (x; μ) = (b; c). In: x = b; `rows` = c. Out: x, and `rows` = μ. Rows that depend on
/// each other are solved in the least-squares sense, judged in the metric of the diagonal of M.
void solve_saddle_point(VecX& x, VecX& rows, Workspace& ws);

}  // namespace sinew

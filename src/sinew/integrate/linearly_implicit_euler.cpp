#include "sinew/integrate/hill_stage.hpp"
#include "sinew/integrate/newton.hpp"
#include "sinew/integrate/step_common.hpp"
#include "sinew/integrate/unilateral_step.hpp"
#include "sinew/system/soft_equations.hpp"

// One Newton step of implicit Euler, from q̇₀ (000 Eq. 4.82, signs of the errata). With K = ∂f/∂q
// and D = ∂f/∂q̇ at the old state and the forces of the new time,
//     f(t₁, q₁, q̇₁) ≈ f + h K q̇₁ + D (q̇₁ − q̇₀),
//     (M − h D − h² K) q̇₁ = (M − h D) q̇₀ + h f,   q₁ = q₀ + h q̇₁.
// The residual g = M q̈ − f at q̈ = 0 has g = −f, ∂g/∂q = −K, ∂g/∂q̇ = −D. Solved for q̇₁ − q̇₀, which
// is smaller than q̇₁ and so keeps more digits.
//
// With constraints the rows of velocity level join in, (H Gᵀ; G 0): 000 Eqs. 4.102 and 4.109.
//
// A damping force −d q̇ enters f and D so that only its implicit part d q̇₁ is left: with the K and D
// of StiffnessModel::redmax this is exactly the reference's step, which has damping in D alone.

namespace sinew {

namespace {

/// Right-hand sides of the rows for δ = q̇₁ − q̇₀, and their matrix G, at (t₁, q₀). Rows of positions
/// and velocities shall hold at the end of the step, G(q₁) q̇₁ + ∂g/∂t = 0, and G(q₁) ≈ G + h Ġ. The
/// reference leaves h Ġ q̇₀ out: there G(q₀) q̇₀ = h Ġ q̇₀ is what the step before left behind, but a
/// projection removes that. Acceleration rows: G q̇₁ = G q̇₀ − h bias (000 Eq. 4.110).
void prepare_rows(const System& system, const StepOptions& options, double h, const State& state,
                  Workspace& ws) {
  ConstraintWorkspace& c = *ws.constraints;
  update_constraints(system, state.t + h, state.q, state.qdot, ws);
  const ConstraintRows& rows = c.rows;
  c.R = rows.Gt.transpose();
  for (int r = 0; r < rows.size(); ++r) {
    if (!c.holding[static_cast<size_t>(r)]) {
      c.lambda[r] = -h * rows.bias[r];
      continue;
    }
    c.lambda[r] =
        -rows.rate[r] - options.baumgarte.implicit * rows.value[r] - rows.Gt.col(r).dot(state.qdot);
    if (options.projection) c.lambda[r] -= h * rows.Gdot_qdot[r];
  }
}

/// The matrix by which impulses change velocities: the symmetric part of H, so that the impulses
/// are those of a minimum; M where it is not positive definite. Either is H but for O(h).
const MatX& impulse_matrix(const Workspace::Newton& newton, Workspace& ws) {
  UnilateralWorkspace& u = *ws.unilateral;
  u.H = 0.5 * (newton.H + newton.H.transpose());
  return u.ldlt.factor(u.H) ? u.H : newton.at.M;
}

}  // namespace

StepReport linearly_implicit_euler(const System& system, const StepOptions& options, double h,
                                   State& state, Workspace& ws) {
  if (options.solver == LinearSolver::conjugate_gradient)
    return matrix_free_euler(system, options, h, state, ws);
  const std::span<VecX> stage = stages(system, 4, ws);
  VecX &q = stage[0], &qdot = stage[1], &qddot = stage[2], &g = stage[3];
  Workspace::Newton& newton = newton_workspace(system, ws);
  StepReport report;
  report.h = h;

  qddot.setZero();
  begin_hill_stage(system, state, state.t + h, h, state.fibre_length, ws);
  linearize(system, state.t + h, state.q, state.qdot, qddot, options.jacobian, ws, g, newton.at);
  report.work = report.one_sided_work = h * ws.forces.power;
  if (!factor_newton_matrix(system, h, ws)) {
    fail(StepStatus::singular, g, report);
    return report;
  }
  qdot = -h * g;
  if (ws.soft) {
    const Eigen::Index n = newton.H.rows();
    qdot.head(n).noalias() -= (h * h) * newton.at.dg_dq.lazyProduct(state.qdot.head(n));
    add_soft_stiffness_times(system, h * h, state.qdot, *ws.soft, qdot);
  } else {
    qdot.noalias() -= (h * h) * newton.at.dg_dq * state.qdot;
  }
  if (ws.constraints) {
    ConstraintWorkspace& c = *ws.constraints;
    prepare_rows(system, options, h, state, ws);
    if (!solve_saddle_point(qdot, c.lambda, ws)) {
      fail(StepStatus::singular, g, report);
      return report;
    }
    c.lambda /= h;  // from impulses to forces
  } else {
    solve_newton_matrix(ws, qdot);
  }
  qdot += state.qdot;
  if (ws.unilateral &&
      !add_impulses(system, options, h, state, impulse_matrix(newton, ws), qdot, ws, report))
    return report;
  q = state.q + h * qdot;
  if (ws.constraints)
    report.work += h * reaction_power(system.constraints(), qdot, ws.constraints->rows,
                                      ws.constraints->lambda);
  if (!finish(system, options, state.t + h, Directions::borrowed, q, qdot, ws, report))
    return report;
  if (ws.hill) {  // fibres at the new path lengths
    update(system, state.t + h, q, qdot, ws);
    accept_muscles(ws, state);
  }
  state.q = q;
  state.qdot = qdot;
  state.t += h;
  return report;
}

}  // namespace sinew

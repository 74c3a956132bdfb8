#include "sinew/integrate/internal_stage.hpp"
#include "sinew/integrate/newton.hpp"
#include "sinew/integrate/unilateral_step.hpp"

// One Newton step of implicit Euler, from q̇₀ (Wang 2022 Eq. 4.82, signs corrected). With K = ∂f/∂q
// and D = ∂f/∂q̇ at the old state and the forces of the new time,
//     f(t₁, q₁, q̇₁) ≈ f + h K q̇₁ + D (q̇₁ − q̇₀),
//     (M − h D − h² K) q̇₁ = (M − h D) q̇₀ + h f,   q₁ = q₀ + h q̇₁.
// The residual g = M q̈ − f at q̈ = 0 has g = −f, ∂g/∂q = −K, ∂g/∂q̇ = −D. Solved for q̇₁ − q̇₀, which
// is smaller than q̇₁ and so keeps more digits.
//
// With constraints the rows of velocity level join in, (H Gᵀ; G 0): Wang 2022 Eqs. 4.102 and 4.109.
//
// A damping force −d q̇ enters f and D so that only its implicit part d q̇₁ is left: with the K and D
// of StiffnessModel::redmax this is exactly the reference's step, which has damping in D alone.

namespace sinew {

namespace {

/// G and the right-hand sides of the rows for δ = q̇₁ − q̇₀ at (t₁, q₀). Rows of positions
/// and velocities shall hold at the end of the step, G(q₁) q̇₁ + ∂g/∂t = 0, and G(q₁) ≈ G + h Ġ. The
/// reference leaves h Ġ q̇₀ out: there G(q₀) q̇₀ = h Ġ q̇₀ is what the step before left behind, but a
/// projection removes that. Acceleration rows: G q̇₁ = G q̇₀ − h bias (Wang 2022 Eq. 4.110). Where
/// time drives coordinates, Ġ q̇₀ has a part from time alone, which is in the rates at t₁ already.
void prepare_rows(const StepContext& s) {
  const StepOptions& options = s.options;
  const State& state = s.state;
  const double h = s.h;
  ConstraintWorkspace& c = s.ws.constraints;
  update_constraints(s.system, {state.t + h, state.q, state.qdot}, s.ws);
  const ConstraintRows& rows = c.rows;
  const bool drives = s.ws.border->drives() && options.jacobian == StiffnessModel::exact;
  if (drives) {
    size_dense(c);
    row_rate_derivatives(s.system, s.ws, c.R);
  }
  for (int r = 0; r < rows.size(); ++r) {
    const double along = drives ? c.R.row(r).dot(state.qdot) : rows.Gdot_qdot[r];
    if (!c.holding[static_cast<size_t>(r)]) {
      c.lambda[r] = -h * rows.bias[r];
      continue;
    }
    c.lambda[r] =
        -rows.rate[r] - options.baumgarte.implicit * rows.value[r] - rows.dot(r, state.qdot.data());
    if (options.projection) c.lambda[r] -= h * along;
  }
}

}  // namespace

StepReport linearly_implicit_euler(const StepContext& s) {
  if (s.options.solver == LinearSolver::conjugate_gradient) return matrix_free_euler(s);
  const std::span<VecX> stage = stages(s, 4);
  VecX &q = stage[0], &qdot = stage[1], &qddot = stage[2], &g = stage[3];
  VecX& z = internal_stages(s, 1)[0];
  Workspace::Newton& newton = newton_workspace(s);
  const System& system = s.system;
  State& state = s.state;
  Workspace& ws = s.ws;
  const double h = s.h, t = state.t + h;
  StepReport report;
  report.h = h;

  qddot.setZero();
  z = state.z;
  advance_internal(s, t, z);
  linearize(system, s.at(t, state.q, state.qdot, z, h), qddot, s.options.jacobian, ws, g,
            newton.at);
  report.work = h * ws.forces.power;
  report.one_sided_work = report.work - h * ws.drive_power;
  if (!factor_newton_matrix(system, h, ws)) {
    fail(StepStatus::singular, g, report);
    return report;
  }
  qdot = -h * g;
  add_product(system.nodes(), newton.at.dg_dq, newton.at.dg_dq_nodes, -h * h, state.qdot, qdot);
  ConstraintWorkspace& c = ws.constraints;
  prepare_rows(s);
  if (!factor_saddle_point(system, RowsOfStage::G, ws)) {
    fail(StepStatus::singular, g, report);
    return report;
  }
  solve_saddle_point(qdot, c.lambda, ws);
  c.lambda /= h;  // from impulses to forces
  if (ws.border->drives()) report.work += ws.border->drive_power(view(qdot));
  qdot += state.qdot;
  if (!add_impulses(s, qdot, report, [] { return true; })) return report;
  q = state.q + h * qdot;
  report.work += h * reaction_power(system.constraints(), view(qdot), c.rows, view(c.lambda));
  if (!finish(s, t, Directions::borrowed, q, qdot, report)) return report;
  follow_path(s, t, q, qdot, z);
  state.z = z;
  accept(s, q, qdot);
  return report;
}

}  // namespace sinew

#include <algorithm>
#include <cmath>
#include <limits>

#include "sinew/integrate/internal_stage.hpp"
#include "sinew/integrate/newton.hpp"

// The variational step (variational.cpp) between two impulses of the constraints, as in RATTLE: μ₀
// at the start so that positions hold at the end, μ₁ at the end so that velocities do. With W =
// M⁻¹Gᵀ at either end,
//     q̇₀⁺ = q̇₀ − W₀ μ₀,   q₁ = q₀ + (h/2) (q̇₀⁺ + q̇₁⁻),   g(t₁, q₁) = 0,
//     p(q₁, q̇₁⁻) − (h/2) L_q(t₁, q₁, q̇₁⁻) = p(q₀, q̇₀⁺) + (h/2) L_q(t₀, q₀, q̇₀⁺),
//     q̇₁ = q̇₁⁻ − W₁ μ₁,   G₁ q̇₁ + ∂g/∂t = 0.
// Symmetric, so that the energy error stays bounded, and of second order; both laws of the
// constraints hold after every step. Rows on velocity level hold on average over the two inner
// velocities, ½ (G₀ q̇₀⁺ + G₁ q̇₁⁻ + rates) = 0, rows on acceleration level likewise towards y₁ = y₀
// + (h/2) (a₀ + a₁), y = G q̇.
//
// Solved as there, with the matrix M alone: the part of the rows c that the corrections δ = M⁻¹
// (residual) leave is met by (G₁ W₀) δμ₀ = c + ½ G₁ δ. Where forces are too stiff for that, with
// M + (h/2) ∂g/∂q̇ + (h²/4) ∂g/∂q in place of M.

namespace sinew {
namespace {

constexpr int kRattleIterations = 30;
constexpr int kRattleStiffIterations = 60;
constexpr double kRattleTolerance = 1e-11;  // relative to the speeds, on the remaining correction

/// The data of the iteration. Vectors are stages of the workspace.
struct RattleUnknowns {
  const StepContext& step;
  double h;
  const State& state;
  VecX &q, &qdot;             // q₁ and q̇₁⁻
  VecX& qdot_plus;            // q̇₀⁺
  VecX &p, &L_q, &b, &delta;  // momentum side
  VecX& z;                    // start of the stage of the internal state
  VecX &mu, &rate_0, &target;  // rows: μ₀; rates at t₀; y₁ of acceleration rows, else −rate₁
  MatX &G_0, &W_0;             // rows × n; n × rows
};

/// Residuals of the momentum equation, as M⁻¹ times it (or with lu in place of M), and of the rows.
void evaluate(const RattleUnknowns& x, bool stiff, bool factor, Workspace& ws, VecX& rows_left) {
  ConstraintWorkspace& c = ws.constraints;
  const double t_1 = x.state.t + x.h;
  x.qdot_plus = x.state.qdot;
  x.qdot_plus.noalias() -= x.W_0 * x.mu;
  momentum_and_force(x.step.system, x.step.at(x.state.t, x.state.q, x.qdot_plus, x.state.z), ws,
                     x.p, x.L_q);
  x.b = x.p + (x.h / 2) * x.L_q;
  x.q = x.state.q + (x.h / 2) * (x.qdot_plus + x.qdot);
  const At end = x.step.at(t_1, x.q, x.qdot, x.z, x.h / 2);
  if (stiff) {
    Workspace::Newton& newton = ws.newton;
    newton.trial = (x.qdot - x.qdot_plus) / x.h;
    linearize(x.step.system, end, newton.trial, StiffnessModel::exact, ws, newton.g, newton.at);
    const bool factored = factor_newton_matrix(x.step.system, x.h / 2, ws);
    momentum_and_force(x.step.system, end, ws, x.p, x.L_q);
    x.delta = x.b - x.p + (x.h / 2) * x.L_q;
    if (factored)
      newton.matrix.solve_in_place(x.delta);
    else
      x.delta.setConstant(std::numeric_limits<double>::quiet_NaN());
  } else {
    momentum_correction(x.step.system, end, x.b, x.h / 2, factor, ws, x.L_q, x.delta);
  }
  update_constraints(x.step.system, end, ws);
  for (int r = 0; r < c.rows.size(); ++r) {
    const auto rr = static_cast<size_t>(r);
    const double y_0 = x.G_0.row(r).dot(x.qdot_plus), y_1 = c.rows.Gt().col(r).dot(x.qdot);
    x.target[r] = -c.rows.rate[r];
    if (c.position[rr]) {
      rows_left[r] = c.rows.value[r] / x.h;
    } else if (c.holding[rr]) {
      rows_left[r] = 0.5 * (y_0 + x.rate_0[r] + y_1 + c.rows.rate[r]);
    } else {
      const double before = x.G_0.row(r).dot(x.state.qdot);
      x.target[r] = before - x.h / 2 * (x.rate_0[r] + c.rows.rate[r]);
      if (ws.border->drives()) x.target[r] -= ws.border->drift_rate(c.rows, r);
      rows_left[r] = 0.5 * (y_0 + y_1 - before - x.target[r]);
    }
  }
}

/// Response of q̇₁⁻ to −δμ₀, n × rows: as q̇₀⁺ does, except for the effect of stiff forces.
const MatX& response(const RattleUnknowns& x, bool stiff, Workspace& ws) {
  ConstraintWorkspace& c = ws.constraints;
  if (!stiff) return x.W_0;
  c.W = x.G_0.transpose();
  for (Eigen::Index r = 0; r < c.W.cols(); ++r) ws.newton.matrix.solve_in_place(c.W.col(r));
  return c.W;
}

/// δμ₀ from the rows' residuals; false if nothing is finite.
bool solve_rows(const RattleUnknowns& x, const MatX& V, VecX& rows, Workspace& ws) {
  ConstraintWorkspace& c = ws.constraints;
  rows.noalias() += 0.5 * (c.rows.Gt().transpose() * x.delta);
  c.S.noalias() = 0.5 * (c.rows.Gt().transpose() * x.W_0);
  c.S.noalias() += 0.5 * (c.rows.Gt().transpose() * V);
  if (!c.solver.factor(c.S, c.active, false)) {
    c.gram.noalias() = x.G_0 * x.W_0;
    if (!c.solver.factor_dependent(c.S, c.gram, c.active, false)) return false;
  }
  c.solver.solve_in_place(rows);
  return true;
}

bool iterate(const RattleUnknowns& x, bool stiff, Workspace& ws, StepReport& report) {
  ConstraintWorkspace& c = ws.constraints;
  const double floor = std::numeric_limits<double>::epsilon() *
                       std::max(1.0, x.state.q.lpNorm<Eigen::Infinity>()) / std::abs(x.h);
  double last = 0;
  for (int k = 0; k < (stiff ? kRattleStiffIterations : kRattleIterations); ++k) {
    evaluate(x, stiff, k == 0, ws, c.delta);
    const MatX& V = response(x, stiff, ws);
    if (!x.delta.allFinite() || !solve_rows(x, V, c.delta, ws)) return false;
    x.mu += c.delta;
    x.delta.noalias() -= V * c.delta;
    x.qdot += x.delta;
    ++report.newton_iterations;
    x.p.noalias() = x.W_0 * c.delta;  // change of q̇₀⁺
    const double size = x.delta.lpNorm<Eigen::Infinity>() + x.p.lpNorm<Eigen::Infinity>();
    const double contraction = last > 0 ? std::min(size / last, 1.0) : 1;
    const double speed = x.qdot.lpNorm<Eigen::Infinity>();
    report.newton_residual = speed > 0 ? size * contraction / speed : 0;
    if (size * contraction <= std::max(kRattleTolerance * speed, floor)) return true;
    if (last > 0 && !(size < 2 * last)) return false;
    last = size;
  }
  return false;
}

}  // namespace

StepReport constrained_variational(const StepContext& s) {
  const System& system = s.system;
  State& state = s.state;
  Workspace& ws = s.ws;
  const double h = s.h;
  ConstraintWorkspace& c = ws.constraints;
  const std::span<VecX> stage = stages(s, 7);
  newton_workspace(s);
  StepReport report;
  report.h = h;

  // Accelerations and multipliers at the start: the guess, and W₀ with them.
  VecX& qddot = stage[6];
  VecX& c_z = internal_stages(s, 1)[0];
  const At start = s.start();
  forward_dynamics(system, start, ws, qddot);
  if (ws.saddle() != nullptr) update_directions(system, ws);  // it needs W itself
  begin_trapezoid(s, &start, c_z);
  c.R = c.rows.Gt().transpose();
  c.residual = c.rows.rate;
  const bool drives = ws.border->drives();
  const double drive_0 = drives ? ws.drive_power : 0;
  // y = G q̇ + what drives add, of acceleration rows: that at the start is kept with their rates.
  for (int r = 0; r < c.rows.size() && drives; ++r)
    if (!c.holding[static_cast<size_t>(r)])
      c.residual[r] -= 2 / h * ws.border->drift_rate(c.rows, r);
  c.start = c.W;
  const VecX& lambda_0 = c.lambda;
  c.trial = (h / 2) * lambda_0;
  const RattleUnknowns x{s,          h,        state,    stage[0], stage[1], stage[2],
                         stage[3],   stage[4], stage[5], stage[6], c_z,      c.trial,
                         c.residual, c.rhs,    c.R,      c.start};
  x.qdot = state.qdot + h * qddot;
  x.qdot.noalias() += x.W_0 * x.mu;
  if (!iterate(x, false, ws, report)) {
    x.mu.setZero();
    x.qdot = state.qdot;
    if (!iterate(x, true, ws, report)) {
      fail(StepStatus::newton_failed, x.delta, report);
      return report;
    }
  }

  // At the solution: forces at both ends for their work, then the impulse at the end.
  const VecX& mu_0 = x.mu;
  evaluate(x, false, true, ws, c.delta);
  report.work = h / 2 * ws.forces.power;
  update_directions(system, ws);
  c.delta = -x.target;
  c.delta.noalias() += c.rows.Gt().transpose() * x.qdot;
  c.rhs.swap(c.delta);
  solve_multipliers(c);
  x.qdot.noalias() -= c.W * c.lambda;
  report.work += reaction_power(system.constraints(), view(x.qdot), c.rows, view(c.lambda));
  c.lambda *= 2 / h;
  update_forces(system, s.at(state.t, state.q, x.qdot_plus, state.z), ws);
  report.work += h / 2 * ws.forces.power;
  for (int r = 0; r < c.rows.size(); ++r)
    report.work += c.holding[static_cast<size_t>(r)] ? mu_0[r] * x.rate_0[r]
                                                     : -mu_0[r] * x.G_0.row(r).dot(state.qdot);
  if (!finish(s, state.t + h, Directions::borrowed, x.q, x.qdot, report)) return report;
  if (drives) {
    c.trial = c.lambda;
    forward_dynamics(system, s.at(state.t + h, x.q, x.qdot, c_z, h / 2), ws, x.delta);
    report.work += h / 2 * (drive_0 + ws.drive_power);
    c.lambda = c.trial;
  }
  end_trapezoid(s, c_z, x.q, x.qdot);
  accept(s, x.q, x.qdot);
  return report;
}

}  // namespace sinew

#include "sinew/integrate/newton.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "sinew/system/soft_equations.hpp"

namespace sinew {
namespace {

constexpr double kEps = std::numeric_limits<double>::epsilon();
constexpr int kHalvings = 20;

void evaluate(const System& system, const At& at, const ImplicitStage& stage, const VecX& qddot,
              Workspace& ws, VecX& g) {
  stage.qdot = stage.c_v + stage.gamma * qddot;
  stage.q = stage.c_q + stage.gamma * stage.qdot;
  inverse_dynamics(system, at, qddot, ws, g);
}

/// Σ g², of systems with vertices Σ g²/M_kk: their masses differ from those of bodies by orders of
/// magnitude.
double merit(const Workspace& ws) {
  const Workspace::Newton& newton = ws.newton;
  if (!ws.soft) return newton.g.squaredNorm();
  return newton.g.cwiseAbs2().cwiseQuotient(newton.diagonal).sum();
}

/// Moves q̈ along the correction by 1, ½, ¼ … until |g| falls. False if it never does; q̈ is then as
/// it was. Leaves q, q̇, g and ws at that q̈.
bool line_search(const System& system, const At& at, const ImplicitStage& stage,
                 Workspace::Newton& newton, Workspace& ws) {
  const double before = merit(ws);
  double length = 1;
  for (int k = 0; k <= kHalvings; ++k, length /= 2) {
    newton.trial = stage.qddot + length * newton.delta;
    evaluate(system, at, stage, newton.trial, ws, newton.g);
    if (merit(ws) < before) {
      stage.qddot = newton.trial;
      return true;
    }
  }
  evaluate(system, at, stage, stage.qddot, ws, newton.g);
  return false;
}

}  // namespace

Workspace::Newton& newton_workspace(const StepContext& s) {
  Workspace& ws = s.ws;
  const auto n = static_cast<Eigen::Index>(s.system.coordinates().size());
  ws.newton.H.resize(n, n);
  for (VecX* x : {&ws.newton.g, &ws.newton.delta, &ws.newton.trial, &ws.newton.diagonal})
    x->resize(s.system.dof_count());
  return ws.newton;
}

bool factor_newton_matrix(const System& system, double gamma, Workspace& ws) {
  Workspace::Newton& newton = ws.newton;
  newton.H = newton.at.M + gamma * newton.at.dg_dqdot + (gamma * gamma) * newton.at.dg_dq;
  const Eigen::Index n = newton.H.rows();
  newton.diagonal.head(n) = newton.at.M.diagonal();
  for (Eigen::Index k = n; k < newton.diagonal.size(); ++k)
    newton.diagonal[k] = system.soft()->mass[(k - n) / 3];
  if (ws.soft && !factor_soft(system, gamma, newton.H, *ws.soft)) return false;
  return newton.lu.factor(newton.H);
}

void solve_newton_matrix(Workspace& ws, VecRef x) {
  if (ws.soft)
    solve_soft(ws.newton.lu, *ws.soft, x);
  else
    ws.newton.lu.solve_in_place(x);
}

double force_scale(const System& system, const Workspace& ws, const Linearization& at,
                   const VecX& qddot, const VecX& g) {
  double scale = ws.soft ? vertex_force_scale(system, qddot, ws.forces, *ws.soft) : 0;
  for (Eigen::Index k = 0; k < at.M.rows(); ++k) {
    double inertial = 0, sum = 0;
    for (Eigen::Index j = 0; j < at.M.cols(); ++j) {
      const double term = at.M(k, j) * qddot[j];
      inertial += std::abs(term);
      sum += term;
    }
    scale = std::max({scale, inertial, std::abs(sum - g[k])});
  }
  for (int k = 0; k < system.skeleton().dof_count(); ++k) {
    const auto link = static_cast<size_t>(system.skeleton().link_of_dof(k));
    const double wrench = ws.skeleton.s[static_cast<size_t>(k)].norm() *
                          (ws.skeleton.F[link].norm() + ws.forces.wrench[link].norm());
    scale = std::max({scale, wrench, std::abs(ws.forces.tau[k])});
  }
  return scale;
}

bool fail(StepStatus status, const VecX& x, StepReport& report) {
  Eigen::Index worst = 0;
  for (Eigen::Index k = 0; k < x.size(); ++k) {
    if (std::isnan(x[worst])) break;
    if (!(std::abs(x[k]) <= std::abs(x[worst]))) worst = k;
  }
  report.status = x.allFinite() ? status : StepStatus::diverged;
  report.worst_dof = static_cast<int>(worst);
  return false;
}

bool solve_stage(const StepContext& s, const ImplicitStage& stage, StepReport& report) {
  if (s.ws.constraints) return solve_constrained_stage(s, stage, report);
  const System& system = s.system;
  const StepOptions& options = s.options;
  Workspace& ws = s.ws;
  Workspace::Newton& newton = newton_workspace(s);
  const double gamma = stage.gamma;
  stage.qdot = stage.c_v + gamma * stage.qddot;
  stage.q = stage.c_q + gamma * stage.qdot;
  const At at = s.at(stage.t, stage.q, stage.qdot, stage.c_z, gamma);
  for (int iteration = 0;; ++iteration) {
    linearize(system, at, stage.qddot, StiffnessModel::exact, ws, newton.g, newton.at);
    if (!newton.g.allFinite()) return fail(StepStatus::diverged, newton.g, report);
    const double scale = force_scale(system, ws, newton.at, stage.qddot, newton.g);
    const auto residual = [&] {
      const double g = newton.g.lpNorm<Eigen::Infinity>();
      return g > 0 ? g / scale : 0;
    };
    const auto small_enough = [&] {
      return options.newton_residual > 0 ? gamma * gamma * newton.g.norm() < options.newton_residual
                                         : residual() <= options.newton_tolerance;
    };
    const auto converged = [&] {
      report.newton_residual = std::max(report.newton_residual, residual());
      return true;
    };
    if (small_enough()) return converged();
    if (iteration == options.newton_iterations)
      return fail(StepStatus::newton_failed, newton.g, report);

    if (!factor_newton_matrix(system, gamma, ws))
      return fail(StepStatus::singular, newton.g, report);
    newton.delta = -newton.g;
    solve_newton_matrix(ws, newton.delta);
    ++report.newton_iterations;
    if (!line_search(system, at, stage, newton, ws)) {
      // Stalled. That is the rounding floor if the correction is too small to move q, and a force
      // that jumps a little, as along a path that touches down, if hardly any is left; else a
      // failure.
      const double move = gamma * gamma * newton.delta.lpNorm<Eigen::Infinity>();
      if (move <= 4 * kEps * std::max(1.0, stage.q.lpNorm<Eigen::Infinity>()) ||
          residual() <= kStalledResidual)
        return converged();
      return fail(StepStatus::newton_failed, newton.g, report);
    }
    if (small_enough()) return converged();
  }
}

}  // namespace sinew

#include "sinew/analysis/rest.hpp"

#include <algorithm>
#include <cmath>

#include "sinew/core/error.hpp"

namespace sinew {
namespace {

constexpr int kMostIterations = 2000;
// Forces below this share of the largest at the start are rounding.
constexpr double kNoForce = 1e-13;
constexpr double kFirstStep = 1e-2, kLongestStep = 1e6;  // [s]

}  // namespace

RestReport find_rest(const System& system, State& state, Workspace& ws) {
  if (!system.constraints().empty() || !system.unilaterals().empty())
    throw Error("system", "has constraints, limits or contacts: its rest cannot be searched yet",
                "simulate it with damping until it rests");
  state.qdot.setZero();
  state.memory = {};
  const VecX still = VecX::Zero(system.dof_count());
  VecX g(system.dof_count()), step;
  Linearization at;
  NodeMatrix A(system.nodes());
  State trial = state;
  RestReport report;
  linearize(system, state, still, StiffnessModel::exact, ws, g, at);
  report.residual = g.lpNorm<Eigen::Infinity>();
  const double goal = kNoForce * std::max(report.residual, 1.0);
  double gamma = kFirstStep;
  for (; report.residual > goal && report.iterations < kMostIterations; ++report.iterations) {
    assemble_stage_matrix(system, at, gamma, A);
    step = -gamma * gamma * g;
    const bool solved = A.factor();
    if (solved) A.solve_in_place(step);
    trial.q = state.q + step;
    bool better = solved && trial.q.allFinite();
    if (better) {
      // Downhill: the forces where it goes do not drive it back with more than they pulled.
      linearize(system, trial, still, StiffnessModel::exact, ws, g, at);
      const double residual = g.lpNorm<Eigen::Infinity>();
      better = std::isfinite(residual) && residual < 2 * report.residual;
      if (better) {
        const bool falls = residual < report.residual;
        gamma = std::min(falls ? 2 * gamma : 0.7 * gamma, kLongestStep);
        state.q = trial.q;
        report.residual = residual;
        // Newton's steps gain no more at rounding.
        if (falls && step.lpNorm<Eigen::Infinity>() <= 1e-15 * state.q.lpNorm<Eigen::Infinity>())
          break;
        continue;
      }
    }
    gamma *= 0.25;
    linearize(system, state, still, StiffnessModel::exact, ws, g, at);
  }
  // Rounding of stiff forces: what is left moves nothing.
  report.found = report.residual <= 1e-9 * std::max(1.0, goal / kNoForce);
  return report;
}

}  // namespace sinew

#include "sinew/math/lq_solver.hpp"

#include <algorithm>
#include <cmath>

namespace sinew {
namespace {

/// Complementarity at which the interior-point method is first believed, and the last.
constexpr double kCoarse = 1e-8, kFine = 1e-17;
constexpr int kRounds = 8;
/// Rounding of unknowns and multipliers, relative to the largest of their kind.
constexpr double kSound = 1e-11;
constexpr double kSmallest = 1e-15;  // of an unknown that would be seen beside one
/// Weight of states at their bounds, in units of their stiffness, and steps that this takes.
constexpr double kStiffer = 1e3, kHeavier = 100;
constexpr int kMultiplierSteps = 8, kAttempts = 4;
/// How close to their bounds they come, in parts of the largest unknown.
constexpr double kAtBound = 1e-13;

/// Of a state that was not at this bound before, as large as that of any entry like it.
double stiffness(const LqActiveSet& active, size_t stage, Eigen::Index entry) {
  double out = active.stiffness[stage][entry];
  if (out > 0) return out;
  for (const VecX& all : active.stiffness)
    if (all.size() == active.stiffness[stage].size()) out = std::max(out, all[entry]);
  return out;
}

}  // namespace

bool LqSolver::solve(const LqProblem& problem, LqSolution& out, const LqActiveSet* guess) {
  out.recursions = 0;
  out.converged = true;
  if (guess) {
    out.active = *guess;
    if (settle(problem, out)) return true;
  }
  if (!interior_.start(problem)) return false;
  bool settled = false;
  for (double part = kCoarse; !settled && part > kFine; part *= 1e-3) {
    out.converged = interior_.within_bounds() || interior_.iterate(part);
    out.active = interior_.active();
    settled = out.converged && settle(problem, out);
    if (!out.converged) break;
  }
  if (!settled) {
    v_ = interior_.v();
    multipliers_ = interior_.multipliers();
    held_ = held_by_equal_bounds(problem);
    finish(problem, out);
  }
  out.recursions += interior_.recursions();
  return true;
}

bool LqSolver::settle(const LqProblem& problem, LqSolution& out) {
  for (int round = 0; round < kRounds; ++round) {
    if (!solve_equalities(problem, out)) return false;
    finish(problem, out);
    if (revise(problem, out)) return true;
  }
  return false;
}

// Controls and x_0 are held at their bounds. States at theirs take a few steps of the method of
// multipliers (Hestenes 1969), with weights that are large, but far from those that rounding would
// be seen through; they grow if the steps converge slowly. Beyond a bound, the multiplier is the
// price.
bool LqSolver::solve_equalities(const LqProblem& problem, LqSolution& out) {
  if (!place_active(problem, out.active)) return false;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    ++out.recursions;
    recursion_.factor(problem, weights_, held_);
    for (int step = 0; step < kMultiplierSteps; ++step) {
      gradient_ = multipliers_;
      for (const AtBound& at : states_) gradient_[at.stage][at.entry] -= at.weight * at.bound;
      if (!recursion_.solve(gradient_, v_)) return false;
      double error = 0, size = 0;
      for (const AtBound& at : states_) {
        const double off = v_[at.stage][at.entry] - at.bound;
        multipliers_[at.stage][at.entry] += at.weight * off;
        error = std::max(error, std::abs(off));
      }
      for (const VecX& v : v_) size = std::max(size, v.size() > 0 ? v.cwiseAbs().maxCoeff() : 0);
      if (error <= kAtBound * size) return true;
    }
    for (AtBound& at : states_) {
      weights_[at.stage][at.entry] += (kHeavier - 1) * at.weight;
      at.weight *= kHeavier;
      out.active.stiffness[at.stage][at.entry] = at.weight / kStiffer;
    }
  }
  return false;
}

bool LqSolver::place_active(const LqProblem& problem, const LqActiveSet& active) {
  states_.clear();
  held_ = held_by_equal_bounds(problem);
  weights_.resize(problem.stages.size());
  multipliers_.resize(problem.stages.size());
  for (size_t k = 0; k < problem.stages.size(); ++k) {
    const LqStage& stage = problem.stages[k];
    weights_[k] = stage_unknowns(stage.u_weights, stage.x_weights);
    multipliers_[k].setZero(weights_[k].size());
    for (Index j = 0; j < weights_[k].size(); ++j) {
      const int at = active.at[k][j];
      if (at == 0) continue;
      const double bound = stage.bound(j, at);
      if (j < stage.u_size() || k == 0) {
        held_[k][j] = bound;
      } else if (std::abs(at) == 2) {
        multipliers_[k][j] = at > 0 ? problem.price : -problem.price;
      } else {
        const double weight = kStiffer * stiffness(active, k, j);
        if (!(weight > 0)) return false;
        weights_[k][j] += weight;
        states_.push_back({k, j, bound, weight});
      }
    }
  }
  return true;
}

bool LqSolver::revise(const LqProblem& problem, LqSolution& out) const {
  double length = kSmallest, force = 0;
  for (size_t k = 0; k < v_.size(); ++k) {
    for (const double entry : v_[k]) length = std::max(length, kSound * std::abs(entry));
    for (const VecX* all : {&out.u_multipliers[k], &out.x_multipliers[k]})
      for (const double entry : *all) force = std::max(force, kSound * std::abs(entry));
  }
  bool stays = true;
  for (size_t k = 0; k < v_.size(); ++k) {
    const LqStage& stage = problem.stages[k];
    const VecX z = stage_unknowns(out.u_multipliers[k], out.x_multipliers[k]);
    for (Index j = 0; j < z.size(); ++j) {
      const bool soft = k > 0 && j >= stage.u_size();
      const double lower = stage.bound(j, -1), upper = stage.bound(j, 1), v = v_[k][j];
      int& at = out.active.at[k][j];
      const int before = at;
      const double push = at < 0 ? -z[j] : z[j];
      if (at == 0) {
        at = v > upper + length ? 1 : v < lower - length ? -1 : 0;
      } else if (std::abs(at) == 2) {
        if ((at > 0 && v < upper - length) || (at < 0 && v > lower + length)) at /= 2;
      } else if (lower == upper && push < 0) {
        at = -at;
      } else if (push < -force) {
        at = 0;
      }
      if (soft && std::abs(at) == 1 && std::abs(z[j]) > problem.price + force) at *= 2;
      stays = stays && (at == before || (lower == upper && std::abs(at) == 1 && before != 0));
    }
  }
  return stays;
}

void LqSolver::finish(const LqProblem& problem, LqSolution& out) const {
  const size_t stages = v_.size();
  for (auto* all : {&out.x, &out.u, &out.multipliers, &out.x_multipliers, &out.u_multipliers})
    all->resize(stages);
  for (size_t k = stages; k-- > 0;) {
    const LqStage& stage = problem.stages[k];
    const Index nu = stage.u_size(), nx = stage.x_size();
    out.u[k] = v_[k].head(nu);
    out.x[k] = v_[k].tail(nx);
    const VecX r = stage.r + stage.Rs * out.x[k] + stage.Ru * out.u[k];
    VecX by_x = stage.Rs.transpose() * r + stage.x_weights.cwiseProduct(out.x[k]);
    VecX by_u = stage.Ru.transpose() * r + stage.u_weights.cwiseProduct(out.u[k]);
    if (k + 1 < stages) {
      by_x += stage.A.transpose() * out.multipliers[k + 1];
      by_u += stage.B.transpose() * out.multipliers[k + 1];
    }
    // The multiplier of what is held balances the cost.
    const auto balance = [&](const auto& held, const auto& z, const VecX& by) -> VecX {
      return held.array().isNaN().select(z, -by);
    };
    out.u_multipliers[k] = balance(held_[k].head(nu), multipliers_[k].head(nu), by_u);
    out.x_multipliers[k] = balance(held_[k].tail(nx), multipliers_[k].tail(nx), by_x);
    out.multipliers[k] = by_x + out.x_multipliers[k];
  }
}

}  // namespace sinew

#pragma once

#include <vector>

#include "sinew/math/bounds.hpp"

namespace sinew {

/// Derivatives of the end F(s, u) of a stage and of its residuals r(s, u).
struct StageJacobians {
  MatX A, B;    ///< ∂F/∂s, ∂F/∂u
  MatX Rs, Ru;  ///< ∂r/∂s, ∂r/∂u
};

/// Stage k of a linear-quadratic problem: cost ½|Rs x + Ru u + r|² + ½ Σ w_x x² + ½ Σ w_u u² and
/// x_{k+1} = A x + B u + c, within bounds. The last stage has no u, A, B and c.
struct LqStage : StageJacobians {
  VecX c, r;
  VecX x_weights, u_weights;  ///< w, none negative; positive for states with bounds
  Bounds x, u;

  Eigen::Index x_size() const { return x_weights.size(); }
  Eigen::Index u_size() const { return u_weights.size(); }
  /// Of entry j of v = (u; x), the upper one for a positive sign.
  double bound(Eigen::Index j, double sign) const {
    const Bounds& bounds = j < u_size() ? u : x;
    const Eigen::Index i = j < u_size() ? j : j - u_size();
    return sign > 0 ? bounds.upper_of(i) : bounds.lower_of(i);
  }
};

/// minimise Σ cost_k over x_0 … x_N, u_0 … u_{N−1}. Bounds of u_k and x_0 hold. Those of later
/// states may be exceeded at a price, so that there always is a solution: ν for each unit.
struct LqProblem {
  std::vector<LqStage> stages;  ///< N + 1
  double price = 1;             ///< ν
};

/// Controls and entries of x_0 whose bounds are equal, in (u_k; x_k); NaN for all others.
std::vector<VecX> held_by_equal_bounds(const LqProblem& problem);
/// (u; x).
VecX stage_unknowns(const VecX& u, const VecX& x);

/// Which bounds of the unknowns v_k = (u_k; x_k) are met.
struct LqActiveSet {
  /// 0: none, ±1: at the upper or lower one, ±2: beyond it.
  std::vector<Eigen::VectorXi> at;
  /// Growth of the cost per square of a displacement from the bound, roughly; 0: not known.
  std::vector<VecX> stiffness;
};

/// `multipliers` π_k are derivatives of the cost by c_{k−1}, at k = 0 those by x_0. Those of bounds
/// are positive at upper ones, negative at lower ones. u_N has no entries.
struct LqSolution {
  std::vector<VecX> x, u;
  std::vector<VecX> multipliers, x_multipliers, u_multipliers;
  LqActiveSet active;
  int recursions = 0;      ///< factorisations of all stages that it took
  bool converged = false;  ///< otherwise rounding stopped it nearby
};

}  // namespace sinew

#pragma once

#include "sinew/math/lq_interior_point.hpp"

namespace sinew {

/// Linear-quadratic problems with bounds. An interior-point method tells which bounds are met, and
/// the problem with these as equalities gives solution and multipliers to rounding. Not for two
/// threads at once.
class LqSolver {
 public:
  /// `guess`: the bounds that a similar problem met. False if the problem is singular.
  bool solve(const LqProblem& problem, LqSolution& out, const LqActiveSet* guess = nullptr);

 private:
  using Index = Eigen::Index;
  /// Solves with the active bounds as equalities, and corrects these by what comes out; false if
  /// that does not end soon.
  bool settle(const LqProblem& problem, LqSolution& out);
  bool solve_equalities(const LqProblem& problem, LqSolution& out);
  /// Held entries, prices, and the list of states at their bounds; false if a weight is not known.
  bool place_active(const LqProblem& problem, const LqActiveSet& active);
  /// Whether `active` may stay as it is; changes it where not.
  bool revise(const LqProblem& problem, LqSolution& out) const;
  /// x, u and multipliers of the dynamics, from v, those of the bounds, and what is held.
  void finish(const LqProblem& problem, LqSolution& out) const;

  struct AtBound {
    size_t stage;
    Index entry;
    double bound, weight;
  };

  LqInteriorPoint interior_;
  LqRecursion recursion_;
  std::vector<AtBound> states_;
  std::vector<VecX> weights_, held_, multipliers_, gradient_, v_;
};

}  // namespace sinew

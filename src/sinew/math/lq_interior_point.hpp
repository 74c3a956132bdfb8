#pragma once

#include "sinew/math/lq_recursion.hpp"
#include "sinew/math/lq_side.hpp"

namespace sinew {

/// Linear-quadratic problems with bounds by Mehrotra's interior-point method, each of whose systems
/// is one recursion over the stages: the time grows linearly with their number. It comes as close
/// to the solution as rounding of stiff bounds lets it, close enough to tell which bounds are met.
/// Derivation in docs/theory/optimisation.md.
class LqInteriorPoint {
 public:
  /// Solves the problem, which must outlive the use, without its bounds, but for equal ones of
  /// controls and x_0, where these are held. False if it is singular.
  bool start(const LqProblem& problem);
  bool within_bounds() const { return excess_ == 0; }
  /// Until products of slacks and multipliers are below this part of what they were at the start;
  /// false if they do not become so.
  bool iterate(double part);

  const std::vector<VecX>& v() const { return v_; }  ///< (u_k; x_k)
  std::vector<VecX> multipliers() const;             ///< of their bounds
  LqActiveSet active() const;
  int recursions() const { return recursions_; }

 private:
  void place_sides();
  bool solve_newton(double mu, bool new_factors);
  double longest() const;
  double complementarity(double length) const;

  const LqProblem* problem_ = nullptr;
  LqRecursion recursion_;
  std::vector<std::vector<LqSide>> sides_;  // of each stage
  int count_ = 0, recursions_ = 0;
  double excess_ = 0, first_ = 0;  // of all bounds without them; complementarity at the start
  double left_ = 1;                // part of the first errors of the linear equations
  std::vector<VecX> own_weights_, weights_, gradient_, held_, v_, v_new_;
};

}  // namespace sinew

#pragma once

#include "sinew/math/lq_solver.hpp"
#include "sinew/math/shooting.hpp"

namespace sinew {

/// The linear-quadratic problem of a multiple-shooting iterate, in steps of states and controls.
class ShootingProgram {
 public:
  ShootingProgram(const ShootingProblem& problem, size_t stages);

  /// What a trajectory is made of: values and derivatives of all stages, and gaps F_k − s_{k+1}.
  struct Iterate {
    const Trajectory& at;
    const std::vector<StageValues>& values;
    const std::vector<StageJacobians>& jacobians;
    const std::vector<VecX>& gaps;
  };
  /// `proximal`: weight of the squares of the step. Raises the price of states beyond their bounds
  /// as long as that brings them back, to `tolerance`. False if the problem is singular.
  bool solve(const Iterate& iterate, double proximal, double tolerance);
  const LqSolution& solution() const { return solution_; }
  int recursions() const { return recursions_; }  ///< of the last solve

  /// Of a state beyond its bound, per unit.
  double price() const { return lq_.price; }
  void set_price(double price) { lq_.price = price; }
  /// Σ of what states are beyond their bounds after the step.
  double excess() const;
  /// What ½ Σ |r|² loses along the step, without curvature.
  double slope() const;

  /// Largest entries of the gradient of the Lagrangian at the iterate, with the multipliers of the
  /// step, and of its terms: derivatives of ½ Σ |r|², and multipliers.
  struct Stationarity {
    double gradient = 0, slopes = 0, multipliers = 0;
  };
  Stationarity stationarity() const;

 private:
  void fill(const Iterate& iterate, double proximal);

  const ShootingProblem& problem_;
  LqProblem lq_;
  LqSolver solver_;
  LqSolution solution_;
  int recursions_ = 0;
};

/// States and controls, or their steps, as one vector; and back.
VecX joined(const std::vector<VecX>& states, const std::vector<VecX>& controls);
void add_joined(const VecX& step, Trajectory& to);
/// Σ of what x is beyond its bounds.
double sum_of_excess(const Bounds& bounds, const VecX& x);
/// Largest |x_i|; 0 if there is none.
double largest_entry(const VecX& x);

}  // namespace sinew

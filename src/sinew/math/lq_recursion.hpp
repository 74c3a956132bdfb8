#pragma once

#include <vector>

#include "sinew/math/lq_problem.hpp"

namespace sinew {

/// Linear-quadratic problems without bounds by Riccati's recursion in square-root form: the cost of
/// all stages from k on is ½|T_k x + e_k|², and T_k comes from T_{k+1} by orthogonal reflections.
/// Nothing is squared, and weights may differ by many orders of magnitude (docs/theory/
/// optimisation.md). Unknowns v_k = (u_k; x_k) of a stage whose bounds are equal are held there:
/// all of u, and x_0.
class LqRecursion {
 public:
  using Index = Eigen::Index;

  /// `weights`: those of v_k, in place of the problem's own. `held`: where entries of u_k and x_0
  /// are kept; NaN for those that are not. The problem must outlive the use.
  void factor(const LqProblem& problem, const std::vector<VecX>& weights,
              const std::vector<VecX>& held);
  /// Minimises the cost and Σ gradient_kᵀ v_k; entries where the weight is zero must be zero. False
  /// if the problem is singular.
  bool solve(const std::vector<VecX>& gradient, std::vector<VecX>& v);

 private:
  struct Stage {
    Index nu = 0, nx = 0;
    VecX root_weights;              // of v
    VecX held;                      // v where it is, NaN elsewhere
    std::vector<Index> order;       // rows, heaviest first
    Eigen::HouseholderQR<MatX> qr;  // of all rows
    VecX e;                         // (e_u; e_x) of the reduced rows
    VecX r, c;                      // of the problem, with what held entries add
    auto R() const { return qr.matrixQR().topRows(nu + nx); }
    auto R_uu() const { return R().topLeftCorner(nu, nu).template triangularView<Eigen::Upper>(); }
    auto R_ux() const { return R().topRightCorner(nu, nx); }
    auto T() const { return R().bottomRightCorner(nx, nx).template triangularView<Eigen::Upper>(); }
  };
  void factor_stage(const LqStage& given, const Stage* next, Stage& stage);

  const LqProblem* problem_ = nullptr;
  std::vector<Stage> stages_;
};

}  // namespace sinew

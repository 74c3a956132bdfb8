#pragma once

#include <vector>

#include "sinew/math/types.hpp"

namespace sinew {

/// Finds the independent rows of a matrix G from their Gram matrix G N Gᵀ (N positive definite),
/// and least-squares solutions with dependent ones. Allocates only when the number of rows changes.
class RowSpace {
 public:
  void resize(Eigen::Index m);

  /// Pivoted Cholesky of the Gram matrix, rows scaled to unit length: a row is dependent if the
  /// rows chosen before leave less than `tolerance` of its squared length. Zero rows are dependent,
  /// too.
  void analyze(const Eigen::Ref<const MatX>& gram, double tolerance);

  int rank() const { return rank_; }
  bool independent(Eigen::Index row) const { return chosen_[static_cast<size_t>(row)] != 0; }

  /// b ← the right-hand side nearest to b, in scaled rows, for which G x = b can be solved.
  void project_right_side(VecRef b);
  /// λ ← the shortest multipliers, in scaled rows, with the same Gᵀλ.
  void project_multipliers(VecRef lambda);

 private:
  void project_scaled(VecRef x);

  int rank_ = 0;
  std::vector<char> chosen_;  // per row
  VecX scale_;                // 1/length of each row; 0 for a zero row
  MatX L_;                    // scaled Gram ≈ L Lᵀ, the first rank_ columns
  MatX C_;                    // LᵀL = C Cᵀ, lower triangle
  VecX work_;
};

}  // namespace sinew

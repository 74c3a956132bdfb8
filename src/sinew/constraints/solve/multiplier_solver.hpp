#pragma once

#include <array>
#include <vector>

#include "sinew/math/dense_solve.hpp"
#include "sinew/math/row_space.hpp"

namespace sinew {

/// Solves S λ = b for the multipliers of constraint rows, S = R N Gᵀ with N near M⁻¹ and R near G.
/// Rows that are switched off get λ = 0. Dependent rows are solved in the least-squares sense, with
/// the shortest λ (rows scaled to unit length in the metric of the masses): forces −Gᵀλ are unique
/// all the same. Allocates only in resize.
class MultiplierSolver {
 public:
  /// Rows count as dependent if they add less than this share to the squared length of a row:
  /// rounding leaves 1e-15; a linkage within 1e-5 rad of a dead centre counts as being there.
  static constexpr double kDependent = 1e-10;

  void resize(int rows);

  /// Factors S of independent rows; false if they are dependent, or not finite. Only the lower
  /// triangle of a symmetric S is read.
  bool factor(const MatX& S, const std::vector<char>& active, bool symmetric);
  /// Factors S of rows that may depend on each other, by their Gram matrix G N Gᵀ (N positive
  /// definite; full matrix). False if not finite.
  bool factor_dependent(const MatX& S, const MatX& gram, const std::vector<char>& active,
                        bool symmetric);
  /// b ← λ.
  void solve_in_place(VecRef b);

  /// Whether the rows factored last depend on each other.
  bool dependent() const { return dependent_; }
  const RowSpace& row_space() const { return row_space_; }

 private:
  bool factor_pair(const MatX& S, const std::vector<char>& active, bool symmetric);
  bool factor_scaled(const MatX& S, bool symmetric);

  VecX scale_;  // 1/√S_ii; 0 if switched off
  MatX scaled_;
  LdltFactor ldlt_;
  LuFactor lu_;
  RowSpace row_space_;
  MatX gram_;
  bool symmetric_ = true, dependent_ = false;
  // One row or two, independent: S⁻¹ in closed form, zero if switched off.
  bool pair_ = false;
  std::array<double, 4> inverse_{};  // by columns
};

}  // namespace sinew

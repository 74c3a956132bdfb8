#pragma once

#include "sinew/math/qp.hpp"
#include "sinew/math/qp_memory.hpp"

namespace sinew {

/// One side of a row: sign aᵀx ≤ rhs. Equalities have either sign; a bound has +1 for upper, −1 for
/// lower.
struct QpSide {
  int row = -1;
  int sign = 1;
};

/// A quadratic program in its own units: x = D x̂ and row r multiplied by E_r, such that Ĥ = D H D
/// has ones on the diagonal and the rows of Â = E A D have length about one; multipliers are λ = E
/// λ̂ for rows and λ = D⁻¹ λ̂ for bounds. D and E are powers of two, so scaling rounds nothing and
/// a certificate of the scaled problem is one of the original. Everything below is scaled.
struct QpScaled {
  using Index = Eigen::Index;

  /// False if there is NaN in the problem, or infinity where it does not say "no constraint".
  /// Throws an Error if the dimensions do not fit together.
  bool load(const QpProblem& problem);

  Index n = 0, equalities = 0, rows = 0;  ///< rows: equalities and inequalities, not bounds
  MatMap H{nullptr, 0, 0};
  VecMap c{nullptr, 0};
  MatMap normals{nullptr, 0, 0};  ///< n×rows, column r is the normal of row r
  VecMap b{nullptr, 0};           ///< rows
  VecMap lower{nullptr, 0}, upper{nullptr, 0};
  VecMap D{nullptr, 0}, E{nullptr, 0};
  /// The curvature assumed for a variable in comparisons: 1 if H has any, otherwise a guess from c
  /// and b.
  VecMap curvature{nullptr, 0};

  Index row_count() const { return rows + n; }
  bool is_bound(QpSide side) const { return side.row >= rows; }
  /// An equality proper, or the bound of a fixed variable.
  bool is_equality(QpSide side) const;
  double rhs(QpSide side) const;
  /// Original over scaled multiplier of a row.
  double multiplier_unit(Index row) const { return row < rows ? E[row] : 1 / D[row - rows]; }
  /// A row whose entries are all zero. Its right side has no scale.
  bool is_empty(Index row) const { return normals.col(row).isZero(0); }
  /// Geometric mean of |b|, as given, of the rows that have entries; 0 if all are zero.
  double typical_right_side() const;
  /// aᵀx with the side's sign.
  double value(QpSide side, const VecMap& x) const;
  /// v ← v + t a, with the side's sign.
  void add_normal(QpSide side, double t, VecMap& v) const;

 private:
  void choose_variable_scales(const QpProblem::Matrix& H_given);
  void choose_scales_without_curvature(const ConstVecRef& c_given);
  void choose_row_scales();
  void choose_curvature();

  QpMemory memory_;
};

}  // namespace sinew

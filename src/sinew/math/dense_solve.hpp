#pragma once

#include <vector>

#include "sinew/math/types.hpp"

/// Dense factorisations that allocate only when their size changes. (Eigen's blocked ones take
/// temporary memory from the heap beyond some size, which a step must not.)

namespace sinew {

/// P A = L U with partial pivoting.
class LuFactor {
 public:
  LuFactor() = default;
  explicit LuFactor(Eigen::Index n) { resize(n); }
  void resize(Eigen::Index n);
  Eigen::Index size() const { return LU_.rows(); }

  /// Factors the square matrix A; false if it is singular (a pivot is zero or not finite), and then
  /// it must not be used to solve. Resizes if A has a different size.
  bool factor(const Eigen::Ref<const MatX>& A);
  /// Smallest over largest |pivot| of the last factor(): near ε warns of a nearly singular matrix.
  double pivot_ratio() const { return pivot_ratio_; }
  /// x ← A⁻¹ x.
  void solve_in_place(VecRef x) const;
  /// x ← A⁻ᵀ x.
  void solve_transposed_in_place(VecRef x) const;

 private:
  bool factor_panel(Eigen::Index begin, Eigen::Index end);

  MatX LU_;                              // unit lower L below the diagonal, U on and above it
  std::vector<Eigen::Index> exchanged_;  // row exchanged with row k, in order
  double pivot_ratio_ = 0;
};

/// A = L D Lᵀ of a symmetric positive definite matrix.
class LdltFactor {
 public:
  LdltFactor() = default;
  explicit LdltFactor(Eigen::Index n) { resize(n); }
  void resize(Eigen::Index n);
  Eigen::Index size() const { return LD_.rows(); }

  /// Factors A, reading only the lower triangle; false if it is not positive definite.
  bool factor(const Eigen::Ref<const MatX>& A);
  /// Smallest over largest pivot of the last factor().
  double pivot_ratio() const { return pivot_ratio_; }
  /// x ← A⁻¹ x.
  void solve_in_place(VecRef x) const;

 private:
  bool factor_panel(Eigen::Index begin, Eigen::Index end);

  MatX LD_;  // unit lower L below the diagonal, D on it; unused above it
  double pivot_ratio_ = 0;
};

/// A = U Uᵀ of a symmetric positive definite matrix whose rows end in zeros, U upper triangular.
///
/// From the last row to the first, U is nonzero only up to where the rows of A end. Mass matrices
/// of trees numbered from the root have such rows, and uncoupled branches cost nothing.
class EnvelopeFactor {
 public:
  EnvelopeFactor() = default;
  explicit EnvelopeFactor(Eigen::Index n) { resize(n); }
  void resize(Eigen::Index n);
  Eigen::Index size() const { return Ut_.rows(); }

  /// Factors A, reading only the lower triangle; false if it is not positive definite, and then
  /// solutions contain NaN.
  bool factor(const Eigen::Ref<const MatX>& A);
  /// x ← A⁻¹ x.
  void solve_in_place(VecRef x) const;

 private:
  MatX Ut_;                        // Uᵀ: row i of U is column i below the diagonal, on it 1/U_ii
  std::vector<Eigen::Index> end_;  // for each row, one past its last entry
};

}  // namespace sinew

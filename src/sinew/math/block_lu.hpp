#pragma once

#include <array>
#include <vector>

#include "sinew/math/types.hpp"

/// Sparse matrices of 3×3 blocks, one block row per point in space, and their factorisation.

namespace sinew {

/// The blocks of a square matrix that may differ from zero: row by row, columns ascending. The
/// pattern is symmetric and holds the whole diagonal; the values need not be symmetric.
class BlockPattern {
 public:
  BlockPattern() = default;
  /// `size` is the number of points; each edge {i, j} stands for the blocks (i, j) and (j, i).
  /// Edges may repeat. Points flagged in `late` (all or none given) are eliminated after all of
  /// their neighbours that are not: their own blocks may be zero.
  BlockPattern(int size, const std::vector<std::array<int, 2>>& edges, std::vector<char> late = {});

  int size() const { return static_cast<int>(start_.size()) - 1; }
  int block_count() const { return static_cast<int>(column_.size()); }
  int row_begin(int row) const { return start_[static_cast<size_t>(row)]; }
  int row_end(int row) const { return start_[static_cast<size_t>(row) + 1]; }
  int column(int block) const { return column_[static_cast<size_t>(block)]; }
  /// The number of block (row, column); −1 where it is always zero.
  int find(int row, int column) const;
  bool late(int row) const { return !late_.empty() && late_[static_cast<size_t>(row)] != 0; }

 private:
  std::vector<char> late_;
  std::vector<int> start_ = {0}, column_;
};

/// A = L U block by block, in minimum-degree order, which keeps fill low. Rows are not exchanged
/// between blocks: it is meant for matrices M − h²K whose masses, or whose stiffness, dominate.
/// Such a matrix need not be symmetric (friction, viscosity), which rules LDLᵀ out. After `analyze`
/// nothing allocates.
class BlockLu {
 public:
  void analyze(const BlockPattern& pattern);
  /// `values`: one block for each block of the pattern. False if a pivot block is singular or not
  /// finite.
  bool factor(const std::vector<Mat3>& values);
  /// X ← A⁻¹ X, X with 3 × size rows.
  using Columns = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  void solve_columns_in_place(Columns& X) const;
  void solve_in_place(VecRef x) const;
  /// x ← A⁻ᵀ x.
  void solve_transposed_in_place(VecRef x) const;
  /// The inverse of a point's block, as it was when its turn came.
  const Mat3& pivot_inverse(int point) const {
    const auto place = static_cast<size_t>(place_[static_cast<size_t>(point)]);
    return value_[static_cast<size_t>(diagonal_[place])];
  }
  /// Blocks of L and U together, fill included.
  int block_count() const { return static_cast<int>(column_.size()); }

 private:
  template <class X>
  void solve(X& x) const;

  std::vector<int> order_, place_;                 // point eliminated as k-th; its inverse
  std::vector<int> start_, diagonal_, column_;     // rows of L and U in that order
  std::vector<int> source_start_, source_, from_;  // per row: blocks of A, and where they go
  std::vector<Mat3> value_;  // L below the diagonal, its inverse on it, U above
  std::vector<Mat3> row_;    // scratch: one row, by column
};

}  // namespace sinew

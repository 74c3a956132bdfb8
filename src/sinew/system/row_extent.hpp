#pragma once

#include "sinew/constraints/rows/constraint_workspace.hpp"
#include "sinew/math/short_vectors.hpp"

namespace sinew {

/// Where the entries of a row are that may differ from zero. Rows of ropes have few: products that
/// skip the others cost a row's length less, and have the same bits.
struct RowExtent {
  Eigen::Index begin, count;
};
/// `at` gives entry k of n.
template <class At>
RowExtent row_extent(Eigen::Index n, At&& at) {
  Eigen::Index begin = 0;
  while (begin < n && at(begin) == 0) ++begin;
  while (n > begin && at(n - 1) == 0) --n;
  return {begin, n - begin};
}

/// Writes the first `columns` entries of row i of S = G W.
inline void update_product_row(int i, int columns, ConstraintWorkspace& c) {
  const double* const row = c.rows.Gt().col(i).data();
  const auto [begin, count] =
      row_extent(c.rows.Gt().rows(), [&](Eigen::Index k) { return row[k]; });
  for (int j = 0; j < columns; ++j)
    c.S(i, j) = short_dot(count, row + begin, c.W.col(j).data() + begin);
}

}  // namespace sinew

#include "sinew/math/block_lu.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

namespace sinew {

BlockPattern::BlockPattern(int size, const std::vector<std::array<int, 2>>& edges,
                           std::vector<char> late)
    : late_(std::move(late)) {
  std::vector<std::vector<int>> rows(static_cast<size_t>(size));
  for (int i = 0; i < size; ++i) rows[static_cast<size_t>(i)].push_back(i);
  for (const auto& [i, j] : edges) {
    rows[static_cast<size_t>(i)].push_back(j);
    rows[static_cast<size_t>(j)].push_back(i);
  }
  for (std::vector<int>& row : rows) {
    std::sort(row.begin(), row.end());
    row.erase(std::unique(row.begin(), row.end()), row.end());
    column_.insert(column_.end(), row.begin(), row.end());
    start_.push_back(static_cast<int>(column_.size()));
  }
}

int BlockPattern::find(int row, int column) const {
  const auto begin = column_.begin() + row_begin(row), end = column_.begin() + row_end(row);
  const auto found = std::lower_bound(begin, end, column);
  return found != end && *found == column ? static_cast<int>(found - column_.begin()) : -1;
}

namespace {

using Rows = std::vector<std::vector<int>>;

/// Eliminates the point of least degree, the first of these, joins its neighbours, and so on.
/// Returns for each point its neighbours at that moment, the pattern of its row of U, and writes
/// the order.
Rows eliminate(const BlockPattern& pattern, std::vector<int>& order) {
  const auto n = static_cast<size_t>(pattern.size());
  Rows neighbours(n);
  for (int i = 0; i < pattern.size(); ++i)
    for (int b = pattern.row_begin(i); b < pattern.row_end(i); ++b)
      if (pattern.column(b) != i) neighbours[static_cast<size_t>(i)].push_back(pattern.column(b));
  std::vector<int> awaited(n, 0);  // neighbours that a late point waits for
  std::set<std::pair<size_t, int>> ready;
  const auto degree = [&](int i) {
    return std::pair(neighbours[static_cast<size_t>(i)].size(), i);
  };
  for (int i = 0; i < pattern.size(); ++i) {
    for (const int j : neighbours[static_cast<size_t>(i)])
      awaited[static_cast<size_t>(i)] += pattern.late(i) && !pattern.late(j);
    if (awaited[static_cast<size_t>(i)] == 0) ready.insert(degree(i));
  }
  std::vector<int> joined;
  order.clear();
  while (!ready.empty()) {
    const int next = ready.begin()->second;
    ready.erase(ready.begin());
    order.push_back(next);
    const std::vector<int>& clique = neighbours[static_cast<size_t>(next)];
    for (const int i : clique) {
      std::vector<int>& mine = neighbours[static_cast<size_t>(i)];
      ready.erase(degree(i));
      joined.clear();
      std::set_union(mine.begin(), mine.end(), clique.begin(), clique.end(),
                     std::back_inserter(joined));
      std::erase_if(joined, [&](int j) { return j == i || j == next; });
      mine = joined;
      if (pattern.late(i) && !pattern.late(next) && pattern.find(i, next) >= 0)
        --awaited[static_cast<size_t>(i)];
      if (awaited[static_cast<size_t>(i)] == 0) ready.insert(degree(i));
    }
  }
  return neighbours;
}

}  // namespace

void BlockLu::analyze(const BlockPattern& pattern) {
  const int n = pattern.size();
  const Rows after = eliminate(pattern, order_);
  place_.assign(static_cast<size_t>(n), 0);
  for (int k = 0; k < n; ++k) place_[static_cast<size_t>(order_[static_cast<size_t>(k)])] = k;
  Rows rows(static_cast<size_t>(n));
  for (int k = 0; k < n; ++k) {
    rows[static_cast<size_t>(k)].push_back(k);
    for (const int j : after[static_cast<size_t>(order_[static_cast<size_t>(k)])]) {
      const int column = place_[static_cast<size_t>(j)];
      rows[static_cast<size_t>(k)].push_back(column);
      rows[static_cast<size_t>(column)].push_back(k);
    }
  }
  start_ = {0};
  diagonal_.clear();
  column_.clear();
  source_start_ = {0};
  source_.clear();
  from_.clear();
  for (int k = 0; k < n; ++k) {
    std::vector<int>& row = rows[static_cast<size_t>(k)];
    std::sort(row.begin(), row.end());
    const auto here = std::lower_bound(row.begin(), row.end(), k) - row.begin();
    diagonal_.push_back(static_cast<int>(column_.size()) + static_cast<int>(here));
    column_.insert(column_.end(), row.begin(), row.end());
    start_.push_back(static_cast<int>(column_.size()));
    const int i = order_[static_cast<size_t>(k)];
    for (int b = pattern.row_begin(i); b < pattern.row_end(i); ++b) {
      source_.push_back(b);
      from_.push_back(place_[static_cast<size_t>(pattern.column(b))]);
    }
    source_start_.push_back(static_cast<int>(source_.size()));
  }
  value_.assign(column_.size(), Mat3::Zero());
  row_.assign(static_cast<size_t>(n), Mat3::Zero());
}

bool BlockLu::factor(const std::vector<Mat3>& values) {
  const size_t n = order_.size();
  for (size_t i = 0; i < n; ++i) {
    const int begin = start_[i], end = start_[i + 1], diagonal = diagonal_[i];
    for (int b = begin; b < end; ++b)
      row_[static_cast<size_t>(column_[static_cast<size_t>(b)])].setZero();
    for (int s = source_start_[i]; s < source_start_[i + 1]; ++s)
      row_[static_cast<size_t>(from_[static_cast<size_t>(s)])] =
          values[static_cast<size_t>(source_[static_cast<size_t>(s)])];
    for (int b = begin; b < diagonal; ++b) {
      const auto k = static_cast<size_t>(column_[static_cast<size_t>(b)]);
      const Mat3 L = row_[k] * value_[static_cast<size_t>(diagonal_[k])];
      value_[static_cast<size_t>(b)] = L;
      for (int u = diagonal_[k] + 1; u < start_[k + 1]; ++u)
        row_[static_cast<size_t>(column_[static_cast<size_t>(u)])].noalias() -=
            L * value_[static_cast<size_t>(u)];
    }
    const Mat3 pivot = row_[i];
    const Mat3 inverse = pivot.inverse();
    if (!inverse.allFinite()) {
      // So that whoever solves all the same finds nothing finite, not something old.
      for (Mat3& value : value_) value.setConstant(std::numeric_limits<double>::quiet_NaN());
      return false;
    }
    value_[static_cast<size_t>(diagonal)] = inverse;
    for (int b = diagonal + 1; b < end; ++b)
      value_[static_cast<size_t>(b)] = row_[static_cast<size_t>(column_[static_cast<size_t>(b)])];
  }
  return true;
}

template <class X>
void BlockLu::solve(X& x) const {
  const auto block = [&](int k) {
    return x.template middleRows<3>(3 * order_[static_cast<size_t>(k)]);
  };
  const int n = static_cast<int>(order_.size());
  for (int i = 0; i < n; ++i) {
    auto x_i = block(i);
    for (int b = start_[static_cast<size_t>(i)]; b < diagonal_[static_cast<size_t>(i)]; ++b)
      x_i -= value_[static_cast<size_t>(b)].lazyProduct(block(column_[static_cast<size_t>(b)]));
  }
  for (int i = n - 1; i >= 0; --i) {
    auto x_i = block(i);
    const auto ii = static_cast<size_t>(i);
    for (int b = diagonal_[ii] + 1; b < start_[ii + 1]; ++b)
      x_i -= value_[static_cast<size_t>(b)].lazyProduct(block(column_[static_cast<size_t>(b)]));
    const Mat3& inverse = value_[static_cast<size_t>(diagonal_[ii])];
    for (Eigen::Index c = 0; c < x.cols(); ++c) {
      const Vec3 y = x_i.col(c);
      x_i.col(c) = inverse * y;
    }
  }
}

void BlockLu::solve_transposed_in_place(VecRef x) const {
  const auto block = [&](int k) { return x.segment<3>(3 * order_[static_cast<size_t>(k)]); };
  const int n = static_cast<int>(order_.size());
  for (int i = 0; i < n; ++i) {
    const auto ii = static_cast<size_t>(i);
    const Vec3 y = value_[static_cast<size_t>(diagonal_[ii])].transpose() * block(i);
    block(i) = y;
    for (int b = diagonal_[ii] + 1; b < start_[ii + 1]; ++b)
      block(column_[static_cast<size_t>(b)]) -= value_[static_cast<size_t>(b)].transpose() * y;
  }
  for (int i = n - 1; i >= 0; --i) {
    const auto ii = static_cast<size_t>(i);
    const Vec3 y = block(i);
    for (int b = start_[ii]; b < diagonal_[ii]; ++b)
      block(column_[static_cast<size_t>(b)]) -= value_[static_cast<size_t>(b)].transpose() * y;
  }
}

void BlockLu::solve_columns_in_place(Columns& X) const { solve(X); }
void BlockLu::solve_in_place(VecRef x) const { solve(x); }

}  // namespace sinew

#include "sinew/math/dense_solve.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "sinew/math/short_vectors.hpp"

// Both factorisations run right-looking over panels of kPanel columns: factor the panel, then
// subtract its product from the columns to its right, one column at a time with the panel in cache.
// A fixed number of panel columns lets the compiler unroll that product, and it needs no workspace.
// The last, narrower panel has nothing to its right.

namespace sinew {
namespace {

using Eigen::Index;
constexpr Index kPanel = 8;

/// Four sums, which the processor can compute in parallel.
double dot(Index n, const double* a, const double* b) {
  double sum[4] = {};
  Index k = 0;
  for (; k + 4 <= n; k += 4)
    for (Index j = 0; j < 4; ++j) sum[j] += a[k + j] * b[k + j];
  return (sum[0] + sum[1]) + (sum[2] + sum[3]) + short_dot(n - k, a + k, b + k);
}

double ratio(double smallest, double largest) { return largest > 0 ? smallest / largest : 0; }

}  // namespace

void LuFactor::resize(Index n) {
  LU_.resize(n, n);
  exchanged_.resize(static_cast<std::size_t>(n));
}

bool LuFactor::factor(const Eigen::Ref<const MatX>& A) {
  eigen_assert(A.rows() == A.cols());
  if (A.rows() != size()) resize(A.rows());
  const Index n = size();
  for (Index j = 0; j < n; ++j)
    for (Index i = 0; i < n; ++i) LU_(i, j) = A(i, j);
  pivot_ratio_ = 0;
  for (Index k = 0; k < n; k += kPanel) {
    const Index end = std::min(k + kPanel, n), below = n - end;
    if (!factor_panel(k, end)) return false;
    for (Index j = end; j < n; ++j) {
      // U block: unit lower triangular solve; then the column below it.
      for (Index p = k; p + 1 < end; ++p)
        LU_.col(j).segment(p + 1, end - p - 1) -=
            LU_(p, j) * LU_.col(p).segment(p + 1, end - p - 1);
      LU_.col(j).tail(below) -= LU_.block<Eigen::Dynamic, kPanel>(end, k, below, kPanel)
                                    .lazyProduct(LU_.col(j).segment<kPanel>(k));
    }
  }
  if (!LU_.allFinite()) return false;  // the search for a pivot steps over a NaN
  double smallest = std::numeric_limits<double>::infinity(), largest = 0;
  for (Index k = 0; k < n; ++k) {
    const double pivot = std::abs(LU_(k, k));
    smallest = std::min(smallest, pivot);
    largest = std::max(largest, pivot);
  }
  pivot_ratio_ = n > 0 ? ratio(smallest, largest) : 1;
  return true;
}

bool LuFactor::factor_panel(Index begin, Index end) {
  const Index n = size();
  for (Index p = begin; p < end; ++p) {
    double* const column = LU_.col(p).data();
    Index row = p;
    for (Index i = p + 1; i < n; ++i)
      if (std::abs(column[i]) > std::abs(column[row])) row = i;
    const double pivot = std::abs(column[row]);
    if (!(pivot > 0) || !std::isfinite(pivot)) return false;
    exchanged_[static_cast<std::size_t>(p)] = row;
    if (row != p) LU_.row(p).swap(LU_.row(row));
    for (Index i = p + 1; i < n; ++i) column[i] /= column[p];
    for (Index j = p + 1; j < end; ++j)
      short_add(n - p - 1, -LU_(p, j), column + p + 1, LU_.col(j).data() + p + 1);
  }
  return true;
}

void LuFactor::solve_in_place(VecRef x) const {
  eigen_assert(x.size() == size());
  const Index n = size();
  for (Index k = 0; k < n; ++k) std::swap(x[k], x[exchanged_[static_cast<std::size_t>(k)]]);
  for (Index k = 0; k < n; ++k)
    short_add(n - k - 1, -x[k], LU_.col(k).data() + k + 1, x.data() + k + 1);
  for (Index k = n - 1; k >= 0; --k) {
    x[k] /= LU_(k, k);
    short_add(k, -x[k], LU_.col(k).data(), x.data());
  }
}

void LuFactor::solve_transposed_in_place(VecRef x) const {
  eigen_assert(x.size() == size());
  const Index n = size();
  for (Index k = 0; k < n; ++k)
    x[k] = (x[k] - short_dot(k, LU_.col(k).data(), x.data())) / LU_(k, k);
  for (Index k = n - 1; k >= 0; --k)
    x[k] -= short_dot(n - k - 1, LU_.col(k).data() + k + 1, x.data() + k + 1);
  for (Index k = n - 1; k >= 0; --k) std::swap(x[k], x[exchanged_[static_cast<std::size_t>(k)]]);
}

void LdltFactor::resize(Index n) { LD_.resize(n, n); }

bool LdltFactor::factor(const Eigen::Ref<const MatX>& A) {
  eigen_assert(A.rows() == A.cols());
  if (A.rows() != size()) resize(A.rows());
  LD_ = A;
  pivot_ratio_ = 0;
  const Index n = size();
  for (Index k = 0; k < n; k += kPanel) {
    const Index end = std::min(k + kPanel, n);
    if (!factor_panel(k, end)) return false;
    for (Index j = end; j < n; ++j) {
      const Eigen::Matrix<double, kPanel, 1> dl =
          LD_.diagonal().segment<kPanel>(k).cwiseProduct(LD_.row(j).segment<kPanel>(k).transpose());
      LD_.col(j).tail(n - j) -=
          LD_.block<Eigen::Dynamic, kPanel>(j, k, n - j, kPanel).lazyProduct(dl);
    }
  }
  const auto pivots = LD_.diagonal();
  pivot_ratio_ = n > 0 ? ratio(pivots.minCoeff(), pivots.maxCoeff()) : 1;
  return true;
}

bool LdltFactor::factor_panel(Index begin, Index end) {
  const Index n = size();
  for (Index p = begin; p < end; ++p) {
    const double d = LD_(p, p);
    if (!(d > 0) || !std::isfinite(d)) return false;
    double* const column = LD_.col(p).data();
    for (Index i = p + 1; i < n; ++i) column[i] /= d;
    for (Index j = p + 1; j < end; ++j)
      short_add(n - j, -d * column[j], column + j, LD_.col(j).data() + j);
  }
  return true;
}

void LdltFactor::solve_in_place(VecRef x) const {
  eigen_assert(x.size() == size());
  const Index n = size();
  for (Index k = 0; k < n; ++k)
    short_add(n - k - 1, -x[k], LD_.col(k).data() + k + 1, x.data() + k + 1);
  x.array() /= LD_.diagonal().array();
  for (Index k = n - 1; k >= 0; --k) x[k] -= LD_.col(k).tail(n - k - 1).dot(x.tail(n - k - 1));
}

void EnvelopeFactor::resize(Index n) {
  Ut_.resize(n, n);
  end_.resize(static_cast<std::size_t>(n));
}

bool EnvelopeFactor::factor(const Eigen::Ref<const MatX>& A) {
  eigen_assert(A.rows() == A.cols());
  if (A.rows() != size()) resize(A.rows());
  const Index n = size();
  for (Index i = n - 1; i >= 0; --i) {
    const double* const from = A.data() + i * A.outerStride();
    double* const row = Ut_.col(i).data();
    Index end = n;
    while (end > i + 1 && from[end - 1] == 0) --end;
    end_[static_cast<std::size_t>(i)] = end;
    // U_ij U_jj = A_ij − Σ_{k>j} U_ik U_jk
    for (Index j = end - 1; j >= i; --j) {
      const Index last = std::min(end, end_[static_cast<std::size_t>(j)]);
      const double* const other = Ut_.col(j).data();
      const double rest = from[j] - dot(last - j - 1, row + j + 1, other + j + 1);
      if (j > i)
        row[j] = rest * other[j];
      else
        row[i] = rest > 0 ? 1 / std::sqrt(rest) : std::numeric_limits<double>::quiet_NaN();
    }
    if (!std::isfinite(row[i])) return false;
  }
  return true;
}

void EnvelopeFactor::solve_in_place(VecRef x) const {
  eigen_assert(x.size() == size());
  const Index n = size();
  Index last = n - 1;
  while (last > 0 && x[last] == 0) --last;
  for (Index i = last; i >= 0; --i) {
    const double* const row = Ut_.col(i).data();
    const Index count = std::min(last + 1, end_[static_cast<std::size_t>(i)]) - i - 1;
    x[i] = (x[i] - dot(count, row + i + 1, x.data() + i + 1)) * row[i];
  }
  for (Index i = 0; i < n; ++i) {
    const double* const row = Ut_.col(i).data();
    x[i] *= row[i];
    short_add(end_[static_cast<std::size_t>(i)] - i - 1, -x[i], row + i + 1, x.data() + i + 1);
  }
}

}  // namespace sinew

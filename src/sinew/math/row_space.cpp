#include "sinew/math/row_space.hpp"

#include <algorithm>
#include <cmath>

namespace sinew {

using Eigen::Index;

void RowSpace::resize(Index m) {
  scale_.resize(m);
  work_.resize(m);
  L_.resize(m, m);
  C_.resize(m, m);
  chosen_.resize(static_cast<size_t>(m));
}

void RowSpace::analyze(const Eigen::Ref<const MatX>& gram, double tolerance) {
  const Index m = gram.rows();
  if (m != scale_.size()) resize(m);
  std::fill(chosen_.begin(), chosen_.end(), char{0});
  for (Index i = 0; i < m; ++i) {
    const double square = gram(i, i);
    const bool usable = square > 0 && std::isfinite(square);
    scale_[i] = usable ? 1 / std::sqrt(square) : 0;
    work_[i] = usable ? 1 : 0;  // remaining part of the row's squared length
  }

  rank_ = 0;
  for (Index k = 0; k < m; ++k) {
    Index p;
    const double pivot = work_.maxCoeff(&p);
    if (!(pivot > tolerance)) break;
    for (Index i = 0; i < m; ++i) {
      double x = gram(i, p) * scale_[i] * scale_[p];
      for (Index j = 0; j < k; ++j) x -= L_(i, j) * L_(p, j);
      L_(i, k) = x / std::sqrt(pivot);
      work_[i] -= L_(i, k) * L_(i, k);
    }
    chosen_[static_cast<size_t>(p)] = 1;
    work_[p] = 0;
    ++rank_;
  }

  // The eigenvalues of LᵀL are those of the scaled Gram matrix that are not zero.
  for (Index j = 0; j < rank_; ++j)
    for (Index i = j; i < rank_; ++i) {
      double x = L_.col(i).dot(L_.col(j));
      for (Index k = 0; k < j; ++k) x -= C_(i, k) * C_(j, k);
      C_(i, j) = i == j ? std::sqrt(std::max(x, 0.0)) : x / C_(j, j);
    }
}

void RowSpace::project_scaled(VecRef x) {
  // x ← L (LᵀL)⁻¹ Lᵀ x.
  for (Index i = 0; i < rank_; ++i) {
    work_[i] = L_.col(i).dot(x);
    for (Index k = 0; k < i; ++k) work_[i] -= C_(i, k) * work_[k];
    work_[i] /= C_(i, i);
  }
  for (Index i = rank_ - 1; i >= 0; --i) {
    for (Index k = i + 1; k < rank_; ++k) work_[i] -= C_(k, i) * work_[k];
    work_[i] /= C_(i, i);
  }
  x.setZero();
  for (Index k = 0; k < rank_; ++k) x += L_.col(k) * work_[k];
}

void RowSpace::project_right_side(VecRef b) {
  b.array() *= scale_.array();
  project_scaled(b);
  for (Index i = 0; i < b.size(); ++i)
    if (scale_[i] > 0) b[i] /= scale_[i];
}

void RowSpace::project_multipliers(VecRef lambda) {
  for (Index i = 0; i < lambda.size(); ++i) lambda[i] = scale_[i] > 0 ? lambda[i] / scale_[i] : 0;
  project_scaled(lambda);
  lambda.array() *= scale_.array();
}

}  // namespace sinew

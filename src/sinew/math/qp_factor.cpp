#include "sinew/math/qp_factor.hpp"

#include <cmath>

// Everything is products with vectors: Eigen's blocked matrix kernels take memory from the heap
// beyond some size.

namespace sinew {

void QpFactor::resize(Index n) {
  memory_.reset(n * (3 * n + 1));
  memory_.cut(L_, n, n);
  memory_.cut(J_, n, n);
  memory_.cut(R_, n, n);
  memory_.cut(y_, n);
  q_ = 0;
}

bool QpFactor::factor(const MatMap& H, const VecMap& damping) {
  const Index n = size();
  q_ = 0;
  // H + damping = L Lᵀ, column by column.
  for (Index j = 0; j < n; ++j) {
    auto column = L_.col(j).tail(n - j);
    column = H.col(j).tail(n - j);
    column[0] += damping[j];
    column.noalias() -= L_.block(j, 0, n - j, j) * L_.row(j).head(j).transpose();
    // A pivot below half its damping is a negative eigenvalue, not rounding.
    if (!(column[0] > 0.5 * damping[j]) || !std::isfinite(column[0])) return false;
    column /= std::sqrt(column[0]);
  }
  // J = L⁻ᵀ, upper triangular: column j solves Lᵀ J_j = e_j within its first j + 1 rows.
  for (Index j = 0; j < n; ++j) {
    J_.col(j).setZero();
    J_(j, j) = 1 / L_(j, j);
    for (Index k = j - 1; k >= 0; --k)
      J_(k, j) = -L_.col(k).segment(k + 1, j - k).dot(J_.col(j).segment(k + 1, j - k)) / L_(k, k);
  }
  return true;
}

void QpFactor::solve_r(const VecMap& d, VecMap& r) const {
  r.head(q_) = d.head(q_);
  for (Index k = q_ - 1; k >= 0; --k) {
    r[k] /= R_(k, k);
    r.head(k) -= r[k] * R_.col(k).head(k);
  }
}

void QpFactor::add_free_part(double t, const VecMap& d, VecMap& x) const {
  const Index free = size() - q_;
  x.noalias() += t * J_.rightCols(free) * d.tail(free);
}

void QpFactor::append(VecMap& d) {
  const Index free = size() - q_;
  // Reflect d₂ onto its first axis: v = d₂ − α e₁, J₂ ← J₂ (1 − 2 v vᵀ / vᵀv).
  auto v = d.tail(free);
  const double alpha = -std::copysign(v.norm(), v[0]);
  R_.col(q_).head(q_) = d.head(q_);
  R_(q_, q_) = alpha;
  v[0] -= alpha;
  y_.noalias() = J_.rightCols(free) * v;
  y_ *= 2 / v.squaredNorm();
  J_.rightCols(free).noalias() -= y_ * v.transpose();
  ++q_;
}

void QpFactor::drop(Index k) {
  for (Index j = k; j + 1 < q_; ++j) R_.col(j).head(j + 2) = R_.col(j + 1).head(j + 2);
  --q_;
  // R is now upper Hessenberg from column k on.
  for (Index j = k; j < q_; ++j) {
    Eigen::JacobiRotation<double> rotation;
    rotation.makeGivens(R_(j, j), R_(j + 1, j));
    R_.middleCols(j, q_ - j).applyOnTheLeft(j, j + 1, rotation.adjoint());
    J_.applyOnTheRight(j, j + 1, rotation);
  }
}

void QpFactor::solve_kkt(const VecMap& g, const VecMap& e, VecMap& dx, VecMap& dlambda) {
  // With dx = J y: Rᵀy₁ = e, y₂ = −J₂ᵀg, R dλ = −J₁ᵀg − y₁.
  y_.noalias() = -J_.transpose() * g;
  dlambda.head(q_) = y_.head(q_);
  for (Index k = 0; k < q_; ++k) y_[k] = (e[k] - R_.col(k).head(k).dot(y_.head(k))) / R_(k, k);
  dx.noalias() = J_ * y_;
  dlambda.head(q_) -= y_.head(q_);
  for (Index k = q_ - 1; k >= 0; --k) {
    dlambda[k] /= R_(k, k);
    dlambda.head(k) -= dlambda[k] * R_.col(k).head(k);
  }
}

}  // namespace sinew

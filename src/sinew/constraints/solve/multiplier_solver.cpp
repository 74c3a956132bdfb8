#include "sinew/constraints/solve/multiplier_solver.hpp"

#include <cmath>

namespace sinew {

void MultiplierSolver::resize(int rows) {
  scale_.setZero(rows);
  scaled_.setZero(rows, rows);
  gram_.setZero(rows, rows);
  ldlt_.resize(rows);
  lu_.resize(rows);
  row_space_.resize(rows);
}

bool MultiplierSolver::factor_scaled(const MatX& S, bool symmetric) {
  symmetric_ = symmetric;
  const Eigen::Index m = S.rows();
  for (Eigen::Index j = 0; j < m; ++j) {
    for (Eigen::Index i = symmetric ? j : 0; i < m; ++i)
      scaled_(i, j) = S(i, j) * scale_[i] * scale_[j];
    if (scale_[j] == 0) scaled_(j, j) = 1;
  }
  const bool solvable = symmetric ? ldlt_.factor(scaled_) : lu_.factor(scaled_);
  return solvable && (symmetric ? ldlt_.pivot_ratio() : lu_.pivot_ratio()) > kDependent;
}

bool MultiplierSolver::factor_pair(const MatX& S, const std::vector<char>& active, bool symmetric) {
  const bool two = S.rows() == 2, on_0 = active[0], on_1 = two && active[1];
  const double a = on_0 ? S(0, 0) : 1, d = on_1 ? S(1, 1) : 1;
  const double c = on_0 && on_1 ? S(1, 0) : 0;
  const double b = !(on_0 && on_1) ? 0 : symmetric ? c : S(0, 1);
  // With rows scaled to unit diagonal the second pivot is det/(a d). Written so that NaN fails.
  const double det = a * d - b * c, inverse = 1 / det;
  inverse_[0] = on_0 ? d * inverse : 0;
  inverse_[1] = -c * inverse;
  inverse_[2] = -b * inverse;
  inverse_[3] = on_1 ? a * inverse : 0;
  return a > 0 && d > 0 && (symmetric ? det : std::abs(det)) > kDependent * a * d &&
         std::isfinite(inverse);
}

bool MultiplierSolver::factor(const MatX& S, const std::vector<char>& active, bool symmetric) {
  dependent_ = false;
  pair_ = S.rows() <= 2;
  if (S.rows() == 0) return true;
  if (pair_) return factor_pair(S, active, symmetric);
  for (Eigen::Index i = 0; i < S.rows(); ++i) {
    if (active[static_cast<size_t>(i)] && !(S(i, i) > 0)) return false;
    scale_[i] = active[static_cast<size_t>(i)] ? 1 / std::sqrt(S(i, i)) : 0;
  }
  return factor_scaled(S, symmetric);
}

bool MultiplierSolver::factor_dependent(const MatX& S, const MatX& gram,
                                        const std::vector<char>& active, bool symmetric) {
  if (!gram.allFinite() || !S.allFinite()) return false;
  dependent_ = true;
  pair_ = false;
  const Eigen::Index m = S.rows();
  const auto on = [&](Eigen::Index i) { return active[static_cast<size_t>(i)] != 0; };
  for (Eigen::Index j = 0; j < m; ++j)
    for (Eigen::Index i = 0; i < m; ++i) gram_(i, j) = on(i) && on(j) ? gram(i, j) : 0;
  row_space_.analyze(gram_, kDependent);
  for (Eigen::Index i = 0; i < m; ++i)
    scale_[i] = row_space_.independent(i) ? 1 / std::sqrt(gram(i, i)) : 0;
  factor_scaled(S, symmetric);  // a small pivot here was judged large enough above
  return symmetric ? ldlt_.pivot_ratio() > 0 : lu_.pivot_ratio() > 0;
}

void MultiplierSolver::solve_in_place(VecRef b) {
  if (pair_) {
    const auto rows = static_cast<size_t>(b.size());
    double x[2] = {0, 0};
    for (size_t i = 0; i < rows; ++i) x[i] = b.data()[i];
    for (size_t i = 0; i < rows; ++i) b.data()[i] = inverse_[i] * x[0] + inverse_[i + 2] * x[1];
    return;
  }
  if (dependent_) row_space_.project_right_side(b);
  b.array() *= scale_.array();
  if (symmetric_)
    ldlt_.solve_in_place(b);
  else
    lu_.solve_in_place(b);
  b.array() *= scale_.array();
  if (dependent_) row_space_.project_multipliers(b);
}

}  // namespace sinew

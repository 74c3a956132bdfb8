#include "sinew/math/qp_scaled.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "sinew/core/error.hpp"
#include "sinew/math/infinity.hpp"

namespace sinew {
namespace {

using Eigen::Index;

/// The power of two nearest to v > 0, on a logarithmic scale.
double power_of_two(double v) {
  int exponent;
  const double fraction = std::frexp(v, &exponent);  // in [½, 1)
  return std::ldexp(1.0, fraction > 0.70710678118654752 ? exponent : exponent - 1);
}

/// Geometric mean of the sizes of the numbers that are neither zero nor infinite.
class LogMean {
 public:
  void include(double v) {
    if (v == 0 || !std::isfinite(v)) return;
    sum_ += std::log2(std::abs(v));
    ++count_;
  }
  bool empty() const { return count_ == 0; }
  double value() const { return std::exp2(sum_ / count_); }

 private:
  double sum_ = 0;
  int count_ = 0;
};

void require(bool fits, const char* what, const char* remedy) {
  if (!fits) throw Error("quadratic program", what, remedy);
}

void check_dimensions(const QpProblem& p) {
  const Index n = p.c.size();
  require(p.H.rows() == n && p.H.cols() == n, "H and c have different dimensions",
          "give H as n×n for c of n entries");
  require(p.A_e.rows() == p.b_e.size() && (p.A_e.rows() == 0 || p.A_e.cols() == n),
          "A_e does not fit b_e or c", "give A_e one row for each entry of b_e, n columns");
  require(p.A_i.rows() == p.b_i.size() && (p.A_i.rows() == 0 || p.A_i.cols() == n),
          "A_i does not fit b_i or c", "give A_i one row for each entry of b_i, n columns");
  require(p.lower.size() == 0 || p.lower.size() == n, "lower does not fit c",
          "give one lower bound for each variable, or none at all");
  require(p.upper.size() == 0 || p.upper.size() == n, "upper does not fit c",
          "give one upper bound for each variable, or none at all");
}

/// No NaN anywhere; infinite only where that says "no constraint".
bool all_finite(const QpProblem& p) {
  for (Index j = 0; j < p.H.cols(); ++j)
    if (!p.H.col(j).tail(p.H.rows() - j).allFinite()) return false;
  return p.c.allFinite() && p.A_e.allFinite() && p.b_e.allFinite() && p.A_i.allFinite() &&
         (p.b_i.array() > -kInfinity).all() && (p.lower.array() < kInfinity).all() &&
         (p.upper.array() > -kInfinity).all();
}

}  // namespace

bool QpScaled::load(const QpProblem& problem) {
  check_dimensions(problem);
  n = problem.c.size();
  equalities = problem.b_e.size();
  rows = equalities + problem.b_i.size();
  memory_.reset(n * n + n * rows + 5 * n + 2 * rows);
  memory_.cut(H, n, n);
  memory_.cut(normals, n, rows);
  for (VecMap* v : {&c, &lower, &upper, &D, &curvature}) memory_.cut(*v, n);
  for (VecMap* v : {&b, &E}) memory_.cut(*v, rows);
  D.setOnes();
  E.setOnes();
  if (!all_finite(problem)) return false;

  if (equalities > 0) normals.leftCols(equalities) = problem.A_e.transpose();
  if (rows > equalities) normals.rightCols(rows - equalities) = problem.A_i.transpose();
  choose_variable_scales(problem.H);
  choose_scales_without_curvature(problem.c);
  choose_row_scales();
  for (Index j = 0; j < n; ++j)
    for (Index i = j; i < n; ++i) H(i, j) = H(j, i) = D[i] * problem.H(i, j) * D[j];
  c = D.cwiseProduct(problem.c);
  b.head(equalities) = E.head(equalities).cwiseProduct(problem.b_e);
  b.tail(rows - equalities) = E.tail(rows - equalities).cwiseProduct(problem.b_i);
  lower.setConstant(-kInfinity);
  upper.setConstant(kInfinity);
  if (problem.lower.size() > 0) lower = problem.lower.cwiseQuotient(D);
  if (problem.upper.size() > 0) upper = problem.upper.cwiseQuotient(D);
  choose_curvature();
  return true;
}

// D_i = H_ii^−½, if H has any curvature along x_i. Where |H_ij|² > H_ii H_jj, H is not
// semidefinite; a diagonal entry so small is rounding, and to scale by it would magnify the
// rounding.
void QpScaled::choose_variable_scales(const QpProblem::Matrix& H_given) {
  curvature.setOnes();
  for (Index j = 0; j < n; ++j) {
    const double h_jj = H_given(j, j);
    if (!(h_jj > 0)) curvature[j] = 0;
    for (Index i = j + 1; i < n; ++i) {
      const double h_ij = H_given(i, j), h_ii = H_given(i, i);
      if (h_ij * h_ij > 1.01 * std::abs(h_ii * h_jj)) curvature[h_ii > h_jj ? j : i] = 0;
    }
  }
  for (Index i = 0; i < n; ++i)
    if (curvature[i] > 0) D[i] = power_of_two(1 / std::sqrt(H_given(i, i)));
}

// A variable without curvature is measured by its entries in A: D_i such that |A_ri| D_i is about
// the typical entry of row r, in the least squares of the logarithms (Curtis and Reid 1972), by a
// few sweeps. A variable in no row is measured by its cost.
void QpScaled::choose_scales_without_curvature(const ConstVecRef& c_given) {
  constexpr int kSweeps = 4;
  if ((curvature.array() > 0).all()) return;
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    for (Index r = 0; r < rows; ++r) {
      LogMean typical;
      for (Index i = 0; i < n; ++i)
        if (sweep > 0 || curvature[i] > 0) typical.include(normals(i, r) * D[i]);
      if (typical.empty())
        for (Index i = 0; i < n; ++i) typical.include(normals(i, r));
      if (!typical.empty()) E[r] = 1 / typical.value();
    }
    for (Index i = 0; i < n; ++i) {
      if (curvature[i] > 0) continue;
      LogMean typical;
      for (Index r = 0; r < rows; ++r) typical.include(normals(i, r) * E[r]);
      D[i] = typical.empty() ? 0 : power_of_two(1 / typical.value());
    }
  }
  const double slope = n > 0 ? (D.array() * c_given.array()).abs().maxCoeff() : 0;
  for (Index i = 0; i < n; ++i)
    if (D[i] == 0)
      D[i] = c_given[i] == 0 ? 1 : power_of_two((slope > 0 ? slope : 1) / std::abs(c_given[i]));
}

void QpScaled::choose_row_scales() {
  for (Index r = 0; r < rows; ++r) {
    normals.col(r).array() *= D.array();
    const double length = normals.col(r).norm();
    E[r] = length > 0 ? power_of_two(1 / length) : 1;
    normals.col(r) *= E[r];
  }
}

// Without curvature there is no natural relation of c to x. The guess: the curvature that balances
// c at a typical distance of the constraints, which follows all units of c, A and b.
void QpScaled::choose_curvature() {
  if ((curvature.array() > 0).all()) return;
  double slope = 0;
  for (Index i = 0; i < n; ++i)
    if (curvature[i] == 0) slope = std::max(slope, std::abs(c[i]));
  LogMean distance;
  for (const VecMap* v : {&b, &lower, &upper})
    for (const double entry : *v) distance.include(entry);
  const double guess = slope > 0 && !distance.empty() ? power_of_two(slope / distance.value()) : 1;
  for (Index i = 0; i < n; ++i)
    if (curvature[i] == 0) curvature[i] = guess;
}

double QpScaled::typical_right_side() const {
  LogMean typical;
  for (Index row = 0; row < rows; ++row)
    if (!is_empty(row)) typical.include(b[row] / E[row]);
  return typical.empty() ? 0 : typical.value();
}

bool QpScaled::is_equality(QpSide side) const {
  if (!is_bound(side)) return side.row < equalities;
  return lower[side.row - rows] == upper[side.row - rows];
}

double QpScaled::rhs(QpSide side) const {
  if (!is_bound(side)) return side.sign * b[side.row];
  return side.sign > 0 ? upper[side.row - rows] : -lower[side.row - rows];
}

double QpScaled::value(QpSide side, const VecMap& x) const {
  return side.sign * (is_bound(side) ? x[side.row - rows] : normals.col(side.row).dot(x));
}

void QpScaled::add_normal(QpSide side, double t, VecMap& v) const {
  if (is_bound(side)) {
    v[side.row - rows] += side.sign * t;
  } else {
    v += (side.sign * t) * normals.col(side.row);
  }
}

}  // namespace sinew

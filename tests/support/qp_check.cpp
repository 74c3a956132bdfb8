#include "support/qp_check.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <vector>

namespace sinew::test {
namespace {

using Eigen::Index;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

double largest(const VecX& v) { return v.size() > 0 ? v.cwiseAbs().maxCoeff() : 0; }

void append(MatX& A, VecX& b, const VecX& row, double rhs) {
  A.conservativeResize(A.rows() + 1, Eigen::NoChange);
  A.bottomRows(1) = row.transpose();
  b.conservativeResize(b.size() + 1);
  b[b.size() - 1] = rhs;
}

/// All finite inequalities and bounds as rows a x ≤ β.
void collect_sides(const QpData& qp, MatX& A, VecX& b) {
  A.resize(0, qp.n());
  for (Index k = 0; k < qp.b_i.size(); ++k)
    if (std::isfinite(qp.b_i[k])) append(A, b, qp.A_i.row(k), qp.b_i[k]);
  for (Index i = 0; i < qp.n(); ++i) {
    if (std::isfinite(qp.upper[i])) append(A, b, VecX::Unit(qp.n(), i), qp.upper[i]);
    if (std::isfinite(qp.lower[i])) append(A, b, -VecX::Unit(qp.n(), i), -qp.lower[i]);
  }
}

}  // namespace

QpData::QpData(Index n)
    : H(MatX::Zero(n, n)),
      c(VecX::Zero(n)),
      A_e(0, n),
      A_i(0, n),
      lower(VecX::Constant(n, -kInfinity)),
      upper(VecX::Constant(n, kInfinity)) {}

void QpData::add_equality(const VecX& a, double b) { append(A_e, b_e, a, b); }
void QpData::add_inequality(const VecX& a, double b) { append(A_i, b_i, a, b); }

QpProblem QpData::view() const {
  return {.H = H,
          .c = c,
          .A_e = A_e,
          .b_e = b_e,
          .A_i = A_i,
          .b_i = b_i,
          .lower = lower,
          .upper = upper};
}

VecX QpData::combination(const VecX& y) const {
  return A_e.transpose() * y.head(b_e.size()) +
         A_i.transpose() * y.segment(b_e.size(), b_i.size()) + y.tail(n());
}

void QpData::remove(int row) {
  const Index inequality = row - b_e.size(), variable = inequality - b_i.size();
  if (variable >= 0) {
    lower[variable] = -kInfinity;
    upper[variable] = kInfinity;
  } else if (inequality >= 0) {
    b_i[inequality] = kInfinity;
  } else {
    A_e.row(row).setZero();
    b_e[row] = 0;
  }
}

QpData QpData::only(const std::vector<int>& rows, const VecX& weights) const {
  QpData qp = *this;
  for (int row = 0; row < row_count(); ++row)
    if (std::find(rows.begin(), rows.end(), row) == rows.end()) qp.remove(row);
  for (Index i = 0; i < n(); ++i) {
    const double weight = weights[row_count() - n() + i];
    if (weight < 0) qp.upper[i] = kInfinity;
    if (weight > 0) qp.lower[i] = -kInfinity;
  }
  return qp;
}

MatX positive_definite(Random& random, int n) {
  const MatX B = random.matx(n, n);
  return B * B.transpose() + 0.1 * MatX::Identity(n, n);
}

QpData random_problem(Random& random, int n, int m) {
  QpData qp(n);
  qp.H = positive_definite(random, n);
  qp.c = random.vecx(n, 5);
  qp.A_i = random.matx(m, n);
  qp.b_i = VecX::Constant(m, 0.1);
  return qp;
}

double distance(const VecX& a, const VecX& b) { return largest(a - b); }

double kkt_error(const QpData& qp, const VecX& x, const VecX& multipliers) {
  const Index n = qp.n(), m_e = qp.b_e.size(), m_i = qp.b_i.size();
  const VecX Hx = qp.H * x, forces = qp.combination(multipliers);
  const double gradient = std::max({1.0, largest(Hx), largest(qp.c), largest(forces)});
  const double length = std::max(1.0, largest(x));
  double error = largest(Hx + qp.c + forces) / gradient;
  if (m_e > 0) error = std::max(error, largest(qp.A_e * x - qp.b_e) / length);
  const auto side = [&](double excess, double multiplier) {  // excess ≤ 0, multiplier ≥ 0
    error = std::max(error, excess / length);
    error = std::max(error, -multiplier / gradient);
    if (multiplier > 0) error = std::max(error, -excess * multiplier / (length * gradient));
  };
  for (Index k = 0; k < m_i; ++k) side(qp.A_i.row(k).dot(x) - qp.b_i[k], multipliers[m_e + k]);
  for (Index i = 0; i < n; ++i) {
    const double mu = multipliers[m_e + m_i + i];
    side(x[i] - qp.upper[i], std::max(mu, 0.0));
    side(qp.lower[i] - x[i], std::max(-mu, 0.0));
  }
  return error;
}

std::string farkas_fault(const QpData& qp, const VecX& y) {
  const Index m_e = qp.b_e.size(), m_i = qp.b_i.size();
  const double size = largest(y);
  if (!(size > 0)) return "no weights";
  if (largest(qp.combination(y)) > 1e-9 * size) return "the combination of the rows is not zero";
  if (m_i > 0 && y.segment(m_e, m_i).minCoeff() < 0) return "negative weight of an inequality";
  double value = qp.b_e.dot(y.head(m_e));
  for (Index k = 0; k < m_i; ++k)
    if (y[m_e + k] != 0) value += y[m_e + k] * qp.b_i[k];
  for (Index i = 0; i < qp.n(); ++i) {
    const double weight = y[m_e + m_i + i];
    if (weight != 0) value += weight * (weight > 0 ? qp.upper[i] : qp.lower[i]);
  }
  // Contradictions made by the tests are of order one.
  return value < -1e-6 * size ? "" : "the value of the combination is not negative";
}

std::string ray_fault(const QpData& qp, const VecX& d) {
  const double size = largest(d), zero = 1e-9 * size;
  if (!(size > 0)) return "no direction";
  if (largest(qp.H * d) > zero * std::max(1.0, qp.H.cwiseAbs().maxCoeff()))
    return "H d is not zero";
  if (!(qp.c.dot(d) < -1e-6 * size)) return "the objective does not fall";
  if (qp.b_e.size() > 0 && largest(qp.A_e * d) > zero) return "A_e d is not zero";
  if (qp.b_i.size() > 0 && (qp.A_i * d).maxCoeff() > zero) return "A_i d is positive";
  for (Index i = 0; i < qp.n(); ++i) {
    if (std::isfinite(qp.upper[i]) && d[i] > zero) return "an upper bound is in the way";
    if (std::isfinite(qp.lower[i]) && d[i] < -zero) return "a lower bound is in the way";
  }
  return "";
}

// If there is a minimiser, there is one where the active sides contain an independent set W that
// pins x but for directions that no constraint sees, with multipliers ≥ 0 on W (theorem of
// Carathéodory). The least-norm solution of the optimality system of that W is then a minimiser.
std::optional<VecX> minimise_by_enumeration(const QpData& qp) {
  const Index n = qp.n(), m_e = qp.b_e.size();
  MatX A;
  VecX b;
  collect_sides(qp, A, b);
  for (unsigned set = 0; set < (1u << b.size()); ++set) {
    const int count = std::popcount(set);
    if (count > n) continue;
    const Index size = n + m_e + count;
    MatX K = MatX::Zero(size, size);
    VecX rhs(size);
    K.topLeftCorner(n, n) = qp.H;
    rhs.head(n) = -qp.c;
    K.block(n, 0, m_e, n) = qp.A_e;
    rhs.segment(n, m_e) = qp.b_e;
    Index next = n + m_e;
    for (Index k = 0; k < b.size(); ++k)
      if (set >> k & 1u) {
        K.block(next, 0, 1, n) = A.row(k);
        rhs[next++] = b[k];
      }
    K.topRightCorner(n, size - n) = K.bottomLeftCorner(size - n, n).transpose();
    const VecX solution = K.completeOrthogonalDecomposition().solve(rhs);
    if (largest(K * solution - rhs) > 1e-9) continue;
    const VecX x = solution.head(n);
    if (b.size() > 0 && (A * x - b).maxCoeff() > 1e-9) continue;
    if (count > 0 && solution.tail(count).minCoeff() < -1e-9) continue;
    return x;
  }
  return std::nullopt;
}

bool feasible_by_enumeration(const QpData& qp) {
  QpData nearest = qp;
  nearest.H.setIdentity();
  nearest.c.setZero();
  return minimise_by_enumeration(nearest).has_value();
}

}  // namespace sinew::test

#include "sinew/math/piecewise_polynomial.hpp"

#include <algorithm>
#include <cmath>

#include "sinew/math/types.hpp"

namespace sinew {
namespace {

constexpr size_t kMostNaturalPoints = 200;

std::string point_defect(const std::vector<double>& x, const std::vector<double>& y) {
  if (x.size() != y.size()) return "has different numbers of x and y values";
  if (x.size() < 2) return "has fewer than 2 points";
  for (size_t i = 0; i < x.size(); ++i)
    if (!std::isfinite(x[i]) || !std::isfinite(y[i])) return "has a value that is not finite";
  for (size_t i = 1; i < x.size(); ++i)
    if (!(x[i] > x[i - 1]))
      return "has an x that does not increase, at point " + std::to_string(i + 1);
  return {};
}

/// Value and three derivatives of Σ_k c_k dᵏ.
template <class Coefficients>
std::array<double, 4> evaluate(const Coefficients& c, double d) {
  std::array<double, 4> p{};
  for (auto it = c.rbegin(); it != c.rend(); ++it) {
    for (size_t k = 3; k > 0; --k) p[k] = p[k] * d + p[k - 1];
    p[0] = p[0] * d + *it;
  }
  return {p[0], p[1], 2 * p[2], 6 * p[3]};
}

/// σ_i = f''(x_i)/6 of EndCubic: continuity of f' in between,
///     h_{i−1} σ_{i−1} + 2 (h_{i−1} + h_i) σ_i + h_i σ_{i+1} = s_i − s_{i−1},
/// and (σ_1 − σ_0)/h_0 = f[x_0, x_1, x_2, x_3] at the ends, h the intervals, s the chords' slopes.
std::vector<double> end_cubic_curvatures(const std::vector<double>& x,
                                         const std::vector<double>& s) {
  const size_t n = x.size();
  std::vector<double> diagonal(n), sigma(n, 0.0), h(n - 1);
  for (size_t i = 0; i + 1 < n; ++i) h[i] = x[i + 1] - x[i];
  if (n == 2) return sigma;
  diagonal.front() = -h.front();
  diagonal.back() = -h.back();
  for (size_t i = 1; i + 1 < n; ++i) {
    diagonal[i] = 2 * (h[i - 1] + h[i]);
    sigma[i] = s[i] - s[i - 1];
  }
  if (n > 3) {
    const auto third = [&](size_t i) {  // f[x_i, …, x_{i+3}]
      return (sigma[i + 2] / (x[i + 3] - x[i + 1]) - sigma[i + 1] / (x[i + 2] - x[i])) /
             (x[i + 3] - x[i]);
    };
    const double first = third(0), last = third(n - 4);
    sigma.front() = first * h.front() * h.front();
    sigma.back() = -last * h.back() * h.back();
  }
  for (size_t i = 1; i < n; ++i) {
    const double t = h[i - 1] / diagonal[i - 1];
    diagonal[i] -= t * h[i - 1];
    sigma[i] -= t * sigma[i - 1];
  }
  sigma.back() /= diagonal.back();
  for (size_t i = n - 1; i-- > 0;) sigma[i] = (sigma[i] - h[i] * sigma[i + 1]) / diagonal[i];
  return sigma;
}

}  // namespace

PiecewisePolynomial::Data::Data(std::vector<double> knots, const std::vector<double>& y)
    : x(std::move(knots)), defect(point_defect(x, y)) {
  if (!defect.empty()) return;
  pieces.resize(x.size() + 1);
  for (size_t i = 0; i + 1 < x.size(); ++i)
    pieces[i + 1] = {y[i], (y[i + 1] - y[i]) / (x[i + 1] - x[i])};
  pieces.front() = pieces[1];
  pieces.back() = {y.back(), pieces[x.size() - 1][1]};
}

PiecewisePolynomial PiecewisePolynomial::Linear(std::vector<double> x,
                                                const std::vector<double>& y) {
  return PiecewisePolynomial(Data(std::move(x), y));
}

PiecewisePolynomial PiecewisePolynomial::EndCubic(std::vector<double> x,
                                                  const std::vector<double>& y) {
  Data out(std::move(x), y);
  if (!out.defect.empty()) return PiecewisePolynomial(std::move(out));
  const size_t n = out.x.size();
  std::vector<double> slope;
  for (size_t i = 1; i < n; ++i) slope.push_back(out.pieces[i][1]);
  const std::vector<double> sigma = end_cubic_curvatures(out.x, slope);
  for (size_t i = 0; i + 1 < n; ++i) {
    const double h = out.x[i + 1] - out.x[i];
    out.pieces[i + 1] = {y[i], slope[i] - h * (sigma[i + 1] + 2 * sigma[i]), 3 * sigma[i],
                         (sigma[i + 1] - sigma[i]) / h};
  }
  const double h = out.x[n - 1] - out.x[n - 2];
  out.pieces.front() = {y.front(), out.pieces[1][1]};
  out.pieces.back() = {y.back(), slope.back() + h * (sigma[n - 2] + 2 * sigma[n - 1])};
  return PiecewisePolynomial(std::move(out));
}

// f = Σ_{k<m} a_k uᵏ + Σ_j w_j |u − u_j|^p, p = 2m − 1, with Σ_j w_j u_jᵏ = 0 for k < m, which
// makes f a polynomial of degree m − 1 outside; u is x scaled to [−1, 1].
PiecewisePolynomial PiecewisePolynomial::Natural(std::vector<double> x,
                                                 const std::vector<double>& y, int m) {
  Data out(std::move(x), y);
  if (!out.defect.empty()) return PiecewisePolynomial(std::move(out));
  const auto n = static_cast<Eigen::Index>(out.x.size());
  if (m < 1 || m > 4) out.defect = "has a half order that is not 1, 2, 3 or 4";
  if (n < m) out.defect = "has fewer points than half its order";
  if (out.x.size() > kMostNaturalPoints) out.defect = "has more than 200 points";
  if (!out.defect.empty()) return PiecewisePolynomial(std::move(out));

  const int p = 2 * m - 1;
  const double middle = 0.5 * (out.x.front() + out.x.back());
  const double half = 0.5 * (out.x.back() - out.x.front());
  VecX u(n), right = VecX::Zero(n + m);
  for (Eigen::Index i = 0; i < n; ++i) {
    u[i] = (out.x[static_cast<size_t>(i)] - middle) / half;
    right[i] = y[static_cast<size_t>(i)];
  }
  MatX A = MatX::Zero(n + m, n + m);
  for (Eigen::Index i = 0; i < n; ++i) {
    for (Eigen::Index j = 0; j < n; ++j) A(i, j) = std::pow(std::abs(u[i] - u[j]), p);
    for (Eigen::Index k = 0; k < m; ++k)
      A(i, n + k) = A(n + k, i) = std::pow(u[i], static_cast<double>(k));
  }
  const VecX solution = A.fullPivLu().solve(right);

  // Taylor coefficients about knot i, to the right or (sign −1) to the left of it.
  const auto about = [&](Eigen::Index i, double side) {
    Coefficients c{};
    for (int k = 0; k <= p; ++k) {
      double binomial = 1;  // p over k
      for (int r = 0; r < k; ++r) binomial *= static_cast<double>(p - r) / (r + 1);
      double sum = 0;
      for (Eigen::Index j = 0; j < n; ++j) {
        const double d = u[i] - u[j], sign = j == i ? side : (d > 0 ? 1 : -1);
        sum += solution[j] * sign * std::pow(d, p - k);
      }
      sum *= binomial;
      for (int q = k; q < m; ++q) {
        double over = 1;  // q over k
        for (int r = 0; r < k; ++r) over *= static_cast<double>(q - r) / (r + 1);
        sum += solution[n + q] * over * std::pow(u[i], q - k);
      }
      c[static_cast<size_t>(k)] = sum / std::pow(half, k);
    }
    c[0] = y[static_cast<size_t>(i)];
    return c;
  };
  out.pieces.front() = about(0, -1);
  for (Eigen::Index i = 0; i < n; ++i) out.pieces[static_cast<size_t>(i + 1)] = about(i, 1);
  for (size_t k = static_cast<size_t>(m); k <= static_cast<size_t>(p); ++k)
    out.pieces.front()[k] = out.pieces.back()[k] = 0;  // they cancel up to rounding
  return PiecewisePolynomial(std::move(out));
}

std::array<double, 4> PiecewisePolynomial::derivatives(double at) const {
  const std::vector<double>& x = data_->x;
  const std::vector<Coefficients>& pieces = data_->pieces;
  if (at < x.front()) return evaluate(pieces.front(), at - x.front());
  if (at > x.back()) return evaluate(pieces.back(), at - x.back());
  const auto i = static_cast<size_t>(std::upper_bound(x.begin() + 1, x.end() - 1, at) - x.begin());
  return evaluate(pieces[i], at - x[i - 1]);
}

PiecewisePolynomial PiecewisePolynomial::scaled(double factor) const {
  Data out = *data_;
  for (Coefficients& piece : out.pieces)
    for (double& c : piece) c *= factor;
  return PiecewisePolynomial(std::move(out));
}

}  // namespace sinew

#include "sinew/math/quintic_spline.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "sinew/core/error.hpp"

namespace sinew {

namespace {

using Mat6 = Eigen::Matrix<double, 6, 6>;

/// ∫₀¹ g‴² of the quintic g(τ) with values, slopes and second derivatives (y₀ d₀ s₀ y₁ d₁ s₁) at
/// its ends, as a quadratic form. With g = y₀ + d₀τ + ½s₀τ² + a₃τ³ + a₄τ⁴ + a₅τ⁵ the conditions at
/// τ = 1 give, Δ = y₁ − y₀,
///     a₃ = 10Δ − 6d₀ − 4d₁ − (3s₀ − s₁)/2
///     a₄ = −15Δ + 8d₀ + 7d₁ + (3s₀ − 2s₁)/2
///     a₅ = 6Δ − 3d₀ − 3d₁ − (s₀ − s₁)/2
/// and g‴ = 6a₃ + 24a₄τ + 60a₅τ².
Mat6 unit_energy() {
  Eigen::Matrix<double, 3, 6> a;
  a << -10, -6, -1.5, 10, -4, 0.5,  //
      15, 8, 1.5, -15, 7, -1,       //
      -6, -3, -0.5, 6, -3, 0.5;
  const Vec3 scale(6, 24, 60);
  const Eigen::Matrix<double, 3, 6> third = scale.asDiagonal() * a;
  Mat3 gram;  // ∫ τ^(i+j)
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) gram(i, j) = 1.0 / (i + j + 1);
  return third.transpose() * gram * third;
}

void check_times(const std::vector<double>& t, const MatX& values, const std::string& element) {
  if (t.size() < 3 || values.rows() != static_cast<Eigen::Index>(t.size()))
    throw Error(element, "has too few rows for a quintic spline", "give three or more");
  for (size_t i = 0; i < t.size(); ++i)
    if (!std::isfinite(t[i]) || (i > 0 && !(t[i] > t[i - 1])))
      throw Error(element, "its times do not increase", "sort the rows and leave out doubles");
  if (!values.allFinite())
    throw Error(element, "has values that are not numbers", "fill the gaps first");
}

/// Solves the symmetric block-tridiagonal system with blocks of size b: diagonal D, below it B
/// (B[i] couples i + 1 to i), right-hand sides in rows of x, which becomes the solution.
void solve_blocks(int b, std::vector<MatX>& D, const std::vector<MatX>& B, MatX& x) {
  const size_t n = D.size();
  std::vector<Eigen::LLT<MatX>> factor(n);
  for (size_t i = 0; i < n; ++i) {
    const auto row = static_cast<Eigen::Index>(i) * b;
    if (i > 0) {
      D[i].noalias() -= B[i - 1] * factor[i - 1].solve(B[i - 1].transpose());
      x.middleRows(row, b).noalias() -= B[i - 1] * factor[i - 1].solve(x.middleRows(row - b, b));
    }
    factor[i].compute(D[i]);
  }
  for (size_t i = n; i-- > 0;) {
    const auto row = static_cast<Eigen::Index>(i) * b;
    if (i + 1 < n) x.middleRows(row, b).noalias() -= B[i].transpose() * x.middleRows(row + b, b);
    x.middleRows(row, b) = factor[i].solve(x.middleRows(row, b)).eval();
  }
}

}  // namespace

QuinticSpline::QuinticSpline(std::vector<double> times, const MatX& values, double lambda,
                             const std::string& element)
    : times_(std::move(times)) {
  check_times(times_, values, element);
  const size_t n = times_.size();
  const auto rows = static_cast<Eigen::Index>(n);
  // Unknowns (y, d H, s H²) with the mean spacing H, so that blocks have similar magnitudes;
  // without smoothing y is known, and only the last two are unknown.
  const double H = (times_.back() - times_.front()) / static_cast<double>(n - 1);
  const bool smooth = lambda > 0;
  const int first = smooth ? 0 : 1, b = 3 - first;
  std::vector<MatX> D(n, MatX::Zero(b, b)), B(n - 1);
  MatX x = MatX::Zero(rows * b, values.cols());
  const Mat6 unit = unit_energy();
  for (size_t i = 0; i + 1 < n; ++i) {
    const double h = times_[i + 1] - times_[i], r = h / H;
    Vec6 scale;
    scale << 1, r, r * r, 1, r, r * r;
    // λ ∫ f‴² dt = λ/h⁵ ∫ g‴² dτ; λ drops out without smoothing
    const Mat6 E = (smooth ? lambda / std::pow(h, 5) : std::pow(r, -5)) *
                   (scale.asDiagonal() * unit * scale.asDiagonal()).eval();
    D[i] += E.block(first, first, b, b);
    D[i + 1] += E.block(3 + first, 3 + first, b, b);
    B[i] = E.block(3 + first, first, b, b);
    if (smooth) continue;
    const auto row = static_cast<Eigen::Index>(i);
    for (const Eigen::Index end : {0, 1}) {
      x.middleRows((row + end) * b, b) -= E.block(3 * end + 1, 0, 2, 1) * values.row(row) +
                                          E.block(3 * end + 1, 3, 2, 1) * values.row(row + 1);
    }
  }
  if (smooth)
    for (size_t i = 0; i < n; ++i) {
      const double before = times_[i] - times_[i > 0 ? i - 1 : 0];
      const double after = times_[i + 1 < n ? i + 1 : i] - times_[i];
      const double w = 0.5 * (before + after);
      D[i](0, 0) += w;
      x.row(static_cast<Eigen::Index>(i) * b) = w * values.row(static_cast<Eigen::Index>(i));
    }
  solve_blocks(b, D, B, x);
  f_ = values;
  d_.resize(rows, values.cols());
  s_.resize(rows, values.cols());
  for (Eigen::Index i = 0; i < rows; ++i) {
    if (smooth) f_.row(i) = x.row(i * b);
    d_.row(i) = x.row(i * b + b - 2) / H;
    s_.row(i) = x.row(i * b + b - 1) / (H * H);
  }
}

QuinticSpline QuinticSpline::Interpolate(std::vector<double> times, const MatX& values,
                                         const std::string& element) {
  return QuinticSpline(std::move(times), values, 0, element);
}

QuinticSpline QuinticSpline::Smooth(std::vector<double> times, const MatX& values, double cutoff,
                                    const std::string& element) {
  if (!(cutoff > 0) || !std::isfinite(cutoff))
    throw Error(element, "the cut-off frequency is not above zero", "give it in Hz, such as 6");
  const double lambda = (std::numbers::sqrt2 - 1) / std::pow(2 * std::numbers::pi * cutoff, 6);
  return QuinticSpline(std::move(times), values, lambda, element);
}

void QuinticSpline::evaluate(double t, VecRef f, VecRef rate, VecRef acceleration) const {
  // Beyond the ends f‴ = 0: a parabola.
  const auto parabola = [&](Eigen::Index i, double x) {
    f = (f_.row(i) + x * d_.row(i) + 0.5 * x * x * s_.row(i)).transpose();
    rate = (d_.row(i) + x * s_.row(i)).transpose();
    acceleration = s_.row(i).transpose();
  };
  if (!(t > times_.front())) return parabola(0, t - times_.front());
  if (t >= times_.back()) return parabola(f_.rows() - 1, t - times_.back());
  const auto after = std::upper_bound(times_.begin(), times_.end(), t);
  const auto i = static_cast<Eigen::Index>(after - times_.begin()) - 1;
  const double h = *after - *(after - 1), x = (t - *(after - 1)) / h;
  for (Eigen::Index k = 0; k < f_.cols(); ++k) {
    const double y = f_(i, k), d0 = h * d_(i, k), s0 = h * h * s_(i, k);
    const double d1 = h * d_(i + 1, k), s1 = h * h * s_(i + 1, k), D = f_(i + 1, k) - y;
    const double a3 = 10 * D - 6 * d0 - 4 * d1 - 1.5 * s0 + 0.5 * s1;
    const double a4 = -15 * D + 8 * d0 + 7 * d1 + 1.5 * s0 - s1;
    const double a5 = 6 * D - 3 * d0 - 3 * d1 - 0.5 * s0 + 0.5 * s1;
    f[k] = y + x * (d0 + x * (0.5 * s0 + x * (a3 + x * (a4 + x * a5))));
    rate[k] = (d0 + x * (s0 + x * (3 * a3 + x * (4 * a4 + x * 5 * a5)))) / h;
    acceleration[k] = (s0 + x * (6 * a3 + x * (12 * a4 + x * 20 * a5))) / (h * h);
  }
}

}  // namespace sinew

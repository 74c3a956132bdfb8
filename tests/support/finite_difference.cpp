#include "support/finite_difference.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "sinew/core/error.hpp"

namespace sinew {
namespace {

constexpr int kFirstHalfDecade = 2;  // h = 10^(−2/2)
constexpr int kLastHalfDecade = 18;  // h = 10^(−18/2)

/// The parts of a central difference of step h.
struct Difference {
  MatX D;
  double rounding = 0;  // ε max |f| / h_k, the least error D can be trusted to have
};

Difference difference(const VectorFunction& f, const VecX& x, double h) {
  Difference result;
  VecX y = x;
  for (Eigen::Index k = 0; k < x.size(); ++k) {
    const double step = h * std::max(1.0, std::abs(x[k]));
    const double above = x[k] + step, below = x[k] - step;
    y[k] = above;
    const VecX f_above = f(y);
    y[k] = below;
    const VecX f_below = f(y);
    y[k] = x[k];
    if (k == 0) result.D.resize(f_above.size(), x.size());
    // The rounded step, not the requested one: at h = 1e-9 they differ in the seventh digit.
    result.D.col(k) = (f_above - f_below) / (above - below);
    result.rounding = std::max(result.rounding, std::numeric_limits<double>::epsilon() *
                                                    f_above.lpNorm<Eigen::Infinity>() / step);
  }
  return result;
}

/// Slope of log error over log h by least squares on steps [first, last).
double fitted_slope(const DifferenceSweep& sweep, std::size_t first, std::size_t last) {
  double n = 0, sx = 0, sy = 0, sxx = 0, sxy = 0;
  for (std::size_t i = first; i < last; ++i) {
    const double x = std::log10(sweep.steps[i]), y = std::log10(sweep.errors[i]);
    n += 1;
    sx += x;
    sy += y;
    sxx += x * x;
    sxy += x * y;
  }
  return (n * sxy - sx * sy) / (n * sxx - sx * sx);
}

/// Fills slope and exact. Rounding error is taken to be best_error at best_step and to grow as 1/h
/// away from it; steps whose error is at least 100 times that are clean. Of those the five
/// smallest, two decades, are used: at large steps higher powers of h bend the line.
void measure_slope(DifferenceSweep& sweep, std::size_t best) {
  std::size_t last = best;
  const auto clean = [&](std::size_t i) {
    const double rounding = sweep.best_error * sweep.best_step / sweep.steps[i];
    return std::isfinite(sweep.errors[i]) && sweep.errors[i] > 100 * rounding;
  };
  while (last > 0 && !clean(last - 1)) --last;
  std::size_t first = last;
  while (first > 0 && last - first < 5 && clean(first - 1)) --first;
  if (last - first >= 3) {
    sweep.slope = fitted_slope(sweep, first, last);
  } else {
    // Fewer than three clean steps leave no room for a falling error: it starts at rounding
    // (exact), or never falls (a plateau whose minimum happens to come early).
    sweep.exact = sweep.best_error < 1e-9;
  }
}

}  // namespace

MatX central_difference(const VectorFunction& f, const VecX& x, double h) {
  return difference(f, x, h).D;
}

DifferenceSweep check_derivative(const VectorFunction& f, const VecX& x, const MatX& claimed) {
  const VecX value = f(x);
  if (x.size() == 0 || value.size() == 0 || claimed.rows() != value.size() ||
      claimed.cols() != x.size()) {
    throw Error(
        "derivative check",
        fmt::format("the claimed derivative is {}×{} for a function from {} to {} variables",
                    claimed.rows(), claimed.cols(), x.size(), value.size()),
        "give one row per value and one column per variable, at least one of each");
  }
  DifferenceSweep sweep;
  sweep.scale = claimed.cwiseAbs().maxCoeff();
  if (sweep.scale == 0) sweep.scale = value.cwiseAbs().maxCoeff();
  if (sweep.scale == 0) sweep.scale = 1;
  for (int k = kFirstHalfDecade; k <= kLastHalfDecade; ++k) {
    const double h = std::pow(10.0, -0.5 * k);
    const auto [D, rounding] = difference(f, x, h);
    const double error = D.allFinite()
                             ? std::max((D - claimed).cwiseAbs().maxCoeff(), rounding) / sweep.scale
                             : std::numeric_limits<double>::infinity();
    sweep.steps.push_back(h);
    sweep.errors.push_back(error);
  }
  const auto best = std::min_element(sweep.errors.begin(), sweep.errors.end());
  const auto index = static_cast<std::size_t>(best - sweep.errors.begin());
  sweep.best_error = *best;
  sweep.best_step = sweep.steps[index];
  measure_slope(sweep, index);
  return sweep;
}

bool DifferenceSweep::confirms(double tolerance) const {
  return best_error <= tolerance && (exact || slope > 1.8);
}

std::string DifferenceSweep::table() const {
  std::string text = fmt::format("best error {:.2e} at step {:.2e}, slope {:.2f}{}\n", best_error,
                                 best_step, slope, exact ? " (exact)" : "");
  for (std::size_t i = 0; i < steps.size(); ++i)
    text += fmt::format("  h = {:.2e}   error {:.2e}\n", steps[i], errors[i]);
  return text;
}

}  // namespace sinew

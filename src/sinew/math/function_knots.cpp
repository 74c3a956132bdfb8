#include "sinew/math/function_knots.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace sinew {
namespace {

constexpr size_t kOrders = 4;  // f to f'''
/// Of the size of a derivative: what equations for the pieces' coefficients leave between two that
/// should agree. Largest for natural splines of degree 7 through many points.
constexpr double kAgreement = 1e-6;

/// `derivatives` gives f to f''' on the side of x on which its argument is.
template <class Derivatives>
std::vector<FunctionKnot> find_knots(const std::vector<double>& x, const Derivatives& derivatives) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  using All = std::array<double, kOrders>;
  std::vector<All> left, right;
  double low = kInfinity, high = -kInfinity;
  for (const double at : x) {
    left.push_back(derivatives(std::nextafter(at, -kInfinity)));
    right.push_back(derivatives(std::nextafter(at, kInfinity)));
    low = std::min({low, left.back()[0], right.back()[0]});
    high = std::max({high, left.back()[0], right.back()[0]});
  }
  std::vector<FunctionKnot> out;
  for (size_t k = 0; k < x.size(); ++k) {
    // A derivative is as large as here and at the neighbours, or as a lower one makes it that
    // changes over an interval.
    double interval = kInfinity;
    if (k > 0) interval = std::min(interval, x[k] - x[k - 1]);
    if (k + 1 < x.size()) interval = std::min(interval, x[k + 1] - x[k]);
    double size = high - low;
    for (size_t order = 0; order < kOrders; ++order) {
      if (order > 0) {
        size /= interval;
        for (size_t n = k > 0 ? k - 1 : 0; n < std::min(k + 2, x.size()); ++n)
          size = std::max({size, std::abs(left[n][order]), std::abs(right[n][order])});
      }
      if (!(std::abs(right[k][order] - left[k][order]) > kAgreement * size)) continue;
      out.push_back({x[k], static_cast<int>(order)});
      break;
    }
  }
  return out;
}

}  // namespace

std::vector<FunctionKnot> knots_of(const ScalarFunction& function) {
  if (const auto* f = std::get_if<NaturalCubicSpline>(&function))
    return find_knots(f->x(), [&](double x) { return f->derivatives(x); });
  if (const auto* f = std::get_if<PiecewisePolynomial>(&function))
    return find_knots(f->knots(), [&](double x) { return f->derivatives(x); });
  return {};
}

}  // namespace sinew

#pragma once

#include <vector>

#include "sinew/math/types.hpp"

namespace sinew {

/// The natural quintic spline: the function through (or near) the points with the least ∫ f‴² dt.
/// It has four continuous derivatives; at the ends, and beyond them, f‴ = 0. Several columns share
/// their times. O(points × columns).
class QuinticSpline {
 public:
  /// Through the points. At least 3 times, increasing; otherwise an Error names `element`. `values`
  /// has one row for each time.
  static QuinticSpline Interpolate(std::vector<double> times, const MatX& values,
                                   const std::string& element);
  /// Near the points: minimises Σ w_i (y_i − f(t_i))² + λ ∫ f‴², w_i the time that belongs to point
  /// i. In the middle of many points this is a filter without phase shift, with transfer function
  ///     1/(1 + λ ω⁶):
  /// λ is chosen so that it is 1/√2 at the frequency `cutoff` [Hz].
  static QuinticSpline Smooth(std::vector<double> times, const MatX& values, double cutoff,
                              const std::string& element);

  const std::vector<double>& times() const { return times_; }
  int columns() const { return static_cast<int>(f_.cols()); }
  /// f, ḟ and f̈ of every column at t.
  void evaluate(double t, VecRef f, VecRef rate, VecRef acceleration) const;
  /// f at the times.
  const MatX& values() const { return f_; }

 private:
  QuinticSpline(std::vector<double> times, const MatX& values, double lambda,
                const std::string& element);
  std::vector<double> times_;
  MatX f_, d_, s_;  ///< f, ḟ, f̈ at the times
};

}  // namespace sinew

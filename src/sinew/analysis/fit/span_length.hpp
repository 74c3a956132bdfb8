#pragma once

#include <array>
#include <vector>

#include "sinew/analysis/fit/curve_sensitivity.hpp"
#include "sinew/analysis/fit/pose_metric.hpp"

namespace sinew {

/// Length of a part of a spline curve in a metric [m], and its derivatives by the twists of the
/// four frames that make it.
struct CurveLength {
  double length = 0;
  std::array<int, 4> frames{};
  std::array<Vec6, 4> by_frames{};
};

/// Of all spans, in order, by Gauss's rule of five points.
std::vector<CurveLength> span_lengths(const CurveSensitivity& sensitivity,
                                      const CubicBSpline& spline, const PoseMetric& metric);

/// How far the curve would go over `width` with its speed at q.
CurveLength length_at_speed(const CurveSensitivity& sensitivity, double q, double width,
                            const PoseMetric& metric);

}  // namespace sinew

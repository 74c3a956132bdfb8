#pragma once

#include <vector>

#include "sinew/analysis/fit/curve_least_squares.hpp"

/// The start of a fit of a spline curve, and its parameter.

namespace sinew {

/// The knots of a spline whose spans end at these values of q; an open one has three more on either
/// side, as far apart as those of the outermost spans.
std::vector<double> knots_with_breaks(const std::vector<double>& breaks, SplineEnds ends);
CubicBSpline spline_with_breaks(const std::vector<double>& breaks, SplineEnds ends);

/// Control frames on the measured motion: frame j is the pose, between measured ones that count, at
/// the mean of the three knots inside its influence (Greville's abscissa).
CurveEstimate start_on_poses(const std::vector<Pose>& poses, const VecX& q, const VecX& weights,
                             const CubicBSpline& spline);

/// Length of the whole curve in the metric [m].
double curve_length(const CurveEstimate& curve, const PoseMetric& metric);

/// The same curve with q scaled so that its range is as long as the curve, from 0 [m].
CurveEstimate scaled_to_length(const CurveEstimate& curve, const PoseMetric& metric);

}  // namespace sinew

#pragma once

#include <optional>
#include <vector>

#include "sinew/analysis/fit/pose_metric.hpp"
#include "sinew/model/joints/spline_joints.hpp"

/// Spline curve joints from measured poses of one bone against another (Lee and Terzopoulos 2008
/// section 6). Derivation in docs/theory/joint_fitting.md.

namespace sinew {

struct CurveFitOptions {
  PoseMetric metric = PoseMetric::AtPoint(Vec3::Zero(), 0.1);
  SplineEnds ends = SplineEnds::open;
  int frames = 0;  ///< number of control frames; 0: chosen
  /// [m]; if positive, the fewest frames with which no pose that counts is further off
  double tolerance = 0;
  /// Weight of the smoothing; it has no unit, 0 does not smooth. Empty: by cross-validation.
  std::optional<double> smoothing = 0.0;
  bool robust = false;   ///< poses that lie far off the others count less, or not at all
  double period = 0;     ///< of a loop whose q is given: how much q grows in one turn
  int iterations = 100;  ///< at most, of each Gauss–Newton
};

struct CurveFit {
  SplineCurve curve;
  PoseMetric metric;
  VecX q;                     ///< of each pose
  VecX distances;             ///< from each pose to the curve, in the metric [m]
  VecX weights;               ///< of each pose: 1, or less if the fit is robust
  double smoothing = 0;       ///< the weight used
  int iterations = 0;         ///< of the last Gauss–Newton
  std::vector<double> steps;  ///< largest movement of a frame in each of them [m]
  bool converged = false;
  /// Standard deviation of one of the six components of a measured pose, in the metric [m]; NaN if
  /// there are no more poses than the frames take.
  double deviation = 0;
  double parameters = 0;  ///< in use, besides q: 6 for each frame, less where it is smoothed
  MatX covariance = {};   ///< of the twists of the control frames, 6n×6n

  /// Covariance of the fitted pose at q: of its twist, in its own axes. 1.96 times the roots of its
  /// diagonal are the 95 % band.
  Mat6 covariance_at(double q) const;
  /// Half-widths of that band in the direction in which it is widest: [rad], and of the metric's
  /// point [m].
  struct Band {
    double angle, displacement;
  };
  Band band_at(double q) const;
};

/// A curve whose q at each pose is given, with knots evenly spaced over the range of q. Throws an
/// Error that names the pose or the frame.
CurveFit fit_curve(const std::vector<Pose>& poses, const std::vector<double>& q,
                   const CurveFitOptions& options);

/// The same for poses in order along the curve, whose q is found: it is the length of the curve in
/// the metric, from 0 [m], so that |S| ≈ 1, and every pose has the q at which the curve is nearest
/// to it (orthogonal distance). Knots are as far apart as the curve between them is long.
CurveFit fit_curve(const std::vector<Pose>& poses, const CurveFitOptions& options);

}  // namespace sinew

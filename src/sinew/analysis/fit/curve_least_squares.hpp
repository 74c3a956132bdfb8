#pragma once

#include <utility>
#include <vector>

#include "sinew/analysis/fit/pose_metric.hpp"
#include "sinew/math/bspline.hpp"

/// The control frames of a spline curve of given knots that come closest to measured poses:
/// Gauss–Newton on the frames, with the exact Jacobian. fit_curve (curve_fit.hpp) makes the choices
/// that are given here. Derivation in docs/theory/joint_fitting.md.

namespace sinew {

/// Minimises
///     Σ_k w_k d²(Q(q_k), G_k) + λ ∫ |W S′|² dq
/// over the control frames, d and W of the metric; if the q_k are to be found, also over them, with
/// spans of equal length.
struct CurveProblem {
  const std::vector<Pose>& poses;  ///< G_k; they must outlive the problem
  PoseMetric metric;
  VecX weights;          ///< w_k, one for each pose
  double smoothing = 0;  ///< λ; |W S′| is in m per square of q's unit
  /// q_k move to the nearest points of the curve; those of the first and last pose that count are
  /// held.
  bool find_q = false;
  int iterations = 100;
  /// Ends where no frame moved further than this part of the largest distance between two poses.
  double step_tolerance = 1e-12;
};

/// The first and the last pose that count.
std::pair<Eigen::Index, Eigen::Index> ends_of_counted(const VecX& weights);

/// A curve on its way.
struct CurveEstimate {
  std::vector<Pose> frames;
  CubicBSpline spline;
  VecX q;  ///< of each pose
};

/// The problem's linear model at an estimate.
struct CurveNormalEquations {
  double value = 0;  ///< of the sum above
  MatX matrix;       ///< 6n×6n: Σ w JᵀJ and what else is asked, q eliminated
  VecX gradient;     ///< half the gradient of the value
  VecX distances;    ///< d of each pose [m]
  /// d of each pose from the curve that is fitted without it, to first order; where q is found,
  /// across the curve.
  VecX left_out;
  /// The same in units of its standard deviation, for noise of 1 m in each component of a pose.
  VecX standardized;
  double trace = 0;  ///< of the matrix from poses to fitted poses: the parameters in use
};
/// All but `left_out`, `standardized` and `trace`, which solve_curve adds.
CurveNormalEquations curve_equations(const CurveProblem& problem, const CurveEstimate& at);

struct CurveSolution {
  CurveEstimate estimate;
  CurveNormalEquations equations;  ///< at the estimate
  MatX inverse;                    ///< of the matrix
  int iterations = 0;              ///< Gauss–Newton steps taken
  std::vector<double> steps;       ///< largest movement of a frame in each of them [m]
  bool converged = false;
  /// Whether the poses determine all frames; otherwise there is no inverse.
  bool determined = false;
};

CurveSolution solve_curve(const CurveProblem& problem, CurveEstimate start);

}  // namespace sinew

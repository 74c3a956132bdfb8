#pragma once

#include <string>
#include <vector>

#include "sinew/analysis/fit/curve_fit.hpp"
#include "sinew/analysis/fit/frame_fit.hpp"
#include "sinew/analysis/fit/surface_fit.hpp"

/// The joint between two bones from their measured poses, of the type that is asked for or the
/// simplest that describes them.

namespace sinew {

enum class FittedType { automatic, hinge, universal, curve, surface };
/// "auto", "hinge", "universal", "curve", "surface".
const char* name_of(FittedType type);

struct JointFitOptions {
  FittedType type = FittedType::automatic;
  CurveFitOptions curve;  ///< its metric is that of all types; robust: all but surfaces
  SurfaceFitOptions surface;
  /// Of a curve: the poses are about E_PJ Q(q) E_JB. Other types find their own.
  Pose E_PJ = {}, E_JB = {};
};

/// What is left of the measured poses with one type. If the fit is robust, all types are judged
/// with the weights w of the one that is nearest to the poses that it counts: a pose far off a
/// hinge may be where the hinge is wrong.
struct FittedCandidate {
  FittedType type;
  double rms = 0, largest = 0;  ///< distances of poses that count, in the metric [m]
  /// 6N ln Σwd² + parameters ln 6N, N = Σw: the less, the better (docs/theory/joint_fitting.md).
  double bic = 0;
  std::string problem = {};  ///< why a robust curve was not found, among other types
};

/// How evenly a joint moves over its range.
struct JointShape {
  /// |S| in the metric [m per unit of q]; of two coordinates the least and largest |S q̇| of unit q̇,
  /// each coordinate counted in parts of its range.
  double least_speed = 0, largest_speed = 0;
  VecX slowest_at = {};  ///< q
  /// |S′| in the metric; of two coordinates the length of Ṡq̇ for a unit q̇, counted as above.
  double largest_bend = 0;
};
JointShape joint_shape(const Joint& joint, double begin, double end, const PoseMetric& metric);
JointShape joint_shape(const SplineSurface& surface, const PoseMetric& metric);

struct JointFit {
  FittedType type;
  Joint joint;
  Pose E_PJ, E_JB;             ///< the poses are about E_PJ Q(q) E_JB
  MatX q;                      ///< a column for each pose
  VecX distances;              ///< of each pose, in the metric [m]
  VecX weights;                ///< of each pose: 1, or less if the fit is robust
  VecX angles, displacements;  ///< the same as an angle [rad] and as the way of the frame [m]
  std::optional<CurveFit> curve;
  std::optional<SurfaceFit> surface;
  std::optional<JointShape> shape;          ///< of a curve or a surface
  std::vector<FittedCandidate> candidates;  ///< all that were tried
};

/// q has a column for each pose, of one coordinate or of two; empty: found. Hinge and universal
/// always find their q. Without a type, poses of two coordinates are those of a surface, others
/// those of a curve, unless a hinge or a universal joint is enough. Throws an Error that names the
/// pose, and where a curve or a surface stands still within its range.
JointFit fit_joint(const std::vector<Pose>& poses, const MatX& q, const JointFitOptions& options);

}  // namespace sinew

#pragma once

#include <array>
#include <vector>

#include "sinew/analysis/fit/pose_metric.hpp"
#include "sinew/model/joints/spline_joints.hpp"

/// Spline surface joints from measured poses of one bone against another. Derivation in
/// docs/theory/joint_fitting.md.

namespace sinew {

struct SurfaceFitOptions {
  PoseMetric metric = PoseMetric::AtPoint(Vec3::Zero(), 0.1);
  std::array<int, 2> control_values = {6, 6};  ///< along q₁ and along q₂
  double smoothing = 0;                        ///< weight of the smoothing; it has no unit
  int iterations = 100;                        ///< at most
};

/// The poses are about E_PJ Q(q) E_JB, with Q of the surface. E_PJ is a mean pose, turned so that
/// the body turns least about y, which keeps Q away from the singularity of its angles. The fit
/// does not depend on the fixed frame; with a metric of points it does not depend on the moving
/// one either.
struct SurfaceFit {
  SplineSurface surface;
  Pose E_PJ, E_JB;
  MatX q;          ///< a column for each pose
  VecX distances;  ///< from each pose to the surface, in the metric [m]
  int iterations = 0;
  std::vector<double> steps;  ///< largest movement of a control value in each of them [m]
  bool converged = false;
  double parameters = 0;  ///< numbers that the poses determine, besides q
};

/// A surface whose coordinates at each pose are given, a column of two for each, over the ranges of
/// these. Throws an Error that names the pose or the control value.
SurfaceFit fit_surface(const std::vector<Pose>& poses, const MatX& q,
                       const SurfaceFitOptions& options);

/// The same for poses whose coordinates are found: lengths [m] along the two directions in which
/// the poses differ most, from where every pose moves to the nearest point of the surface. The
/// poses may be in any order. The surface must not fold back on itself as seen along these two.
SurfaceFit fit_surface(const std::vector<Pose>& poses, const SurfaceFitOptions& options);

}  // namespace sinew

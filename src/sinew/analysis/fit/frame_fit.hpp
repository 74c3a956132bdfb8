#pragma once

#include <vector>

#include "sinew/analysis/fit/pose_metric.hpp"
#include "sinew/model/joint.hpp"

/// Joints with constant axes from measured poses of one bone against another: where on the two
/// bones they are. Derivation in docs/theory/joint_fitting.md.

namespace sinew {

/// The poses are about E_PJ Q(q) E_JB, with Q of the joint.
struct FrameFit {
  Joint joint;
  Pose E_PJ, E_JB;    ///< the joint's frames, on the parent and of the body in the moving one
  MatX q;             ///< a column for each pose; zeros of the first
  VecX distances;     ///< from each pose to the joint's, in the metric [m]
  VecX weights = {};  ///< of each pose in the sum that is least
  int iterations = 0;
  bool converged = false;
  int parameters = 0;  ///< numbers that the poses determine, besides q
};

/// A pose in the sum that is least: its difference from E_PJ Q(q) E_JB in the metric, and the
/// derivatives by the twists of E_PJ and E_JB, each in its own axes, and by q.
struct FrameTerm {
  Vec6 r;
  MatX J;  ///< 6 × 12; of a fixed size it would take the compiler half a minute
  Mat6Xb by_q;
};
FrameTerm frame_term(const FrameFit& fit, const Pose& pose, const VecX& q,
                     const PoseMetric& metric);

struct FrameFitOptions {
  VecX weights = {};    ///< of each pose; empty: 1
  bool robust = false;  ///< poses that lie far off the others count less, or not at all
};

/// A hinge about z of its frames. Throws an Error that names the pose.
FrameFit fit_hinge(const std::vector<Pose>& poses, const PoseMetric& metric,
                   const FrameFitOptions& options = {});
/// A universal joint: x of the fixed frame, then y of the moving one.
FrameFit fit_universal(const std::vector<Pose>& poses, const PoseMetric& metric,
                       const FrameFitOptions& options = {});

}  // namespace sinew

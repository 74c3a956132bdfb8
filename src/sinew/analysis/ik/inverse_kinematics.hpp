#pragma once

#include <variant>
#include <vector>

#include "sinew/analysis/fit/pose_metric.hpp"
#include "sinew/constraints/rows/coupled_coordinates.hpp"
#include "sinew/dynamics/workspace.hpp"
#include "sinew/math/levenberg_marquardt.hpp"

/// Coordinates that bring bodies to where they shall be: nonlinear least squares with the analytic
/// Jacobian, within limits, couplings held. Derivation in docs/theory/inverse_kinematics.md.

namespace sinew {

/// A point of a body shall be at a place of the world. Adds w |x − x̂|².
struct IkPoint {
  BodyIndex body;
  Vec3 x_B = Vec3::Zero();  ///< the point, body frame [m]
  Vec3 x_W = Vec3::Zero();  ///< its place [m]
  double weight = 1;
};

/// A body shall have a pose. Adds w d², d of the metric.
struct IkPose {
  BodyIndex body;
  Pose E_WB;
  PoseMetric metric = PoseMetric::AtPoint(Vec3::Zero(), 0.1);
  double weight = 1;
};

using IkTarget = std::variant<IkPoint, IkPose>;

/// What may move, and how far.
struct IkModel {
  const Skeleton& skeleton;         ///< must outlive the model
  CoupledCoordinates coupled = {};  ///< coordinates that follow from others
  Bounds limits = {};               ///< of all coordinates; those that follow have none
  std::vector<int> held = {};       ///< coordinates that stay where the start has them
};

struct IkOptions {
  /// Starts to try, the given one first, until the targets are met to `met`. The others lie within
  /// the limits, the same every time.
  int starts = 12;
  double met = 1e-9;  ///< [m]: no target is further off
  int iterations = 200;
};

struct IkSolution {
  VecX q;
  VecX distances;       ///< of each target [m], without weights
  int iterations = 0;   ///< of all starts together
  int starts = 0;       ///< tried
  double gradient = 0;  ///< largest entry of half the gradient that limits do not hold [m²]
  bool converged = false;
};

/// Throws an Error if there are no targets or coordinates to move.
IkSolution solve_ik(const IkModel& model, const std::vector<IkTarget>& targets, const VecX& start,
                    const IkOptions& options = {});

/// Residuals √w r of all targets at q, three rows for a point and six for a pose, and unless it is
/// null their Jacobian by all coordinates of the skeleton, couplings left aside.
void ik_residuals(const Skeleton& skeleton, const std::vector<IkTarget>& targets, const VecX& q,
                  SkeletonWorkspace& ws, VecX& residuals, MatX* jacobian);

}  // namespace sinew

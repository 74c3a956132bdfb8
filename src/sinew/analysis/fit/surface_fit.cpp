#include "sinew/analysis/fit/surface_fit.hpp"

#include <string>
#include <utility>

#include "sinew/analysis/fit/fit_checks.hpp"
#include "sinew/analysis/fit/surface_least_squares.hpp"
#include "sinew/core/error.hpp"
#include "sinew/math/so3.hpp"
#include "sinew/math/symmetric_eigen.hpp"

namespace sinew {
namespace {

// The corners of a rectangle of found coordinates have no poses: without any smoothing nothing
// would say where the surface is there.
constexpr double kSmoothingOfCorners = 1e-10;

/// The rotation from which all others differ least, in the mean square of their angles.
Mat3 mean_rotation(const std::vector<Pose>& poses) {
  Mat3 R = poses.front().R;
  for (int i = 0; i < 50; ++i) {
    Vec3 mean = Vec3::Zero();
    for (const Pose& pose : poses)
      mean += log_so3(R.transpose() * pose.R) / static_cast<double>(poses.size());
    R = R * exp_so3(mean);
    if (mean.norm() < 1e-14) break;
  }
  return R;
}

/// The frames of the joint: on the parent a mean pose, on the body the metric's centre; x the
/// direction about which the body turns most, y that about which it turns least.
std::pair<Pose, Pose> joint_frames(const std::vector<Pose>& poses, const PoseMetric& metric) {
  const Mat3 R = mean_rotation(poses);
  Vec3 p = Vec3::Zero();
  Mat3 spread = Mat3::Zero();
  for (const Pose& pose : poses) {
    p += pose * metric.center() / static_cast<double>(poses.size());
    const Vec3 turn = log_so3(R.transpose() * pose.R);
    spread += turn * turn.transpose() / static_cast<double>(poses.size());
  }
  const SymmetricEigen eigen = symmetric_eigen(spread);
  Mat3 P = Mat3::Identity();
  // A body that does not turn has no such directions.
  if (eigen.values[2] > 1e-20)
    P << eigen.vectors.col(2), eigen.vectors.col(0),
        Vec3(eigen.vectors.col(2)).cross(Vec3(eigen.vectors.col(0)));
  return {Pose{R * P, p}, Pose{P.transpose(), -(P.transpose() * metric.center())}};
}

SurfaceProblem problem_of(const std::vector<Pose>& poses, const MatX& q,
                          const SurfaceFitOptions& options) {
  for (const int n : options.control_values)
    if (n < 4)
      throw Error("fit", "a surface of " + std::to_string(n) + " control values has no span",
                  "give at least four for each coordinate");
  const std::pair<Pose, Pose> frames = joint_frames(poses, options.metric);
  SurfaceProblem out{.poses = poses,
                     .metric = options.metric,
                     .E_PJ = frames.first,
                     .E_JB = frames.second,
                     .splines = {},
                     .smoothing = options.smoothing,
                     .iterations = options.iterations};
  for (size_t k = 0; k < 2; ++k) {
    const auto row = q.row(static_cast<Eigen::Index>(k));
    if (!(row.minCoeff() < row.maxCoeff()))
      throw Error("fit", "all poses have the same q" + std::to_string(k + 1),
                  "give poses that vary in both coordinates");
    out.splines[k] = CubicBSpline::Even(row.minCoeff(), row.maxCoeff(), options.control_values[k],
                                        SplineEnds::open);
  }
  return out;
}

SurfaceFit solved(const SurfaceProblem& problem, const MatX& q) {
  SurfaceSolution solution = solve_surface(problem, surface_start(problem, q));
  SplineSurface::Ranges ranges;
  for (size_t k = 0; k < 2; ++k) ranges[k] = {problem.splines[k].begin(), problem.splines[k].end()};
  const auto parameters = static_cast<double>(6 * solution.estimate.grids[0].size());
  return {.surface = SplineSurface(std::move(solution.estimate.grids),
                                   {SplineEnds::open, SplineEnds::open}, ranges),
          .E_PJ = problem.E_PJ,
          .E_JB = problem.E_JB,
          .q = std::move(solution.estimate.q),
          .distances = std::move(solution.distances),
          .iterations = solution.iterations,
          .steps = std::move(solution.steps),
          .converged = solution.converged,
          .parameters = parameters};
}

/// Lengths along the two directions of the metric in which the poses differ most.
MatX principal_coordinates(const std::vector<Pose>& poses, const PoseMetric& metric) {
  const auto n = static_cast<Eigen::Index>(poses.size());
  const auto [E_PJ, E_JB] = joint_frames(poses, metric);
  const Pose mean = E_PJ * E_JB;
  MatX differences(6, n);
  for (Eigen::Index k = 0; k < n; ++k)
    differences.col(k) = metric.difference(mean, poses[static_cast<size_t>(k)]);
  differences.colwise() -= VecX(differences.rowwise().mean());
  const SymmetricEigen eigen = symmetric_eigen(differences * differences.transpose());
  if (!(eigen.values[4] > 1e-12 * eigen.values[5]))
    throw Error("fit", "the poses lie on a curve", "ask for --type curve");
  MatX axes(6, 2);
  axes << eigen.vectors.col(5), eigen.vectors.col(4);
  return axes.transpose() * differences;
}

void check_number(const std::vector<Pose>& poses) {
  // Six numbers for each of sixteen control values.
  if (poses.size() < 16)
    throw Error("fit", "has " + std::to_string(poses.size()) + " poses",
                "a surface needs at least 16");
}

}  // namespace

SurfaceFit fit_surface(const std::vector<Pose>& measured, const MatX& q,
                       const SurfaceFitOptions& options) {
  check_number(measured);
  if (q.rows() != 2 || q.cols() != static_cast<Eigen::Index>(measured.size()) || !q.allFinite())
    throw Error("fit", "the coordinates of the poses are not two finite numbers for each",
                "give q1 and q2 of every pose");
  const std::vector<Pose> poses = checked_poses(measured);
  return solved(problem_of(poses, q, options), q);
}

SurfaceFit fit_surface(const std::vector<Pose>& measured, const SurfaceFitOptions& options) {
  check_number(measured);
  const std::vector<Pose> poses = checked_poses(measured);
  const MatX q = principal_coordinates(poses, options.metric);
  SurfaceProblem problem = problem_of(poses, q, options);
  problem.smoothing = std::max(problem.smoothing, kSmoothingOfCorners);
  problem.find_q = true;
  return solved(problem, q);
}

}  // namespace sinew

#include "sinew/analysis/fit/frame_fit.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "sinew/analysis/fit/fit_checks.hpp"
#include "sinew/analysis/fit/robust_weights.hpp"
#include "sinew/core/error.hpp"
#include "sinew/math/symmetric_eigen.hpp"

namespace sinew {
namespace {

constexpr int kFrameIterations = 200;
constexpr double kFrameStepTolerance = 1e-12;  // of the largest distance between two poses

/// The least-squares solution of least length: directions along which nothing changes (along and
/// about the axis of a hinge) stay as they are.
VecX shortest_solution(const MatX& A, const VecX& b) {
  const SymmetricEigen eigen = symmetric_eigen(A);
  VecX x = VecX::Zero(b.size());
  for (Eigen::Index i = 0; i < b.size(); ++i) {
    const double value = eigen.values[i];
    // Far above rounding and far below what poses determine badly.
    if (value > 1e-10 * eigen.values[b.size() - 1])
      x += eigen.vectors.col(i) * eigen.vectors.col(i).dot(b) / value;
  }
  return x;
}

VecX q_step(const FrameTerm& term, const Vec6& r) {
  const MatX A = term.by_q.transpose() * term.by_q;
  return -shortest_solution(A, term.by_q.transpose() * r);
}

double sum_of_squares(const FrameFit& fit, const std::vector<Pose>& poses,
                      const PoseMetric& metric) {
  double sum = 0;
  for (size_t k = 0; k < poses.size(); ++k)
    sum +=
        fit.weights[static_cast<Eigen::Index>(k)] *
        frame_term(fit, poses[k], fit.q.col(static_cast<Eigen::Index>(k)), metric).r.squaredNorm();
  return sum;
}

/// q of each pose at the frames as they are, beginning at the q of the pose before.
void settle_q(const std::vector<Pose>& poses, const PoseMetric& metric, FrameFit& fit) {
  for (Eigen::Index k = 0; k < fit.q.cols(); ++k) {
    if (k > 0) fit.q.col(k) = fit.q.col(k - 1);
    for (int i = 0; i < 30; ++i) {
      const FrameTerm term = frame_term(fit, poses[static_cast<size_t>(k)], fit.q.col(k), metric);
      VecX step = q_step(term, term.r);
      // No more than half a radian at a time: a whole turn leads nowhere.
      step *= std::min(1.0, 0.5 / std::max(step.norm(), 1e-300));
      fit.q.col(k) += step;
      if (step.norm() < 1e-9) break;
    }
  }
}

/// One Gauss–Newton step of both frames with q eliminated, shortened until the sum falls; its
/// length, or 0 if there is no better place.
double improve_frames(const std::vector<Pose>& poses, const PoseMetric& metric, FrameFit& fit) {
  MatX A = MatX::Zero(12, 12);
  VecX g = VecX::Zero(12);
  std::vector<FrameTerm> terms;
  double before = 0;
  for (size_t k = 0; k < poses.size(); ++k) {
    terms.push_back(frame_term(fit, poses[k], fit.q.col(static_cast<Eigen::Index>(k)), metric));
    const FrameTerm& term = terms.back();
    MatX left = term.J;  // when q follows
    for (Eigen::Index i = 0; i < left.cols(); ++i)
      left.col(i) += term.by_q * q_step(term, left.col(i));
    const double w = fit.weights[static_cast<Eigen::Index>(k)];
    A += w * left.transpose() * left;
    g += w * left.transpose() * term.r;
    before += w * term.r.squaredNorm();
  }
  const VecX u = -shortest_solution(A, g);
  for (double part = 1; part > 1e-6; part /= 2) {
    FrameFit trial = fit;
    const Vec6 step_P = part * u.head<6>(), step_B = part * u.tail<6>();
    trial.E_PJ = trial.E_PJ * exp(step_P);
    trial.E_JB = trial.E_JB * exp(step_B);
    for (size_t k = 0; k < poses.size(); ++k)
      trial.q.col(static_cast<Eigen::Index>(k)) +=
          part * q_step(terms[k], terms[k].r + terms[k].J * u);
    // Equal to rounding is good enough: the steps shrink by themselves.
    if (sum_of_squares(trial, poses, metric) <= before * (1 + 1e-13)) {
      fit = std::move(trial);
      return std::max(metric.length(step_P), metric.length(step_B));
    }
  }
  return 0;
}

void refine(const std::vector<Pose>& poses, const PoseMetric& metric, double extent,
            FrameFit& fit) {
  fit.converged = false;
  for (fit.iterations = 0; fit.iterations < kFrameIterations && !fit.converged; ++fit.iterations)
    fit.converged = improve_frames(poses, metric, fit) <= kFrameStepTolerance * extent;
  fit.distances.resize(static_cast<Eigen::Index>(poses.size()));
  for (Eigen::Index k = 0; k < fit.distances.size(); ++k)
    fit.distances[k] =
        frame_term(fit, poses[static_cast<size_t>(k)], fit.q.col(k), metric).r.norm();
}

FrameFit refined(const std::vector<Pose>& poses, const PoseMetric& metric,
                 const FrameFitOptions& options, FrameFit fit) {
  const double extent = extent_of(poses, metric);
  fit.weights = options.weights.size() > 0 ? options.weights
                                           : VecX::Ones(static_cast<Eigen::Index>(poses.size()));
  settle_q(poses, metric, fit);
  refine(poses, metric, extent, fit);
  for (int round = 0; options.robust && round < kRobustRounds; ++round) {
    const VecX before = fit.weights;
    // q takes its part of the six differences of a pose.
    fit.weights = biweights(fit.distances, 6 - static_cast<int>(fit.q.rows()), 1e-9 * extent);
    refine(poses, metric, extent, fit);
    if ((fit.weights - before).cwiseAbs().maxCoeff() < kRobustWeightChange) break;
  }
  return fit;
}

/// The point that stays together best, on the parent and on the body: Σ |G_k c_B − c_P|² → min.
std::pair<Vec3, Vec3> common_point(const std::vector<Pose>& poses) {
  MatX A = MatX::Zero(6, 6), J(3, 6);
  VecX b = VecX::Zero(6);
  for (const Pose& G : poses) {
    J << G.R, -Mat3::Identity();
    A += J.transpose() * J;
    b -= J.transpose() * G.p;
  }
  const Vec6 c = shortest_solution(A, b);
  return {c.tail<3>(), c.head<3>()};
}

std::vector<Pose> joint_poses(const std::vector<Pose>& poses, int least) {
  if (static_cast<int>(poses.size()) < least)
    throw Error("fit", "has " + std::to_string(poses.size()) + " poses",
                "this joint needs at least " + std::to_string(least));
  std::vector<Pose> out = checked_poses(poses);
  double turn = 0;
  for (const Pose& pose : out)
    turn = std::max(turn, log(out.front().inverse() * pose).head<3>().norm());
  // A turn of a thousandth of a radian is noise, or a joint that does not turn.
  if (!(turn > 1e-3))
    throw Error("fit", "the body does not turn between the poses",
                "give poses over the range of the joint");
  return out;
}

Mat3 from_columns(const Vec3& x, const Vec3& y, const Vec3& z) {
  Mat3 out;
  out << x, y, z;
  return out;
}

/// Axes a on the parent and b on the body that stay at right angles best: Σ (aᵀ R_k b)² → min, by
/// turns from a start for b; the sum is returned.
double perpendicular_axes(const std::vector<Pose>& poses, Vec3& a, Vec3& b) {
  double sum = 0;
  for (int i = 0; i < 200; ++i) {
    Mat3 A = Mat3::Zero();
    for (const Pose& G : poses) A += (G.R * b) * (G.R * b).transpose();
    a = symmetric_eigen(A).vectors.col(0);
    Mat3 B = Mat3::Zero();
    for (const Pose& G : poses) B += (G.R.transpose() * a) * (G.R.transpose() * a).transpose();
    const SymmetricEigen eigen = symmetric_eigen(B);
    b = eigen.vectors.col(0);
    sum = eigen.values[0];
  }
  return sum;
}

}  // namespace

FrameTerm frame_term(const FrameFit& fit, const Pose& G, const VecX& q, const PoseMetric& metric) {
  JointMotion motion;
  const VecX still = VecX::Zero(q.size());
  fit.joint.evaluate({q.data(), static_cast<size_t>(q.size())},
                     {still.data(), static_cast<size_t>(still.size())}, motion);
  const Pose behind = motion.Q * fit.E_JB, E = fit.E_PJ * behind;
  FrameTerm out;
  out.r = metric.difference(E, G);
  const Mat6 D = metric.difference_by_twist(E, G, out.r);
  out.J.resize(6, 12);
  out.J << D * Ad(behind.inverse()), D;
  out.by_q = D * Ad(fit.E_JB.inverse()) * motion.S;
  return out;
}

FrameFit fit_hinge(const std::vector<Pose>& measured, const PoseMetric& metric,
                   const FrameFitOptions& options) {
  const std::vector<Pose> poses = joint_poses(measured, 3);
  // All rotations from the first pose are about the axis, as the parent sees it.
  Mat3 A = Mat3::Zero();
  for (const Pose& G : poses) {
    const Vec3 turn = log(Pose::Rotation(G.R * poses[0].R.transpose())).head<3>();
    A += turn * turn.transpose();
  }
  const Vec3 z = symmetric_eigen(A).vectors.col(2);
  const Vec3 x = z.unitOrthogonal();
  const auto [on_parent, on_body] = common_point(poses);
  FrameFit fit{.joint = Revolute(Vec3::UnitZ()), .E_PJ = {}, .E_JB = {}, .q = {}, .distances = {}};
  fit.E_PJ = {from_columns(x, z.cross(x), z), on_parent};
  const Mat3 R = fit.E_PJ.R.transpose() * poses[0].R;
  fit.E_JB = {R, -(R * on_body)};
  fit.q = MatX::Zero(1, static_cast<Eigen::Index>(poses.size()));
  fit.parameters = 9;  // a line on each bone, and how far along it they lie
  fit = refined(poses, metric, options, std::move(fit));
  // The first pose is at zero: Q(q + q₀) = Q(q) Q(q₀).
  const double q0 = fit.q(0, 0);
  fit.E_JB = exp((Vec6() << 0, 0, q0, 0, 0, 0).finished()) * fit.E_JB;
  fit.q.array() -= q0;
  return fit;
}

FrameFit fit_universal(const std::vector<Pose>& measured, const PoseMetric& metric,
                       const FrameFitOptions& options) {
  const std::vector<Pose> poses = joint_poses(measured, 4);
  Vec3 a = Vec3::UnitX(), b = Vec3::UnitY();
  double best = std::numeric_limits<double>::infinity();
  // By turns one may end in a wrong place: the best of thirteen starts all round.
  for (int i = -1; i <= 1; ++i)
    for (int j = -1; j <= 1; ++j)
      for (int k = 0; k <= 1; ++k) {
        Vec3 on_parent, on_body(i, j, k);
        if (on_body.norm() == 0) continue;
        on_body.normalize();
        const double sum = perpendicular_axes(poses, on_parent, on_body);
        if (sum < best) best = sum, a = on_parent, b = on_body;
      }
  const auto [on_parent, on_body] = common_point(poses);
  FrameFit fit{.joint = Universal{}, .E_PJ = {}, .E_JB = {}, .q = {}, .distances = {}};
  const Vec3 y = (poses[0].R * b - a * a.dot(poses[0].R * b)).normalized();
  fit.E_PJ = {from_columns(a, y, a.cross(y)), on_parent};
  const Mat3 R = fit.E_PJ.R.transpose() * poses[0].R;
  fit.E_JB = {R, -(R * on_body)};
  fit.q = MatX::Zero(2, static_cast<Eigen::Index>(poses.size()));
  fit.parameters = 10;  // a point and a direction on each bone
  fit = refined(poses, metric, options, std::move(fit));
  const double q1 = fit.q(0, 0), q2 = fit.q(1, 0);
  fit.E_PJ = fit.E_PJ * exp((Vec6() << q1, 0, 0, 0, 0, 0).finished());
  fit.E_JB = exp((Vec6() << 0, q2, 0, 0, 0, 0).finished()) * fit.E_JB;
  fit.q.row(0).array() -= q1;
  fit.q.row(1).array() -= q2;
  return fit;
}

}  // namespace sinew

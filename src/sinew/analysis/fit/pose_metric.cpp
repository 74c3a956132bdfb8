#include "sinew/analysis/fit/pose_metric.hpp"

#include <Eigen/Eigenvalues>
#include <cmath>

#include "sinew/core/error.hpp"
#include "sinew/math/so3.hpp"

namespace sinew {

PoseMetric::PoseMetric(const Vec3& center, const Mat3& root) : center_(center), root_(root) {
  twist_weight_.setIdentity();
  twist_weight_.topLeftCorner<3, 3>() = root_;
  twist_weight_.bottomLeftCorner<3, 3>() = -skew(center_);  // velocity of c: v + ω × c
}

PoseMetric PoseMetric::AtPoint(const Vec3& point, double length) {
  if (!(length > 0) || !std::isfinite(length) || !point.allFinite())
    throw Error("metric", "the length that a radian counts as is not positive",
                "give about how far from the joint the body reaches, in metres");
  return {point, length * Mat3::Identity()};
}

PoseMetric PoseMetric::OfPoints(const std::vector<Vec3>& points) {
  Vec3 mean = Vec3::Zero();
  for (const Vec3& x : points) mean += x / static_cast<double>(points.size());
  // A small rotation θ moves x by θ × (x − c) against c: θᵀ K θ with K = tr(C) − C.
  Mat3 C = Mat3::Zero();
  for (const Vec3& x : points)
    C += (x - mean) * (x - mean).transpose() / static_cast<double>(points.size());
  const Eigen::SelfAdjointEigenSolver<Mat3> solver(C.trace() * Mat3::Identity() - C);
  // Points on a line leave the rotation about it free. A thousandth of the width is no line.
  if (points.size() < 3 || !C.allFinite() ||
      !(solver.eigenvalues()[0] > 1e-6 * solver.eigenvalues()[2]))
    throw Error("metric", "the points of the body lie on a line",
                "give at least three that do not, such as the corners of its mesh");
  return {mean, solver.operatorSqrt()};
}

PoseMetric PoseMetric::moved(const Pose& E_JB) const {
  return {E_JB * center_, E_JB.R * root_ * E_JB.R.transpose()};
}

Vec6 PoseMetric::difference(const Pose& from, const Pose& to) const {
  Vec6 r;
  r.head<3>() = root_ * log_so3(from.R.transpose() * to.R);
  r.tail<3>() = from.R.transpose() * (to * center_ - from * center_);
  return r;
}

Mat6 PoseMetric::difference_by_twist(const Pose& from, const Pose& to, const Vec6& r) const {
  // R ← R exp(ω) makes Rᵀ R_to ← exp(−ω) Rᵀ R_to; the displacement turns with the axes.
  const Vec3 angle = log_so3(from.R.transpose() * to.R);
  Mat6 D = Mat6::Zero();
  D.topLeftCorner<3, 3>() = -root_ * right_jacobian_inverse(-angle);
  D.bottomLeftCorner<3, 3>() = skew(r.tail<3>() + center_);
  D.bottomRightCorner<3, 3>() = -Mat3::Identity();
  return D;
}

}  // namespace sinew

#pragma once

#include "sinew/model/joint.hpp"

namespace sinew::test {

inline Coordinates as_span(const VecX& x) { return {x.data(), static_cast<size_t>(x.size())}; }
inline std::span<double> as_span(VecX& x) { return {x.data(), static_cast<size_t>(x.size())}; }

inline JointMotion motion(const Joint& joint, const VecX& q, const VecX& qdot) {
  JointMotion out;
  joint.evaluate(as_span(q), as_span(qdot), out);
  return out;
}

inline JointMotionDerivatives derivatives(const Joint& joint, const VecX& q, const VecX& qdot) {
  JointMotionDerivatives out;
  joint.differentiate(as_span(q), as_span(qdot), out);
  return out;
}

inline VecX vec(std::initializer_list<double> values) {
  return Eigen::Map<const VecX>(values.begin(), static_cast<Eigen::Index>(values.size()));
}

/// Largest difference between two poses, entry by entry.
inline double distance(const Pose& a, const Pose& b) {
  return std::max((a.R - b.R).cwiseAbs().maxCoeff(), (a.p - b.p).cwiseAbs().maxCoeff());
}

/// Largest difference between two joints in everything they give at (q, q̇).
inline double largest_difference(const Joint& a, const Joint& b, const VecX& q, const VecX& qdot) {
  const JointMotion ma = motion(a, q, qdot), mb = motion(b, q, qdot);
  const JointMotionDerivatives da = derivatives(a, q, qdot), db = derivatives(b, q, qdot);
  double largest = distance(ma.Q, mb.Q);
  const auto compare = [&](const Mat6Xb& x, const Mat6Xb& y) {
    largest = std::max(largest, (x - y).cwiseAbs().maxCoeff());
  };
  compare(ma.S, mb.S);
  compare(ma.Sdot, mb.Sdot);
  for (int k = 0; k < a.dof(); ++k) compare(da.dS[k], db.dS[k]);
  compare(da.dSdot_qdot, db.dSdot_qdot);
  return largest;
}

}  // namespace sinew::test

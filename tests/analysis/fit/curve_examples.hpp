#pragma once

#include <vector>

#include "sinew/analysis/fit/curve_start.hpp"
#include "sinew/math/normal_numbers.hpp"
#include "sinew/model/joints/spline_joints.hpp"
#include "support/joint_evaluation.hpp"
#include "support/random.hpp"

namespace sinew::test {

/// A curve over q = 0 … 1 of frames that are `step` [rad] and a fifth of that [m] apart, along a
/// direction that turns.
inline SplineCurve winding_curve(int frames, double step, unsigned seed,
                                 SplineEnds ends = SplineEnds::open) {
  Random random(seed);
  Vec3 axis = random.unit_vector();
  std::vector<Pose> list{random.pose(0.1)};
  for (int j = 1; j < frames; ++j) {
    axis = (axis + 0.5 * random.unit_vector()).normalized();
    Vec6 z;
    z << step * axis, 0.2 * step * random.unit_vector();
    list.push_back(list.back() * exp(z));
  }
  const int spans = ends == SplineEnds::open ? frames - 3 : frames;
  std::vector<double> breaks;
  for (int k = 0; k <= spans; ++k) breaks.push_back(static_cast<double>(k) / spans);
  return SplineCurve::WithKnots(list, ends, knots_with_breaks(breaks, ends));
}

inline Pose pose_at(const Joint& joint, double q) { return motion(joint, vec({q}), vec({1})).Q; }

/// Evenly spaced values, the ends among them.
inline std::vector<double> evenly(double begin, double end, int n) {
  std::vector<double> out;
  for (int k = 0; k < n; ++k) out.push_back(begin + (end - begin) * k / (n - 1));
  return out;
}

inline std::vector<Pose> poses_at(const Joint& joint, const std::vector<double>& q) {
  std::vector<Pose> out;
  for (const double x : q) out.push_back(pose_at(joint, x));
  return out;
}

/// Each pose displaced by normal numbers: rotation [rad] and position [m] of its frame.
inline std::vector<Pose> noisy(std::vector<Pose> poses, double rotation, double position,
                               std::uint64_t seed) {
  NormalNumbers normal(seed);
  for (Pose& pose : poses) {
    Vec6 phi;
    for (int i = 0; i < 6; ++i) phi[i] = normal() * (i < 3 ? rotation : position);
    pose = {pose.R * exp(phi).R, pose.p + phi.tail<3>()};
  }
  return poses;
}

/// Rotation [rad] and distance of the origins [m] between two poses.
struct PoseError {
  double rotation = 0, position = 0;
};
inline PoseError pose_error(const Pose& a, const Pose& b) {
  return {log(a.inverse() * b).head<3>().norm(), (a.p - b.p).norm()};
}

/// Root mean squares over 201 values of q.
inline PoseError mean_error(const Joint& a, const Joint& b, double begin, double end) {
  PoseError sum;
  for (const double q : evenly(begin, end, 201)) {
    const PoseError error = pose_error(pose_at(a, q), pose_at(b, q));
    sum.rotation += error.rotation * error.rotation / 201;
    sum.position += error.position * error.position / 201;
  }
  return {std::sqrt(sum.rotation), std::sqrt(sum.position)};
}

/// The largest over 1001 values of q.
inline PoseError largest_error(const Joint& a, const Joint& b, double begin, double end) {
  PoseError largest;
  for (const double q : evenly(begin, end, 1001)) {
    const PoseError error = pose_error(pose_at(a, q), pose_at(b, q));
    largest.rotation = std::max(largest.rotation, error.rotation);
    largest.position = std::max(largest.position, error.position);
  }
  return largest;
}

}  // namespace sinew::test

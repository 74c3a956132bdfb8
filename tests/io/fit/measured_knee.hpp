#pragma once

#include <gtest/gtest.h>

#include <cmath>

#include "analysis/fit/curve_examples.hpp"
#include "sinew/analysis/fit/curve_fit.hpp"
#include "sinew/io/osim/osim_model.hpp"
#include "support/reference.hpp"

namespace sinew::test {

/// A joint of one of OpenSim's models with its range of motion.
struct ModelJoint {
  Joint joint = Fixed{};
  double begin = 0, end = 0;
};

inline ModelJoint model_joint(const std::string& file, const std::string& name) {
  const OsimModel model = load_osim(*reference_dir() / "opensim/models" / file);
  for (const Body& body : model.skeleton.bodies())
    if (body.joint_name == name) {
      const OsimCoordinate& c = model.coordinates[static_cast<size_t>(body.first_dof.value)];
      return {body.joint, c.lower, c.upper};
    }
  throw std::runtime_error("no joint " + name);
}

/// Rajagopal2016's knee measured in 40 poses with noise of 0.5° and 0.5 mm.
struct MeasuredKnee {
  ModelJoint knee = model_joint("Rajagopal2016.osim", "walker_knee_r");
  std::vector<double> q = evenly(knee.begin, knee.end, 40);
  CurveFitOptions options;

  static constexpr double kRotation = 0.5 * 3.14159265358979 / 180, kPosition = 0.5e-3;

  MeasuredKnee() {
    options.frames = 24;
    // As many millimetres as degrees of noise.
    options.metric = PoseMetric::AtPoint(Vec3::Zero(), kPosition / kRotation);
  }
  std::vector<Pose> poses(std::uint64_t seed) const {
    return noisy(poses_at(knee.joint, q), kRotation, kPosition, seed);
  }
  PoseError error(const CurveFit& fit) const {
    return mean_error(fit.curve, knee.joint, knee.begin, knee.end);
  }
  /// √∫|S′|² dq in the metric.
  double bend(const Joint& joint) const {
    double sum = 0;
    for (const double at : evenly(knee.begin, knee.end, 401)) {
      const Mat6Xb S = derivatives(joint, vec({at}), vec({1})).dS[0];
      sum += (options.metric.twist_weight() * S.col(0)).squaredNorm();
    }
    return std::sqrt(sum * (knee.end - knee.begin) / 401);
  }
};

}  // namespace sinew::test

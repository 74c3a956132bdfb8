#include "io/fit/measured_knee.hpp"

namespace sinew {
namespace knee_fit_test {

using test::evenly;
using test::largest_error;
using test::ModelJoint;
using test::poses_at;

CurveFit fit_joint(const ModelJoint& knee, int frames) {
  CurveFitOptions options;
  options.frames = frames;
  options.metric = PoseMetric::AtPoint(Vec3::Zero(), 0.05);
  const std::vector<double> q = evenly(knee.begin, knee.end, 200);
  return fit_curve(poses_at(knee.joint, q), q, options);
}

TEST(FitKnee, FollowsTheWalkerKnee) {
  SINEW_NEEDS_REFERENCE();
  const ModelJoint knee = test::model_joint("Rajagopal2016.osim", "walker_knee_r");
  const test::PoseError eight =
      largest_error(fit_joint(knee, 8).curve, knee.joint, knee.begin, knee.end);
  EXPECT_LE(eight.rotation, 1e-3);
  EXPECT_LE(eight.position, 0.02e-3);
  const test::PoseError fifteen =
      largest_error(fit_joint(knee, 15).curve, knee.joint, knee.begin, knee.end);
  EXPECT_LE(fifteen.rotation, 5e-5);
  EXPECT_LE(fifteen.position, 1e-6);
}

TEST(FitKnee, FollowsTheKneeOfGait2392) {
  SINEW_NEEDS_REFERENCE();
  const ModelJoint knee = test::model_joint("gait2392_thelen2003muscle.osim", "knee_r");
  const CurveFit fit = fit_joint(knee, 12);
  EXPECT_LE(largest_error(fit.curve, knee.joint, knee.begin, knee.end).position, 0.05e-3);
}

// Three of the fifty seeds of tests/validate.
TEST(FitKnee, SmoothsANoisyKnee) {
  SINEW_NEEDS_REFERENCE();
  const test::MeasuredKnee m;
  CurveFitOptions smooth = m.options;
  smooth.smoothing = std::nullopt;
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    const std::vector<Pose> poses = m.poses(seed);
    const CurveFit rough = fit_curve(poses, m.q, m.options), fit = fit_curve(poses, m.q, smooth);
    // A single seed may be less lucky than the median, which is below 0.6.
    EXPECT_LE(m.error(fit).rotation, 0.7 * m.error(rough).rotation) << seed;
    EXPECT_LE(m.error(fit).position, 0.7 * m.error(rough).position) << seed;
    EXPECT_LE(m.bend(fit.curve), 2.5 * m.bend(m.knee.joint)) << seed;
    EXPECT_GE(m.bend(rough.curve), 10 * m.bend(m.knee.joint)) << seed;
  }
}

}  // namespace knee_fit_test
}  // namespace sinew

#include <algorithm>

#include "analysis/fit/noisy_knee.hpp"
#include "io/fit/measured_knee.hpp"

namespace sinew {
namespace validate_knee_fit_test {

constexpr std::uint64_t kSeeds = 50;

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + values.size() / 2, values.end());
  return values[values.size() / 2];
}

TEST(FitKnee, SmoothingHalvesTheError) {
  SINEW_NEEDS_REFERENCE();
  const test::MeasuredKnee m;
  CurveFitOptions smooth = m.options;
  smooth.smoothing = std::nullopt;
  std::vector<double> rotation, position, bend, rough_bend;
  int inside = 0, all = 0;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const std::vector<Pose> poses = m.poses(seed);
    const CurveFit rough = fit_curve(poses, m.q, m.options), fit = fit_curve(poses, m.q, smooth);
    rotation.push_back(m.error(fit).rotation / m.error(rough).rotation);
    position.push_back(m.error(fit).position / m.error(rough).position);
    bend.push_back(m.bend(fit.curve) / m.bend(m.knee.joint));
    rough_bend.push_back(m.bend(rough.curve) / m.bend(m.knee.joint));
    for (const double q : test::evenly(m.knee.begin, m.knee.end, 41)) {
      const Mat6 covariance = fit.covariance_at(q);
      const Vec6 error =
          log(test::pose_at(fit.curve, q).inverse() * test::pose_at(m.knee.joint, q));
      for (int i = 0; i < 6; ++i, ++all)
        inside += std::abs(error[i]) <= 1.96 * std::sqrt(covariance(i, i));
    }
  }
  const double covered = static_cast<double>(inside) / all;
  RecordProperty("rotation", std::to_string(median(rotation)));
  RecordProperty("position", std::to_string(median(position)));
  RecordProperty("bend", std::to_string(median(bend)));
  RecordProperty("rough_bend", std::to_string(median(rough_bend)));
  RecordProperty("covered", std::to_string(covered));
  EXPECT_LE(median(rotation), 0.6);
  EXPECT_LE(median(position), 0.6);
  EXPECT_LE(median(bend), 2.5);
  EXPECT_GE(covered, 0.90);
  EXPECT_LE(covered, 0.99);
}

// Of curves that bend by more than the noise from frame to frame. A knee bends less.
TEST(FitCurve, FindsTheNumberOfFrames) {
  int found = 0;
  for (unsigned seed = 1; seed <= kSeeds; ++seed) {
    const std::vector<double> q = test::evenly(0, 1, 40);
    const Joint truth = test::winding_curve(8, 0.4, seed);
    CurveFitOptions options;
    options.metric = PoseMetric::AtPoint(
        Vec3::Zero(), test::MeasuredKnee::kPosition / test::MeasuredKnee::kRotation);
    const std::vector<Pose> poses =
        test::noisy(test::poses_at(truth, q), test::MeasuredKnee::kRotation,
                    test::MeasuredKnee::kPosition, seed);
    found += fit_curve(poses, q, options).curve.frames().size() == 8;
  }
  RecordProperty("found", found);
  EXPECT_GE(found, 45);
}

TEST(FitKnee, WithstandsOutliers) {
  SINEW_NEEDS_REFERENCE();
  const test::MeasuredKnee m;
  CurveFitOptions options = m.options;
  options.smoothing = std::nullopt;
  CurveFitOptions robust = options;
  robust.robust = true;
  std::vector<double> rotation, position;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    std::vector<Pose> poses = m.poses(seed);
    const test::PoseError clean = m.error(fit_curve(poses, m.q, options));
    NormalNumbers normal(1000 + seed);
    for (const size_t k : {5 + seed % 14, 21 + seed % 14}) {  // 5 % of 40, ten times as far off
      Vec6 phi;
      for (int i = 0; i < 6; ++i) phi[i] = 10 * normal() * (i < 3 ? m.kRotation : m.kPosition);
      poses[k] = poses[k] * exp(phi);
    }
    const test::PoseError error = m.error(fit_curve(poses, m.q, robust));
    rotation.push_back(error.rotation / clean.rotation);
    position.push_back(error.position / clean.position);
  }
  RecordProperty("rotation", std::to_string(median(rotation)));
  RecordProperty("position", std::to_string(median(position)));
  EXPECT_LE(median(rotation), 1.5);
  EXPECT_LE(median(position), 1.5);
}

TEST(FitCurve, FindsQOfNoisyPosesAmongOutliers) {
  for (std::uint64_t seed = 1; seed <= 8; ++seed)
    for (const bool smooth : {false, true})
      test::expect_robust(test::NoisyKnee(seed), seed, smooth);
}

}  // namespace validate_knee_fit_test
}  // namespace sinew

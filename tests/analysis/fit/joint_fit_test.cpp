#include "sinew/analysis/fit/joint_fit.hpp"

#include <gtest/gtest.h>

#include "analysis/fit/curve_examples.hpp"
#include "sinew/analysis/fit/curve_functions.hpp"
#include "support/message_of.hpp"

namespace sinew {
namespace joint_fit_test {

using test::evenly;
using test::noisy;
using test::poses_at;

JointFitOptions noise_options() {
  JointFitOptions options;
  options.curve.metric = PoseMetric::AtPoint(Vec3::Zero(), 0.0573);  // 0.5 mm is as likely as 0.5°
  return options;
}

TEST(FitJoint, SaysThatAHingeIsEnough) {
  test::Random random(1);
  const Pose A = random.pose(0.1), B = random.pose(0.1);
  for (const double noise : {0.0, 1.0}) {
    std::vector<Pose> poses = poses_at(Revolute(Vec3(1, 2, 3)), evenly(0, 1.5, 30));
    for (Pose& pose : poses) pose = A * pose * B;
    const JointFit fit =
        fit_joint(noisy(poses, 0.0087 * noise, 0.0005 * noise, 2), {}, noise_options());
    EXPECT_EQ(fit.type, FittedType::hinge);
    EXPECT_EQ(fit.candidates.size(), 3u);
  }
}

TEST(FitJoint, SaysThatAHingeIsNotEnough) {
  const SplineCurve truth = test::winding_curve(6, 0.3, 2);
  const std::vector<double> q = evenly(0, 1, 40);
  const JointFit fit = fit_joint(noisy(poses_at(truth, q), 0.0087, 0.0005, 2), {}, noise_options());
  EXPECT_EQ(fit.type, FittedType::curve);
  EXPECT_GT(fit.candidates[0].rms, 3 * fit.candidates[2].rms);
  EXPECT_GT(fit.shape->least_speed, 0.8);
  EXPECT_LT(fit.shape->largest_speed, 1.2);
}

// The distance is about the child, wherever the joint's frames are.
TEST(FitJoint, MeasuresInTheChildWhereACurveHasPlaces) {
  test::Random random(5);
  JointFitOptions options;
  options.type = FittedType::curve;
  options.curve.frames = 8;
  options.E_PJ = random.pose(0.3);
  options.E_JB = random.pose(0.3);
  const std::vector<double> q = evenly(0, 1, 40);
  std::vector<Pose> poses = noisy(poses_at(test::winding_curve(8, 0.3, 3), q), 0.01, 0.001, 1);
  for (Pose& pose : poses) pose = options.E_PJ * pose * options.E_JB;
  const MatX given = Eigen::Map<const Eigen::RowVectorXd>(q.data(), 40);
  for (const PoseMetric& metric :
       {PoseMetric::AtPoint(Vec3(0, -0.1, 0), 0.05),
        PoseMetric::OfPoints({random.vec3(0.2), random.vec3(0.2), random.vec3(0.2)})}) {
    options.curve.metric = metric;
    const JointFit fit = fit_joint(poses, given, options);
    for (int k = 0; k < 40; ++k) {
      const auto i = static_cast<size_t>(k);
      const Pose E = fit.E_PJ * test::pose_at(fit.joint, q[i]) * fit.E_JB;
      EXPECT_NEAR(fit.distances[k], metric.distance(E, poses[i]), 1e-12);
    }
  }
}

TEST(FitJoint, TakesAUniversalForTwoAngles) {
  std::vector<Pose> poses;
  for (int k = 0; k < 30; ++k)
    poses.push_back(test::motion(Universal{},
                                 test::vec({0.5 * std::sin(0.9 * k), 0.5 * std::cos(1.7 * k)}),
                                 test::vec({0, 0}))
                        .Q);
  EXPECT_EQ(fit_joint(noisy(poses, 0.0087, 0.0005, 1), {}, noise_options()).type,
            FittedType::universal);
}

TEST(FitJoint, RefusesACusp) {
  std::vector<Pose> poses;
  const std::vector<double> q = evenly(-1, 1, 41);
  for (const double x : q) {
    const double there_and_back = x * x;  // stops at x = 0 and returns
    poses.push_back(exp((Vec6() << 0, 0, there_and_back, 0, 0.1 * there_and_back, 0).finished()));
  }
  JointFitOptions options;
  options.type = FittedType::curve;
  options.curve.frames = 10;
  EXPECT_NE(test::message_of([&] {
              fit_joint(poses, Eigen::Map<const Eigen::RowVectorXd>(q.data(), 41), options);
            }).find("fit: the curve stands still at q = "),
            std::string::npos);
}

TEST(CurveFunctions, AreTheCurve) {
  const SplineCurve curve = test::winding_curve(6, 0.2, 4);
  const Pose begin = test::pose_at(curve, 0);
  std::vector<Pose> frames;
  for (const Pose& frame : curve.frames()) frames.push_back(begin.inverse() * frame);
  const SplineCurve from_identity = SplineCurve::WithKnots(
      frames, SplineEnds::open, knots_with_breaks(curve.spline().breaks(), SplineEnds::open));
  const FunctionJoint joint = function_joint_of(from_identity, CoordinateKind::angle, 200);
  const test::PoseError error = test::largest_error(joint, from_identity, 0, 1);
  // Natural splines have no bend at their ends: f″h²/12 of points 0.005 apart.
  EXPECT_LE(error.rotation, 1e-5);
  EXPECT_LE(error.position, 2e-6);
}

TEST(CurveFunctions, RefuseASecondRotationNearARightAngle) {
  std::vector<Pose> frames;
  for (int j = 0; j < 6; ++j) frames.push_back(exp((Vec6() << 0, 0.4 * j, 0, 0, 0, 0).finished()));
  EXPECT_NE(test::message_of([&] {
              function_joint_of(SplineCurve::Uniform(frames, SplineEnds::open),
                                CoordinateKind::angle, 50);
            }).find("near a right angle"),
            std::string::npos);
}

}  // namespace joint_fit_test
}  // namespace sinew

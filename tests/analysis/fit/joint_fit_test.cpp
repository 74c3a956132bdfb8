#include "sinew/analysis/fit/joint_fit.hpp"

#include <gtest/gtest.h>

#include "analysis/fit/curve_examples.hpp"
#include "sinew/analysis/fit/curve_functions.hpp"
#include "sinew/math/so3.hpp"
#include "support/message_of.hpp"

namespace sinew {
namespace joint_fit_test {

using test::evenly;
using test::noisy;
using test::pose_at;
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

/// Two of 40 poses, 20 times as far off as the others.
std::vector<Pose> with_outliers(std::vector<Pose> poses, std::uint64_t seed) {
  for (const size_t k : {11u, 30u})
    poses[k] = noisy({poses[k]}, 20 * 0.0087, 20 * 0.0005, seed + k)[0];
  return poses;
}

// A joint that rolls by 8 mm as it turns: a hinge is off by three times the noise, of 1.2 mm, and
// outliers by ten times that.
TEST(FitJoint, IsNotTalkedIntoAHingeByOutliers) {
  JointFitOptions options = noise_options();
  options.curve.robust = true;
  for (unsigned seed = 1; seed <= 5; ++seed) {
    std::vector<Pose> poses;
    for (const double q : evenly(0, 1.5, 40))
      poses.push_back(exp((Vec6() << 0, 0, q, 0, 0, 0).finished()) *
                      Pose{Mat3::Identity(), Vec3(0, 0, 0.008 * std::sin(4 * q))});
    const std::vector<Pose> measured = with_outliers(noisy(poses, 0.0087, 0.0005, seed), seed);
    const JointFit fit = fit_joint(measured, {}, options);
    EXPECT_EQ(fit.type, FittedType::curve) << seed;
    EXPECT_EQ(fit.weights[11], 0) << seed;
    EXPECT_EQ(fit.weights[30], 0) << seed;
    EXPECT_GT(fit.candidates[0].rms, 0.003) << seed;
    EXPECT_LT(fit.candidates[2].rms, 0.0015) << seed;
    // Alone, a hinge takes what is wrong with it for noise, and counts most poses.
    JointFitOptions alone = options;
    alone.type = FittedType::hinge;
    EXPECT_GE((fit_joint(measured, {}, alone).weights.array() > 0).count(), 36) << seed;
  }
}

TEST(FitJoint, FindsAHingeAndAUniversalAmongOutliers) {
  test::Random random(1);
  const Pose A = random.pose(0.1), B = random.pose(0.1);
  JointFitOptions options = noise_options();
  options.curve.robust = true;
  for (unsigned seed = 1; seed <= 5; ++seed) {
    std::vector<Pose> hinge, universal;
    for (int k = 0; k < 40; ++k) {
      hinge.push_back(A * pose_at(Revolute(Vec3(1, 2, 3)), 1.5 * k / 39) * B);
      universal.push_back(
          A *
          test::motion(Universal{}, test::vec({0.5 * std::sin(0.9 * k), 0.5 * std::cos(1.7 * k)}),
                       test::vec({0, 0}))
              .Q *
          B);
    }
    for (const auto& [poses, type] :
         {std::pair(hinge, FittedType::hinge), std::pair(universal, FittedType::universal)}) {
      const JointFit fit =
          fit_joint(with_outliers(noisy(poses, 0.0087, 0.0005, seed), seed), {}, options);
      EXPECT_EQ(fit.type, type) << seed;
      EXPECT_EQ(fit.weights[11], 0) << seed;
      EXPECT_EQ(fit.weights[30], 0) << seed;
      EXPECT_GE((fit.weights.array() > 0).count(), 37) << seed;
    }
  }
}

TEST(FitJoint, RefusesARobustSurface) {
  JointFitOptions options = noise_options();
  options.curve.robust = true;
  EXPECT_EQ(test::message_of([&] { fit_joint(std::vector<Pose>(40), MatX::Zero(2, 40), options); }),
            "fit: a surface has no robust fit; leave out the poses that are far off, or ask for "
            "another type");
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

// Along q₁ the body turns about z as it moves in a direction of the parent: |Ṡq̇| = α L.
TEST(JointShape, KnowsTheBendOfCurvesAndSurfaces) {
  std::array<MatX, 6> grids;
  for (MatX& grid : grids) grid = MatX::Zero(4, 4);
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j)
      grids[0](i, j) = 0.2 * j, grids[1](i, j) = 0.1 * i, grids[5](i, j) = 0.7 * j;
  const SplineSurface surface(grids, {SplineEnds::open, SplineEnds::open},
                              SplineSurface::Ranges{{{0, 2}, {-1, 1}}});
  const PoseMetric metric = PoseMetric::AtPoint(Vec3::Zero(), 0.05);
  const auto at = [&](double q) {
    return test::motion(surface, test::vec({q, 0}), test::vec({0, 0})).Q;
  };
  const double L = (at(2).p - at(0).p).norm();
  const double turn = log(at(0).inverse() * at(2)).head<3>().norm();
  EXPECT_NEAR(joint_shape(surface, metric).largest_bend, turn * L, 1e-9);

  // Of a curve through frames of the same motion, evenly spaced: the same per square of q.
  std::vector<Pose> frames;
  for (int j = 0; j < 12; ++j)
    frames.push_back({rotation_about(Vec3::UnitZ(), 0.1 * j), Vec3(0.03 * j, 0, 0)});
  const SplineCurve curve = SplineCurve::Uniform(frames, SplineEnds::open);
  const JointShape shape = joint_shape(curve, 0, 9, metric);
  const double h = 1e-5;
  double largest = 0;
  for (int k = 1; k < 1000; ++k) {
    const double q = 9.0 * k / 1000;
    const auto S = [&](double x) {
      return Vec6(test::motion(curve, test::vec({x}), test::vec({1})).S.col(0));
    };
    largest = std::max(largest, metric.length((S(q + h) - S(q - h)) / (2 * h)));
  }
  EXPECT_NEAR(shape.largest_bend, largest, 1e-3 * largest);
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

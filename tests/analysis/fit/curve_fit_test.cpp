#include "sinew/analysis/fit/curve_fit.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "analysis/fit/curve_examples.hpp"
#include "analysis/fit/noisy_knee.hpp"
#include "sinew/analysis/fit/curve_least_squares.hpp"
#include "sinew/analysis/fit/curve_sensitivity.hpp"
#include "sinew/analysis/fit/joint_fit.hpp"
#include "sinew/analysis/fit/span_length.hpp"
#include "sinew/math/so3.hpp"
#include "support/finite_difference.hpp"
#include "support/message_of.hpp"

namespace sinew {
namespace curve_fit_test {

using test::Across;
using test::across;
using test::evenly;
using test::largest_error;
using test::message_of;
using test::noisy;
using test::NoisyKnee;
using test::pose_at;
using test::poses_at;
using test::winding_curve;

CurveFitOptions with_frames(int frames) {
  CurveFitOptions options;
  options.frames = frames;
  return options;
}

double distance_of_frames(const SplineCurve& a, const SplineCurve& b) {
  double largest = 0;
  for (size_t j = 0; j < a.frames().size(); ++j)
    largest = std::max(largest, test::distance(a.frames()[j], b.frames()[j]));
  return largest;
}

/// The q at which the curve is nearest to the poses, but for those that are held: the ends.
void move_to_nearest(const CurveProblem& problem, CurveEstimate& at) {
  const CurveSensitivity curve(at.frames, at.spline);
  const Eigen::Index end = at.q.size() - (at.spline.ends() == SplineEnds::open ? 1 : 0);
  const double h = 1e-6;
  for (Eigen::Index k = 1; k < end; ++k) {
    const auto slope = [&](double q) {
      const Pose& G = problem.poses[static_cast<size_t>(k)];
      const CurvePoseSensitivity pose = curve.pose(q);
      const Vec6 r = problem.metric.difference(pose.Q, G);
      return r.dot(problem.metric.difference_by_twist(pose.Q, G, r) * pose.S);
    };
    for (int i = 0; i < 12; ++i)
      at.q[k] -= slope(at.q[k]) * 2 * h / (slope(at.q[k] + h) - slope(at.q[k] - h));
    EXPECT_LE(std::abs(slope(at.q[k])), 1e-12);
  }
}

// The gradient that Gauss–Newton descends, against differences of the sum that it minimises: with q
// given, smoothed and with weights; with q found, where they are nearest.
TEST(CurveLeastSquares, HasTheGradientOfItsSum) {
  for (const SplineEnds ends : {SplineEnds::open, SplineEnds::cyclic})
    for (const bool find_q : {false, true}) {
      SCOPED_TRACE(fmt::format("loop {}, q found {}", ends == SplineEnds::cyclic, find_q));
      const SplineCurve truth = winding_curve(6, 0.5, 2, ends);
      const std::vector<double> q = evenly(0, ends == SplineEnds::open ? 1 : 0.95, 20);
      const std::vector<Pose> poses = noisy(poses_at(truth, q), 0.05, 0.005, 3);
      CurveProblem problem{.poses = poses,
                           .metric = PoseMetric::AtPoint(Vec3(0.01, 0.02, -0.01), 0.05),
                           .weights = VecX::LinSpaced(20, 0.5, 2),
                           .smoothing = 1e-5,
                           .find_q = find_q};
      CurveEstimate start{noisy(truth.frames(), 0.02, 0.002, 4), truth.spline(),
                          Eigen::Map<const VecX>(q.data(), 20)};
      if (find_q) move_to_nearest(problem, start);
      const auto value = [&](const VecX& u) {
        CurveEstimate at = start;
        for (size_t j = 0; j < at.frames.size(); ++j)
          at.frames[j] = at.frames[j] * exp(Vec6(u.segment<6>(static_cast<Eigen::Index>(6 * j))));
        return VecX::Constant(1, curve_equations(problem, at).value);
      };
      const VecX gradient = curve_equations(problem, start).gradient;
      const DifferenceSweep sweep =
          check_derivative(value, VecX::Zero(gradient.size()), 2 * gradient.transpose());
      EXPECT_TRUE(sweep.confirms()) << sweep.table();
    }
}

TEST(FitCurve, RecoversAnExactCurveInFiveIterations) {
  for (unsigned seed = 1; seed <= 10; ++seed)
    for (const SplineEnds ends : {SplineEnds::open, SplineEnds::cyclic}) {
      const SplineCurve truth = winding_curve(8, 0.6, seed, ends);
      const std::vector<double> q = evenly(0, ends == SplineEnds::open ? 1 : 39.0 / 40, 40);
      CurveFitOptions options = with_frames(8);
      options.ends = ends;
      options.period = 1;
      options.iterations = 5;
      const CurveFit fit = fit_curve(poses_at(truth, q), q, options);
      EXPECT_LE(distance_of_frames(fit.curve, truth), 1e-10) << seed;
      EXPECT_LE(fit.distances.maxCoeff(), 1e-10) << seed;
    }
}

TEST(FitCurve, FindsQAlongWithTheFrames) {
  const SplineCurve truth = winding_curve(8, 0.4, 3);
  std::vector<double> q = evenly(0, 1, 60);
  for (size_t k = 1; k + 1 < q.size(); ++k) q[k] += 0.006 * std::sin(9.0 * static_cast<double>(k));
  const CurveFit fit = fit_curve(poses_at(truth, q), with_frames(28));
  EXPECT_TRUE(fit.converged);
  // Along its length the motion is no spline: what 28 frames leave of 2.8 rad and 0.33 m. It is
  // 2.4e-3 with 8, and 1.6e-5 with 40.
  EXPECT_LE(fit.distances.maxCoeff(), 1e-4);
  const CubicBSpline& spline = fit.curve.spline();
  double least = INFINITY, largest = 0;
  for (const double at : evenly(spline.begin(), spline.end(), 200)) {
    const double speed =
        fit.metric.length(test::motion(fit.curve, test::vec({at}), test::vec({1})).S.col(0));
    least = std::min(least, speed);
    largest = std::max(largest, speed);
  }
  EXPECT_GT(least, 0.98);
  EXPECT_LT(largest, 1.02);
  // Knots are as far apart as the curve between them is long.
  const CurveSensitivity sensitivity(fit.curve.frames(), spline);
  const std::vector<CurveLength> lengths = span_lengths(sensitivity, spline, fit.metric);
  for (size_t k = 0; k < lengths.size(); ++k)
    EXPECT_NEAR(lengths[k].length, spline.breaks()[k + 1] - spline.breaks()[k],
                1e-6 * spline.end());
  // Orthogonal distance: no other q is nearer.
  for (size_t k = 0; k < q.size(); ++k) {
    const double at = fit.q[static_cast<Eigen::Index>(k)];
    const Pose measured = pose_at(truth, q[k]);
    for (const double step : {-1e-3, 1e-3})
      EXPECT_LE(fit.distances[static_cast<Eigen::Index>(k)],
                fit.metric.distance(pose_at(fit.curve, at + step), measured));
  }
}

TEST(FitCurve, ClosesALoopWhoseQIsFound) {
  const SplineCurve truth = [] {
    std::vector<Pose> frames;
    for (int j = 0; j < 12; ++j) {
      const double angle = 2 * std::numbers::pi * j / 12;
      const Mat3 R = exp((Vec6() << 0, 0, angle, 0, 0, 0).finished()).R;
      frames.push_back({R, (0.1 + 0.02 * std::cos(2 * angle)) * R.col(0)});
    }
    return SplineCurve::Uniform(frames, SplineEnds::cyclic);
  }();
  CurveFitOptions options = with_frames(24);
  options.ends = SplineEnds::cyclic;
  const CurveFit fit = fit_curve(poses_at(truth, evenly(0, 12.0 * 79 / 80, 80)), options);
  EXPECT_TRUE(fit.converged);
  EXPECT_LE(fit.distances.maxCoeff(), 2e-5);  // of a loop of 0.9 m
}

// The metric speaks of the body; where the poses are seen from must not matter.
TEST(FitCurve, DoesNotDependOnTheFixedFrame) {
  test::Random random(7);
  const Pose C = random.pose();
  const std::vector<double> q = evenly(0, 1, 30);
  const std::vector<Pose> poses = noisy(poses_at(winding_curve(8, 0.3, 4), q), 0.01, 0.001, 1);
  std::vector<Pose> seen;
  for (const Pose& pose : poses) seen.push_back(C * pose);
  std::vector<Vec3> points;
  for (int i = 0; i < 12; ++i) points.push_back(random.vec3(0.2));
  for (const PoseMetric& metric :
       {PoseMetric::AtPoint(Vec3(0, -0.1, 0), 0.05), PoseMetric::OfPoints(points)}) {
    CurveFitOptions options = with_frames(12);
    options.metric = metric;
    options.smoothing = 1e-6;
    const CurveFit fit = fit_curve(poses, q, options), other = fit_curve(seen, q, options);
    for (size_t j = 0; j < 12; ++j)
      EXPECT_LE(test::distance(C * fit.curve.frames()[j], other.curve.frames()[j]), 1e-10);
  }
}

TEST(FitCurve, DoesNotDependOnTheMovingFrameInTheMetricOfPoints) {
  test::Random random(8);
  const Pose C = random.pose();
  const std::vector<double> q = evenly(0, 1, 30);
  const std::vector<Pose> poses = noisy(poses_at(winding_curve(8, 0.3, 4), q), 0.01, 0.001, 1);
  std::vector<Pose> seen;
  for (const Pose& pose : poses) seen.push_back(pose * C);
  std::vector<Vec3> points, moved;
  for (int i = 0; i < 12; ++i) {
    points.push_back(random.vec3(0.2));
    moved.push_back(C.inverse() * points.back());
  }
  CurveFitOptions options = with_frames(12), other_options = options;
  options.smoothing = other_options.smoothing = 1e-6;
  options.metric = PoseMetric::OfPoints(points);
  other_options.metric = PoseMetric::OfPoints(moved);
  const auto difference = [&] {
    const CurveFit fit = fit_curve(poses, q, options), other = fit_curve(seen, q, other_options);
    double largest = 0;
    for (size_t j = 0; j < 12; ++j)
      largest =
          std::max(largest, test::distance(fit.curve.frames()[j] * C, other.curve.frames()[j]));
    return largest;
  };
  EXPECT_LE(difference(), 1e-10);
  // A length at the origin of the frame is about another point after the change.
  options.metric = other_options.metric = PoseMetric::AtPoint(Vec3::Zero(), 0.1);
  EXPECT_GT(difference(), 1e-5);
}

TEST(FitCurve, FindsTheNumberOfFrames) {
  int found = 0;
  for (unsigned seed = 1; seed <= 5; ++seed) {
    const std::vector<double> q = evenly(0, 1, 60);
    const std::vector<Pose> poses = poses_at(winding_curve(8, 0.4, seed), q);
    CurveFitOptions options;
    EXPECT_EQ(fit_curve(poses, q, options).curve.frames().size(), 8u);
    options.metric = PoseMetric::AtPoint(Vec3::Zero(), 0.0573);
    found += fit_curve(noisy(poses, 0.0087, 0.0005, seed), q, options).curve.frames().size() == 8u;
  }
  EXPECT_GE(found, 4);  // nine in ten, over more seeds in tests/validate
}

TEST(FitCurve, TakesTheFewestFramesWithinATolerance) {
  const std::vector<double> q = evenly(0, 1, 60);
  const std::vector<Pose> poses = poses_at(winding_curve(12, 0.3, 2), q);
  CurveFitOptions options;
  options.tolerance = 1e-3;
  const CurveFit fit = fit_curve(poses, q, options);
  const int frames = static_cast<int>(fit.curve.frames().size());
  EXPECT_LE(fit.distances.maxCoeff(), 1e-3);
  EXPECT_GT(fit_curve(poses, q, with_frames(frames - 1)).distances.maxCoeff(), 1e-3);
  options.tolerance = 1e-6;
  EXPECT_NE(message_of([&] {
              fit_curve(noisy(poses, 0.01, 0.001, 1), q, options);
            }).find("no number of frames comes within the tolerance"),
            std::string::npos);
}

/// A calm motion with noise, and more frames than it needs.
struct NoisyMotion {
  SplineCurve truth = winding_curve(6, 0.35, 5);
  std::vector<double> q = evenly(0, 1, 40);
  std::vector<Pose> poses;
  CurveFitOptions options = with_frames(24);

  explicit NoisyMotion(std::uint64_t seed)
      : poses(noisy(poses_at(truth, q), 0.0087, 0.0005, seed)) {
    options.metric = PoseMetric::AtPoint(Vec3::Zero(), 0.0573);  // 0.5 mm is as likely as 0.5°
  }
};

TEST(FitCurve, SmoothsNoiseByCrossValidation) {
  const NoisyMotion m(1);
  CurveFitOptions smooth = m.options;
  smooth.smoothing = std::nullopt;
  const CurveFit rough = fit_curve(m.poses, m.q, m.options), fit = fit_curve(m.poses, m.q, smooth);
  const test::PoseError before = test::mean_error(rough.curve, m.truth, 0, 1);
  const test::PoseError after = test::mean_error(fit.curve, m.truth, 0, 1);
  EXPECT_GT(fit.smoothing, 0);
  EXPECT_LE(after.rotation, 0.6 * before.rotation);
  EXPECT_LE(after.position, 0.6 * before.position);
  // 0.0087 rad × 57.3 mm in each of three components, 0.5 mm in the others.
  EXPECT_NEAR(fit.deviation, 0.0005, 0.0001);
}

TEST(FitCurve, BandCoversTheTruth) {
  int inside = 0, all = 0;
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    NoisyMotion m(seed);
    m.options.smoothing = std::nullopt;
    const CurveFit fit = fit_curve(m.poses, m.q, m.options);
    for (const double q : evenly(0, 1, 21)) {
      const Mat6 covariance = fit.covariance_at(q);
      const Vec6 error = log(pose_at(fit.curve, q).inverse() * pose_at(m.truth, q));
      for (int i = 0; i < 6; ++i, ++all)
        inside += std::abs(error[i]) <= 1.96 * std::sqrt(covariance(i, i));
    }
  }
  EXPECT_GE(inside, 0.90 * all);
  EXPECT_LE(inside, 0.99 * all);
}

TEST(FitCurve, RobustLossIgnoresOutliers) {
  NoisyMotion m(2);
  m.options.smoothing = std::nullopt;
  const CurveFit clean = fit_curve(m.poses, m.q, m.options);
  for (const size_t k : {11u, 29u})  // 5 % of 40
    m.poses[k] = m.poses[k] * exp((Vec6() << 0.1, -0.1, 0.05, 0.01, -0.01, 0.01).finished());
  const CurveFit spoilt = fit_curve(m.poses, m.q, m.options);
  m.options.robust = true;
  const CurveFit robust = fit_curve(m.poses, m.q, m.options);
  const auto error = [&](const CurveFit& fit) {
    return test::mean_error(fit.curve, m.truth, 0, 1);
  };
  EXPECT_LE(error(robust).rotation, 1.5 * error(clean).rotation);
  EXPECT_LE(error(robust).position, 1.5 * error(clean).position);
  EXPECT_GT(error(spoilt).rotation, 1.5 * error(clean).rotation);
  EXPECT_EQ(robust.weights[11], 0);
  EXPECT_EQ(robust.weights[29], 0);
  // Of normal numbers it gives 0.74 on average.
  EXPECT_NEAR(robust.weights.sum(), 0.74 * 38, 0.1 * 38);
}

TEST(FitCurve, FindsTheNumberOfFramesAmongOutliers) {
  int found = 0, found_without = 0;
  for (unsigned seed = 1; seed <= 5; ++seed) {
    const std::vector<double> q = evenly(0, 1, 60);
    std::vector<Pose> poses = noisy(poses_at(winding_curve(8, 0.4, seed), q), 0.0087, 0.0005, seed);
    NormalNumbers normal(100 + seed);
    for (const size_t k : {7 + seed, 27 + seed, 47 + seed}) {  // 5 % of 60, forty times as far off
      Vec6 phi;
      for (int i = 0; i < 6; ++i) phi[i] = 40 * normal() * (i < 3 ? 0.0087 : 0.0005);
      poses[k] = poses[k] * exp(phi);
    }
    CurveFitOptions options;
    options.metric = PoseMetric::AtPoint(Vec3::Zero(), 0.0573);
    found_without += fit_curve(poses, q, options).curve.frames().size() == 8u;
    options.robust = true;
    found += fit_curve(poses, q, options).curve.frames().size() == 8u;
    // Outliers are beyond this tolerance; they do not count.
    options.tolerance = 5 * 0.0005 * std::sqrt(6);
    EXPECT_LE(fit_curve(poses, q, options).curve.frames().size(), 9u);
  }
  RecordProperty("found", found);
  RecordProperty("found_without", found_without);
  EXPECT_GE(found, 4);
  EXPECT_LE(found_without, 3);  // the outliers would mislead it
}

// Of poses whose noise is the same in all directions the variance of the fit is on average that of
// a pose times frames over poses. The widest of three directions has more, at the ends much more.
TEST(FitCurve, SaysHowWideTheBandIs) {
  NoisyMotion m(3);
  m.options.frames = 8;
  const CurveFit fit = fit_curve(m.poses, m.q, m.options);
  const double share = std::sqrt(8.0 / 40);
  for (const double q : evenly(0.1, 0.9, 9)) {
    const CurveFit::Band band = fit.band_at(q);
    EXPECT_GT(band.angle, 1.96 * 0.0087 * share * 0.5);
    EXPECT_LT(band.angle, 1.96 * 0.0087 * share * 2);
    EXPECT_GT(band.displacement, 1.96 * 0.0005 * share * 0.5);
    EXPECT_LT(band.displacement, 1.96 * 0.0005 * share * 2);
  }
}

TEST(FitCurve, FindsQOfNoisyPoses) {
  // As many frames as chosen; as many as the motion needs; smoothed.
  for (const int frames : {0, 8, 16}) {
    SCOPED_TRACE(frames);
    int inside = 0, all = 0;
    for (std::uint64_t seed = 1; seed <= 8; ++seed) {
      NoisyKnee m(seed);
      m.options.frames = frames;
      if (frames == 16) m.options.smoothing = std::nullopt;
      const CurveFit fit = fit_curve(m.poses, m.options);
      EXPECT_TRUE(fit.converged) << seed;
      const CubicBSpline& spline = fit.curve.spline();
      const JointShape shape = joint_shape(fit.curve, spline.begin(), spline.end(), fit.metric);
      EXPECT_GT(shape.least_speed, 0.9) << seed;
      EXPECT_LT(shape.largest_speed, 1.1) << seed;
      EXPECT_NEAR(fit.deviation, NoisyKnee::kPosition, 0.1 * NoisyKnee::kPosition) << seed;
      const Across at = across(fit);
      inside += at.inside;
      all += at.all;
    }
    const double covered = static_cast<double>(inside) / all;
    RecordProperty(fmt::format("covered_{}", frames), std::to_string(covered));
    // Four frames, which are chosen, miss more of the motion than its noise lets one see: no band
    // tells that.
    EXPECT_GE(covered, frames == 0 ? 0.85 : 0.90);
    EXPECT_LE(covered, 0.99);
  }
}

// The ends of the curve are held by poses that count; smoothing must not draw them in. Eight seeds
// in tests/validate.
TEST(FitCurve, FindsQOfNoisyPosesAmongOutliers) {
  test::expect_robust(NoisyKnee(1), 1, true);
  test::expect_robust(NoisyKnee(3), 3, false);
}

TEST(FitCurve, SmoothsANoisyLoopWhoseQIsFound) {
  const std::vector<Pose> truth = [] {
    std::vector<Pose> out;
    for (int k = 0; k < 80; ++k) {
      const double angle = 2 * std::numbers::pi * k / 80;
      // Without a full turn: nothing but its poses keeps the loop from shrinking.
      out.push_back({rotation_about(Vec3::UnitX(), 0.4 * std::sin(angle)),
                     0.1 * Vec3(std::cos(angle), std::sin(angle), 0.2 * std::cos(2 * angle))});
    }
    return out;
  }();
  CurveFitOptions options = with_frames(24);
  options.metric = PoseMetric::AtPoint(Vec3::Zero(), 0.0573);
  options.ends = SplineEnds::cyclic;
  options.smoothing = std::nullopt;
  double length = options.metric.distance(truth.back(), truth.front());
  for (size_t k = 1; k < truth.size(); ++k)
    length += options.metric.distance(truth[k - 1], truth[k]);
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    const CurveFit fit = fit_curve(noisy(truth, 0.0087, 0.0005, seed), options);
    EXPECT_TRUE(fit.converged) << seed;
    EXPECT_NEAR(fit.curve.spline().end(), length, 0.005 * length) << seed;
    // Five components of noise across the loop, less what the frames take.
    EXPECT_NEAR(std::sqrt(fit.distances.squaredNorm() / 80), 0.0005 * std::sqrt(4.0), 0.00015);
  }
  // So stiff, it becomes a point.
  options.smoothing = 10;
  EXPECT_NE(message_of([&] { fit_curve(truth, options); }).find(" m is left of poses that go 0.4"),
            std::string::npos)
      << message_of([&] { fit_curve(truth, options); });
}

// (1 − H)⁻¹ r is to first order what a fit without the pose leaves of it.
TEST(FitCurve, KnowsHowFarPosesLieFromFitsWithoutThem) {
  const NoisyMotion m(4);
  const VecX q = Eigen::Map<const VecX>(m.q.data(), 40);
  const CubicBSpline spline = CubicBSpline::Even(0, 1, 10, SplineEnds::open);
  VecX weights = VecX::Ones(40);
  weights[20] = 0.3;
  weights[30] = 0;  // does not count anyway
  CurveProblem problem{
      .poses = m.poses, .metric = m.options.metric, .weights = weights, .smoothing = 1e-4};
  const CurveSolution all =
      solve_curve(problem, start_on_poses(m.poses, q, VecX::Ones(40), spline));
  for (const Eigen::Index k : {0, 1, 7, 20, 30, 39}) {
    problem.weights = weights;
    problem.weights[k] = 0;
    const double away = solve_curve(problem, all.estimate).equations.distances[k];
    EXPECT_NEAR(all.equations.left_out[k], away, 0.02 * away) << k;
    EXPECT_GT(away, k == 30 ? 0 : 1.02 * all.equations.distances[k]) << k;
  }
}

TEST(FitCurve, NamesWhatIsWrong) {
  const std::vector<double> q = evenly(0, 1, 12);
  const std::vector<Pose> poses = poses_at(winding_curve(6, 0.3, 1), q);
  const auto message = [&](const std::vector<Pose>& p, const std::vector<double>& at, int frames) {
    return message_of([&] { fit_curve(p, at, with_frames(frames)); });
  };
  std::vector<Pose> reflected = poses, broken = poses, sheared = poses;
  reflected[4].R.col(2) *= -1;
  broken[2].p.x() = NAN;
  sheared[0].R.col(0) *= 1.1;
  EXPECT_EQ(message(reflected, q, 6),
            "pose 5: has a reflection in place of a rotation; make its axes right-handed: x × y = "
            "z");
  EXPECT_EQ(message(broken, q, 6),
            "pose 3: has a number that is not finite; leave it out, or fill the gap");
  EXPECT_EQ(message(sheared, q, 6),
            "pose 1: has a matrix that is not a rotation; give unit axes at right angles");
  EXPECT_EQ(message({poses[0], poses[1]}, {0, 1}, 6),
            "fit: has 2 poses; a curve needs at least four");
  EXPECT_EQ(message(poses, q, 3), "fit: has 3 control frames; a curve needs at least four");
  EXPECT_EQ(message(poses, std::vector<double>(12, 0.3), 6),
            "fit: all poses have the same q; give the q at which each was measured");
  EXPECT_EQ(message(poses, {0, 1}, 6),
            "fit: has 2 values of q for 12 poses; give one for each pose");
  std::vector<double> unknown = q;
  unknown[6] = NAN;
  EXPECT_EQ(message(poses, unknown, 6),
            "pose 7: has a q that is not finite; leave it out, or fill the gap");
  EXPECT_EQ(message(poses, q, 13),
            "fit: 12 poses do not determine control frame 13 of 13; give more poses there, ask for "
            "fewer frames, or smooth");
  std::vector<double> gap = q;
  for (int k = 1; k < 11; ++k) gap[static_cast<size_t>(k)] = k < 6 ? 0.02 * k : 1 - 0.02 * (11 - k);
  EXPECT_NE(message(poses, gap, 10).find("do not determine control frame 5 of 10"),
            std::string::npos)
      << message(poses, gap, 10);
  CurveFitOptions loop = with_frames(6);
  loop.ends = SplineEnds::cyclic;
  EXPECT_EQ(message_of([&] { fit_curve(poses, q, loop); }),
            "fit: the period of the loop is shorter than the range of q; give how much q grows in "
            "one turn");
  EXPECT_EQ(message_of([&] { fit_curve(std::vector<Pose>(5, poses[0]), with_frames(4)); }),
            "fit: all poses are the same; give poses of a joint that moves");
}

TEST(FitCurve, SmoothingDeterminesWhatPosesLeaveOpen) {
  const std::vector<double> q = evenly(0, 1, 8);
  const SplineCurve truth = winding_curve(5, 0.2, 1);
  CurveFitOptions options = with_frames(20);
  options.smoothing = 1e-9;
  const CurveFit fit = fit_curve(poses_at(truth, q), q, options);
  EXPECT_TRUE(fit.converged);
  EXPECT_LE(fit.distances.maxCoeff(), 1e-5);
}

}  // namespace curve_fit_test
}  // namespace sinew

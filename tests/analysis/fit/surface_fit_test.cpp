#include "sinew/analysis/fit/surface_fit.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <numbers>

#include "analysis/fit/curve_examples.hpp"
#include "sinew/analysis/fit/joint_fit.hpp"
#include "sinew/analysis/fit/surface_least_squares.hpp"
#include "sinew/math/so3.hpp"
#include "support/finite_difference.hpp"
#include "support/message_of.hpp"

namespace sinew {
namespace surface_fit_test {

using test::vec;

Pose surface_pose(const SplineSurface& surface, double q1, double q2) {
  return test::motion(surface, vec({q1, q2}), vec({0, 0})).Q;
}

/// A sheet of 0.1 m each way that bends and turns, over q = 0 … 1 and 0 … 2.
SplineSurface bent_sheet(int rows, int columns) {
  std::array<MatX, 6> grids;
  for (MatX& grid : grids) grid.resize(rows, columns);
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < columns; ++j) {
      const double u = static_cast<double>(j) / (columns - 1) - 0.5;
      const double v = static_cast<double>(i) / (rows - 1) - 0.5;
      grids[0](i, j) = 0.1 * u;
      grids[1](i, j) = 0.12 * v;
      grids[2](i, j) = 0.02 * (1 - u * u - 2 * v * v) + 0.005 * std::sin(4 * u);
      grids[3](i, j) = 0.8 * v + 0.1 * u * v;
      grids[4](i, j) = -0.5 * u + 0.1 * std::cos(3 * v);
      grids[5](i, j) = 0.6 * u * v;
    }
  return SplineSurface(grids, {SplineEnds::open, SplineEnds::open},
                       SplineSurface::Ranges{{{0, 1}, {0, 2}}});
}

struct Samples {
  std::vector<Pose> poses;
  MatX q;
};
Samples samples_of(const SplineSurface& surface, int each) {
  Samples out;
  out.q.resize(2, each * each);
  for (int k = 0; k < each * each; ++k) {
    out.q.col(k) =
        Eigen::Vector2d(static_cast<double>(k % each) / (each - 1), 2.0 * (k / each) / (each - 1));
    out.poses.push_back(surface_pose(surface, out.q(0, k), out.q(1, k)));
  }
  return out;
}

SurfaceFitOptions options_of(int columns, int rows) {
  SurfaceFitOptions options;
  options.metric = PoseMetric::AtPoint(Vec3(0.01, 0.02, -0.01), 0.05);
  options.control_values = {columns, rows};
  return options;
}

double root_mean_square(const VecX& x) {
  return std::sqrt(x.squaredNorm() / static_cast<double>(x.size()));
}

/// The q at which the surface is nearest to the poses: Newton's method with a matrix by
/// differences.
MatX nearest_q(const SurfaceProblem& problem, SurfaceEstimate at) {
  const double h = 1e-5;
  for (int step = 0; step < 12; ++step) {
    const MatX g = surface_equations(problem, at).q_gradient;
    std::array<MatX, 2> by_q;
    for (Eigen::Index i = 0; i < 2; ++i) {
      SurfaceEstimate aside = at;
      aside.q.row(i).array() += h;
      by_q[static_cast<size_t>(i)] = (surface_equations(problem, aside).q_gradient - g) / h;
    }
    for (Eigen::Index k = 0; k < at.q.cols(); ++k) {
      Eigen::Matrix2d H;
      H << by_q[0].col(k), by_q[1].col(k);
      at.q.col(k) -= H.inverse() * g.col(k);
    }
  }
  EXPECT_LE(surface_equations(problem, at).q_gradient.cwiseAbs().maxCoeff(), 1e-12);
  return at.q;
}

// The gradients that Gauss–Newton descends, against differences of the sum that it minimises.
TEST(SurfaceLeastSquares, HasTheGradientOfItsSum) {
  const Samples samples = samples_of(bent_sheet(5, 6), 5);
  const std::vector<Pose> poses = test::noisy(samples.poses, 0.05, 0.005, 3);
  for (const bool find_q : {false, true}) {
    SurfaceProblem problem{.poses = poses,
                           .metric = PoseMetric::AtPoint(Vec3(0.01, 0.02, -0.01), 0.05),
                           .E_PJ = Pose{rotation_about(Vec3::UnitX(), 0.2), Vec3(0, 0.01, 0.02)},
                           .E_JB = Pose{rotation_about(Vec3::UnitZ(), 0.3), Vec3(0.03, 0, 0)},
                           .splines = {CubicBSpline::Even(0, 1, 5, SplineEnds::open),
                                       CubicBSpline::Even(0, 2, 4, SplineEnds::open)},
                           .smoothing = 1e-2,
                           .find_q = find_q};
    SurfaceEstimate start = surface_start(problem, samples.q);
    const Eigen::Index n = 6 * start.grids[0].size();
    const auto check = [&](Eigen::Index unknowns, const auto& moved, const MatX& claimed) {
      const auto value = [&](const VecX& x) {
        return VecX::Constant(1, surface_equations(problem, moved(x)).value);
      };
      const DifferenceSweep sweep = check_derivative(value, VecX::Zero(unknowns), claimed);
      EXPECT_TRUE(sweep.confirms()) << sweep.table();
    };
    if (find_q) {
      const auto by_q = [&](const VecX& x) {
        SurfaceEstimate at = start;
        at.q += x.reshaped(2, at.q.cols());
        return at;
      };
      const MatX gradient = surface_equations(problem, start).q_gradient;
      check(start.q.size(), by_q, 2 * gradient.reshaped(1, start.q.size()));
      start.q = nearest_q(problem, start);
    }
    // The gradient of the control values is that where q follow: at the nearest q they need not.
    const auto by_grids = [&](const VecX& x) {
      SurfaceEstimate at = start;
      for (Eigen::Index i = 0; i < n; ++i)
        at.grids[static_cast<size_t>(i % 6)](i / 6 / 5, i / 6 % 5) += x[i];
      return at;
    };
    check(n, by_grids, 2 * surface_equations(problem, start).gradient.transpose());
  }
}

TEST(FitSurface, RecoversAnExactSurface) {
  const SplineSurface truth = bent_sheet(6, 5);
  const Samples samples = samples_of(truth, 12);
  const SurfaceFit fit = fit_surface(samples.poses, samples.q, options_of(8, 8));
  EXPECT_TRUE(fit.converged);
  // Functions of other axes are no splines of the same grid: finer ones come close.
  EXPECT_LT(fit.distances.maxCoeff(), 2e-5);
  // Laid out as the truth is, the grid is found exactly.
  SurfaceProblem problem{.poses = samples.poses,
                         .metric = options_of(5, 6).metric,
                         .E_PJ = Pose(),
                         .E_JB = Pose(),
                         .splines = truth.splines()};
  SurfaceEstimate start = surface_start(problem, samples.q);
  for (MatX& grid : start.grids) grid += 0.02 * test::Random(5).matx(6, 5);
  const SurfaceSolution exact = solve_surface(problem, start);
  EXPECT_TRUE(exact.converged);
  EXPECT_LE(exact.iterations, 8);
  for (size_t k = 0; k < 6; ++k)
    EXPECT_LT((exact.estimate.grids[k] - truth.grids()[k]).cwiseAbs().maxCoeff(), 1e-10);
}

TEST(FitSurface, DoesNotDependOnFrames) {
  const Samples samples = samples_of(bent_sheet(6, 5), 9);
  const std::vector<Pose> poses = test::noisy(samples.poses, 0.01, 0.001, 7);
  const std::vector<Vec3> corners{{0, 0, 0}, {0.1, 0, 0}, {0, 0.05, 0}, {0, 0, 0.08}};
  SurfaceFitOptions at_point = options_of(6, 6), of_points = at_point;
  of_points.metric = PoseMetric::OfPoints(corners);
  const VecX one = fit_surface(poses, samples.q, at_point).distances;
  const VecX two = fit_surface(poses, samples.q, of_points).distances;
  // Up to where the second of the angles of the poses themselves is a right angle.
  for (const double angle : {0.5, 1.4, 1.57, 3.0}) {
    const Pose turned{rotation_about(Vec3(0.2, 1, 0.1).normalized(), angle), Vec3(0.3, -0.2, 1)};
    std::vector<Pose> fixed, moving;
    std::vector<Vec3> carried;
    for (const Pose& pose : poses) {
      fixed.push_back(turned * pose);
      moving.push_back(pose * turned);
    }
    for (const Vec3& x : corners) carried.push_back(turned.inverse() * x);
    EXPECT_LT((fit_surface(fixed, samples.q, at_point).distances - one).cwiseAbs().maxCoeff(),
              1e-10);
    EXPECT_LT((fit_surface(fixed, samples.q, of_points).distances - two).cwiseAbs().maxCoeff(),
              1e-10);
    SurfaceFitOptions seen = of_points;
    seen.metric = PoseMetric::OfPoints(carried);
    EXPECT_LT((fit_surface(moving, samples.q, seen).distances - two).cwiseAbs().maxCoeff(), 1e-10);
  }
}

// Fitted angle by angle, a surface seen from where its second angle is near a right angle is worse:
// there first and third angle turn about nearly the same axis.
TEST(FitSurface, IsAsGoodWhereAnglesAreSingular) {
  const Samples samples = samples_of(bent_sheet(6, 5), 12);
  const std::vector<Pose> poses = test::noisy(samples.poses, 0.01, 0.0005, 7);
  const auto angle_by_angle = [&](const Pose& base) {
    std::vector<Pose> seen;
    for (const Pose& pose : poses) seen.push_back(base * pose);
    const SurfaceProblem problem{.poses = seen,
                                 .metric = options_of(6, 6).metric,
                                 .E_PJ = Pose(),
                                 .E_JB = Pose(),
                                 .splines = {CubicBSpline::Even(0, 1, 6, SplineEnds::open),
                                             CubicBSpline::Even(0, 2, 6, SplineEnds::open)}};
    return root_mean_square(
        surface_equations(problem, surface_start(problem, samples.q)).distances);
  };
  const double ours = root_mean_square(fit_surface(poses, samples.q, options_of(6, 6)).distances);
  EXPECT_LT(ours, 1.02 * angle_by_angle(Pose()));
  for (const double angle : {1.3, 1.4, 1.45, 1.5, 1.57}) {
    const double ratio =
        angle_by_angle({rotation_about(Vec3::UnitY(), angle), Vec3::Zero()}) / ours;
    RecordProperty(fmt::format("ratio_at_{:.0f}_degrees", angle * 180 / std::numbers::pi),
                   std::to_string(ratio));
    if (angle >= 1.45) {
      EXPECT_GT(ratio, 2) << angle;
    }
  }
}

TEST(FitSurface, FindsCoordinates) {
  const SplineSurface truth = bent_sheet(6, 5);
  const Samples samples = samples_of(truth, 12);
  SurfaceFitOptions options = options_of(8, 8);
  const SurfaceFit exact = fit_surface(samples.poses, options);
  EXPECT_LT(exact.distances.maxCoeff(), 1e-4);
  // With noise, what is left is less than with the true coordinates: q took two of six parts.
  const std::vector<Pose> poses = test::noisy(samples.poses, 0.01, 0.0005, 11);
  const double found = root_mean_square(fit_surface(poses, options).distances);
  const double given = root_mean_square(fit_surface(poses, samples.q, options).distances);
  EXPECT_LT(found, given);
  EXPECT_GT(found, 0.5 * given);
}

TEST(FitSurface, SmoothingTakesNoiseAway) {
  const SplineSurface truth = bent_sheet(5, 5);
  const Samples samples = samples_of(truth, 14), between = samples_of(truth, 41);
  const std::vector<Pose> poses = test::noisy(samples.poses, 0.01, 0.0005, 5);
  const auto error = [&](double smoothing) {
    SurfaceFitOptions options = options_of(11, 11);
    options.smoothing = smoothing;
    const SurfaceFit fit = fit_surface(poses, samples.q, options);
    double sum = 0;
    for (size_t k = 0; k < between.poses.size(); ++k) {
      const auto i = static_cast<Eigen::Index>(k);
      const Pose E =
          fit.E_PJ * surface_pose(fit.surface, between.q(0, i), between.q(1, i)) * fit.E_JB;
      sum += std::pow(options.metric.distance(E, between.poses[k]), 2);
    }
    return std::sqrt(sum / static_cast<double>(between.poses.size()));
  };
  EXPECT_LT(error(1e-5), 0.6 * error(0));
}

TEST(FitSurface, NamesWhatIsWrong) {
  const Samples samples = samples_of(bent_sheet(6, 5), 6);
  const auto message = [&](const MatX& q, int columns, size_t poses) {
    return test::message_of([&] {
      fit_surface({samples.poses.begin(), samples.poses.begin() + static_cast<long>(poses)}, q,
                  options_of(columns, 4));
    });
  };
  const auto expect = [](const std::string& text, const std::string& part) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
  };
  expect(message(samples.q, 3, 36), "has no span");
  expect(message(samples.q.leftCols(9), 4, 9), "has 9 poses");
  expect(message(samples.q.leftCols(9), 4, 36), "not two finite numbers for each");
  expect(message(MatX::Ones(2, 36), 4, 36), "all poses have the same q1");
  MatX narrow = samples.q;
  narrow(0, 35) = 20;  // one pose far off: nothing between
  expect(message(narrow, 12, 36), "no pose determines the control value in row");
  expect(message(samples.q, 12, 36), "the poses do not determine all control values");
  std::vector<Pose> line;
  for (int k = 0; k < 20; ++k) line.push_back(Pose::Translation(Vec3(0.01 * k, 0, 0)));
  expect(test::message_of([&] { fit_surface(line, options_of(4, 4)); }), "lie on a curve");
}

TEST(FitJoint, TakesASurfaceForPosesOfTwoCoordinates) {
  const Samples samples = samples_of(bent_sheet(6, 5), 12);
  JointFitOptions options;
  options.curve.metric = options_of(6, 6).metric;
  options.surface.control_values = {6, 6};
  const JointFit fit = fit_joint(test::noisy(samples.poses, 0.005, 0.0003, 2), samples.q, options);
  EXPECT_EQ(fit.type, FittedType::surface);
  ASSERT_TRUE(fit.surface && fit.shape);
  EXPECT_GT(fit.shape->least_speed, 0.02);
  EXPECT_LT(root_mean_square(fit.angles), 0.012);
  // A fold: the sheet comes back on itself.
  Samples folded = samples;
  for (Eigen::Index k = 0; k < folded.q.cols(); ++k) {
    const double x = folded.q(0, k) - 0.5;
    folded.poses[static_cast<size_t>(k)] =
        surface_pose(bent_sheet(6, 5), 4 * x * x, folded.q(1, k));
  }
  options.type = FittedType::surface;
  const std::string text = test::message_of([&] { fit_joint(folded.poses, folded.q, options); });
  EXPECT_NE(text.find("the surface stands still at q = "), std::string::npos) << text;
}

}  // namespace surface_fit_test
}  // namespace sinew

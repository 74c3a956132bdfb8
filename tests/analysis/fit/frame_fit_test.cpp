#include "sinew/analysis/fit/frame_fit.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "analysis/fit/curve_examples.hpp"
#include "support/finite_difference.hpp"
#include "support/message_of.hpp"

namespace sinew {
namespace frame_fit_test {

/// Poses of a joint between random frames.
std::vector<Pose> joint_poses(const Joint& joint, const MatX& q, const Pose& E_PJ,
                              const Pose& E_JB) {
  std::vector<Pose> out;
  for (Eigen::Index k = 0; k < q.cols(); ++k)
    out.push_back(E_PJ * test::motion(joint, q.col(k), VecX::Zero(q.rows())).Q * E_JB);
  return out;
}

const PoseMetric kMetric = PoseMetric::AtPoint(Vec3::Zero(), 0.05);

TEST(FrameFit, DifferentiatesItsResiduals) {
  test::Random random(11);
  for (const Joint& joint : {Joint(Revolute(Vec3::UnitZ())), Joint(Universal{})}) {
    const int dof = joint.dof();
    const FrameFit fit{.joint = joint,
                       .E_PJ = random.pose(0.3),
                       .E_JB = random.pose(0.3),
                       .q = {},
                       .distances = {}};
    const VecX q0 = VecX::Constant(dof, 0.4);
    const Pose G = fit.E_PJ * test::motion(joint, q0, VecX::Zero(dof)).Q * fit.E_JB *
                   exp((Vec6() << 0.3, -0.2, 0.1, 0.02, 0.01, -0.03).finished());
    // x: twists of E_PJ and E_JB, q.
    const auto residual = [&](const VecX& x) -> VecX {
      FrameFit at = fit;
      at.E_PJ = fit.E_PJ * exp(Vec6(x.head<6>()));
      at.E_JB = fit.E_JB * exp(Vec6(x.segment<6>(6)));
      return frame_term(at, G, x.tail(dof), kMetric).r;
    };
    VecX x = VecX::Zero(12 + dof);
    x.tail(dof) = q0;
    const FrameTerm term = frame_term(fit, G, q0, kMetric);
    MatX J(6, 12 + dof);
    J << term.J, term.by_q;
    const DifferenceSweep sweep = check_derivative(residual, x, J);
    EXPECT_TRUE(sweep.confirms()) << sweep.table();
  }
}

TEST(FitHinge, FindsTheAxisOfExactPoses) {
  for (unsigned seed = 1; seed <= 10; ++seed) {
    test::Random random(seed);
    const Pose E_PJ = random.pose(0.3), E_JB = random.pose(0.3);
    MatX q(1, 12);
    for (int k = 0; k < 12; ++k) q(0, k) = 0.12 * k;
    const FrameFit fit = fit_hinge(joint_poses(Revolute(Vec3::UnitZ()), q, E_PJ, E_JB), kMetric);
    EXPECT_TRUE(fit.converged);
    EXPECT_LE(fit.distances.maxCoeff(), 1e-12);
    // The same line: parallel, and through the same points.
    EXPECT_LE(fit.E_PJ.R.col(2).cross(E_PJ.R.col(2)).norm(), 1e-10);
    EXPECT_LE((fit.E_PJ.p - E_PJ.p).cross(E_PJ.R.col(2)).norm(), 1e-10);
    const double sign = fit.E_PJ.R.col(2).dot(E_PJ.R.col(2)) > 0 ? 1 : -1;
    for (int k = 0; k < 12; ++k) EXPECT_NEAR(fit.q(0, k), sign * q(0, k), 1e-9);
  }
}

TEST(FitHinge, FindsTheAxisOfNoisyPoses) {
  test::Random random(3);
  const Pose E_PJ = random.pose(0.1), E_JB = random.pose(0.1);
  MatX q(1, 60);
  for (int k = 0; k < 60; ++k) q(0, k) = 0.03 * k;
  const FrameFit fit = fit_hinge(
      test::noisy(joint_poses(Revolute(Vec3::UnitZ()), q, E_PJ, E_JB), 0.0087, 0.0005, 1), kMetric);
  EXPECT_TRUE(fit.converged);
  // 0.5° over the square root of 60 poses; a turn of 1.8 rad tells the tilts on the two bones apart
  // half as well as each alone; three times that far.
  EXPECT_LE(fit.E_PJ.R.col(2).cross(E_PJ.R.col(2)).norm(), 3 * 2 * 0.0087 / std::sqrt(60.0));
  EXPECT_LE((fit.E_PJ.p - E_PJ.p).cross(E_PJ.R.col(2)).norm(), 0.002);
  // Six components of 0.5 mm less the one that q takes.
  EXPECT_NEAR(std::sqrt(fit.distances.squaredNorm() / 60), std::sqrt(5.0) * 0.00047, 0.0002);
}

// A tenth of the poses is forty times as far off as the others.
TEST(FitHinge, IgnoresOutliers) {
  test::Random random(3);
  const Pose E_PJ = random.pose(0.1), E_JB = random.pose(0.1);
  MatX q(1, 60);
  for (int k = 0; k < 60; ++k) q(0, k) = 0.03 * k;
  std::vector<Pose> poses =
      test::noisy(joint_poses(Revolute(Vec3::UnitZ()), q, E_PJ, E_JB), 0.0087, 0.0005, 1);
  for (size_t k = 4; k < 60; k += 10) poses[k] = test::noisy({poses[k]}, 0.35, 0.02, k)[0];
  const FrameFit fit = fit_hinge(poses, kMetric, {.robust = true});
  EXPECT_TRUE(fit.converged);
  // As without them.
  EXPECT_LE(fit.E_PJ.R.col(2).cross(E_PJ.R.col(2)).norm(), 3 * 2 * 0.0087 / std::sqrt(54.0));
  EXPECT_LE((fit.E_PJ.p - E_PJ.p).cross(E_PJ.R.col(2)).norm(), 0.002);
  for (Eigen::Index k = 0; k < 60; ++k) EXPECT_EQ(fit.weights[k] == 0, k % 10 == 4) << k;
  // Twice the weight is the pose twice.
  std::vector<Pose> twice(poses.begin(), poses.begin() + 20);
  VecX weights = VecX::Ones(20);
  weights[7] = 2;
  const FrameFit weighted = fit_hinge(twice, kMetric, {.weights = weights});
  twice.insert(twice.begin() + 7, twice[7]);
  const FrameFit repeated = fit_hinge(twice, kMetric);
  EXPECT_NEAR(weighted.distances[0], repeated.distances[0], 1e-9);
  EXPECT_NEAR(weighted.distances[19], repeated.distances[20], 1e-9);
}

TEST(FitUniversal, FindsTheAxesOfExactPoses) {
  for (unsigned seed = 1; seed <= 10; ++seed) {
    test::Random random(seed);
    const Pose E_PJ = random.pose(0.3), E_JB = random.pose(0.3);
    MatX q(2, 20);
    for (int k = 0; k < 20; ++k)
      q.col(k) = Eigen::Vector2d(0.6 * std::sin(0.7 * k), 0.5 * std::cos(1.1 * k));
    const FrameFit fit = fit_universal(joint_poses(Universal{}, q, E_PJ, E_JB), kMetric);
    EXPECT_TRUE(fit.converged) << seed;
    EXPECT_LE(fit.distances.maxCoeff(), 1e-10) << seed;
    EXPECT_LE((fit.E_PJ.p - E_PJ.p).norm(), 1e-9) << seed;
    EXPECT_LE(fit.q.col(0).norm(), 1e-12);
  }
}

TEST(FitHinge, NamesWhatIsWrong) {
  std::vector<Pose> still(5);
  EXPECT_EQ(
      test::message_of([&] { fit_hinge(still, kMetric); }),
      "fit: the body does not turn between the poses; give poses over the range of the joint");
  EXPECT_EQ(test::message_of([&] {
              fit_hinge({Pose(), Pose()}, kMetric);
            }),
            "fit: has 2 poses; this joint needs at least 3");
  EXPECT_EQ(test::message_of([&] {
              fit_universal({Pose(), Pose(), Pose()}, kMetric);
            }),
            "fit: has 3 poses; this joint needs at least 4");
  still[3].R(0, 0) = NAN;
  EXPECT_EQ(test::message_of([&] { fit_hinge(still, kMetric); }),
            "pose 4: has a number that is not finite; leave it out, or fill the gap");
}

}  // namespace frame_fit_test
}  // namespace sinew

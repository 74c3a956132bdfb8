#include "sinew/analysis/ik/inverse_kinematics.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "analysis/fit/curve_examples.hpp"
#include "sinew/dynamics/kinematics.hpp"
#include "sinew/io/scene/scene.hpp"
#include "support/finite_difference.hpp"
#include "support/message_of.hpp"
#include "support/source_dir.hpp"

namespace sinew {
namespace inverse_kinematics_test {

/// A leg: ball-like hip of three hinges, a knee that was fitted to noisy poses, an ankle.
Skeleton leg() {
  const Scene scene =
      load_scene(std::filesystem::path(test::source_dir()) / "scenes/knee-fitted.json");
  const Skeleton& measured = scene.system.skeleton();
  const Joint knee = measured.body(measured.find_body("tibia")).joint;
  SkeletonBuilder builder;
  const auto add = [&](const std::string& name, const std::string& parent, Joint joint,
                       const Vec3& at = Vec3::Zero()) {
    BodySpec body;
    body.name = name;
    body.parent = parent;
    body.joint = std::move(joint);
    body.E_PJ = Pose::Translation(at);
    body.M_B = SpatialInertia::FromCentral(1, Vec3(0, -0.2, 0), 0.01 * Mat3::Identity());
    builder.add_body(body);
  };
  add("hip_z", "", Revolute(Vec3::UnitZ()));
  add("hip_x", "hip_z", Revolute(Vec3::UnitX()));
  add("thigh", "hip_x", Revolute(Vec3::UnitY()));
  add("shank", "thigh", knee);
  add("foot", "shank", Revolute(Vec3::UnitZ()), Vec3(0, -0.42, 0));
  return builder.build();
}

Bounds leg_limits() {
  Bounds out;
  out.lower = test::vec({-0.5, -0.6, -0.6, -2.2, -0.7});
  out.upper = test::vec({1.5, 0.6, 0.6, 0, 0.5});
  return out;
}

VecX within(const Bounds& limits, test::Random& random) {
  VecX q(limits.lower.size());
  for (Eigen::Index k = 0; k < q.size(); ++k)
    q[k] = random.uniform(limits.lower[k], limits.upper[k]);
  return q;
}

/// The targets that a pose of the model meets.
std::vector<IkTarget> targets_at(const Skeleton& skeleton, const VecX& q) {
  SkeletonWorkspace ws(skeleton);
  const VecX still = VecX::Zero(q.size());
  update_kinematics(skeleton, q, still, ws);
  const BodyIndex foot = skeleton.find_body("foot"), shank = skeleton.find_body("shank");
  const Vec3 toe(0.1, -0.05, 0.02);
  return {IkPose{foot, body_pose(skeleton, ws, foot)},
          IkPoint{shank, toe, body_pose(skeleton, ws, shank) * toe, 2.5}};
}

TEST(InverseKinematics, DifferentiatesItsResiduals) {
  const Skeleton skeleton = leg();
  test::Random random(1);
  const std::vector<IkTarget> targets = targets_at(skeleton, within(leg_limits(), random));
  const VecX q = within(leg_limits(), random);
  SkeletonWorkspace ws(skeleton);
  VecX r;
  MatX J;
  ik_residuals(skeleton, targets, q, ws, r, &J);
  const auto residuals = [&](const VecX& at) {
    VecX out;
    ik_residuals(skeleton, targets, at, ws, out, nullptr);
    return out;
  };
  const DifferenceSweep sweep = check_derivative(residuals, q, J);
  EXPECT_TRUE(sweep.confirms()) << sweep.table();
}

TEST(InverseKinematics, ReachesAThousandTargetsFromRandomStarts) {
  const Skeleton skeleton = leg();
  const IkModel model{.skeleton = skeleton, .coupled = {}, .limits = leg_limits()};
  test::Random random(2);
  std::vector<int> iterations;  // of all starts
  int at_first = 0;
  for (int i = 0; i < 1000; ++i) {
    const std::vector<IkTarget> targets = targets_at(skeleton, within(leg_limits(), random));
    const IkSolution solution = solve_ik(model, targets, within(leg_limits(), random));
    EXPECT_LE(solution.distances.maxCoeff(), 1e-10) << i;
    iterations.push_back(solution.iterations);
    at_first += solution.starts == 1;
  }
  std::nth_element(iterations.begin(), iterations.begin() + 500, iterations.end());
  RecordProperty("median_iterations", iterations[500]);
  RecordProperty("met_at_first_start", at_first);
  EXPECT_LE(iterations[500], 10);
}

TEST(InverseKinematics, EndsWithoutGradientWhereTargetsCannotBeReached) {
  const Skeleton skeleton = leg();
  const IkModel model{.skeleton = skeleton, .coupled = {}, .limits = leg_limits()};
  test::Random random(3);
  for (int i = 0; i < 50; ++i) {
    std::vector<IkTarget> targets = targets_at(skeleton, within(leg_limits(), random));
    std::get<IkPose>(targets[0]).E_WB.p += random.vec3(0.5);
    const IkSolution solution =
        solve_ik(model, targets, within(leg_limits(), random), {.starts = 1});
    EXPECT_TRUE(solution.converged);
    EXPECT_LE(solution.gradient, 1e-8) << i;
    for (Eigen::Index k = 0; k < 5; ++k) {
      EXPECT_GE(solution.q[k], model.limits.lower[k]);
      EXPECT_LE(solution.q[k], model.limits.upper[k]);
    }
  }
}

TEST(InverseKinematics, HoldsCouplingsAndLockedCoordinates) {
  const Skeleton skeleton = leg();
  // The ankle follows the knee: q₅ = 0.1 − 0.05 q₄.
  const ConstraintList couplings{std::make_shared<CoordinateCoupling>(CoordinateCoupling::Function(
      "ankle", DofIndex{4}, LinearFunction{.coefficients = {-0.05}, .offset = 0.1},
      {DofIndex{3}}))};
  IkModel model{
      .skeleton = skeleton, .coupled = CoupledCoordinates(couplings), .limits = leg_limits()};
  model.held = {1};
  test::Random random(4);
  VecX truth = within(leg_limits(), random), start = within(leg_limits(), random);
  truth[4] = 0.1 - 0.05 * truth[3];
  start[1] = truth[1] = 0.2;
  const IkSolution solution = solve_ik(model, targets_at(skeleton, truth), start);
  EXPECT_LE(solution.distances.maxCoeff(), 1e-10);
  EXPECT_EQ(solution.q[1], 0.2);
  EXPECT_NEAR(solution.q[4], 0.1 - 0.05 * solution.q[3], 1e-15);
}

// Two coordinates follow, one of them not linearly. At the end the sum of squares, made of
// residuals alone, is level along every free coordinate that carries its followers along. The
// solver ends at half a gradient of 1e-8; third derivatives of the knee reach 1e4, of which central
// differences at 1e-6 leave 1e-8; rounding is 1e-11.
TEST(InverseKinematics, CarriesFollowersAlongInItsJacobian) {
  const Skeleton skeleton = leg();
  const ConstraintList couplings{
      std::make_shared<CoordinateCoupling>(CoordinateCoupling::Function(
          "ankle", DofIndex{4}, SineFunction{.amplitude = 0.4, .frequency = 1, .phase = 0.3},
          {DofIndex{3}})),
      std::make_shared<CoordinateCoupling>(CoordinateCoupling::Function(
          "hip", DofIndex{1}, LinearFunction{.coefficients = {0.5}, .offset = 0.1},
          {DofIndex{0}}))};
  const IkModel model{.skeleton = skeleton, .coupled = CoupledCoordinates(couplings)};
  test::Random random(6);
  SkeletonWorkspace ws(skeleton);
  for (int i = 0; i < 10; ++i) {
    std::vector<IkTarget> targets = targets_at(skeleton, within(leg_limits(), random));
    std::get<IkPose>(targets[0]).E_WB.p += random.vec3(0.05);  // cannot be reached
    const IkSolution solution =
        solve_ik(model, targets, within(leg_limits(), random), {.starts = 1});
    ASSERT_TRUE(solution.converged) << i;
    const auto sum = [&](int free, double change) {
      VecX q = solution.q, r;
      q[free] += change;
      model.coupled.follow(q);
      ik_residuals(skeleton, targets, q, ws, r, nullptr);
      return r.squaredNorm();
    };
    EXPECT_GT(sum(0, 0), 1e-6);
    for (const int free : {0, 2, 3})
      EXPECT_NEAR((sum(free, 1e-6) - sum(free, -1e-6)) / 2e-6, 0, 1e-7) << i << ", " << free;
  }
}

// Of one free coordinate, with its followers: half the gradient at the start is what it is told to
// be, whichever way the sum grows.
TEST(InverseKinematics, DifferentiatesItsSumThroughCouplings) {
  const Skeleton skeleton = leg();
  const ConstraintList couplings{
      std::make_shared<CoordinateCoupling>(CoordinateCoupling::Function(
          "ankle", DofIndex{4}, SineFunction{.amplitude = 0.4, .frequency = 1, .phase = 0.3},
          {DofIndex{3}})),
      std::make_shared<CoordinateCoupling>(CoordinateCoupling::Function(
          "hip", DofIndex{1}, LinearFunction{.coefficients = {0.5}, .offset = 0.1},
          {DofIndex{0}}))};
  test::Random random(7);
  SkeletonWorkspace ws(skeleton);
  for (const int free : {0, 2, 3}) {
    IkModel model{.skeleton = skeleton, .coupled = CoupledCoordinates(couplings)};
    for (const int other : {0, 2, 3})
      if (other != free) model.held.push_back(other);
    const std::vector<IkTarget> targets = targets_at(skeleton, within(leg_limits(), random));
    VecX start = within(leg_limits(), random);
    model.coupled.follow(start);
    const auto half_sum = [&](const VecX& x) -> VecX {
      VecX q = start, r;
      q[free] = x[0];
      model.coupled.follow(q);
      ik_residuals(skeleton, targets, q, ws, r, nullptr);
      return VecX::Constant(1, 0.5 * r.squaredNorm());
    };
    const IkSolution here =
        solve_ik(model, targets, start, {.starts = 1, .met = 1e9, .iterations = 1});
    ASSERT_LE((here.q - start).norm(), 1e-15);
    const VecX x = VecX::Constant(1, start[free]), h = VecX::Constant(1, 1e-4);
    const double rise = half_sum(x + h)[0] - half_sum(x - h)[0];
    const DifferenceSweep sweep =
        check_derivative(half_sum, x, MatX::Constant(1, 1, std::copysign(here.gradient, rise)));
    EXPECT_TRUE(sweep.confirms()) << free << "\n" << sweep.table();
  }
}

TEST(InverseKinematics, NamesWhatIsMissing) {
  const Skeleton skeleton = leg();
  IkModel model{.skeleton = skeleton};
  const VecX q = VecX::Zero(5);
  EXPECT_EQ(test::message_of([&] { solve_ik(model, {}, q); }),
            "inverse kinematics: has no targets; give a point or a pose of a body");
  model.held = {0, 1, 2, 3, 4};
  EXPECT_EQ(test::message_of([&] { solve_ik(model, targets_at(skeleton, q), q); }),
            "inverse kinematics: has no coordinate that may move; release some");
}

}  // namespace inverse_kinematics_test
}  // namespace sinew

#include "sinew/analysis/muscle_rank.hpp"

#include <gtest/gtest.h>

#include "sinew/analysis/muscle_paths.hpp"
#include "sinew/builder/system_builder.hpp"

namespace sinew {
namespace muscle_rank_test {

/// A bone about a hinge with I = 2 kg m², and muscles from the ground to it: λ = m r²/(3 I) in
/// every pose.
System hinge_with_muscles(const std::vector<std::pair<double, double>>& mass_and_radius) {
  SkeletonBuilder skeleton;
  BodySpec bone;
  bone.name = "bone";
  bone.joint = Revolute{Vec3::UnitZ()};
  bone.M_B = SpatialInertia::FromCentral(1, Vec3::Zero(), 2 * Mat3::Identity());
  skeleton.add_body(bone);
  SystemBuilder builder(skeleton.build());
  int number = 0;
  for (const auto& [mass, radius] : mass_and_radius) {
    Muscle muscle;
    muscle.name = "m" + std::to_string(++number);
    muscle.mass = mass;
    muscle.points = {PathPoint::Fixed(kWorld, {0.1, 1, 0}),
                     PathPoint::Fixed(BodyIndex(0), {0, -radius, 0})};
    builder.add_muscle(muscle);
  }
  return builder.build();
}

TEST(MuscleRank, OrdersMusclesAcrossAHingeByMassTimesRadiusSquared) {
  const System system = hinge_with_muscles({{1, 0.1}, {0.1, 0.5}, {0, 1}, {0.5, 0.2}});
  const PoseRange range{VecX::Constant(1, -1), VecX::Constant(1, 1)};
  const std::vector<MuscleRank> ranks = rank_muscles(system, draw_poses(range, 20, 1));
  ASSERT_EQ(ranks.size(), 4u);
  const double expected[] = {0.1 * 0.25, 0.5 * 0.04, 0.01, 0};
  const int order[] = {1, 3, 0, 2};
  for (size_t k = 0; k < 4; ++k) {
    EXPECT_EQ(ranks[k].muscle, order[k]);
    EXPECT_NEAR(ranks[k].largest, expected[k] / 6, 1e-14);  // rounding
    EXPECT_NEAR(ranks[k].mean, expected[k] / 6, 1e-14);
    EXPECT_EQ(ranks[k].poses, 20);
  }
}

TEST(MuscleRank, FindsThePoseInWhichAMuscleMattersMost) {
  // From the sliding bone itself to the ground ahead of it: what the muscle's points do depends on
  // the pose, and in line with the slide they have m/3 of the bone's mass.
  SkeletonBuilder skeleton;
  BodySpec bone;
  bone.name = "bone";
  bone.joint = Prismatic{Vec3::UnitX()};
  bone.M_B = SpatialInertia::FromCentral(2, Vec3::Zero(), Mat3::Identity());
  skeleton.add_body(bone);
  SystemBuilder builder(skeleton.build());
  Muscle muscle;
  muscle.name = "m";
  muscle.mass = 0.6;
  muscle.points = {PathPoint::Fixed(kWorld, {5, 0, 0}), PathPoint::Fixed(kWorld, {0, 1, 0}),
                   PathPoint::Fixed(BodyIndex(0), {0, 0, 0})};
  builder.add_muscle(muscle);
  const System system = builder.build();
  const std::vector<VecX> poses = {VecX::Constant(1, 0), VecX::Constant(1, -3),
                                   VecX::Constant(1, -1)};
  const std::vector<MuscleRank> ranks = rank_muscles(system, poses);
  EXPECT_EQ(ranks[0].pose[0], -3);
  EXPECT_GT(ranks[0].largest, ranks[0].mean);
  EXPECT_LT(ranks[0].largest, 0.6 / 2);
}

TEST(MuscleRank, DrawsTheSamePosesForTheSameSeed) {
  const System system = hinge_with_muscles({{1, 0.1}});
  const PoseRange range{VecX::Constant(1, -1), VecX::Constant(1, 1)};
  const auto pose = [&](unsigned seed) {
    return rank_muscles(system, draw_poses(range, 3, seed))[0].pose[0];
  };
  EXPECT_EQ(pose(1), pose(1));
  EXPECT_LT(std::abs(pose(1)), 1);
}

TEST(MusclePaths, MomentArmsAreMinusTheDerivativeOfLength) {
  const System system = hinge_with_muscles({{1, 0.3}});
  Workspace ws(system);
  std::vector<MusclePath> paths;
  const auto at = [&](double q) {
    update_muscle_paths(system, {0, VecX::Constant(1, q), VecX::Constant(1, 2.0)}, ws, paths);
    return paths[0];
  };
  const double h = 1e-5, q = 0.4;
  const double difference = (at(q + h).length - at(q - h).length) / (2 * h);
  EXPECT_NEAR(-at(q).moment_arms[0], difference, 1e-9);  // O(h²)
  EXPECT_DOUBLE_EQ(at(q).rate, -2 * at(q).moment_arms[0]);
}

}  // namespace muscle_rank_test
}  // namespace sinew

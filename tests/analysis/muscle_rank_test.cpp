#include "sinew/analysis/muscle_rank.hpp"

#include <gtest/gtest.h>

#include "sinew/analysis/muscle_paths.hpp"
#include "sinew/builder/system_builder.hpp"
#include "sinew/muscles/transfer/mass_on_bones.hpp"

namespace sinew {
namespace muscle_rank_test {

/// A bone about a hinge with I = 2 kg m², and muscles from the ground to it, with m r²/3 each.
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

PoseRange cube(Eigen::Index n, double side) {
  return {VecX::Constant(n, -side), VecX::Constant(n, side)};
}

RankOptions some_poses(const PoseRange& range, int poses) {
  RankOptions out{.range = range};
  out.poses = poses;
  return out;
}

TEST(MuscleRank, OrdersMusclesAcrossAHingeByMassTimesRadiusSquared) {
  const std::vector<std::pair<double, double>> muscles = {{1, 0.1}, {0.1, 0.5}, {0, 1}, {0.5, 0.2}};
  // Their mass fixed to the ground: ΔM is their m r²/3, and M has all of them.
  const MuscleRanking ranking =
      rank_muscles({hinge_with_muscles(muscles), {}}, some_poses(cube(1, 1), 20));
  ASSERT_EQ(ranking.ranks.size(), 4u);
  EXPECT_EQ(ranking.poses, 20);
  const double own[] = {0.1 * 0.25, 0.5 * 0.04, 0.01, 0};
  const double M = 2 + (own[0] + own[1] + own[2]) / 3;
  const int order[] = {1, 3, 0, 2};
  for (size_t k = 0; k < 4; ++k) {
    EXPECT_EQ(ranking.ranks[k].muscle, order[k]);
    EXPECT_NEAR(ranking.ranks[k].percentile, own[k] / 3 / M, 1e-14);  // rounding
    EXPECT_NEAR(ranking.ranks[k].mean, own[k] / 3 / M, 1e-14);
    EXPECT_EQ(ranking.ranks[k].poses, 20);
  }
}

TEST(MuscleRank, ComparesWithTheSameMassOnTheBone) {
  // At the insertion the mass m has m r² instead of m r²/3: ΔM is negative.
  const double m = 0.3, r = 0.4;
  MassMove at_insertion{BodyIndex(0), 0, SpatialInertia::FromCentral(m, {0, -r, 0}, Mat3::Zero()),
                        0};
  const MuscleRanking ranking =
      rank_muscles({hinge_with_muscles({{m, r}}), {at_insertion}}, some_poses(cube(1, 1), 8));
  EXPECT_NEAR(ranking.ranks[0].percentile, 2 * m * r * r / 3 / (2 + m * r * r / 3), 1e-14);
}

TEST(MuscleRank, NeedsNoBoundForSinglePoses) {
  // In a pose in which a muscle outweighs the bone a thousandfold λ stays below 1.
  const MuscleRanking ranking =
      rank_muscles({hinge_with_muscles({{6000, 1}}), {}}, some_poses(cube(1, 1), 8));
  EXPECT_NEAR(ranking.ranks[0].percentile, 2000.0 / 2002, 1e-12);
}

TEST(MuscleRank, CoupledCoordinatesMoveAlong) {
  // Two sliders side by side, the second at twice the speed of the first, with the muscle's end.
  SkeletonBuilder skeleton;
  BodySpec slider;
  slider.joint = Prismatic{Vec3::UnitX()};
  for (const auto& [name, mass] : {std::pair("first", 3.0), std::pair("second", 0.01)}) {
    slider.name = name;
    slider.M_B = SpatialInertia::FromCentral(mass, Vec3::Zero(), Mat3::Identity());
    skeleton.add_body(slider);
  }
  SystemBuilder builder(skeleton.build());
  Muscle muscle;
  muscle.name = "m";
  muscle.mass = 0.6;
  muscle.points = {PathPoint::Fixed(kWorld, {5, 0, 0}), PathPoint::Fixed(BodyIndex(1), {0, 0, 0})};
  builder.add_muscle(muscle);
  const ConstraintList gear = {std::make_shared<CoordinateCoupling>(
      CoordinateCoupling::Gear("gear", DofIndex(0), DofIndex(1), 2))};
  const RankedSystem ranked{builder.build(), {}, CoupledCoordinates(gear)};
  EXPECT_EQ(MovingMass(ranked).spanned(0), std::vector<int>{0});
  const MuscleRanking ranking = rank_muscles(ranked, some_poses(cube(2, 1), 8));
  const double own = 4 * 0.6 / 3;
  EXPECT_NEAR(ranking.ranks[0].percentile, own / (3 + 4 * 0.01 + own), 1e-12);
}

// ---- a model with two sides

/// A pelvis that shifts and lists, two legs of thigh and shank: hips flex and adduct.
Skeleton walker(double left_shank = 0.4) {
  SkeletonBuilder builder;
  const auto add = [&](const std::string& name, const std::string& parent, const Joint& joint,
                       const Vec3& at, double mass, double length, const std::string& coordinate) {
    BodySpec body;
    body.name = name;
    body.parent = parent;
    body.joint = joint;
    body.E_PJ.p = at;
    const double I = mass * length * length / 12;
    body.M_B = SpatialInertia::FromCentral(mass, Vec3(0, -0.5 * length, 0),
                                           Vec3(I, 0.1 * I, I).asDiagonal());
    body.coordinate_names = {coordinate};
    builder.add_body(body);
  };
  add("base", "", Prismatic{Vec3::UnitZ()}, Vec3::Zero(), 1, 0.2, "shift");
  add("pelvis", "base", Revolute{Vec3::UnitX()}, Vec3(0, 1, 0), 11, 0.2, "list");
  for (const double side : {1.0, -1.0}) {
    const std::string s = side > 0 ? "_r" : "_l";
    add("hip" + s, "pelvis", Revolute{side * Vec3::UnitX()}, Vec3(0, 0, 0.1 * side), 0.5, 0.1,
        "hip_adduction" + s);
    add("thigh" + s, "hip" + s, Revolute{Vec3::UnitZ()}, Vec3::Zero(), 8, 0.4, "hip_flexion" + s);
    add("shank" + s, "thigh" + s, Revolute{Vec3::UnitZ()}, Vec3(0, -0.4, 0), 3.5,
        side > 0 ? 0.4 : left_shank, "knee" + s);
  }
  return builder.build();
}

Muscle line(const Skeleton& skeleton, const std::string& name, double mass, const char* from,
            const Vec3& x, const char* to, const Vec3& y) {
  Muscle out;
  out.name = name;
  out.mass = mass;
  out.points = {PathPoint::Fixed(skeleton.find_body(from), x),
                PathPoint::Fixed(skeleton.find_body(to), y)};
  return out;
}

std::vector<Muscle> walker_muscles(const Skeleton& skeleton) {
  std::vector<Muscle> out;
  for (const double z : {1.0, -1.0}) {
    const bool right = z > 0;
    const char *thigh = right ? "thigh_r" : "thigh_l", *shank = right ? "shank_r" : "shank_l";
    const std::string s = right ? "_r" : "_l";
    out.push_back(line(skeleton, "rectus" + s, 0.4, "pelvis", {0.05, 0.03, 0.12 * z}, shank,
                       {0.04, -0.06, 0}));
    out.push_back(line(skeleton, "hamstring" + s, 0.5, "pelvis", {-0.06, -0.05, 0.07 * z}, shank,
                       {-0.03, -0.05, 0.02 * z}));
    out.push_back(line(skeleton, "abductor" + s, 0.3, "pelvis", {0, 0.08, 0.13 * z}, thigh,
                       {0, -0.05, 0.06 * z}));
    out.push_back(
        line(skeleton, "vastus" + s, 0.8, thigh, {0.04, -0.1, 0.02 * z}, shank, {0.04, -0.05, 0}));
    out.push_back(line(skeleton, "along_the_thigh" + s, 0.9, thigh, {-0.02, -0.05, 0}, thigh,
                       {-0.02, -0.35, 0.01 * z}));
  }
  return out;
}

/// Mass from the bones beside the muscles.
RankedSystem ranked_walker() {
  const Skeleton skeleton = walker();
  const MassTransfer transfer = transfer_mass(skeleton, walker_muscles(skeleton), BonesPolicy{});
  SystemBuilder builder(transfer.skeleton);
  for (const Muscle& muscle : transfer.muscles) builder.add_muscle(muscle);
  return {builder.build(), transfer.moves};
}

double value(const MuscleRanking& ranking, const System& system, const std::string& name) {
  for (const MuscleRank& rank : ranking.ranks)
    if (system.muscles()[static_cast<size_t>(rank.muscle)]->name() == name) return rank.percentile;
  ADD_FAILURE() << name;
  return 0;
}

TEST(MuscleRank, AMuscleOnOneBoneIsLastWithNothing) {
  const RankedSystem ranked = ranked_walker();
  const MuscleRanking ranking = rank_muscles(ranked, some_poses(cube(8, 0.7), 40));
  for (size_t k : {8u, 9u}) {
    const MuscleRank& last = ranking.ranks[k];
    EXPECT_EQ(ranked.system.muscles()[static_cast<size_t>(last.muscle)]->name().substr(0, 9),
              "along_the");
    EXPECT_LT(last.percentile, 1e-12);
  }
  EXPECT_GT(ranking.ranks[7].percentile, 1e-6);  // no rounding
}

TEST(MuscleRank, AMuscleOnOneBoneHasTheInertiaThatTheBoneGave) {
  // What makes the zero right: in all coordinates, to rounding.
  const Skeleton skeleton = walker();
  const std::vector<Muscle> all = walker_muscles(skeleton);
  const MassTransfer transfer = transfer_mass(skeleton, {all[4]}, BonesPolicy{});
  SystemBuilder moving(transfer.skeleton), fixed(skeleton);
  moving.add_muscle(transfer.muscles[0]);
  const VecX q = VecX::LinSpaced(8, -0.5, 0.6), still = VecX::Zero(8);
  const auto mass = [&](const System& system) {
    Workspace ws(system);
    MatX M;
    mass_matrix(system, {0, q, still}, ws, M);
    return M;
  };
  EXPECT_LT((mass(moving.build()) - mass(fixed.build())).cwiseAbs().maxCoeff(), 1e-14);
}

TEST(MuscleRank, MirroredPairsOfPosesMakeLeftAndRightEqual) {
  const RankedSystem ranked = ranked_walker();
  RankOptions options = some_poses(cube(8, 0.7), 60);
  const MuscleRanking alone = rank_muscles(ranked, options);
  options.mirror = find_mirror(ranked.system.skeleton());
  ASSERT_TRUE(options.mirror);
  const MuscleRanking pairs = rank_muscles(ranked, options);
  for (const std::string name : {"rectus", "hamstring", "abductor", "vastus"}) {
    const double right = value(pairs, ranked.system, name + "_r");
    EXPECT_NEAR(value(pairs, ranked.system, name + "_l"), right, 1e-12 * right) << name;
  }
  EXPECT_GT(
      std::abs(value(alone, ranked.system, "rectus_l") / value(alone, ranked.system, "rectus_r") -
               1),
      1e-3);
}

TEST(MuscleRank, ThreeSeedsAgreeOnTheOrder) {
  const RankedSystem ranked = ranked_walker();
  std::vector<MuscleRanking> rankings;
  for (const std::uint64_t seed : {1u, 2u, 3u}) {
    RankOptions options{.range = cube(8, 0.7), .mirror = find_mirror(ranked.system.skeleton())};
    options.seed = seed;
    rankings.push_back(rank_muscles(ranked, options));
    EXPECT_TRUE(rankings.back().settled);
  }
  for (const MuscleRanking& a : rankings)
    for (const MuscleRanking& b : rankings)
      for (size_t i = 0; i < a.ranks.size(); ++i)
        for (size_t j = i + 1; j < a.ranks.size(); ++j) {
          const auto at = [&](size_t k) {
            return value(b, ranked.system,
                         ranked.system.muscles()[static_cast<size_t>(a.ranks[k].muscle)]->name());
          };
          EXPECT_LE(at(j) - at(i), 0.02 * at(j)) << i << " " << j;
        }
}

TEST(MuscleRank, EndsAtItsBoundAndWhenTold) {
  // So few that the order is not looked at.
  RankOptions options{.range = cube(8, 0.7)};
  options.most = 100;
  const RankedSystem ranked = ranked_walker();
  EXPECT_EQ(rank_muscles(ranked, options).poses, 100);
  options.go_on = [](int poses) { return poses < 7; };
  EXPECT_EQ(rank_muscles(ranked, options).poses, 7);
}

// ---- mirrors and poses

TEST(Mirror, FindsSidesByNamesAndSignsByAxes) {
  const Skeleton skeleton = walker();
  const std::optional<Mirror> mirror = find_mirror(skeleton);
  ASSERT_TRUE(mirror);
  VecX q = VecX::Zero(8), image = VecX::Zero(8);
  const auto at = [&](const char* name) { return skeleton.find_coordinate(name).value; };
  q[at("shift")] = 0.1;
  q[at("list")] = 0.2;
  q[at("hip_adduction_r")] = 0.3;
  q[at("knee_l")] = -0.4;
  image[at("shift")] = -0.1;
  image[at("list")] = -0.2;
  image[at("hip_adduction_l")] = 0.3;
  image[at("knee_r")] = -0.4;
  EXPECT_EQ(mirror->image(q), image);
  EXPECT_EQ(mirror->image(mirror->image(q)), q);
}

TEST(Mirror, ThereIsNoneOfUnequalLegs) {
  EXPECT_FALSE(find_mirror(walker(0.5)));
  EXPECT_TRUE(find_mirror(walker(0.402)));  // within 1 % of the whole
}

TEST(Mirror, ThereIsNoneWithoutSides) {
  EXPECT_FALSE(find_mirror(hinge_with_muscles({}).skeleton()));
}

TEST(Mirror, KnowsNamesOfSides) {
  for (const auto& [name, other] :
       {std::pair("knee_angle_r", "knee_angle_l"), std::pair("L_hip", "R_hip"),
        std::pair("arm_flex_r", "arm_flex_l"), std::pair("RightArm", "LeftArm"),
        std::pair("foot_r_contact", "foot_l_contact"), std::pair("LEFT_EYE", "RIGHT_EYE")}) {
    EXPECT_EQ(name_of_other_side(name), other);
    EXPECT_EQ(name_of_other_side(other), name);
  }
  for (const char* name : {"pelvis_tilt", "lumbar", "roll"})
    EXPECT_EQ(name_of_other_side(name), name);
}

TEST(PoseSequence, FillsTheRangeEvenlyAndAlike) {
  PoseSequence first(cube(3, 2), {}, 5), again(cube(3, 2), {}, 5), other(cube(3, 2), {}, 6);
  VecX mean = VecX::Zero(3);
  for (int k = 0; k < 1000; ++k) {
    const VecX q = first.next();
    EXPECT_LT(q.cwiseAbs().maxCoeff(), 2);
    EXPECT_EQ(q, again.next());
    EXPECT_NE(q, other.next());
    mean += q / 1000;
  }
  EXPECT_LT(mean.cwiseAbs().maxCoeff(), 0.01);  // random ones: 0.04
}

TEST(PoseSequence, PairsStayInTheRangesOfBothSides) {
  const Mirror mirror{{1, 0, 2}, Vec3(1, 1, -1)};
  const PoseRange range{Vec3(-1, -0.5, -0.2), Vec3(1, 2, 0.6)};
  PoseSequence poses(range, mirror, 1);
  for (int k = 0; k < 50; ++k) {
    const VecX q = poses.next(), image = poses.next();
    EXPECT_EQ(image, mirror.image(q));
    for (const VecX& x : {q, image})
      EXPECT_TRUE((x.array() >= range.lower.array()).all() &&
                  (x.array() <= range.upper.array()).all());
  }
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

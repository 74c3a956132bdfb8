#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>

#include "sinew/builder/system_builder.hpp"
#include "sinew/core/error.hpp"
#include "sinew/muscles/transfer/bones.hpp"
#include "sinew/muscles/transfer/fair_shares.hpp"
#include "sinew/muscles/transfer/mass_transfer.hpp"
#include "sinew/system/equations.hpp"
#include "support/floating_tree.hpp"
#include "support/message_of.hpp"
#include "support/random_muscles.hpp"
#include "support/random_tree.hpp"

/// Mass taken from the bones beside muscles.

namespace sinew {
namespace bones_transfer_test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// A pelvis that floats, and below it a thigh, a shank, a light ankle bone and a foot; all hang
/// along −y, 0.4 m each.
Skeleton leg() {
  SkeletonBuilder builder;
  BodySpec bone;
  bone.joint = Free3D{};
  std::string parent;
  for (const auto& [name, mass] : std::vector<std::pair<std::string, double>>{
           {"pelvis", 10}, {"thigh", 9}, {"shank", 4}, {"talus", 0.1}, {"foot", 1}}) {
    bone.name = name;
    bone.parent = parent;
    bone.M_B = SpatialInertia::FromCentral(mass, Vec3(0, parent.empty() ? 0.1 : -0.2, 0),
                                           mass * Vec3(0.02, 0.005, 0.02).asDiagonal());
    builder.add_body(bone);
    bone.joint = Revolute{Vec3::UnitZ()};
    bone.E_PJ.p = parent.empty() ? Vec3(0, 0, 0) : Vec3(0, name == "talus" ? -0.05 : -0.4, 0);
    parent = name;
  }
  return builder.build();
}

Muscle between(const Skeleton& skeleton, const std::string& name, const char* from, double y_from,
               const char* to, double y_to, double mass) {
  Muscle out;
  out.name = name;
  out.mass = mass;
  out.points = {PathPoint::Fixed(skeleton.find_body(from), {-0.03, y_from, 0}),
                PathPoint::Fixed(skeleton.find_body(to), {-0.03, y_to, 0})};
  return out;
}

std::vector<std::string> givers(const MassTransfer& transfer, int muscle) {
  std::vector<std::string> out;
  for (const MassMove& move : transfer.moves)
    if (move.muscle == muscle) out.push_back(transfer.skeleton.body(move.body).name);
  return out;
}

TEST(BonesTransfer, TakesFromTheBoneBesideThatCarriesNoPoint) {
  const Skeleton skeleton = leg();
  // Along the thigh from pelvis to shank; along the shank from thigh to foot, past the ankle bone.
  Muscle hamstring = between(skeleton, "hamstring", "pelvis", -0.02, "shank", -0.02, 0.5);
  Muscle gastrocnemius = between(skeleton, "gastrocnemius", "thigh", -0.39, "foot", -0.02, 0.5);
  hamstring.material = MaterialMap::Uniform(0.2, 0.8);
  gastrocnemius.material = MaterialMap::Uniform(0.1, 0.6);
  const MassTransfer out = transfer_mass(skeleton, {hamstring, gastrocnemius}, BonesPolicy{});
  EXPECT_THAT(givers(out, 0), ElementsAre("thigh"));
  EXPECT_THAT(givers(out, 1), ElementsAre("shank"));
  EXPECT_NEAR(out.moved(), 1, 1e-12);
}

TEST(BonesTransfer, AsksNoLightBodyAndNoneBeyondTheMuscle) {
  const Skeleton skeleton = leg();
  PlacedBodies bodies(skeleton, VecX::Zero(skeleton.dof_count()));
  const Bones bones(skeleton, bodies);
  const auto beside = [&](const char* from, const char* to) {
    std::vector<std::string> names;
    for (const BodyIndex b : bones.between_attachments(between(skeleton, "m", from, 0, to, 0, 1)))
      names.push_back(skeleton.body(b).name);
    return names;
  };
  EXPECT_THAT(beside("thigh", "foot"), ElementsAre("thigh", "shank", "foot"));
  EXPECT_THAT(beside("shank", "talus"), ElementsAre("shank"));
  EXPECT_THAT(beside("shank", "shank"), ElementsAre("shank"));
}

/// Mass, centre of mass and inertia of the whole, as the simulator knows them.
MatX composite(const Skeleton& skeleton, const std::vector<Muscle>& muscles, const VecX& q) {
  SystemBuilder builder(skeleton);
  for (const Muscle& muscle : muscles) builder.add_muscle(muscle);
  const System system = builder.build();
  Workspace ws(system);
  MatX M;
  mass_matrix(system, {0, q, VecX::Zero(q.size())}, ws, M);
  return M.topLeftCorner(6, 6);
}

class RandomBones : public testing::TestWithParam<unsigned> {};

/// More mass is wanted than there is.
TEST_P(RandomBones, KeepTheWholeAndATenthOfEach) {
  const Skeleton skeleton = test::floating_tree(GetParam(), 6);
  const VecX q = test::random_state(skeleton, GetParam()).q;
  std::vector<Muscle> muscles;
  for (unsigned k = 0; k < 6; ++k) {
    Muscle muscle;
    muscle.name = "m" + std::to_string(k);
    muscle.mass = 1 + k;
    test::Random random(10 * GetParam() + k);
    for (const int body : {static_cast<int>(k % 6), static_cast<int>((k + 2) % 6)})
      muscle.points.push_back(PathPoint::Fixed(BodyIndex(body), 0.1 * random.vec3()));
    muscles.push_back(muscle);
  }
  const MatX before = composite(skeleton, {}, q);
  const MassTransfer out = transfer_mass(skeleton, muscles, BonesPolicy{}, q);
  // Rounding of sums over some hundred pieces.
  EXPECT_LT((composite(out.skeleton, out.muscles, q) - before).norm(), 1e-12 * before.norm());
  EXPECT_GT((composite(skeleton, out.muscles, q) - before).norm(), 1e-4 * before.norm());
  for (const InertiaChange& body : out.bodies) {
    EXPECT_GT(body.after.mass, (0.1 - 1e-9) * body.before.mass);
    const Mat3 spare = body.after.central_inertia() - 0.1 * body.before.central_inertia();
    EXPECT_GT(spare.eigenvalues().real().minCoeff(), -1e-9 * body.before.I.norm());
    EXPECT_EQ(physical_defect(body.after), "");
  }
  bool some_less = false;
  for (size_t k = 0; k < muscles.size(); ++k) {
    EXPECT_GT(out.muscles[k].mass, 0) << "left out";
    EXPECT_LE(out.muscles[k].mass, muscles[k].mass);
    some_less |= out.muscles[k].mass < muscles[k].mass;
  }
  EXPECT_TRUE(some_less);
}
INSTANTIATE_TEST_SUITE_P(Trees, RandomBones, testing::Range(1u, 9u));

TEST(FairShares, StopMusclesOfAPoorBodyOnlyAndAllOfThemAlike) {
  const Skeleton skeleton = leg();
  const auto claim = [&](int muscle, const char* body, double part) {
    const BodyIndex b = skeleton.find_body(body);
    const SpatialInertia& M = skeleton.body(b).M_B;
    return MassClaim{muscle, b, {part * M.mass, part * M.h, part * M.I}};
  };
  // Of the thigh 0.9 can be given and 1.2 are wanted; the third muscle has the shank for itself.
  const std::vector<double> share = fair_shares(
      skeleton, {claim(0, "thigh", 0.8), claim(1, "thigh", 0.4), claim(2, "shank", 0.5)}, 3, 0.1);
  EXPECT_NEAR(share[0], 0.75, 1e-6);
  EXPECT_NEAR(share[1], 0.75, 1e-6);
  EXPECT_EQ(share[2], 1);
  // What the first leaves of the shank, because the thigh stops it, goes to the others.
  const std::vector<double> both = fair_shares(
      skeleton, {claim(0, "thigh", 1.8), claim(0, "shank", 0.6), claim(1, "shank", 0.6)}, 2, 0.1);
  EXPECT_NEAR(both[0], 0.5, 1e-6);
  EXPECT_NEAR(both[1], 1, 1e-6);
}

TEST(FairShares, KeepInertiaAboutEveryAxisToo) {
  const SpatialInertia M = SpatialInertia::FromCentral(1, {0, 0, 0}, Vec3(3, 2, 2).asDiagonal());
  const auto left = [&](double x, double y, double z) {
    return SpatialInertia::FromCentral(0.5, {0, 0, 0}, Vec3(x, y, z).asDiagonal());
  };
  EXPECT_TRUE(may_keep(M, left(0.4, 0.3, 0.3), 0.1));
  EXPECT_FALSE(may_keep(M, left(0.3, 0.15, 0.2), 0.1));
  EXPECT_FALSE(may_keep(M, left(2, 0.5, 0.5), 0.1)) << "not the inertia of a real body";
}

TEST(BonesTransfer, StrictNamesBodyMuscleAndTheShareThatWorks) {
  const Skeleton skeleton = leg();
  const std::vector<Muscle> muscles = {
      between(skeleton, "hamstring", "pelvis", -0.02, "shank", -0.02, 30)};
  BonesPolicy policy{.strict = true};
  const std::string message = test::message_of([&] { transfer_mass(skeleton, muscles, policy); });
  EXPECT_THAT(message, HasSubstr("cannot give muscle 'hamstring'"));
  const size_t at = message.find("works is ");
  ASSERT_NE(at, std::string::npos) << message;
  policy.share = std::stod(message.substr(at + 9));
  EXPECT_GT(policy.share, 0);
  EXPECT_NO_THROW(transfer_mass(skeleton, muscles, policy));
  policy.share *= 1.01;
  EXPECT_THROW(transfer_mass(skeleton, muscles, policy), Error);
}

}  // namespace bones_transfer_test
}  // namespace sinew

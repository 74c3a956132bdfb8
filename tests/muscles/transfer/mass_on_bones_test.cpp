#include "sinew/muscles/transfer/mass_on_bones.hpp"

#include <gtest/gtest.h>

#include "sinew/core/error.hpp"
#include "sinew/muscles/transfer/mass_transfer.hpp"
#include "support/random_muscles.hpp"
#include "support/random_tree.hpp"

namespace sinew {
namespace mass_on_bones_test {

class MassOnBonesTest : public testing::TestWithParam<test::PathKind> {};

TEST_P(MassOnBonesTest, GivesBodiesBackWhatTheyGaveByMoments) {
  const Skeleton bones = test::random_tree(7, 5).build();
  Muscle muscle = test::random_muscle(bones, GetParam(), 7);
  // As little as any body can give.
  muscle = with_mass(muscle, 1e-5);
  const MassTransfer given = transfer_mass(bones, {muscle}, MomentsPolicy{});
  ASSERT_FALSE(given.moves.empty());
  const MassOnBones back = put_mass_on_bones(given.skeleton, given.muscles);
  EXPECT_EQ(back.muscles.at(0).mass, 0);
  EXPECT_EQ(back.muscles.at(0).points.size(), muscle.points.size());
  for (int i = 0; i < bones.body_count(); ++i) {
    const SpatialInertia& a = back.skeleton.body(BodyIndex(i)).M_B;
    const SpatialInertia& b = bones.body(BodyIndex(i)).M_B;
    // The same numbers taken away and added: rounding of the bodies' own.
    EXPECT_NEAR(a.mass, b.mass, 1e-14 * b.mass);
    EXPECT_LT((a.h - b.h).norm(), 1e-14 * (b.mass + b.h.norm()));
    EXPECT_LT((a.I - b.I).norm(), 1e-14 * (b.mass + b.I.norm()));
  }
}

INSTANTIATE_TEST_SUITE_P(OfAllPaths, MassOnBonesTest, testing::ValuesIn(test::kPathKinds),
                         [](const auto& test) {
                           return std::string(sinew::test::name_of(test.param));
                         });

TEST(MassOnBones, LeavesAModelWithoutMassiveMusclesAsItIs) {
  const Skeleton bones = test::random_tree(3, 4).build();
  const Muscle muscle = with_mass(test::random_muscle(bones, test::PathKind::polyline, 3), 0);
  const MassOnBones same = put_mass_on_bones(bones, {muscle});
  for (int i = 0; i < bones.body_count(); ++i)
    EXPECT_EQ(same.skeleton.body(BodyIndex(i)).M_B.mass, bones.body(BodyIndex(i)).M_B.mass);
}

}  // namespace mass_on_bones_test
}  // namespace sinew

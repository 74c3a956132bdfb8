#include "sinew/core/names.hpp"

#include <gtest/gtest.h>

namespace sinew {
namespace names_test {

using Names = std::vector<std::string>;

const Names kBones{"femur", "tibia", "fibula", "patella", "calcaneus"};

TEST(NearestName, FindsOneMissingAddedOrChangedLetter) {
  EXPECT_EQ(nearest_name("femr", kBones), "femur");
  EXPECT_EQ(nearest_name("femurr", kBones), "femur");
  EXPECT_EQ(nearest_name("femor", kBones), "femur");
  EXPECT_EQ(nearest_name("emur", kBones), "femur");
}

TEST(NearestName, CountsSwappedNeighboursOnce) {
  EXPECT_EQ(nearest_name("unitl", {"dt", "until"}), "until");
  EXPECT_EQ(nearest_name("ab", {"ba"}), "ba");
}

TEST(NearestName, IgnoresCase) { EXPECT_EQ(nearest_name("FEMUR", kBones), "femur"); }

TEST(NearestName, AllowsAThirdOfTheLettersToChange) {
  // Nine letters: three may change, four may not.
  EXPECT_EQ(nearest_name("calcxxxus", kBones), "calcaneus");
  EXPECT_EQ(nearest_name("calcxxxxs", kBones), "");
}

TEST(NearestName, AllowsOneLetterOfAShortName) {
  EXPECT_EQ(nearest_name("q1", {"q2", "r5"}), "q2");
  EXPECT_EQ(nearest_name("ab", {"cd"}), "");
}

TEST(NearestName, PrefersTheNearestAndThenTheFirst) {
  EXPECT_EQ(nearest_name("thigh_l", {"shank_l", "thigh_r", "thig_l"}), "thigh_r");
  EXPECT_EQ(nearest_name("thigh_x", {"shin_x", "thigh_l", "thigh_r"}), "thigh_l");
  EXPECT_EQ(nearest_name("body", {"bodies", "body2", "body"}), "body");
}

TEST(NearestName, FindsNothingForEmptyOrMonstrousNames) {
  EXPECT_EQ(nearest_name("", {"a", "b"}), "");
  const std::string monster(100000, 'a');
  EXPECT_EQ(nearest_name(monster, {monster}), "");
  EXPECT_EQ(nearest_name("femur", {monster}), "");
  EXPECT_EQ(nearest_name("femur", {}), "");
}

TEST(Suggest, AsksForTheNearestName) {
  EXPECT_EQ(suggest("femurr", kBones), "did you mean 'femur'?");
}

TEST(Suggest, ListsWhatIsKnownWhereNothingIsNear) {
  EXPECT_EQ(suggest("humerus", {"tibia", "talus_x"}), "known: tibia, talus_x");
}

TEST(Suggest, CutsALongList) {
  Names many;
  for (int i = 0; i < 20; ++i) many.push_back("segment_" + std::to_string(i));
  EXPECT_EQ(suggest("humerus", many),
            "known: segment_0, segment_1, segment_2, segment_3, segment_4, segment_5, segment_6, "
            "segment_7, …");
}

TEST(Suggest, SaysSoWhereNothingIsDefined) { EXPECT_EQ(suggest("femur", {}), "none is defined"); }

}  // namespace names_test
}  // namespace sinew

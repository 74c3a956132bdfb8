#include <gtest/gtest.h>

#include "sinew/io/studies/muscle_study.hpp"
#include "support/muscle_ranks.hpp"
#include "support/reference.hpp"

/// Ranks of the muscles of OpenSim's models with two sides.

namespace sinew {
namespace reference_muscle_ranks_test {

class ReferenceMuscleRanks : public ::testing::TestWithParam<const char*> {};

INSTANTIATE_TEST_SUITE_P(Models, ReferenceMuscleRanks,
                         ::testing::Values("gait2392_thelen2003muscle", "Rajagopal2016",
                                           "gait10dof18musc"));

TEST_P(ReferenceMuscleRanks, LeftAndRightAreEqual) {
  SINEW_NEEDS_REFERENCE();
  const RankedModel model = test::ranked_reference(GetParam());
  ASSERT_TRUE(model.mirror);
  const std::map<std::string, double> ranks = test::ranks_of(model, 1, 200);
  double largest = 0;
  for (const auto& [name, value] : ranks)
    if (name.ends_with("_r"))
      largest =
          std::max(largest, std::abs(ranks.at(name.substr(0, name.size() - 1) + "l") / value - 1));
  std::printf("%s: left and right differ by %.1e\n", GetParam(), largest);
  EXPECT_LT(largest, 0.01);
}

TEST(ReferenceMuscleRanksOf, Gait10dof18muscAreInOneOrderWithThreeSeeds) {
  SINEW_NEEDS_REFERENCE();
  EXPECT_LT(test::largest_disagreement(test::ranked_reference("gait10dof18musc")), 0.02);
}

}  // namespace reference_muscle_ranks_test
}  // namespace sinew

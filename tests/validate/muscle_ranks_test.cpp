#include "support/muscle_ranks.hpp"

#include <gtest/gtest.h>

#include "support/reference.hpp"

namespace sinew {
namespace muscle_ranks_test {

TEST(ReferenceMuscleRanksOf, LargeModelsAreInOneOrderWithThreeSeeds) {
  SINEW_NEEDS_REFERENCE();
  for (const char* name : {"gait2392_thelen2003muscle", "Rajagopal2016"}) {
    const double largest = test::largest_disagreement(test::ranked_reference(name));
    std::printf("%s: muscles that change places are within %.1e\n", name, largest);
    EXPECT_LT(largest, 0.02) << name;
  }
}

}  // namespace muscle_ranks_test
}  // namespace sinew

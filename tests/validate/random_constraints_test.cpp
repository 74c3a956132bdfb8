#include "integrate/random_constraints.hpp"

#include <gtest/gtest.h>

namespace sinew {
namespace random_constraints_test {

TEST(RandomConstrainedSystems, TenThousandNeitherCrashNorGiveNanAndNameEveryFailure) {
  const test::RandomOutcome outcome = test::run_random_constrained_systems(0, 10000);
  RecordProperty("finished", outcome.finished);
  RecordProperty("refused", outcome.refused);
  RecordProperty("failed", outcome.failed);
  EXPECT_EQ(outcome.finished + outcome.refused + outcome.failed, 10000);
  EXPECT_GT(outcome.finished, 7000)
      << outcome.refused << " refused, " << outcome.failed << " failed";
}

}  // namespace random_constraints_test
}  // namespace sinew

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "integrate/random_constraints.hpp"

namespace sinew {
namespace constrained_random_test {

TEST(RandomConstrainedSystems, NeitherCrashNorGiveNanAndNameEveryFailure) {
  // A slice of the 10,000 of `make validate`.
  const test::RandomOutcome outcome = test::run_random_constrained_systems(0, 400);
  // Those that hold at their start do run: refusals and failures are what the degenerate tenth and
  // velocities that contradict each other leave.
  EXPECT_GT(outcome.finished, 280)
      << outcome.refused << " refused, " << outcome.failed << " failed";
}

}  // namespace constrained_random_test
}  // namespace sinew

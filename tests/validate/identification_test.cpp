#include <gtest/gtest.h>

#include "io/tasks/knee_identification.hpp"

namespace sinew {
namespace long_identification_test {

TEST(Identification, PredictsItsErrorsOverTwentySeeds) {
  const test::KneeIdentification knee;
  double sum = 0;
  int count = 0;
  for (unsigned seed = 1; seed <= 20; ++seed) {
    TaskProblem problem = knee.problem(seed);
    // The first search starts where the task does, the others nearer to where they end.
    const test::KneeIdentification::Found found =
        knee.find(problem, seed == 1 ? problem.start() : knee.truth());
    EXPECT_FALSE(found.told.unresolved.empty());
    double of_seed = 0;
    const std::vector<double> errors = knee.errors(problem, found);
    EXPECT_GE(errors.size(), 4u);
    for (const double error : errors) of_seed += error * error;
    sum += of_seed;
    count += static_cast<int>(errors.size());
    std::printf("seed %2u: %zu told, RMS %.2f, noise %.3g; untold %zu\n", seed, errors.size(),
                std::sqrt(of_seed / static_cast<double>(errors.size())), found.told.noise,
                found.told.unresolved.size());
  }
  const double rms = std::sqrt(sum / count);
  std::printf("errors over predicted deviations: RMS %.3f of %d\n", rms, count);
  // One where predictions are right; of 100 numbers, some of which move together, 0.1 to 0.2 off.
  EXPECT_GT(rms, 0.7);
  EXPECT_LT(rms, 1.4);
}

}  // namespace long_identification_test
}  // namespace sinew

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
    const test::KneeIdentification::Found found = knee.find(problem, problem.start());
    // The two heads of gastrocnemius pull alike: angles do not tell one from the other.
    EXPECT_FALSE(found.told.unresolved.empty());
    const std::vector<double> errors = knee.errors(problem, found);
    EXPECT_FALSE(errors.empty());
    double of_seed = 0;
    for (const double error : errors) of_seed += error * error;
    sum += of_seed;
    count += static_cast<int>(errors.size());
    std::printf("seed %2u: RMS %.2f of %zu, noise %.3g\n", seed,
                std::sqrt(of_seed / static_cast<double>(errors.size())), errors.size(),
                found.told.noise);
  }
  EXPECT_GT(count, 60);
  const double rms = std::sqrt(sum / count);
  std::printf("errors over predicted deviations: RMS %.3f of %d\n", rms, count);
  // One where predictions are right; of 100 numbers, some of which move together, 0.1 to 0.2 off.
  EXPECT_GT(rms, 0.7);
  EXPECT_LT(rms, 1.4);
}

}  // namespace long_identification_test
}  // namespace sinew

#include <gtest/gtest.h>

#include "io/tasks/knee_identification.hpp"

namespace sinew {
namespace long_identification_test {

TEST(Identification, PredictsItsErrorsOverTwentySeeds) {
  // Without one head of gastrocnemius: the angles do not tell it from the other, and a limit that
  // such a search ends at would count as knowledge.
  const test::KneeIdentification knee({"gastrocnemius_medialis", "soleus", "tibialis_anterior",
                                       "semimembranosus", "rectus_femoris"});
  double sum = 0;
  int count = 0;
  for (unsigned seed = 1; seed <= 20; ++seed) {
    TaskProblem problem = knee.problem(seed);
    // The first search starts where the task does, the others nearer to where they end.
    const test::KneeIdentification::Found found =
        knee.find(problem, seed == 1 ? problem.start() : knee.truth());
    double of_seed = 0;
    const std::vector<double> errors = knee.errors(problem, found);
    EXPECT_EQ(errors.size(), 7u);
    for (const double error : errors) of_seed += error * error;
    sum += of_seed;
    count += static_cast<int>(errors.size());
    std::printf("seed %2u: RMS %.2f of %zu, noise %.3g\n", seed,
                std::sqrt(of_seed / static_cast<double>(errors.size())), errors.size(),
                found.told.noise);
  }
  const double rms = std::sqrt(sum / count);
  std::printf("errors over predicted deviations: RMS %.3f of %d\n", rms, count);
  // One where predictions are right; of 100 numbers, some of which move together, 0.1 to 0.2 off.
  EXPECT_GT(rms, 0.7);
  EXPECT_LT(rms, 1.4);
}

}  // namespace long_identification_test
}  // namespace sinew

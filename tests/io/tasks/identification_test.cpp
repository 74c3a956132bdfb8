#include "sinew/io/tasks/identification.hpp"

#include <gmock/gmock.h>

#include "io/tasks/knee_identification.hpp"
#include "sinew/io/tasks/gradient_check.hpp"

namespace sinew {
namespace identification_test {

using testing::HasSubstr;

TEST(Identification, FindsTheMusclesThatMovedAKnee) {
  // A slice: two muscles, half of the run. All of it, with 20 seeds, is a long test.
  const test::KneeIdentification knee({"rectus_femoris", "tibialis_anterior"}, 0.6);
  TaskProblem problem = knee.problem(1);
  const test::KneeIdentification::Found found = knee.find(problem, problem.start());
  // 0.1° in 120 angles.
  EXPECT_EQ(found.told.data, 120);
  EXPECT_NEAR(found.told.noise, 0.1 * 0.0174533, 0.3 * 0.00174533);
  const std::vector<double> errors = knee.errors(problem, found);
  EXPECT_GE(errors.size(), 3u);
  for (const double error : errors) EXPECT_LT(std::abs(error), 4);  // one in 15 000 is larger
}

TEST(Identification, TellsTheShareOfMusclesFromMomentsOfALeg) {
  TaskProblem problem(load_task(test::source_dir() + "/tasks/identify-share.json"));
  const test::KneeIdentification::Found found =
      test::KneeIdentification::find(problem, problem.start());
  EXPECT_NEAR(problem.values(found.p)[0], 0.8, 0.02);
  EXPECT_LT(std::abs(problem.values(found.p)[0] - 0.8), 4 * found.told.deviations[0]);
  EXPECT_NEAR(found.told.noise, 1, 0.2);  // weights are one over the variances
  ValueAndGradient at;
  ASSERT_TRUE(problem.evaluate(problem.start(), at));
  EXPECT_TRUE(check_gradient(problem, problem.start(), at.gradient, true, {}, nullptr).passed);
}

TEST(Identification, NamesWhatDataCannotTell) {
  // Two heads of a muscle side by side, little active: the angles follow from their sum.
  const test::KneeIdentification knee({"gastrocnemius_medialis", "gastrocnemius_lateralis"}, 0.3);
  TaskProblem problem = knee.problem(1);
  const std::optional<Identification> told = identify(problem, knee.truth());
  ASSERT_TRUE(told);
  ASSERT_FALSE(told->unresolved.empty());
  EXPECT_THAT(told->unresolved[0], HasSubstr("gastrocnemius"));
  EXPECT_TRUE(std::isinf(told->deviations.maxCoeff()));
}

}  // namespace identification_test
}  // namespace sinew

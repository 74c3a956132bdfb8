#include "sinew/math/nlopt_minimize.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/message_of.hpp"

namespace sinew {
namespace nlopt_minimize_test {

bool valley(const VecX& x, double& value, VecX& gradient) {
  const double a = x[1] - x[0] * x[0], b = 1 - x[0];
  value = 100 * a * a + b * b;
  gradient = Eigen::Vector2d(-400 * a * x[0] - 2 * b, 200 * a);
  return true;
}

const Eigen::Vector2d kStart(-1.2, 1);

/// Where NLopt is not built in.
void expect_to_say_how_to_get_it(const char* algorithm) {
  EXPECT_THAT(test::message_of([&] { nlopt_minimize(algorithm, valley, kStart); }),
              testing::HasSubstr("SINEW_NLOPT=ON"));
}

TEST(NloptMinimize, FindsMinimaWithAndWithoutGradients) {
  if (!has_nlopt()) return expect_to_say_how_to_get_it("LD_SLSQP");
  for (const char* algorithm : {"LD_SLSQP", "LD_LBFGS", "LN_BOBYQA"}) {
    SCOPED_TRACE(algorithm);
    MinimizeOptions options;
    options.first_step = 0.5;
    const MinimizeResult free = nlopt_minimize(algorithm, valley, kStart, {}, options);
    EXPECT_LT((free.x - Eigen::Vector2d(1, 1)).norm(), 1e-4);
    const Bounds bounds{Eigen::Vector2d(-2, -2), Eigen::Vector2d(0.5, 2)};
    const MinimizeResult held = nlopt_minimize(algorithm, valley, kStart, bounds, options);
    EXPECT_NEAR(held.x[0], 0.5, 1e-6);
    EXPECT_NEAR(held.x[1], 0.25, 1e-4);
  }
}

TEST(NloptMinimize, EndsAsTheOthersDo) {
  if (!has_nlopt()) return expect_to_say_how_to_get_it("LN_NELDERMEAD");
  MinimizeOptions few;
  few.evaluations = 5;
  EXPECT_EQ(nlopt_minimize("LD_SLSQP", valley, kStart, {}, few).end, MinimizeEnd::evaluations);
  const MinimizeResult stopped =
      nlopt_minimize("LD_SLSQP", valley, kStart, {}, {},
                     [](const MinimizeResult& so_far) { return so_far.iterations < 3; });
  EXPECT_EQ(stopped.end, MinimizeEnd::stopped);
  EXPECT_EQ(stopped.iterations, 3);
  const auto none = [](const VecX&, double&, VecX&) { return false; };
  EXPECT_EQ(nlopt_minimize("LN_NELDERMEAD", none, kStart, {}, few).end, MinimizeEnd::failed);
  EXPECT_THAT(test::message_of([] { nlopt_minimize("LD_NOTHING", valley, kStart); }),
              testing::HasSubstr("LD_NOTHING"));
}

}  // namespace nlopt_minimize_test
}  // namespace sinew

#include "sinew/muscles/hill/hill_step.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "sinew/muscles/hill/hill_equilibrium.hpp"
#include "support/finite_difference.hpp"

namespace sinew {
namespace hill_step_test {

std::vector<HillMuscle> examples() {
  std::vector<HillMuscle> all(3);
  all[0].pennation_at_optimal = 0.3;
  set_millard_curves({}, 0.1, all[1]);
  all[1].pennation_at_optimal = 0.15;
  all[2].curves = DeGrooteFregly2016Curves{};
  all[2].damping = 0.01;
  return all;
}

TEST(HillStep, TheStageIsSolvedByTheVelocityThatForcesAskFor) {
  for (const HillMuscle& m : examples())
    for (const double gamma : {1e-5, 1e-3, 5e-3})
      for (const double length : {0.296, 0.304, 0.312}) {
        const double c = 0.098, a = 0.6;
        const HillTension t = implicit_tension(m, a, length, 0, c, gamma);
        const auto v = evaluate_hill(m, a, length, 0, t.fibre_length);
        EXPECT_NEAR(v.fibre_velocity, (t.fibre_length - c) / gamma, 1e-6) << gamma;
        EXPECT_NEAR(v.tendon_force, t.tension, 1e-9 * m.max_isometric_force);
      }
}

TEST(HillStep, StiffnessIsTheDerivativeOfTension) {
  for (const HillMuscle& m : examples())
    for (const double length : {0.2967, 0.3041, 0.3113}) {
      const auto tension = [&](const VecX& L) {
        return VecX::Constant(1, implicit_tension(m, 0.6, L[0], 0, 0.0973, 2e-3).tension);
      };
      const double claimed = implicit_tension(m, 0.6, length, 0, 0.0973, 2e-3).d_length;
      const auto sweep =
          check_derivative(tension, VecX::Constant(1, length), MatX::Constant(1, 1, claimed));
      // fibres are solved to 1e-12 l₀: 1e-6 in a difference over 1e-6
      EXPECT_LT(sweep.best_error, 1e-5) << sweep.table();
    }
}

TEST(HillStep, LongStagesEndInEquilibriumAndShortOnesWhereTheyStarted) {
  for (const HillMuscle& m : examples()) {
    const double rest = equilibrate(m, 0.5, 0.305, 0).fibre_length;
    EXPECT_NEAR(implicit_tension(m, 0.5, 0.305, 0, 0.09, 1e6).fibre_length, rest, 1e-8);
    // tendons at a strain of 0.07 drive undamped fibres with 100 m/s and more
    EXPECT_NEAR(implicit_tension(m, 0.5, 0.305, 0, 0.09, 1e-9).fibre_length, 0.09, 1e-6);
  }
}

TEST(HillStep, AnyInputGivesATensionThatIsFiniteAndAFibreThatIsNotTooShort) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> one(0, 1);
  for (const HillMuscle& m : examples())
    for (int i = 0; i < 2000; ++i) {
      const double c = 0.4 * one(random), length = 0.7 * one(random);
      const double gamma = std::pow(10.0, -6 + 6 * one(random));
      const HillTension t = implicit_tension(m, one(random), length, 0, c, gamma);
      ASSERT_TRUE(std::isfinite(t.tension) && std::isfinite(t.d_length));
      ASSERT_GE(t.fibre_length, m.min_fibre_length());
    }
}

}  // namespace hill_step_test
}  // namespace sinew

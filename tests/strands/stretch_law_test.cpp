#include "sinew/strands/stretch_law.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/finite_difference.hpp"
#include "support/message_of.hpp"

namespace sinew {
namespace stretch_law_test {

std::vector<StretchLaw> examples() {
  return {{LinearStretch{200}, 3, true},
          {LinearStretch{200}, 3, false},
          {TableStretch{{-0.1, 0, 0.1, 0.3}, {-5, 0, 12, 80}}, 2, false},
          {TendonStretch{1000, 0.04}, 5, true}};
}

TEST(StretchLaw, TensionIsTheDerivativeOfEnergyAndItsSlopesAreThoseOfDifferences) {
  for (const StretchLaw& law : examples())
    for (const double strain : {0.004, 0.012, 0.037, 0.22}) {
      const double rate = 0.4;
      const Stretch at = evaluate(law, strain, rate);
      const auto energy = [&](const VecX& e) {
        return VecX::Constant(1, evaluate(law, e[0], 0).energy);
      };
      const auto tension = [&](const VecX& x) {
        return VecX::Constant(1, evaluate(law, x[0], x[1]).tension);
      };
      // A step of 1e-6 stays on one side of every corner of the tables; rounding 1e-10 of energies
      // of 10 N and tensions of 100 N.
      EXPECT_NEAR(central_difference(energy, VecX::Constant(1, strain), 1e-6)(0, 0), at.elastic,
                  1e-6 * std::max(1.0, at.elastic));
      const MatX slopes = central_difference(tension, Eigen::Vector2d(strain, rate), 1e-6);
      EXPECT_NEAR(slopes(0, 0), at.by_strain, 1e-5 * at.by_strain);
      EXPECT_NEAR(slopes(0, 1), at.by_rate, 1e-6 * at.by_rate);
    }
}

TEST(StretchLaw, SlackStrandsOnlyPull) {
  const StretchLaw rope{LinearStretch{100}, 2, true};
  EXPECT_EQ(evaluate(rope, -0.1, 5).tension, 0);
  EXPECT_EQ(evaluate(rope, -0.1, 5).energy, 0);
  EXPECT_EQ(evaluate(rope, 0.1, -9).tension, 0);  // its damper does not push either,
  EXPECT_EQ(evaluate(rope, 0.1, 9).tension, 20);  // and does not jump where it becomes taut
  EXPECT_LT(evaluate(rope, 1e-9, 9).tension, 1e-6);
  EXPECT_EQ(evaluate(rope, 0.1, 0).tension, 10);
  const StretchLaw rod{LinearStretch{100}, 2, false};
  EXPECT_EQ(evaluate(rod, -0.1, 0).tension, -10);
}

TEST(StretchLaw, TendonsReachTheirForceAtTheirStrain) {
  const StretchLaw tendon{TendonStretch{800, 0.049}, 0, true};
  EXPECT_NEAR(evaluate(tendon, 0.049, 0).tension, 800, 1e-10);  // rounding
  // Both formulas of the energy meet where the toe ends, at 0.33 of the force.
  double low = 0, high = 0.049;
  for (int k = 0; k < 60; ++k) {
    const double middle = 0.5 * (low + high);
    (evaluate(tendon, middle, 0).tension < 0.33 * 800 ? low : high) = middle;
  }
  EXPECT_NEAR(evaluate(tendon, low - 1e-9, 0).energy, evaluate(tendon, high + 1e-9, 0).energy,
              2e-9 * 800);  // 2e-9 of strain at a third of the force
}

TEST(StretchLaw, NamesTheCulpritOfBadNumbers) {
  const auto message = [](const StretchLaw& law) {
    return test::message_of([&] { law.validate("strand 'rope'"); });
  };
  EXPECT_EQ(message(examples()[0]), "");
  EXPECT_THAT(message({LinearStretch{0}, 0, true}), testing::HasSubstr("stiffness"));
  EXPECT_THAT(message({LinearStretch{1}, -1, true}), testing::HasSubstr("damping"));
  EXPECT_THAT(message({TableStretch{{0}, {0}}, 0, true}), testing::HasSubstr("two pairs"));
  EXPECT_THAT(message({TableStretch{{0, 0}, {0, 1}}, 0, true}), testing::HasSubstr("increase"));
  EXPECT_THAT(message({TableStretch{{0, 1}, {1, 0}}, 0, true}), testing::HasSubstr("fall"));
  EXPECT_THAT(message({TableStretch{{0, 1}, {1, 2}}, 0, true}), testing::HasSubstr("zero"));
  EXPECT_THAT(message({TendonStretch{1, 0}, 0, true}), testing::HasSubstr("tendon"));
}

}  // namespace stretch_law_test
}  // namespace sinew

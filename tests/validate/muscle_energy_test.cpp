#include <gtest/gtest.h>

#include "io/muscle_scenes.hpp"

/// Energy of undamped pendulums with muscles over ten seconds at 1 ms: the table of
/// docs/validation.md.

namespace sinew {
namespace muscle_energy_test {

using test::energy_error;

struct EnergyCase {
  const char* scene;
  double rk4;  ///< largest error allowed, over the largest kinetic energy
};

void PrintTo(const EnergyCase& c, std::ostream* out) { *out << c.scene; }

class MuscleEnergy : public testing::TestWithParam<EnergyCase> {};

TEST_P(MuscleEnergy, IsKeptWithContinuousMassByRk4) {
  const double error = energy_error(GetParam().scene, Integrator::rk4, 1e-3, 10);
  std::printf("%s, RK4: %.2e\n", GetParam().scene, error);
  EXPECT_LT(error, GetParam().rk4);
}

TEST_P(MuscleEnergy, IsKeptBySdirk2ToSecondOrder) {
  const char* scene = GetParam().scene;
  const double error = energy_error(scene, Integrator::sdirk2, 1e-3, 10);
  const double half = energy_error(scene, Integrator::sdirk2, 5e-4, 10);
  const double light =
      energy_error(scene, Integrator::sdirk2, 1e-3, 10, {"muscles.list.muscle.mass=0"});
  std::printf("%s, SDIRK2: %.2e at 1 ms, %.2e at 0.5 ms; without muscle mass %.2e\n", scene, error,
              half, light);
  EXPECT_LT(error, 1e-4);
  EXPECT_GT(error / half, 3.2);  // h²: 4, less the effect of higher orders
  EXPECT_LT(error, 3 * light);
}

TEST_P(MuscleEnergy, IsLostWithoutVelocityTerms) {
  for (const Integrator integrator : {Integrator::rk4, Integrator::sdirk2}) {
    const double error =
        energy_error(GetParam().scene, integrator, 1e-3, 10, {"muscles.velocity_terms=false"});
    std::printf("%s, %s, without velocity terms: %.2e\n", GetParam().scene,
                to_string(integrator).c_str(), error);
    EXPECT_GT(error, 1e-2);
  }
}

INSTANTIATE_TEST_SUITE_P(Types, MuscleEnergy,
                         testing::Values(EnergyCase{"straight-pendulum", 1e-6},
                                         EnergyCase{"polyline-pendulum", 1e-6},
                                         EnergyCase{"wrap-pendulum", 1e-5}));

TEST(MuscleEnergyOfOtherModels, IsVisiblyWorse) {
  const double points =
      energy_error("polyline-pendulum", Integrator::rk4, 1e-3, 10, {"muscles.mass_model=points"});
  const double many = energy_error("polyline-pendulum", Integrator::rk4, 1e-3, 10,
                                   {"muscles.mass_model=points", "muscles.points=40"});
  const double exact =
      energy_error("wrap-pendulum", Integrator::rk4, 1e-3, 10, {"muscles.wrap_model=exact"});
  std::printf("10 points %.2e, 40 points %.2e, exact wrapping %.2e\n", points, many, exact);
  EXPECT_GT(points, 1e-3);
  EXPECT_GT(many, 1e-3);  // more points do not cure it
  EXPECT_GT(exact, 1e-2);
}

}  // namespace muscle_energy_test
}  // namespace sinew

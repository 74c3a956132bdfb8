#include "sinew/system/energy_variables.hpp"

#include <gtest/gtest.h>

#include "sinew/analysis/muscle_state.hpp"
#include "sinew/builder/system_builder.hpp"
#include "support/finite_difference.hpp"
#include "support/random_muscles.hpp"
#include "support/random_tree.hpp"

namespace sinew {
namespace energy_variables_test {

using test::PathKind;

class EnergyVariablesOfMuscles : public ::testing::TestWithParam<std::tuple<PathKind, unsigned>> {};

TEST_P(EnergyVariablesOfMuscles, RatesAreDerivativesAlongTheMotion) {
  const auto [kind, seed] = GetParam();
  SystemBuilder builder(test::random_tree(seed, 4).build());
  builder.add_muscle(test::random_muscle(builder.skeleton(), kind, seed));
  const System system = builder.build();
  ASSERT_TRUE(system.has_energy_variables());
  const test::RandomState state = test::random_state(system.skeleton(), seed);
  const int n = system.dof_count();
  Workspace ws(system);
  EnergyVariables at;
  ASSERT_TRUE(at.update(system, {0, state.q, state.qdot}, ws));

  MatX M;
  mass_matrix(system, {0, state.q, state.qdot}, ws, M);
  const double size = M.cwiseAbs().maxCoeff();
  EXPECT_LT((at.inertial.M - M).cwiseAbs().maxCoeff(),
            1e-12 * size);  // rounding, as between the two ways
  EXPECT_LT((at.L * at.L.transpose() - M).cwiseAbs().maxCoeff(), 1e-12 * size);

  // Along q + s q̇: all entries of L, one below the other.
  const auto factor_at = [&](const VecX& s) {
    MatX M_s;
    mass_matrix(system, {0, state.q + s[0] * state.qdot, state.qdot}, ws, M_s);
    const MatX L = M_s.llt().matrixL();
    return VecX(Eigen::Map<const VecX>(L.data(), n * n));
  };
  const MatX claimed = Eigen::Map<const VecX>(at.Ldot.data(), n * n);
  const DifferenceSweep sweep = check_derivative(factor_at, VecX::Zero(1), claimed);
  // Differences of a matrix that may be badly conditioned.
  EXPECT_LT(sweep.best_error, 1e-6) << sweep.table();
}

INSTANTIATE_TEST_SUITE_P(RandomMuscles, EnergyVariablesOfMuscles,
                         ::testing::Combine(::testing::ValuesIn(test::kPathKinds),
                                            ::testing::Range(1u, 5u)),
                         [](const auto& test_case) {
                           return std::string(test::name_of(std::get<0>(test_case.param))) + "_" +
                                  std::to_string(std::get<1>(test_case.param));
                         });

TEST(EnergyVariables, AreForMusclesWithMassAndTheirVelocityTerms) {
  SystemBuilder builder(test::random_tree(3, 4).build());
  EXPECT_FALSE(builder.build().has_energy_variables());
  Muscle muscle = test::random_muscle(builder.skeleton(), PathKind::straight, 3);
  builder.add_muscle(muscle);
  EXPECT_TRUE(builder.build().has_energy_variables());
  muscle.name = "frozen";
  muscle.velocity_terms = false;
  builder.add_muscle(muscle);
  EXPECT_FALSE(builder.build().has_energy_variables());
}

}  // namespace energy_variables_test
}  // namespace sinew

#include "sinew/system/equations.hpp"

#include <gtest/gtest.h>

#include "support/random_tree.hpp"

/// The functions of the narrow waist against each other. (That each is right is shown in
/// tests/dynamics, where they are compared with other formulations and with differences.)

namespace sinew {
namespace equations_test {

class Equations : public testing::TestWithParam<unsigned> {
 protected:
  Equations()
      : system_(test::with_random_forces(
            test::random_tree(GetParam(), 2 + static_cast<int>(GetParam()) % 8).build(),
            GetParam())),
        state_(test::random_state(system_.skeleton(), GetParam())),
        n_(system_.dof_count()),
        ws_(system_),
        g_(n_) {
    linearize(system_, {0, state_.q, state_.qdot}, VecX::Zero(n_), StiffnessModel::exact, ws_, g_,
              at_);
  }

  /// Relative to the largest entry; mass ratios of 100 cost a few digits in M⁻¹.
  void expect_near(const VecX& found, const VecX& expected) {
    EXPECT_LT((found - expected).cwiseAbs().maxCoeff(), 1e-10 * expected.cwiseAbs().maxCoeff());
  }

  System system_;
  test::RandomState state_;
  int n_;
  Workspace ws_;
  VecX g_;
  Linearization at_;
};

TEST_P(Equations, FactorsOfTheMassMatrixNeedNoEarlierCall) {
  Workspace fresh(system_);
  factor_mass_matrix(system_, {0, state_.q, state_.qdot}, fresh);
  VecX x = test::Random(GetParam()).vecx(n_);
  const VecX expected = at_.M.ldlt().solve(x);
  solve_mass_matrix(system_, fresh, x, x);
  expect_near(x, expected);
}

TEST_P(Equations, ForwardDynamicsSolvesTheResidual) {
  VecX qddot(n_);
  forward_dynamics(system_, {0, state_.q, state_.qdot}, ws_, qddot);
  expect_near(qddot, at_.M.ldlt().solve(-g_));
}

TEST_P(Equations, MomentumCorrectionIsTheSolveItStandsFor) {
  const VecX b = test::Random(GetParam()).vecx(n_, 3);
  const double c = 0.2;
  VecX p(n_), dL_dq(n_), again(n_), x(n_);
  momentum_and_force(system_, {0, state_.q, state_.qdot}, ws_, p, dL_dq);
  momentum_correction(system_, {0, state_.q, state_.qdot}, b, c, true, ws_, again, x);
  EXPECT_LT((again - dL_dq).cwiseAbs().maxCoeff(), 1e-13 * dL_dq.cwiseAbs().maxCoeff());
  expect_near(x, at_.M.ldlt().solve(b - p + c * dL_dq));
  // With the factors of this q still there the answer is the same.
  VecX kept(n_);
  momentum_correction(system_, {0, state_.q, state_.qdot}, b, c, false, ws_, again, kept);
  EXPECT_EQ(kept, x);
}

TEST_P(Equations, EnergyIsTheSumOfItsParts) {
  const Energy e = energy(system_, {0, state_.q, state_.qdot}, ws_);
  EXPECT_DOUBLE_EQ(e.total(), e.kinetic + e.potential());
  EXPECT_DOUBLE_EQ(e.potential(), e.gravity + e.elastic);
  const double expected = 0.5 * state_.qdot.dot(at_.M * state_.qdot);
  EXPECT_NEAR(e.kinetic, expected, 1e-12 * expected);
}

INSTANTIATE_TEST_SUITE_P(RandomTrees, Equations, testing::Range(0u, 16u));

}  // namespace equations_test
}  // namespace sinew

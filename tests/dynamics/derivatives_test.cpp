#include <gtest/gtest.h>

#include "sinew/dynamics/forces.hpp"
#include "sinew/dynamics/momentum.hpp"
#include "sinew/system/equations.hpp"
#include "support/finite_difference.hpp"
#include "support/random_tree.hpp"

namespace sinew {
namespace derivatives_test {

class Derivatives : public testing::TestWithParam<unsigned> {
 protected:
  Derivatives()
      : system_(test::with_random_forces(
            test::random_tree(GetParam(), 1 + static_cast<int>(GetParam()) % 7).build(),
            GetParam())),
        state_(test::random_state(system_.skeleton(), GetParam())),
        qddot_(test::Random(GetParam()).vecx(system_.dof_count(), 4)),
        ws_(system_) {}

  VecX residual(const VecX& q, const VecX& qdot, const VecX& qddot) {
    VecX g(system_.dof_count());
    inverse_dynamics(system_, {0, q, qdot}, qddot, ws_, g);
    return g;
  }
  VecX accelerations(const VecX& q, const VecX& qdot) {
    VecX qddot(system_.dof_count());
    forward_dynamics(system_, {0, q, qdot}, ws_, qddot);
    return qddot;
  }

  System system_;
  test::RandomState state_;
  VecX qddot_;
  Workspace ws_;
};

TEST_P(Derivatives, OfInverseDynamics) {
  VecX g(system_.dof_count());
  Linearization at;
  linearize(system_, {0, state_.q, state_.qdot}, qddot_, StiffnessModel::exact, ws_, g, at);
  EXPECT_EQ(g, residual(state_.q, state_.qdot, qddot_));
  const auto by_q = check_derivative(
      [&](const VecX& q) { return residual(q, state_.qdot, qddot_); }, state_.q, at.dg_dq);
  EXPECT_TRUE(by_q.confirms()) << by_q.table();
  const auto by_qdot = check_derivative(
      [&](const VecX& qdot) { return residual(state_.q, qdot, qddot_); }, state_.qdot, at.dg_dqdot);
  EXPECT_TRUE(by_qdot.confirms()) << by_qdot.table();
  const auto by_qddot = check_derivative(
      [&](const VecX& a) { return residual(state_.q, state_.qdot, a); }, qddot_, at.M);
  EXPECT_TRUE(by_qddot.confirms()) << by_qddot.table();
}

TEST_P(Derivatives, OfForwardDynamics) {
  VecX qddot(system_.dof_count());
  ForwardDerivatives at;
  forward_dynamics_derivatives(system_, {0, state_.q, state_.qdot}, ws_, qddot, at);
  const auto by_q = check_derivative([&](const VecX& q) { return accelerations(q, state_.qdot); },
                                     state_.q, at.dqddot_dq);
  EXPECT_TRUE(by_q.confirms()) << by_q.table();
  const auto by_qdot =
      check_derivative([&](const VecX& qdot) { return accelerations(state_.q, qdot); }, state_.qdot,
                       at.dqddot_dqdot);
  EXPECT_TRUE(by_qdot.confirms()) << by_qdot.table();
  // ∂q̈/∂τ is M⁻¹: applied to M it gives the identity.
  VecX g(system_.dof_count());
  Linearization lin;
  linearize(system_, {0, state_.q, state_.qdot}, qddot, StiffnessModel::exact, ws_, g, lin);
  const MatX I = MatX::Identity(system_.dof_count(), system_.dof_count());
  EXPECT_LT((at.dqddot_dtau * lin.M - I).cwiseAbs().maxCoeff(), 1e-10);
}

TEST_P(Derivatives, OfTheLagrangianAreMomentumAndForce) {
  const int n = system_.dof_count();
  VecX p(n), dL_dq(n);
  momentum_and_force(system_, {0, state_.q, state_.qdot}, ws_, p, dL_dq);
  VecX zero = VecX::Zero(n), f(n);
  // d/dt p = M q̈ + Ṁ q̇ and M q̈ = f: so ∂L/∂q + Q = f + Ṁ q̇ at any q̈; Ṁ q̇ by differences of p.
  f = -residual(state_.q, state_.qdot, zero);
  const double h = 1e-5;
  VecX p_plus(n), p_minus(n), unused(n);
  momentum_and_force(system_, {0, state_.q + h * state_.qdot, state_.qdot}, ws_, p_plus, unused);
  momentum_and_force(system_, {0, state_.q - h * state_.qdot, state_.qdot}, ws_, p_minus, unused);
  const VecX expected = f + (p_plus - p_minus) / (2 * h);
  // Differences at h = 1e-5 are good to about 1e-9 of the largest entry.
  EXPECT_LT((dL_dq - expected).cwiseAbs().maxCoeff(), 1e-7 * expected.cwiseAbs().maxCoeff());

  const auto T = [&](const VecX& qdot) {
    VecX out(1);
    out[0] = energy(system_, {0, state_.q, qdot}, ws_).kinetic;
    return out;
  };
  const auto by_qdot = check_derivative(T, state_.qdot, p.transpose());
  EXPECT_TRUE(by_qdot.confirms()) << by_qdot.table();
}

INSTANTIATE_TEST_SUITE_P(RandomTrees, Derivatives, testing::Range(0u, 30u));

}  // namespace derivatives_test
}  // namespace sinew

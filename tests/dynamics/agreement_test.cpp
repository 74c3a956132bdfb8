#include <gtest/gtest.h>

#include "sinew/dynamics/aba.hpp"
#include "sinew/dynamics/crba.hpp"
#include "sinew/dynamics/jacobian.hpp"
#include "sinew/dynamics/rnea.hpp"
#include "sinew/system/equations.hpp"
#include "support/hybrid.hpp"
#include "support/jacobian_form.hpp"
#include "support/maximal.hpp"
#include "support/random_tree.hpp"

/// The same accelerations by every road (validation R1): articulated bodies, composite bodies, the
/// Jacobian form, hybrid recursion, maximal coordinates.

namespace sinew {
namespace agreement_test {

/// Relative to the largest entry, as the issue of REDMAX's equivalence is stated.
double difference(const MatX& a, const MatX& b) {
  return (a - b).cwiseAbs().maxCoeff() / std::max(1e-300, b.cwiseAbs().maxCoeff());
}

// Five roads through different sums: rounding times the conditioning of mass ratios ≤ 100 over
// depth 12.
constexpr double kTolerance = 1e-11;

class Agreement : public testing::TestWithParam<unsigned> {
 protected:
  Agreement()
      : system_(test::with_random_forces(
            test::random_tree(GetParam(), 3 + static_cast<int>(GetParam()) % 14).build(),
            GetParam())),
        state_(test::random_state(system_.skeleton(), GetParam())),
        ws_(system_),
        qddot_(system_.dof_count()) {
    forward_dynamics(system_, {0, state_.q, state_.qdot}, ws_, qddot_);
  }

  System system_;
  test::RandomState state_;
  Workspace ws_;
  VecX qddot_;
};

TEST_P(Agreement, OfArticulatedBodiesWithTheJacobianForm) {
  const test::JacobianForm form = test::jacobian_form(system_, state_.qdot, ws_);
  EXPECT_LT(difference(qddot_, form.M.ldlt().solve(form.f)), kTolerance);
}

TEST(ArticulatedBodies, LoseNoDigitsWhereAJointsAxesAreNearlyParallel) {
  // Trees with a joint of two or more coordinates whose inertia D is badly conditioned. Against the
  // same equation solved with 64 bits of mantissa; LDLᵀ of the dense matrix is as good as 2e-13 to
  // 5e-13, and ε times its condition is 1e-11 and 3e-11.
  using LongMatrix = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;
  using LongVector = Eigen::Matrix<long double, Eigen::Dynamic, 1>;
  for (const unsigned seed : {1282u, 8945u}) {
    const System system = test::with_random_forces(
        test::random_tree(seed, 3 + static_cast<int>(seed) % 14).build(), seed);
    const test::RandomState state = test::random_state(system.skeleton(), seed);
    Workspace ws(system);
    VecX qddot(system.dof_count());
    forward_dynamics(system, {0, state.q, state.qdot}, ws, qddot);
    const test::JacobianForm form = test::jacobian_form(system, state.qdot, ws);
    const LongVector exact =
        LongMatrix(form.M.cast<long double>()).ldlt().solve(form.f.cast<long double>());
    EXPECT_LT(difference(qddot, exact.cast<double>()), 4e-12) << seed;
  }
}

TEST_P(Agreement, OfColumnsAlongsideForwardDynamicsWithSolvesOfTheirOwn) {
  const int n = system_.dof_count();
  for (const int columns : {1, 2, 3, 4}) {
    // Sparse, as rows of constraints are: sweeps skip zeros.
    MatX B = MatX::Zero(n, columns), X(n, columns), Y(n, columns);
    for (int c = 0; c < columns; ++c) B((7 * c + 3) % n, c) = 1 + c;
    VecX qddot(n), x(n);
    forward_dynamics(system_.skeleton(), system_.gravity(), ws_.forces, ws_.skeleton, qddot.data(),
                     B, X);
    EXPECT_EQ(qddot, qddot_);
    solve_mass_matrix(system_.skeleton(), ws_.skeleton, B, Y);
    EXPECT_EQ(X, Y);
    for (int c = 0; c < columns; ++c) {
      solve_mass_matrix(system_.skeleton(), ws_.skeleton, B.col(c), x);
      EXPECT_EQ(X.col(c), x);
    }
    MatX M(n, n);
    mass_matrix(system_.skeleton(), ws_.skeleton, M);
    EXPECT_LT(difference(X, M.ldlt().solve(B)), kTolerance);
  }
}

TEST_P(Agreement, OfCompositeBodiesWithTheJacobianForm) {
  const test::JacobianForm form = test::jacobian_form(system_, state_.qdot, ws_);
  MatX M(system_.dof_count(), system_.dof_count());
  mass_matrix(system_.skeleton(), ws_.skeleton, M);
  EXPECT_LT(difference(M, form.M), 1e-13);
  const VecX zero = VecX::Zero(system_.dof_count());
  VecX g(system_.dof_count());
  inverse_dynamics(system_, {0, state_.q, state_.qdot}, zero, ws_, g);
  const VecX f = -g;
  EXPECT_LT(difference(f, form.f), 1e-12);
  EXPECT_LT(difference(qddot_, M.ldlt().solve(f)), kTolerance);
}

TEST_P(Agreement, OfHybridDynamicsWithNothingAndWithSomeJointsPrescribed) {
  const int n = system_.dof_count();
  std::vector<bool> prescribed(static_cast<size_t>(n), false);
  VecX qddot = VecX::Zero(n), tau = VecX::Zero(n);
  hybrid_dynamics(system_.skeleton(), system_.gravity(), ws_.forces, prescribed, state_.qdot,
                  ws_.skeleton, qddot, tau);
  EXPECT_LT(difference(qddot, qddot_), kTolerance);

  // Prescribe every other joint; the forces that it reports must cause the prescribed motion.
  VecX wanted = test::Random(GetParam()).vecx(n, 3);
  for (const Link& link : system_.skeleton().links())
    for (int k = 0; k < link.dof_count; ++k)
      prescribed[static_cast<size_t>(link.dof + k)] = link.body % 2 == 0;
  VecX hybrid = wanted;
  tau.setZero();
  hybrid_dynamics(system_.skeleton(), system_.gravity(), ws_.forces, prescribed, state_.qdot,
                  ws_.skeleton, hybrid, tau);
  for (int k = 0; k < n; ++k) {
    if (prescribed[static_cast<size_t>(k)]) {
      EXPECT_EQ(hybrid[k], wanted[k]);
    } else {
      EXPECT_EQ(tau[k], 0);
    }
  }
  AppliedForces with_tau = ws_.forces;
  with_tau.tau += tau;
  VecX forward(n);
  forward_dynamics(system_.skeleton(), system_.gravity(), with_tau, ws_.skeleton, forward);
  EXPECT_LT(difference(forward, hybrid), kTolerance);
}

TEST_P(Agreement, OfMaximalCoordinatesWithJointConstraints) {
  const MaximalSolution maximal = maximal_dynamics(system_.skeleton(), system_.gravity(),
                                                   ws_.forces, state_.q, state_.qdot, ws_.skeleton);
  EXPECT_LT(difference(maximal.qddot, qddot_), kTolerance);
  // φ̇ = J q̈ + J̇ q̇.
  const test::JacobianForm form = test::jacobian_form(system_, state_.qdot, ws_);
  EXPECT_LT(difference(maximal.phidot, form.J * qddot_ + form.Jdot * state_.qdot), kTolerance);
}

TEST_P(Agreement, OfInverseWithForwardDynamics) {
  VecX g(system_.dof_count());
  inverse_dynamics(system_, {0, state_.q, state_.qdot}, qddot_, ws_, g);
  const test::JacobianForm form = test::jacobian_form(system_, state_.qdot, ws_);
  EXPECT_LT(g.cwiseAbs().maxCoeff() / form.f.cwiseAbs().maxCoeff(), kTolerance);
}

TEST_P(Agreement, OfJacobianProductsWithTheMatrices) {
  const Skeleton& skeleton = system_.skeleton();
  const test::JacobianForm form = test::jacobian_form(system_, state_.qdot, ws_);
  const VecX x = test::Random(GetParam()).vecx(skeleton.dof_count());
  const VecX w = test::Random(GetParam() + 1).vecx(6 * skeleton.body_count());
  VecX y(6 * skeleton.body_count()), z(6 * skeleton.body_count()), back(skeleton.dof_count());
  jacobian_times(skeleton, ws_.skeleton, x, y, z);
  jacobian_transpose_times(skeleton, ws_.skeleton, w, back);
  EXPECT_LT(difference(y, form.J * x), 1e-13);
  EXPECT_LT(difference(z, form.Jdot * x), 1e-13);
  EXPECT_LT(difference(back, form.J.transpose() * w), 1e-13);
  // J gives the twists that kinematics finds, and J̇ is its rate.
  for (int i = 0; i < skeleton.body_count(); ++i)
    EXPECT_LT(difference((form.J * state_.qdot).segment<6>(6 * i),
                         body_twist(skeleton, ws_.skeleton, BodyIndex(i))),
              1e-12);
}

TEST_P(Agreement, OfTheJacobianRateWithDifferences) {
  const double h = 1e-5;
  const auto J_at = [&](double t) {
    Workspace ws(system_);
    const VecX q = state_.q + t * state_.qdot;
    update_forces(system_, {0, q, state_.qdot}, ws);
    return test::jacobian_form(system_, state_.qdot, ws).J;
  };
  const test::JacobianForm form = test::jacobian_form(system_, state_.qdot, ws_);
  // Central differences at h = 1e-5 leave h² and 1e-16/h: both about 1e-10.
  EXPECT_LT(difference((J_at(h) - J_at(-h)) / (2 * h), form.Jdot), 1e-8);
}

INSTANTIATE_TEST_SUITE_P(RandomTrees, Agreement, testing::Range(0u, 100u));

}  // namespace agreement_test
}  // namespace sinew

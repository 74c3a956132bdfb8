#include "sinew/dynamics/momentum.hpp"

#include <gtest/gtest.h>

#include "sinew/dynamics/crba.hpp"
#include "sinew/dynamics/rnea.hpp"
#include "support/random_tree.hpp"

/// Sums over links against sums over bodies, each in its own frame. (That ∂L/∂q is right is in
/// derivatives_test.cpp, that momentum is conserved in physics_test.cpp.)

namespace sinew {
namespace momentum_test {

// Sums of ten terms.
constexpr double kRounding = 1e-13;

class Momentum : public testing::TestWithParam<unsigned> {
 protected:
  Momentum()
      : skeleton_(test::random_tree(GetParam(), 1 + static_cast<int>(GetParam()) % 10).build()),
        state_(test::random_state(skeleton_, GetParam())),
        ws_(skeleton_) {
    update_kinematics(skeleton_, state_.q, state_.qdot, ws_);
    update_inertias(skeleton_, ws_);
  }

  Skeleton skeleton_;
  test::RandomState state_;
  SkeletonWorkspace ws_;
};

TEST_P(Momentum, KineticEnergyIsTheSumOverBodies) {
  double expected = 0;
  for (int i = 0; i < skeleton_.body_count(); ++i) {
    const Vec6 phi = body_twist(skeleton_, ws_, BodyIndex(i));
    expected += 0.5 * phi.dot(skeleton_.body(BodyIndex(i)).M_B * phi);
  }
  EXPECT_NEAR(kinetic_energy(skeleton_, ws_), expected, kRounding * (1 + expected));
}

TEST_P(Momentum, TotalIsTheSumOverBodies) {
  Vec6 expected = Vec6::Zero();
  for (int i = 0; i < skeleton_.body_count(); ++i) {
    const BodyIndex b(i);
    expected += Ad_inverse_transpose_times(body_pose(skeleton_, ws_, b),
                                           skeleton_.body(b).M_B * body_twist(skeleton_, ws_, b));
  }
  EXPECT_LT((total_momentum(skeleton_, ws_) - expected).norm(), kRounding * (1 + expected.norm()));
}

TEST_P(Momentum, MassCentreAndGravityEnergyAreThoseOfTheMovingBodies) {
  const Vec3 gravity(1, -9, 2);
  double mass = 0;
  Vec3 moment = Vec3::Zero();
  for (int i = 0; i < skeleton_.body_count(); ++i) {
    const Body& body = skeleton_.body(BodyIndex(i));
    if (body.link == LinkIndex(0)) continue;
    mass += body.M_B.mass;
    moment += body.M_B.mass * (body_pose(skeleton_, ws_, BodyIndex(i)) * body.M_B.com());
  }
  const MassCenter center = mass_center(skeleton_, ws_);
  EXPECT_NEAR(center.mass, mass, kRounding * mass);
  EXPECT_LT((center.position - moment / mass).norm(), kRounding * (1 + moment.norm() / mass));
  EXPECT_NEAR(gravity_energy(skeleton_, gravity, ws_), -gravity.dot(moment),
              kRounding * (1 + gravity.norm() * moment.norm()));
}

TEST_P(Momentum, OfTheCoordinatesIsTheMassMatrixTimesTheRates) {
  const int n = skeleton_.dof_count();
  const AppliedForces none(skeleton_);
  VecX p(n), force(n);
  momentum_and_force(skeleton_, Vec3::Zero(), none, ws_, p, force);
  MatX M(n, n);
  mass_matrix(skeleton_, ws_, M);
  const VecX expected = M * state_.qdot;
  EXPECT_LT((p - expected).cwiseAbs().maxCoeff(), kRounding * (1 + expected.cwiseAbs().maxCoeff()));
  EXPECT_NEAR(p.dot(state_.qdot), 2 * kinetic_energy(skeleton_, ws_),
              kRounding * (1 + std::abs(p.dot(state_.qdot))));
}

INSTANTIATE_TEST_SUITE_P(RandomTrees, Momentum, testing::Range(0u, 20u));

}  // namespace momentum_test
}  // namespace sinew

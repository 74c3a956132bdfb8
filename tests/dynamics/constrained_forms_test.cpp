#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sinew/core/error.hpp"
#include "sinew/dynamics/rnea.hpp"
#include "support/hybrid.hpp"
#include "support/maximal.hpp"
#include "support/random_tree.hpp"

/// Hybrid dynamics at its two ends, and the reactions of the maximal form. (That all forms agree
/// with the recursions is in agreement_test.cpp.)

namespace sinew {
namespace constrained_forms_test {

const Vec3 kGravity(0, -9.81, 0);

TEST(HybridDynamics, WithEverythingPrescribedIsInverseDynamics) {
  for (unsigned seed = 0; seed < 10; ++seed) {
    const Skeleton skeleton = test::random_tree(seed, 2 + static_cast<int>(seed)).build();
    const test::RandomState state = test::random_state(skeleton, seed);
    const int n = skeleton.dof_count();
    AppliedForces forces(skeleton);
    forces.tau = test::Random(seed).vecx(n, 3);
    SkeletonWorkspace ws(skeleton);
    update_kinematics(skeleton, state.q, state.qdot, ws);
    update_inertias(skeleton, ws);
    VecX qddot = test::Random(seed + 1).vecx(n, 4), expected(n), tau = VecX::Constant(n, 7);
    inverse_dynamics(skeleton, kGravity, forces, qddot, ws, expected);
    const VecX given = qddot;
    hybrid_dynamics(skeleton, kGravity, forces, std::vector<bool>(static_cast<size_t>(n), true),
                    state.qdot, ws, qddot, tau);
    EXPECT_EQ(qddot, given);
    // The same sums in other frames.
    EXPECT_LT((tau - expected).cwiseAbs().maxCoeff(), 1e-12 * expected.cwiseAbs().maxCoeff());
  }
}

TEST(HybridDynamics, NamesAJointThatIsPrescribedInPart) {
  BodySpec spec;
  spec.name = "b";
  spec.joint = SphericalExp();
  spec.joint_name = "hip";
  spec.M_B = SpatialInertia::FromCentral(1, Vec3::Zero(), Mat3::Identity());
  const Skeleton skeleton = SkeletonBuilder().add_body(spec).build();
  SkeletonWorkspace ws(skeleton);
  VecX q = VecX::Zero(3), tau = q, qddot = q;
  update_kinematics(skeleton, q, q, ws);
  try {
    hybrid_dynamics(skeleton, kGravity, AppliedForces(skeleton), {true, false, true}, q, ws, qddot,
                    tau);
    FAIL() << "no error";
  } catch (const Error& e) {
    EXPECT_THAT(e.what(), testing::HasSubstr("joint 'hip'"));
  }
}

// A hanging body at rest: the joint carries its weight and nothing accelerates.
TEST(MaximalDynamics, ReactionCarriesTheWeight) {
  BodySpec spec;
  spec.name = "b";
  spec.joint = Revolute(Vec3::UnitZ());
  spec.M_B = SpatialInertia::FromCentral(3, Vec3(0, -0.5, 0), 0.1 * Mat3::Identity());
  const Skeleton skeleton = SkeletonBuilder().add_body(spec).build();
  SkeletonWorkspace ws(skeleton);
  const VecX zero = VecX::Zero(1);
  update_kinematics(skeleton, zero, zero, ws);
  const MaximalSolution solution =
      maximal_dynamics(skeleton, kGravity, AppliedForces(skeleton), zero, zero, ws);
  EXPECT_LT(solution.phidot.norm(), 1e-14);
  ASSERT_EQ(solution.lambda.size(), 5);
  // −Gᵀλ is a wrench on the body: weight upwards. N is orthonormal, so it has λ's length.
  EXPECT_NEAR(solution.lambda.norm(), 3 * 9.81, 1e-13);
}

// Reactions do no work: the power of weight and velocity terms alone changes the kinetic energy.
TEST(MaximalDynamics, ReactionsDoNoWork) {
  for (unsigned seed = 0; seed < 10; ++seed) {
    const Skeleton skeleton = test::random_tree(seed, 2 + static_cast<int>(seed) % 6).build();
    const test::RandomState state = test::random_state(skeleton, seed);
    SkeletonWorkspace ws(skeleton);
    update_kinematics(skeleton, state.q, state.qdot, ws);
    const MaximalSolution solution =
        maximal_dynamics(skeleton, kGravity, AppliedForces(skeleton), state.q, state.qdot, ws);
    double change = 0, weight = 0, size = 0;
    for (int i = 0; i < skeleton.body_count(); ++i) {
      const Body& body = skeleton.body(BodyIndex(i));
      const Vec6 phi = body_twist(skeleton, ws, BodyIndex(i));
      const Mat3 R = body_pose(skeleton, ws, BodyIndex(i)).R;
      Vec6 g;
      g << Vec3::Zero(), R.transpose() * kGravity;
      change += phi.dot(body.M_B * Vec6(solution.phidot.segment<6>(6 * i)));
      weight += phi.dot(body.M_B * g);
      size += std::abs(phi.dot(body.M_B * g));
    }
    EXPECT_NEAR(change, weight, 1e-11 * (1 + size));
  }
}

}  // namespace constrained_forms_test
}  // namespace sinew

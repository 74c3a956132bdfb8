#include "sinew/dynamics/jacobian.hpp"

#include <gtest/gtest.h>

#include "sinew/dynamics/kinematics.hpp"
#include "support/random_tree.hpp"

/// J by its definition. (J̇ against differences and the O(n) products are in agreement_test.cpp.)

namespace sinew {
namespace jacobian_test {

TEST(Jacobian, ColumnsAreTwistsAtUnitRates) {
  for (unsigned seed = 0; seed < 15; ++seed) {
    const Skeleton skeleton = test::random_tree(seed, 2 + static_cast<int>(seed)).build();
    const test::RandomState state = test::random_state(skeleton, seed);
    const int n = skeleton.dof_count(), nm = 6 * skeleton.body_count();
    SkeletonWorkspace ws(skeleton);
    MatX J(nm, n), Jdot(nm, n), expected(nm, n);
    update_kinematics(skeleton, state.q, state.qdot, ws);
    update_jacobian(skeleton, ws, J, Jdot);
    for (int k = 0; k < n; ++k) {
      update_kinematics(skeleton, state.q, VecX::Unit(n, k), ws);
      for (int i = 0; i < skeleton.body_count(); ++i)
        expected.block<6, 1>(6 * i, k) = body_twist(skeleton, ws, BodyIndex(i));
    }
    EXPECT_LT((J - expected).cwiseAbs().maxCoeff(), 1e-13 * expected.cwiseAbs().maxCoeff());
  }
}

// The generalised force of a wrench does the work of the wrench: x·q̇ = y·φ.
TEST(Jacobian, TransposeKeepsWork) {
  for (unsigned seed = 0; seed < 15; ++seed) {
    const Skeleton skeleton = test::random_tree(seed, 2 + static_cast<int>(seed)).build();
    const test::RandomState state = test::random_state(skeleton, seed);
    SkeletonWorkspace ws(skeleton);
    update_kinematics(skeleton, state.q, state.qdot, ws);
    const VecX y = test::Random(seed).vecx(6 * skeleton.body_count());
    VecX x(skeleton.dof_count());
    jacobian_transpose_times(skeleton, ws, y, x);
    double work = 0, size = 0;
    for (int i = 0; i < skeleton.body_count(); ++i) {
      const double one = y.segment<6>(6 * i).dot(body_twist(skeleton, ws, BodyIndex(i)));
      work += one;
      size += std::abs(one);
    }
    EXPECT_NEAR(x.dot(state.qdot), work, 1e-13 * (1 + size));
  }
}

}  // namespace jacobian_test
}  // namespace sinew

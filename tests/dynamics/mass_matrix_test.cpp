#include <gtest/gtest.h>

#include "sinew/dynamics/aba.hpp"
#include "sinew/dynamics/crba.hpp"
#include "sinew/dynamics/momentum.hpp"
#include "sinew/dynamics/rnea.hpp"
#include "support/random_tree.hpp"

/// The mass matrix by composite bodies, and its factorisation by articulated ones.

namespace sinew {
namespace mass_matrix_test {

class MassMatrix : public testing::TestWithParam<unsigned> {
 protected:
  MassMatrix()
      : skeleton_(test::random_tree(GetParam(), 1 + static_cast<int>(GetParam()) % 12).build()),
        n_(skeleton_.dof_count()),
        q_(test::random_state(skeleton_, GetParam()).q),
        ws_(skeleton_),
        M_(n_, n_) {
    update_kinematics(skeleton_, q_, VecX::Zero(n_), ws_);
    update_inertias(skeleton_, ws_);
    mass_matrix(skeleton_, ws_, M_);
  }

  double kinetic(const VecX& qdot) {
    SkeletonWorkspace ws(skeleton_);
    update_kinematics(skeleton_, q_, qdot, ws);
    update_inertias(skeleton_, ws);
    return kinetic_energy(skeleton_, ws);
  }

  Skeleton skeleton_;
  int n_;
  VecX q_;
  SkeletonWorkspace ws_;
  MatX M_;
};

TEST_P(MassMatrix, IsSymmetricAndPositiveDefinite) {
  EXPECT_EQ(M_, M_.transpose());
  EXPECT_GT(M_.selfadjointView<Eigen::Lower>().eigenvalues().minCoeff(), 0);
}

// T is quadratic in q̇, so its second differences are exact: M_ij = T(e_i + e_j) − T(e_i) − T(e_j).
TEST_P(MassMatrix, IsTheSecondDerivativeOfTheKineticEnergy) {
  MatX expected(n_, n_);
  for (int i = 0; i < n_; ++i)
    for (int j = 0; j < n_; ++j) {
      const VecX a = VecX::Unit(n_, i), b = VecX::Unit(n_, j);
      expected(i, j) = kinetic(a + b) - kinetic(a) - kinetic(b);
    }
  EXPECT_LT((M_ - expected).cwiseAbs().maxCoeff(), 1e-13 * M_.cwiseAbs().maxCoeff());
}

TEST_P(MassMatrix, IsZeroBetweenBranches) {
  for (int i = 0; i < n_; ++i)
    for (int j = 0; j < n_; ++j) {
      const int a = skeleton_.link_of_dof(i), b = skeleton_.link_of_dof(j);
      const bool related =
          (a <= b && b < skeleton_.subtree_end(a)) || (b <= a && a < skeleton_.subtree_end(b));
      if (!related) {
        EXPECT_EQ(M_(i, j), 0) << i << ", " << j;
      }
    }
}

TEST_P(MassMatrix, FactorsSolveInPlaceAndApart) {
  const VecX x = test::Random(GetParam()).vecx(n_, 2), b = M_ * x;
  factor_mass_matrix(skeleton_, ws_);
  VecX apart(n_), in_place = b;
  solve_mass_matrix(skeleton_, ws_, b, apart);
  solve_mass_matrix(skeleton_, ws_, in_place, in_place);
  EXPECT_EQ(apart, in_place);
  const VecX eigenvalues = M_.selfadjointView<Eigen::Lower>().eigenvalues();
  const double condition = eigenvalues.maxCoeff() / eigenvalues.minCoeff();
  EXPECT_LT((apart - x).norm(), 1e-15 * condition * x.norm());
}

TEST_P(MassMatrix, ForwardDynamicsLeavesTheSameFactors) {
  const VecX b = test::Random(GetParam()).vecx(n_, 2);
  factor_mass_matrix(skeleton_, ws_);
  VecX expected(n_), found(n_), qddot(n_);
  solve_mass_matrix(skeleton_, ws_, b, expected);
  SkeletonWorkspace other(skeleton_);
  update_kinematics(skeleton_, q_, b, other);
  forward_dynamics(skeleton_, Vec3(0, -9, 0), AppliedForces(skeleton_), other, qddot);
  solve_mass_matrix(skeleton_, other, b, found);
  EXPECT_EQ(found, expected);
}

INSTANTIATE_TEST_SUITE_P(RandomTrees, MassMatrix, testing::Range(0u, 24u));

// Errors must not pile up along a chain: what forward dynamics finds, inverse dynamics confirms.
TEST(LongChain, ForwardAndInverseDynamicsAgree) {
  constexpr int kLinks = 1000;
  SkeletonBuilder builder;
  for (int i = 0; i < kLinks; ++i) {
    BodySpec spec;
    spec.name = "b" + std::to_string(i);
    if (i > 0) spec.parent = "b" + std::to_string(i - 1);
    spec.joint = Revolute(i % 2 ? Vec3::UnitZ() : Vec3::UnitX());
    spec.E_PJ = Pose::Translation(Vec3(0, i > 0 ? -0.1 : 0, 0));
    spec.M_B = SpatialInertia::FromCentral(0.1, Vec3(0, -0.05, 0), 1e-4 * Mat3::Identity());
    builder.add_body(spec);
  }
  const Skeleton skeleton = builder.build();
  const Vec3 gravity(0, -9.81, 0);
  const AppliedForces none(skeleton);
  const VecX q = test::Random(1).vecx(kLinks, 0.3), qdot = test::Random(2).vecx(kLinks);
  SkeletonWorkspace ws(skeleton);
  VecX qddot(kLinks), g(kLinks), f(kLinks);
  update_kinematics(skeleton, q, qdot, ws);
  forward_dynamics(skeleton, gravity, none, ws, qddot);
  inverse_dynamics(skeleton, gravity, none, qddot, ws, g);
  inverse_dynamics(skeleton, gravity, none, VecX::Zero(kLinks), ws, f);
  EXPECT_LT(g.cwiseAbs().maxCoeff(), 1e-11 * f.cwiseAbs().maxCoeff());
}

}  // namespace mass_matrix_test
}  // namespace sinew

#include "sinew/dynamics/implicit_inertia.hpp"

#include <gtest/gtest.h>

#include "sinew/dynamics/aba.hpp"
#include "sinew/dynamics/crba.hpp"
#include "sinew/dynamics/derivatives.hpp"
#include "sinew/dynamics/rnea.hpp"
#include "support/random_tree.hpp"

/// The matrix of an implicit step as an operator, against the matrix itself: random trees with all
/// joints and every kind of force.

namespace sinew {
namespace implicit_inertia_test {

class ImplicitInertiaLaw : public testing::TestWithParam<unsigned> {
 protected:
  ImplicitInertiaLaw()
      : system_(test::with_random_forces(
            test::random_tree(GetParam(), 2 + static_cast<int>(GetParam()) % 10).build(),
            GetParam())),
        skeleton_(system_.skeleton()),
        n_(skeleton_.dof_count()),
        state_(test::random_state(skeleton_, GetParam())),
        ws_(skeleton_),
        forces_(skeleton_) {
    update_kinematics(skeleton_, state_.q, state_.qdot, ws_);
    update_inertias(skeleton_, ws_);
    const ConstVecRef q(state_.q), qdot(state_.qdot);
    const SkeletonAt in{skeleton_, 0.1, q, qdot, ws_};
    for (const auto& force : system_.forces())
      force->add_derivatives(in, StiffnessModel::definite, forces_);
  }

  /// M + the symmetric part of c_D D + c_K K, by the dense projection.
  MatX dense(double c_D, double c_K) {
    MatX M(n_, n_), K = MatX::Zero(n_, n_), D = MatX::Zero(n_, n_);
    mass_matrix(skeleton_, ws_, M);
    DerivativeWorkspace dws(skeleton_);
    subtract_force_derivatives(skeleton_, ws_, forces_, StiffnessModel::definite, dws, K, D);
    const MatX A = -(c_K * K + c_D * D);
    return M + 0.5 * (A + A.transpose());
  }

  System system_;
  const Skeleton& skeleton_;
  int n_;
  test::RandomState state_;
  SkeletonWorkspace ws_;
  ForceDerivatives forces_;
};

TEST_P(ImplicitInertiaLaw, MultipliesLikeTheMatrix) {
  const double h = 0.02;
  const MatX H = dense(-h, -h * h);
  ImplicitInertia added(skeleton_);
  added.set(forces_, -h, -h * h);
  VecX y(n_);
  for (int k = 0; k < n_; ++k) {
    multiply(skeleton_, added, RigidInertia::with, VecX::Unit(n_, k), ws_, y);
    // Sums of tens of terms no larger than the largest entry.
    EXPECT_LT((y - H.col(k)).lpNorm<Eigen::Infinity>(), 1e-13 * H.lpNorm<Eigen::Infinity>()) << k;
  }
}

TEST_P(ImplicitInertiaLaw, IsFactoredWithoutWhatCouplesLinks) {
  const double h = 0.02;
  forces_.pairs.clear();
  forces_.coordinate_pairs.clear();
  const MatX H = dense(-h, -h * h);
  ImplicitInertia added(skeleton_);
  added.set(forces_, -h, -h * h);
  const Eigen::LLT<MatX> llt(H);
  ASSERT_EQ(llt.info(), Eigen::Success);
  ASSERT_TRUE(factor_implicit_inertia(skeleton_, added, ws_));
  const VecX x = test::Random(GetParam()).vecx(n_);
  VecX back(n_);
  solve_mass_matrix(skeleton_, ws_, H * x, back);
  const double condition = H.selfadjointView<Eigen::Lower>().eigenvalues().maxCoeff() /
                           H.selfadjointView<Eigen::Lower>().eigenvalues().minCoeff();
  EXPECT_LT((back - x).norm(), 1e-14 * condition * x.norm());
}

INSTANTIATE_TEST_SUITE_P(Trees, ImplicitInertiaLaw, testing::Range(1u, 25u));

TEST(ImplicitInertia, ThatIsNotPositiveIsNotFactored) {
  const Skeleton skeleton = test::random_tree(3, 5).build();
  SkeletonWorkspace ws(skeleton);
  const test::RandomState state = test::random_state(skeleton, 3);
  update_kinematics(skeleton, state.q, state.qdot, ws);
  update_inertias(skeleton, ws);
  ImplicitInertia added(skeleton);
  EXPECT_TRUE(factor_implicit_inertia(skeleton, added, ws));
  added.joint.setConstant(-1e6);
  EXPECT_FALSE(factor_implicit_inertia(skeleton, added, ws));
}

}  // namespace implicit_inertia_test
}  // namespace sinew

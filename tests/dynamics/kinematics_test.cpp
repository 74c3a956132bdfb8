#include "sinew/dynamics/kinematics.hpp"

#include <gtest/gtest.h>

#include "support/finite_difference.hpp"
#include "support/random_tree.hpp"

namespace sinew {
namespace kinematics_test {

class Kinematics : public testing::TestWithParam<unsigned> {
 protected:
  Kinematics()
      : skeleton_(test::random_tree(GetParam(), 2 + static_cast<int>(GetParam()) % 9).build()),
        state_(test::random_state(skeleton_, GetParam())),
        ws_(skeleton_) {
    update_kinematics(skeleton_, state_.q, state_.qdot, ws_);
  }

  /// E_WB by multiplying the joints up to the world, without links.
  Pose pose_by_hand(BodyIndex b, const VecX& q) const {
    Pose E;
    for (; b != kWorld; b = skeleton_.body(b).parent) {
      const Body& body = skeleton_.body(b);
      const auto n = static_cast<size_t>(body.joint.dof());
      const Coordinates q_j(q.data() + body.first_dof, n);
      JointMotion motion;
      body.joint.evaluate(q_j, q_j, motion);
      E = body.E_PJ * motion.Q * body.E_JB * E;
    }
    return E;
  }

  Skeleton skeleton_;
  test::RandomState state_;
  SkeletonWorkspace ws_;
};

TEST_P(Kinematics, PosesAreProductsOfTheJoints) {
  for (int i = 0; i < skeleton_.body_count(); ++i) {
    const Pose E = body_pose(skeleton_, ws_, BodyIndex(i));
    const Pose expected = pose_by_hand(BodyIndex(i), state_.q);
    // Twelve products of rotations at most.
    EXPECT_LT((E.R - expected.R).cwiseAbs().maxCoeff(), 1e-14);
    EXPECT_LT((E.p - expected.p).cwiseAbs().maxCoeff(), 1e-13);
  }
}

TEST_P(Kinematics, OfLinksThatAreInPlaceAlreadyAreTheSameToTheBit) {
  SkeletonWorkspace ws(skeleton_);
  const VecX elsewhere = state_.q + state_.qdot, rest = VecX::Zero(state_.q.size());
  update_kinematics(skeleton_, elsewhere, rest, ws);
  update_placement(skeleton_, view(state_.q), view(rest), ws);
  update_kinematics(skeleton_, state_.q, state_.qdot, ws);
  for (size_t i = 1; i < ws.link.size(); ++i) {
    const LinkMotion &a = ws.link[i], &b = ws_.link[i];
    EXPECT_EQ(a.R, b.R);
    for (const auto x : {&LinkMotion::p, &LinkMotion::r, &LinkMotion::w, &LinkMotion::v,
                         &LinkMotion::c_w, &LinkMotion::c_v})
      EXPECT_EQ(a.*x, b.*x);
  }
  EXPECT_EQ(ws.s, ws_.s);
}

TEST_P(Kinematics, TwistsAreRatesOfThePoses) {
  for (int i = 0; i < skeleton_.body_count(); ++i) {
    const Pose E = pose_by_hand(BodyIndex(i), state_.q);
    const auto moved = [&](const VecX& t) {
      return VecX(log(E.inverse() * pose_by_hand(BodyIndex(i), state_.q + t[0] * state_.qdot)));
    };
    const auto sweep =
        check_derivative(moved, VecX::Zero(1), body_twist(skeleton_, ws_, BodyIndex(i)));
    EXPECT_TRUE(sweep.confirms()) << sweep.table();
  }
}

// With q̈ = 0 everywhere: ω̇ = ω̇_p + c_ω and v̇ = v̇_p + ω̇_p × r + c_v.
TEST_P(Kinematics, VelocityTermsAreTheAccelerationsAtConstantRates) {
  const int links = skeleton_.link_count();
  std::vector<Vec3> alpha(static_cast<size_t>(links), Vec3::Zero()), acc = alpha;
  VecX claimed(6 * (links - 1));
  for (int i = 1; i < links; ++i) {
    const auto ii = static_cast<size_t>(i), pp = static_cast<size_t>(skeleton_.link(i).parent);
    const LinkMotion& m = ws_.link[ii];
    alpha[ii] = alpha[pp] + m.c_w;
    acc[ii] = acc[pp] + alpha[pp].cross(m.r) + m.c_v;
    claimed.segment<6>(6 * (i - 1)) << alpha[ii], acc[ii];
  }
  const auto velocities = [&](const VecX& t) {
    SkeletonWorkspace ws(skeleton_);
    const VecX q = state_.q + t[0] * state_.qdot;
    update_kinematics(skeleton_, q, state_.qdot, ws);
    VecX out(6 * (links - 1));
    for (int i = 1; i < links; ++i) {
      const LinkMotion& m = ws.link[static_cast<size_t>(i)];
      out.segment<6>(6 * (i - 1)) << m.w, m.v;
    }
    return out;
  };
  const auto sweep = check_derivative(velocities, VecX::Zero(1), claimed);
  EXPECT_TRUE(sweep.confirms()) << sweep.table();
}

TEST_P(Kinematics, AxesAreTwistsAtUnitRates) {
  SkeletonWorkspace ws(skeleton_);
  for (int k = 0; k < skeleton_.dof_count(); ++k) {
    const VecX unit = VecX::Unit(skeleton_.dof_count(), k);
    update_kinematics(skeleton_, state_.q, unit, ws);
    const LinkMotion& m = ws.link[static_cast<size_t>(skeleton_.link_of_dof(k))];
    Vec6 twist;
    twist << m.w, m.v;
    EXPECT_EQ(ws_.s[static_cast<size_t>(k)], twist) << "coordinate " << k;
  }
}

TEST_P(Kinematics, OffsetsReachThePointsOfBodies) {
  const Vec3 x_B(0.3, -0.2, 0.5);
  for (int i = 0; i < skeleton_.body_count(); ++i) {
    const BodyIndex b(i);
    const Vec3 origin = ws_.link[static_cast<size_t>(skeleton_.body(b).link.value)].p;
    const Vec3 x_W = body_pose(skeleton_, ws_, b) * x_B;
    EXPECT_LT((origin + point_offset(skeleton_, ws_, b, x_B) - x_W).norm(),
              1e-14 * (1 + x_W.norm()));
  }
  EXPECT_EQ(point_offset(skeleton_, ws_, kWorld, x_B), x_B);
  EXPECT_EQ(body_twist(skeleton_, ws_, kWorld), Vec6::Zero());
  EXPECT_EQ(body_pose(skeleton_, ws_, kWorld).R, Mat3::Identity());
}

INSTANTIATE_TEST_SUITE_P(RandomTrees, Kinematics, testing::Range(0u, 15u));

}  // namespace kinematics_test
}  // namespace sinew

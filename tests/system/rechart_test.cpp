#include <gtest/gtest.h>

#include <numbers>

#include "sinew/builder/system_builder.hpp"
#include "sinew/dynamics/kinematics.hpp"
#include "sinew/system/equations.hpp"
#include "support/random.hpp"

/// Rotation charts are changed under way; nothing that can be seen may change with them.

namespace sinew {
namespace rechart_test {

constexpr double kPi = std::numbers::pi;

System puppet() {
  SkeletonBuilder builder;
  test::Random random(1);
  const auto add = [&](const std::string& name, const std::string& parent, Joint joint) {
    BodySpec spec;
    spec.name = name;
    spec.parent = parent;
    spec.joint = std::move(joint);
    spec.E_PJ = random.pose();
    spec.E_JB = random.pose();
    spec.M_B = SpatialInertia::FromCentral(1, random.vec3(0.1), Mat3::Identity());
    builder.add_body(spec);
  };
  add("body", "", Free3D());
  add("arm", "body", SphericalExp());
  add("rail", "arm", Composite{{Prismatic(Vec3::UnitX()), SphericalExp()}});
  add("wheel", "rail", Revolute(Vec3::UnitY()));
  add("leg", "body", SphericalExp());
  return SystemBuilder(builder.build()).build();
}

// The start of the puppet's rotation vectors in q.
constexpr int kBody = 3, kArm = 6, kRail = 10, kLeg = 14;
constexpr int kWheel = 13;

/// The named rotations far beyond 1.5 π, the others within.
VecX turned_far(const System& system, const std::vector<int>& which) {
  test::Random random(2);
  VecX q = random.vecx(system.dof_count(), 0.9);
  for (const int k : which) q.segment<3>(k) = 1.7 * kPi * random.unit_vector();
  q[kWheel] = 30;  // a wheel may turn for ever
  return q;
}

/// Largest difference of poses and twists of the bodies.
double visible_difference(const System& system, const VecX& q, const VecX& qdot,
                          const VecX& other_q, const VecX& other_qdot) {
  Workspace a(system), b(system);
  update_forces(system, {0, q, qdot}, a);
  update_forces(system, {0, other_q, other_qdot}, b);
  double largest = 0;
  for (int i = 0; i < system.skeleton().body_count(); ++i) {
    const BodyIndex body(i);
    const Pose E = body_pose(system.skeleton(), a.skeleton, body);
    const Pose F = body_pose(system.skeleton(), b.skeleton, body);
    const Vec6 slip = body_twist(system.skeleton(), a.skeleton, body) -
                      body_twist(system.skeleton(), b.skeleton, body);
    largest = std::max({largest, (E.R - F.R).norm(), (E.p - F.p).norm(), slip.norm()});
  }
  return largest;
}

TEST(Rechart, LeavesStatesAloneThatNeedNone) {
  const System system = puppet();
  State state = system.default_state();
  state.q = turned_far(system, {});
  const State before = state;
  EXPECT_FALSE(rechart(system, state, Workspace(system)));
  EXPECT_TRUE(state == before);
}

TEST(Rechart, KeepsPosesAndTwists) {
  const System system = puppet();
  const std::vector<std::vector<int>> cases{
      {kBody}, {kArm}, {kRail}, {kLeg}, {kBody, kArm, kRail, kLeg}};
  for (const std::vector<int>& far : cases) {
    State state = system.default_state();
    state.q = turned_far(system, far);
    state.qdot = test::Random(3).vecx(system.dof_count(), 2);
    const State before = state;
    EXPECT_TRUE(rechart(system, state, Workspace(system)));
    for (const int k : far) EXPECT_LT(state.q.segment<3>(k).norm(), 1.5 * kPi);
    // Poses and twists of size ten, through the inverse of J_r.
    EXPECT_LT(visible_difference(system, state.q, state.qdot, before.q, before.qdot), 1e-13);
    EXPECT_FALSE(rechart(system, state, Workspace(system))) << "once is enough";
    // Charts that need no change keep their bits.
    EXPECT_EQ(state.q[kWheel], before.q[kWheel]);
    EXPECT_EQ(state.q.head<3>(), before.q.head<3>());
    EXPECT_EQ(state.t, before.t);
  }
}

// The step before moves to the same chart, though it may itself be within its old one: the history
// stays one curve, q₁ = q − h q̇ + O(h²).
TEST(Rechart, MovesTheStepBeforeToTheSameChart) {
  const System system = puppet();
  const double h = 1e-4;
  State state = system.default_state();
  state.q = turned_far(system, {kArm});
  state.qdot = test::Random(3).vecx(system.dof_count(), 2);
  // Slightly beyond the limit now, slightly within it one step back.
  state.q.segment<3>(kArm) *= (1.5 * kPi + 1e-6) / state.q.segment<3>(kArm).norm();
  state.qdot.segment<3>(kArm) = 2 * state.q.segment<3>(kArm).normalized();
  state.memory.q_1 = state.q - h * state.qdot;
  state.memory.qdot_1 = 1.01 * state.qdot;
  ASSERT_LT(state.memory.q_1.segment<3>(kArm).norm(), 1.5 * kPi);

  const State before = state;
  ASSERT_TRUE(rechart(system, state, Workspace(system)));
  EXPECT_LT(visible_difference(system, state.memory.q_1, state.memory.qdot_1, before.memory.q_1,
                               before.memory.qdot_1),
            1e-13);
  const VecX slope = (state.q - state.memory.q_1) / h;
  // h times q̈ of the curve in the new chart, a few per second squared.
  EXPECT_LT((slope - state.qdot).norm(), 20 * h);
}

TEST(Rechart, NeedsNoHistory) {
  const System system = puppet();
  State state = system.default_state();
  state.q = turned_far(system, {kLeg});
  EXPECT_TRUE(rechart(system, state, Workspace(system)));
  EXPECT_EQ(state.memory.q_1.size(), 0);
}

}  // namespace rechart_test
}  // namespace sinew

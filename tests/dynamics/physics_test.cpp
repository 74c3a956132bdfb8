#include <gtest/gtest.h>

#include "sinew/builder/system_builder.hpp"
#include "sinew/dynamics/forces.hpp"
#include "sinew/dynamics/momentum.hpp"
#include "sinew/dynamics/rnea.hpp"
#include "sinew/system/equations.hpp"
#include "support/finite_difference.hpp"
#include "support/floating_tree.hpp"
#include "support/random_tree.hpp"

/// Laws that hold for any system of bodies: balances of energy and momentum, and symmetries of
/// space, time and scale.

namespace sinew {
namespace physics_test {

const Vec3 kGravity(1, -9, 2);

VecX accelerations(const System& system, const VecX& q, const VecX& qdot) {
  Workspace ws(system);
  VecX qddot(system.dof_count());
  forward_dynamics(system, {0, q, qdot}, ws, qddot);
  return qddot;
}

/// Along the motion through (q, q̇) with acceleration q̈, as a function of time.
struct Motion {
  VecX q, qdot, qddot;
  VecX position(double t) const { return q + t * qdot + t * t / 2 * qddot; }
  VecX velocity(double t) const { return qdot + t * qddot; }
};

Motion motion_of(const System& system, const VecX& q, const VecX& qdot) {
  return {q, qdot, accelerations(system, q, qdot)};
}

/// Relative to the largest entry.
double difference(const VecX& a, const VecX& b) {
  return (a - b).cwiseAbs().maxCoeff() / b.cwiseAbs().maxCoeff();
}

// --- Balances ----------------------------------------------------------------------------------

class PowerBalance : public testing::TestWithParam<unsigned> {};

// d/dt (T + V) = power of what has no potential, for all joints and all forces at once.
TEST_P(PowerBalance, HoldsAlongTheMotion) {
  const System system = test::with_random_forces(
      test::random_tree(GetParam(), 1 + static_cast<int>(GetParam()) % 9).build(), GetParam());
  const test::RandomState state = test::random_state(system.skeleton(), GetParam());
  const Motion motion = motion_of(system, state.q, state.qdot);
  Workspace ws(system);
  const auto total = [&](const VecX& t) {
    const Energy e = energy(system, {0, motion.position(t[0]), motion.velocity(t[0])}, ws);
    return VecX(VecX::Constant(1, e.total()));
  };
  update_forces(system, {0, state.q, state.qdot}, ws);
  const MatX power = MatX::Constant(1, 1, ws.forces.power);
  const DifferenceSweep sweep = check_derivative(total, VecX::Zero(1), power);
  // Energies of some hundred joules leave about (ε E)^⅔ of the differences, power is some watts.
  EXPECT_TRUE(sweep.confirms(1e-6)) << sweep.table();
}

INSTANTIATE_TEST_SUITE_P(RandomTrees, PowerBalance, testing::Range(0u, 40u));

class Floating : public testing::TestWithParam<unsigned> {
 protected:
  static System floating(const Vec3& gravity, const test::FloatingTreeOptions& options = {},
                         bool with_forces = true) {
    SystemBuilder builder(
        test::floating_tree(GetParam(), 2 + static_cast<int>(GetParam()) % 9, options));
    builder.set_gravity(gravity);
    if (with_forces) test::add_internal_forces(builder, GetParam());
    return builder.build();
  }

  const System system_ = floating(kGravity);
  const VecX q_ = test::Random(GetParam() + 100).vecx(system_.dof_count(), 0.7);
  const VecX qdot_ = test::Random(GetParam() + 200).vecx(system_.dof_count(), 1.5);
};

/// Linear and angular momentum as a function of time along the motion.
VectorFunction momentum_along(const System& system, const Motion& motion) {
  return [&system, motion](const VecX& t) {
    Workspace ws(system);
    update_forces(system, {0, motion.position(t[0]), motion.velocity(t[0])}, ws);
    update_inertias(system.skeleton(), ws.skeleton);
    return VecX(total_momentum(system.skeleton(), ws.skeleton));
  };
}

TEST_P(Floating, MomentumIsConservedWithoutGravityWhateverActsInside) {
  const System system = floating(Vec3::Zero());
  const Motion motion = motion_of(system, q_, qdot_);
  EXPECT_GT(motion.qddot.norm(), 1) << "much goes on inside";
  const MatX none = MatX::Zero(6, 1);
  // Claimed zero: the error is relative to the momentum itself, over one second.
  const auto sweep = check_derivative(momentum_along(system, motion), VecX::Zero(1), none);
  EXPECT_TRUE(sweep.confirms()) << sweep.table();
}

TEST_P(Floating, MomentumChangesByGravityAndOutsideForces) {
  const Vec3 f(3, 4, -5), x_B(0.2, 0.1, -0.3);
  SystemBuilder builder(system_.skeleton());
  builder.set_gravity(kGravity);
  test::add_internal_forces(builder, GetParam());
  builder.add_force(
      std::make_shared<WorldForce>("push", BodyIndex(1), x_B, TimeTable::Constant(VecX(f))));
  const System system = builder.build();
  Workspace ws(system);
  update_forces(system, {0, q_, qdot_}, ws);
  update_inertias(system.skeleton(), ws.skeleton);
  const MassCenter center = mass_center(system.skeleton(), ws.skeleton);
  const Vec3 weight = center.mass * kGravity;
  const Vec3 point = body_pose(system.skeleton(), ws.skeleton, BodyIndex(1)) * x_B;
  Vec6 wrench;  // about the world's origin
  wrench << center.position.cross(weight) + point.cross(f), weight + f;
  const auto sweep =
      check_derivative(momentum_along(system, motion_of(system, q_, qdot_)), VecX::Zero(1), wrench);
  EXPECT_TRUE(sweep.confirms()) << sweep.table();
}

// To rounding, from the accelerations that the recursion itself leaves, which are less gravity.
TEST_P(Floating, CentreOfMassFallsFreely) {
  Workspace ws(system_);
  const VecX qddot = accelerations(system_, q_, qdot_);
  VecX g(system_.dof_count());
  inverse_dynamics(system_, {0, q_, qdot_}, qddot, ws, g);
  Vec3 sum = Vec3::Zero();
  double size = 0;
  for (int i = 1; i < system_.skeleton().link_count(); ++i) {
    const auto ii = static_cast<size_t>(i);
    const Vec3 alpha = ws.skeleton.a[ii].head<3>(), a = ws.skeleton.a[ii].tail<3>();
    const Vec3 &w = ws.skeleton.link[ii].w, &h = ws.skeleton.inertia[ii].h;
    const Vec3 force = system_.skeleton().link(i).mass * a + alpha.cross(h) + w.cross(w.cross(h));
    sum += force;
    size += force.norm();
  }
  EXPECT_LT(sum.norm(), 1e-12 * size);
}

// --- Symmetries --------------------------------------------------------------------------------

TEST_P(Floating, UniformMotionChangesNoAcceleration) {
  VecX carried = qdot_;
  carried.head<3>() += Vec3(30, -20, 10);
  // Speeds of 30 m/s where there were some of 1.
  EXPECT_LT(difference(accelerations(system_, q_, carried), accelerations(system_, q_, qdot_)),
            1e-12);
}

TEST_P(Floating, PlaceChangesNoAccelerationEvenFarAway) {
  const auto at = [&](double distance, bool with_forces) {
    const System system = floating(kGravity, {}, with_forces);
    VecX q = q_;
    q.head<3>() += distance * Vec3(1, 2, -2) / 3;
    return accelerations(system, q, qdot_);
  };
  // Recursions between neighbours' origins never see the distance.
  const VecX bare = at(0, false);
  EXPECT_LT(difference(at(1e3, false), bare), 1e-12);
  EXPECT_LT(difference(at(1e6, false), bare), 1e-12);
  // A spring does: the distance of its ends is a difference of positions, 1e6 m × ε = 1e-10 m, and
  // its stiffness, its damping along that line and the inertias make of it some 1e-9.
  const VecX here = at(0, true);
  EXPECT_LT(difference(at(1e3, true), here), 1e-11);
  EXPECT_LT(difference(at(1e6, true), here), 1e-8);
}

TEST_P(Floating, TurningTheWorldChangesNoAcceleration) {
  const Mat3 R = test::Random(GetParam()).pose().R;
  const System turned = floating(R * kGravity, {Pose::Rotation(R), 1});
  EXPECT_LT(difference(accelerations(turned, q_, qdot_), accelerations(system_, q_, qdot_)), 1e-12);
}

TEST_P(Floating, RunningBackwardsChangesNoAcceleration) {
  const System system = floating(kGravity, {}, false);
  EXPECT_LT(difference(accelerations(system, q_, -qdot_), accelerations(system, q_, qdot_)), 1e-12);
}

// Under gravity alone mass cancels; a power of two leaves every rounding as it was, so to the bit.
TEST_P(Floating, ScalingAllMassesChangesNoBit) {
  const System light = floating(kGravity, {}, false);
  const System heavy = floating(kGravity, {Pose(), 1024}, false);
  EXPECT_EQ(accelerations(heavy, q_, qdot_), accelerations(light, q_, qdot_));
}

// Gravity alone moves a floating tree at rest without bending it.
TEST_P(Floating, FreeFallFromRestKeepsItsShape) {
  const System system = floating(kGravity, {}, false);
  const VecX qddot = accelerations(system, q_, VecX::Zero(q_.size()));
  VecX expected = VecX::Zero(q_.size());
  expected.head<3>() = kGravity;
  EXPECT_LT((qddot - expected).cwiseAbs().maxCoeff(), 1e-11);
}

INSTANTIATE_TEST_SUITE_P(Trees, Floating, testing::Range(0u, 12u));

}  // namespace physics_test
}  // namespace sinew

#include "sinew/dynamics/soft_limit.hpp"

#include <gtest/gtest.h>

#include "sinew/core/error.hpp"

namespace sinew {
namespace soft_limit_test {

Skeleton hinge() {
  SkeletonBuilder builder;
  BodySpec body;
  body.name = "arm";
  body.joint = Revolute(Vec3::UnitZ());
  body.M_B = SpatialInertia::FromCentral(1, Vec3(0.1, 0, 0), 0.01 * Mat3::Identity());
  builder.add_body(body);
  return builder.build();
}

const SoftLimit::Law kLaw{-0.5, 0.7, 3, 5, 0.2, 0.1};

struct Evaluated {
  double tau, power, energy, dq, dqdot;
};
Evaluated evaluate(double angle, double speed, const SoftLimit::Law& law = kLaw) {
  const Skeleton skeleton = hinge();
  SkeletonWorkspace ws(skeleton);
  const VecX q = VecX::Constant(1, angle), qdot = VecX::Constant(1, speed);
  update_kinematics(skeleton, q, qdot, ws);
  const ConstVecRef q_ref = q, qdot_ref = qdot;
  const SkeletonAt in{skeleton, 0, q_ref, qdot_ref, ws};
  const SoftLimit limit("limit", DofIndex(0), law);
  AppliedForces forces(skeleton);
  ForceDerivatives derivatives(skeleton);
  limit.add_force(in, forces);
  limit.add_derivatives(in, StiffnessModel::exact, derivatives);
  return {forces.tau[0], forces.power, limit.potential_energy(in), derivatives.dtau_dq[0],
          derivatives.dtau_dqdot[0]};
}

TEST(SoftLimit, IsNotFeltWithinTheRangeAndLinearBeyondTheTransition) {
  EXPECT_EQ(evaluate(0.1, 2).tau, 0);
  EXPECT_NEAR(evaluate(0.9, 0).tau, -5 * 0.2, 1e-15);
  EXPECT_NEAR(evaluate(-0.8, 0).tau, 3 * 0.3, 1e-15);
  EXPECT_NEAR(evaluate(0.9, 2).tau, -5 * 0.2 - 0.2 * 2, 1e-15);
  EXPECT_NEAR(evaluate(0.75, 0).tau, -5 * 0.5 * 0.05, 1e-15);  // half way: S = 1/2
}

TEST(SoftLimit, DerivativesAndEnergyBelongToTheForce) {
  for (const double q : {-0.9, -0.57, -0.52, 0.0, 0.71, 0.76, 0.79, 1.2}) {
    const double h = 1e-6, v = 1.3;
    // Central differences: h² of third derivatives of 1e4, ε/h.
    EXPECT_NEAR(evaluate(q, v).dq, (evaluate(q + h, v).tau - evaluate(q - h, v).tau) / (2 * h),
                1e-7);
    EXPECT_NEAR(evaluate(q, v).dqdot, (evaluate(q, v + h).tau - evaluate(q, v - h).tau) / (2 * h),
                1e-9);
    EXPECT_NEAR(evaluate(q, 0).tau,
                -(evaluate(q + h, 0).energy - evaluate(q - h, 0).energy) / (2 * h), 1e-8);
    const Evaluated moving = evaluate(q, v), still = evaluate(q, 0);
    EXPECT_NEAR(moving.power, (moving.tau - still.tau) * v, 1e-14);
    EXPECT_LE(moving.power, 0);
  }
}

TEST(SoftLimit, MayHaveOneEnd) {
  SoftLimit::Law law = kLaw;
  law.lower = -std::numeric_limits<double>::infinity();
  for (const double q : {-9.0, 0.0, 0.75, 1.2}) {
    const Evaluated one = evaluate(q, 1.3, law), both = evaluate(std::max(q, 0.0), 1.3);
    EXPECT_EQ(one.tau, both.tau);
    EXPECT_EQ(one.power, both.power);
    EXPECT_EQ(one.energy, both.energy);
    EXPECT_EQ(one.dq, both.dq);
    EXPECT_EQ(one.dqdot, both.dqdot);
  }
}

TEST(SoftLimit, RefusesNumbersThatMakeNoLimit) {
  const Skeleton skeleton = hinge();
  for (SoftLimit::Law bad : {SoftLimit::Law{1, 0, 1, 1, 1, 1}, SoftLimit::Law{0, 1, -1, 1, 1, 1},
                             SoftLimit::Law{0, 1, 1, 1, -1, 1}, SoftLimit::Law{0, 1, 1, 1, 1, 0}})
    EXPECT_THROW(SoftLimit("limit", DofIndex(0), bad).validate(skeleton), Error);
}

}  // namespace soft_limit_test
}  // namespace sinew

#include "sinew/constraints/contact/hertz_contact.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "sinew/core/error.hpp"
#include "sinew/system/equations.hpp"
#include "support/allocation_guard.hpp"
#include "support/finite_difference.hpp"
#include "support/lone_force.hpp"
#include "support/random.hpp"
#include "support/random_body.hpp"

/// The force element on a tree of links; its law alone: hertz_contact_law_test.cpp.

namespace sinew {
namespace hertz_contact_test {

using test::body;

const Skeleton& puppet() {
  static const Skeleton skeleton = SkeletonBuilder()
                                       .add_body(body("base", "", Free3D(), 2))
                                       .add_body(body("arm", "base", Revolute(Vec3(1, 2, 2)), 3))
                                       .add_body(body("hand", "arm", SphericalExp(), 5))
                                       .add_body(body("lone", "", Universal(), 7))
                                       .build();
  return skeleton;
}

BodyIndex named(const std::string& name) {
  return name == "world" ? kWorld : puppet().find_body(name);
}

constexpr double kRadius = 0.3;

HertzContactLaw soft(bool smooth) {
  const HertzMaterial a{.stiffness = 2e4,
                        .dissipation = 0.1,
                        .static_friction = 0.8,
                        .dynamic_friction = 0.5,
                        .viscous_friction = 0.1};
  HertzMaterial b = a;
  b.stiffness = 5e4;
  HertzContactLaw law = combine(a, b, 0.6);
  law.smooth = smooth;
  law.smoothing = 1e-2;
  law.depth_sharpness = 6;
  law.velocity_sharpness = 2;
  return law;
}

struct Situation {
  std::string name, on, ground;
  bool smooth;
};
void PrintTo(const Situation& situation, std::ostream* out) { *out << situation.name; }

class HertzContactLaws : public ::testing::TestWithParam<Situation> {
 protected:
  /// With the sphere `depth` below the plane at q.
  std::shared_ptr<const Force> contact(const VecX& q, double depth, unsigned seed) const {
    const Situation& s = GetParam();
    SkeletonWorkspace ws(puppet());
    update_kinematics(puppet(), q, VecX::Zero(q.size()), ws);
    const Vec3 center_B = test::Random(seed).vec3(0.2);
    const Vec3 center = body_pose(puppet(), ws, named(s.on)) * center_B;
    const Pose E_WB = body_pose(puppet(), ws, named(s.ground));
    ContactPlane plane{named(s.ground), Vec3::Zero(), test::Random(seed + 1).unit_vector()};
    plane.point = E_WB.inverse() * Vec3(center - (kRadius - depth) * (E_WB.R * plane.normal));
    return std::make_shared<HertzContact>("contact", named(s.on), center_B, kRadius, plane,
                                          soft(s.smooth));
  }
};

TEST_P(HertzContactLaws, StiffnessAndDampingAgreeWithDifferences) {
  unsigned seed = 20;
  for (const double depth : {0.03, 0.12})
    for (const double speed : {0.0, 0.1, 2.0}) {
      SCOPED_TRACE(std::to_string(depth) + " m, " + std::to_string(speed) + "/s");
      const VecX q = test::Random(++seed).vecx(puppet().dof_count(), 0.8);
      const VecX qdot = test::Random(++seed).vecx(puppet().dof_count(), speed);
      test::LoneForce alone(puppet(), contact(q, depth, seed));
      const auto [K, D] = alone.stiffness_and_damping(q, qdot);
      EXPECT_GT(K.cwiseAbs().maxCoeff(), 1e-3) << "this state shows nothing";
      // The friction curve has a kink at the transition velocity, which large steps may reach: the
      // best step decides. A wrong term would be a thousandth or more.
      const auto by_q =
          check_derivative([&](const VecX& x) { return alone.exerted(x, qdot); }, q, K);
      EXPECT_LE(by_q.best_error, 1e-6) << by_q.table();
      const auto by_qdot =
          check_derivative([&](const VecX& x) { return alone.exerted(q, x); }, qdot, D);
      EXPECT_LE(by_qdot.best_error, 1e-6) << by_qdot.table();
    }
}

TEST_P(HertzContactLaws, WorkGoesIntoTheEnergyOrIsLost) {
  for (unsigned seed = 0; seed < 10; ++seed) {
    const int n = puppet().dof_count();
    const VecX q = test::Random(seed).vecx(n, 0.8), qdot = test::Random(seed + 50).vecx(n, 1);
    test::LoneForce alone(puppet(), contact(q, 0.02 + 0.01 * seed, seed));
    const double h = 1e-6;
    const double stored = (alone.stored(q + h * qdot) - alone.stored(q - h * qdot)) / (2 * h);
    const double work = alone.exerted(q, qdot).dot(qdot), power = alone.power(q, qdot);
    EXPECT_NEAR(work, power - stored, 1e-6 * (1 + std::abs(work)));  // h² and ε/h of 100 W
    if (!GetParam().smooth) {
      EXPECT_LE(power, 1e-12);
    }
  }
}

TEST_P(HertzContactLaws, AllocateNothing) {
  SINEW_NEEDS_ALLOCATION_COUNTS();
  const int n = puppet().dof_count();
  const VecX q = test::Random(11).vecx(n, 0.8), qdot = test::Random(12).vecx(n, 2);
  const auto force = contact(q, 0.1, 3);
  SkeletonWorkspace ws(puppet());
  AppliedForces applied(puppet());
  ForceDerivatives derivatives(puppet());
  const ConstVecRef q_ref(q), qdot_ref(qdot);
  update_kinematics(puppet(), q, qdot, ws);
  force->add_derivatives({puppet(), 0, q_ref, qdot_ref, ws}, StiffnessModel::exact, derivatives);
  derivatives.set_zero();
  sinew::test::AllocationGuard guard;
  force->add_force({puppet(), 0, q_ref, qdot_ref, ws}, applied);
  force->add_derivatives({puppet(), 0, q_ref, qdot_ref, ws}, StiffnessModel::exact, derivatives);
  EXPECT_EQ(guard.count(), 0);
}

INSTANTIATE_TEST_SUITE_P(All, HertzContactLaws,
                         ::testing::Values(Situation{"SharpOnTheWorld", "hand", "world", false},
                                           Situation{"SmoothOnTheWorld", "hand", "world", true},
                                           Situation{"SharpBetweenTrees", "hand", "lone", false},
                                           Situation{"SmoothAlongABranch", "base", "hand", true},
                                           Situation{"SharpOfTheWorldOnAMovingPlane", "world",
                                                     "hand", false}),
                         [](const auto& each) { return each.param.name; });

TEST(HertzContact, ActsBetweenTheSurfacesWithOppositeForces) {
  const VecX q = VecX::Zero(6), qdot = VecX::Zero(6);
  BodySpec ball;
  ball.name = "ball";
  ball.joint = Free3D();
  ball.M_B = SpatialInertia::FromCentral(1, Vec3::Zero(), 0.01 * Mat3::Identity());
  const Skeleton skeleton = SkeletonBuilder().add_body(ball).build();
  HertzContactLaw law = soft(false);
  law.share = 0.25;
  // Depth 0.04: the place is 0.01 above the lowest point.
  const BodyIndex index = skeleton.find_body("ball");
  const HertzContact force("contact", index, Vec3(0.1, 0, 0), kRadius,
                           {kWorld, Vec3(0, -0.26, 0), Vec3(0, 2, 0)}, law);
  SkeletonWorkspace ws(skeleton);
  AppliedForces applied(skeleton);
  update_kinematics(skeleton, q, qdot, ws);
  const ConstVecRef q_ref(q), qdot_ref(qdot);
  force.add_force({skeleton, 0, q_ref, qdot_ref, ws}, applied);
  const double normal = hertz_force(law, kRadius, -0.04, Vec3::UnitY(), Vec3::Zero()).normal;
  const Vec6 w = applied.wrench[static_cast<size_t>(skeleton.body(index).link.value)];
  EXPECT_NEAR(w[4], normal, 1e-12 * normal);
  EXPECT_NEAR(w[2], 0.1 * normal, 1e-12 * normal);  // x × f about z
  // The world's entry, about its origin: −f at (0.1, −0.29, 0).
  EXPECT_NEAR(applied.wrench[0][4], -normal, 1e-12 * normal);
}

TEST(HertzContact, RefusesWhatMakesNoSense) {
  const ContactPlane plane{kWorld, Vec3::Zero(), Vec3::UnitY()};
  const auto check = [&](BodyIndex body, double radius, const ContactPlane& on) {
    HertzContact("contact", body, Vec3::Zero(), radius, on, soft(false)).validate(puppet());
  };
  EXPECT_NO_THROW(check(named("hand"), 0.1, plane));
  EXPECT_THROW(check(named("hand"), 0, plane), Error);
  EXPECT_THROW(check(kWorld, 0.1, plane), Error);
  EXPECT_THROW(check(named("hand"), 0.1, {kWorld, Vec3::Zero(), Vec3::Zero()}), Error);
}

}  // namespace hertz_contact_test
}  // namespace sinew

#include "sinew/constraints/contact/smooth_contact.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "constraints/example_contacts.hpp"
#include "sinew/core/error.hpp"
#include "sinew/system/equations.hpp"
#include "support/allocation_guard.hpp"
#include "support/finite_difference.hpp"
#include "support/lone_force.hpp"
#include "support/random.hpp"
#include "support/random_body.hpp"

/// The force element on a tree of links: geometry, the laws that every element obeys, what it
/// refuses. Its mechanics: smooth_contact_physics_test.cpp and smooth_contact_motion_test.cpp.

namespace sinew {
namespace smooth_contact_test {

using test::body;

/// Two trees with a branch and a weld.
const Skeleton& puppet() {
  static const Skeleton skeleton = SkeletonBuilder()
                                       .add_body(body("base", "", Free3D(), 2))
                                       .add_body(body("arm", "base", Revolute(Vec3(1, 2, 2)), 3))
                                       .add_body(body("plate", "arm", Fixed(), 4))
                                       .add_body(body("hand", "plate", SphericalExp(), 5))
                                       .add_body(body("lone", "", Universal(), 7))
                                       .build();
  return skeleton;
}

BodyIndex named(const std::string& name) {
  return name == "world" ? kWorld : puppet().find_body(name);
}

/// The example shapes about a tenth as large: comparable with the tree's offsets, and soft, so that
/// the steps of the differences are small against onset and creep velocity.
SmoothContactLaw soft() {
  return {
      .stiffness = 300, .onset = 0.1, .dissipation = 0.4, .friction = 0.7, .creep_velocity = 0.3};
}

std::vector<ContactPart> parts_named(const std::string& kind) {
  test::Random random(8);
  std::vector<ContactPart> parts;
  for (const ContactShape& shape : test::shapes())
    if (type_name(shape) == kind) parts.push_back({shape, random.pose(0.2)});
  return parts;
}

/// A plane on `body` so placed that at q the lowest point of the parts is `depth` below it.
ContactPlane plane_at_depth(const std::vector<ContactPart>& parts, BodyIndex on, BodyIndex body,
                            const VecX& q, double depth, unsigned seed) {
  SkeletonWorkspace ws(puppet());
  update_kinematics(puppet(), q, VecX::Zero(q.size()), ws);
  const Pose E_WA = body_pose(puppet(), ws, on), E_WB = body_pose(puppet(), ws, body);
  ContactPlane plane{body, Vec3::Zero(), test::Random(seed).unit_vector()};
  const Vec3 n = E_WB.R * plane.normal;
  Mat3 R;  // y along n, as in a Plane
  R.col(1) = n;
  R.col(0) = n.unitOrthogonal();
  R.col(2) = R.col(0).cross(n);
  double lowest = 1e9;
  for (const ContactPart& part : parts)
    for (const Contact& c :
         test::contacts_of(part.shape, E_WA * part.E_BS, Plane{}, {R, Vec3::Zero()}))
      lowest = std::min(lowest, c.gap);
  plane.point = E_WB.inverse() * Vec3((lowest + depth) * n);
  return plane;
}

struct Situation {
  std::string name;
  std::string shape, on, ground;
};
void PrintTo(const Situation& situation, std::ostream* out) { *out << situation.name; }

const std::vector<Situation>& situations() {
  static const std::vector<Situation> all = {
      {"SphereOnTheWorld", "sphere", "hand", "world"},
      {"CapsuleOnTheWorld", "capsule", "hand", "world"},
      {"CuboidOnTheWorld", "cuboid", "hand", "world"},
      {"EllipsoidOnTheWorld", "ellipsoid", "hand", "world"},
      {"MeshOnTheWorld", "mesh vertices", "plate", "world"},
      {"SphereBetweenTrees", "sphere", "hand", "lone"},
      {"EllipsoidBetweenTrees", "ellipsoid", "lone", "plate"},
      {"CuboidAlongABranch", "cuboid", "hand", "base"},
      {"EllipsoidAlongABranch", "ellipsoid", "base", "hand"},
      {"SphereOfTheWorldOnAMovingPlane", "sphere", "world", "hand"},
  };
  return all;
}

class SmoothContactLaws : public ::testing::TestWithParam<Situation> {
 protected:
  std::shared_ptr<const Force> contact(const VecX& q, double depth, unsigned seed) const {
    const Situation& s = GetParam();
    const auto parts = parts_named(s.shape);
    return std::make_shared<SmoothContact>(
        "ground", named(s.on), parts,
        plane_at_depth(parts, named(s.on), named(s.ground), q, depth, seed), soft());
  }
  const int n_ = puppet().dof_count();
  const VecX rest_ = VecX::Zero(n_);
};

// Shortly after touch-down, in the onset and deep; sticking (far below the creep velocity), at rest
// and sliding, approaching and parting depending on the seed.
TEST_P(SmoothContactLaws, StiffnessAndDampingAgreeWithDifferences) {
  unsigned seed = 20;
  for (const double depth : {0.02, 0.06, 0.25})
    for (const double speed : {0.0, 0.02, 0.5, 3.0}) {
      SCOPED_TRACE(std::to_string(depth) + " m, " + std::to_string(speed) + "/s");
      const VecX q = test::Random(++seed).vecx(n_, 0.8);
      const VecX qdot = test::Random(++seed).vecx(n_, speed);
      test::LoneForce alone(puppet(), contact(q, depth, seed));
      const auto [K, D] = alone.stiffness_and_damping(q, qdot);
      EXPECT_GT(K.cwiseAbs().maxCoeff(), 1e-3) << "this state shows nothing";
      const auto by_q =
          check_derivative([&](const VecX& x) { return alone.exerted(x, qdot); }, q, K);
      EXPECT_TRUE(by_q.confirms()) << by_q.table();
      const auto by_qdot =
          check_derivative([&](const VecX& x) { return alone.exerted(q, x); }, qdot, D);
      EXPECT_TRUE(by_qdot.confirms()) << by_qdot.table();
    }
}

TEST_P(SmoothContactLaws, ForceAtRestIsTheSlopeOfTheEnergyAndItsStiffnessSymmetric) {
  const VecX q = test::Random(11).vecx(n_, 0.8);
  test::LoneForce alone(puppet(), contact(q, 0.15, 3));
  const auto V = [&](const VecX& x) { return VecX(VecX::Constant(1, alone.stored(x))); };
  const auto sweep = check_derivative(V, q, -alone.exerted(q, rest_).transpose());
  EXPECT_TRUE(sweep.confirms()) << sweep.table();
  const MatX K = alone.stiffness_and_damping(q, rest_).first;
  EXPECT_LT((K - K.transpose()).cwiseAbs().maxCoeff(), 1e-13 * (1 + K.cwiseAbs().maxCoeff()));
}

TEST_P(SmoothContactLaws, WorkGoesIntoTheEnergyOrIsLost) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    const VecX q = test::Random(seed).vecx(n_, 0.8), qdot = test::Random(seed + 50).vecx(n_, 2);
    test::LoneForce alone(puppet(), contact(q, 0.05 + 0.02 * seed, seed));
    const double h = 1e-6;
    const double stored = (alone.stored(q + h * qdot) - alone.stored(q - h * qdot)) / (2 * h);
    const double work = alone.exerted(q, qdot).dot(qdot), power = alone.power(q, qdot);
    EXPECT_LT(power, 0);
    // h² V‴ |q̇|³/6 with V‴ of the onset, k/(d/2), and q̇ up to 4: 1e-7; rounding ε V/h is less.
    EXPECT_NEAR(work, power - stored, 1e-6);
  }
}

TEST_P(SmoothContactLaws, AboveTheGroundNothingHappens) {
  const VecX q = test::Random(11).vecx(n_, 0.8), qdot = test::Random(12).vecx(n_, 2);
  test::LoneForce alone(puppet(), contact(q, -1e-3, 3));
  EXPECT_EQ(alone.exerted(q, qdot), rest_);
  EXPECT_EQ(alone.stored(q), 0);
  const auto [K, D] = alone.stiffness_and_damping(q, qdot);
  EXPECT_EQ(K.cwiseAbs().maxCoeff(), 0);
  EXPECT_EQ(D.cwiseAbs().maxCoeff(), 0);
}

TEST_P(SmoothContactLaws, AllocateNothing) {
  SINEW_NEEDS_ALLOCATION_COUNTS();
  const VecX q = test::Random(11).vecx(n_, 0.8), qdot = test::Random(12).vecx(n_, 2);
  const VecX away = VecX::Constant(n_, 5);
  const auto force = contact(q, 0.15, 3);
  SkeletonWorkspace ws(puppet());
  AppliedForces applied(puppet());
  ForceDerivatives derivatives(puppet());
  const ConstVecRef q_ref(q), qdot_ref(qdot), away_ref(away);
  // First where it does not touch: what grows at touch-down would show.
  update_kinematics(puppet(), away, qdot, ws);
  force->add_derivatives({puppet(), 0, away_ref, qdot_ref, ws}, StiffnessModel::exact, derivatives);
  derivatives.set_zero();
  update_kinematics(puppet(), q, qdot, ws);
  sinew::test::AllocationGuard guard;
  force->add_force({puppet(), 0, q_ref, qdot_ref, ws}, applied);
  force->potential_energy({puppet(), 0, q_ref, qdot_ref, ws});
  force->add_derivatives({puppet(), 0, q_ref, qdot_ref, ws}, StiffnessModel::exact, derivatives);
  EXPECT_EQ(guard.count(), 0);
  EXPECT_LT(applied.power, 0) << "it should touch";
}

INSTANTIATE_TEST_SUITE_P(All, SmoothContactLaws, ::testing::ValuesIn(situations()),
                         [](const auto& each) { return each.param.name; });

// The points are those of the contact geometry, computed there with other formulas.
TEST(SmoothContact, TouchesWhereTheContactGeometrySays) {
  const VecX q = test::Random(5).vecx(puppet().dof_count(), 0.8), rest = VecX::Zero(q.size());
  SkeletonWorkspace ws(puppet());
  update_kinematics(puppet(), q, rest, ws);
  const ConstVecRef q_ref(q), rest_ref(rest);
  SmoothContactLaw law = soft();
  for (const char* kind : {"sphere", "capsule", "cuboid", "ellipsoid", "mesh vertices"}) {
    SCOPED_TRACE(kind);
    const auto parts = parts_named(kind);
    const SmoothContact force("f", named("hand"), parts, {kWorld, Vec3(0, 0.5, 0), Vec3(0, 2, 0)},
                              law);
    AppliedForces applied(puppet());
    force.add_force({puppet(), 0, q_ref, rest_ref, ws}, applied);
    const Pose E_WB = body_pose(puppet(), ws, named("hand"));
    const int link = puppet().body(named("hand")).link.value;
    Vec6 expected = Vec6::Zero();
    double stored = 0;
    for (const Contact& c : test::contacts_of(parts[0].shape, E_WB * parts[0].E_BS, Plane{},
                                              Pose::Translation(Vec3(0, 0.5, 0)), 0)) {
      const Vec3 f = contact_force(law, c.gap, c.n, Vec3::Zero()).f;
      expected.head<3>() += (c.x_A - ws.link[static_cast<size_t>(link)].p).cross(f);
      expected.tail<3>() += f;
      stored += contact_energy(law, c.gap);
    }
    EXPECT_GT(stored, 1e-3) << "it should touch";
    const Vec6& found = applied.wrench[static_cast<size_t>(link)];
    EXPECT_LT((found - expected).norm(), 1e-13 * expected.norm());
    EXPECT_NEAR(force.potential_energy({puppet(), 0, q_ref, rest_ref, ws}), stored, 1e-13 * stored);
  }
}

TEST(SmoothContact, ActsAndReactsAtOnePoint) {
  const VecX q = test::Random(5).vecx(puppet().dof_count(), 0.8);
  const VecX qdot = test::Random(6).vecx(puppet().dof_count(), 0.5);
  SkeletonWorkspace ws(puppet());
  update_kinematics(puppet(), q, qdot, ws);
  const ConstVecRef q_ref(q), qdot_ref(qdot);
  for (const char* kind : {"sphere", "capsule", "cuboid", "ellipsoid", "mesh vertices"}) {
    const auto parts = parts_named(kind);
    const SmoothContact force("f", named("hand"), parts,
                              plane_at_depth(parts, named("hand"), named("lone"), q, 0.3, 4),
                              soft());
    AppliedForces applied(puppet());
    force.add_force({puppet(), 0, q_ref, qdot_ref, ws}, applied);
    Vec3 moment = Vec3::Zero(), sum = Vec3::Zero();
    for (size_t i = 1; i < applied.wrench.size(); ++i) {
      moment += applied.wrench[i].head<3>() + ws.link[i].p.cross(applied.wrench[i].tail<3>());
      sum += applied.wrench[i].tail<3>();
    }
    const double scale = applied.wrench.back().norm();
    EXPECT_GT(scale, 1) << kind;
    EXPECT_LT(sum.norm(), 1e-14 * scale) << kind;
    EXPECT_LT(moment.norm(), 1e-13 * scale) << kind;
  }
}

std::string complaint(BodyIndex on, std::vector<ContactPart> parts, const ContactPlane& plane,
                      const SmoothContactLaw& law = {}) {
  try {
    SmoothContact("f", on, std::move(parts), plane, law).validate(puppet());
  } catch (const Error& error) {
    EXPECT_EQ(error.element(), "force 'f'");
    EXPECT_FALSE(error.remedy().empty());
    return error.problem();
  }
  return "no error";
}

TEST(SmoothContact, SaysWhatItRefuses) {
  using ::testing::HasSubstr;
  constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
  const std::vector<ContactPart> ball = {{Sphere{0.1}, Pose()}};
  const BodyIndex hand = named("hand");
  EXPECT_EQ(complaint(hand, ball, {}), "no error");
  EXPECT_EQ(complaint(kWorld, ball, {hand}), "no error");
  EXPECT_THAT(complaint(BodyIndex(99), ball, {}), HasSubstr("body that does not exist"));
  EXPECT_THAT(complaint(hand, ball, {BodyIndex(-7)}), HasSubstr("body that does not exist"));
  EXPECT_THAT(complaint(hand, ball, {hand}), HasSubstr("on one body"));
  EXPECT_THAT(complaint(hand, {}, {}), HasSubstr("no shapes"));
  EXPECT_THAT(complaint(hand, {{Cylinder{1, 1}, Pose()}}, {}), HasSubstr("a cylinder above"));
  EXPECT_THAT(complaint(hand, {{Plane{}, Pose()}}, {}), HasSubstr("a plane above"));
  EXPECT_THAT(complaint(hand, {{Sphere{-1}, Pose()}}, {}), HasSubstr("radius"));
  EXPECT_THAT(complaint(hand, {{Sphere{1}, Pose::Translation(Vec3(0, kNaN, 0))}}, {}),
              HasSubstr("placement is not finite"));
  EXPECT_THAT(complaint(hand, ball, {kWorld, Vec3::Zero(), Vec3::Zero()}),
              HasSubstr("normal is zero"));
  EXPECT_THAT(complaint(hand, ball, {kWorld, Vec3(kNaN, 0, 0), Vec3::UnitY()}),
              HasSubstr("ground is not finite"));
  EXPECT_THAT(complaint(hand, ball, {kWorld, Vec3::Zero(), Vec3(0, kNaN, 0)}),
              HasSubstr("ground is not finite"));
  EXPECT_THAT(complaint(hand, ball, {}, {.stiffness = -1}), HasSubstr("stiffness"));
}

}  // namespace smooth_contact_test
}  // namespace sinew

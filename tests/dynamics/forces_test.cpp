#include "sinew/dynamics/forces.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "sinew/builder/system_builder.hpp"
#include "sinew/dynamics/bushing.hpp"
#include "sinew/dynamics/coordinate_drive.hpp"
#include "sinew/system/equations.hpp"
#include "support/allocation_guard.hpp"
#include "support/finite_difference.hpp"
#include "support/lone_force.hpp"
#include "support/random.hpp"
#include "support/random_body.hpp"

/// Each force element alone: its law in plain cases, then the laws that every element obeys: work,
/// power and energy agree, K and D against differences. What it refuses: force_errors_test.cpp.

namespace sinew {
namespace forces_test {

using test::body;

/// Two trees with branches, welds and every kind of link.
const Skeleton& puppet() {
  static const Skeleton skeleton = SkeletonBuilder()
                                       .add_body(body("wall", "", Fixed(), 1))
                                       .add_body(body("base", "", Free3D(), 2))
                                       .add_body(body("arm", "base", Revolute(Vec3(1, 2, 2)), 3))
                                       .add_body(body("plate", "arm", Fixed(), 4))
                                       .add_body(body("hand", "plate", SphericalExp(), 5))
                                       .add_body(body("slide", "base", Prismatic(Vec3(0, 3, 4)), 6))
                                       .add_body(body("lone", "", Universal(), 7))
                                       .build();
  return skeleton;
}

BodyIndex named(const std::string& name) {
  return name == "world" ? kWorld : puppet().find_body(name);
}

/// One element on the puppet.
struct Alone : test::LoneForce {
  explicit Alone(std::shared_ptr<const Force> force) : LoneForce(puppet(), std::move(force)) {}
};

struct Element {
  std::string name;
  std::shared_ptr<const Force> force;
};
void PrintTo(const Element& element, std::ostream* out) { *out << element.name; }

Element spring(const std::string& name, const std::string& a, const std::string& b, double k,
               double d, double rest) {
  return {name, std::make_shared<PointSpring>(name, named(a), Vec3(0.3, -0.2, 0.1), named(b),
                                              Vec3(-0.1, 0.4, 0.2), k, d, rest)};
}

Element bushing(const std::string& name, const std::string& a, const std::string& b, double d) {
  const Bushing::Law law{.rotational_stiffness = Vec3(1, 1.5, 0.5),
                         .translational_stiffness = Vec3(6, 5, 3),
                         .rotational_damping = d * Vec3(0.3, 0.5, 0.2),
                         .translational_damping = d * Vec3(2, 1, 3)};
  return {name, std::make_shared<Bushing>(name, named(a), test::Random(50).pose(0.3), named(b),
                                          test::Random(51).pose(0.3), law)};
}

/// Elements that may do work for ever.
std::vector<Element> drives() {
  const TimeTable torque = TimeTable::Constant(VecX::Constant(1, 3.5));
  const TimeTable push = TimeTable::Constant(Vec3(5, -3, 2));
  return {
      {"JointTorque", std::make_shared<JointTorque>("torque", DofIndex(6), torque)},
      {"CoordinateDrive", std::make_shared<CoordinateDrive>("drive", DofIndex(6), 7, 0.5,
                                                            CoordinateDrive::Range{-1, 1})},
      {"WorldForce",
       std::make_shared<WorldForce>("push", named("hand"), Vec3(0.1, 0.2, -0.3), push)},
      {"WorldForceOnAWeld",
       std::make_shared<WorldForce>("push", named("plate"), Vec3(1, 0, 0), push)},
  };
}

/// Elements that store energy and dissipate it.
std::vector<Element> springs_and_dampers() {
  const double none = std::numeric_limits<double>::infinity();
  return {
      {"JointSpring", std::make_shared<JointSpring>("spring", DofIndex(6), 7, 0, 0.3)},
      {"JointSpringAndDamper", std::make_shared<JointSpring>("s", DofIndex(8), 7, 0.9, -0.2)},
      // The coordinates of ForceLaws are within ±0.8: well beyond these limits.
      {"StopBelow", std::make_shared<CoordinateStop>("stop", DofIndex(6), 1.3, none, 7, 0)},
      {"StopAbove", std::make_shared<CoordinateStop>("stop", DofIndex(8), -none, -1.2, 7, 0.9)},
      {"StopOfTwoSides", std::make_shared<CoordinateStop>("stop", DofIndex(6), -2, -1, 7, 0.9)},
      {"BodyDamping", std::make_shared<BodyDamping>("drag", named("hand"), 0.4, 1.3)},
      {"BodyDampingOnAWeld", std::make_shared<BodyDamping>("drag", named("plate"), 0.4, 1.3)},
      spring("SpringFromTheWorld", "world", "hand", 30, 0, 0.5),
      spring("SpringToTheWorld", "hand", "world", 30, 0, 0.5),
      spring("SpringToABodyWeldedToTheWorld", "hand", "wall", 30, 0, 0.5),
      spring("SpringAlongABranch", "base", "hand", 30, 0, 0.2),
      spring("SpringAcrossBranches", "slide", "hand", 30, 0, 1.5),
      spring("SpringBetweenTrees", "lone", "plate", 30, 0, 0.5),
      spring("ZeroLengthSpring", "slide", "hand", 30, 0, 0),
      spring("DamperAlone", "slide", "hand", 0, 4, 0),
      spring("SpringDamperToTheWorld", "world", "hand", 30, 4, 0.5),
      spring("SpringDamperAcrossBranches", "hand", "slide", 30, 4, 1.5),
      spring("SpringDamperAlongABranch", "hand", "base", 30, 4, 0.5),
      spring("SpringDamperBetweenTrees", "lone", "hand", 30, 4, 0.5),
      bushing("BushingToTheWorld", "hand", "world", 0),
      bushing("BushingFromTheWorldDamped", "world", "hand", 1),
      bushing("BushingAcrossBranchesDamped", "slide", "hand", 1),
      bushing("BushingOnAWeldDamped", "plate", "lone", 1),
  };
}

class ForceLaws : public ::testing::TestWithParam<Element> {
 protected:
  Alone alone_{GetParam().force};
  const int n_ = puppet().dof_count();
  const VecX q_ = test::Random(11).vecx(n_, 0.8);
  const VecX qdot_ = test::Random(12).vecx(n_, 1.5);
  const VecX rest_ = VecX::Zero(n_);
};

TEST_P(ForceLaws, StiffnessAndDampingAgreeWithDifferences) {
  const auto [K, D] = alone_.stiffness_and_damping(q_, qdot_, StiffnessModel::exact);
  const auto by_q =
      check_derivative([&](const VecX& q) { return alone_.exerted(q, qdot_); }, q_, K);
  EXPECT_TRUE(by_q.confirms()) << by_q.table();
  const auto by_qdot =
      check_derivative([&](const VecX& qdot) { return alone_.exerted(q_, qdot); }, qdot_, D);
  EXPECT_TRUE(by_qdot.confirms()) << by_qdot.table();
}

class PotentialLaws : public ForceLaws {};

TEST_P(PotentialLaws, ForceAtRestIsTheSlopeOfTheEnergy) {
  const auto V = [&](const VecX& q) { return VecX(VecX::Constant(1, alone_.stored(q))); };
  const auto sweep = check_derivative(V, q_, -alone_.exerted(q_, rest_).transpose());
  // A damper stores nothing and exerts nothing at rest; check_derivative then compares 0 with 0.
  EXPECT_TRUE(sweep.confirms()) << sweep.table();
}

// All of them come from a potential at rest, constant forces too, and second derivatives of an
// energy are symmetric; the frames in which K is kept hide that.
TEST_P(ForceLaws, StiffnessAtRestIsSymmetric) {
  const MatX K = alone_.stiffness_and_damping(q_, rest_, StiffnessModel::exact).first;
  EXPECT_LT((K - K.transpose()).cwiseAbs().maxCoeff(), 1e-13 * (1 + K.cwiseAbs().maxCoeff()));
}

TEST_P(ForceLaws, WorkGoesIntoTheEnergyOrIsReportedAsPower) {
  const double h = 1e-5;
  const double stored = (alone_.stored(q_ + h * qdot_) - alone_.stored(q_ - h * qdot_)) / (2 * h);
  const double work = alone_.exerted(q_, qdot_).dot(qdot_);
  // Differences at h = 1e-5: h² and ε/h times a few tens of joules.
  EXPECT_NEAR(work, alone_.power(q_, qdot_) - stored, 1e-8);
  EXPECT_GT(std::abs(work), 1e-2) << "this state shows nothing";
}

TEST_P(PotentialLaws, WhatIsNotStoredIsOnlyEverLost) {
  const auto [K, D] = alone_.stiffness_and_damping(q_, qdot_, StiffnessModel::exact);
  const bool damps = D.cwiseAbs().maxCoeff() > 1e-10;
  for (unsigned seed = 0; seed < 20; ++seed) {
    const VecX qdot = test::Random(seed).vecx(n_, 3);
    const double power = alone_.power(q_, qdot);
    if (damps) {
      EXPECT_LT(power, 0);
    } else {
      EXPECT_EQ(power, 0);
    }
  }
}

const auto kElementName = [](const auto& info) { return info.param.name; };
INSTANTIATE_TEST_SUITE_P(OfDrives, ForceLaws, ::testing::ValuesIn(drives()), kElementName);
INSTANTIATE_TEST_SUITE_P(OfSpringsAndDampers, ForceLaws, ::testing::ValuesIn(springs_and_dampers()),
                         kElementName);
INSTANTIATE_TEST_SUITE_P(OfSpringsAndDampers, PotentialLaws,
                         ::testing::ValuesIn(springs_and_dampers()), kElementName);

// --- StiffnessModel::redmax -------------------------------------------------------------------

/// All blocks of K and D as matrices over the six displacements of every link.
std::pair<MatX, MatX> blocks(const Force& force, const VecX& q, const VecX& qdot,
                             StiffnessModel kind) {
  SkeletonWorkspace ws(puppet());
  update_kinematics(puppet(), q, qdot, ws);
  ForceDerivatives d(puppet());
  const ConstVecRef q_ref(q), qdot_ref(qdot);
  force.add_derivatives({puppet(), 0, q_ref, qdot_ref, ws}, kind, d);
  const int links = puppet().link_count();
  MatX K = MatX::Zero(6 * links, 6 * links), D = K;
  for (int i = 0; i < links; ++i) {
    K.block<6, 6>(6 * i, 6 * i) = d.K[static_cast<size_t>(i)];
    D.block<6, 6>(6 * i, 6 * i) = d.D[static_cast<size_t>(i)];
  }
  for (const ForceDerivatives::Pair& pair : d.pairs) {
    EXPECT_NE(pair.a, pair.b);
    K.block<6, 6>(6 * pair.a, 6 * pair.b) += pair.K;
    D.block<6, 6>(6 * pair.a, 6 * pair.b) += pair.D;
  }
  return {K, D};
}

// Stretched, compressed and without rest length: symmetric, and never pushing away.
TEST(PointSpring, HasADefiniteFormOfItsDerivatives) {
  for (const double rest : {0.0, 0.4, 20.0}) {
    Alone alone(spring("pair", "slide", "hand", 30, 4, rest).force);
    for (unsigned seed = 0; seed < 10; ++seed) {
      const int n = puppet().dof_count();
      const VecX q = test::Random(seed).vecx(n, 0.8), qdot = test::Random(seed + 10).vecx(n, 1);
      const auto [K, D] = alone.stiffness_and_damping(q, qdot, StiffnessModel::definite);
      for (const MatX& A : {K, D}) {
        EXPECT_LT((A - A.transpose()).cwiseAbs().maxCoeff(), 1e-13 * A.cwiseAbs().maxCoeff());
        EXPECT_LT(A.selfadjointView<Eigen::Lower>().eigenvalues().maxCoeff(),
                  1e-13 * A.cwiseAbs().maxCoeff());
      }
      // Along the spring nothing is omitted: D is complete.
      const MatX D_full = alone.stiffness_and_damping(q, qdot, StiffnessModel::exact).second;
      EXPECT_LT((D - D_full).cwiseAbs().maxCoeff(), 1e-13 * D_full.cwiseAbs().maxCoeff());
    }
  }
}

TEST(ReferenceJacobian, TakesTheSymmetricPartOfASpringsStiffness) {
  const VecX q = test::Random(3).vecx(puppet().dof_count(), 0.8);
  const VecX qdot = test::Random(4).vecx(puppet().dof_count());
  for (const Element& element :
       {spring("ground", "world", "hand", 30, 0, 0.5), spring("pair", "slide", "hand", 30, 0, 0.4),
        spring("damped", "base", "lone", 30, 4, 0)}) {
    SCOPED_TRACE(element.name);
    const auto [K, D] = blocks(*element.force, q, qdot, StiffnessModel::exact);
    const auto [K_ref, D_ref] = blocks(*element.force, q, qdot, StiffnessModel::redmax);
    EXPECT_EQ(K_ref, K_ref.transpose());
    EXPECT_LT((K_ref - 0.5 * (K + K.transpose())).cwiseAbs().maxCoeff(), 1e-14 * K.norm());
    EXPECT_EQ(D_ref, D);
    EXPECT_GT((K - K.transpose()).norm(), 1e-2 * K.norm()) << "seen from the links it is not";
  }
}

// Seen from a turning link even a conservative force is not symmetric: K − Kᵀ = −(· ×* wrench), and
// blocks between links are each other's transposes.
TEST(Stiffness, OfALinkIsSkewByTheWrenchOnIt) {
  const VecX q = test::Random(3).vecx(puppet().dof_count(), 0.8), rest = VecX::Zero(q.size());
  SkeletonWorkspace ws(puppet());
  update_kinematics(puppet(), q, rest, ws);
  const ConstVecRef q_ref(q), rest_ref(rest);
  std::vector<Element> conservative = drives();
  conservative.push_back(spring("ground", "world", "hand", 30, 0, 0.5));
  conservative.push_back(spring("pair", "slide", "hand", 30, 0, 0.4));
  for (const Element& element : conservative) {
    SCOPED_TRACE(element.name);
    AppliedForces applied(puppet());
    std::vector<double> controls;
    for (const Control& control : element.force->controls())
      controls.push_back(control.value.derivatives(0)[0]);
    SkeletonAt in{puppet(), 0, q_ref, rest_ref, ws};
    in.controls = controls.data();
    element.force->add_force(in, applied);
    const MatX K = blocks(*element.force, q, rest, StiffnessModel::exact).first;
    MatX expected = MatX::Zero(K.rows(), K.cols());
    for (int i = 1; i < puppet().link_count(); ++i) {
      const Vec6& w = applied.wrench[static_cast<size_t>(i)];
      expected.block<6, 6>(6 * i, 6 * i) << skew(w.head<3>()), skew(w.tail<3>()), skew(w.tail<3>()),
          Mat3::Zero();
    }
    EXPECT_LT((K - K.transpose() - expected).cwiseAbs().maxCoeff(), 1e-14 * (1 + K.norm()));
  }
}

TEST(ReferenceJacobian, IsSymmetricInTheCoordinatesToo) {
  const VecX q = test::Random(3).vecx(puppet().dof_count(), 0.8);
  const VecX qdot = test::Random(4).vecx(puppet().dof_count());
  Alone alone(spring("pair", "slide", "hand", 30, 4, 0.4).force);
  const auto [K, D] = alone.stiffness_and_damping(q, qdot, StiffnessModel::redmax);
  EXPECT_LT((K - K.transpose()).cwiseAbs().maxCoeff(), 1e-14 * K.norm());
  EXPECT_LT((D - D.transpose()).cwiseAbs().maxCoeff(), 1e-14 * D.norm());
  const auto D_full = alone.stiffness_and_damping(q, qdot, StiffnessModel::exact).second;
  EXPECT_LT((D - D_full).cwiseAbs().maxCoeff(), 1e-13 * D.norm());
}

TEST(ReferenceJacobian, LeavesOutWorldForcesAndKeepsTheRest) {
  const VecX q = test::Random(3).vecx(puppet().dof_count(), 0.8);
  const VecX qdot = test::Random(4).vecx(puppet().dof_count());
  const WorldForce push("push", named("hand"), Vec3(0.1, 0, 0), TimeTable::Constant(Vec3(1, 2, 3)));
  EXPECT_EQ(blocks(push, q, qdot, StiffnessModel::redmax).first.norm(), 0);
  EXPECT_GT(blocks(push, q, qdot, StiffnessModel::exact).first.norm(), 1);
  const BodyDamping drag("drag", named("hand"), 0.4, 1.3);
  EXPECT_EQ(blocks(drag, q, qdot, StiffnessModel::redmax),
            blocks(drag, q, qdot, StiffnessModel::exact));
  Alone alone(std::make_shared<JointSpring>("s", DofIndex(8), 7, 0.9, -0.2));
  const auto [K, D] = alone.stiffness_and_damping(q, qdot, StiffnessModel::redmax);
  MatX expected = MatX::Zero(K.rows(), K.cols());
  expected(8, 8) = -7;
  EXPECT_EQ(K, expected);
  expected(8, 8) = -0.9;
  EXPECT_EQ(D, expected);
}

// --- Plain cases -------------------------------------------------------------------------------

TEST(CoordinateDrive, HoldsItsControlWithinTheLimits) {
  const VecX q = VecX::Zero(puppet().dof_count());
  const TimeFunction ramp = ScalarFunction(LinearFunction{{1}, 0});
  Alone alone(std::make_shared<CoordinateDrive>("drive", DofIndex(6), 7, ramp,
                                                CoordinateDrive::Range{-1, 2}));
  EXPECT_NEAR(alone.exerted(q, q, 0.5)[6], 3.5, 1e-12);
  EXPECT_NEAR(alone.exerted(q, q, 5)[6], 14, 1e-12);
  EXPECT_NEAR(alone.exerted(q, q, -5)[6], -7, 1e-12);
}

TEST(Bushing, TurnsBackByItsOwnAngles) {
  // A body on a hinge about x, turned by 0.3: only the first angle is not zero.
  BodySpec rod;
  rod.name = "rod";
  rod.joint = Revolute(Vec3::UnitX());
  rod.M_B = SpatialInertia::FromCentral(1, Vec3::Zero(), 0.01 * Mat3::Identity());
  const Bushing::Law law{.rotational_stiffness = Vec3(3, 5, 7),
                         .rotational_damping = Vec3(2, 0, 0)};
  const System system =
      SystemBuilder(SkeletonBuilder().add_body(rod).build())
          .set_gravity(Vec3::Zero())
          .add_force(std::make_shared<Bushing>("b", kWorld, Pose(), BodyIndex(0), Pose(), law))
          .build();
  Workspace ws(system);
  VecX g(1);
  inverse_dynamics(system, {0, VecX::Constant(1, 0.3), VecX::Constant(1, 0.5)}, VecX::Zero(1), ws,
                   g);
  EXPECT_NEAR(g[0], 3 * 0.3 + 2 * 0.5, 1e-14);
}

TEST(PointSpring, WithinOneRigidClusterDoesNothing) {
  const VecX q = test::Random(3).vecx(puppet().dof_count(), 0.8);
  const VecX qdot = test::Random(4).vecx(puppet().dof_count());
  for (const auto& [a, b] : {std::pair("arm", "plate"), std::pair("wall", "world")}) {
    Alone alone(spring("inner", a, b, 100, 5, 0.1).force);
    // A tension of some tens of newtons cancels to rounding.
    EXPECT_LT(alone.exerted(q, qdot).cwiseAbs().maxCoeff(), 1e-12);
    EXPECT_NEAR(alone.power(q, qdot), 0, 1e-12);
    const auto [K, D] = alone.stiffness_and_damping(q, qdot, StiffnessModel::exact);
    EXPECT_LT(K.cwiseAbs().maxCoeff(), 1e-12);
    EXPECT_LT(D.cwiseAbs().maxCoeff(), 1e-12);
    EXPECT_GT(alone.stored(q), 1e-2) << "yet it is stretched";
  }
}

/// A slider on the world's x axis.
Skeleton slider() {
  BodySpec spec;
  spec.name = "cart";
  spec.joint = Prismatic(Vec3::UnitX());
  spec.M_B = SpatialInertia::FromCentral(2, Vec3::Zero(), Mat3::Identity());
  return SkeletonBuilder().add_body(spec).build();
}

/// The force along x that `force` exerts on the slider, and its power.
struct OnSlider {
  double force, power, stored;
};
OnSlider on_slider(std::shared_ptr<const Force> force, double t, double q, double qdot) {
  const System system =
      SystemBuilder(slider()).set_gravity(Vec3::Zero()).add_force(std::move(force)).build();
  Workspace ws(system);
  VecX g(1);
  const VecX x = VecX::Constant(1, q), v = VecX::Constant(1, qdot), zero = VecX::Zero(1);
  inverse_dynamics(system, {t, x, v}, zero, ws, g);
  return {-g[0], ws.forces.power, energy(system, {t, x, v}, ws).elastic};
}

TEST(PointSpring, PullsWithItsTensionAlongTheLine) {
  // From the origin to a cart at x: length |x|, T = k (|x| − rest) + d l̇.
  const auto spring_on = [](double k, double d, double rest) {
    return std::make_shared<PointSpring>("s", kWorld, Vec3::Zero(), BodyIndex(0), Vec3::Zero(), k,
                                         d, rest);
  };
  EXPECT_DOUBLE_EQ(on_slider(spring_on(10, 0, 0.5), 0, 2, 0).force, -15);
  EXPECT_DOUBLE_EQ(on_slider(spring_on(10, 0, 0.5), 0, -2, 0).force, 15);
  EXPECT_DOUBLE_EQ(on_slider(spring_on(10, 0, 0.5), 0, 0.2, 0).force, 3) << "pushes when short";
  EXPECT_DOUBLE_EQ(on_slider(spring_on(10, 0, 0.5), 0, 2, 0).stored, 0.5 * 10 * 1.5 * 1.5);
  EXPECT_DOUBLE_EQ(on_slider(spring_on(0, 3, 0), 0, 2, 4).force, -12) << "brakes lengthening";
  EXPECT_DOUBLE_EQ(on_slider(spring_on(0, 3, 0), 0, -2, 4).force, -12) << "and shortening";
  EXPECT_DOUBLE_EQ(on_slider(spring_on(10, 3, 0.5), 0, 2, 4).force, -27);
  EXPECT_DOUBLE_EQ(on_slider(spring_on(10, 3, 0.5), 0, 2, 4).power, -48);
}

TEST(PointSpring, OfZeroLengthIsSmoothThroughZero) {
  // Attached where the body's point is at q: length exactly zero there.
  const VecX q = test::Random(21).vecx(puppet().dof_count(), 0.8);
  const VecX rest = VecX::Zero(q.size());
  SkeletonWorkspace ws(puppet());
  update_kinematics(puppet(), q, rest, ws);
  const Vec3 x_B(0.2, -0.1, 0.3), x_W = body_pose(puppet(), ws, named("hand")) * x_B;
  Alone alone(std::make_shared<PointSpring>("s", kWorld, x_W, named("hand"), x_B, 40, 0, 0));
  EXPECT_LT(alone.exerted(q, rest).cwiseAbs().maxCoeff(), 1e-13);
  const MatX K = alone.stiffness_and_damping(q, rest, StiffnessModel::exact).first;
  EXPECT_GT(K.cwiseAbs().maxCoeff(), 10);
  const auto sweep = check_derivative([&](const VecX& x) { return alone.exerted(x, rest); }, q, K);
  EXPECT_TRUE(sweep.confirms()) << sweep.table();
}

TEST(PointSpring, OfFiniteLengthHasNoDirectionAtZeroAndStaysFinite) {
  const auto stiff = std::make_shared<PointSpring>("s", kWorld, Vec3::Zero(), BodyIndex(0),
                                                   Vec3::Zero(), 10, 3, 0.5);
  EXPECT_EQ(on_slider(stiff, 0, 0, 4).force, 0);
  EXPECT_EQ(on_slider(stiff, 0, 0, 4).power, 0);
  EXPECT_DOUBLE_EQ(on_slider(stiff, 0, 0, 0).stored, 0.5 * 10 * 0.25);
  const System system = SystemBuilder(slider()).add_force(stiff).build();
  Workspace ws(system);
  Linearization at;
  VecX g(1);
  const VecX zero = VecX::Zero(1);
  linearize(system, {0, zero, zero}, zero, StiffnessModel::exact, ws, g, at);
  EXPECT_EQ(at.dg_dq(0, 0), 10) << "k alone: what needs a direction is left out";
  EXPECT_EQ(at.dg_dqdot(0, 0), 0);
}

TEST(JointSpring, PullsBackAndBrakes) {
  const auto force = std::make_shared<JointSpring>("s", DofIndex(0), 10, 3, 0.5);
  const OnSlider at = on_slider(force, 0, 2, 4);
  EXPECT_DOUBLE_EQ(at.force, -10 * 1.5 - 3 * 4);
  EXPECT_DOUBLE_EQ(at.power, -3 * 4 * 4);
  EXPECT_DOUBLE_EQ(at.stored, 0.5 * 10 * 1.5 * 1.5);
}

TEST(CoordinateStop, PushesBackBeyondItsLimitsAndIsNotFeltBetweenThem) {
  const auto stop = std::make_shared<CoordinateStop>("s", DofIndex(0), -1, 2, 10, 3);
  const OnSlider above = on_slider(stop, 0, 2.5, 4);
  EXPECT_DOUBLE_EQ(above.force, -10 * 0.5 - 3 * 4);
  EXPECT_DOUBLE_EQ(above.power, -3 * 4 * 4);
  EXPECT_DOUBLE_EQ(above.stored, 0.5 * 10 * 0.25);
  const OnSlider below = on_slider(stop, 0, -1.5, 0.25);
  EXPECT_DOUBLE_EQ(below.force, 10 * 0.5 - 3 * 0.25);
  EXPECT_DOUBLE_EQ(below.stored, 0.5 * 10 * 0.25);
  for (const double q : {-1.0, -0.5, 0.0, 1.9, 2.0}) {
    const OnSlider between = on_slider(stop, 0, q, 4);
    EXPECT_EQ(between.force, 0);
    EXPECT_EQ(between.power, 0);
    EXPECT_EQ(between.stored, 0);
  }
}

TEST(CoordinateStop, HasNoStiffnessBetweenItsLimits) {
  Alone alone(std::make_shared<CoordinateStop>("stop", DofIndex(6), -1, 1, 7, 0.9));
  const VecX q = VecX::Constant(puppet().dof_count(), 0.3);
  const auto [K, D] = alone.stiffness_and_damping(q, q, StiffnessModel::exact);
  EXPECT_EQ(K.cwiseAbs().maxCoeff(), 0);
  EXPECT_EQ(D.cwiseAbs().maxCoeff(), 0);
}

TEST(BodyDamping, OpposesTheTwistOfTheBody) {
  const OnSlider at = on_slider(std::make_shared<BodyDamping>("d", BodyIndex(0), 7, 3), 0, 2, 4);
  EXPECT_DOUBLE_EQ(at.force, -12);
  EXPECT_DOUBLE_EQ(at.power, -48);
}

// Drag is at the body's own origin, not the link's: the body frame twist φ gives wrench −(aω; lv).
TEST(BodyDamping, ActsInTheBodyFrame) {
  const VecX q = test::Random(3).vecx(puppet().dof_count(), 0.8);
  const VecX qdot = test::Random(4).vecx(puppet().dof_count());
  SkeletonWorkspace ws(puppet());
  update_kinematics(puppet(), q, qdot, ws);
  const Vec6 phi = body_twist(puppet(), ws, named("plate"));
  const double expected = -0.4 * phi.head<3>().squaredNorm() - 1.3 * phi.tail<3>().squaredNorm();
  Alone alone(std::make_shared<BodyDamping>("drag", named("plate"), 0.4, 1.3));
  EXPECT_NEAR(alone.power(q, qdot), expected, 1e-13 * std::abs(expected));
}

TEST(WorldForce, DoesTheWorkOfItsMovingPoint) {
  const VecX q = test::Random(3).vecx(puppet().dof_count(), 0.8);
  const VecX qdot = test::Random(4).vecx(puppet().dof_count());
  const Vec3 x_B(0.1, 0.2, -0.3), f(5, -3, 2);
  const auto position = [&](const VecX& at) {
    SkeletonWorkspace ws(puppet());
    update_kinematics(puppet(), at, qdot, ws);
    return Vec3(body_pose(puppet(), ws, named("hand")) * x_B);
  };
  const double h = 1e-5;
  const Vec3 velocity = (position(q + h * qdot) - position(q - h * qdot)) / (2 * h);
  Alone alone(
      std::make_shared<WorldForce>("push", named("hand"), x_B, TimeTable::Constant(VecX(f))));
  // Differences at h = 1e-5 of lengths of about one.
  EXPECT_NEAR(alone.power(q, qdot), f.dot(velocity), 1e-8);
}

TEST(WorldForce, OnTheGroundDoesNothing) {
  const VecX q = test::Random(3).vecx(puppet().dof_count(), 0.8);
  for (const char* where : {"world", "wall"}) {
    Alone alone(std::make_shared<WorldForce>("push", named(where), Vec3(1, 0, 0),
                                             TimeTable::Constant(Vec3(1, 2, 3))));
    EXPECT_EQ(alone.exerted(q, q).norm(), 0);
    EXPECT_EQ(alone.power(q, q), 0);
  }
}

// --- Tables in time ----------------------------------------------------------------------------

VecX one(double x) { return VecX::Constant(1, x); }

TEST(TimeTables, StepATorqueAtItsTimes) {
  const auto table = TimeTable::FromRows({0.5, 1}, {one(2), one(-3)},
                                         TimeTable::Interpolation::step, "force 'torque'");
  const auto torque = std::make_shared<JointTorque>("torque", DofIndex(0), table);
  for (const auto& [t, expected] : std::vector<std::pair<double, double>>{
           {0.0, 2.0}, {0.5, 2.0}, {0.999, 2.0}, {1.0, -3.0}, {7.0, -3.0}}) {
    const OnSlider at = on_slider(torque, t, 0.3, 4);
    EXPECT_DOUBLE_EQ(at.force, expected) << "at t = " << t;
    EXPECT_DOUBLE_EQ(at.power, 4 * expected);
  }
}

TEST(TimeTables, JoinAWorldForceByStraightLines) {
  const auto table = TimeTable::FromRows({0, 2}, {VecX(Vec3(1, 5, 0)), VecX(Vec3(3, 5, 0))},
                                         TimeTable::Interpolation::linear, "force 'push'");
  const auto push = std::make_shared<WorldForce>("push", BodyIndex(0), Vec3(0, 1, 0), table);
  for (const auto& [t, expected] :
       std::vector<std::pair<double, double>>{{-1.0, 1.0}, {0.0, 1.0}, {0.5, 1.5}, {3.0, 3.0}})
    EXPECT_DOUBLE_EQ(on_slider(push, t, 0.3, 4).force, expected) << "at t = " << t;
}

TEST(TimeTables, TellTheSystemWhenForcesJump) {
  const auto a =
      TimeTable::FromRows({0.5, 1}, {one(2), one(-3)}, TimeTable::Interpolation::step, "force 'a'");
  const auto b = TimeTable::FromRows({0.25, 0.5}, {VecX(Vec3::UnitX()), VecX(Vec3::UnitY())},
                                     TimeTable::Interpolation::linear, "force 'b'");
  const System system =
      SystemBuilder(slider())
          .add_force(std::make_shared<JointTorque>("a", DofIndex(0), a))
          .add_force(std::make_shared<WorldForce>("b", BodyIndex(0), Vec3::Zero(), b))
          .add_force(std::make_shared<JointSpring>("c", DofIndex(0), 1, 1, 0))
          .build();
  EXPECT_THAT(system.breakpoints(), ::testing::ElementsAre(0.25, 0.5, 1));
}

}  // namespace forces_test
}  // namespace sinew

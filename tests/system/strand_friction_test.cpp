#include <gtest/gtest.h>

#include <limits>

#include "sinew/strands/strands.hpp"
#include "support/message_of.hpp"
#include "support/pulleys.hpp"
#include "support/residual_derivatives.hpp"

/// Strands that slide over pulleys with friction: derivatives, balances of momentum, errors.

namespace sinew {
namespace strand_friction_test {

using test::free_node;
using test::rigid_node;

struct Options {
  double density = 0.3, friction = 0.4, creep = 0.5, mass = 0;
  double damping = 0;
  int turns = 0;
  StrandMass mass_model = StrandMass::continuous;
  GuideHold hold = GuideHold::friction;
  double loop = 0;  ///< rest length of a closed one
};

/// A floating tree with a strand from a body around a pulley of another to a free node, and over a
/// second pulley on. A closed one comes back.
SystemBuilder rubbed(unsigned seed, const Options& options) {
  const Skeleton skeleton = test::floating_tree(seed, 4);
  SkeletonWorkspace ws(skeleton);
  VecX q(skeleton.dof_count());
  for (int k = 0; k < q.size(); ++k) q[k] = skeleton.coordinates()[static_cast<size_t>(k)].q0;
  update_kinematics(skeleton, q, VecX::Zero(q.size()), ws);
  const Pose E_BS{Eigen::AngleAxisd(seed, Vec3(1, 2, 3).normalized()).toRotationMatrix(),
                  Vec3(0.1, 0.2, 0.1)};
  const Pose E_WS = body_pose(skeleton, ws, BodyIndex(2)) * E_BS;
  SystemBuilder builder(skeleton);
  builder.add_strand_node(
      rigid_node("start", BodyIndex(1),
                 body_pose(skeleton, ws, BodyIndex(1)).inverse() * (E_WS * Vec3(-1, 0.1, 0))));
  builder.add_strand_node(free_node("bead", E_WS * Vec3(1, 0.1, 0.1), 0.3));
  builder.add_strand_node(free_node("end", E_WS * Vec3(1.4, -0.8, 0.3), 0.2));
  const GuideFriction friction{options.friction, options.creep, options.mass};
  PulleyWrap round;
  round.radius = 0.3;
  round.side = WrapSide::clockwise;
  StrandGuide guide{"guide", BodyIndex(2), E_BS, round, options.hold, friction};
  builder.add_strand_guide(guide);
  guide.name = "second";
  guide.E_BS.p += E_BS.R * Vec3(1.6, 0, 0);
  builder.add_strand_guide(guide);
  Strand strand;
  strand.name = "strand";
  strand.density = options.density;
  strand.mass_model = options.mass_model;
  strand.law = {LinearStretch{40}, options.damping, false};
  strand.points = {{"start", 0.0, "guide", options.turns},
                   {"bead", {}, "second"},
                   {"end", 2.2 + 1.9 * options.turns}};
  if (options.loop > 0) {
    for (StrandPoint& point : strand.points) point.s.reset();
    strand.loop = options.loop;
    strand.speed = 0.7;
  }
  return builder.add_strand(strand);
}

TEST(StrandFriction, EveryDerivativeOfTheResidualIsThatOfDifferences) {
  const std::vector<Options> cases = {
      {.creep = 0.1, .damping = 3, .turns = 1},
      {.density = 0, .mass = 0.01},
      {.creep = 0.1, .damping = 3, .loop = 5},
  };
  unsigned seed = 0;
  for (const Options& options : cases) {
    ++seed;
    const System system = rubbed(seed, options).build();
    test::check_every_derivative(system, test::near_start(system, seed), std::to_string(seed));
  }
}

TEST(StrandFriction, ADefiniteModelLeavesOutOnlyWhatCouldMakeItIndefinite) {
  for (const double loop : {0.0, 5.0}) {
    const System system = rubbed(2, {.damping = 3, .loop = loop}).build();
    const test::MotionSample at = test::near_start(system, 2);
    Workspace ws(system);
    VecX g(system.dof_count());
    Linearization lin;
    linearize(system, {0, at.q, at.qdot}, at.qddot, StiffnessModel::definite, ws, g, lin);
    const test::DenseLinearization dense(system, lin);
    for (const MatX& matrix : {dense.dg_dq, dense.dg_dqdot}) {
      const MatX even = 0.5 * (matrix + matrix.transpose());
      const double least = Eigen::SelfAdjointEigenSolver<MatX>(even).eigenvalues().minCoeff();
      EXPECT_GT(least, -1e-9 * even.norm());
      EXPECT_LT((matrix - matrix.transpose()).norm(), 1e-9 * matrix.norm());
    }
  }
}

TEST(StrandFriction, WithTwoStrainsForcesAreThoseOfLagrange) {
  // A creep velocity so large that friction vanishes.
  for (const Options& options :
       {Options{.creep = 1e15}, Options{.creep = 1e15, .turns = 2},
        Options{.creep = 1e15, .loop = 5}, Options{.creep = 1e15, .turns = 1, .loop = 7}}) {
    const System system = rubbed(3, options).build();
    Workspace ws(system);
    const test::MotionSample at = test::near_start(system, 3);
    MatX M;
    // No accelerations are known yet.
    for (Vec6& a : ws.skeleton.a) a.setConstant(std::numeric_limits<double>::quiet_NaN());
    mass_matrix(system, {0, at.q, at.qdot}, ws, M);
    EXPECT_LT((M - M.transpose()).lpNorm<Eigen::Infinity>(), 1e-12);  // rounding
    const double T = 0.5 * at.qdot.dot(M * at.qdot);
    EXPECT_NEAR(energy(system, {0, at.q, at.qdot}, ws).kinetic, T, 1e-12 * T);
    const auto momenta = [&](const VecX& q) {
      MatX there;
      mass_matrix(system, {0, q, at.qdot}, ws, there);
      return VecX(there * at.qdot);
    };
    const auto lagrangian = [&](const VecX& q) {
      const Energy E = energy(system, {0, q, at.qdot}, ws);
      return VecX::Constant(1, 2 * E.kinetic - E.total());
    };
    const double h = 1e-5;
    const VecX expected = M * at.qddot + central_difference(momenta, at.q, h) * at.qdot -
                          central_difference(lagrangian, at.q, h).transpose();
    VecX g(system.dof_count());
    inverse_dynamics(system, {0, at.q, at.qdot}, at.qddot, ws, g);
    // Truncation and rounding of differences, of numbers up to 100.
    EXPECT_LT((g - expected).lpNorm<Eigen::Infinity>(), 1e-6) << expected.transpose();
  }
}

TEST(StrandFriction, WhatItTakesFromTheEnergyIsItsPower) {
  for (const unsigned seed : {1u, 2u, 3u}) {
    const System system =
        rubbed(seed, {.creep = 0.1, .damping = 2, .loop = seed == 2 ? 5.0 : 0}).build();
    Workspace ws(system);
    const test::MotionSample at = test::near_start(system, seed);
    VecX g(system.dof_count());
    inverse_dynamics(system, {0, at.q, at.qdot}, at.qddot, ws, g);
    const double power = ws.forces.power;
    EXPECT_LT(power, -0.01);
    const auto E = [&](double t) {
      const VecX q = at.q + t * at.qdot + 0.5 * t * t * at.qddot, v = at.qdot + t * at.qddot;
      return energy(system, {0, q, v}, ws).total();
    };
    const double h = 1e-5, scale = at.qdot.cwiseAbs().dot(g.cwiseAbs());
    EXPECT_NEAR((E(h) - E(-h)) / (2 * h), at.qdot.dot(g) + power, 1e-7 * scale);
  }
}

TEST(StrandFriction, TheRowOfWhatHoldsIsTheDirectionOfSmoothFriction) {
  for (const unsigned seed : {1u, 2u, 3u}) {
    const double loop = seed == 2 ? 5 : 0;
    const System smooth = rubbed(seed, {.creep = 1e-12, .loop = loop}).build();
    const System dry = rubbed(seed, {.creep = 0, .loop = loop}).build();
    const test::MotionSample at = test::near_start(dry, seed);
    const At now{0, at.q, at.qdot};
    Workspace a(smooth), b(dry);
    VecX with(dry.dof_count()), without(dry.dof_count());
    inverse_dynamics(smooth, now, at.qddot, a, with);
    inverse_dynamics(dry, now, at.qddot, b, without);
    update_unilaterals(dry, now, {.friction = true}, b);
    const UnilateralRows& rows = b.unilateral.rows;
    ASSERT_EQ(rows.holds.size(), 2u);
    VecX expected = without;
    for (size_t k = 0; k < 2; ++k) {
      const auto row = rows.rows.Gt().col(rows.first_hold + static_cast<int>(k));
      const double slip = row.dot(at.qdot);
      EXPECT_GT(rows.holds[k], 0.1);
      EXPECT_GT(std::abs(slip), 1e-3);
      expected += (slip > 0 ? 1 : -1) * rows.holds[k] * row;
    }
    EXPECT_LT((with - expected).norm(), 1e-9 * with.norm()) << seed;
  }
}

TEST(StrandFriction, WithoutAnyItIsAGuideThatSlips) {
  const System a = rubbed(3, {.friction = 0}).build();
  const System b = rubbed(3, {.friction = 0, .hold = GuideHold::slip}).build();
  ASSERT_EQ(a.dof_count(), b.dof_count());  // no material coordinate
  const test::MotionSample at = test::near_start(a, 3);
  Workspace wa(a), wb(b);
  VecX ga(a.dof_count()), gb(a.dof_count());
  inverse_dynamics(a, {0, at.q, at.qdot}, at.qddot, wa, ga);
  inverse_dynamics(b, {0, at.q, at.qdot}, at.qddot, wb, gb);
  EXPECT_EQ(ga, gb);
}

TEST(StrandFriction, NamesTheCulpritOfABadDescription) {
  using test::message_of;
  const auto build = [](auto change) {
    return message_of([&] {
      SystemBuilder builder(test::still_skeleton());
      builder.add_strand_node(free_node("a", Vec3(-1, -1, 0), 1));
      builder.add_strand_node(free_node("b", Vec3(1, -1, 0), 1));
      StrandGuide guide =
          test::pulley("drum", kWorld, Vec3::Zero(), 0.1, WrapSide::clockwise, GuideHold::friction);
      guide.friction = {0.3, 1e-3, 0};
      Strand rope;
      rope.name = "rope";
      rope.density = 0.1;
      rope.points = {{"a", 0.0, "drum"}, {"b", 3.0}};
      change(guide, rope);
      builder.add_strand_guide(guide).add_strand(rope).build();
    });
  };
  const auto expect = [&](const char* what, auto change) {
    EXPECT_NE(build(change).find(what), std::string::npos) << build(change);
  };
  EXPECT_EQ(build([](StrandGuide&, Strand&) {}), "");
  expect("guide 'drum': has a coefficient of friction that is not from 0 to 10",
         [](StrandGuide& g, Strand&) { g.friction.coefficient = -0.1; });
  expect("guide 'drum': has a coefficient of friction that is not from 0 to 10",
         [](StrandGuide& g, Strand&) { g.friction.coefficient = 11; });
  expect("guide 'drum': has a creep velocity that is negative",
         [](StrandGuide& g, Strand&) { g.friction.creep = -1e-3; });
  expect("guide 'drum': has a mass of what slides that is not ≥ 0",
         [](StrandGuide& g, Strand&) { g.friction.mass = -1; });
  expect("guide 'drum': has friction, which only pulleys can have", [](StrandGuide& g, Strand&) {
    SphereWrap sphere;
    sphere.radius = 0.1;
    g.wrap = sphere;
  });
  expect("strand 'rope': does not stretch, and cannot slide over guide 'drum' with friction",
         [](StrandGuide&, Strand& s) { s.length = StrandLength::fixed; });
  expect("strand 'rope': slides over guide 'drum' with friction, but has no mass",
         [](StrandGuide&, Strand& s) { s.density = 0; });
  expect("strand 'rope': does not touch guide 'drum', which has friction",
         [](StrandGuide& g, Strand&) { g.E_BS.p.y() = -1.3; });
}

}  // namespace strand_friction_test
}  // namespace sinew

#include "sinew/strands/strand_forms.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "sinew/builder/system_builder.hpp"
#include "sinew/dynamics/forces.hpp"
#include "sinew/integrate/integrator_table.hpp"
#include "sinew/integrate/simulate.hpp"
#include "sinew/strands/strands.hpp"
#include "support/allocation_guard.hpp"
#include "support/floating_tree.hpp"
#include "support/message_of.hpp"
#include "support/residual_derivatives.hpp"

/// Cables and chains: strands with keys of their own in scenes.

namespace sinew {
namespace strand_forms_test {

using testing::HasSubstr;

RigidNode point(int body, unsigned seed) {
  return {body < 0 ? kWorld : BodyIndex(body), test::Random(seed).vec3(0.5)};
}

/// Ways of cables over the bodies of a tree, −1 for the world.
const std::vector<std::vector<int>> kWays = {
    {-1, 3}, {0, 2}, {2, 0, 1, 3}, {1, -1, 3}, {0, 3, 1, 3, 3}};

DescribedStrand cable(const std::vector<int>& way, const CableLaw& law) {
  std::vector<RigidNode> points;
  for (size_t k = 0; k < way.size(); ++k)
    points.push_back(point(way[k], 30 + static_cast<unsigned>(k)));
  return make_cable("cable", points, law);
}

System with_cable(const std::vector<int>& way, const CableLaw& law) {
  SystemBuilder builder(test::floating_tree(3, 4));
  return builder.add(cable(way, law)).build();
}

TEST(Cable, DerivativesAreThoseOfDifferences) {
  for (const std::vector<int>& way : kWays)
    for (const CableLaw& law : {CableLaw{10, 0, 0.3, true}, CableLaw{10, 1, 0.3, true},
                                CableLaw{10, 1, 9, false}, CableLaw{10, 0, 100, true}}) {
      const System system = with_cable(way, law);
      test::check_every_derivative(system, test::near_start(system, 7, 0.5),
                                   "cable of " + std::to_string(way.size()) + " points");
    }
}

TEST(Cable, OnlyLosesWhatItsDamperTakes) {
  for (const std::vector<int>& way : kWays)
    for (const double damping : {0.0, 1.0}) {
      const System system = with_cable(way, {10, damping, 0.3, true});
      const test::MotionSample at = test::near_start(system, 8, 0.5);
      Workspace ws(system);
      VecX qddot(system.dof_count());
      forward_dynamics(system, {0, at.q, at.qdot}, ws, qddot);
      const double power = ws.forces.power;
      if (damping == 0)
        EXPECT_EQ(power, 0);
      else
        EXPECT_LE(power, 0);
      const auto E = [&](double t) {
        State state = system.default_state();
        state.q = at.q + t * at.qdot + 0.5 * t * t * qddot;
        state.qdot = at.qdot + t * qddot;
        return energy(system, state, ws).total();
      };
      const double h = 2e-6;
      // h² of the third derivative, 2.5e4 W/s² of joints that turn fast, and rounding.
      EXPECT_NEAR((E(h) - E(-h)) / (2 * h), power, 3e-7);
    }
}

/// A cart of 1 kg on a slider along x.
SkeletonBuilder cart() {
  BodySpec body;
  body.name = "cart";
  body.joint = Prismatic{Vec3::UnitX()};
  body.M_B = SpatialInertia::FromCentral(1, Vec3::Zero(), Mat3::Identity());
  return SkeletonBuilder().add_body(body);
}

struct OnCart {
  double force, power, stored;
};
OnCart on_cart(const DescribedStrand& cable, double q, double qdot) {
  SystemBuilder builder(cart().build());
  const System system = builder.set_gravity(Vec3::Zero()).add(cable).build();
  State state = system.default_state();
  state.q[0] = q;
  state.qdot[0] = qdot;
  Workspace ws(system);
  VecX qddot(1);
  forward_dynamics(system, {0, state.q, state.qdot}, ws, qddot);
  const double power = ws.forces.power;
  return {qddot[0], power, energy(system, state, ws).elastic};
}

DescribedStrand to_cart(bool slack) {
  return make_cable("c", {{}, {BodyIndex(0), Vec3::Zero()}}, {10, 3, 2, slack});
}

TEST(Cable, PullsByItsStrain) {
  // T = (k (l − L) + d l̇)/L with k = 10, d = 3, L = 2.
  const OnCart at = on_cart(to_cart(true), 3, 0.5);
  EXPECT_DOUBLE_EQ(at.force, -(10 * 1 + 3 * 0.5) / 2);
  EXPECT_DOUBLE_EQ(at.power, -3 * 0.5 * 0.5 / 2);
  EXPECT_DOUBLE_EQ(at.stored, 10 * 1 / 4.0);
  EXPECT_DOUBLE_EQ(on_cart(to_cart(true), -3, -0.5).force, (10 * 1 + 3 * 0.5) / 2);
}

TEST(Cable, GoesSlackUnlessItMayPush) {
  for (const double speed : {-4.0, 0.0, 4.0}) {
    const OnCart slack = on_cart(to_cart(true), 1.5, speed);
    EXPECT_EQ(slack.force, 0);
    EXPECT_EQ(slack.power, 0);
    EXPECT_EQ(slack.stored, 0);
    const OnCart pushes = on_cart(to_cart(false), 1.5, speed);
    EXPECT_DOUBLE_EQ(pushes.force, (10 * 0.5 - 3 * speed) / 2);
    EXPECT_DOUBLE_EQ(pushes.stored, 10 * 0.25 / 4);
  }
}

TEST(Cable, DoesNotPushWhenItShortensFast) {
  // Stretched by 1 it would hold 5 − 1.5 · 4 < 0. What it had stored is lost as it collapses.
  const OnCart at = on_cart(to_cart(true), 3, -4);
  EXPECT_EQ(at.force, 0);
  EXPECT_DOUBLE_EQ(at.power, -5 * 4);
  EXPECT_DOUBLE_EQ(at.stored, 2.5);
  EXPECT_DOUBLE_EQ(on_cart(to_cart(false), 3, -4).force, 1);
}

TEST(Cable, PullsTwiceOverAPulley) {
  // To the cart and back: l = 2 q, and the cart feels both strands.
  const DescribedStrand tackle =
      make_cable("c", {{}, {BodyIndex(0), Vec3::Zero()}, {}}, {10, 3, 4, true});
  EXPECT_DOUBLE_EQ(on_cart(tackle, 3, 0.5).force, -2 * (10 * 2 + 3 * 2 * 0.5) / 4);
}

TEST(Cable, MayPassPointsThatCoincide) {
  // The middle point is the origin too: a piece without length or direction, and no event.
  const DescribedStrand doubled =
      make_cable("c", {{}, {}, {BodyIndex(0), Vec3::Zero()}}, {10, 3, 2, true});
  EXPECT_DOUBLE_EQ(on_cart(doubled, 3, 0.5).force, -(10 * 1 + 3 * 0.5) / 2);
  SystemBuilder builder(cart().build());
  const System system = builder.set_gravity(Vec3::Zero()).add(doubled).build();
  State state = system.default_state();
  state.q[0] = 2.5;
  Workspace ws(system);
  SimulationSettings settings;
  settings.step.integrator = Integrator::dopri5;
  settings.until = 2;  // through zero, where all three meet, and back
  EXPECT_EQ(simulate(system, settings, state, ws).end, SimulationEnd::finished);
}

TEST(Cable, WithTwoEndsIsAPointSpring) {
  const Skeleton tree = test::floating_tree(3, 4);
  SystemBuilder one(tree), other(tree);
  const RigidNode a = point(0, 30), b = point(2, 31);
  const System cables = one.add(make_cable("line", {a, b}, {10, 5, 0.4, false})).build();
  const System springs = other
                             .add_force(std::make_shared<PointSpring>("s", a.body, a.x_B, b.body,
                                                                      b.x_B, 25, 12.5, 0.4))
                             .build();
  const test::MotionSample at = test::near_start(cables, 3, 0.5);
  Workspace ws_a(cables), ws_b(springs);
  VecX g(cables.dof_count()), h = g;
  Linearization lin_a, lin_b;
  linearize(cables, {0, at.q, at.qdot}, at.qddot, StiffnessModel::exact, ws_a, g, lin_a);
  linearize(springs, {0, at.q, at.qdot}, at.qddot, StiffnessModel::exact, ws_b, h, lin_b);
  EXPECT_LT((g - h).norm(), 1e-13 * h.norm());
  EXPECT_NEAR(ws_a.forces.power, ws_b.forces.power, 1e-13 * h.norm());
  EXPECT_LT((lin_a.dg_dq - lin_b.dg_dq).norm(), 1e-13 * lin_b.dg_dq.norm());
  EXPECT_LT((lin_a.dg_dqdot - lin_b.dg_dqdot).norm(), 1e-13 * lin_b.dg_dqdot.norm());
}

TEST(Cable, IsAForceToIntegratorsAndRecursions) {
  const System system = with_cable(kWays[2], {10, 1, 0.3, true});
  EXPECT_EQ(system.features(), 0u);
  EXPECT_EQ(default_integrator(system), Integrator::semi_implicit_euler);
  EXPECT_TRUE(system.has_recursive_mass());
  EXPECT_TRUE(system.strands()->acts_on_links_only());
  // So conjugate gradients do without matrices: their step is that of the direct solver.
  State direct = system.default_state(), iterated = direct;
  direct.qdot = iterated.qdot = test::Random(5).vecx(system.dof_count(), 0.5);
  Workspace ws_a(system), ws_b(system);
  StepOptions options{.integrator = Integrator::linearly_implicit_euler,
                      .jacobian = StiffnessModel::definite};
  for (int k = 0; k < 20; ++k)
    ASSERT_EQ(step(system, options, 5e-3, direct, ws_a).status, StepStatus::ok);
  options.solver = LinearSolver::conjugate_gradient;
  options.conjugate_gradient.tolerance = 1e-13;
  for (int k = 0; k < 20; ++k)
    ASSERT_EQ(step(system, options, 5e-3, iterated, ws_b).status, StepStatus::ok);
  EXPECT_LT((direct.q - iterated.q).lpNorm<Eigen::Infinity>(), 1e-11);
}

TEST(Cable, AllocatesNothingWhenItBecomesTaut) {
  SINEW_NEEDS_ALLOCATION_COUNTS();
  SystemBuilder builder(cart().build());
  const System system =
      builder.set_gravity(Vec3(-9.81, 0, 0))
          .add(make_cable("c", {{}, {kWorld, Vec3::UnitY()}, {BodyIndex(0), Vec3::Zero()}},
                          {100, 1, 2, true}))
          .build();
  State state = system.default_state();
  Workspace ws(system);
  const StepOptions options{.integrator = Integrator::bdf1};
  for (int k = 0; k < 3; ++k)
    ASSERT_EQ(step(system, options, 0.02, state, ws).status, StepStatus::ok);
  const test::AllocationGuard guard;
  int taut = 0;
  for (int k = 0; k < 60; ++k) {
    ASSERT_EQ(step(system, options, 0.02, state, ws).status, StepStatus::ok);
    taut += energy(system, state, ws).elastic > 0;
  }
  EXPECT_EQ(guard.count(), 0);
  EXPECT_GT(taut, 5);
}

TEST(Cable, NamesTheCulprit) {
  const RigidNode a{BodyIndex(0), Vec3::Zero()}, b{BodyIndex(1), Vec3::Zero()};
  const auto complaint = [](const std::vector<RigidNode>& points, const CableLaw& law) {
    return test::message_of([&] { make_cable("f", points, law); });
  };
  const CableLaw law{1, 1, 1};
  for (const double bad : {-1.0, std::nan(""), std::numeric_limits<double>::infinity()}) {
    EXPECT_THAT(complaint({a, b}, {bad, 1, 1}), HasSubstr("stiffness is"));
    EXPECT_THAT(complaint({a, b}, {1, bad, 1}), HasSubstr("damping is"));
    EXPECT_THAT(complaint({a, b}, {1, 1, bad}), HasSubstr("rest length is"));
  }
  EXPECT_THAT(complaint({a, b}, {1, 1, 0}), HasSubstr("rest length is"));
  EXPECT_THAT(complaint({}, law), HasSubstr("fewer than two points"));
  EXPECT_THAT(complaint({a}, law), HasSubstr("force 'f': has fewer than two points"));
  EXPECT_THAT(complaint({a, {BodyIndex(0), Vec3::UnitX()}}, law),
              HasSubstr("connects a body to itself"));
  EXPECT_THAT(complaint({a, {BodyIndex(1), Vec3(0, std::nan(""), 0)}}, law),
              HasSubstr("point is not finite"));
  EXPECT_EQ(complaint({a, {}, a}, law), "");
  EXPECT_EQ(complaint({a, b}, {0, 0, 1}), "");
  EXPECT_THAT(test::message_of([&] {
                SystemBuilder builder(cart().build());
                builder.add(make_cable("f", {a, b}, law)).build();
              }),
              HasSubstr("body that does not exist"));
}

Chain example_chain(int vertices) {
  Chain out;
  out.name = "cord";
  out.ends = {RigidNode{kWorld, Vec3(0, 1, 0)}, RigidNode{BodyIndex(0), Vec3(0.1, 0, 0)}};
  out.start = {Vec3(0, 1, 0), Vec3(0.1, 0, 0)};
  out.vertices = vertices;
  out.mass = 0.6;
  out.stiffness = 3;
  out.damping = 0.02;
  return out;
}

TEST(Chain, IsMadeOfSpringsOfItsEnergy) {
  // ½ K ε² each, with tension (K ε + d ε̇)/L, and a third of the mass at the only free vertex.
  SystemBuilder builder(cart().build());
  const System system = builder.add(make_chain(example_chain(3))).build();
  ASSERT_EQ(system.dof_count(), 1 + 3);
  State state = system.default_state();
  const Vec3 x(0.3, 0.6, -0.2), v(1, 2, -1);
  state.q.tail<3>() = x;
  state.qdot.tail<3>() = v;
  Workspace ws(system);
  VecX qddot(4);
  forward_dynamics(system, {0, state.q, state.qdot}, ws, qddot);
  const double L = std::hypot(0.1, 1.0) / 2;
  Vec3 force = 0.2 * Vec3(0, -9.80665, 0);
  double stored = 0;
  for (const Vec3& end : {Vec3(0, 1, 0), Vec3(0.1, 0, 0)}) {
    const double l = (x - end).norm(), strain = l / L - 1;
    const Vec3 u = (x - end) / l;
    force -= (3 * strain + 0.02 * u.dot(v) / L) / L * u;
    stored += 0.5 * 3 * strain * strain;
  }
  EXPECT_LT((qddot.tail<3>() - force / 0.2).norm(), 1e-12 * qddot.norm());
  EXPECT_NEAR(energy(system, state, ws).elastic, stored, 1e-13);
  // A third of it rides on the cart, a third hangs on the world.
  EXPECT_NEAR(system.skeleton().body(BodyIndex(0)).M_B.mass, 1.2, 1e-15);
  EXPECT_NEAR(system.strands()->mass(), 0.2, 1e-15);
}

TEST(Chain, DerivativesAreThoseOfDifferences) {
  SystemBuilder builder(test::floating_tree(3, 4));
  Chain chain = example_chain(6);
  chain.ends[0].body = BodyIndex(2);
  const System system = builder.add(make_chain(chain)).build();
  test::check_every_derivative(system, test::near_start(system, 4, 0.2), "chain");
}

TEST(Chain, IsASoftBodyToIntegratorsAndResults) {
  SystemBuilder builder(cart().build());
  Strand leash;
  leash.name = "leash";
  leash.points = {{"hook", 0.0}, {"bead", 0.5}};
  builder.add(
      {{{"hook", RigidNode{}}, {"bead", MaximalNode{Vec3(0, -0.5, 0), Vec3::Zero(), 1}}}, leash});
  const System system = builder.add(make_chain(example_chain(4))).build();
  EXPECT_EQ(system.features(), bit(Feature::soft_bodies) | bit(Feature::strands));
  const Strands& strands = *system.strands();
  EXPECT_EQ(strands.element_with(Feature::soft_bodies), "soft body 'cord'");
  EXPECT_EQ(strands.element_with(Feature::strands), "strand 'leash'");
  EXPECT_EQ(strands.free_vertex_count(), 2);
  const auto columns = strands.columns();
  ASSERT_EQ(columns.size(), 2u);
  EXPECT_THAT(
      columns[0].names,
      testing::ElementsAre("bead_x", "bead_y", "bead_z", "leash_length_1", "leash_tension_1",
                           "cord_length_1", "cord_tension_1", "cord_length_2", "cord_tension_2",
                           "cord_length_3", "cord_tension_3"));
  EXPECT_EQ(columns[1].table, "vertices");
  ASSERT_EQ(columns[1].names.size(), 12u);
  EXPECT_EQ(columns[1].names[4], "cord_2_y");
  // What is measured can be recalled.
  State state = system.default_state();
  state.q += test::Random(3).vecx(10, 0.1);
  Workspace ws(system);
  update_kinematics(system, state, ws);
  controls_at(system, state, ws);
  std::vector<double> values;
  strands.measure(part_at(system, 0, state, ws), *ws.parts[0], values);
  ASSERT_EQ(values.size(), 11u + 12u);
  VecX own = VecX::Zero(9);
  strands.recall(values, own);
  EXPECT_EQ(own, state.q.tail(9));
}

TEST(Chain, NamesTheCulprit) {
  const auto complaint = [](auto&& change) {
    Chain chain = example_chain(3);
    change(chain);
    return test::message_of([&] { make_chain(chain); });
  };
  EXPECT_THAT(complaint([](Chain& c) { c.vertices = 1; }),
              HasSubstr("soft body 'cord': has fewer"));
  EXPECT_THAT(complaint([](Chain& c) { c.mass = 0; }), HasSubstr("mass"));
  EXPECT_THAT(complaint([](Chain& c) { c.start[1] = c.start[0]; }), HasSubstr("rest length"));
}

}  // namespace strand_forms_test
}  // namespace sinew

#include <gtest/gtest.h>

#include "integrate/contact_systems.hpp"
#include "sinew/builder/system_builder.hpp"
#include "support/allocation_guard.hpp"

// Motion in hyper-reduced coordinates.

namespace sinew {
namespace hyper_reduced_test {

using test::shared;
using test::with;

Skeleton finger() {
  const Revolute z{Vec3::UnitZ()};
  BodySpec mcp = test::bar("proximal", "", 0.045, 0.03, z, Vec3::Zero());
  mcp.q0 = {-0.3};
  BodySpec pip = test::bar("middle", "proximal", 0.026, 0.02, z, Vec3(0.045, 0, 0));
  pip.q0 = {-0.8};
  pip.qdot0 = {2};
  const BodySpec dip = test::bar("distal", "middle", 0.02, 0.01, z, Vec3(0.026, 0, 0));
  return SkeletonBuilder().add_body(mcp).add_body(pip).add_body(dip).build();
}

const ScalarFunction kHalf = LinearFunction{{0.5}, 0};
const ScalarFunction kBent = PolynomialFunction{{0, 0.5, -0.2}};

System reduced(const ScalarFunction& f) {
  SystemBuilder builder(finger());
  builder.map_coordinates({{DofIndex(2), f, {"middle_joint_1"}}});
  builder.add_force(std::make_shared<JointSpring>("tendon", DofIndex(2), 0.002, 0, 0.1));
  return builder.build();
}

System coupled(const ScalarFunction& f) {
  SystemBuilder builder(finger());
  builder.add_constraint(
      shared(CoordinateCoupling::Function("dip", DofIndex(2), f, {DofIndex(1)})));
  builder.add_force(std::make_shared<JointSpring>("tendon", DofIndex(2), 0.002, 0, 0.1));
  return builder.build();
}

TEST(HyperReducedMotion, IsThatOfTheCoupling) {
  for (const ScalarFunction& f : {kHalf, kBent}) {
    const System a = reduced(f), b = coupled(f);
    EXPECT_EQ(a.dof_count(), 2);
    State start = b.default_state();
    // The coupling moves all joints to where it holds; the map takes the free ones as they are.
    start.q = Vec3(-0.3, -0.8, 0);
    Workspace ws_a(a), ws_b(b);
    MapValues map(a.skeleton(), *a.coordinate_map());
    map.update(a.default_state().q, a.default_state().qdot);
    start.q = map.q;
    start.qdot = map.qdot;
    StepOptions options = with(Integrator::dopri5);
    options.relative_tolerance = 1e-12;
    options.absolute_tolerance = 1e-13;
    State x = a.default_state(), y = start;
    while (x.t < 0.3) ASSERT_EQ(step(a, options, 0.3 - x.t, x, ws_a).status, StepStatus::ok);
    while (y.t < 0.3) ASSERT_EQ(step(b, options, 0.3 - y.t, y, ws_b).status, StepStatus::ok);
    map.update(x.q, x.qdot);
    // Two integrations at 1e-12 per step, some hundred steps.
    EXPECT_LT((map.q - y.q).norm(), 1e-8);
    EXPECT_LT((map.qdot - y.qdot).norm(), 1e-6);
  }
}

class HyperReducedStep : public ::testing::TestWithParam<Integrator> {};

TEST_P(HyperReducedStep, ConvergesToTheSameMotion) {
  const System system = reduced(kBent);
  const State reference = test::accurate_solution(system, 0.1);
  if (GetParam() == Integrator::dopri5) return;
  const auto error = [&](int steps) {
    Workspace ws(system);
    State state = system.default_state();
    test::run(system, with(GetParam()), 0.1 / steps, steps, state, ws);
    return test::distance(state, reference);
  };
  const double coarse = error(400), fine = error(800);
  // At least first order; or both at what Newton's method leaves of speeds up to 30 rad/s in 4000
  // stages, 1e-12 of the largest force in each.
  EXPECT_TRUE(fine < 0.6 * coarse || fine < 5e-9) << coarse << ' ' << fine;
  EXPECT_LT(fine, 0.1);  // of speeds up to 30 rad/s
}

/// Everything at once: a bent dependence, an extra coordinate, a loop, and a chart.
System everything() {
  const test::FourBar bar;
  SkeletonBuilder skeleton;
  const Skeleton linkage = bar.skeleton(0.7);
  const Revolute z{Vec3::UnitZ()};
  const Vec3 q = bar.angles(0.7);
  BodySpec a = test::bar("crank", "", bar.crank, 0.4, z, Vec3::Zero());
  BodySpec b = test::bar("coupler", "crank", bar.coupler, 0.7, z, Vec3(bar.crank, 0, 0));
  BodySpec c = test::bar("rocker", "coupler", bar.rocker, 0.5, z, Vec3(bar.coupler, 0, 0));
  a.q0 = {q[0]};
  b.q0 = {q[1]};
  c.q0 = {q[2]};
  const BodySpec wheel = test::bar("wheel", "", 0.1, 1, z, Vec3(0, -1, 0));
  BodySpec ball = test::bar("ball", "wheel", 0.1, 0.3, SphericalExp{}, Vec3(0.1, 0, 0));
  ball.M_B = SpatialInertia::FromCentral(0.3, Vec3::Zero(), Vec3(1e-3, 1.1e-3, 1e-3).asDiagonal());
  ball.q0 = {0, 4.6, 0};  // its chart ends at 1.5 π
  ball.qdot0 = {0, 8, 0};
  const BodySpec arm = test::bar("arm", "", 0.2, 0.3, z, Vec3(0, -2, 0));
  const BodySpec hand = test::bar("hand", "arm", 0.1, 0.1, z, Vec3(0.2, 0, 0));
  for (const BodySpec& spec : {a, b, c, wheel, ball, arm, hand}) skeleton.add_body(spec);
  SystemBuilder builder(skeleton.build());
  builder.add_constraint(shared(bar.closure()));
  builder.map_coordinates({{DofIndex(3), PolynomialFunction{{0, 1.5, 0.2}}, {"crank_joint_1"}},
                           {DofIndex(7), LinearFunction{{0.7}, 0}, {"reach"}},
                           {DofIndex(8), SineFunction{0.5, 1.1, 0, 0}, {"reach"}}},
                          {{"reach", CoordinateKind::angle, 0.3, 0.5}});
  return builder.build();
}

TEST_P(HyperReducedStep, AllocatesNothingAfterTheFirst) {
  SINEW_NEEDS_ALLOCATION_COUNTS();
  const System system = everything();
  Workspace ws(system);
  State state = system.default_state();
  for (int k = 0; k < 3; ++k)
    ASSERT_EQ(step(system, with(GetParam()), 1e-3, state, ws).status, StepStatus::ok);
  const sinew::test::AllocationGuard guard;
  for (int k = 0; k < 20; ++k) step(system, with(GetParam()), 1e-3, state, ws);
  EXPECT_EQ(guard.count(), 0);
}

TEST_P(HyperReducedStep, DoesNotDependOnTheWorkspaceAndHoldsItsLoops) {
  const System system = everything();
  Workspace kept(system);
  State a = system.default_state(), b = a;
  double jump = 0;
  for (int k = 0; k < 300; ++k) {
    Workspace fresh(system);
    const VecX before = a.q;
    const StepReport report = step(system, with(GetParam()), 2e-3, a, kept);
    ASSERT_EQ(report.status, StepStatus::ok) << k;
    ASSERT_EQ(step(system, with(GetParam()), 2e-3, b, fresh).status, StepStatus::ok);
    ASSERT_EQ(a, b);
    ASSERT_LE(report.constraint_error, 1e-9);
    jump = std::max(jump, (a.q - before).lpNorm<Eigen::Infinity>());
  }
  EXPECT_GT(jump, 3) << "the ball's chart never moved";
}

INSTANTIATE_TEST_SUITE_P(EveryIntegrator, HyperReducedStep, ::testing::ValuesIn(all_integrators()),
                         [](const auto& i) { return test::test_name(i.param); });

/// The finger falls on the ground, its last joint between stops.
SystemBuilder& add_ground_and_stops(SystemBuilder& builder) {
  ContactSurface ground = test::slope_ground(0, 0, 0.3);
  ground.E_BS.p.y() = -0.05;
  const Pose tip = Pose::Translation(Vec3(0.02, 0, 0));
  return builder.add_limit(coordinate_limit("dip", DofIndex(2), -0.41, -0.39))
      .add_contact(ground)
      .add_contact(test::surface("tip", BodyIndex(2), Sphere{0.005}, 0.3, 0, tip));
}

class HyperReducedContact : public ::testing::TestWithParam<Integrator> {};
INSTANTIATE_TEST_SUITE_P(Both, HyperReducedContact,
                         ::testing::Values(Integrator::semi_implicit_euler,
                                           Integrator::linearly_implicit_euler),
                         [](const auto& i) { return test::test_name(i.param); });

TEST_P(HyperReducedContact, WithALimitOfADependentCoordinateIsThatOfTheCoupling) {
  SystemBuilder a(finger()), b(finger());
  a.map_coordinates({{DofIndex(2), kHalf, {"middle_joint_1"}}});
  b.add_constraint(shared(CoordinateCoupling::Function("dip", DofIndex(2), kHalf, {DofIndex(1)})));
  test::ContactRun reduced(add_ground_and_stops(a).build(), 1e-3, GetParam());
  test::ContactRun coupled(add_ground_and_stops(b).build(), 1e-3, GetParam());
  MapValues map(reduced.system.skeleton(), *reduced.system.coordinate_map());
  map.update(reduced.state.q, reduced.state.qdot);
  coupled.state.q = map.q;
  coupled.state.qdot = map.qdot;
  int at_stop = 0, on_ground = 0;
  for (int k = 0; k < 500; ++k) {
    reduced.step();
    coupled.step();
    map.update(reduced.state.q, reduced.state.qdot);
    // The coupling is linear: both are the same equations, solved to 1e-10 in the impulses.
    ASSERT_LT((map.q - coupled.state.q).norm(), 1e-8) << k;
    ASSERT_LT((map.qdot - coupled.state.qdot).norm(), 1e-6) << k;
    ASSERT_GE(map.q[2], -0.41 - 1e-9);
    ASSERT_LE(map.q[2], -0.39 + 1e-9);
    at_stop += map.q[2] < -0.41 + 1e-9 || map.q[2] > -0.39 - 1e-9;
    update_kinematics(reduced.system, reduced.state, reduced.ws);
    const Pose tip = body_pose(reduced.system.skeleton(), reduced.ws.skeleton, BodyIndex(2));
    const double gap = (tip * Vec3(0.02, 0, 0)).y() - 0.005 + 0.05;
    ASSERT_GE(gap, -1e-9);
    on_ground += gap < 1e-9;
  }
  EXPECT_GT(at_stop, 10);
  EXPECT_GT(on_ground, 10);
}

TEST(HyperReducedEnergy, StaysBoundedUnderTheVariationalRule) {
  const System system = reduced(kBent);
  Workspace ws(system);
  State state = system.default_state();
  const double E_0 = energy(system, {0, state.q, state.qdot}, ws).total();
  double early = 0, late = 0;
  for (int k = 0; k < 40000; ++k) {
    ASSERT_EQ(step(system, with(Integrator::variational), 5e-4, state, ws).status, StepStatus::ok);
    const double error = std::abs(energy(system, state, ws).total() - E_0);
    (k < 8000 ? early : late) = std::max(k < 8000 ? early : late, error);
  }
  // A drift would have grown fivefold.
  EXPECT_LT(late, 2 * early);
}

}  // namespace hyper_reduced_test
}  // namespace sinew

#include <gtest/gtest.h>

#include "integrate/constrained_systems.hpp"
#include "sinew/builder/system_builder.hpp"
#include "sinew/core/error.hpp"
#include "sinew/dynamics/aba.hpp"
#include "support/allocation_guard.hpp"
#include "support/constraint_examples.hpp"
#include "support/hybrid.hpp"

namespace sinew {
namespace constrained_step_test {

using test::shared;
using test::with;

/// Every kind of row at once, some of them redundant: a four-bar closed twice, driven, with a
/// geared flywheel and a bead on its coupler.
System everything() {
  const test::FourBar bar;
  const Skeleton linkage = bar.skeleton(0.7);
  const State pose = SystemBuilder(linkage).build().default_state();
  SkeletonBuilder skeleton = test::with_defaults(linkage, pose.q, pose.qdot);
  BodySpec wheel = test::bar("wheel", "", 0.1, 1, Revolute{Vec3::UnitZ()}, Vec3(0, -1, 0));
  skeleton.add_body(wheel);
  BodySpec bead = test::bar("bead", "", 0.05, 0.2, Translational{}, Vec3(0.5, 0.2, 0));
  skeleton.add_body(bead);
  BodySpec ball = test::bar("ball", "wheel", 0.1, 0.3, SphericalExp{}, Vec3(0.1, 0, 0));
  skeleton.add_body(ball);
  SystemBuilder builder(skeleton.build());
  const DofIndex wheel_dof(3);
  builder.add_constraint(shared(bar.closure()));
  builder.add_constraint(
      shared(Closure::Hinge("pivot again", BodyIndex(2), Vec3(bar.rocker, 0, 0), Vec3::UnitZ(),
                            kWorld, Vec3(bar.ground, 0, 0), Vec3::UnitZ())));
  builder.add_constraint(shared(CoordinateCoupling::Function(
      "cam", wheel_dof, PolynomialFunction{{0.1, -1.5, 0.2}}, {DofIndex(0)})));
  builder.add_constraint(shared(
      PointOnLine("bead", BodyIndex(1), Vec3::Zero(), Vec3::UnitX(), BodyIndex(4), Vec3::Zero())));
  builder.add_constraint(shared(PrescribedTwist(
      "ball", BodyIndex(5), Vec3::Zero(), ConstraintLevel::velocity,
      {PrescribedTwist::BodyRow(0, TimeFunction(ScalarFunction(SineFunction{1, 5, 0, 0})))})));
  builder.add_constraint(
      shared(PrescribedCoordinate("hold", DofIndex(8), ConstraintLevel::acceleration, 0.2)));
  return builder.build();
}

class ConstrainedStep : public ::testing::TestWithParam<Integrator> {};

TEST_P(ConstrainedStep, AllocatesNothingAfterTheFirst) {
  SINEW_NEEDS_ALLOCATION_COUNTS();
  const System system = everything();
  ASSERT_EQ(system.redundancies().size(), 1u);
  Workspace ws(system);
  State state = system.default_state();
  for (int k = 0; k < 3; ++k)
    ASSERT_EQ(step(system, with(GetParam()), 1e-3, state, ws).status, StepStatus::ok);
  const sinew::test::AllocationGuard guard;
  for (int k = 0; k < 20; ++k) step(system, with(GetParam()), 1e-3, state, ws);
  EXPECT_EQ(guard.count(), 0);
}

TEST_P(ConstrainedStep, DoesNotDependOnTheWorkspace) {
  const System system = everything();
  Workspace kept(system);
  State a = system.default_state(), b = a;
  for (int k = 0; k < 20; ++k) {
    Workspace fresh(system);
    ASSERT_EQ(step(system, with(GetParam()), 2e-3, a, kept).status, StepStatus::ok);
    ASSERT_EQ(step(system, with(GetParam()), 2e-3, b, fresh).status, StepStatus::ok);
    ASSERT_EQ(a, b);
  }
}

TEST_P(ConstrainedStep, LeavesTheStateOnFailure) {
  // A crank that is driven further than its coupler reaches.
  const test::FourBar bar{0.5, 0.6, 0.4, 0.9};
  SystemBuilder builder = bar.builder(0.4);
  builder.add_constraint(
      shared(PrescribedCoordinate("motor", DofIndex(0), ConstraintLevel::position,
                                  TimeFunction(ScalarFunction(PolynomialFunction{{0.4, 1.0}})))));
  const System system = builder.build();
  for (const bool projection : {true, false}) {
    Workspace ws(system);
    StepOptions options = with(GetParam());
    options.projection = projection;
    options.baumgarte = {5, 5, 5};
    State state = system.default_state();
    StepReport report;
    for (int k = 0; k < 400 && report.status == StepStatus::ok; ++k) {
      const State before = state;
      report = step(system, options, 0.01, state, ws);
      if (report.status != StepStatus::ok) {
        EXPECT_EQ(state.q, before.q);
        EXPECT_EQ(state.qdot, before.qdot);
      }
      ASSERT_TRUE(state.q.allFinite() && state.qdot.allFinite());
    }
    if (!projection) continue;  // it may swing through, pulled apart
    EXPECT_NE(report.status, StepStatus::ok);
    if (report.status == StepStatus::constraint_failed) {
      ASSERT_GE(report.worst_constraint, 0);
      const std::string& name =
          system.constraints()[static_cast<size_t>(report.worst_constraint)]->name();
      EXPECT_TRUE(name == "pivot" || name == "motor") << name;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(EveryIntegrator, ConstrainedStep, ::testing::ValuesIn(all_integrators()),
                         [](const auto& i) { return test::test_name(i.param); });

TEST(HybridDynamics, FindsTheTorquesOfTheRecursion) {
  // Wang et al. 2019 Algorithm 6 against rows on acceleration level.
  const System tree = test::smooth_system();
  SystemBuilder builder(tree.skeleton());
  builder.set_gravity(tree.gravity());
  for (const auto& force : tree.forces()) builder.add_force(force);
  const double a[] = {1.5, -0.7, 2.2};
  for (int k = 0; k < 3; ++k)
    builder.add_constraint(shared(PrescribedCoordinate("q" + std::to_string(k), DofIndex(k),
                                                       ConstraintLevel::acceleration, a[k])));
  const System system = builder.build();
  Workspace ws(system);
  const State state = system.default_state();
  VecX qddot(6), expected(6), tau = VecX::Zero(6);
  forward_dynamics(system, {0, state.q, state.qdot}, ws, qddot);
  const auto measured = measure_constraints(system, state, ws);
  update_forces(system, {0, state.q, state.qdot}, ws);
  expected << a[0], a[1], a[2], 0, 0, 0;
  hybrid_dynamics(system.skeleton(), system.gravity(), ws.forces,
                  {true, true, true, false, false, false}, state.qdot, ws.skeleton, expected, tau);
  EXPECT_LT((qddot - expected).norm(), 1e-12 * qddot.norm());
  for (size_t k = 0; k < 3; ++k)
    EXPECT_NEAR(measured[k][0].value, tau[static_cast<int>(k)], 1e-12 * tau.norm());
}

TEST(HybridDynamics, TorquesAndWrenchesRunForwardGiveTheSameMotion) {
  // The reactions, applied as forces to the same tree without constraints.
  const System tree = test::smooth_system();
  SystemBuilder builder(tree.skeleton());
  builder.set_gravity(tree.gravity());
  for (const auto& force : tree.forces()) builder.add_force(force);
  builder.add_constraint(
      shared(PrescribedCoordinate("knee", DofIndex(2), ConstraintLevel::position,
                                  TimeFunction(ScalarFunction(SineFunction{0.2, 3, 0, 0.7})))));
  builder.add_constraint(shared(
      PrescribedTwist("foot", BodyIndex(2), Vec3(0.1, 0, 0), ConstraintLevel::velocity,
                      {PrescribedTwist::BodyRow(1, 0.2), PrescribedTwist::WorldRow(3, 0.1)})));
  const System system = builder.build();
  Workspace ws(system), ws_tree(tree);
  const State state = system.default_state();
  VecX qddot(6), without(6);
  forward_dynamics(system, {0, state.q, state.qdot}, ws, qddot);
  const auto measured = measure_constraints(system, state, ws);
  Vec3 force, moment;
  for (size_t k = 0; k < 3; ++k) {
    force[static_cast<int>(k)] = measured[1][k].value;
    moment[static_cast<int>(k)] = measured[1][3 + k].value;
  }
  update_forces(tree, {0, state.q, state.qdot}, ws_tree);
  ws_tree.forces.tau[2] += measured[0][0].value;
  const int link = tree.skeleton().body(BodyIndex(2)).link.value;
  const Vec3 offset =
      point_offset(tree.skeleton(), ws_tree.skeleton, BodyIndex(2), Vec3(0.1, 0, 0));
  ws_tree.forces.add_force(link, offset, force);
  ws_tree.forces.wrench[static_cast<size_t>(link)].head<3>() += moment;
  forward_dynamics(tree.skeleton(), tree.gravity(), ws_tree.forces, ws_tree.skeleton, without);
  EXPECT_LT((qddot - without).norm(), 1e-12 * (1 + qddot.norm()));
}

TEST(Closure, ReportsTheForceThatHoldsIt) {
  // A rod on a hinge at one end, its other end held by a ball: half the weight on each.
  SystemBuilder builder(
      SkeletonBuilder()
          .add_body(test::bar("rod", "", 1, 2, Revolute{Vec3::UnitZ()}, Vec3::Zero()))
          .build());
  builder.add_constraint(shared(
      PointOnPlane("rest", kWorld, Vec3::Zero(), Vec3::UnitY(), BodyIndex(0), Vec3(1, 0, 0))));
  const System system = builder.build();
  Workspace ws(system);
  const State state = system.default_state();
  VecX qddot(1);
  forward_dynamics(system, {0, state.q, state.qdot}, ws, qddot);
  EXPECT_NEAR(qddot[0], 0, 1e-14);
  const double up = measure_constraints(system, state, ws)[0][0].value;
  EXPECT_NEAR(up, 9.80665, 1e-12);
}

/// The rest of g after one unprojected step of semi-implicit Euler and anticipate_drift.
double anticipated(const System& system, double h) {
  Workspace ws(system);
  State state = system.default_state();
  StepOptions options = with(Integrator::semi_implicit_euler);
  for (int k = 0; k < 100; ++k) step(system, options, 1e-3, state, ws);  // moving, on the manifold
  VecX qddot(system.dof_count());
  forward_dynamics(system, state, ws, qddot);
  VecX q = state.q + h * (state.qdot + h * qddot);
  const VecX raw = q;
  anticipate_drift(h, q, ws);
  const double left = constraint_violation(system, state.t + h, q, state.qdot, ws).error;
  EXPECT_LT(left, 0.1 * constraint_violation(system, state.t + h, raw, state.qdot, ws).error);
  return left;
}

TEST(Projection, AnticipatesDriftToThirdOrder) {
  const System loop = test::FourBar{}.builder(0.7).build();
  const double coarse = anticipated(loop, 2e-3), fine = anticipated(loop, 1e-3);
  EXPECT_NEAR(std::log2(coarse / fine), 3, 0.1);
}

TEST(Projection, ReportsWhatIsLeftWhereTheStepEndsAndLeavesNothingOfTheRates) {
  const System system = test::FourBar{}.builder(0.7).build();
  for (const double h : {1e-4, 1e-3}) {
    Workspace ws(system), other(system);
    State state = system.default_state();
    double largest = 0;
    for (int k = 0; k < 3000; ++k) {
      const StepReport report = step(system, with(Integrator::semi_implicit_euler), h, state, ws);
      ASSERT_EQ(report.status, StepStatus::ok);
      // Measured there, so the same to the bit.
      ASSERT_EQ(report.constraint_error,
                constraint_violation(system, state.t, state.q, state.qdot, other).error);
      largest = std::max(largest, report.constraint_error);
      update_kinematics(system, state, other);
      update_constraints(system, state, other);
      const VecX rates = other.constraints.rows.Gt().transpose() * state.qdot;
      // A few ε of sums over bars of 1.7 m.
      ASSERT_LT(rates.lpNorm<Eigen::Infinity>(), 1e-14 * state.qdot.norm());
    }
    EXPECT_LE(largest, 1e-11);  // the tolerance after an anticipated start; it does not add up
  }
}

TEST(Projection, SaysWhetherItMovedTheResult) {
  const test::FourBar bar;
  SystemBuilder builder(bar.skeleton(0.7));
  builder.add_constraint(shared(bar.closure()));
  const System system = builder.build();
  StepOptions options = with(Integrator::dopri5);
  for (const bool projection : {true, false}) {
    options.projection = projection;
    State state = system.default_state();
    Workspace ws(system);
    for (int k = 1; k <= 3; ++k) {
      const StepReport report = step(system, options, 1e-3, state, ws);
      ASSERT_EQ(report.status, StepStatus::ok);
      EXPECT_EQ(report.projected, projection);
      // The last stage is not that of a state that was moved.
      EXPECT_EQ(state.memory.steps, projection ? 0 : k);
    }
  }
}

TEST(Projection, LeavesASystemWithoutRowsAsItIs) {
  const System system = SystemBuilder(test::FourBar().skeleton(0.7)).build();
  Workspace ws(system);
  VecX q = VecX::LinSpaced(system.dof_count(), 0.1, 0.3), qdot = -q;
  const VecX q_before = q, qdot_before = qdot;
  for (const Directions directions : {Directions::none, Directions::borrowed}) {
    const ProjectionReport report = project(system, 0.2, q, qdot, directions, ws);
    EXPECT_TRUE(report.ok);
    EXPECT_FALSE(report.moved);
    EXPECT_EQ(report.error, 0);
    EXPECT_EQ(q, q_before);
    EXPECT_EQ(qdot, qdot_before);
  }
}

TEST(Stabilisation, WithoutProjectionDriftsAndBaumgarteHoldsTheDrift) {
  const System system = test::FourBar{}.builder(0.7).build();
  const auto drift = [&](bool projection, const Baumgarte& baumgarte) {
    Workspace ws(system);
    StepOptions options = with(Integrator::semi_implicit_euler);
    options.projection = projection;
    options.baumgarte = baumgarte;
    State state = system.default_state();
    StepReport report;
    for (int k = 0; k < 2000; ++k) report = step(system, options, 1e-3, state, ws);
    return report.constraint_error;
  };
  const double loose = drift(false, {}), held = drift(false, {20, 20, 0});
  EXPECT_GT(loose, 1e-3);
  EXPECT_LT(held, loose / 10);
  EXPECT_LT(drift(true, {}), 1e-12);
}

}  // namespace constrained_step_test
}  // namespace sinew

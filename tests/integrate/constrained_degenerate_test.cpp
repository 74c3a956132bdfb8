#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "integrate/constrained_systems.hpp"
#include "sinew/builder/system_builder.hpp"
#include "sinew/core/error.hpp"

namespace sinew {
namespace constrained_degenerate_test {

using test::shared;
using test::with;

std::string build_error(const SystemBuilder& builder) {
  try {
    builder.build();
  } catch (const Error& e) {
    return e.what();
  }
  return "built";
}

PrescribedCoordinate position(const std::string& name, int dof, double value) {
  return {name, DofIndex(dof), ConstraintLevel::position, value};
}

TEST(Redundancy, IsNamedAndChangesNoMotion) {
  const test::FourBar bar;
  SystemBuilder once = bar.builder(0.7), twice = bar.builder(0.7);
  twice.add_constraint(shared(Closure::Ball("pivot again", kWorld, Vec3(bar.ground, 0, 0),
                                            BodyIndex(2), Vec3(bar.rocker, 0, 0))));
  const System a = once.build(), b = twice.build();
  EXPECT_TRUE(a.redundancies().empty());
  ASSERT_EQ(b.redundancies().size(), 1u);
  EXPECT_THAT(b.redundancies()[0], testing::HasSubstr("'pivot again'"));
  for (const Integrator integrator : all_integrators()) {
    Workspace ws_a(a), ws_b(b);
    State x = a.default_state(), y = b.default_state();
    test::run(a, with(integrator), 2e-3, 200, x, ws_a);
    test::run(b, with(integrator), 2e-3, 200, y, ws_b);
    if (integrator == Integrator::dopri5) continue;  // its steps differ
    // The least-squares path loses a few digits more per step than the direct one.
    EXPECT_LT(test::distance(x, y), 1e-9) << to_string(integrator);
  }
  // The load is shared equally: the shortest multipliers.
  Workspace ws(b);
  const State state = b.default_state();
  VecX qddot(3);
  forward_dynamics(b, {0, state.q, state.qdot}, ws, qddot);
  const VecX& lambda = ws.constraints.lambda;
  EXPECT_NEAR(lambda[0], lambda[2], 1e-12 * lambda.norm());
  EXPECT_NEAR(lambda[1], lambda[3], 1e-12 * lambda.norm());
}

TEST(Redundancy, OfASecondParallelCrankHoldsOnTheManifoldOnly) {
  // A parallelogram with a third crank: three rows more than a plane needs anywhere but on it.
  const Revolute z{Vec3::UnitZ()};
  BodySpec a = test::bar("a", "", 0.3, 0.4, z, Vec3::Zero());
  a.q0 = {1.0};
  BodySpec top = test::bar("top", "a", 0.8, 0.7, z, Vec3(0.3, 0, 0));
  top.q0 = {-1.0};
  BodySpec b = test::bar("b", "", 0.3, 0.4, z, Vec3(0.4, 0, 0));
  b.q0 = {1.0};
  BodySpec c = test::bar("c", "", 0.3, 0.4, z, Vec3(0.8, 0, 0));
  c.q0 = {1.0};
  SystemBuilder builder(
      SkeletonBuilder().add_body(a).add_body(top).add_body(b).add_body(c).build());
  builder.add_constraint(
      shared(Closure::Hinge("b on top", BodyIndex(2), Vec3(0.3, 0, 0), Vec3::UnitZ(), BodyIndex(1),
                            Vec3(0.4, 0, 0), Vec3::UnitZ())));
  builder.add_constraint(
      shared(Closure::Hinge("c on top", BodyIndex(3), Vec3(0.3, 0, 0), Vec3::UnitZ(), BodyIndex(1),
                            Vec3(0.8, 0, 0), Vec3::UnitZ())));
  const System system = builder.build();
  ASSERT_EQ(system.redundancies().size(), 1u);
  EXPECT_THAT(system.redundancies()[0], testing::HasSubstr("'c on top'"));
  for (const Integrator integrator : all_integrators()) {
    Workspace ws(system);
    State state = system.default_state();
    for (int k = 0; k < 300; ++k) {
      const StepReport report = step(system, with(integrator), 2e-3, state, ws);
      ASSERT_EQ(report.status, StepStatus::ok) << to_string(integrator) << " step " << k;
      ASSERT_LE(report.constraint_error, 1e-9);
    }
    // Still a parallelogram.
    EXPECT_NEAR(state.q[0], state.q[2], 1e-9) << to_string(integrator);
    EXPECT_NEAR(state.q[0] + state.q[1], 0, 1e-9) << to_string(integrator);
  }
}

TEST(Conflict, OfPositionsIsRefusedByName) {
  SystemBuilder builder(test::pendulum_skeleton(2));
  builder.add_constraint(shared(position("here", 0, 0.5)));
  builder.add_constraint(shared(position("there", 0, 0.7)));
  const std::string message = build_error(builder);
  EXPECT_THAT(message, testing::AnyOf(testing::HasSubstr("'here'"), testing::HasSubstr("'there'")));
  EXPECT_THAT(message, testing::HasSubstr("cannot be satisfied"));
}

TEST(Conflict, OutOfReachIsRefusedByName) {
  // Two links of 0.2 m from the origin cannot reach 0.6 m.
  SystemBuilder builder(test::pendulum_skeleton(2));
  builder.add_constraint(
      shared(Closure::Ball("far", kWorld, Vec3(0.6, 0, 0), BodyIndex(1), Vec3(0, 0, -0.2))));
  EXPECT_THAT(build_error(builder), testing::HasSubstr("constraint 'far': cannot be satisfied"));
}

TEST(Conflict, OfVelocitiesIsRefusedByName) {
  SystemBuilder builder(test::pendulum_skeleton(2));
  for (const double v : {1.0, 2.0})
    builder.add_constraint(shared(PrescribedCoordinate(
        "rate " + std::to_string(static_cast<int>(v)), DofIndex(0), ConstraintLevel::velocity, v)));
  EXPECT_THAT(build_error(builder), testing::HasSubstr("velocity that contradicts"));
}

TEST(Conflict, OfAccelerationsIsRefusedByName) {
  SystemBuilder builder(test::pendulum_skeleton(2));
  for (const double a : {1.0, 2.0})
    builder.add_constraint(shared(PrescribedCoordinate(
        "a" + std::to_string(static_cast<int>(a)), DofIndex(0), ConstraintLevel::acceleration, a)));
  EXPECT_THAT(build_error(builder), testing::HasSubstr("acceleration that contradicts"));
}

TEST(Conflict, ThatComesWithTimeStopsTheRunByName) {
  // Two motions of one coordinate that part at t = 0.1 s.
  for (const ConstraintLevel level :
       {ConstraintLevel::position, ConstraintLevel::velocity, ConstraintLevel::acceleration}) {
    SystemBuilder builder(test::pendulum_skeleton(2));
    builder.add_constraint(shared(PrescribedCoordinate("still", DofIndex(0), level, 0.0)));
    builder.add_constraint(shared(PrescribedCoordinate(
        "parting", DofIndex(0), level,
        TimeFunction::Table({0, 0.1, 0.2}, {0, 0, 1}, TimeFunction::Interpolation::linear, "x"))));
    const System system = builder.build();
    ASSERT_EQ(system.redundancies().size(), 1u);
    for (const Integrator integrator : all_integrators())
      for (const bool projection : {true, false}) {
        Workspace ws(system);
        StepOptions options = with(integrator);
        options.projection = projection;
        State state = system.default_state();
        StepReport report;
        while (state.t < 0.2 - 1e-9 && report.status == StepStatus::ok)
          report = step(system, options, 0.01, state, ws);
        const std::string which = to_string(integrator) + ' ' +
                                  std::to_string(static_cast<int>(level)) +
                                  (projection ? " projected" : "");
        // A bend of a prescribed position is not an acceleration: without projection explicit
        // methods do not notice, but the violation is reported.
        if (!projection && level == ConstraintLevel::position && report.status == StepStatus::ok) {
          EXPECT_GT(report.constraint_error, 0.1) << which;
          continue;
        }
        ASSERT_EQ(report.status, StepStatus::constraint_failed) << which;
        // The step that ends at 0.1 s already sees the rate from there on.
        EXPECT_GE(state.t, 0.09 - 1e-9) << which;
        EXPECT_GE(report.worst_constraint, 0) << which;
      }
  }
}

TEST(Assembly, FindsTheNearestStateFromAfar) {
  const test::FourBar bar;
  SkeletonBuilder skeleton;
  SystemBuilder builder(bar.skeleton(0.7));
  // The closure 0.1 m off, and an initial velocity against it.
  builder.add_constraint(shared(Closure::Ball("pivot", kWorld, Vec3(bar.ground + 0.1, 0.05, 0),
                                              BodyIndex(2), Vec3(bar.rocker, 0, 0))));
  const System system = builder.build();
  Workspace ws(system);
  const State state = system.default_state();
  EXPECT_LE(constraint_violation(system, 0, state.q, state.qdot, ws).error, 1e-12);
  EXPECT_NE(state.q, system.described_state().q);
}

TEST(DeadCentre, IsPassedWithoutHarm) {
  // A parallelogram linkage that folds flat: rank is lost where all bars line up.
  const test::FourBar bar{0.3, 0.9, 0.3, 0.9};
  SystemBuilder builder(bar.skeleton(0.7));
  builder.add_constraint(shared(bar.closure()));
  const System system = builder.build();
  for (const Integrator integrator : all_integrators()) {
    Workspace ws(system);
    State state = system.default_state();
    // Fall through the lowest point of the crank, and up to the flat pose and on.
    state.qdot[0] = -8;
    ASSERT_TRUE(project(system, 0, state.q, state.qdot, Directions::none, ws).ok);
    for (int k = 0; k < 1000; ++k) {
      const StepReport report = step(system, with(integrator), 1e-3, state, ws);
      ASSERT_TRUE(state.q.allFinite() && state.qdot.allFinite());
      ASSERT_TRUE(
          report.status == StepStatus::ok || report.status == StepStatus::constraint_failed ||
          report.status == StepStatus::newton_failed || report.status == StepStatus::step_underflow)
          << to_string(integrator) << ' ' << to_string(report.status);
      if (report.status != StepStatus::ok) break;
      ASSERT_LE(report.constraint_error, 1e-9);
    }
  }
}

TEST(ConstraintErrors, NameTheElement) {
  const auto refused = [](auto constraint) {
    SystemBuilder builder(test::pendulum_skeleton(2));
    builder.add_constraint(shared(std::move(constraint)));
    return build_error(builder);
  };
  const BodyIndex a(0), b(1);
  const Vec3 o = Vec3::Zero();
  EXPECT_THAT(refused(Closure::Ball("x", a, o, a, o)),
              testing::HasSubstr("'x': connects a body to itself"));
  EXPECT_THAT(refused(Closure::Ball("x", a, o, BodyIndex(7), o)), testing::HasSubstr("'x'"));
  EXPECT_THAT(refused(Closure::Hinge("x", a, o, o, b, o, Vec3::UnitX())),
              testing::HasSubstr("'x'"));
  EXPECT_THAT(refused(ConstantDistance("x", a, o, b, o, 0)),
              testing::HasSubstr("'x': has a length"));
  EXPECT_THAT(refused(PointOnLine("x", a, o, o, b, o)), testing::HasSubstr("'x'"));
  EXPECT_THAT(refused(PointOnPlane("x", a, o, o, b, o)), testing::HasSubstr("'x'"));
  EXPECT_THAT(refused(position("x", 5, 0)), testing::HasSubstr("'x'"));
  EXPECT_THAT(refused(position("x", 0, std::nan(""))), testing::HasSubstr("'x'"));
  EXPECT_THAT(refused(CoordinateCoupling("x", {})), testing::HasSubstr("'x': names no coordinate"));
  EXPECT_THAT(refused(CoordinateCoupling::Function("x", DofIndex(0), PolynomialFunction{{1, 2}},
                                                   {DofIndex(0), DofIndex(1)})),
              testing::HasSubstr("'x'"));
  EXPECT_THAT(refused(PrescribedTwist("x", kWorld, o, ConstraintLevel::velocity,
                                      {PrescribedTwist::BodyRow(0, 0.0)})),
              testing::HasSubstr("'x': is on a body that cannot move"));
  EXPECT_THAT(refused(PrescribedTwist("x", a, o, ConstraintLevel::position,
                                      {PrescribedTwist::BodyRow(0, 0.0)})),
              testing::HasSubstr("'x'"));
  SystemBuilder builder(test::pendulum_skeleton(2));
  builder.add_constraint(shared(position("x", 0, 1.5)));
  builder.add_constraint(shared(position("x", 1, 1)));
  EXPECT_THAT(build_error(builder), testing::HasSubstr("'x': is defined twice"));
}

}  // namespace constrained_degenerate_test
}  // namespace sinew

#include <gtest/gtest.h>

#include "integrate/constrained_systems.hpp"
#include "sinew/builder/system_builder.hpp"

namespace sinew {
namespace constrained_mechanisms_test {

using test::shared;
using test::with;

class Mechanism : public testing::TestWithParam<Integrator> {
 protected:
  /// Steps of h to `until`; expects success and a residual of at most 1e-9 after each, the promise
  /// of the projection. Returns the largest residual of the last tenth over that of the first.
  void run(const System& system, double h, double until,
           const std::function<void(const State&)>& check = {}) {
    Workspace ws(system);
    StepOptions options = with(GetParam());
    options.relative_tolerance = 1e-9;
    State state = system.default_state();
    double first = 0, last = 0;
    while (state.t < until - 1e-9) {
      const StepReport report = step(system, options, h, state, ws);
      ASSERT_EQ(report.status, StepStatus::ok) << "at t = " << state.t;
      ASSERT_LE(report.constraint_error, 1e-9) << "at t = " << state.t;
      const double error = constraint_violation(system, state.t, state.q, state.qdot, ws).error;
      ASSERT_LE(error, 1e-9);
      double& part = state.t < 0.1 * until ? first : last;
      part = std::max(part, error);
      if (check) check(state);
      if (HasFatalFailure()) return;
    }
    // No drift: the residual is that of the projection after any single step.
    EXPECT_LT(last, 1e-11) << first;
  }
};

TEST_P(Mechanism, FourBarFollowsTheAnalyticAngles) {
  const test::FourBar bar;
  const System system = bar.builder().build();
  ASSERT_TRUE(system.redundancies().empty());
  // Only the assembly mode matters: 1e-9 of residual can move an angle by 1e-9 over the sine of the
  // angle between coupler and rocker, here above 0.1.
  run(system, 2e-3, 10, [&](const State& state) {
    const Vec3 q = bar.angles(state.q[0]);
    for (int k = 1; k < 3; ++k)
      ASSERT_NEAR(std::remainder(state.q[k] - q[k], 2 * std::numbers::pi), 0, 1e-8) << state.t;
  });
}

TEST_P(Mechanism, FourBarDrivenAtConstantRateFollowsToo) {
  const test::FourBar bar;
  SystemBuilder builder = bar.builder(0.7);
  builder.add_constraint(
      shared(PrescribedCoordinate("motor", DofIndex(0), ConstraintLevel::position,
                                  TimeFunction(ScalarFunction(PolynomialFunction{{0.7, 3.0}})))));
  const System system = builder.build();
  run(system, 5e-3, 4, [&](const State& state) {
    ASSERT_NEAR(state.q[0], 0.7 + 3 * state.t, 1e-11);
    ASSERT_NEAR(state.qdot[0], 3, 1e-10);
    const Vec3 q = bar.angles(state.q[0]);
    for (int k = 1; k < 3; ++k)
      ASSERT_NEAR(std::remainder(state.q[k] - q[k], 2 * std::numbers::pi), 0, 1e-8) << state.t;
  });
}

TEST_P(Mechanism, SliderCrankFollowsTheAnalyticStroke) {
  const double r = 0.2, l = 0.7;
  const Revolute z{Vec3::UnitZ()};
  BodySpec crank = test::bar("crank", "", r, 0.5, z, Vec3::Zero());
  crank.q0 = {0.4};
  crank.qdot0 = {5};
  BodySpec rod = test::bar("rod", "crank", l, 0.6, z, Vec3(r, 0, 0));
  rod.q0 = {-0.4 - std::asin(r * std::sin(0.4) / l)};
  BodySpec piston;
  piston.name = "piston";
  piston.joint = Prismatic{Vec3::UnitX()};
  piston.M_B = SpatialInertia::FromCentral(0.8, Vec3::Zero(), Vec3(1, 1, 1).asDiagonal() * 1e-3);
  piston.q0 = {r * std::cos(0.4) + std::sqrt(l * l - std::pow(r * std::sin(0.4), 2))};
  SystemBuilder builder(SkeletonBuilder().add_body(crank).add_body(rod).add_body(piston).build());
  builder.add_constraint(
      shared(Closure::Ball("pin", BodyIndex(1), Vec3(l, 0, 0), BodyIndex(2), Vec3::Zero())));
  const System system = builder.build();
  ASSERT_EQ(system.constraints()[0]->rows(), 2);
  run(system, 2e-3, 10, [&](const State& state) {
    const double theta = state.q[0];
    const double x = r * std::cos(theta) + std::sqrt(l * l - std::pow(r * std::sin(theta), 2));
    ASSERT_NEAR(state.q[2], x, 1e-9);
  });
}

TEST_P(Mechanism, SpatialLoopStaysClosed) { run(test::smooth_loop(), 5e-3, 5); }

INSTANTIATE_TEST_SUITE_P(EveryIntegrator, Mechanism, testing::ValuesIn(all_integrators()),
                         [](const auto& i) { return test::test_name(i.param); });

TEST(GearTrain, AcceleratesAsItsReflectedInertia) {
  // Three shafts with ratios −2 and −3 in turn: a torque τ on the first moves
  // I₁ + 4 I₂ + 36 I₃.
  SkeletonBuilder skeleton;
  const double I[] = {0.5, 0.2, 0.1};
  for (int i = 0; i < 3; ++i) {
    BodySpec spec;
    spec.name = "shaft" + std::to_string(i);
    spec.joint = Revolute{Vec3::UnitZ()};
    spec.M_B = SpatialInertia::FromCentral(1, Vec3::Zero(), Vec3(I[i], I[i], I[i]).asDiagonal());
    skeleton.add_body(spec);
  }
  SystemBuilder builder(skeleton.build());
  const double torque = 1.7;
  builder.add_force(std::make_shared<JointTorque>("motor", DofIndex(0),
                                                  TimeTable::Constant(VecX::Constant(1, torque))));
  builder.add_constraint(shared(CoordinateCoupling::Gear("first", DofIndex(0), DofIndex(1), -2)));
  builder.add_constraint(shared(CoordinateCoupling::Gear("second", DofIndex(1), DofIndex(2), -3)));
  const System system = builder.build();
  Workspace ws(system);
  const double alpha = torque / (I[0] + 4 * I[1] + 36 * I[2]);
  for (const Integrator integrator : all_integrators()) {
    State state = system.default_state();
    test::run(system, with(integrator), 0.01, 10, state, ws);
    // Constant accelerations: every method has the velocity exactly.
    const double speed = alpha * state.t;
    EXPECT_NEAR(state.qdot[0], speed, 1e-12) << to_string(integrator);
    EXPECT_NEAR(state.qdot[1], -2 * speed, 1e-12) << to_string(integrator);
    EXPECT_NEAR(state.qdot[2], 6 * speed, 1e-12) << to_string(integrator);
  }
  // The first gear passes on the torque that the shafts behind it need.
  State state = system.default_state();
  VecX qddot(3);
  forward_dynamics(system, {0, state.q, state.qdot}, ws, qddot);
  const auto measured = measure_constraints(system, state, ws);
  ASSERT_EQ(measured[1][0].name, "force");
  EXPECT_NEAR(measured[1][0].value, I[2] * 6 * alpha, 1e-12);
  // And the second shaft gets its own share from the first gear, less what it hands on: −3 times
  // that.
  EXPECT_NEAR(measured[0][0].value, I[1] * -2 * alpha - 3 * measured[1][0].value, 1e-12);
}

/// The second link of a double pendulum on its joint, or as a free body that a closure holds.
TEST(Closure, OfAFreeBodyMovesAsTheJointWould) {
  const Vec3 axis = Vec3(0.1, 0.2, 1).normalized();
  const Mat3 turn = Eigen::AngleAxisd(0.4, Vec3(1, 1, 0).normalized()).toRotationMatrix();
  struct Case {
    const char* name;
    Joint joint;
    Closure closure;
  };
  const Vec3 tip(0.5, 0, 0);
  const Case cases[] = {
      {"ball", SphericalExp{}, Closure::Ball("c", BodyIndex(0), tip, BodyIndex(1), Vec3::Zero())},
      {"hinge", Revolute{axis},
       Closure::Hinge("c", BodyIndex(0), tip, turn * axis, BodyIndex(1), Vec3::Zero(), axis)},
      {"weld", Fixed{}, Closure::Weld("c", BodyIndex(0), {turn, tip}, BodyIndex(1), Pose{})}};
  for (const Case& c : cases) {
    BodySpec first = test::bar("first", "", 0.5, 1, Universal{}, Vec3::Zero());
    first.q0 = {0.3, -0.2};
    first.qdot0 = {1, 2};
    BodySpec second = test::bar("second", "first", 0.4, 0.7, c.joint, tip);
    second.E_PJ.R = turn;
    const System joined =
        SystemBuilder(SkeletonBuilder().add_body(first).add_body(second).build()).build();

    BodySpec free =
        test::bar("second", "", 0.4, 0.7, Free3D(Free3D::Order::translation_first), Vec3::Zero());
    Workspace ws_joined(joined);
    State a = joined.default_state();
    update_kinematics(joined.skeleton(), a.q, a.qdot, ws_joined.skeleton);
    const Pose E = body_pose(joined.skeleton(), ws_joined.skeleton, BodyIndex(1));
    const Vec6 phi = body_twist(joined.skeleton(), ws_joined.skeleton, BodyIndex(1));
    const Eigen::AngleAxisd r(E.R);
    const Vec3 rotation = r.angle() * r.axis();
    free.q0 = {E.p[0], E.p[1], E.p[2], rotation[0], rotation[1], rotation[2]};
    // Any rates near: the build projects them; the joined system starts from what that gives.
    const Vec3 v = E.R * phi.tail<3>();
    free.qdot0 = {v[0], v[1], v[2], 0, 0, 0};
    SystemBuilder builder(SkeletonBuilder().add_body(first).add_body(free).build());
    builder.add_constraint(shared(c.closure));
    const System held = builder.build();
    ASSERT_TRUE(held.redundancies().empty()) << c.name;
    Workspace ws(held);
    State b = held.default_state();

    // The same initial twist, by least squares on the joined system's Jacobian: the first body's
    // rates, and the relative twist along the joint's axes.
    update_kinematics(held.skeleton(), b.q, b.qdot, ws.skeleton);
    const Vec6 phi_held = body_twist(held.skeleton(), ws.skeleton, BodyIndex(1));
    a.qdot.head(2) = b.qdot.head(2);
    if (joined.dof_count() > 2) {
      MatX columns(6, joined.dof_count() - 2);
      VecX rates = a.qdot;
      rates.tail(columns.cols()).setZero();
      update_kinematics(joined.skeleton(), a.q, rates, ws_joined.skeleton);
      const Vec6 carried = body_twist(joined.skeleton(), ws_joined.skeleton, BodyIndex(1));
      for (int k = 0; k < columns.cols(); ++k) {
        VecX unit = VecX::Unit(joined.dof_count(), 2 + k);
        update_kinematics(joined.skeleton(), a.q, unit, ws_joined.skeleton);
        columns.col(k) = body_twist(joined.skeleton(), ws_joined.skeleton, BodyIndex(1));
      }
      a.qdot.tail(columns.cols()) = columns.colPivHouseholderQr().solve(phi_held - carried);
    }

    StepOptions options = with(Integrator::dopri5);
    options.relative_tolerance = 1e-11;
    options.absolute_tolerance = 1e-13;
    while (a.t < 1) ASSERT_EQ(step(joined, options, 1 - a.t, a, ws_joined).status, StepStatus::ok);
    while (b.t < 1) ASSERT_EQ(step(held, options, 1 - b.t, b, ws).status, StepStatus::ok);
    update_kinematics(joined.skeleton(), a.q, a.qdot, ws_joined.skeleton);
    update_kinematics(held.skeleton(), b.q, b.qdot, ws.skeleton);
    for (const BodyIndex body : {BodyIndex(0), BodyIndex(1)}) {
      const Pose E_a = body_pose(joined.skeleton(), ws_joined.skeleton, body);
      const Pose E_b = body_pose(held.skeleton(), ws.skeleton, body);
      // Two runs at 1e-11 per step of about a hundred.
      EXPECT_LT((E_a.p - E_b.p).norm() + (E_a.R - E_b.R).norm(), 1e-8) << c.name;
    }
  }
}

}  // namespace constrained_mechanisms_test
}  // namespace sinew

#include "sinew/analysis/audit.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <numbers>

#include "sinew/builder/system_builder.hpp"
#include "sinew/dynamics/coordinate_drive.hpp"
#include "sinew/dynamics/forces.hpp"
#include "sinew/muscles/path/muscle.hpp"
#include "support/audited_run.hpp"

namespace sinew {
namespace audit_test {

/// A rod of 1 kg and 1 m on a hinge about z; it hangs at q = −π/2.
System pendulum(double q0, std::shared_ptr<const Force> force = nullptr) {
  BodySpec rod;
  rod.name = "rod";
  rod.joint = Revolute(Vec3::UnitZ());
  rod.E_JB = Pose::Translation({0.5, 0, 0});
  rod.M_B = SpatialInertia::FromCentral(1, Vec3::Zero(), Mat3::Identity() / 12);
  rod.q0 = {q0};
  SystemBuilder system(SkeletonBuilder().add_body(rod).build());
  if (force != nullptr) system.add_force(std::move(force));
  return system.build();
}

TEST(Audit, PassesAnAccurateRun) {
  const AuditReport report = test::audited_run(
      pendulum(0), {.step = {.integrator = Integrator::rk4}, .dt = 0.01, .until = 2});
  EXPECT_TRUE(report.passed) << report.verdict;
  // Fourth order: (g/l)² h⁴ ≈ 1e-6 per swing, and not zero: it was measured.
  EXPECT_LT(report.energy_error, 1e-5);
  EXPECT_GT(report.energy_error, 1e-12);
}

TEST(Audit, FailsAJudgedRunThatLosesItsEnergy) {
  const AuditReport report = test::audited_run(
      pendulum(0), {.step = {.integrator = Integrator::rk4}, .dt = 0.25, .until = 5});
  EXPECT_GT(report.energy_error, 1e-3);
  EXPECT_FALSE(report.passed);
  EXPECT_NE(report.verdict.find("energy error"), std::string::npos);
}

TEST(Audit, ReportsDissipativeIntegratorsWithoutJudgement) {
  const AuditReport report = test::audited_run(
      pendulum(0), {.step = {.integrator = Integrator::bdf1}, .dt = 0.02, .until = 2});
  EXPECT_GT(report.energy_error, 1e-2);
  EXPECT_TRUE(report.passed) << report.verdict;
}

TEST(Audit, FailsEveryIntegratorThatGainsEnergy) {
  const System system = pendulum(0);
  State state = system.default_state();
  Workspace ws(system);
  Audit audit(system, {.integrator = Integrator::linearly_implicit_euler}, state, ws);
  // It falls by 0.25 m, as it may, and then steps set it in motion: by a little, then by more.
  const auto turn = [&](double q, double qdot) {
    state.q[0] = q;
    state.qdot[0] = qdot;
    audit.add_step(state, {}, ws);
  };
  const double weight = 9.80665, fall = 0.25;
  turn(-std::numbers::pi / 6, std::sqrt(6 * weight * fall));  // T = q̇²/6
  EXPECT_NEAR(audit.report().energy_gain, 0, 1e-12);
  turn(0, std::sqrt(6 * 0.09 * weight * fall));
  EXPECT_NEAR(audit.report().energy_gain, 0.09, 1e-12);
  EXPECT_TRUE(audit.report().passed) << audit.report().verdict;
  turn(0, std::sqrt(6 * 0.11 * weight * fall));
  EXPECT_NEAR(audit.report().energy_gain, 0.11, 1e-12);
  EXPECT_FALSE(audit.report().passed);
  EXPECT_NE(audit.report().verdict.find("from nowhere"), std::string::npos);
  EXPECT_NE(audit.report().remedy.find("shorter step"), std::string::npos);
}

TEST(Audit, RunsMayAcceptMoreAndMethodsOfSecondOrderLess) {
  const System system = pendulum(0);
  const auto verdict = [&](Integrator integrator, double gain, double accepted) {
    State state = system.default_state();
    Workspace ws(system);
    Audit audit(system, {.integrator = integrator}, state, ws, accepted);
    const double weight = 9.80665, fall = 0.25;
    state.q[0] = -std::numbers::pi / 6;
    state.qdot[0] = std::sqrt(6 * (1 + gain) * weight * fall);
    audit.add_step(state, {}, ws);
    EXPECT_NEAR(audit.report().energy_gain, gain, 1e-12);
    return audit.report().passed;
  };
  for (const Integrator integrator : {Integrator::sdirk2, Integrator::bdf2}) {
    EXPECT_TRUE(verdict(integrator, 0.04, 0));
    EXPECT_FALSE(verdict(integrator, 0.06, 0));
    EXPECT_FALSE(verdict(integrator, 0.16, 0));
    EXPECT_TRUE(verdict(integrator, 0.16, 0.2));
  }
}

TEST(Audit, WorkOfAConstantTorqueIsNotEnergyFromNowhere) {
  // Nothing but a torque, and one step from rest: its power is zero at the start of the step, and
  // methods of first order know no other.
  BodySpec rod;
  rod.name = "rod";
  rod.joint = Revolute(Vec3::UnitZ());
  rod.M_B = SpatialInertia::FromCentral(1, Vec3::Zero(), Mat3::Identity());
  const System system =
      SystemBuilder(SkeletonBuilder().add_body(rod).build())
          .set_gravity(Vec3::Zero())
          .add_force(std::make_shared<CoordinateDrive>(
              "torque", DofIndex(0), 2.0, TimeFunction(1.0), CoordinateDrive::Range{-1, 1}))
          .build();
  for (const Integrator integrator :
       {Integrator::semi_implicit_euler, Integrator::linearly_implicit_euler, Integrator::bdf1}) {
    const AuditReport report =
        test::audited_run(system, {.step = {.integrator = integrator}, .dt = 0.1, .until = 0.1});
    EXPECT_NEAR(report.energy_gain, 0, 1e-14) << to_string(integrator);
    EXPECT_TRUE(report.passed) << report.verdict;
  }
}

TEST(Audit, CountsTheWorkOfDampersAndTorques) {
  // The damper takes most of the energy; only the integrator's error is left unexplained.
  const System system = pendulum(0, std::make_shared<JointSpring>("d", DofIndex(0), 0.0, 0.5, 0.0));
  State state = system.default_state();
  Workspace ws(system);
  Audit audit(system, {.integrator = Integrator::rk4}, state, ws);
  simulate(system, {.step = {.integrator = Integrator::rk4}, .dt = 0.005, .until = 3}, state, ws,
           {.on_step = [&](const State& s, const StepReport& r) { audit.add_step(s, r, ws); },
            .on_output = {},
            .stop = nullptr});
  EXPECT_LT(audit.work(), -2);
  EXPECT_TRUE(audit.report().passed) << audit.report().energy_error;
}

TEST(Audit, CountsTheWorkOfMusclesWithMassWithBothEulerMethods) {
  const System bare = pendulum(0);
  Muscle muscle;
  muscle.name = "m";
  muscle.mass = 0.2;
  muscle.tension = 60.0;
  muscle.points = {PathPoint::Fixed(kWorld, Vec3(-0.1, 0.3, 0)),
                   PathPoint::Fixed(BodyIndex(0), Vec3(-0.2, 0.02, 0))};
  SystemBuilder builder(bare.skeleton());
  const System system = builder.add_muscle(muscle).build();
  for (const Integrator integrator :
       {Integrator::semi_implicit_euler, Integrator::linearly_implicit_euler}) {
    State state = system.default_state();
    Workspace ws(system);
    Audit audit(system, {.integrator = integrator}, state, ws);
    simulate(system, {.step = {.integrator = integrator}, .dt = 1e-4, .until = 0.2}, state, ws,
             {.on_step = [&](const State& s, const StepReport& r) { audit.add_step(s, r, ws); },
              .on_output = {},
              .stop = nullptr});
    EXPECT_GT(audit.work(), 0.5) << to_string(integrator);
    // First order: 1e-4 s of 0.2 s.
    EXPECT_LT(audit.report().energy_error, 5e-3) << to_string(integrator);
  }
}

TEST(Audit, FindsNoErrorInABodyThatHangsStill) {
  const double kHanging = -1.5707963267948966;
  const AuditReport report = test::audited_run(
      pendulum(kHanging), {.step = {.integrator = Integrator::rk4}, .dt = 0.01, .until = 1});
  EXPECT_EQ(report.energy_error, 0);
  EXPECT_TRUE(report.passed);
}

TEST(Audit, DividesByTheLargestKineticEnergy) {
  const System system = pendulum(0);
  Workspace ws(system);
  State state = system.default_state();
  Audit audit(system, {.integrator = Integrator::variational}, state, ws);
  state.qdot[0] = 3;  // kinetic energy ½ (1/12 + 1/4) 9 = 1.5 J out of nowhere
  StepReport report;
  report.work = 0.75;
  audit.add_step(state, report, ws);
  EXPECT_NEAR(audit.report().energy_error, 0.5, 1e-14);
}

TEST(Audit, FailsForResiduesForWhatIsNotFiniteAndForAFailedStep) {
  const System system = pendulum(0);
  Workspace ws(system);
  const State state = system.default_state();
  StepReport report;
  {
    Audit audit(system, {.integrator = Integrator::bdf2}, state, ws);
    report.newton_residual = 1e-6;
    audit.add_step(state, report, ws);
    EXPECT_FALSE(audit.report().passed);
    EXPECT_EQ(audit.report().newton_residual, 1e-6);
  }
  {
    Audit audit(system, {.integrator = Integrator::bdf2}, state, ws);
    report.newton_residual = 0;
    report.work = std::numeric_limits<double>::quiet_NaN();
    audit.add_step(state, report, ws);
    report.work = 0;
    audit.add_step(state, report, ws);
    EXPECT_FALSE(audit.report().passed);
  }
  {
    Audit audit(system, {.integrator = Integrator::bdf2}, state, ws);
    audit.add_failure();
    EXPECT_FALSE(audit.report().passed);
  }
}

}  // namespace audit_test
}  // namespace sinew

#include "sinew/integrate/newton.hpp"

#include <gtest/gtest.h>

#include "integrate/example_systems.hpp"
#include "sinew/builder/system_builder.hpp"

namespace sinew {
namespace newton_test {

/// A brisk stage: half a second in one go from the default state.
struct Stage {
  explicit Stage(const System& system)
      : start(system.default_state()),
        q(start.q),
        qdot(start.qdot),
        qddot(VecX::Zero(start.q.size())) {}
  ImplicitStage of(double gamma) {
    return {gamma, gamma, start.q, start.qdot, start.z, q, qdot, qddot};
  }
  StepContext context(const System& system, const StepOptions& options, Workspace& ws) {
    return {system, options, system.controls(), 0, start, ws};
  }
  State start;
  VecX q, qdot, qddot;
};

TEST(Newton, ConvergesQuadratically) {
  const System system = test::smooth_system();
  Workspace ws(system);
  StepReport report;
  Stage exact(system);
  // With this bound derivatives are taken in every iteration.
  StepOptions options;
  options.newton_residual = 1e-13;
  ASSERT_TRUE(solve_stage(exact.context(system, options, ws), exact.of(0.2), report));
  EXPECT_EQ(report.linearizations, report.newton_iterations);

  // The iterates, by letting the iterations run out.
  std::vector<double> error;
  for (int iterations = 0; iterations < report.newton_iterations; ++iterations) {
    options.newton_iterations = iterations;
    StepReport cut;
    Stage stage(system);
    EXPECT_FALSE(solve_stage(stage.context(system, options, ws), stage.of(0.2), cut));
    EXPECT_EQ(cut.status, StepStatus::newton_failed);
    error.push_back((stage.qddot - exact.qddot).lpNorm<Eigen::Infinity>());
  }
  ASSERT_GE(error.size(), 4u);
  // A wrong entry of the derivative would make the errors fall by a constant factor instead.
  for (size_t k = 2; k < error.size(); ++k)
    EXPECT_LT(error[k], 0.5 * error[k - 1] * error[k - 1] + 1e-12) << k << ": " << error[k - 1];
}

TEST(Newton, TheSolutionSatisfiesTheStage) {
  const System system = test::smooth_system();
  Workspace ws(system);
  StepReport report;
  Stage stage(system);
  const double gamma = 0.03;
  ASSERT_TRUE(solve_stage(stage.context(system, {}, ws), stage.of(gamma), report));
  // q and q̇ follow from q̈ by the stage's formulas, and forward dynamics agrees with q̈.
  EXPECT_EQ(stage.qdot, stage.start.qdot + gamma * stage.qddot);
  EXPECT_EQ(stage.q, stage.start.q + gamma * stage.qdot);
  VecX qddot(stage.q.size());
  forward_dynamics(system, {gamma, stage.q, stage.qdot}, ws, qddot);
  // Residual 1e-12 of the forces, times the condition of M, about 100.
  EXPECT_LT((qddot - stage.qddot).lpNorm<Eigen::Infinity>(),
            1e-10 * qddot.lpNorm<Eigen::Infinity>());
}

TEST(Newton, RestUnderLargeCancellingForcesIsConverged) {
  // A pendulum held horizontal by a motor: M q̈ and f both vanish, and only the size of what cancels
  // tells that 1e-16 is small.
  SystemBuilder builder(test::pendulum_skeleton(1));
  builder.set_gravity(Vec3(0, 0, -9.80665));
  builder.add_force(std::make_shared<JointSpring>("motor", DofIndex(0), 1e5, 10.0, 0.3));
  const System system = builder.build();
  Workspace ws(system);
  for (const Integrator integrator :
       {Integrator::bdf1, Integrator::sdirk2, Integrator::bdf2, Integrator::variational}) {
    State state = system.default_state();
    state.q[0] = 0.3;
    test::run(system, test::with(integrator), 1e-2, 2000, state, ws);
    EXPECT_LT(std::abs(state.qdot[0]), 1e-9) << to_string(integrator);
  }
}

TEST(Newton, FindsItsWayFromFarWithTheLineSearch) {
  // q̈ = −10⁶ q³: the full step from the guess overshoots by far.
  SystemBuilder builder(test::slider(1, 1, 0));
  builder.add_force(std::make_shared<test::CubicTorque>(DofIndex(0), -1e6));
  const System system = builder.build();
  Workspace ws(system);
  State state = system.default_state();
  const StepReport report = step(system, test::with(Integrator::bdf1), 1, state, ws);
  ASSERT_EQ(report.status, StepStatus::ok);
  // q₁ = q₀ − 10⁶ h² q₁³.
  EXPECT_NEAR(state.q[0] + 1e6 * std::pow(state.q[0], 3), 1, 1e-10);
}

/// No force up to a place, and one that pushes back beyond it: a step that would end beyond without
/// it, and not with it, has no solution.
class Wind final : public Force {
 public:
  Wind(double begin, double force) : Force("wind"), begin_(begin), force_(force) {}
  void add_force(const SkeletonAt& in, AppliedForces& out) const override {
    const double force = in.q[0] > begin_ ? force_ : 0;
    out.tau[0] += force;
    out.power += force * in.qdot[0];
  }
  void add_derivatives(const SkeletonAt&, StiffnessModel, ForceDerivatives&) const override {}
  void validate(const Skeleton&) const override {}

 private:
  double begin_, force_;
};

TEST(Newton, StepsWithoutASolutionAreTakenInHalves) {
  SystemBuilder builder(test::slider(1, 0, 1));
  builder.set_gravity(Vec3::Zero());
  builder.add_force(std::make_shared<Wind>(0.0062, -1000));
  const System system = builder.build();
  for (const Integrator integrator : {Integrator::bdf1, Integrator::sdirk2, Integrator::bdf2}) {
    Workspace ws(system);
    StepOptions options;
    options.integrator = integrator;
    options.newton_halvings = 0;
    State state = system.default_state();
    EXPECT_EQ(step(system, options, 0.01, state, ws).status, StepStatus::newton_failed);
    EXPECT_EQ(state.t, 0);
    options.newton_halvings = 12;
    const StepReport report = step(system, options, 0.01, state, ws);
    if (integrator == Integrator::bdf2) {  // which has a memory
      EXPECT_EQ(report.status, StepStatus::newton_failed);
      continue;
    }
    ASSERT_EQ(report.status, StepStatus::ok) << to_string(integrator);
    EXPECT_EQ(state.t, 0.01);
    EXPECT_EQ(report.h, 0.01);
    EXPECT_LT(state.qdot[0], 0);  // thrown back

    // It is what its halves are.
    options.newton_halvings = 11;
    State halves = system.default_state();
    const StepReport first = step(system, options, 0.005, halves, ws);
    const StepReport second = step(system, options, 0.005, halves, ws);
    EXPECT_EQ(state, halves);
    EXPECT_EQ(report.work, first.work + second.work);
    EXPECT_EQ(report.rejected, 1 + first.rejected + second.rejected);
    EXPECT_GT(report.rejected, 1);

    // A half that fails leaves everything as it was.
    options.newton_halvings = 1;
    state = system.default_state();
    EXPECT_EQ(step(system, options, 0.01, state, ws).status, StepStatus::newton_failed);
    EXPECT_EQ(state, system.default_state());
  }
}

}  // namespace newton_test
}  // namespace sinew

#include <gtest/gtest.h>

#include <limits>
#include <thread>

#include "integrate/example_systems.hpp"
#include "sinew/builder/system_builder.hpp"
#include "sinew/core/error.hpp"
#include "support/allocation_guard.hpp"

// Laws of every integrator.

namespace sinew {
namespace step_test {

class EveryIntegrator : public ::testing::TestWithParam<Integrator> {};

INSTANTIATE_TEST_SUITE_P(Step, EveryIntegrator, ::testing::ValuesIn(all_integrators()),
                         [](const auto& test_case) {
                           std::string name = to_string(test_case.param);
                           std::erase(name, '-');
                           return name;
                         });

TEST_P(EveryIntegrator, HasANameThatReadsBack) {
  EXPECT_EQ(integrator_from_string(to_string(GetParam())), GetParam());
}

TEST_P(EveryIntegrator, AllocatesNothingAfterItsFirstSteps) {
  SINEW_NEEDS_ALLOCATION_COUNTS();
  const System system = test::smooth_system();
  Workspace ws(system);
  State state = system.default_state();
  const StepOptions options = test::with(GetParam());
  for (int k = 0; k < 3; ++k) step(system, options, 1e-3, state, ws);  // BDF2 starts with SDIRK2
  const sinew::test::AllocationGuard guard;
  for (int k = 0; k < 20; ++k) step(system, options, 1e-3, state, ws);
  EXPECT_EQ(guard.count(), 0);
}

TEST_P(EveryIntegrator, GivesTheSameBitsWhateverTheWorkspaceWasUsedFor) {
  const System system = test::smooth_system();
  const StepOptions options = test::with(GetParam());
  State kept = system.default_state(), fresh = kept;
  Workspace ws(system);
  for (int k = 0; k < 20; ++k) {
    // Another integrator in between, from another state, leaves its traces in the workspace.
    State other = system.default_state();
    other.q.setConstant(0.1 * k);
    step(system, test::with(all_integrators()[static_cast<size_t>(k) % all_integrators().size()]),
         2e-3, other, ws);
    step(system, options, 1e-3, kept, ws);
    Workspace empty(system);
    step(system, options, 1e-3, fresh, empty);
    ASSERT_EQ(kept, fresh);
    ASSERT_EQ(hash(kept), hash(fresh));
  }
}

TEST_P(EveryIntegrator, GivesTheSameBitsOnEveryThread) {
  const System system = test::smooth_system();
  std::vector<std::uint64_t> hashes(4);
  std::vector<std::thread> threads;
  for (std::uint64_t& result : hashes)
    threads.emplace_back([&system, &result] {
      Workspace ws(system);
      State state = system.default_state();
      for (int k = 0; k < 50; ++k) step(system, test::with(GetParam()), 1e-3, state, ws);
      result = hash(state);
    });
  for (std::thread& thread : threads) thread.join();
  for (const std::uint64_t result : hashes) EXPECT_EQ(result, hashes[0]);
}

TEST_P(EveryIntegrator, LeavesTheStateAloneWhereItDiverges) {
  const System system = test::smooth_system();
  Workspace ws(system);
  State state = system.default_state();
  state.qdot[3] = std::numeric_limits<double>::quiet_NaN();
  const State before = state;
  const StepReport report = step(system, test::with(GetParam()), 1e-3, state, ws);
  EXPECT_EQ(report.status, StepStatus::diverged);
  EXPECT_GE(report.worst_dof, 0);
  EXPECT_EQ(state, before);
}

TEST_P(EveryIntegrator, RefusesAStepOfNoLength) {
  const System system = test::smooth_system();
  Workspace ws(system);
  State state = system.default_state();
  EXPECT_THROW(step(system, test::with(GetParam()), 0, state, ws), Error);
  EXPECT_THROW(step(system, test::with(GetParam()), std::nan(""), state, ws), Error);
}

TEST_P(EveryIntegrator, CarriesRotationsThroughAChangeOfChart) {
  // A free top that turns several times about a tilted axis, without gravity: angular momentum in
  // the world stays, and the charts must have changed.
  BodySpec top;
  top.name = "top";
  top.joint = SphericalExp{};
  top.M_B = SpatialInertia::FromCentral(2, Vec3::Zero(), Vec3(0.02, 0.03, 0.04).asDiagonal());
  const System system =
      SystemBuilder(SkeletonBuilder().add_body(top).build()).set_gravity(Vec3::Zero()).build();
  Workspace ws(system);
  State state = system.default_state();
  state.qdot = Vec3(1, 5, 2);
  const auto spin = [&] {
    update_forces(system, {0, state.q, state.qdot}, ws);
    return body_twist(system.skeleton(), ws.skeleton, BodyIndex(0)).head<3>().eval();
  };
  const double E_0 = energy(system, {0, state.q, state.qdot}, ws).total();
  const Vec3 momentum = Vec3(0.02 * 1, 0.03 * 5, 0.04 * 2);  // at q = 0 body and world axes agree
  bool jumped = false;
  VecX last = state.q;
  while (state.t < 2) {
    ASSERT_EQ(step(system, test::with(GetParam()), 1e-3, state, ws).status, StepStatus::ok);
    jumped = jumped || (state.q - last).norm() > 1;
    last = state.q;
  }
  EXPECT_TRUE(jumped);
  const Vec3 w = spin();
  const Vec3 now = body_pose(system.skeleton(), ws.skeleton, BodyIndex(0)).R *
                   Vec3(0.02 * w.x(), 0.03 * w.y(), 0.04 * w.z());
  // First-order methods lose about ω h = 0.5 % per radian; over 10 rad they stay within a tenth.
  const bool first_order = GetParam() == Integrator::semi_implicit_euler ||
                           GetParam() == Integrator::linearly_implicit_euler ||
                           GetParam() == Integrator::bdf1;
  EXPECT_LT((now - momentum).norm(), (first_order ? 0.1 : 1e-3) * momentum.norm());
  EXPECT_NEAR(energy(system, {0, state.q, state.qdot}, ws).total(), E_0,
              (first_order ? 0.1 : 1e-3) * E_0);
}

TEST(Step, UnknownIntegratorIsAnErrorThatOffersTheNearest) {
  try {
    integrator_from_string("bfd2");
    FAIL();
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find("bdf2"), std::string::npos) << e.what();
  }
}

TEST(Step, DivergenceStopsBeforeNumbersBecomeAbsurd) {
  // RK4 far beyond its limit of stability: grows by a factor each step until it is stopped.
  const System system = test::oscillator(1, 1e6, 0, 1, 0);
  Workspace ws(system);
  State state = system.default_state();
  StepReport report;
  for (int k = 0; k < 1000 && report.status == StepStatus::ok; ++k)
    report = step(system, test::with(Integrator::rk4), 0.1, state, ws);
  EXPECT_EQ(report.status, StepStatus::diverged);
  EXPECT_EQ(report.worst_dof, 0);
  EXPECT_LE(std::abs(state.qdot[0]), 1e12);
}

TEST(Step, NewtonFailureAndSingularMatricesAreReportedAndLeaveTheState) {
  const System system = test::smooth_system();
  Workspace ws(system);
  StepOptions options = test::with(Integrator::bdf2);
  options.newton_iterations = 0;
  State state = system.default_state();
  const State before = state;
  StepReport report = step(system, options, 0.1, state, ws);
  EXPECT_EQ(report.status, StepStatus::newton_failed);
  EXPECT_GE(report.worst_dof, 0);
  EXPECT_EQ(state, before);

  // τ = 4 q³/3 at q = 1 has K = 4: with m = 1 and h = ½, M − h² K = 0.
  SystemBuilder builder(test::slider(1, 1, 0));
  builder.add_force(std::make_shared<test::CubicTorque>(DofIndex(0), 4. / 3));
  const System singular = builder.build();
  Workspace other(singular);
  state = singular.default_state();
  report = step(singular, test::with(Integrator::linearly_implicit_euler), 0.5, state, other);
  EXPECT_EQ(report.status, StepStatus::singular);
  EXPECT_EQ(state, singular.default_state());
}

}  // namespace step_test
}  // namespace sinew

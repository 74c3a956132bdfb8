#include "sinew/integrate/dopri5.hpp"

#include <gtest/gtest.h>

#include "integrate/example_systems.hpp"
#include "sinew/builder/system_builder.hpp"
#include "sinew/core/error.hpp"
#include "support/reference.hpp"

namespace sinew {
namespace dopri5_test {

StepOptions tolerance(double rtol, double atol) {
  StepOptions options = test::with(Integrator::dopri5);
  options.relative_tolerance = rtol;
  options.absolute_tolerance = atol;
  return options;
}

/// Steps to `until`; returns how many steps it took.
int run_until(const System& system, const StepOptions& options, double until, State& state,
              Workspace& ws) {
  int steps = 0;
  for (; state.t < until && steps < 100000; ++steps) {
    const StepReport report = step(system, options, until - state.t, state, ws);
    EXPECT_EQ(report.status, StepStatus::ok);
    if (report.status != StepStatus::ok) break;
  }
  return steps;
}

TEST(Dopri5, ErrorIsProportionalToTheTolerance) {
  const System system = test::smooth_system();
  Workspace ws(system);
  const State exact = test::accurate_solution(system, 2);
  double last = 0;
  for (const double rtol : {1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10}) {
    State state = system.default_state();
    run_until(system, tolerance(rtol, rtol), 2, state, ws);
    const double error = test::distance(state, exact);
    // Errors per step of at most the tolerance, over a few dozen steps of a motion of size 1 that
    // amplifies little.
    EXPECT_LT(error, 50 * rtol);
    EXPECT_GT(error, rtol / 1000);
    // Tenfold, as the slope of log error over log tolerance would be 1 (0.8 … 1.2): single steps
    // scatter.
    if (last > 0) {
      EXPECT_NEAR(std::log10(last / error), 1, 0.35) << rtol;
    }
    last = error;
  }
}

TEST(Dopri5, FixedStepsShowAtLeastFifthOrder) {
  const System system = test::smooth_system();
  Workspace ws(system);
  const State exact = test::accurate_solution(system, 3);
  const auto error = [&](int steps) {
    StepOptions options = tolerance(1e3, 1e3);  // accepts everything
    options.largest_step = 3.0 / steps;
    State state = system.default_state();
    EXPECT_EQ(run_until(system, options, 3 * (1 - 1e-13), state, ws), steps);
    return test::distance(state, exact);
  };
  const double coarse = error(120), fine = error(240);
  EXPECT_LT(coarse, 1e-4);
  EXPECT_GT(fine, 1e-11);
  // The pair was made with so small a coefficient of h⁵ that h⁶ still shows.
  EXPECT_GT(std::log2(coarse / fine), 4.9) << coarse << ' ' << fine;
}

TEST(Dopri5, DenseOutputIsOfFourthOrderWithinTheStep) {
  const System system = test::smooth_system();
  Workspace ws(system);
  // From a common start the error of the interpolant at the worst place of one step is O(h⁵).
  const auto error = [&](double h) {
    StepOptions options = tolerance(1e3, 1e3);  // accepts everything
    options.largest_step = h;
    State state = system.default_state();
    DenseOutput dense;
    EXPECT_EQ(step_dopri5({system, options, system.controls(), h, state, ws}, &dense).status,
              StepStatus::ok);
    EXPECT_EQ(dense.t, 0);
    EXPECT_EQ(dense.h, h);
    double worst = 0;
    for (const double s : {0.2, 0.4, 0.6, 0.8}) {
      State between = test::accurate_solution(system, s * h);
      const State exact = between;
      dense.evaluate(s * h, between);
      worst = std::max(worst, test::distance(between, exact));
    }
    State ends = state;
    dense.evaluate(h, ends);
    EXPECT_LT(test::distance(ends, state), 1e-15);  // two roundings of numbers of size 1
    return worst;
  };
  const double coarse = error(0.05), fine = error(0.025);
  EXPECT_GT(fine, 1e-11);
  EXPECT_NEAR(std::log2(coarse / fine), 5, 0.15) << coarse << ' ' << fine;
}

TEST(Dopri5, WithOde45RulesTakesTheStepsOfTheReference) {
  SINEW_NEEDS_REFERENCE();
  const test::ReferenceTable table = test::reference_csv("redmax/scene_-1_itype2.csv");
  const System system =
      test::reference_system(test::reference_scene("redmax/scenes_matlab.json", -1));
  Workspace ws(system);
  StepOptions options = tolerance(1e-4, 1e-6);
  options.ode45_rules = true;
  options.largest_step = 0.2;  // a tenth of the span of 2 s
  State state = system.default_state();
  constexpr size_t kCompared = 12;
  for (size_t row = 1; row <= kCompared; ++row) {
    ASSERT_EQ(step(system, options, 2 - state.t, state, ws).status, StepStatus::ok);
    // The error estimates cancel to about 1e-10 of themselves on the tiny first steps, and step
    // lengths go with their fifth root.
    EXPECT_NEAR(state.t, table.rows[row][0], 1e-9 * state.t);
    EXPECT_NEAR(state.q[0], table.rows[row][1], 1e-9);
    EXPECT_NEAR(state.q[1], table.rows[row][2], 1e-9);
  }
  const int more = run_until(system, options, 2, state, ws);
  EXPECT_EQ(kCompared + static_cast<size_t>(more), table.rows.size() - 1);
  // Chaotic: roundings have grown about a hundredfold per second since.
  EXPECT_NEAR(state.q[0], table.rows.back()[1], 1e-6);
  EXPECT_NEAR(state.qdot[1], table.rows.back()[4], 1e-5);
}

/// Force 1 N from 0.3 s, −2 N from 0.7 s on a free slider of 1 kg: the motion is a parabola in
/// between.
System switched_slider() {
  const auto value = [](double x) { return VecX(VecX::Constant(1, x)); };
  SystemBuilder builder(test::slider(1, 0, 0.5));
  builder.add_force(std::make_shared<JointTorque>(
      "push", DofIndex(0),
      TimeTable::FromRows({0, 0.3, 0.7}, {value(0), value(1), value(-2)},
                          TimeTable::Interpolation::step, "push")));
  return builder.build();
}

TEST(Dopri5, StepsEndOnJumpsOfTheForcesAndSeeThemFromEachSide) {
  const System system = switched_slider();
  Workspace ws(system);
  State state = system.default_state();
  std::vector<double> times;
  double work = 0;
  while (state.t < 1) {
    const StepReport report = step(system, tolerance(1e-6, 1e-8), 1 - state.t, state, ws);
    ASSERT_EQ(report.status, StepStatus::ok);
    EXPECT_EQ(report.rejected, 0) << "a parabola is exact";
    work += report.work;
    times.push_back(state.t);
  }
  EXPECT_NE(std::find(times.begin(), times.end(), 0.3), times.end());
  EXPECT_NE(std::find(times.begin(), times.end(), 0.7), times.end());
  EXPECT_EQ(times.back(), 1);
  // By hand: v = 0.5 + 0.4 − 0.6, q = 0.5 + ½·0.4² + 0.4·0.3 − 0.3², W = Δ(½ v²).
  EXPECT_NEAR(state.qdot[0], 0.3, 1e-14);
  EXPECT_NEAR(state.q[0], 0.5 + 0.08 + 0.12 - 0.09, 1e-14);
  EXPECT_NEAR(work, 0.5 * (0.3 * 0.3 - 0.5 * 0.5), 1e-14);
}

TEST(Dopri5, ResultDoesNotDependOnTheLastStageBeingReused) {
  const System system = test::smooth_system();
  Workspace ws(system);
  State kept = system.default_state();
  State fresh = kept;
  for (int k = 0; k < 20; ++k) {
    step(system, tolerance(1e-6, 1e-6), 1, kept, ws);
    const double h_next = fresh.memory.h_next;
    fresh.memory.steps = 0;
    fresh.memory.h_next = h_next;
    step(system, tolerance(1e-6, 1e-6), 1, fresh, ws);
    ASSERT_EQ(kept.q, fresh.q);
    ASSERT_EQ(kept.qdot, fresh.qdot);
  }
}

TEST(Dopri5, StateChangedFromOutsideIsNotMistakenForTheLastStep) {
  const System system = test::smooth_system();
  Workspace ws(system);
  State state = system.default_state();
  step(system, tolerance(1e-6, 1e-6), 1, state, ws);
  state.qdot[0] += 1;  // an impulse
  State fresh = state;
  fresh.memory = {};
  step(system, tolerance(1e-6, 1e-6), 1, state, ws);
  step(system, tolerance(1e-6, 1e-6), 1, fresh, ws);
  EXPECT_EQ(state, fresh);
}

TEST(Dopri5, StepsBackToWhereItCameFrom) {
  const System system = test::smooth_system();
  Workspace ws(system);
  State state = system.default_state();
  while (state.t < 0.3) step(system, tolerance(1e-10, 1e-10), 0.3 - state.t, state, ws);
  EXPECT_GT((state.q - system.default_state().q).norm(), 0.01);
  while (state.t > 0) step(system, tolerance(1e-10, 1e-10), -state.t, state, ws);
  EXPECT_EQ(state.t, 0);
  // Some dozen steps there and back, each within 1e-10.
  EXPECT_LT((state.q - system.default_state().q).norm(), 1e-7);
}

TEST(Dopri5, SaysThatItNeedsATolerance) {
  const System system = test::smooth_system();
  Workspace ws(system);
  State state = system.default_state();
  EXPECT_THROW(step(system, tolerance(0, 1e-6), 0.1, state, ws), Error);
}

TEST(Dopri5, StepUnderflowIsReportedAtASingularity) {
  // q̈ = q³ with q₀ = 1, q̇₀ = 1/√2 blows up at t = √2: q = 1/(1 − t/√2).
  SystemBuilder builder(test::slider(1, 1, 1 / std::sqrt(2.0)));
  builder.add_force(std::make_shared<test::CubicTorque>(DofIndex(0), 1.0));
  const System system = builder.build();
  Workspace ws(system);
  State state = system.default_state();
  StepReport report;
  for (int k = 0; k < 100000 && report.status == StepStatus::ok; ++k) {
    const State before = state;
    report = step(system, tolerance(1e-8, 1e-10), 2 - state.t, state, ws);
    if (report.status != StepStatus::ok) {
      EXPECT_EQ(state.q, before.q);
    }
  }
  EXPECT_NE(report.status, StepStatus::ok);
  EXPECT_NEAR(state.t, std::sqrt(2.0), 1e-3);
  EXPECT_TRUE(state.q.allFinite());
}

}  // namespace dopri5_test
}  // namespace sinew

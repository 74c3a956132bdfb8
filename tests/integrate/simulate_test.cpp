#include "sinew/integrate/simulate.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>

#include "sinew/builder/system_builder.hpp"
#include "sinew/core/error.hpp"
#include "sinew/dynamics/forces.hpp"

namespace sinew {
namespace simulate_test {

using testing::ElementsAre;
using testing::HasSubstr;

/// A mass of 1 kg on a line with a spring of stiffness k, at rest at q = 1: q = cos(√k t).
System oscillator(double stiffness = 1) {
  BodySpec mass;
  mass.name = "mass";
  mass.joint = Prismatic(Vec3::UnitX());
  mass.joint_name = "slider";
  mass.M_B = SpatialInertia::FromCentral(1, Vec3::Zero(), Mat3::Identity());
  mass.q0 = {1};
  SystemBuilder system(SkeletonBuilder().add_body(mass).build());
  system.add_force(std::make_shared<JointSpring>("spring", DofIndex(0), stiffness, 0.0, 0.0));
  return system.build();
}

struct Record {
  std::vector<double> step_times, output_times, outputs;
  SimulationResult result;
  State state;
};

Record record(const System& system, const SimulationSettings& settings) {
  Record out;
  out.state = system.default_state();
  Workspace ws(system);
  out.result = simulate(
      system, settings, out.state, ws,
      {.on_step = [&](const State& s, const StepReport&) { out.step_times.push_back(s.t); },
       .on_output =
           [&](const State& s) {
             out.output_times.push_back(s.t);
             out.outputs.push_back(s.q[0]);
           }});
  return out;
}

TEST(Simulate, EndsStepsAtMultiplesOfDtWithoutAddingUpRounding) {
  const Record r =
      record(oscillator(), {.step = {.integrator = Integrator::rk4}, .dt = 0.1, .until = 100});
  ASSERT_EQ(r.step_times.size(), 1000u);
  for (size_t k = 0; k < r.step_times.size() - 1; ++k)
    EXPECT_EQ(r.step_times[k], static_cast<double>(k + 1) * 0.1);
  EXPECT_EQ(r.state.t, 100);
}

TEST(Simulate, ShortensTheLastStepToLandOnTheEnd) {
  const Record r =
      record(oscillator(), {.step = {.integrator = Integrator::rk4}, .dt = 0.4, .until = 1});
  EXPECT_THAT(r.step_times, ElementsAre(0.4, 0.8, 1));
  // RK4 over steps of 0.4: error constant 1/120 h⁵ per step.
  EXPECT_NEAR(r.state.q[0], std::cos(1.0), 3 * std::pow(0.4, 5) / 120);
}

TEST(Simulate, OutputsTheStartEveryIntervalAndTheEnd) {
  const Record r = record(
      oscillator(),
      {.step = {.integrator = Integrator::rk4}, .dt = 0.01, .until = 0.1, .output_interval = 0.04});
  EXPECT_THAT(r.output_times, ElementsAre(0, 0.04, 0.08, 0.1));
}

TEST(Simulate, InterpolatesTheOutputsOfAdaptiveSteps) {
  const Record r =
      record(oscillator(),
             {.step = {.integrator = Integrator::dopri5}, .until = 10, .output_interval = 0.25});
  ASSERT_EQ(r.output_times.size(), 41u);
  EXPECT_LT(r.result.steps, 400);
  for (size_t i = 0; i < r.output_times.size(); ++i) {
    EXPECT_EQ(r.output_times[i], 0.25 * static_cast<double>(i));
    // Tolerance 1e-8 per step, some hundred steps; the interpolant is of fourth order.
    EXPECT_NEAR(r.outputs[i], std::cos(r.output_times[i]), 2e-6);
  }
}

TEST(Simulate, ReturnsToWhereItStoppedWhenInterrupted) {
  const System system = oscillator();
  std::atomic<bool> stop = false;
  State state = system.default_state();
  Workspace ws(system);
  int steps = 0;
  SimulationObserver observer;
  observer.stop = &stop;
  observer.on_step = [&](const State&, const StepReport&) { stop = ++steps == 7; };
  const SimulationSettings settings{.step = {.integrator = Integrator::rk4}, .dt = 0.1, .until = 5};
  EXPECT_EQ(simulate(system, settings, state, ws, observer).end, SimulationEnd::interrupted);
  EXPECT_EQ(state.t, 7 * 0.1);

  // Continued, it ends where an undisturbed run ends.
  stop = false;
  observer.on_step = {};
  EXPECT_EQ(simulate(system, settings, state, ws, observer).end, SimulationEnd::finished);
  EXPECT_NEAR(state.q[0], record(system, settings).state.q[0], 1e-13);
}

TEST(Simulate, StopsAtAFailedStepWithTheLastGoodState) {
  // Explicit steps ten times too long for this spring grow by 1e3 and more each.
  const System system = oscillator(1e8);
  const Record r =
      record(system, {.step = {.integrator = Integrator::rk4}, .dt = 0.01, .until = 10});
  EXPECT_EQ(r.result.end, SimulationEnd::failed);
  EXPECT_TRUE(r.state.q.allFinite());
  EXPECT_EQ(r.state.t, r.step_times.back());
  EXPECT_EQ(r.output_times.back(), r.state.t);
  EXPECT_THAT(describe_failure(system, r.result, r.state), HasSubstr("slider_1"));
}

TEST(Simulate, RefusesSettingsWithoutSense) {
  const System system = oscillator();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const SimulationSettings& settings :
       {SimulationSettings{.dt = 0}, SimulationSettings{.dt = nan}, SimulationSettings{.until = -1},
        SimulationSettings{.until = nan}, SimulationSettings{.dt = 1e-300},
        SimulationSettings{.output_interval = -1}}) {
    State state = system.default_state();
    Workspace ws(system);
    EXPECT_THROW(simulate(system, settings, state, ws), Error);
  }
}

TEST(Simulate, DoesNothingWhereTheEndIsNow) {
  const Record r = record(oscillator(), {.until = 0});
  EXPECT_EQ(r.result.steps, 0);
  EXPECT_EQ(r.result.end, SimulationEnd::finished);
}

}  // namespace simulate_test
}  // namespace sinew

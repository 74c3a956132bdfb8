#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "integrate/constrained_systems.hpp"
#include "integrate/example_systems.hpp"
#include "sinew/core/error.hpp"
#include "sinew/integrate/integrator_table.hpp"
#include "sinew/integrate/simulate.hpp"
#include "support/allocation_guard.hpp"
#include "support/hill_examples.hpp"
#include "support/message_of.hpp"

/// Runs that choose the lengths of their steps by StepOptions::accuracy.

namespace sinew {
namespace accuracy_test {

using testing::HasSubstr;

const Integrator kEstimating[] = {Integrator::dopri5, Integrator::sdirk2, Integrator::sdirk4};

SimulationSettings settings(Integrator integrator, double accuracy, double until) {
  SimulationSettings out;
  out.step.integrator = integrator;
  out.step.accuracy = accuracy;
  out.until = until;
  return out;
}

struct Outcome {
  SimulationResult result;
  State state;
  std::vector<TakenStep> steps;
  std::vector<State> rows;
  int linearizations = 0;
};

Outcome run(const System& system, const SimulationSettings& settings) {
  Outcome out;
  out.state = system.default_state();
  Workspace ws(system);
  SimulationObserver observer;
  observer.on_step = [&](const State& state, const StepReport& report) {
    out.steps.push_back({state.t, report.h, state.memory.h_next});
    out.linearizations += report.linearizations;
  };
  observer.on_output = [&](const State& state) { out.rows.push_back(state); };
  out.result = simulate(system, settings, out.state, ws, observer);
  EXPECT_EQ(out.result.end, SimulationEnd::finished) << to_string(settings.step.integrator);
  return out;
}

/// Largest error in rad, m and optimal fibre lengths.
double error(const State& state, const State& exact) {
  double worst = (state.q - exact.q).lpNorm<Eigen::Infinity>();
  if (state.z.size() > 0)
    worst = std::max(worst, (state.z - exact.z).lpNorm<Eigen::Infinity>() / 0.1);
  return worst;
}

TEST(Accuracy, BoundsTheErrorAndTheErrorFallsWithIt) {
  const struct {
    System system;
    double until;
  } cases[] = {{test::smooth_system(), 2},
               {test::pendulum(2), 1},
               {test::oscillator(1, 1e6, 200, 0.01, 1), 0.5},
               {test::arm(test::flexor(0.6), test::flexor(0.2)), 0.3}};
  for (const auto& [system, until] : cases) {
    const State exact = run(system, settings(Integrator::dopri5, 1e-11, until)).state;
    for (const Integrator integrator : kEstimating) {
      double last = 1;
      for (const double accuracy : {1e-3, 1e-4, 1e-5, 1e-6}) {
        const Outcome out = run(system, settings(integrator, accuracy, until));
        const double made = error(out.state, exact);
        // What all steps together may add, and ten times that.
        EXPECT_LT(made, 10 * accuracy * static_cast<double>(out.result.steps))
            << to_string(integrator) << " " << accuracy;
        // It falls; single steps scatter.
        EXPECT_LT(made, std::max(1.5 * last, 1e-9)) << to_string(integrator) << " " << accuracy;
        last = made;
      }
    }
  }
}

TEST(Accuracy, StiffForcesDoNotShortenImplicitSteps) {
  // A pendulum of two links that a spring of some 1000 rad/s, well damped, holds together.
  SystemBuilder builder(test::pendulum_skeleton(2));
  builder.set_gravity(Vec3(0, 0, -9.80665));
  builder.add_force(std::make_shared<JointSpring>("spring", DofIndex(1), 1e4, 20, 1));
  const System system = builder.build();
  const Outcome explicit_run = run(system, settings(Integrator::dopri5, 1e-4, 2));
  for (const Integrator integrator : {Integrator::sdirk2, Integrator::sdirk4}) {
    const Outcome out = run(system, settings(integrator, 1e-4, 2));
    EXPECT_LT(out.result.steps, explicit_run.result.steps / 4) << to_string(integrator);
    EXPECT_LT(error(out.state, explicit_run.state), 2e-3) << to_string(integrator);
  }
}

TEST(Accuracy, StepsOfLoopsGrowInNumberAsTheOrderPromises) {
  const System system = test::FourBar{}.builder(0.7).build();
  const State exact = run(system, settings(Integrator::dopri5, 1e-11, 1)).state;
  const struct {
    Integrator integrator;
    double estimate;  // falls with this power of the step
  } cases[] = {{Integrator::sdirk2, 3}, {Integrator::sdirk4, 4}};
  for (const auto& [integrator, power] : cases) {
    const Outcome coarse = run(system, settings(integrator, 1e-3, 1));
    const Outcome fine = run(system, settings(integrator, 1e-6, 1));
    // Rows on velocities instead of accelerations: 1000^(1/2) for both.
    const auto few = static_cast<double>(coarse.result.steps);
    EXPECT_LT(static_cast<double>(fine.result.steps), 1.3 * std::pow(1000, 1 / power) * few)
        << to_string(integrator);
    EXPECT_LT(error(fine.state, exact), 10e-6 * static_cast<double>(fine.result.steps));
  }
}

/// Pushes with the same force from either side to the middle.
class Relay final : public Force {
 public:
  Relay() : Force("relay") {}
  void add_force(const SkeletonAt& in, AppliedForces& out) const override {
    out.tau[0] -= std::copysign(20, in.q[0]) + 20 * in.qdot[0];
  }
  void add_derivatives(const SkeletonAt&, StiffnessModel, ForceDerivatives& out) const override {
    out.dtau_dqdot[0] -= 20;
  }
  void validate(const Skeleton&) const override {}
};

TEST(Accuracy, LeastStepsGoOnWhereForcesJumpToAndFro) {
  SystemBuilder builder(test::slider(1, 0.1, 0));
  builder.set_gravity(Vec3::Zero());
  builder.add_force(std::make_shared<Relay>());
  const System system = builder.build();
  SimulationSettings own = settings(Integrator::dopri5, 1e-8, 3);
  const Outcome without = run(system, own);
  own.step.least_step = 1e-3;
  const Outcome out = run(system, own);
  EXPECT_LE(out.result.steps, 3010);
  EXPECT_LT(2 * out.result.steps, without.result.steps);
  EXPECT_GT(out.result.inaccurate, 0);
  EXPECT_GT(out.result.largest_excess, 1);
  EXPECT_GT(out.result.excess_time, 0);
  EXPECT_EQ(without.result.inaccurate, 0);
  EXPECT_LT(std::abs(out.state.q[0]), 1e-4);  // 20 N on 1 kg for two steps of 1 ms
  for (const double wrong : {-1.0, std::nan(""), 2.0}) {
    own.step.least_step = wrong;
    own.step.largest_step = 1;
    State state = system.default_state();
    Workspace ws(system);
    EXPECT_THAT(test::message_of([&] { simulate(system, own, state, ws); }),
                HasSubstr("the least step is negative or longer than the largest"));
  }
}

TEST(Accuracy, StepsEndOnRowsAndOnJumps) {
  const System plain = test::smooth_system();
  SystemBuilder builder(test::slider(1, 0, 0));
  builder.set_gravity(Vec3::Zero());
  const auto value = [](double x) { return VecX(VecX::Constant(1, x)); };
  builder.add_force(std::make_shared<JointTorque>(
      "switch", DofIndex(0),
      TimeTable::FromRows({0, 0.3, 0.7}, {value(0), value(1), value(-2)},
                          TimeTable::Interpolation::step, "switch")));
  const System switched = builder.build();
  for (const Integrator integrator : kEstimating) {
    SimulationSettings with_rows = settings(integrator, 1e-4, 0.5);
    with_rows.output_interval = 0.07;
    const Outcome out = run(plain, with_rows);
    ASSERT_EQ(out.rows.size(), 9u) << to_string(integrator);
    for (size_t k = 0; k < 8; ++k) EXPECT_NEAR(out.rows[k].t, 0.07 * static_cast<double>(k), 1e-12);
    EXPECT_EQ(out.rows.back().t, 0.5);
    // A parabola between the jumps: no error at all if steps end there.
    const Outcome parabola = run(switched, settings(integrator, 1e-6, 1));
    const auto ends_at = [&](double t) {
      return std::any_of(parabola.steps.begin(), parabola.steps.end(),
                         [&](const TakenStep& s) { return s.t == t; });
    };
    EXPECT_TRUE(ends_at(0.3) && ends_at(0.7)) << to_string(integrator);
    EXPECT_NEAR(parabola.state.q[0], 0.5 * 0.16 + 0.4 * 0.3 - 0.09, 1e-10);
  }
}

TEST(Accuracy, StepsAreTakenAgainToTheBit) {
  const System system = test::arm(test::flexor(0.6), test::flexor(0.2));
  for (const Integrator integrator : kEstimating) {
    SimulationSettings own = settings(integrator, 1e-4, 0.3);
    const Outcome first = run(system, own);
    own.repeated_steps = first.steps;
    const Outcome again = run(system, own);
    EXPECT_EQ(again.state, first.state) << to_string(integrator);
    EXPECT_EQ(hash(again.state), hash(first.state));
    EXPECT_EQ(again.result.rejected, 0);
    // Lists that are not the whole run are refused before anything is stepped.
    const auto refusal = [&](auto&& change) {
      SimulationSettings other = own;
      change(other);
      State state = system.default_state();
      Workspace ws(system);
      const std::string message = test::message_of([&] { simulate(system, other, state, ws); });
      EXPECT_EQ(state, system.default_state());
      return message;
    };
    EXPECT_THAT(refusal([](auto& s) { s.repeated_steps.pop_back(); }),
                HasSubstr("the last one ends at t = "));
    EXPECT_THAT(refusal([](auto& s) { s.until = 0.2; }), HasSubstr("the run at 0.2 s"));
    EXPECT_THAT(refusal([](auto& s) { s.repeated_steps[1].h = -1; }),
                HasSubstr("a step of -1 s from t = "));
    EXPECT_THAT(refusal([](auto& s) { s.repeated_steps[1].h = std::nan(""); }),
                HasSubstr("does not end at t = "));
    EXPECT_THAT(refusal([](auto& s) { s.step = {.integrator = Integrator::rk4}; }),
                HasSubstr("takes steps of one length"));
  }
}

TEST(Accuracy, AllocatesNothingAfterTheFirstStepsAndNeedsNoUsedWorkspace) {
  const System system = test::arm(test::flexor(0.6), test::flexor(0.2));
  for (const Integrator integrator : kEstimating) {
    const StepOptions options{.integrator = integrator, .accuracy = 1e-5};
    State kept = system.default_state(), fresh = kept;
    Workspace ws(system);
    for (int k = 0; k < 10; ++k) {
      ASSERT_EQ(step(system, options, 1, kept, ws).status, StepStatus::ok);
      Workspace empty(system);
      ASSERT_EQ(step(system, options, 1, fresh, empty).status, StepStatus::ok);
      ASSERT_EQ(kept, fresh) << to_string(integrator);
    }
    SINEW_NEEDS_ALLOCATION_COUNTS();
    const sinew::test::AllocationGuard guard;
    for (int k = 0; k < 10; ++k) step(system, options, 1, kept, ws);
    EXPECT_EQ(guard.count(), 0) << to_string(integrator);
  }
}

TEST(Accuracy, OneLinearisationServesAStep) {
  const System system = test::arm(test::flexor(0.6), test::flexor(0.2));
  for (const Integrator integrator : {Integrator::sdirk2, Integrator::sdirk4}) {
    const Outcome out = run(system, settings(integrator, 1e-4, 0.3));
    EXPECT_LE(out.linearizations, 1.5 * static_cast<double>(out.result.steps + out.result.rejected))
        << to_string(integrator);
  }
}

TEST(Accuracy, IsRefusedByMethodsThatDoNotEstimateTheirError) {
  const System system = test::pendulum(2);
  State state = system.default_state();
  Workspace ws(system);
  EXPECT_EQ(test::message_of([&] {
              step(system, {.integrator = Integrator::rk4, .accuracy = 1e-4}, 1e-3, state, ws);
            }),
            "accuracy: rk4 does not estimate its error; choose dopri5, sdirk2 or sdirk4, or give "
            "the length of its steps (dt) alone");
  for (const double wrong : {-1.0, std::nan("")})
    EXPECT_THROW(
        step(system, {.integrator = Integrator::sdirk2, .accuracy = wrong}, 1e-3, state, ws),
        Error);
}

}  // namespace accuracy_test
}  // namespace sinew

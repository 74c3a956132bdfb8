#include <gtest/gtest.h>

#include <cmath>

#include "sinew/builder/system_builder.hpp"
#include "sinew/core/error.hpp"
#include "sinew/integrate/integrator.hpp"
#include "support/allocation_guard.hpp"
#include "support/hill_examples.hpp"
#include "support/hill_reference.hpp"
#include "support/reference.hpp"

/// Skeletons with Hill muscles, stepped together.

namespace sinew {
namespace hill_motion_test {

using test::arm;
using test::flexor;

State run(const System& system, Integrator integrator, double h, double until) {
  State state = system.default_state();
  Workspace ws(system);
  StepOptions options;
  options.integrator = integrator;
  const int steps = static_cast<int>(std::lround(until / h));
  for (int k = 1; k <= steps; ++k) {
    const StepReport report = step(system, options, h, state, ws);
    EXPECT_EQ(report.status, StepStatus::ok)
        << to_string(integrator) << " h = " << h << " t = " << state.t;
    if (report.status != StepStatus::ok) break;
    state.t = k * h;
  }
  return state;
}

const Integrator kServing[] = {Integrator::linearly_implicit_euler, Integrator::bdf1,
                               Integrator::sdirk2, Integrator::bdf2};

/// Angles and fibre lengths, the latter in metres × 10.
VecX summary(const State& state) {
  VecX x(4);
  x << state.q, 10 * state.z.tail(2);
  return x;
}

TEST(HillMotion, StiffTendonsAreStableInStepsOfOneToFiveMilliseconds) {
  for (const bool rigid : {false, true}) {
    HillDescription strong = flexor(0.6, rigid);
    // ten times as stiff as a tendon is: 2e5 N/m
    Millard2012Shape shape;
    shape.tendon_strain = 0.0049;
    set_millard_curves(shape, 0.1, strong.muscle);
    const System system = arm(strong, flexor(0.2, rigid));
    const State truth = run(system, Integrator::sdirk2, 2.5e-4, 0.5);
    for (const Integrator integrator : kServing)
      for (const double h : {1e-3, 2e-3, 5e-3}) {
        const State state = run(system, integrator, h, 0.5);
        const bool second = integrator == Integrator::sdirk2 || integrator == Integrator::bdf2;
        // Errors of first and second order over 0.5 s; linearised once a step, the toe of such a
        // tendon costs a tenth of a radian. Unstable, all would be off by radians.
        const double bound = integrator == Integrator::linearly_implicit_euler ? 0.2
                             : second                                          ? 2e3 * h * h
                                                                               : 20 * h;
        EXPECT_LT((summary(state) - summary(truth)).norm(), bound)
            << to_string(integrator) << " " << h << (rigid ? " rigid" : "");
      }
  }
}

TEST(HillMotion, EveryIntegratorHasItsOrder) {
  const System system = arm(flexor(0.6), flexor(0.2));
  const State truth = run(system, Integrator::sdirk2, 3.125e-5, 0.1);
  for (const Integrator integrator : kServing) {
    const auto error = [&](double h) {
      return (summary(run(system, integrator, h, 0.1)) - summary(truth)).norm();
    };
    const double order = std::log2(error(1e-3) / error(5e-4));
    const bool second = integrator == Integrator::sdirk2 || integrator == Integrator::bdf2;
    // curves have knots, which reduce the order slightly
    EXPECT_NEAR(order, second ? 2 : 1, 0.35) << to_string(integrator);
  }
}

TEST(HillMotion, FeedbackKeepsTheOrder) {
  HillDescription controlled = flexor(0.4);
  controlled.feedback = ExcitationFeedback{DofIndex(1), -1, 0.4};
  const System system = arm(controlled, flexor(0.2));
  const State truth = run(system, Integrator::sdirk2, 3.125e-5, 0.1);
  const auto error = [&](Integrator integrator, double h) {
    return (summary(run(system, integrator, h, 0.1)) - summary(truth)).norm();
  };
  // curves have knots, which reduce the order slightly
  for (const Integrator integrator : {Integrator::sdirk2, Integrator::bdf2})
    EXPECT_NEAR(std::log2(error(integrator, 1e-3) / error(integrator, 5e-4)), 2, 0.35)
        << to_string(integrator);
  // and it does something
  const State alone = run(arm(flexor(0.4), flexor(0.2)), Integrator::sdirk2, 1e-3, 0.1);
  EXPECT_GT((summary(alone) - summary(truth)).norm(), 1e-3);
}

TEST(HillMotion, ExplicitAndVariationalIntegratorsHaveTheirOrdersToo) {
  HillDescription controlled = flexor(0.4);
  controlled.feedback = ExcitationFeedback{DofIndex(1), -1, 0.4};
  const System system = arm(controlled, flexor(0.2));
  const auto adaptive = [&](double tolerance) {
    State state = system.default_state();
    Workspace ws(system);
    const StepOptions options{.integrator = Integrator::dopri5,
                              .relative_tolerance = tolerance,
                              .absolute_tolerance = tolerance};
    while (state.t < 0.1 &&
           step(system, options, 0.1 - state.t, state, ws).status == StepStatus::ok) {
    }
    return summary(state);
  };
  const VecX truth = adaptive(1e-12);
  const auto error = [&](Integrator integrator, double h) {
    return (summary(run(system, integrator, h, 0.1)) - truth).norm();
  };
  const auto order = [&](Integrator integrator, double h) {
    return std::log2(error(integrator, h) / error(integrator, h / 2));
  };
  // Curves have knots, which reduce the order: by up to two of RK4's four.
  EXPECT_NEAR(order(Integrator::semi_implicit_euler, 5e-4), 1, 0.35);
  EXPECT_NEAR(order(Integrator::variational, 1e-3), 2, 0.35);
  EXPECT_GT(order(Integrator::rk4, 2e-4), 2);
  EXPECT_LT(error(Integrator::rk4, 1e-4), 1e-8);
  // At most the error of a step times the number of steps.
  for (const double tolerance : {1e-6, 1e-8})
    EXPECT_LT((adaptive(tolerance) - truth).norm(), 100 * tolerance) << tolerance;
  EXPECT_LT((summary(run(system, Integrator::sdirk2, 3.125e-5, 0.1)) - truth).norm(), 1e-6);
}

TEST(HillMotion, IsNotSteppedBackInTime) {
  const System system = arm(flexor(0.6), flexor(0.2));
  Workspace ws(system);
  State state = system.default_state();
  for (const Integrator integrator : all_integrators())
    EXPECT_THROW(step(system, {.integrator = integrator}, -1e-3, state, ws), Error);
}

TEST(HillMotion, AStepDependsOnTheStateAloneAndAllocatesNothing) {
  SINEW_NEEDS_ALLOCATION_COUNTS();
  const System system = arm(flexor(0.6), flexor(0.2), 0.3);
  for (const Integrator integrator : kServing) {
    const StepOptions options{.integrator = integrator};
    State one = system.default_state(), two = one;
    Workspace ws(system);
    for (int k = 0; k < 5; ++k) {
      step(system, options, 2e-3, one, ws);
      Workspace fresh(system);
      step(system, options, 2e-3, two, fresh);
      EXPECT_TRUE(one == two) << to_string(integrator) << " step " << k;
    }
    const test::AllocationGuard guard;
    step(system, options, 2e-3, one, ws);
    EXPECT_EQ(guard.count(), 0) << to_string(integrator);
  }
}

TEST(HillMotion, MoreExcitationFlexesTheElbowMore) {
  double last = -10;
  for (const double excitation : {0.01, 0.2, 0.5, 1.0}) {
    const State state = run(arm(flexor(excitation), flexor(0.05)), Integrator::sdirk2, 2e-3, 0.3);
    EXPECT_GT(state.q[1], last);
    last = state.q[1];
  }
}

TEST(HillMotion, TugOfWarIsOpenSims) {
  SINEW_NEEDS_REFERENCE();
  const auto muscles = test::reference_hill_muscles("Tug_of_War_Millard");
  SkeletonBuilder skeleton;
  BodySpec block;
  block.name = "block";
  block.joint = Prismatic{Vec3(0, 0, 1)};
  block.M_B = SpatialInertia::FromCentral(20, Vec3::Zero(), Mat3::Identity());
  skeleton.add_body(block);
  SystemBuilder builder(skeleton.build());
  const BodyIndex body = builder.skeleton().find_body("block");
  for (const auto& [name, side] : {std::pair{"RightMuscle", -1.0}, {"LeftMuscle", 1.0}}) {
    Muscle path;
    path.name = name;
    path.points = {PathPoint::Fixed(kWorld, Vec3(0, 0, 0.35 * side)),
                   PathPoint::Fixed(body, Vec3(0, 0, 0.05 * side))};
    HillDescription d;
    d.muscle = muscles.at(name);
    d.excitation = 0.5;
    d.initial_activation = 1;
    path.hill = d;
    builder.add_muscle(path);
  }
  const System system = builder.build();
  const auto want = test::reference_csv("opensim/fwd_tugofwar_millard_exc0.5_1s.csv");
  State state = system.default_state();
  Workspace ws(system);
  const StepOptions options{.integrator = Integrator::sdirk2};
  double fibre = 0, activation = 0, force = 0, moved = 0;
  for (const auto& row : want.rows) {
    const double t = row[0];
    const int steps = static_cast<int>(std::ceil((t - state.t) / 1e-4 - 1e-9));
    const double h = steps > 0 ? (t - state.t) / steps : 0;
    for (int k = 0; k < steps; ++k)
      ASSERT_EQ(step(system, options, h, state, ws).status, StepStatus::ok);
    state.t = t;
    const auto values = hill_values(system, state, ws);
    for (size_t i = 0; i < 2; ++i) {
      const std::string name = system.muscles()[i]->name();
      const auto k = static_cast<Eigen::Index>(i);
      const auto at = [&](const std::string& label) { return row[want.column(label)]; };
      activation =
          std::max(activation, std::abs(state.z[k] - at("/forceset/" + name + "/activation")));
      fibre = std::max(fibre, std::abs(state.z[2 + k] - at("/forceset/" + name + "/fiber_length")));
      force = std::max(force, std::abs(values[i].tendon_force - at(name + "|tendon_force")));
    }
    moved = std::max(moved, std::abs(state.q[0]));
  }
  RecordProperty("errors", std::to_string(fibre * 1e9) + " nm, activation " +
                               std::to_string(activation * 1e9) + "e-9, force " +
                               std::to_string(force) + " N");
  EXPECT_LT(fibre, 1e-6);
  EXPECT_LT(activation, 1e-6);
  // 1e-7 m in a tendon of 1.4e5 N/m
  EXPECT_LT(force, 0.05);
  EXPECT_LT(moved, 1e-12);
}

}  // namespace hill_motion_test
}  // namespace sinew

#include "sinew/system/controls.hpp"

#include <gtest/gtest.h>

#include "sinew/builder/system_builder.hpp"
#include "sinew/core/error.hpp"
#include "sinew/dynamics/coordinate_drive.hpp"
#include "sinew/integrate/integrator.hpp"
#include "sinew/muscles/muscle_element.hpp"
#include "support/hill_examples.hpp"

namespace sinew {
namespace controls_test {

/// An arm with two Hill muscles, one of them with feedback, a muscle with a tension and a motor.
System driven_arm() {
  HillDescription with_feedback = test::flexor(0.1);
  with_feedback.feedback = ExcitationFeedback{DofIndex(1), 0.5, 0.4};
  const System arm = test::arm(with_feedback, test::flexor(0.2));
  SystemBuilder builder(arm.skeleton());
  for (const auto& element : arm.muscles()) builder.add_muscle(element->muscle());
  Muscle cord;
  cord.name = "cord";
  cord.tension = 30.0;
  cord.points = {PathPoint::Fixed(kWorld, Vec3(0.1, 0, 0)),
                 PathPoint::Fixed(BodyIndex(0), Vec3(0.05, -0.1, 0))};
  builder.add_muscle(cord);
  builder.add_force(std::make_shared<CoordinateDrive>("motor", DofIndex(0), 2.0, TimeFunction(0.25),
                                                      CoordinateDrive::Range{-1, 1}));
  return builder.build();
}

VecX values_at(const ControlSchedule& controls, const State& state, double t) {
  VecX out(controls.size());
  controls.evaluate(t, state, out);
  return out;
}

VecX accelerations(const System& system, const At& at) {
  Workspace ws(system);
  VecX out(system.dof_count());
  forward_dynamics(system, at, ws, out);
  return out;
}

TEST(Controls, AreWhatTheModelSaysWithFeedbackTakenOnToTheTime) {
  const System system = driven_arm();
  const ControlSchedule& own = system.controls();
  ASSERT_EQ(own.size(), 4);
  State state = system.default_state();
  state.q[1] = 0.9;
  state.qdot[1] = -3;
  const VecX u = values_at(own, state, state.t + 0.01);
  EXPECT_EQ(u[own.find("cord")], 30);
  EXPECT_NEAR(u[own.find("flexor")], 0.1 + 0.5 * (0.9 - 0.03 - 0.4), 1e-15);
  EXPECT_EQ(u[own.find("extensor")], 0.2);
  EXPECT_EQ(u[own.find("motor")], 0.25);
  EXPECT_EQ(own.find("nobody"), -1);
}

TEST(Controls, ThatAreSetHoldInsteadOfFunctionsAndFeedback) {
  const System system = driven_arm();
  ControlSchedule controls = system.controls();
  controls.set(controls.find("flexor"), 0.4);
  const State state = system.default_state();
  for (const double t : {0.0, 0.3, 10.0})
    EXPECT_EQ(values_at(controls, state, t)[controls.find("flexor")], 0.4);
}

TEST(Controls, GivenAndOwnOnesAreTheSameToTheBit) {
  const System system = driven_arm();
  const State state = system.default_state();
  VecX values(system.controls().size());
  EXPECT_EQ(accelerations(system, state),
            accelerations(system, at_state(state, system.controls(), values)));
  State a = state, b = state;
  Workspace ws(system);
  const StepOptions options{.integrator = Integrator::sdirk2};
  for (int k = 0; k < 20; ++k) {
    step(system, options, 1e-3, a, ws);
    step(system, options, 1e-3, system.controls(), b, ws);
  }
  EXPECT_EQ(a, b);
}

TEST(Controls, ActWhereTheyShould) {
  const System system = driven_arm();
  const State state = system.default_state();
  VecX values(system.controls().size());
  const VecX before = accelerations(system, at_state(state, system.controls(), values));
  for (const char* name : {"cord", "motor"}) {
    ControlSchedule controls = system.controls();
    controls.set(controls.find(name), 0.0);
    EXPECT_GT((accelerations(system, at_state(state, controls, values)) - before).norm(), 0.1)
        << name;
  }
  // An excitation acts through the activation, over a step.
  ControlSchedule strong = system.controls();
  strong.set(strong.find("extensor"), 1.0);
  State a = state, b = state;
  Workspace ws(system);
  const StepOptions options{.integrator = Integrator::sdirk2};
  step(system, options, 1e-3, a, ws);
  step(system, options, 1e-3, strong, b, ws);
  EXPECT_GT(b.z[1], a.z[1] + 0.01);
}

TEST(Controls, KnowWhereTheyJump) {
  const System system = driven_arm();
  ControlSchedule controls = system.controls();
  EXPECT_TRUE(controls.breakpoints().empty());
  controls.set(controls.find("motor"),
               TimeFunction::Table({0, 0.5, 1}, {0, 1, 0}, TimeFunction::Interpolation::step, "t"));
  EXPECT_FALSE(controls.breakpoints().empty());
}

TEST(Controls, TooFewAreRefused) {
  const System system = driven_arm();
  const State state = system.default_state();
  const VecX two = VecX::Zero(2);
  EXPECT_THROW(accelerations(system, {state.t, state.q, state.qdot, state.z, 0, two}), Error);
}

TEST(Controls, StatesWithoutInternalStateAreRefused) {
  const System system = driven_arm();
  const State state = system.default_state();
  EXPECT_THROW(accelerations(system, {state.t, state.q, state.qdot}), Error);
}

}  // namespace controls_test
}  // namespace sinew

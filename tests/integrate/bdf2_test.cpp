#include <gtest/gtest.h>

#include "integrate/example_systems.hpp"
#include "sinew/builder/system_builder.hpp"

namespace sinew {
namespace bdf2_test {

const StepOptions kBdf2 = test::with(Integrator::bdf2);

TEST(Bdf2, StartsWithSdirk2AndAgainAfterAChangeOfStep) {
  const System system = test::smooth_system();
  Workspace ws(system);
  State state = system.default_state(), other = state;
  step(system, kBdf2, 1e-2, state, ws);
  step(system, test::with(Integrator::sdirk2), 1e-2, other, ws);
  EXPECT_EQ(state.q, other.q);
  step(system, kBdf2, 1e-2, state, ws);
  step(system, test::with(Integrator::sdirk2), 1e-2, other, ws);
  EXPECT_NE(state.q, other.q);
  EXPECT_EQ(state.memory.steps, 2);

  other = state;
  step(system, kBdf2, 5e-3, state, ws);
  step(system, test::with(Integrator::sdirk2), 5e-3, other, ws);
  EXPECT_EQ(state.q, other.q);
}

TEST(Bdf2, StartsAfreshWhenTheStateWasChangedFromOutside) {
  const System system = test::smooth_system();
  Workspace ws(system);
  State state = system.default_state();
  test::run(system, kBdf2, 1e-2, 5, state, ws);
  state.qdot[1] += 0.5;
  State other = state;
  step(system, kBdf2, 1e-2, state, ws);
  step(system, test::with(Integrator::sdirk2), 1e-2, other, ws);
  EXPECT_EQ(state.q, other.q);
}

TEST(Bdf2, HistoryDoesNotSpanAJumpOfTheForces) {
  // A free mass, pushed from 0.3 s on: both pieces are polynomials that SDIRK2 and BDF2 integrate
  // exactly (q quadratic, q̇ linear), so that anything left over is history taken across the jump.
  const auto value = [](double x) { return VecX(VecX::Constant(1, x)); };
  SystemBuilder builder(test::slider(1, 0, 0.5));
  builder.add_force(std::make_shared<JointTorque>(
      "push", DofIndex(0),
      TimeTable::FromRows({0, 0.3}, {value(0), value(3)}, TimeTable::Interpolation::step, "push")));
  const System system = builder.build();
  Workspace ws(system);
  State state = system.default_state();
  test::run(system, kBdf2, 0.05, 6, state, ws);
  EXPECT_NEAR(state.t, 0.3, 1e-15);
  // The step that ends on the jump sees the force of its end, as an implicit method does: q̈ = 3 for
  // a last step of BDF2 with weight 2/3.
  EXPECT_NEAR(state.qdot[0], 0.5 + 0.05 * 3 * 2. / 3, 1e-14);
  const double q = state.q[0], v = state.qdot[0];
  test::run(system, kBdf2, 0.05, 4, state, ws);
  EXPECT_NEAR(state.qdot[0], v + 3 * 0.2, 1e-14);
  EXPECT_NEAR(state.q[0], q + 0.2 * v + 1.5 * 0.04, 1e-14);
}

}  // namespace bdf2_test
}  // namespace sinew

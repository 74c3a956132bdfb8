#include <gtest/gtest.h>

#include "integrate/example_systems.hpp"
#include "sinew/builder/system_builder.hpp"

namespace sinew {
namespace variational_test {

const StepOptions kVariational = test::with(Integrator::variational);

/// Largest |E − E₀| over E₀ − E_min, E_min that of the pendulum hanging at rest.
double energy_error(const System& system, Integrator integrator, double h, int steps) {
  Workspace ws(system);
  State state = system.default_state();
  const VecX zero = VecX::Zero(system.dof_count());
  const double E_0 = energy(system, {0, state.q, state.qdot}, ws).total();
  const double range = E_0 - energy(system, {0, zero, zero}, ws).total();
  double worst = 0;
  for (int k = 0; k < steps; ++k) {
    EXPECT_EQ(step(system, test::with(integrator), h, state, ws).status, StepStatus::ok);
    const double E = energy(system, {0, state.q, state.qdot}, ws).total();
    worst = std::max(worst, std::abs(E - E_0));
  }
  return worst / range;
}

TEST(Variational, KeepsTheEnergyOfTheDoublePendulum) {
  // The target: at most 1e-3 over 10 s at 1 ms, where semi-implicit Euler loses 19 %.
  const System system = test::pendulum(2);
  EXPECT_LT(energy_error(system, Integrator::variational, 1e-3, 10000), 6e-4);
  EXPECT_NEAR(energy_error(system, Integrator::semi_implicit_euler, 1e-3, 10000), 0.19, 0.01);
}

TEST(Variational, EnergyErrorDoesNotGrowWithTime) {
  // Regular motion, so that the largest error is seen early: what comes later adds the solver's
  // tolerance, 1e-10 per step, only.
  Skeleton skeleton = test::pendulum_skeleton(2);
  const System system = SystemBuilder(skeleton).set_gravity(Vec3(0, 0, -9.80665)).build();
  Workspace ws(system);
  State state = system.default_state();
  state.q << 0.5, 0.3;
  const double E_0 = energy(system, {0, state.q, state.qdot}, ws).total();
  double early = 0, late = 0;
  const int steps = 60000;  // 300 s, about 400 swings
  for (int k = 0; k < steps; ++k) {
    ASSERT_EQ(step(system, kVariational, 5e-3, state, ws).status, StepStatus::ok);
    const double error = std::abs(energy(system, {0, state.q, state.qdot}, ws).total() - E_0);
    if (k < steps / 6) early = std::max(early, error);
    if (k >= steps - steps / 6) late = std::max(late, error);
  }
  EXPECT_GT(early, 1e-6) << "nothing to compare";
  EXPECT_LT(late, 1.02 * early);
}

TEST(Variational, StepsBackToWhereItCameFrom) {
  const System system = test::pendulum(3);
  Workspace ws(system);
  const State start = system.default_state();
  State state = start;
  test::run(system, kVariational, 2e-3, 150, state, ws);
  EXPECT_GT(test::distance(state, start), 1);
  test::run(system, kVariational, -2e-3, 150, state, ws);
  // Symmetric: the rest is the solver's tolerance, 1e-10 of speeds up to 30, 300 times.
  EXPECT_LT(test::distance(state, start), 1e-6);
  State other = start;
  test::run(system, test::with(Integrator::semi_implicit_euler), 2e-3, 150, other, ws);
  test::run(system, test::with(Integrator::semi_implicit_euler), -2e-3, 150, other, ws);
  EXPECT_GT(test::distance(other, start), 1e-3) << "the test could not tell";
}

TEST(Variational, KeepsTheMomentumOfACyclicCoordinate) {
  // A spinning top on a vertical axis without gravity along it: the first coordinate does not enter
  // L.
  const System system = SystemBuilder(test::pendulum_skeleton(3)).set_gravity(Vec3::Zero()).build();
  Workspace ws(system);
  State state = system.default_state();
  state.qdot << 3, -2, 4;
  VecX p(3), L_q(3);
  momentum_and_force(system, {0, state.q, state.qdot}, ws, p, L_q);
  const double before = p[0];
  test::run(system, kVariational, 5e-3, 1000, state, ws);
  momentum_and_force(system, {0, state.q, state.qdot}, ws, p, L_q);
  // The trapezoidal rule adds exactly 0 in each step; p(q, q̇) then differs by the solver's
  // tolerance.
  EXPECT_NEAR(p[0], before, 1e-9 * std::abs(before));
}

TEST(Variational, SolvesInOneOrTwoIterationsOnceItHasAHistory) {
  const System system = test::pendulum(2);
  Workspace ws(system);
  State state = system.default_state();
  long iterations = 0;
  for (int k = 0; k < 2000; ++k) {
    const StepReport report = step(system, kVariational, 1e-3, state, ws);
    iterations += report.newton_iterations;
    EXPECT_LE(report.newton_residual, 1e-10);
  }
  EXPECT_LT(iterations, 2600);
}

TEST(Variational, SolvesStiffSpringsThatThePlainMassMatrixCannot) {
  // ω h = 20: far beyond hω = 2, where iterating with M alone diverges.
  const System system = test::oscillator(1, 4e6, 100, 0.1, 0);
  Workspace ws(system);
  State state = system.default_state();
  test::run(system, kVariational, 1e-2, 200, state, ws);
  EXPECT_LT(std::abs(state.q[0]), 0.1);
}

TEST(Variational, CorrectionIsWhatItsPartsGive) {
  // momentum_correction against momentum_and_force, factor and solve, on every kind of link.
  const System system = test::smooth_system();
  Workspace ws(system);
  const State state = system.default_state();
  const int n = system.dof_count();
  const VecX b = VecX::LinSpaced(n, -1, 2);
  VecX p(n), L_q(n), expected(n), L_q_fused(n), x(n);
  momentum_and_force(system, {0.1, state.q, state.qdot}, ws, p, L_q);
  factor_mass_matrix(system, {0.1, state.q, state.qdot}, ws);
  expected = b - p + 0.3 * L_q;
  solve_mass_matrix(system, ws, expected, expected);
  for (const bool factor : {true, false}) {
    momentum_correction(system, {0.1, state.q, state.qdot}, b, 0.3, factor, ws, L_q_fused, x);
    EXPECT_LT((L_q_fused - L_q).lpNorm<Eigen::Infinity>(), 1e-14);  // same sums, of size 1
    EXPECT_LT((x - expected).lpNorm<Eigen::Infinity>(), 1e-12);     // condition of M about 100
  }
}

TEST(Variational, ContinuesTheSameFromACopyAndAfterAChangeOfStep) {
  const System system = test::smooth_system();
  Workspace ws(system);
  State state = system.default_state();
  test::run(system, kVariational, 1e-2, 10, state, ws);
  State copy = state;
  Workspace other(system);
  test::run(system, kVariational, 1e-2, 10, state, ws);
  test::run(system, kVariational, 1e-2, 10, copy, other);
  EXPECT_EQ(state, copy);
  // Another h or a state from outside starts the memory afresh, which must not be seen beyond the
  // tolerance.
  State forgetful = copy;
  forgetful.memory = {};
  test::run(system, kVariational, 1e-2, 10, state, ws);
  test::run(system, kVariational, 1e-2, 10, forgetful, ws);
  EXPECT_LT(test::distance(state, forgetful), 1e-8);
}

}  // namespace variational_test
}  // namespace sinew

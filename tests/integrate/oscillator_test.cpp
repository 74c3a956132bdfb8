#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <numbers>

#include "integrate/example_systems.hpp"

// m q̈ = −k q − d q̇ with one coordinate: every method is then a 2×2 matrix, known in closed form.

namespace sinew {
namespace oscillator_test {

using Mat2 = Eigen::Matrix2d;
using Vec2 = Eigen::Vector2d;

constexpr double m = 1.3, k = 40, d = 0.7, h = 0.05;

/// ẏ = A y, y = (q, q̇).
Mat2 system_matrix() {
  Mat2 A;
  A << 0, 1, -k / m, -d / m;
  return A;
}

/// Runs n steps and compares each state with `next`, a recurrence over the exact states.
template <class Recurrence>
void expect_recurrence(const StepOptions& options, int n, Recurrence next, double tolerance) {
  const System system = test::oscillator(m, k, d, 0.3, -1);
  Workspace ws(system);
  State state = system.default_state();
  Vec2 before(0.3, -1), y = before;
  for (int i = 0; i < n; ++i) {
    ASSERT_EQ(step(system, options, h, state, ws).status, StepStatus::ok);
    const Vec2 after = next(y, before, i);
    before = y;
    y = after;
    ASSERT_NEAR(state.q[0], y[0], tolerance);
    ASSERT_NEAR(state.qdot[0], y[1], tolerance * 10);  // rates are about ten times larger
    ASSERT_DOUBLE_EQ(state.t, (i + 1) * h);
  }
}

// 40 steps of a contracting map: a few roundings of numbers of size 1.
constexpr double kRounding = 1e-14;

TEST(Oscillator, SemiImplicitEulerIsItsMatrix) {
  expect_recurrence(
      test::with(Integrator::semi_implicit_euler), 40,
      [](const Vec2& y, const Vec2&, int) {
        const double v = y[1] + h * (-k * y[0] - d * y[1]) / m;
        return Vec2(y[0] + h * v, v);
      },
      kRounding);
}

TEST(Oscillator, LinearlyImplicitEulerIsImplicitEulerOnALinearSystem) {
  const Mat2 step_matrix = (Mat2::Identity() - h * system_matrix()).inverse();
  const auto next = [&](const Vec2& y, const Vec2&, int) -> Vec2 { return step_matrix * y; };
  StepOptions options = test::with(Integrator::linearly_implicit_euler);
  expect_recurrence(options, 40, next, kRounding);
  options.jacobian = StiffnessModel::redmax;  // joint stiffness and damping are in it too
  expect_recurrence(options, 40, next, kRounding);
  expect_recurrence(test::with(Integrator::bdf1), 40, next,
                    1e-13);  // Newton stops at 1e-12 × force
}

TEST(Oscillator, Rk4IsTheTaylorPolynomial) {
  const Mat2 Z = h * system_matrix();
  const Mat2 R = Mat2::Identity() + Z + Z * Z / 2 + Z * Z * Z / 6 + Z * Z * Z * Z / 24;
  expect_recurrence(
      test::with(Integrator::rk4), 40,
      [&](const Vec2& y, const Vec2&, int) -> Vec2 { return R * y; }, kRounding);
}

Mat2 sdirk2_matrix() {
  // R(z) = (1 + (1 − 2a) z) / (1 − a z)².
  const double a = 1 - 1 / std::numbers::sqrt2;
  const Mat2 Z = h * system_matrix(), W = Mat2::Identity() - a * Z;
  return (W * W).inverse() * (Mat2::Identity() + (1 - 2 * a) * Z);
}

TEST(Oscillator, Sdirk2IsItsRationalFunction) {
  const Mat2 R = sdirk2_matrix();
  expect_recurrence(
      test::with(Integrator::sdirk2), 40,
      [&](const Vec2& y, const Vec2&, int) -> Vec2 { return R * y; }, 1e-13);
}

TEST(Oscillator, Bdf2IsItsTwoStepRecurrenceAfterOneStepOfSdirk2) {
  const Mat2 R = sdirk2_matrix();
  const Mat2 W = (Mat2::Identity() - (2 * h / 3) * system_matrix()).inverse();
  expect_recurrence(
      test::with(Integrator::bdf2), 40,
      [&](const Vec2& y, const Vec2& before, int i) -> Vec2 {
        return i == 0 ? Vec2(R * y) : Vec2(W * (4 * y - before) / 3);
      },
      1e-13);
}

TEST(Oscillator, VariationalIsTheTrapezoidalRule) {
  const Mat2 Z = (h / 2) * system_matrix();
  const Mat2 R = (Mat2::Identity() - Z).inverse() * (Mat2::Identity() + Z);
  // Each step is solved to 1e-10 of the speed, about 4 at most.
  expect_recurrence(
      test::with(Integrator::variational), 40,
      [&](const Vec2& y, const Vec2&, int) -> Vec2 { return R * y; }, 1e-9);
}

TEST(Oscillator, StiffMethodsDampWhatTheyCannotResolve) {
  // ω h = 1e4: L-stable methods kill the mode at once, the trapezoidal rule keeps its amplitude.
  const System system = test::oscillator(1, 1e12, 0, 1, 0);
  Workspace ws(system);
  for (const Integrator integrator : {Integrator::bdf1, Integrator::linearly_implicit_euler,
                                      Integrator::sdirk2, Integrator::bdf2}) {
    State state = system.default_state();
    test::run(system, test::with(integrator), 1e-2, 5, state, ws);
    // One step of implicit Euler leaves 1/(ω h) = 1e-4 of the amplitude in q; sdirk2 the most, 2/(a
    // ω h).
    EXPECT_LT(std::abs(state.q[0]), 1e-3) << to_string(integrator);
  }
  State state = system.default_state();
  test::run(system, test::with(Integrator::variational), 1e-2, 5, state, ws);
  const double amplitude = std::hypot(state.q[0], state.qdot[0] / 1e6);
  EXPECT_NEAR(amplitude, 1, 1e-8);  // conserved up to the tolerance of the solver
}

}  // namespace oscillator_test
}  // namespace sinew

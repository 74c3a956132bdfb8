#include <gtest/gtest.h>

#include "sinew/integrate/integrator_table.hpp"
#include "sinew/integrate/simulate.hpp"
#include "support/capstans.hpp"
#include "support/message_of.hpp"

/// Coulomb's friction of strands on pulleys: what slides has Euler and Eytelwein's ratio of
/// tensions, and what holds does not move.

namespace sinew {
namespace strand_coulomb_test {

using test::Capstan;
using test::capstan;
using test::kPi;
using test::tensions;

constexpr std::array kMethods = {Integrator::linearly_implicit_euler, Integrator::bdf1};

void run(const System& system, Integrator method, double h, double until, State& state,
         Workspace& ws) {
  const SimulationSettings settings{.step = {.integrator = method}, .dt = h, .until = until};
  const SimulationResult result = simulate(system, settings, state, ws);
  ASSERT_EQ(result.end, SimulationEnd::finished);
}

/// Without creep.
Capstan coulomb(Capstan in) {
  in.friction.creep = 0;
  return in;
}

TEST(StrandCoulomb, SlidingTensionsHaveEulersRatio) {
  for (const Integrator method : kMethods)
    for (const int turns : {0, 2})
      for (const double density : {0.0, 0.5}) {
        Capstan in = coulomb({.density = density, .turns = turns, .light = 1e6, .heavy = 1e6});
        in.speed = 0.1;
        in.stretch = 0.002;
        in.stiffness = 1e5;
        in.damping = 100;
        in.slack = false;
        in.gravity = Vec3::Zero();
        const System system = capstan(in);
        Workspace ws(system);
        State state = system.default_state();
        // The bound is that of the tensions at the start of a step. They change slowly, but 2.5
        // turns make 55 times as much of that.
        run(system, method, turns == 0 ? 1e-3 : 1e-4, 0.15, state, ws);
        const auto [T1, T2] = tensions(system, state, ws);
        const double flow = -state.qdot[state.qdot.size() - 1];
        const auto less = [&](double T) {
          return T - density * flow * flow * (1 + T / in.stiffness);
        };
        const double ratio = std::exp(0.3 * kPi * (1 + 2 * turns));
        EXPECT_NEAR(less(T2) / less(T1), ratio, (turns == 0 ? 1e-4 : 1e-3) * ratio)
            << to_string(method) << ' ' << density;
      }
}

TEST(StrandCoulomb, WhatHoldsDoesNotMove) {
  for (const Integrator method : kMethods)
    for (const double inertia : {0.0, 1e9}) {  // the world, and a wheel too heavy to turn
      Capstan in = coulomb({.stretch = 0.012, .damping = 30});
      in.inertia = inertia;
      const System system = capstan(in);
      Workspace ws(system);
      State state = system.default_state();
      run(system, method, 2e-3, 2, state, ws);
      const double s = state.q[state.q.size() - 1];
      run(system, method, 2e-3, 4, state, ws);
      EXPECT_NEAR(state.q[state.q.size() - 1], s, 1e-9) << to_string(method);
      const auto [T1, T2] = tensions(system, state, ws);
      EXPECT_NEAR(T1, 9.81, 2e-3);  // they still swing
      EXPECT_NEAR(T2, 1.5 * 9.81, 2e-3);
    }
}

TEST(StrandCoulomb, ItHoldsUpToEulersRatioAndNoFurther) {
  // 2.566 in half a turn.
  for (const double heavy : {2.5, 2.65}) {
    Capstan in = coulomb({.heavy = heavy, .stretch = 0.018, .damping = 30});
    in.friction.mass = 1e-3;
    const System system = capstan(in);
    Workspace ws(system);
    State state = system.default_state();
    run(system, Integrator::linearly_implicit_euler, 1e-3, 1.5, state, ws);
    const double v = state.qdot[1];
    run(system, Integrator::linearly_implicit_euler, 1e-3, 2, state, ws);
    if (heavy < 2.6) {
      EXPECT_NEAR(state.qdot[1], 0, 1e-6);
    } else {
      // m₁ a = T − m₁ g, m₂ a = m₂ g − exp(μ π) T: 2 % for the stretch that grows along.
      const double ratio = std::exp(0.3 * kPi), a = (heavy - ratio) / (heavy + ratio) * 9.81;
      EXPECT_NEAR((state.qdot[1] - v) / 0.5, a, 0.02 * a);
    }
  }
}

TEST(StrandCoulomb, ItsWorkIsTheDifferenceOfTensionsTimesTheSlip) {
  const Capstan in = coulomb({.heavy = 5, .stretch = 0.02});
  const System system = capstan(in);
  Workspace ws(system);
  State state = system.default_state();
  double work = 0, heat = 0;
  for (int k = 0; k < 2000; ++k) {
    const double s = state.q[6];
    const StepReport result =
        step(system, {.integrator = Integrator::linearly_implicit_euler}, 1e-4, state, ws);
    ASSERT_EQ(result.status, StepStatus::ok);
    work += result.work;
    const auto [T1, T2] = tensions(system, state, ws);
    heat += (T2 - T1) * (1 + 0.5 * (T1 + T2) / in.stiffness) * (s - state.q[6]);
  }
  EXPECT_GT(heat, 1);
  EXPECT_NEAR(-work, heat, 1e-3 * heat);  // inertia of the slip, and the step
}

TEST(StrandCoulomb, ABeltDoesNotCreepOverTheWheelThatHoldsIt) {
  for (const double density : {0.05, 0.4}) {
    const System system = test::slipping_belt(density, 0);
    Workspace ws(system);
    State state = system.default_state();
    run(system, Integrator::linearly_implicit_euler, 2e-3, 0.6, state, ws);
    update_kinematics(system, state, ws);
    controls_at(system, state, ws);
    const size_t part = system.strands_index();
    const auto rows = system.strands()->read(part_at(system, part, state, ws), *ws.parts[part]);
    ASSERT_EQ(rows.size(), 3u);
    const double flow = state.qdot[2];
    const auto less = [&](double T) { return T - density * flow * flow * (1 + T / 500); };
    const double ratio = std::exp(0.2 * kPi);
    EXPECT_NEAR(less(rows[1].tension_after) / less(rows[1].tension), ratio, 1e-4 * ratio);
    const double stretch = 1 + 0.5 * (rows[0].tension + rows[0].tension_after) / 500;
    EXPECT_NEAR(flow, state.qdot[0] * 0.1 / stretch, 1e-6);  // 3e-4 with a creep of 1 mm/s
  }
}

TEST(StrandCoulomb, StepsAllocateNothing) {
  SINEW_NEEDS_ALLOCATION_COUNTS();
  const System system =
      capstan(coulomb({.density = 0.2, .heavy = 5, .stretch = 0.02, .inertia = 1e-3}));
  for (const IntegratorInfo& method : integrator_table()) {
    if (!method.impulses) continue;
    SCOPED_TRACE(method.name);
    test::expect_no_allocation(system, method.integrator);
  }
}

TEST(StrandCoulomb, OtherIntegratorsRefuseItByName) {
  const System system = capstan(coulomb({}));
  for (const IntegratorInfo& method : integrator_table()) {
    const std::string message = test::message_of(
        [&] { require_supported(system, {.integrator = method.integrator}, 1e-3); });
    if (method.impulses)
      EXPECT_EQ(message, "");
    else
      EXPECT_EQ(message.find("guide 'capstan': makes velocities jump, which"), 0u) << message;
  }
  EXPECT_EQ(default_integrator(system), Integrator::linearly_implicit_euler);
}

}  // namespace strand_coulomb_test
}  // namespace sinew

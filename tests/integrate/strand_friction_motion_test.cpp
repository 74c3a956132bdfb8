#include <gtest/gtest.h>

#include "sinew/integrate/integrator_table.hpp"
#include "sinew/integrate/simulate.hpp"
#include "support/capstans.hpp"

/// Capstans: Euler and Eytelwein's ratio of tensions, creep, heat, pulleys that turn.

namespace sinew {
namespace strand_friction_motion_test {

using test::Capstan;
using test::capstan;
using test::kPi;
using test::pulley;
using test::Sides;
using test::tensions;
using test::wheel;

constexpr double kG = 9.81;

void run(const System& system, double h, double until, State& state, Workspace& ws,
         Integrator method = Integrator::sdirk2) {
  const SimulationSettings settings{.step = {.integrator = method}, .dt = h, .until = until};
  ASSERT_EQ(simulate(system, settings, state, ws).end, SimulationEnd::finished);
}

TEST(StrandFrictionMotion, SlidingTensionsHaveEulersRatio) {
  // Ends of a thousand tons move at a constant speed: nothing accelerates. 100 and 1000 creep
  // velocities; a pulley that stands still, and one that turns against the strand.
  struct Case {
    double density;
    int turns;
    double speed, spin;
  };
  for (const Case& of : {Case{0, 0, 0.1, 0}, {0, 2, 1, 5}, {0.5, 0, 1, 5}, {0.5, 2, 1, 0}}) {
    Capstan in{.density = of.density, .turns = of.turns, .light = 1e6, .heavy = 1e6};
    in.speed = of.speed;
    in.stretch = 0.002;
    in.stiffness = 1e5;
    in.damping = 100;
    in.slack = false;  // damping without bounds
    in.gravity = Vec3::Zero();
    in.inertia = of.spin > 0 ? 1e6 : 0;
    in.spin = of.spin;
    const System system = capstan(in);
    Workspace ws(system);
    State state = system.default_state();
    run(system, 1e-3, 0.15, state, ws);
    const auto [T1, T2] = tensions(system, state, ws);
    // λ v² of material that flows at ρ v: ρ v² (1 + ε), v per rest length.
    const double flow = -state.qdot[state.qdot.size() - 1];
    const auto less = [&](double T) {
      return T - of.density * flow * flow * (1 + T / in.stiffness);
    };
    EXPECT_NEAR(flow, of.speed, 0.01 * of.speed);
    const bool half = of.turns == 0;
    const double ratio = std::exp(0.3 * kPi * (1 + 2 * of.turns));
    EXPECT_NEAR(ratio, half ? 2.56633 : 111.32, half ? 5e-6 : 5e-3);  // the digits given
    EXPECT_NEAR(less(T2) / less(T1), ratio, (half ? 1e-4 : 1e-3) * ratio) << of.density;
  }
}

TEST(StrandFrictionMotion, BelowThatItCreeps) {
  // ln(1.5) < 0.3 π: the load sinks at v_c artanh(ln(1.5)/(0.3 π)) = 0.46 v_c.
  const System system = capstan({.stretch = 0.012, .damping = 30});
  Workspace ws(system);
  State state = system.default_state();
  run(system, 2e-3, 4, state, ws);
  const double creep = 1e-3 * std::atanh(std::log(1.5) / (0.3 * kPi));
  EXPECT_LT(creep, 1e-3);
  const auto [T1, T2] = tensions(system, state, ws);
  EXPECT_NEAR(T1, kG, 1e-3 * kG);
  EXPECT_NEAR(T2, 1.5 * kG, 1e-3 * kG);
  // The lengths of both sides change with the creep, and their stretch with them.
  EXPECT_NEAR(-state.qdot[4], creep * 1.01, 0.02 * creep);
  EXPECT_NEAR(state.qdot[1], creep * 1.01, 0.02 * creep);
}

TEST(StrandFrictionMotion, HeatIsTheDifferenceOfTensionsTimesTheSlip) {
  Capstan in{.heavy = 5, .stretch = 0.02};
  in.friction = {0.3, 0.2, 0.01};
  const System system = capstan(in);
  Workspace ws(system);
  State state = system.default_state();
  const double before = energy(system, state, ws).total();
  const double h = 2e-5;
  double heat = 0, work = 0;
  Sides last = tensions(system, state, ws);
  double s = state.q[6], speed = 0;
  for (int k = 0; k < 10000; ++k) {
    const StepReport result = step(system, {.integrator = Integrator::rk4}, h, state, ws);
    ASSERT_EQ(result.status, StepStatus::ok);
    work += result.work;
    const Sides now = tensions(system, state, ws);
    const double mean = 0.5 * (last.before + last.behind + now.before + now.behind);
    heat += 0.5 * (last.behind - last.before + now.behind - now.before) *
            (1 + 0.5 * mean / in.stiffness) * (s - state.q[6]);
    last = now;
    s = state.q[6];
    speed = -state.qdot[6];
  }
  const double lost = before - energy(system, state, ws).total();
  EXPECT_GT(lost, 1);
  EXPECT_GT(speed, 0.5);
  EXPECT_NEAR(lost, -work, 1e-9 * lost);  // rk4
  // What moves the 10 g of slip is not heat.
  EXPECT_NEAR(lost, heat - 0.5 * 0.01 * speed * speed, 1e-5 * lost);  // the sum
}

TEST(StrandFrictionMotion, APulleyIsTurnedByTheDifference) {
  const double I = 1e-3;
  Capstan in{.heavy = 5, .stretch = 0.02};
  in.inertia = I;
  const System system = capstan(in);
  Workspace ws(system);
  State state = system.default_state();
  run(system, 1e-4, 0.05, state, ws);
  VecX qddot(system.dof_count());
  forward_dynamics(system, state, ws, qddot);
  const auto [T1, T2] = tensions(system, state, ws);
  EXPECT_GT(T2 - T1, 10);
  // Clockwise, with what is missing for the inertia of the slip, 0.1 g.
  EXPECT_NEAR(-I * qddot[0] / in.radius, T2 - T1, 1e-4 * std::abs(qddot[7]) + 1e-9);
}

TEST(StrandFrictionMotion, MuchFrictionIsGrip) {
  // 1 kg and 0.8 kg on a stiff rope that turns a wheel, as in StrandGuideMotion.
  const double I = 4e-4;
  Capstan in{.density = 0.2, .light = 0.8, .heavy = 1, .stretch = 0};
  in.friction = {3, 1e-3, 0};
  in.stiffness = 1e6;
  in.stretch = 9e-6;
  in.inertia = I;
  const System system = capstan(in);
  Workspace ws(system);
  State state = system.default_state();
  run(system, 2e-3, 0.5, state, ws);
  const double r = in.radius, length = 2 + kPi * r;
  const double k = std::sqrt(2 * 0.2 * kG / (1.8 + length * 0.2 + I / (r * r)));
  const double fall = 0.5 * (std::cosh(0.5 * k) - 1);
  EXPECT_NEAR(-1 - state.q[5], fall, 1e-3 * fall);
  EXPECT_NEAR(-state.q[0] * r, fall, 2e-3 * fall);  // creeps
}

TEST(StrandFrictionMotion, EveryIntegratorStepsItWithoutAllocating) {
  SINEW_NEEDS_ALLOCATION_COUNTS();
  Capstan in{.density = 0.2, .heavy = 5, .stretch = 0.02, .inertia = 1e-3};
  in.friction = {0.3, 0.5, 0};
  const System system = capstan(in);
  for (const IntegratorInfo& method : integrator_table()) {
    SCOPED_TRACE(method.name);
    test::expect_no_allocation(system, method.integrator);
  }
}

TEST(StrandFrictionMotion, ABeltSlipsWhereItsGripEndsFirst) {
  for (const double density : {0.05, 0.4}) {
    const System system = test::slipping_belt(density);
    Workspace ws(system);
    State state = system.default_state();
    run(system, 2e-3, 0.6, state, ws);
    update_kinematics(system, state, ws);
    controls_at(system, state, ws);
    const size_t part = system.strands_index();
    const auto rows = system.strands()->read(part_at(system, part, state, ws), *ws.parts[part]);
    ASSERT_EQ(rows.size(), 3u);
    // Dragged at the left, where it slides, it is tight there behind and slack before.
    const double flow = state.qdot[2];
    const auto less = [&](double T) { return T - density * flow * flow * (1 + T / 500); };
    const double ratio = std::exp(0.2 * kPi);
    EXPECT_NEAR(less(rows[1].tension_after) / less(rows[1].tension), ratio, 1e-4 * ratio);
    // The same at the right, which creeps: its grip would be 0.6 π.
    EXPECT_NEAR(less(rows[0].tension) / less(rows[0].tension_after), ratio, 1e-4 * ratio);
    const double creep = 1e-3 * std::atanh(1.0 / 3),
                 stretch = 1 + 0.5 * (rows[0].tension + rows[0].tension_after) / 500;
    EXPECT_NEAR(flow, (1 - creep) / stretch, 1e-5);
    // It has no seam: what leaves it at the end comes in at the start with the same tension.
    EXPECT_NEAR(less(rows[1].tension_after), less(rows[0].tension), 1e-6 * rows[0].tension);
    // And it has run, through the guides as through the start.
    EXPECT_GT(state.q[2], 0.5);
    for (const int k : {3, 4}) EXPECT_NEAR(state.qdot[k], -flow, 1e-5);
  }
}

TEST(StrandFrictionMotion, ABeltTurnsAWheelByFriction) {
  // At rest at first, the wheel of 0.002 kg m² comes up to speed.
  BodySpec right = wheel("right", Vec3(0.3, 0, 0), 1e6),
           left = wheel("left", Vec3(-0.3, 0, 0), 2e-3);
  right.qdot0 = {10};
  SystemBuilder builder(SkeletonBuilder().add_body(right).add_body(left).build());
  builder.set_gravity(Vec3::Zero());
  builder.add_strand_node(test::rigid_node("below", kWorld, Vec3(0, -0.1, 0)));
  builder.add_strand_node(test::rigid_node("above", kWorld, Vec3(0, 0.1, 0)));
  for (const int k : {0, 1}) {
    StrandGuide guide = pulley(k == 0 ? "right" : "left", BodyIndex(k), Vec3::Zero(), 0.1,
                               WrapSide::counter_clockwise, GuideHold::friction);
    guide.friction = {0.4, 0.02, 0};
    builder.add_strand_guide(guide);
  }
  Strand belt = test::belt((1.2 + 0.2 * kPi) / 1.05, 0.1);
  belt.law.damping = 5;
  const System system = builder.add_strand(belt).build();
  Workspace ws(system);
  State state = system.default_state();
  run(system, 5e-4, 0.2, state, ws);
  // Within the creep velocity.
  EXPECT_NEAR(state.qdot[1], 10, 0.02 / 0.1);
}

}  // namespace strand_friction_motion_test
}  // namespace sinew

#include <gtest/gtest.h>

#include "sinew/integrate/integrator_table.hpp"
#include "sinew/integrate/simulate.hpp"
#include "support/allocation_guard.hpp"
#include "support/pulleys.hpp"

/// Strands over pulleys, on drums and in loops: motions and balances that are known exactly.

namespace sinew {
namespace strand_guides_motion_test {

using test::free_node;
using test::inextensible;
using test::on_rim;
using test::pulley;
using test::rigid_node;
using test::wheel;

constexpr double kG = 9.81, kRadius = 0.03, kPi = std::numbers::pi;

void run(const System& system, double h, double until, State& state, Workspace& ws,
         Integrator method = Integrator::rk4) {
  const SimulationSettings settings{.step = {.integrator = method}, .dt = h, .until = until};
  ASSERT_EQ(simulate(system, settings, state, ws).end, SimulationEnd::finished);
}

/// 1 kg and 0.8 kg on 3 m of rope over a pulley, of a wheel if there is one.
SystemBuilder atwood(SystemBuilder builder, BodyIndex body, GuideHold hold) {
  const double hang = 1.5 - kRadius * kPi / 2;
  builder.set_gravity({0, -kG, 0});
  builder.add_strand_node(free_node("heavy", Vec3(-kRadius, -hang, 0), 1));
  builder.add_strand_node(free_node("light", Vec3(kRadius, -hang, 0), 0.8));
  builder.add_strand_guide(
      pulley("pulley", body, Vec3::Zero(), kRadius, WrapSide::clockwise, hold));
  builder.add_strand(inextensible({{"heavy", 0.0, "pulley"}, {"light", 3.0}}, 0.2));
  return builder;
}

/// Where the heavy weight of atwood is, with `wheel` = I/r² of what turns.
double atwoods_fall(double wheel, double t) {
  const double k = std::sqrt(2 * 0.2 * kG / (1.8 + 3 * 0.2 + wheel));
  return 0.2 / (2 * 0.2) * (std::cosh(k * t) - 1);
}

TEST(StrandGuideMotion, AtwoodsRopeRunsOverItsPulley) {
  // As over a point: the rope on the pulley keeps its shape, so its weight does no work.
  const System system =
      atwood(SystemBuilder(test::still_skeleton()), kWorld, GuideHold::slip).build();
  Workspace ws(system);
  State state = system.default_state();
  const double y = state.q[1], E0 = energy(system, state, ws).total();
  run(system, 1e-3, 1, state, ws);
  EXPECT_NEAR(y - state.q[1], atwoods_fall(0, 1), 1e-6);
  EXPECT_NEAR(atwoods_fall(0, 1), 0.46757, 5e-6);  // the digits given
  EXPECT_NEAR(energy(system, state, ws).total(), E0, 1e-6);
}

TEST(StrandGuideMotion, AGrippedPulleyTurnsWithItsRope) {
  const double I = 4e-4, r2 = kRadius * kRadius;
  SkeletonBuilder bodies;
  bodies.add_body(wheel("wheel", Vec3::Zero(), I));
  const System system =
      atwood(SystemBuilder(bodies.build()), BodyIndex(0), GuideHold::grip).build();
  Workspace ws(system);
  State state = system.default_state();
  const double y = state.q[2];
  VecX qddot(system.dof_count());
  forward_dynamics(system, state, ws, qddot);
  ASSERT_EQ(ws.constraints.lambda.size(), 2);  // the tensions on both sides
  EXPECT_NEAR(ws.constraints.lambda[0] - ws.constraints.lambda[1], I * qddot[0] / kRadius, 1e-12);
  EXPECT_GT(qddot[0], 0);
  run(system, 1e-3, 1, state, ws);
  const double fall = atwoods_fall(I / r2, 1);
  EXPECT_NEAR(y - state.q[2], fall, 1e-6);
  // The rope that was on the pulley at first has left it long ago: two turns.
  EXPECT_NEAR(state.q[0], fall / kRadius, 1e-6 / kRadius);
}

/// The length x off the drum after t: (m + I/r² + ρl) ẍ = (m + ρx + ρr sin((l − x)/r)) g. Small
/// steps of Runge and Kutta.
std::pair<double, double> drum_motion(double l, double t, double rho = 0.2, double x = 0,
                                      double v = 0) {
  const double r = 0.1, I = 0.02, m = 1;
  const auto a = [&](double off) {
    return (m + rho * off + rho * r * std::sin((l - off) / r)) * kG / (m + I / (r * r) + rho * l);
  };
  const int steps = 2000;
  const double h = t / steps;
  for (int k = 0; k < steps; ++k) {
    const double v2 = v + h / 2 * a(x), a2 = a(x + h / 2 * v), v3 = v + h / 2 * a2,
                 a3 = a(x + h / 2 * v2), v4 = v + h * a3, a4 = a(x + h * v3);
    const double a1 = a(x);
    x += h / 6 * (v + 2 * v2 + 2 * v3 + v4);
    v += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
  }
  return {x, v};
}

TEST(StrandGuideMotion, ARopeUnwindsFromADrum) {
  EXPECT_NEAR(drum_motion(5, 1).first, 1.26786, 5e-6);  // the digits given
  for (const double l : {5.0, 0.9 * kPi}) {
    const double r = 0.1, y = -1e-9;  // just below the axis: outside the rim
    SystemBuilder builder(SkeletonBuilder().add_body(wheel("drum", Vec3::Zero(), 0.02)).build());
    builder.set_gravity({0, -kG, 0});
    builder.add_strand_node(free_node("load", Vec3(r, y, 0), 1));
    builder.add_strand_guide(pulley("drum", BodyIndex(0), Vec3::Zero(), r, WrapSide::clockwise));
    builder.add_strand(inextensible({on_rim("drum", 0), {"load", l}}, 0.2));
    const System system = builder.build();
    Workspace ws(system);
    State state = system.default_state();
    const double E0 = energy(system, state, ws).total();
    run(system, 1e-3, 1, state, ws);
    EXPECT_NEAR(-state.q[2], drum_motion(l, 1).first, 1e-6) << l;
    EXPECT_NEAR(state.q[0], -drum_motion(l, 1).first / r, 1e-5);
    EXPECT_NEAR(energy(system, state, ws).total(), E0, 1e-6);
  }
}

TEST(StrandGuideMotion, ADrumWindsUpAndUnwinds) {
  // A turning drum takes up 1.4 m, more than two turns, and gives it back.
  const double r = 0.1, v = 3;
  BodySpec drum = wheel("drum", Vec3::Zero(), 0.02);
  drum.qdot0 = {v / r};
  SystemBuilder builder(SkeletonBuilder().add_body(drum).build());
  builder.set_gravity({0, -kG, 0});
  builder.add_strand_node(free_node("load", Vec3(r, -2.5, 0), 1, Vec3(0, v, 0)));
  builder.add_strand_guide(
      pulley("drum", BodyIndex(0), Vec3::Zero(), r, WrapSide::counter_clockwise));
  builder.add_strand(inextensible({{"load", 0.0}, on_rim("drum", 3)}, 0.05));
  const System system = builder.build();
  Workspace ws(system);
  State state = system.default_state();
  for (const double t : {0.9, 1.9}) {
    run(system, 1e-3, t, state, ws);
    const double x = drum_motion(3, t, 0.05, 2.5, -v).first;
    EXPECT_NEAR(-state.q[2], x, 1e-6) << t;
    EXPECT_NEAR(state.q[0], (2.5 - x) / r, 1e-5);
  }
  EXPECT_GT(-state.q[2], 2.5);
}

/// A bar that hangs on `spans` spans of a massless strand over pulleys of its own and of the
/// ceiling, and a box at the end: accelerations of bar and box, and the tension.
Vec3 compound_pulley(int spans, double bar_mass, double box) {
  BodySpec bar;
  bar.name = "bar";
  bar.joint = Prismatic{Vec3::UnitY()};
  bar.M_B = SpatialInertia::FromCentral(bar_mass, Vec3::Zero(), Mat3::Identity());
  SystemBuilder builder(SkeletonBuilder().add_body(bar).build());
  builder.set_gravity({0, -kG, 0});
  const double top = 1;
  // Vertical spans, two radii apart: down to a pulley of the bar, up to one of the ceiling, ….
  builder.add_strand_node(rigid_node("nail", kWorld, Vec3(0, top, 0)));
  std::vector<StrandPoint> points = {{"nail", 0.0}};
  double length = top;
  for (int k = 0; k < spans; ++k) {
    const bool below = k % 2 == 0;
    const std::string number = std::to_string(k);
    const Vec3 centre(2 * k * kRadius + kRadius, below ? 0 : top, 0);
    builder.add_strand_guide(pulley("pulley_" + number, below ? BodyIndex(0) : kWorld, centre,
                                    kRadius,
                                    below ? WrapSide::counter_clockwise : WrapSide::clockwise));
    points.back().guide = "pulley_" + number;
    length += kPi * kRadius;
    if (k + 1 == spans) break;
    // A virtual node halfway along the next span, on the ground: the strand is straight there.
    builder.add_strand_node(
        rigid_node("eye_" + number, kWorld, Vec3(2 * (k + 1) * kRadius, 0.5 * top, 0)));
    points.push_back({"eye_" + number, {}});
    length += top;
  }
  builder.add_strand_node(free_node("box", Vec3(2 * spans * kRadius, 0.5 * top, 0), box));
  points.push_back({"box", length + 0.5 * top});
  const System system = builder.add_strand(inextensible(points, 0)).build();
  Workspace ws(system);
  VecX qddot(system.dof_count());
  forward_dynamics(system, system.default_state(), ws, qddot);
  return {qddot[0], qddot[2], ws.constraints.lambda[0]};
}

TEST(StrandGuideMotion, PulleysDivideTheLoad) {
  // Two spans: the double pulley of Sueda 2010, Fig. 6.10; 64: Table 6.1. All arcs are half turns.
  for (const int spans : {2, 4, 8, 16, 32, 64}) {
    const double bar = 1000, box = bar / spans;
    const Vec3 balance = compound_pulley(spans, bar, box);
    EXPECT_NEAR(balance[0], 0, 1e-9) << spans;  // rounding
    EXPECT_NEAR(balance[1], 0, 1e-9);
    EXPECT_NEAR(balance[2], box * kG, 1e-9 * box * kG);
    // A box heavier by 1e-6 of its weight sinks: a = g (n − 1 … ) of the order of 1e-6 g/(n + 1).
    EXPECT_GT(compound_pulley(spans, bar, box * (1 + 1e-6))[0], 1e-7 / spans);
  }
}

TEST(StrandGuideMotion, TwoGearsOfDrumsAreFourToOne) {
  // Sueda 2010, Fig. 6.12b: a rope from a drum of r to one of 2r, whose axle has another drum of r,
  // from which a rope goes to another of 2r. Ropes run along y = 0.
  const double r = 0.05, speed = 3;
  SkeletonBuilder bodies;
  const std::array<Vec3, 3> centre = {Vec3(-1, -r, 0), Vec3(0, -2 * r, 0), Vec3(1, -3 * r, 0)};
  for (size_t k = 0; k < 3; ++k) {
    BodySpec body = wheel("wheel_" + std::to_string(k), centre[k], 1e-3);
    body.qdot0 = {speed / (1 << k)};
    bodies.add_body(body);
  }
  SystemBuilder builder(bodies.build());
  builder.set_gravity({0, -kG, 0});
  const auto connect = [&](int from, const std::string& name, double y) {
    // Counter-clockwise wheels take in what comes from the right over their top.
    builder.add_strand_guide(
        pulley("small_" + name, BodyIndex(from), Vec3::Zero(), r, WrapSide::clockwise));
    builder.add_strand_guide(
        pulley("large_" + name, BodyIndex(from + 1), Vec3::Zero(), 2 * r, WrapSide::clockwise));
    builder.add_strand_node(rigid_node("eye_" + name, kWorld, Vec3(from - 0.5, y, 0)));
    Strand rope = inextensible(
        {on_rim("small_" + name, 0), {"eye_" + name, {}}, on_rim("large_" + name, 5)}, 0, name);
    rope.points[0].wound = 20;
    builder.add_strand(rope);
  };
  connect(0, "first", 0);
  connect(1, "second", -r);
  const System system = builder.build();
  Workspace ws(system);
  State state = system.default_state();
  run(system, 5e-3, 5, state, ws);
  EXPECT_NEAR(state.q[0], 5 * speed, 1e-9);  // nothing drives or brakes them
  EXPECT_NEAR(state.q[0] / state.q[2], 4, 1e-9);
  EXPECT_NEAR(state.q[0] / state.q[1], 2, 1e-9);
}

/// A belt around a pulley of the world and one of a body that slides along x.
SystemBuilder belt_drive(double radius, double speed, double stretch) {
  BodySpec bearing;
  bearing.name = "bearing";
  bearing.joint = Prismatic{Vec3::UnitX()};
  bearing.M_B = SpatialInertia::FromCentral(1, Vec3::Zero(), Mat3::Identity());
  SystemBuilder builder(SkeletonBuilder().add_body(bearing).build());
  builder.set_gravity({0, -kG, 0});
  builder.add_strand_node(rigid_node("below", kWorld, Vec3(0, -radius, 0)));
  builder.add_strand_node(rigid_node("above", kWorld, Vec3(0, radius, 0)));
  builder.add_strand_guide(
      pulley("left", kWorld, Vec3(-0.3, 0, 0), radius, WrapSide::counter_clockwise));
  builder.add_strand_guide(
      pulley("right", BodyIndex(0), Vec3(0.3, 0, 0), radius, WrapSide::counter_clockwise));
  Strand belt = test::belt((1.2 + 2 * kPi * radius) / (1 + stretch), 0.4);
  belt.speed = speed;
  return builder.add_strand(belt);
}

TEST(StrandGuideMotion, ARunningBeltPullsLessOnItsBearings) {
  const double v = 6, stretch = 0.02;
  const System system = belt_drive(0.1, v, stretch).build();
  ASSERT_EQ(system.dof_count(), 2);
  Workspace ws(system);
  const State state = system.default_state();
  VecX g(2);
  inverse_dynamics(system, state, VecX::Zero(2), ws, g);
  const double T = 500 * stretch;
  // ρ per rest length and its speed v: λ c² = ρ v² (1 + ε) on the stretched belt.
  EXPECT_NEAR(g[0], 2 * (T - 0.4 * v * v * (1 + stretch)), 1e-9);
  EXPECT_NEAR(g[1], 0, 1e-9);  // runs on by itself; as much of its weight goes up as down
}

TEST(StrandGuideMotion, ABeltKeepsItsEnergyWhileItsBearingSwings) {
  const System system = belt_drive(0.1, 3, 0.02).build();
  Workspace ws(system);
  State state = system.default_state();
  state.qdot[0] = 0.05;
  const double E0 = energy(system, state, ws).total(), p0 = state.qdot[1];
  double moved = 0, varied = 0;
  for (int k = 0; k < 500; ++k) {
    ASSERT_EQ(step(system, {.integrator = Integrator::rk4}, 1e-4, state, ws).status,
              StepStatus::ok);
    moved = std::max(moved, std::abs(state.q[0]));
    varied = std::max(varied, std::abs(state.qdot[1] - p0));
  }
  EXPECT_GT(moved, 1e-3);
  EXPECT_GT(varied, 1e-3);  // a longer belt runs slower
  EXPECT_NEAR(energy(system, state, ws).total(), E0, 1e-8);
}

TEST(StrandGuideMotion, AGrippedBeltTurnsBothOfItsWheels) {
  const double r = 0.1;
  SkeletonBuilder bodies;
  BodySpec left = wheel("left", Vec3(-0.3, 0, 0), 1e-3),
           right = wheel("right", Vec3(0.3, 0, 0), 2e-3);
  left.qdot0 = right.qdot0 = {10};
  bodies.add_body(left).add_body(right);
  SystemBuilder builder(bodies.build());
  builder.set_gravity({0, -kG, 0});
  builder.add_strand_node(rigid_node("below", kWorld, Vec3(0, -r, 0)));
  builder.add_strand_node(rigid_node("above", kWorld, Vec3(0, r, 0)));
  for (const int k : {0, 1})
    builder.add_strand_guide(pulley(k == 0 ? "left" : "right", BodyIndex(k), Vec3::Zero(), r,
                                    WrapSide::counter_clockwise, GuideHold::grip));
  Strand belt = test::belt(1.2 + 2 * kPi * r, 0.4);
  belt.length = StrandLength::fixed;
  belt.speed = 10 * r;
  const System system = builder.add_strand(belt).build();
  ASSERT_EQ(system.dof_count(), 3);
  Workspace ws(system);
  State state = system.default_state();
  run(system, 1e-3, 2, state, ws);
  EXPECT_NEAR(state.q[0], 20, 1e-8);
  EXPECT_NEAR(state.q[1], 20, 1e-8);
  EXPECT_NEAR(state.q[2], 20 * r, 1e-8);
}

TEST(StrandGuideMotion, EveryIntegratorStepsThemWithoutAllocating) {
  SINEW_NEEDS_ALLOCATION_COUNTS();
  std::vector<System> systems;
  for (const bool elastic : {false, true}) {
    SystemBuilder builder(test::floating_tree(3, 3));
    builder.add_strand_node(free_node("a", Vec3(-1, -0.5, 0), 0.3));
    builder.add_strand_node(free_node("b", Vec3(1, -0.4, 0.1), 0.2));
    builder.add_strand_guide(
        pulley("pulley", BodyIndex(0), Vec3(0, 0.1, 0), 0.1, WrapSide::clockwise));
    Strand rope = inextensible({{"a", 0.0, "pulley"}, {"b", 2.5}}, 0.2);
    rope.law.elastic = LinearStretch{100};
    if (elastic) rope.length = StrandLength::elastic;
    systems.push_back(builder.add_strand(rope).build());
  }
  systems.push_back(belt_drive(0.1, 1, 0.01).build());
  for (const System& system : systems)
    for (const IntegratorInfo& method : integrator_table()) {
      SCOPED_TRACE(method.name);
      const StepOptions options{.integrator = method.integrator};
      ASSERT_FALSE(refusal(system, options));
      State state = system.default_state(), fresh = state;
      Workspace ws(system);
      for (int k = 0; k < 3; ++k) {
        ASSERT_EQ(step(system, options, 1e-4, state, ws).status, StepStatus::ok);
        Workspace other(system);
        ASSERT_EQ(step(system, options, 1e-4, fresh, other).status, StepStatus::ok);
        ASSERT_EQ(state, fresh);  // a fresh workspace changes no bit
      }
      const test::AllocationGuard guard;
      for (int k = 0; k < 3; ++k) step(system, options, 1e-4, state, ws);
      EXPECT_EQ(guard.count(), 0);
    }
}

}  // namespace strand_guides_motion_test
}  // namespace sinew

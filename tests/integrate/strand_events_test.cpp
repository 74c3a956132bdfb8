#include <gtest/gtest.h>

#include "sinew/integrate/integrator_table.hpp"
#include "sinew/integrate/simulate.hpp"
#include "sinew/strands/strands.hpp"
#include "support/pulleys.hpp"

/// What ends a run of strands, by kind and by name.

namespace sinew {
namespace strand_events_test {

using test::free_node;
using test::inextensible;
using test::on_rim;
using test::pulley;
using test::rigid_node;
using test::wheel;
using Kind = StrandEvent::Kind;

/// Steps until a step fails.
struct Ending {
  StepReport report;
  std::optional<StrandEvent> event;
  double t;
};
Ending run_until_failure(const System& system, Integrator method = Integrator::sdirk2) {
  Workspace ws(system);
  State state = system.default_state();
  StepReport report;
  for (int k = 0; k < 3000 && report.status == StepStatus::ok; ++k)
    report = step(system, {.integrator = method, .newton_halvings = 0}, 1e-3, state, ws);
  return {report, system.strands()->event(*ws.parts[system.strands_index()]), state.t};
}

TEST(StrandEvents, ANodeReachesItsGuide) {
  SystemBuilder builder(test::still_skeleton());
  builder.add_strand_node(free_node("light", Vec3(-0.03, -0.3, 0), 0.2));
  builder.add_strand_node(free_node("heavy", Vec3(0.03, -0.5, 0), 1));
  builder.add_strand_guide(pulley("block", kWorld, Vec3::Zero(), 0.03, WrapSide::clockwise));
  builder.add_strand(inextensible({{"light", 0.0, "block"}, {"heavy", 0.9}}, 0));
  const System system = builder.build();
  State state = system.default_state();
  state.q.tail<3>() = Vec3(0.02, -0.01, 0);
  Workspace ws(system);
  VecX qddot(6);
  forward_dynamics(system, state, ws, qddot);
  const PartScratch& scratch = *ws.parts[system.strands_index()];
  const std::optional<StrandEvent> event = system.strands()->event(scratch);
  ASSERT_TRUE(event);
  EXPECT_EQ(event->kind, Kind::guide_reached);
  EXPECT_EQ(event->node, 1);
  EXPECT_EQ(event->guide, 0);
  EXPECT_EQ(system.strands()->failure(scratch).text,
            "node 'heavy' of strand 'rope', which has reached guide 'block'");
}

TEST(StrandEvents, ABeadMeetsTheEndOfItsSection) {
  SystemBuilder builder(test::still_skeleton());
  builder.set_gravity({0, -9.81, 0});
  builder.add_strand_node(rigid_node("top", kWorld, Vec3::Zero()));
  builder.add_strand_node(free_node("bead", Vec3(0.001, -0.5, 0), 0.1));
  builder.add_strand_node(rigid_node("bottom", kWorld, Vec3(0, -1, 0)));
  Strand string;
  string.name = "string";
  string.points = {{"top", 0.0}, {"bead", {}}, {"bottom", 0.999}};
  string.law = {LinearStretch{1000}, 1, true};
  const System system = builder.add_strand(string).build();
  // Exactly there no direction is left.
  State state = system.default_state();
  state.q = Vec3(0, -1, 0);
  Workspace ws(system);
  VecX qddot(3);
  forward_dynamics(system, state, ws, qddot);
  const PartScratch& scratch = *ws.parts[system.strands_index()];
  EXPECT_EQ(system.strands()->failure(scratch).text,
            "end 'bottom' of strand 'string' has reached 'bead'");
  EXPECT_EQ(system.strands()->event(scratch)->kind, Kind::end_reached);
}

/// Runs to 1 s, or to the event.
SimulationResult run_to_event(const System& system, Integrator method, State& state) {
  Workspace ws(system);
  state = system.default_state();
  const SimulationSettings settings{
      .step = {.integrator = method, .relative_tolerance = 1e-10, .absolute_tolerance = 1e-12},
      .dt = 1e-3,
      .until = 3};
  return simulate(system, settings, state, ws);
}

/// 1 m of chain of which 0.1 m hang over the edge of a table; its other end is on the table.
System chain_over_edge(StrandEnds ends) {
  SystemBuilder builder(test::still_skeleton());
  builder.set_gravity({0, -9.81, 0});
  builder.add_strand_node(rigid_node("back", kWorld, Vec3(-1.2, 0, 0)));
  builder.add_strand_node(rigid_node("edge", kWorld, Vec3::Zero()));
  builder.add_strand_node({"tail", ShapedNode{PolylineCurve{}, {"back", "edge"}, {0.25, 0}}});
  builder.add_strand_node(free_node("head", Vec3(0, -0.1, 0)));
  Strand chain = inextensible({{"tail", 0.0}, {"edge", {}}, {"head", 1.0}}, 0.5, "chain");
  chain.ends = ends;
  return builder.add_strand(chain).build();
}

TEST(StrandEvents, AChainIsGoneOverTheEdgeWhenItsEquationSaysSo) {
  // x = 0.1 cosh √(g/l) t
  const double gone = std::acosh(10) / std::sqrt(9.81);
  EXPECT_NEAR(gone, 0.95566, 5e-6);  // the digits given
  for (const StrandEnds ends : {StrandEnds::stop, StrandEnds::release}) {
    const System system = chain_over_edge(ends);
    for (const Integrator method : {Integrator::rk4, Integrator::dopri5}) {
      SCOPED_TRACE(to_string(method));
      State state;
      const SimulationResult result = run_to_event(system, method, state);
      EXPECT_EQ(result.event.kind, "end_reached");
      EXPECT_EQ(result.event.element, "chain");
      EXPECT_EQ(result.event.node, "tail");
      EXPECT_EQ(result.event.at, "edge");
      EXPECT_NEAR(result.event.time, gone, 1e-6);
      EXPECT_NEAR(state.t, gone, 5e-6);  // 1e-5 m before, at 3.1 m/s
      const bool stops = ends == StrandEnds::stop;
      EXPECT_EQ(result.end, stops ? SimulationEnd::failed : SimulationEnd::finished);
      if (!stops) continue;
      EXPECT_EQ(describe_failure(system, result, state),
                "part failed at t = 0.955663 s, end 'tail' of strand 'chain' has reached 'edge'");
    }
    // The error of second order at 1 ms.
    State state;
    const SimulationResult result = run_to_event(system, Integrator::sdirk2, state);
    EXPECT_EQ(result.event.kind, "end_reached");
    EXPECT_NEAR(result.event.time, gone, 1e-5);
  }
}

TEST(StrandEvents, NothingIsThereBeforeItIsReached) {
  // Steps are those of a run that does not look: until shortly before, to the bit.
  const System system = chain_over_edge(StrandEnds::stop);
  Workspace ws(system), other(system);
  State state = system.default_state(), steps = state;
  const SimulationSettings settings{
      .step = {.integrator = Integrator::rk4}, .dt = 1e-3, .until = 0.95};
  EXPECT_EQ(simulate(system, settings, state, ws).end, SimulationEnd::finished);
  for (int k = 1; k <= 950; ++k) {
    step(system, settings.step, 1e-3, steps, other);
    steps.t = k * 1e-3;
  }
  steps.t = state.t;
  EXPECT_EQ(hash(state), hash(steps));
}

TEST(StrandEvents, BeadsMeetWhereTheyGo) {
  // Along a straight string no force acts on them.
  SystemBuilder builder(test::still_skeleton());
  builder.set_gravity(Vec3::Zero());
  builder.add_strand_node(rigid_node("left", kWorld, Vec3::Zero()));
  builder.add_strand_node(free_node("a", Vec3(0.3, 0, 0), 0.1, Vec3(0.2, 0, 0)));
  builder.add_strand_node(free_node("b", Vec3(0.7, 0, 0), 0.1, Vec3(-0.3, 0, 0)));
  builder.add_strand_node(rigid_node("right", kWorld, Vec3(1, 0, 0)));
  Strand string;
  string.name = "string";
  string.points = {{"left", 0.0}, {"a", {}}, {"b", {}}, {"right", 0.999}};
  string.law.elastic = LinearStretch{10};
  const System system = builder.add_strand(string).build();
  for (const Integrator method : {Integrator::rk4, Integrator::sdirk2, Integrator::dopri5,
                                  Integrator::bdf2, Integrator::variational}) {
    SCOPED_TRACE(to_string(method));
    State state;
    const SimulationResult result = run_to_event(system, method, state);
    EXPECT_EQ(result.end, SimulationEnd::failed);
    EXPECT_EQ(result.event.kind, "nodes_met");
    EXPECT_EQ(result.event.text, "nodes that met on strand 'string': 'a' and 'b'");
    EXPECT_NEAR(result.event.time, 0.4 / 0.5, 1e-6);
  }
}

TEST(StrandEvents, AKnotStopsAnEndAtItsRing) {
  // Atwood's machine: the light end rises to the ring after √(2 · 0.5/a), a = g/3, and stays.
  SystemBuilder builder(test::still_skeleton());
  builder.set_gravity({0, -9.81, 0});
  builder.add_strand_node(free_node("heavy", Vec3(0, -0.5, 0), 1));
  builder.add_strand_node(rigid_node("ring", kWorld, Vec3::Zero()));
  builder.add_strand_node(free_node("light", Vec3(0, -0.5, 0), 0.5));
  Strand rope = inextensible({{"heavy", 0.0}, {"ring", {}}, {"light", 1.0}}, 0);
  rope.ends = StrandEnds::knot;
  const System system = builder.add_strand(rope).build();
  ASSERT_EQ(system.unilaterals().limits.size(), 2u);
  EXPECT_EQ(system.unilaterals().limits[1].name(), "rope_end");
  for (const Integrator method :
       {Integrator::semi_implicit_euler, Integrator::linearly_implicit_euler, Integrator::bdf1}) {
    SCOPED_TRACE(to_string(method));
    State state;
    const SimulationResult result = run_to_event(system, method, state);
    EXPECT_EQ(result.end, SimulationEnd::finished);
    EXPECT_EQ(result.event.kind, "");
    // A thousandth of the rope is kept; the impact is within a step.
    EXPECT_NEAR(state.q.tail<3>().norm(), 1e-3, 1e-6);
    EXPECT_LT(state.qdot.norm(), 1e-6);
  }
}

TEST(StrandEvents, ARopeComesOffItsDrum) {
  SystemBuilder builder(SkeletonBuilder().add_body(wheel("drum", Vec3::Zero(), 0.02)).build());
  builder.set_gravity({0, -9.81, 0});
  builder.add_strand_node(free_node("load", Vec3(0.1, -0.3, 0), 1));
  builder.add_strand_guide(pulley("rim", BodyIndex(0), Vec3::Zero(), 0.1, WrapSide::clockwise));
  builder.add_strand(inextensible({on_rim("rim", 0), {"load", 0.6}}, 0.2));
  const System system = builder.build();
  // Its time does not depend on the length of steps.
  double times[2];
  for (const int k : {0, 1}) {
    Workspace ws(system);
    State state = system.default_state();
    const SimulationSettings settings{
        .step = {.integrator = Integrator::rk4}, .dt = k == 0 ? 1e-3 : 7e-4, .until = 3};
    const SimulationResult result = simulate(system, settings, state, ws);
    EXPECT_EQ(result.event.kind, "unwound");
    EXPECT_EQ(result.event.at, "rim");
    times[k] = result.event.time;
  }
  EXPECT_NEAR(times[0], times[1], 1e-6);
  const Ending end = run_until_failure(system);
  ASSERT_TRUE(end.event);
  EXPECT_EQ(end.event->kind, Kind::unwound);
  EXPECT_EQ(end.report.part_failure.text, "strand 'rope' has unwound from guide 'rim'");
}

TEST(StrandEvents, AStrandLeavesAGuideWithFriction) {
  // Both ends fly up.
  SystemBuilder builder(test::still_skeleton());
  builder.set_gravity(Vec3::Zero());
  builder.add_strand_node(free_node("a", Vec3(-0.5, -0.1, 0), 1, Vec3(0, 1, 0)));
  builder.add_strand_node(free_node("b", Vec3(0.5, -0.1, 0), 1, Vec3(0, 1, 0)));
  StrandGuide guide =
      pulley("pin", kWorld, Vec3::Zero(), 0.03, WrapSide::clockwise, GuideHold::friction);
  guide.friction = {0.3, 1e-2, 1e-3};
  builder.add_strand_guide(guide);
  Strand rope;
  rope.name = "rope";
  rope.points = {{"a", 0.0, "pin"}, {"b", 1.1}};
  rope.law.elastic = LinearStretch{100};
  const Ending end = run_until_failure(builder.add_strand(rope).build());
  ASSERT_TRUE(end.event);
  EXPECT_EQ(end.event->kind, Kind::guide_left);
  EXPECT_EQ(end.report.part_failure.text,
            "strand 'rope' has lifted off guide 'pin', which has friction");
  EXPECT_NEAR(end.t, 0.13, 0.01);
}

TEST(StrandEvents, ABeadComesToAMaterialNodeInsideItsStrand) {
  // Along a straight string no force acts on it.
  SystemBuilder builder(test::still_skeleton());
  builder.set_gravity(Vec3::Zero());
  builder.add_strand_node(rigid_node("left", kWorld, Vec3::Zero()));
  builder.add_strand_node(free_node("bead", Vec3(0.3, 0, 0), 0.1, Vec3(0.2, 0, 0)));
  builder.add_strand_node(rigid_node("middle", kWorld, Vec3(0.5, 0, 0)));
  builder.add_strand_node(rigid_node("right", kWorld, Vec3(1, 0, 0)));
  Strand string;
  string.name = "string";
  string.points = {{"left", 0.0}, {"bead", {}}, {"middle", 0.4995}, {"right", 0.999}};
  string.law.elastic = LinearStretch{10};
  const System system = builder.add_strand(string).build();
  for (const Integrator method : {Integrator::rk4, Integrator::sdirk2, Integrator::bdf2}) {
    SCOPED_TRACE(to_string(method));
    State state;
    const SimulationResult result = run_to_event(system, method, state);
    EXPECT_EQ(result.end, SimulationEnd::failed);
    EXPECT_EQ(result.event.kind, "piece_gone");
    EXPECT_EQ(result.event.element, "string");
    EXPECT_EQ(result.event.node, "middle");
    EXPECT_EQ(result.event.at, "bead");
    EXPECT_EQ(result.event.text, "nodes that met on strand 'string': 'middle' and 'bead'");
    EXPECT_NEAR(result.event.time, 0.2 / 0.2, 1e-6);
  }
}

TEST(StrandEvents, AStrandLosesItsWayAroundAGuide) {
  // A bead winds itself up: its string of 0.5 m becomes shorter by rφ, its speed stays. Wound by a
  // quarter turn at the start, it is lost 7/8 of half a turn later.
  const double r = 0.03, l = 0.5, more = 0.875 * std::numbers::pi;
  SystemBuilder builder(test::still_skeleton());
  builder.set_gravity(Vec3::Zero());
  builder.add_strand_node(rigid_node("nail", kWorld, Vec3(-r, -0.5, 0)));
  builder.add_strand_node(free_node("bead", Vec3(l, r, 0), 0.2, Vec3(0, -1, 0)));
  builder.add_strand_guide(pulley("peg", kWorld, Vec3::Zero(), r, WrapSide::clockwise));
  builder.add_strand(
      inextensible({{"nail", 0.0, "peg"}, {"bead", 0.5 + l + 0.5 * std::numbers::pi * r}}, 0));
  const System system = builder.build();
  State state;
  const SimulationResult result = run_to_event(system, Integrator::rk4, state);
  EXPECT_EQ(result.end, SimulationEnd::failed);
  EXPECT_EQ(result.event.kind, "guide_lost");
  EXPECT_EQ(result.event.at, "peg");
  EXPECT_EQ(result.event.text,
            "strand 'rope' has lost its way around guide 'peg' (no path on the chosen side)");
  EXPECT_NEAR(result.event.time, l * more - 0.5 * r * more * more, 1e-6);
  EXPECT_NEAR(state.qdot.norm(), 1, 1e-9);
}

TEST(StrandEvents, AStrandLeavesAPulleyThatItTurns) {
  // Both ends fly up. When they are as high as the top of the pulley the strand is straight.
  SystemBuilder builder(SkeletonBuilder().add_body(wheel("wheel", Vec3::Zero(), 1e-3)).build());
  builder.set_gravity(Vec3::Zero());
  const double r = 0.03, y = -0.1, away = std::hypot(0.5, y);
  // Tangents, and the angle from one to the other.
  const double tangent = std::sqrt(away * away - r * r),
               angle = 2 * (0.5 * std::numbers::pi + std::asin(-y / away) - std::acos(r / away));
  builder.add_strand_node(free_node("a", Vec3(-0.5, y, 0), 1, Vec3(0, 1, 0)));
  builder.add_strand_node(free_node("b", Vec3(0.5, y, 0), 1, Vec3(0, 1, 0)));
  builder.add_strand_guide(
      pulley("pin", BodyIndex(0), Vec3::Zero(), r, WrapSide::clockwise, GuideHold::grip));
  builder.add_strand(inextensible({{"a", 0.0, "pin"}, {"b", 2 * tangent + r * angle}}, 0));
  const System system = builder.build();
  for (const Integrator method : {Integrator::rk4, Integrator::sdirk2}) {
    SCOPED_TRACE(to_string(method));
    State state;
    const SimulationResult result = run_to_event(system, method, state);
    EXPECT_EQ(result.end, SimulationEnd::failed);
    EXPECT_EQ(result.event.kind, "guide_left");
    EXPECT_EQ(result.event.element, "rope");
    EXPECT_EQ(result.event.at, "pin");
    EXPECT_EQ(result.event.text, "strand 'rope' has lifted off guide 'pin', which it should turn");
    // To a millionth of a step.
    EXPECT_NEAR(state.q[2], r, 1e-8);
    EXPECT_NEAR(state.q[5], r, 1e-8);
    EXPECT_NEAR(state.q[0], 0, 1e-9);  // neither side pulls more
  }
}

}  // namespace strand_events_test
}  // namespace sinew

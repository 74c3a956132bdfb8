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
  EXPECT_EQ(system.strands()->failure(scratch),
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
  EXPECT_EQ(system.strands()->failure(scratch),
            "nodes that met on strand 'string': 'bead' and 'bottom'");
  EXPECT_EQ(system.strands()->event(scratch)->kind, Kind::nodes_met);
}

TEST(StrandEvents, ARopeComesOffItsDrum) {
  SystemBuilder builder(SkeletonBuilder().add_body(wheel("drum", Vec3::Zero(), 0.02)).build());
  builder.set_gravity({0, -9.81, 0});
  builder.add_strand_node(free_node("load", Vec3(0.1, -0.3, 0), 1));
  builder.add_strand_guide(pulley("rim", BodyIndex(0), Vec3::Zero(), 0.1, WrapSide::clockwise));
  builder.add_strand(inextensible({on_rim("rim", 0), {"load", 0.6}}, 0.2));
  const Ending end = run_until_failure(builder.build());
  ASSERT_TRUE(end.event);
  EXPECT_EQ(end.event->kind, Kind::unwound);
  EXPECT_EQ(end.report.part_failure, "strand 'rope' has unwound from guide 'rim'");
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
  EXPECT_EQ(end.report.part_failure,
            "strand 'rope' has lifted off guide 'pin', which has friction");
  EXPECT_NEAR(end.t, 0.13, 0.01);
}

}  // namespace strand_events_test
}  // namespace sinew

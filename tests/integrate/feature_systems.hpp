#pragma once

#include <numbers>

#include "integrate/contact_systems.hpp"
#include "sinew/builder/system_builder.hpp"
#include "sinew/integrate/integrator_table.hpp"
#include "sinew/muscles/path/muscle.hpp"
#include "support/hill_examples.hpp"
#include "support/soft_systems.hpp"
#include "support/strand_systems.hpp"

namespace sinew::test {

/// Strands of the systems below: through nodes of every sort, or around guides.
enum class StrandVariant { nodes, guides };

/// Over a pulley with friction, from a drum and as a belt; with constraints also one that grips a
/// wheel, with limits one that becomes taut.
inline void add_guided_strands(SystemBuilder& builder, bool constraints, bool limits) {
  const double r = 0.03;
  const auto guide = [&](const char* name, BodyIndex body, const Vec3& centre, WrapSide side,
                         GuideHold hold = GuideHold::slip) {
    builder.add_strand_guide({name, body, Pose::Translation(centre),
                              PulleyWrap{.radius = r, .side = side}, hold,
                              GuideFriction{0.3, 0.1, 0}});
  };
  const auto clockwise = WrapSide::clockwise, counter = WrapSide::counter_clockwise;
  Strand strand;
  strand.density = 0.3;
  strand.law = {LinearStretch{20}, 0.2, false};
  guide("rough", kWorld, Vec3(0.2, 0.5, 0), clockwise, GuideHold::friction);
  builder.add_strand_node(rigid_node("tie", BodyIndex(0), Vec3(0.1, 0.02, 0)));
  builder.add_strand_node(free_node("hang", Vec3(0.25, 0.2, 0), 0.05));
  strand.name = "rubbing";
  strand.points = {{"tie", 0.0, "rough"}, {"hang", 0.85}};
  builder.add_strand(strand);
  guide("drum", BodyIndex(1), Vec3::Zero(), clockwise);
  builder.add_strand_node(free_node("load", Vec3(0.4, -0.4, 0), 0.05));
  strand.name = "hoist";
  strand.points = {{"", 0.0, "drum"}, {"load", 0.3}};
  builder.add_strand(strand);
  guide("left", kWorld, Vec3(-0.3, 0, 0), counter);
  guide("right", BodyIndex(0), Vec3(0.02, 0, 0), counter);
  builder.add_strand_node(rigid_node("below", kWorld, Vec3(-0.15, -r, 0)));
  builder.add_strand_node(rigid_node("above", kWorld, Vec3(-0.15, r, 0)));
  strand.name = "belt";
  strand.points = {{"below", {}, "right"}, {"above", {}, "left"}};
  strand.loop = 0.8;
  strand.speed = 0.5;
  builder.add_strand(strand);
  strand.loop.reset();
  if (constraints) {
    // As fast as the wheel turns at the start.
    const double v = 9 * r;
    guide("wheel", BodyIndex(0), Vec3::Zero(), clockwise, GuideHold::grip);
    builder.add_strand_node(free_node("up", Vec3(-r, -0.3, 0), 0.05, Vec3(0, v, 0)));
    builder.add_strand_node(free_node("down", Vec3(r, -0.3, 0), 0.05, Vec3(0, -v, 0)));
    strand.name = "gripping";
    strand.points = {{"up", 0.0, "wheel"}, {"down", 0.6 + std::numbers::pi * r}};
    strand.length = StrandLength::fixed;
    builder.add_strand(strand);
  }
  if (limits) {
    builder.add_strand_node(rigid_node("hook", kWorld, Vec3(0.2, 0.5, 0)));
    builder.add_strand_node(rigid_node("eye", BodyIndex(0), Vec3(0.3, 0, 0)));
    strand.name = "leash";
    strand.points = {{"hook", 0.0}, {"eye", 0.65}};
    strand.length = StrandLength::at_most;
    builder.add_strand(strand);
  }
}

/// Three bars that fall about z, with the requested features.
inline SystemBuilder builder_with(std::span<const Feature> content,
                                  StrandVariant strands = StrandVariant::nodes) {
  const auto asked = [&](Feature feature) {
    return std::find(content.begin(), content.end(), feature) != content.end();
  };
  const Revolute z{Vec3::UnitZ()};
  BodySpec a = bar("a", "", 0.4, 1, z, Vec3::Zero());
  a.q0 = {-0.4};
  BodySpec b = bar("b", "a", 0.3, 0.5, z, Vec3(0.4, 0, 0));
  b.q0 = {-0.2};
  // Rates that the rows of a gripped strand agree with.
  if (strands == StrandVariant::guides && asked(Feature::constraints)) {
    a.qdot0 = {-9};
    b.qdot0 = {-4.5};
  }
  const BodySpec c = bar("c", "b", 0.2, 0.3, z, Vec3(0.3, 0, 0));
  SystemBuilder builder(SkeletonBuilder().add_body(a).add_body(b).add_body(c).build());
  const bool dependent = asked(Feature::dependent_coordinates);
  if (asked(Feature::driven_coordinates) && dependent)
    builder.map_coordinates({{DofIndex(2), LinearFunction{{0.5, 3}, 0}, {"b_joint_1", "time"}}});
  else if (asked(Feature::driven_coordinates))
    builder.map_coordinates({{DofIndex(2), SineFunction{0.3, 40, 0.4, 0}, {"time"}}});
  else if (dependent)
    builder.map_coordinates({{DofIndex(2), LinearFunction{{0.5}, 0}, {"b_joint_1"}}});
  if (asked(Feature::constraints))
    builder.add_constraint(shared(CoordinateCoupling::Function(
        "coupling", DofIndex(1), LinearFunction{{0.5}, 0}, {DofIndex(0)})));
  if (asked(Feature::contacts)) builder.add_limit(coordinate_limit("stop", DofIndex(0), -0.5, 1));
  if (asked(Feature::bearings))
    builder.add_bearing({"pin", CylinderBearing{0.02, 0.1}, 0.1, BodyIndex(0), "", Vec3::UnitZ()});
  if (asked(Feature::massive_muscles)) {
    Muscle muscle;
    muscle.name = "massive";
    muscle.mass = 0.2;
    muscle.tension = 20.0;
    muscle.points = {PathPoint::Fixed(kWorld, Vec3(0.05, 0.1, 0)),
                     PathPoint::Fixed(BodyIndex(0), Vec3(0.3, 0.05, 0)),
                     PathPoint::Fixed(BodyIndex(1), Vec3(0.1, 0.03, 0))};
    builder.add_muscle(muscle);
  }
  if (asked(Feature::hill_muscles)) {
    Muscle path;
    path.name = "hill";
    path.points = {PathPoint::Fixed(kWorld, Vec3(0.05, -0.05, 0)),
                   PathPoint::Fixed(BodyIndex(0), Vec3(0.35, -0.05, 0)),
                   PathPoint::Fixed(BodyIndex(1), Vec3(0.05, -0.03, 0))};
    path.hill = flexor(0.3);
    builder.add_muscle(path);
  }
  if (asked(Feature::soft_bodies)) {
    SoftBodySpec spec = soft_block({0.3, -0.3, 0}, MaterialModel::neo_hookean);
    attach_randomly(builder.skeleton(), 1, 0.4, spec);
    builder.add_soft_body(spec);
  }
  if (asked(Feature::strands) && strands == StrandVariant::guides)
    add_guided_strands(builder, asked(Feature::constraints), asked(Feature::contacts));
  else if (asked(Feature::strands)) {
    builder.add_strand_node(rigid_node("nail", kWorld, Vec3(0.1, 0.4, 0)));
    builder.add_strand_node(free_node("bead", Vec3(0.2, 0.25, 0.02), 0.05));
    builder.add_strand_node(rigid_node("ring", BodyIndex(0), Vec3(0.3, 0.05, 0)));
    builder.add_strand_node(free_node("knot", Vec3(0.5, 0.2, 0), 0.05));
    builder.add_strand_node(rigid_node("end", BodyIndex(1), Vec3(0.2, 0.05, 0)));
    // An eye that slides along an ellipse of one body and the knot.
    builder.add_strand_node(rigid_node("middle", BodyIndex(1), Vec3(0.1, 0, 0)));
    builder.add_strand_node(
        {"eye", ShapedNode{EllipseCurve{}, {"middle", "end", "knot"}, {0.5, 0}, {0, 0}, 0.05}});
    Strand strand;
    strand.name = "strand";
    strand.density = 0.3;
    strand.law = {LinearStretch{20}, 0.2, false};
    strand.points = {{"nail", 0.0}, {"bead", {}}, {"ring", {}},
                     {"knot", 0.6}, {"eye", {}},  {"end", 0.9}};
    builder.add_strand(strand);
  }
  return builder;
}
inline System system_with(std::span<const Feature> content,
                          StrandVariant strands = StrandVariant::nodes) {
  return builder_with(content, strands).build();
}

}  // namespace sinew::test

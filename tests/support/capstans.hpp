#pragma once

#include <gtest/gtest.h>

#include "sinew/integrate/integrator.hpp"
#include "sinew/strands/strands.hpp"
#include "support/allocation_guard.hpp"
#include "support/pulleys.hpp"

/// Strands that slide over pulleys with friction.

namespace sinew::test {

constexpr double kPi = std::numbers::pi;

/// Tensions before and behind the guide of a system's only strand.
struct Sides {
  double before, behind;
};
inline Sides tensions(const System& system, const State& state, Workspace& ws) {
  update_kinematics(system, state, ws);
  controls_at(system, state, ws);
  const size_t part = system.strands_index();
  for (const StrandReading& row :
       system.strands()->read(part_at(system, part, state, ws), *ws.parts[part]))
    if (row.guide >= 0) return {row.tension, row.tension_after};
  return {};
}

struct Capstan {
  double radius = 0.03, density = 0;
  GuideFriction friction = {0.3, 1e-3, 1e-4};
  int turns = 0;
  double light = 1, heavy = 1.5, speed = 0;  ///< of both, towards the heavy side
  double stretch = 0, stiffness = 1000, damping = 0;
  bool slack = true;
  double inertia = 0, spin = 0;  ///< of the wheel that has it; zero: the world
  Vec3 gravity = {0, -9.81, 0};
};

/// Two weights, 1 m below the axis of a pulley.
inline System capstan(const Capstan& in) {
  BodySpec body = wheel("wheel", Vec3::Zero(), in.inertia > 0 ? in.inertia : 1);
  body.qdot0 = {in.spin};
  SystemBuilder builder(in.inertia > 0 ? SkeletonBuilder().add_body(body).build()
                                       : test::still_skeleton());
  builder.set_gravity(in.gravity);
  builder.add_strand_node(
      free_node("light", Vec3(-in.radius, -1, 0), in.light, Vec3(0, in.speed, 0)));
  builder.add_strand_node(
      free_node("heavy", Vec3(in.radius, -1, 0), in.heavy, Vec3(0, -in.speed, 0)));
  StrandGuide guide = pulley("capstan", in.inertia > 0 ? BodyIndex(0) : kWorld, Vec3::Zero(),
                             in.radius, WrapSide::clockwise, GuideHold::friction);
  guide.friction = in.friction;
  builder.add_strand_guide(guide);
  Strand rope;
  rope.name = "rope";
  rope.density = in.density;
  rope.law = {LinearStretch{in.stiffness}, in.damping, in.slack};
  const double length = 2 + in.radius * kPi * (1 + 2 * in.turns);
  rope.points = {{"light", 0.0, "capstan", in.turns}, {"heavy", length / (1 + in.stretch)}};
  return builder.add_strand(rope).build();
}

/// A belt on wheels of r = 0.1 m and 1e6 kg m²: the right one turns at 10 rad/s, the left one not.
inline System slipping_belt(double density, double creep = 1e-3) {
  BodySpec right = wheel("right", Vec3(0.3, 0, 0), 1e6),
           left = wheel("left", Vec3(-0.3, 0, 0), 1e6);
  right.qdot0 = {10};
  SystemBuilder builder(SkeletonBuilder().add_body(right).add_body(left).build());
  builder.set_gravity(Vec3::Zero());
  const double r = 0.1;
  builder.add_strand_node(test::rigid_node("below", kWorld, Vec3(0, -r, 0)));
  builder.add_strand_node(test::rigid_node("above", kWorld, Vec3(0, r, 0)));
  for (const bool drives : {true, false}) {
    StrandGuide guide = pulley(drives ? "right" : "left", BodyIndex(drives ? 0 : 1), Vec3::Zero(),
                               r, WrapSide::counter_clockwise, GuideHold::friction);
    guide.friction = {drives ? 0.6 : 0.2, creep, 0};
    builder.add_strand_guide(guide);
  }
  Strand belt = test::belt((1.2 + 2 * kPi * r) / 1.05, density);
  belt.law.damping = 20;
  belt.speed = 1 / 1.05;
  return builder.add_strand(belt).build();
}

/// Steps after the first ones allocate nothing.
inline void expect_no_allocation(const System& system, Integrator integrator) {
  Workspace ws(system);
  State state = system.default_state();
  const StepOptions options{.integrator = integrator};
  for (int k = 0; k < 3; ++k)
    ASSERT_EQ(step(system, options, 1e-5, state, ws).status, StepStatus::ok);
  const AllocationGuard guard;
  for (int k = 0; k < 20; ++k)
    ASSERT_EQ(step(system, options, 1e-5, state, ws).status, StepStatus::ok);
  EXPECT_EQ(guard.count(), 0);
}

}  // namespace sinew::test

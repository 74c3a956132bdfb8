#include <gtest/gtest.h>

#include <numbers>

#include "integrate/contact_systems.hpp"
#include "sinew/integrate/integrator_table.hpp"
#include "sinew/integrate/simulate.hpp"
#include "support/allocation_guard.hpp"
#include "support/shaped_strands.hpp"

/// Nodes on curves and surfaces as they move.

namespace sinew {
namespace strand_nodes_motion_test {

using test::free_node;
using test::rigid_node;

constexpr double kG = 9.81;

/// A strand that hangs loose between two nodes: they need to be on one.
Strand loose(const std::string& name, const std::string& a, const std::string& b) {
  Strand out;
  out.name = name;
  out.points = {{a, 0.0}, {b, 100.0}};
  out.law.elastic = LinearStretch{1};
  return out;
}

/// Nodes of a frame at the origin of a body, axes of length `scale`.
std::vector<std::string> add_frame(SystemBuilder& builder, BodyIndex body, double scale) {
  std::vector<std::string> out = {"o", "x", "y", "z"};
  builder.add_strand_node(rigid_node("o", body, Vec3::Zero()));
  for (int k = 0; k < 3; ++k)
    builder.add_strand_node(
        rigid_node(out[static_cast<size_t>(k) + 1], body, scale * Vec3::Unit(k)));
  return out;
}

void run(const System& system, Integrator method, double h, double until, State& state,
         Workspace& ws) {
  const SimulationSettings settings{.step = {.integrator = method}, .dt = h, .until = until};
  ASSERT_EQ(simulate(system, settings, state, ws).end, SimulationEnd::finished);
}

TEST(StrandNodeMotion, ABeadOnACircleOfABodyIsAPendulumOnIt) {
  // The circle is fixed to a bar that swings itself: the same as a body on a joint there.
  const Revolute z{Vec3::UnitZ()};
  const auto bar = [&] { return test::bar("bar", "", 0.4, 1, z, Vec3::Zero()); };
  SystemBuilder beads(SkeletonBuilder().add_body(bar()).build());
  const Vec3 hub(0.4, 0, 0);
  beads.add_strand_node(rigid_node("hub", BodyIndex(0), hub));
  beads.add_strand_node(rigid_node("x", BodyIndex(0), hub + Vec3(0.3, 0, 0)));
  beads.add_strand_node(rigid_node("y", BodyIndex(0), hub + Vec3(0, 0.3, 0)));
  beads.add_strand_node(
      {"bead", ShapedNode{EllipseCurve{}, {"hub", "x", "y"}, {0.5, 0}, {2, 0}, 0.7}});
  beads.add_strand_node(rigid_node("nail", kWorld, Vec3(0, 1, 0)));
  const System a = beads.add_strand(loose("thread", "nail", "bead")).build();
  BodySpec ball;
  ball.name = "ball";
  ball.parent = "bar";
  ball.joint = z;
  ball.E_PJ.p = hub;
  // A mass point, up to an inertia that does not matter.
  ball.M_B = SpatialInertia::FromCentral(0.7, Vec3(0.3, 0, 0), 1e-15 * Mat3::Identity());
  ball.q0 = {0.5};
  ball.qdot0 = {2};
  const System b = SystemBuilder(SkeletonBuilder().add_body(bar()).add_body(ball).build()).build();
  Workspace wa(a), wb(b);
  State sa = a.default_state(), sb = b.default_state();
  ASSERT_EQ(sa.q.size(), sb.q.size());
  for (const double t : {0.5, 1.0, 2.0}) {
    run(a, Integrator::rk4, 1e-3, t, sa, wa);
    run(b, Integrator::rk4, 1e-3, t, sb, wb);
    EXPECT_LT((sa.q - sb.q).norm(), 1e-10) << t;  // rounding, which the motion enlarges
    EXPECT_LT((sa.qdot - sb.qdot).norm(), 1e-9);
  }
}

TEST(StrandNodeMotion, ABeadOnASphereKeepsItsEnergyAndItsMomentAboutTheVertical) {
  SystemBuilder builder(test::still_skeleton());
  builder.set_gravity({0, 0, -kG});
  const std::vector<std::string> frame = add_frame(builder, kWorld, 1);
  const double r = 0.4;
  builder.add_strand_node(
      {"bead", ShapedNode{EllipsoidSurface{Vec3::Constant(r)}, frame, {0.3, -0.6}, {3, 0.5}, 0.2}});
  const System system = builder.add_strand(loose("thread", "o", "bead")).build();
  Workspace ws(system);
  State state = system.default_state();
  const auto moment = [&] {
    return std::pow(r * std::cos(state.q[1]), 2) * state.qdot[0];  // per mass
  };
  const double E0 = energy(system, state, ws).total(), moment0 = moment();
  run(system, Integrator::rk4, 1e-3, 5, state, ws);
  EXPECT_NEAR(moment(), moment0, 1e-9 * std::abs(moment0));  // rk4's error over 5000 steps
  EXPECT_NEAR(energy(system, state, ws).total(), E0, 1e-9);
  EXPECT_GT(std::abs(state.q[0]), 6);
}

TEST(StrandNodeMotion, ABeadSlidesDownAHelixAsOnASlope) {
  // A surface node on a cylinder, held at a constant slope by nothing: it falls freely along the
  // axis and turns at a constant rate.
  SystemBuilder builder(test::still_skeleton());
  builder.set_gravity({0, 0, -kG});
  const std::vector<std::string> frame = add_frame(builder, kWorld, 1);
  builder.add_strand_node(
      {"bead", ShapedNode{CylinderSurface{0.3}, frame, {0.2, 1.0}, {2, 0.5}, 0.2}});
  const System system = builder.add_strand(loose("thread", "o", "bead")).build();
  Workspace ws(system);
  State state = system.default_state();
  run(system, Integrator::rk4, 1e-3, 1, state, ws);
  EXPECT_NEAR(state.q[0], 0.2 + 2, 1e-12);
  EXPECT_NEAR(state.q[1], 1.0 + 0.5 - kG / 2, 1e-12);
}

TEST(StrandNodeMotion, ACappedCurveHoldsItsNode) {
  // Down a slope of 45°, √2 m long: at the end after √(2 √2 / (g sin 45°)) s, where it stays.
  SystemBuilder builder(test::still_skeleton());
  builder.set_gravity({0, -kG, 0});
  builder.add_strand_node(rigid_node("top", kWorld, Vec3(0, 1, 0)));
  builder.add_strand_node(rigid_node("bottom", kWorld, Vec3(1, 0, 0)));
  builder.add_strand_node(
      {"bead",
       ShapedNode{PolylineCurve{CurveEnds::capped, 0.25}, {"top", "bottom"}, {0, 0}, {0, 0}, 0.2}});
  const System system = builder.add_strand(loose("thread", "top", "bead")).build();
  ASSERT_EQ(system.unilaterals().limits.size(), 1u);
  EXPECT_EQ(system.unilaterals().limits[0].name(), "bead_u");
  Workspace ws(system);
  State state = system.default_state();
  const double h = 1e-3, down = std::sqrt(2 * std::sqrt(2.0) / (kG * std::sqrt(0.5)));
  while (state.q[0] < 0.9999 && state.t < 2)
    ASSERT_EQ(
        step(system, {.integrator = Integrator::linearly_implicit_euler}, h, state, ws).status,
        StepStatus::ok);
  EXPECT_NEAR(state.t, down, 2 * h);  // a step, and half of one that a first-order method is early
  run(system, Integrator::linearly_implicit_euler, h, 1.5, state, ws);
  EXPECT_NEAR(state.q[0], 1, 1e-6);
  EXPECT_NEAR(state.qdot[0], 0, 1e-9);
}

/// A strand from a nail through a tube on a pivot to another nail, with a node that holds its
/// material in the tube, off its centre: Sueda 2010, Fig. 6.4a. The largest tilt within 5 s.
double tilt_of_tube(StrandMass mass_model) {
  BodySpec tube = test::bar("tube", "", 0.1, 0.05, Revolute{Vec3::UnitZ()}, Vec3::Zero());
  tube.M_B = SpatialInertia::FromCentral(0.05, Vec3::Zero(), 5e-5 * Mat3::Identity());
  tube.q0 = {0};
  SystemBuilder builder(SkeletonBuilder().add_body(tube).build());
  builder.set_gravity({0, -kG, 0});
  builder.add_strand_node(rigid_node("left", kWorld, Vec3(-0.15, 0, 0)));
  builder.add_strand_node(rigid_node("in", BodyIndex(0), Vec3(-0.05, 0, 0)));
  builder.add_strand_node(rigid_node("out", BodyIndex(0), Vec3(0.05, 0, 0)));
  builder.add_strand_node(rigid_node("right", kWorld, Vec3(0.15, 0, 0)));
  builder.add_strand_node(
      {"held", ShapedNode{PolylineCurve{}, {"in", "out"}, {0.8, 0}, {0, 0}, 0}});
  Strand strand;
  strand.name = "strand";
  strand.points = {{"left", 0.0}, {"in", {}}, {"held", 0.18}, {"out", {}}, {"right", 0.3}};
  strand.points[2].s = 0.18 / 1.01;
  strand.points[4].s = 0.3 / 1.01;
  strand.density = 0.2;
  strand.mass_model = mass_model;
  strand.law.elastic = LinearStretch{100};
  const System system = builder.add_strand(strand).build();
  Workspace ws(system);
  State state = system.default_state();
  double largest = 0;
  while (state.t < 5 - 1e-9) {
    EXPECT_EQ(step(system, {.integrator = Integrator::sdirk2}, 2e-3, state, ws).status,
              StepStatus::ok);
    largest = std::max(largest, std::abs(state.q[0]));
  }
  return largest;
}

TEST(StrandNodeMotion, AHeldNodeInATubeTiltsItOnlyIfMassIsLumped) {
  EXPECT_LT(tilt_of_tube(StrandMass::continuous), 1e-6);
  EXPECT_GT(tilt_of_tube(StrandMass::lumped), 1e-3);
}

TEST(StrandNodeMotion, EveryIntegratorStepsThemWithoutAllocating) {
  SINEW_NEEDS_ALLOCATION_COUNTS();
  for (const bool inextensible : {false, true})
    for (const test::ShapeExample& example : test::shape_examples()) {
      const System system =
          test::shaped_strands(7, example, test::Meets::through, 0.2, inextensible).build();
      for (const IntegratorInfo& method : integrator_table()) {
        SCOPED_TRACE(std::string(example.name) + " with " + std::string(method.name));
        const StepOptions options{.integrator = method.integrator};
        ASSERT_FALSE(refusal(system, options));
        State state = system.default_state();
        State fresh = state;
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
}

}  // namespace strand_nodes_motion_test
}  // namespace sinew

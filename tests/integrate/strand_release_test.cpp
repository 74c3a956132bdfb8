#include <gtest/gtest.h>

#include "sinew/integrate/integrator_table.hpp"
#include "sinew/integrate/simulate.hpp"
#include "sinew/strands/strands.hpp"
#include "support/allocation_guard.hpp"
#include "support/pulleys.hpp"
#include "support/residual_derivatives.hpp"

/// Strands whose ends slip out of rings, and go on.

namespace sinew {
namespace strand_release_test {

using test::free_node;
using test::rigid_node;

/// A rope of a metre through rings, with free ends. Forces are small beside its stiffness.
struct Rope {
  std::vector<Vec3> rings;
  Vec3 tail, head, tail_v, head_v;
  double rest = 1, stiffness = 1e4, damping = 10;
  Vec3 gravity = Vec3::Zero();

  System build() const {
    SystemBuilder builder(test::still_skeleton());
    builder.set_gravity(gravity);
    Strand rope;
    rope.name = "rope";
    rope.density = 0.2;
    rope.law = {LinearStretch{stiffness}, damping, false};
    rope.ends = StrandEnds::release;
    builder.add_strand_node(free_node("tail", tail, 0, tail_v));
    rope.points = {{"tail", 0.0}};
    for (size_t k = 0; k < rings.size(); ++k) {
      const std::string name = "ring" + std::to_string(k);
      builder.add_strand_node(rigid_node(name, kWorld, rings[k]));
      rope.points.push_back({name, {}});
    }
    builder.add_strand_node(free_node("head", head, 0, head_v));
    rope.points.push_back({"head", rest});
    return builder.add_strand(rope).build();
  }
};

SimulationResult run(const System& system, double until, State& state, Workspace& ws,
                     Integrator method = Integrator::sdirk2) {
  const SimulationSettings settings{.step = {.integrator = method}, .dt = 1e-3, .until = until};
  return simulate(system, settings, state, ws);
}

/// Through two rings on a line, at 1 m/s: nothing pulls, before and behind.
Rope straight() {
  return {.rings = {Vec3::Zero(), Vec3(0.1, 0, 0)},
          .tail = Vec3(-0.1, 0, 0),
          .head = Vec3(0.9, 0, 0),
          .tail_v = Vec3::UnitX(),
          .head_v = Vec3::UnitX()};
}

TEST(StrandRelease, AStraightRopeRunsOutOfItsRings) {
  const System system = straight().build();
  for (const IntegratorInfo& method : integrator_table()) {
    SCOPED_TRACE(method.name);
    Workspace ws(system);
    State state = system.default_state();
    const double before = energy(system, state, ws).total();
    const SimulationResult result = run(system, 0.4, state, ws, method.integrator);
    ASSERT_EQ(result.end, SimulationEnd::finished) << result.event.text;
    EXPECT_EQ(state.q[6], 2);  // both rings are left
    EXPECT_NEAR(state.q[0], 0.3, 1e-6);
    EXPECT_NEAR(state.q[3], 1.3, 1e-6);
    EXPECT_NEAR(energy(system, state, ws).total(), before, 1e-9);
  }
}

/// Down through a ring and on to the side: the tail comes from above, where nothing makes it swing.
Rope bent() {
  const Vec3 side = Vec3(0.35, -1, 0.1).normalized();
  return {.rings = {Vec3::Zero()},
          .tail = Vec3(0, 0.15, 0),
          .head = 0.852 * side,
          .tail_v = Vec3(0, -1, 0),
          .head_v = side + Vec3(0.2, 0, 0.1),
          .gravity = Vec3(0, -9.81, 0)};
}

TEST(StrandRelease, BehindItsRingARopeFallsFreely) {
  const System system = bent().build();
  Workspace ws(system);
  State state = system.default_state();
  const auto momenta = [&](const State& s) {
    const VecX p = [&] {
      MatX M;
      mass_matrix(system, {0, s.q, s.qdot}, ws, M);
      return VecX(M * s.qdot);
    }();
    Eigen::Matrix<double, 6, 1> out;  // linear, and about the origin
    out << p.head<3>() + p.segment<3>(3), Vec3(s.q.head<3>()).cross(Vec3(p.head<3>())) +
                                              Vec3(s.q.segment<3>(3)).cross(Vec3(p.segment<3>(3)));
    return out;
  };
  // Until it has slipped out: 15 cm at 1 m/s and more.
  double t = 0;
  while (state.q[6] == 0 && t < 0.3) {
    t += 1e-3;
    ASSERT_EQ(run(system, t, state, ws).end, SimulationEnd::finished);
  }
  ASSERT_EQ(state.q[6], 1);
  EXPECT_GT(t, 0.05);
  const State out = state;
  const auto start = momenta(out);
  const double before = energy(system, out, ws).total();
  ASSERT_EQ(run(system, out.t + 0.3, state, ws).end, SimulationEnd::finished);
  const auto end = momenta(state);
  const double h = state.t - out.t, m = 0.2;
  EXPECT_NEAR(end[1] - start[1], -m * 9.81 * h, 1e-9);
  EXPECT_NEAR(end[0], start[0], 1e-9);
  // Its centre falls on a parabola; about that its angular momentum stays.
  const auto spin = [&](const State& s, const Eigen::Matrix<double, 6, 1>& p) {
    const Vec3 centre = 0.5 * (s.q.head<3>() + s.q.segment<3>(3));
    return Vec3(p.tail<3>() - centre.cross(Vec3(p.head<3>())));
  };
  EXPECT_LT((spin(state, end) - spin(out, start)).norm(), 1e-6 * spin(out, start).norm() + 1e-9);
  EXPECT_LT(energy(system, state, ws).total(), before + 1e-9);  // dampers only take
}

TEST(StrandRelease, NothingJumpsWhereItSlipsOut) {
  // The rope is led by the rings, whose pull ends there: energy and momentum do not.
  Rope rope = bent();
  rope.damping = 0;
  const System system = rope.build();
  Workspace ws(system);
  State state = system.default_state();
  const double start = energy(system, state, ws).total();
  SimulationSettings settings{.step = {.integrator = Integrator::dopri5}, .until = 0.25};
  settings.step.relative_tolerance = settings.step.absolute_tolerance = 1e-10;
  double last = start, largest = 0;
  SimulationObserver observer;
  int released = 0;
  Workspace other(system);
  observer.on_step = [&](const State& s, const StepReport&) {
    const double now = energy(system, s, other).total();
    if (static_cast<int>(s.q[6]) > released) {
      released = static_cast<int>(s.q[6]);
      largest = std::abs(now - last);
    }
    last = now;
  };
  ASSERT_EQ(simulate(system, settings, state, ws, observer).end, SimulationEnd::finished);
  EXPECT_EQ(released, 1);
  const double kinetic = energy(system, state, ws).kinetic;
  EXPECT_LT(largest, 1e-4 * kinetic);  // of what is left of the piece: 1e-5 of the rope
  EXPECT_NEAR(last, start, 2e-4 * kinetic);
}

TEST(StrandRelease, TheStateAloneDecidesAndNothingIsAllocated) {
  const System system = bent().build();
  test::check_every_derivative(system, test::near_start(system, 2, 1e-3), "before");
  for (const Integrator method : {Integrator::sdirk2, Integrator::linearly_implicit_euler}) {
    Workspace ws(system);
    State state = system.default_state();
    ASSERT_EQ(run(system, 0.2, state, ws, method).end, SimulationEnd::finished);
    ASSERT_EQ(state.q[6], 1);
    Workspace fresh(system);
    State again = state;
    ASSERT_EQ(step(system, {.integrator = method}, 1e-3, again, fresh).status, StepStatus::ok);
    {
      const test::AllocationGuard guard;
      ASSERT_EQ(step(system, {.integrator = method}, 1e-3, state, ws).status, StepStatus::ok);
      EXPECT_EQ(guard.count(), 0);
    }
    EXPECT_EQ(state, again);
  }
}

TEST(StrandRelease, IsSeenInTablesAndPictures) {
  const System system = straight().build();
  const Strands& strands = *system.strands();
  Workspace ws(system);
  State state = system.default_state();
  for (int k = 0; k < 2; ++k) {
    if (k == 1) {
      ASSERT_EQ(run(system, 0.4, state, ws).end, SimulationEnd::finished);
    }
    update_kinematics(system, state, ws);
    controls_at(system, state, ws);
    const PartAt at = part_at(system, 0, state, ws);
    std::vector<double> values, points;
    strands.measure(at, *ws.parts[0], values);
    EXPECT_EQ(values.size(), strands.columns()[0].names.size());
    strands.draw(at, *ws.parts[0], points);
    EXPECT_EQ(points.size(), 3 * static_cast<size_t>(strands.shapes()[0].points));
    const auto nodes = strands.read(at, *ws.parts[0]);
    EXPECT_EQ(nodes.size(), k == 0 ? 4u : 2u);
    EXPECT_EQ(nodes.back().point, strands.shapes()[0].points - 1);
  }
  EXPECT_EQ(strands.columns()[0].names[6], "rope_start_out_u");
}

TEST(StrandRelease, WhereItCannotGoOnTheRunEndsWell) {
  // Beads at its ends would keep their direction, and bend the rope at once.
  const Rope rope = straight();
  SystemBuilder builder(test::still_skeleton());
  builder.set_gravity(Vec3::Zero());
  builder.add_strand_node(free_node("tail", rope.tail, 0.1, rope.tail_v));
  builder.add_strand_node(rigid_node("ring", kWorld, Vec3::Zero()));
  builder.add_strand_node(free_node("head", rope.head, 0.1, rope.head_v));
  Strand strand;
  strand.name = "rope";
  strand.density = 0.2;
  strand.ends = StrandEnds::release;
  strand.points = {{"tail", 0.0}, {"ring", {}}, {"head", 1.0}};
  const System system = builder.add_strand(strand).build();
  EXPECT_FALSE(system.strands()->rearranges());
  Workspace ws(system);
  State state = system.default_state();
  const SimulationResult result = run(system, 0.4, state, ws);
  EXPECT_TRUE(result.event.wanted);
  EXPECT_NEAR(result.event.time, 0.1, 1e-6);
}

}  // namespace strand_release_test
}  // namespace sinew

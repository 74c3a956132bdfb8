#include <gtest/gtest.h>

#include "sinew/integrate/integrator_table.hpp"
#include "sinew/integrate/simulate.hpp"
#include "sinew/strands/strand_divider.hpp"
#include "sinew/system/rearrangement.hpp"
#include "support/allocation_guard.hpp"
#include "support/pulleys.hpp"
#include "support/residual_derivatives.hpp"

/// Nodes of strands that pass rings and guides.

namespace sinew {
namespace strand_passages_test {

using test::free_node;
using test::pulley;
using test::rigid_node;

constexpr double kPi = std::numbers::pi, kG = 9.81;

/// The slots beside the gates of a state: in front and behind, gate by gate.
std::vector<int> gates(const State& state, int count) {
  std::vector<int> out;
  for (int k = 2 * count; k > 0; --k)
    out.push_back(static_cast<int>(std::lround(state.q[state.q.size() - k])));
  return out;
}

/// A string through two eyelets 1 m apart, whose ends are on a heavy sled. `ahead` nodes are before
/// the first eyelet.
struct RunningString {
  static constexpr int kPieces = 40;
  double tension = 100, EA = 2000, density = 0.05 * 1.05;  // 0.05 kg per metre as it is stretched
  double wave = std::sqrt(100 / 0.05), speed = 0.5 * wave, amplitude = 1e-3;
  int ahead = 310;

  double mode(double x) const { return std::sin(kPi * x); }
  double phase(double x) const { return kPi * speed * x / wave; }

  System build() const {
    const double h = 1.0 / kPieces, strain = tension / EA;
    const double omega = kPi * (wave - speed * speed / wave);
    const double first = -(ahead + 1.5) * h;
    BodySpec sled;
    sled.name = "sled";
    sled.joint = Prismatic{Vec3::UnitX()};
    sled.qdot0 = {speed};
    sled.M_B = SpatialInertia::FromCentral(1e3, Vec3::Zero(), Mat3::Identity());
    SystemBuilder builder(SkeletonBuilder().add_body(sled).build());
    builder.set_gravity(Vec3::Zero());
    Strand string;
    string.name = "string";
    string.density = density;
    string.law.elastic = LinearStretch{EA};
    const int count = ahead + kPieces + 4;
    for (int k = 0; k < count; ++k) {
      const double x = first + k * h;
      const std::string name = "n" + std::to_string(k);
      if (k == 0 || k + 1 == count) {
        builder.add_strand_node(rigid_node(name, BodyIndex(0), Vec3(x, 0, 0)));
      } else {
        // y = A sin(πx) cos(ωt + φ(x)), and the material's rate y_t + v y_x, at t = 0
        const bool between = x > 0 && x < 1;
        const double y = between ? amplitude * mode(x) * std::cos(phase(x)) : 0;
        const double y_x = kPi * std::cos(kPi * x) * std::cos(phase(x)) -
                           mode(x) * std::sin(phase(x)) * kPi * speed / wave;
        const double rate =
            between ? amplitude * (speed * y_x - omega * mode(x) * std::sin(phase(x))) : 0;
        builder.add_strand_node(free_node(name, Vec3(x, y, 0), 0, Vec3(speed, rate, 0)));
      }
      if (k == ahead + 2) string.points.push_back({"in", {}});
      if (k == ahead + 2 + kPieces) string.points.push_back({"out", {}});
      string.points.push_back({name, k * h / (1 + strain)});
      string.points.back().passes = k > 0 && k + 1 < count;
    }
    builder.add_strand_node(rigid_node("in", kWorld, Vec3::Zero()));
    builder.add_strand_node(rigid_node("out", kWorld, Vec3(1, 0, 0)));
    return builder.add_strand(string).build();
  }

  /// Amplitude and phase of the mode, by least squares over the nodes between the eyelets.
  std::pair<double, double> fit(const State& state) const {
    Eigen::Matrix2d A = Eigen::Matrix2d::Zero();
    Eigen::Vector2d b = Eigen::Vector2d::Zero();
    for (Eigen::Index k = 1; k + 2 < state.q.size(); k += 3) {
      const double x = state.q[k], y = state.q[k + 1];
      if (x <= 0.01 || x >= 0.99 || k > 3 * (ahead + kPieces + 2)) continue;
      const Eigen::Vector2d f(mode(x) * std::cos(phase(x)), -mode(x) * std::sin(phase(x)));
      A += f * f.transpose();
      b += y * f;
    }
    const Eigen::Vector2d c = A.ldlt().solve(b);
    return {c.norm(), std::atan2(c[1], c[0])};
  }
};

TEST(StrandPassages, AStringThatRunsThroughEyeletsKeepsItsWave) {
  // It runs at half the speed c of its waves. Its exact mode is sin(πx) cos(ωt + πvx/c), ω = π (c²
  // − v²)/c, three quarters of that of the string at rest; 40 linear pieces alone give 1.00026 of
  // it. The energy swings, as the eyelets work.
  const RunningString string;
  const System system = string.build();
  Workspace ws(system);
  State state = system.default_state();
  const double until = 301.0 / RunningString::kPieces / string.speed;
  const std::vector<int> start = gates(state, 2);
  double phase = 0, last = 0, gained = 0;
  while (state.t < until) {
    const StepReport report = step(system, {.integrator = Integrator::sdirk2}, 1e-4, state, ws);
    ASSERT_EQ(report.status, StepStatus::ok) << state.t << report.part_failure.text;
    gained = std::max(gained, report.work);
    const auto [amplitude, now] = string.fit(state);
    EXPECT_NEAR(amplitude, string.amplitude, 0.01 * string.amplitude) << state.t;
    phase += std::remainder(now - last, 2 * kPi);
    last = now;
  }
  EXPECT_NEAR(phase / state.t / (kPi * string.wave), 0.75, 0.002 * 0.75);
  const std::vector<int> end = gates(state, 2);
  for (const size_t gate : {0u, 2u}) EXPECT_GE(start[gate] - end[gate], 300);
  // What nodes lose when they go inside: the rest is the power of dampers, and there are none.
  EXPECT_LE(gained, 1e-9);
}

/// 1 kg and 0.8 kg on 3 m of rope over a pulley, with a node every 5 cm.
System atwood(double stiffness, double damping) {
  const double r = 0.03, hang = 1.5 - r * kPi / 2;
  const Skeleton skeleton = test::still_skeleton();
  std::vector<StrandNode> nodes = {free_node("heavy", Vec3(-r, -hang, 0), 1),
                                   free_node("light", Vec3(r, -hang, 0), 0.8)};
  const StrandGuide guide = pulley("pulley", kWorld, Vec3::Zero(), r, WrapSide::clockwise);
  Strand rope;
  rope.name = "rope";
  rope.density = 0.2;
  rope.law = {LinearStretch{stiffness}, damping, true};
  rope.points = {{"heavy", 0.0, "pulley"}, {"light", 3.0}};
  divide(skeleton, {guide}, 0.05, nodes, rope);
  SystemBuilder builder(skeleton);
  builder.set_gravity({0, -kG, 0});
  for (const StrandNode& node : nodes) builder.add_strand_node(node);
  return builder.add_strand_guide(guide).add_strand(rope).build();
}

TEST(StrandPassages, AtwoodsRopeWithANodeEveryFiveCentimetres) {
  // As without nodes: ½ (cosh kt − 1) m, k² = 2ρg/(m₁ + m₂ + ρl).
  const System system = atwood(1e5, 10);
  Workspace ws(system);
  State state = system.default_state();
  const double y = state.q[1], k = std::sqrt(2 * 0.2 * kG / 2.4), exact = 0.5 * (std::cosh(k) - 1);
  const std::vector<int> start = gates(state, 1);
  for (int n = 0; n < 1000; ++n)
    ASSERT_EQ(step(system, {.integrator = Integrator::sdirk2}, 1e-3, state, ws).status,
              StepStatus::ok);
  EXPECT_NEAR(y - state.q[1], exact, 1e-3 * exact);
  EXPECT_GE(gates(state, 1)[0] - start[0], 8);  // nodes over the pulley
}

/// The same through a tube along half a circle of 10 cm, in eight pieces.
System atwood_in_a_tube(double stiffness, double damping) {
  constexpr int kTube = 8;
  const double r = 0.1, hang = 0.5 * (3 - 2 * kTube * r * std::sin(kPi / (2 * kTube)));
  const Skeleton skeleton = test::still_skeleton();
  std::vector<StrandNode> nodes = {free_node("heavy", Vec3(-r, -hang, 0), 1),
                                   free_node("light", Vec3(r, -hang, 0), 0.8)};
  Strand rope;
  rope.name = "rope";
  rope.density = 0.2;
  rope.law = {LinearStretch{stiffness}, damping, true};
  rope.points = {{"heavy", 0.0}};
  for (int k = 0; k <= kTube; ++k) {
    const double angle = kPi * k / kTube;
    const std::string name = "tube:" + std::to_string(k);
    nodes.push_back(rigid_node(name, kWorld, r * Vec3(-std::cos(angle), std::sin(angle), 0)));
    rope.points.push_back({name, {}});
    rope.points.back().tube = k < kTube;
  }
  rope.points.push_back({"light", 3.0});
  divide(skeleton, {}, 0.05, nodes, rope);
  SystemBuilder builder(skeleton);
  builder.set_gravity({0, -kG, 0});
  for (const StrandNode& node : nodes) builder.add_strand_node(node);
  return builder.add_strand(rope).build();
}

TEST(StrandPassages, ATubeIsPassedFromEndToEnd) {
  const System system = atwood_in_a_tube(1e5, 10);
  Workspace ws(system);
  State state = system.default_state();
  const double y = state.q[1], k = std::sqrt(2 * 0.2 * kG / 2.4), exact = 0.5 * (std::cosh(k) - 1);
  const std::vector<int> start = gates(state, 1);
  const double energy_before = energy(system, state, ws).total();
  double work = 0;
  for (int n = 0; n < 1000; ++n) {
    const StepReport report = step(system, {.integrator = Integrator::sdirk2}, 1e-3, state, ws);
    ASSERT_EQ(report.status, StepStatus::ok) << state.t << report.part_failure.text;
    work += report.work;
    // 31 cm of rope are in the tube: five to eight nodes.
    const std::vector<int> now = gates(state, 1);
    EXPECT_GE(now[1] - now[0], 5) << state.t;
    EXPECT_LE(now[1] - now[0], 9) << state.t;
  }
  EXPECT_NEAR(y - state.q[1], exact, 1e-3 * exact);
  EXPECT_GE(gates(state, 1)[0] - start[0], 8);
  // It loses what its dampers take, and what bends where nodes go in.
  const double kinetic = energy(system, state, ws).kinetic;
  EXPECT_NEAR(energy(system, state, ws).total(), energy_before + work, 1e-4 * kinetic);
}

TEST(StrandPassages, ATubeIsOneGateToDerivativesAndMemory) {
  const System system = atwood_in_a_tube(1e3, 1);
  test::check_every_derivative(system, test::near_start(system, 3, 1e-3), "tube");
  for (const Integrator method : {Integrator::sdirk2, Integrator::linearly_implicit_euler}) {
    Workspace ws(system);
    State state = system.default_state();
    int changes = 0;
    for (int n = 0; n < 600; ++n) {
      const std::vector<int> before = gates(state, 1);
      if (changes < 2) {
        State fresh = state;
        Workspace other(system);
        ASSERT_EQ(step(system, {.integrator = method}, 1e-3, fresh, other).status, StepStatus::ok);
        step(system, {.integrator = method}, 1e-3, state, ws);
        ASSERT_EQ(state, fresh);
      } else {
        const test::AllocationGuard guard;
        step(system, {.integrator = method}, 1e-3, state, ws);
        EXPECT_EQ(guard.count(), 0) << n;
      }
      changes += gates(state, 1) != before;
    }
    EXPECT_GT(changes, 4);
  }
}

TEST(StrandPassages, ComingOutChangesNothingAndGoingInOnlyLoses) {
  const System system = atwood(1e3, 0);
  Workspace ws(system);
  State state = system.default_state();
  int out = 0, in = 0;
  for (int n = 0; n < 1000; ++n) {
    State moved = state;
    const double before = energy(system, state, ws).total();
    const double gained = rearrange(system, 1e-3, true, moved, ws);
    const std::vector<int> old = gates(state, 1), now = gates(moved, 1);
    EXPECT_NEAR(energy(system, moved, ws).total(), before + gained, 1e-12);
    const bool appeared = now[0] > old[0] || now[1] < old[1],
               disappeared = now[0] < old[0] || now[1] > old[1];
    out += appeared;
    in += disappeared;
    if (!appeared && !disappeared) {
      EXPECT_EQ(moved.q, state.q);
      EXPECT_EQ(gained, 0);
    }
    if (appeared && !disappeared) {
      // Rounding of 30 J; the weights do not feel it: their accelerations are the same.
      EXPECT_NEAR(gained, 0, 1e-12) << state.t;
      VecX a(system.dof_count()), b(system.dof_count());
      forward_dynamics(system, state, ws, a);
      forward_dynamics(system, moved, ws, b);
      EXPECT_LT((a.head<6>() - b.head<6>()).norm(), 1e-6 * kG) << state.t;
    }
    if (disappeared) {
      // A rope that sags is lifted to the line: gravity may take a little.
      EXPECT_LT(gained, 1e-7) << state.t;
      EXPECT_GT(gained, -1e-4) << state.t;
    }
    ASSERT_EQ(step(system, {.integrator = Integrator::sdirk2}, 1e-3, state, ws).status,
              StepStatus::ok);
  }
  EXPECT_GE(out, 8);
  EXPECT_GE(in, 8);
}

TEST(StrandPassages, TheStateAloneDecidesAndNothingIsAllocated) {
  const System system = atwood(1e4, 10);
  for (const Integrator method : {Integrator::sdirk2, Integrator::linearly_implicit_euler}) {
    Workspace ws(system);
    State state = system.default_state();
    const auto both = [&] {
      const std::vector<int> g = gates(state, 1);
      return g[0] - g[1];
    };
    int changes = 0;
    for (int n = 0; n < 1000; ++n) {
      State fresh = state;
      const int before = both();
      if (changes < 4) {
        Workspace other(system);
        ASSERT_EQ(step(system, {.integrator = method}, 1e-3, fresh, other).status, StepStatus::ok);
        step(system, {.integrator = method}, 1e-3, state, ws);
        ASSERT_EQ(state, fresh);
      } else {
        const test::AllocationGuard guard;
        step(system, {.integrator = method}, 1e-3, state, ws);
        EXPECT_EQ(guard.count(), 0) << n << " " << gates(state, 1)[0] << " " << gates(state, 1)[1];
      }
      changes += both() != before;
    }
    EXPECT_GT(changes, 8);
  }
}

TEST(StrandPassages, EveryIntegratorPassesNodes) {
  const System system = atwood(1e3, 1);
  const auto fall = [&](Integrator method) {
    Workspace ws(system);
    State state = system.default_state();
    // At 1 m/s nodes pass at once. Those inside rest.
    for (Eigen::Index k = 0; k + 2 < state.q.size(); k += 3)
      state.qdot[k + 1] = state.q[k] < 0 ? -1 : state.q[k] > 0 ? 1 : 0;
    const double y = state.q[1];
    while (state.t < 0.1 - 1e-12) {
      const StepReport report = step(system, {.integrator = method}, 1e-4, state, ws);
      EXPECT_EQ(report.status, StepStatus::ok) << to_string(method) << " at " << state.t;
      if (report.status != StepStatus::ok) break;
    }
    EXPECT_NE(gates(state, 1), gates(system.default_state(), 1));
    return y - state.q[1];
  };
  const double fine = fall(Integrator::sdirk4);
  EXPECT_GT(fine, 0.1);
  // First-order methods differ by h times what the rope swings with at the start.
  for (const IntegratorInfo& method : integrator_table())
    EXPECT_NEAR(fall(method.integrator), fine, method.order > 1 ? 1e-4 : 1e-3) << method.name;
}

TEST(StrandPassages, DerivativesOfASystemWithNodesInside) {
  // A ring and a pulley on moving bodies.
  SkeletonBuilder bodies;
  for (const char* name : {"carriage", "block"}) {
    BodySpec body;
    body.name = name;
    body.joint = Free3D{};
    body.M_B = SpatialInertia::FromCentral(1, Vec3(0.01, 0, 0), 0.1 * Mat3::Identity());
    bodies.add_body(body);
  }
  const Skeleton skeleton = bodies.build();
  std::vector<StrandNode> nodes = {free_node("a", Vec3(-0.5, 0, 0), 0.3),
                                   rigid_node("ring", BodyIndex(0), Vec3(0.05, 0.3, 0)),
                                   rigid_node("b", kWorld, Vec3(0.8, -0.1, 0.02))};
  const StrandGuide guide =
      pulley("pulley", BodyIndex(1), Vec3(0.5, 0.3, 0), 0.1, WrapSide::clockwise);
  Strand rope;
  rope.name = "rope";
  rope.density = 0.3;
  rope.law = {LinearStretch{200}, 0.5, false};
  rope.points = {{"a", 0.0}, {"ring", {}, "pulley"}, {"b", 1.4}};
  divide(skeleton, {guide}, 0.1, nodes, rope);
  SystemBuilder builder(skeleton);
  for (const StrandNode& node : nodes) builder.add_strand_node(node);
  const System system = builder.add_strand_guide(guide).add_strand(rope).build();
  EXPECT_GT(std::count_if(rope.points.begin(), rope.points.end(),
                          [](const StrandPoint& point) { return point.inside; }),
            1);
  test::check_every_derivative(system, test::near_start(system, 1, 0.005), "two gates");
}

}  // namespace strand_passages_test
}  // namespace sinew

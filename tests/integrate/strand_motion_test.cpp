#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>

#include "sinew/integrate/integrator_table.hpp"
#include "sinew/integrate/simulate.hpp"
#include "support/dense_linearization.hpp"
#include "support/strand_systems.hpp"

/// Strands in motion against what is known of them.

namespace sinew {
namespace strand_motion_test {

using test::free_node;
using test::rigid_node;

SystemBuilder without_bodies(const Vec3& gravity) {
  SystemBuilder builder(test::still_skeleton());
  builder.set_gravity(gravity);
  return builder;
}

/// Linear and angular momentum of nodes without bodies, from p = M q̇.
struct Momentum {
  Vec3 linear = Vec3::Zero(), angular = Vec3::Zero();
};
Momentum momentum_of(const System& system, const State& state, Workspace& ws) {
  MatX M;
  mass_matrix(system, state, ws, M);
  const VecX p = M * state.qdot;
  Momentum out;
  for (Eigen::Index k = 0; k < p.size(); k += 3) {
    const Vec3 node = p.segment<3>(k), x = state.q.segment<3>(k);
    out.linear += node;
    out.angular += x.cross(node);
  }
  return out;
}

/// A strand in space, with a bead on it if `bead`: nodes of a zigzag, thrown at random.
System free_strand(bool bead) {
  SystemBuilder builder = without_bodies(Vec3::Zero());
  test::Random random(3);
  Strand strand;
  strand.name = "strand";
  strand.density = 0.5;
  strand.law = {LinearStretch{20}, 0, false};
  for (int k = 0; k < 5; ++k) {
    const std::string name = "n" + std::to_string(k);
    builder.add_strand_node(
        free_node(name, Vec3(0.3 * k, 0.1 * (k % 2), 0.05 * k * k), 0.1, random.vec3(1)));
    strand.points.push_back({name, 0.25 * k});
  }
  if (bead) strand.points[2].s.reset();
  return builder.add_strand(strand).build();
}

TEST(StrandMotion, AFreeStrandKeepsItsMomenta) {
  for (const bool bead : {false, true}) {
    const System system = free_strand(bead);
    Workspace ws(system);
    State state = system.default_state();
    const Momentum before = momentum_of(system, state, ws);
    // The bead stays between the ends of its section for that long.
    for (int k = 0; k < (bead ? 200 : 1000); ++k)
      ASSERT_EQ(step(system, {.integrator = Integrator::rk4}, 1e-3, state, ws).status,
                StepStatus::ok);
    const Momentum after = momentum_of(system, state, ws);
    // Without a bead the linear one is a fixed sum of speeds, which rk4 keeps to rounding. All
    // others are kept to the error of rk4, h⁴ of numbers of order one.
    EXPECT_LT((after.linear - before.linear).norm(), bead ? 1e-8 : 1e-12);
    EXPECT_LT((after.angular - before.angular).norm(), 1e-8);
    EXPECT_GT(before.angular.norm(), 0.1);
  }
}

TEST(StrandMotion, WhatABeadChangesOfTheMomentaIsTheErrorOfTheSteps) {
  // After 0.35 s the bead passes its neighbour within 25 mm, and turns in a few steps.
  const System system = free_strand(true);
  const auto drift = [&](double h) {
    Workspace ws(system);
    State state = system.default_state();
    const Vec3 before = momentum_of(system, state, ws).linear;
    for (int k = 0; k < std::lround(0.5 / h); ++k)
      step(system, {.integrator = Integrator::rk4}, h, state, ws);
    return (momentum_of(system, state, ws).linear - before).norm();
  };
  const double coarse = drift(1e-3);
  EXPECT_GT(coarse, 1e-6);
  EXPECT_LT(drift(5e-4), coarse / 14);  // order four: 16
}

/// A rope that swings from a nail with a bead sliding on it.
System swinging_rope() {
  SystemBuilder builder = without_bodies({0, -9.81, 0});
  builder.add_strand_node(rigid_node("nail", kWorld, Vec3::Zero()));
  builder.add_strand_node(free_node("bead", Vec3(0.3, 0, 0.02), 0.2));
  builder.add_strand_node(free_node("knot", Vec3(0.6, -0.1, 0), 0.05));
  builder.add_strand_node(free_node("end", Vec3(0.9, 0, 0.1), 0.1));
  Strand rope;
  rope.name = "rope";
  rope.density = 0.2;
  rope.law = {LinearStretch{50}, 0, false};
  rope.points = {{"nail", 0.0}, {"bead", {}}, {"knot", 0.6}, {"end", 0.9}};
  return builder.add_strand(rope).build();
}

/// The largest change of the energy over the largest kinetic energy, until the bead has slid to
/// the end of its section.
double energy_error(const System& system, Integrator method, double h, double until) {
  Workspace ws(system);
  State state = system.default_state();
  const double before = energy(system, state, ws).total();
  double largest = 0, kinetic = 0;
  for (int k = 0; k < static_cast<int>(std::lround(until / h)); ++k) {
    EXPECT_EQ(step(system, {.integrator = method}, h, state, ws).status, StepStatus::ok);
    const Energy now = energy(system, state, ws);
    largest = std::max(largest, std::abs(now.total() - before));
    kinetic = std::max(kinetic, now.kinetic);
  }
  return largest / kinetic;
}

TEST(StrandMotion, UndampedStrandsKeepTheirEnergy) {
  const System system = swinging_rope();
  EXPECT_LT(energy_error(system, Integrator::rk4, 1e-3, 0.5), 1e-6);
  const double coarse = energy_error(system, Integrator::sdirk2, 1e-3, 0.5),
               fine = energy_error(system, Integrator::sdirk2, 5e-4, 0.5);
  EXPECT_LT(fine, 1e-4);
  EXPECT_GT(coarse / fine, 3.4);  // second order
}

TEST(StrandMotion, AFallOnAMasslessBungeeEndsWhereItsEnergyDoes) {
  // 1 kg falls 1 m, then stretches it: m g x = ½ E A (x − 1)² at x = 1.55178 m.
  SystemBuilder builder = without_bodies({0, -9.81, 0});
  builder.add_strand_node(rigid_node("bridge", kWorld, Vec3::Zero()));
  builder.add_strand_node(free_node("jumper", Vec3::Zero(), 1));
  Strand bungee;
  bungee.name = "bungee";
  bungee.law.elastic = LinearStretch{100};
  bungee.points = {{"bridge", 0.0}, {"jumper", 1.0}};
  const System system = builder.add_strand(bungee).build();
  Workspace ws(system);
  State state = system.default_state();
  const double c = 9.81 / 100, lowest = 1 + c + std::sqrt(c * c + 2 * c);
  StepOptions options{.integrator = Integrator::dopri5};
  options.relative_tolerance = options.absolute_tolerance = 1e-10;
  double deepest = 0;
  const SimulationSettings settings{
      .step = options, .dt = 1e-3, .until = 1, .output_interval = 1e-4};
  SimulationObserver observer;
  observer.on_output = [&](const State& s) { deepest = std::max(deepest, -s.q[1]); };
  simulate(system, settings, state, ws, observer);
  // Outputs every 1e-4 s at an acceleration of 45 m/s² miss the lowest point by less than 6e-8 m.
  EXPECT_NEAR(deepest, lowest, 1e-6);
  EXPECT_NEAR(lowest, 1.55178, 5e-6);  // the digits given
}

TEST(StrandMotion, TransverseWavesHaveTheSpeedOfTheirTension) {
  // Twenty pieces between two nails, first frequency from M and ∂g/∂q. Linear pieces with
  // consistent mass: ω² = 6 c²/l² (1 − cos kl)/(2 + cos kl), which is 1.001028 πc/L.
  const int pieces = 20;
  const double L = 1, strain = 1e-3, EA = 1e5, density = 0.05;
  SystemBuilder builder = without_bodies(Vec3::Zero());
  Strand string;
  string.name = "string";
  string.density = density;
  string.law.elastic = LinearStretch{EA};
  for (int k = 0; k <= pieces; ++k) {
    const std::string name = "n" + std::to_string(k);
    const double share = static_cast<double>(k) / pieces;
    const Vec3 x(share * L, 0, 0);
    builder.add_strand_node(k == 0 || k == pieces ? rigid_node(name, kWorld, x)
                                                  : free_node(name, x));
    string.points.push_back({name, share * L / (1 + strain)});
  }
  const System system = builder.add_strand(string).build();
  Workspace ws(system);
  const State state = system.default_state();
  VecX g(system.dof_count());
  Linearization lin;
  linearize(system, state, VecX::Zero(system.dof_count()), StiffnessModel::exact, ws, g, lin);
  EXPECT_LT(g.lpNorm<Eigen::Infinity>(), 1e-9);  // at rest, tensions of 100 N
  const test::DenseLinearization dense(system, lin);
  const Eigen::GeneralizedSelfAdjointEigenSolver<MatX> modes(dense.dg_dq, dense.M);
  const double tension = EA * strain, now = density / (1 + strain);
  const double expected = M_PI * std::sqrt(tension / now) / L;
  EXPECT_NEAR(std::sqrt(modes.eigenvalues()[0]) / expected, 1.001028, 1e-6);
}

TEST(StrandMotion, ACableThroughTheAxisOfAJointDoesNotFeelIt) {
  // The cable of an arm runs through the axis that its base turns about (Sueda 2010, Fig. 6.12a).
  BodySpec base;
  base.name = "base";
  base.joint = Revolute{Vec3::UnitY()};
  base.M_B = SpatialInertia::FromCentral(1, Vec3::Zero(), Mat3::Identity());
  SystemBuilder builder(SkeletonBuilder().add_body(base).build());
  builder.add_strand_node(rigid_node("wheel", kWorld, Vec3(0.3, -0.2, 0.1)));
  builder.add_strand_node(rigid_node("below", kWorld, Vec3(0, -0.1, 0)));
  builder.add_strand_node(rigid_node("above", BodyIndex(0), Vec3(0, 0.1, 0)));
  builder.add_strand_node(rigid_node("arm", BodyIndex(0), Vec3(0.2, 0.3, 0)));
  Strand cable;
  cable.name = "cable";
  cable.law.elastic = LinearStretch{1000};
  cable.points = {{"wheel", 0.0}, {"below", {}}, {"above", {}}, {"arm", 0.8}};
  const System system = builder.add_strand(cable).build();
  Workspace ws(system);
  State state = system.default_state();
  const double before = energy(system, state, ws).elastic;
  EXPECT_GT(before, 0.1);
  for (const double angle : {0.5, 1.5, 3.0}) {
    state.q[0] = angle;
    // Rounding of a length of 0.8 m times a tension of 18 N.
    EXPECT_NEAR(energy(system, state, ws).elastic, before, 1e-14);
    VecX qddot(1);
    forward_dynamics(system, state, ws, qddot);
    EXPECT_NEAR(qddot[0], 0, 1e-14);
  }
}

TEST(StrandMotion, EveryIntegratorStepsThem) {
  const System system = test::floating_strands(2, 3).build();
  for (const IntegratorInfo& method : integrator_table()) {
    State state = system.default_state();
    Workspace ws(system);
    const StepOptions options{.integrator = method.integrator};
    for (int k = 0; k < 5; ++k)
      EXPECT_EQ(step(system, options, 1e-3, state, ws).status, StepStatus::ok) << method.name;
  }
}

}  // namespace strand_motion_test
}  // namespace sinew

#include <gtest/gtest.h>

#include "integrate/contact_systems.hpp"
#include "sinew/analysis/audit.hpp"
#include "sinew/builder/system_builder.hpp"
#include "sinew/integrate/integrator_table.hpp"
#include "sinew/integrate/simulate.hpp"

// Spline surfaces whose control values change in time, beside surfaces that keep their shape on
// bodies that move: the same motion of the body on them.

namespace sinew {
namespace deforming_surface_test {

using test::shared;
using test::with;

constexpr double kTurning = 2.0;  // rad/s
const SineFunction kLift{0.15, 4, 0.3, 0};
constexpr int kValues = 9;
constexpr double kReach = 0.8;  // of the coordinates, either way [m]

using Grids = std::array<MatX, 6>;

Grids zeros() {
  Grids out;
  for (MatX& grid : out) grid = MatX::Zero(kValues, kValues);
  return out;
}

/// A bowl of untilted frames, which turn about z from place to place; neither round nor even.
Grids bowl() {
  Grids out = zeros();
  const double step = 2 * kReach / (kValues - 3);
  for (int i = 0; i < kValues; ++i)
    for (int j = 0; j < kValues; ++j) {
      const double x = -kReach + step * (j - 1), y = -kReach + step * (i - 1);
      out[0](i, j) = x + 0.03 * std::sin(3 * y);
      out[1](i, j) = y + 0.05 * x * x;
      out[2](i, j) = 0.6 * x * x + 0.9 * y * y + 0.1 * x * y;
      out[5](i, j) = 0.4 * x - 0.7 * y;
    }
  return out;
}

SplineSurface surface(const Grids& grids) {
  return SplineSurface(grids, {SplineEnds::open, SplineEnds::open},
                       SplineSurface::Ranges{{{-kReach, kReach}, {-kReach, kReach}}});
}

/// The bowl, turned about z at a constant rate by its control values.
SplineSurface turning_bowl() {
  const Grids still = bowl();
  Grids fixed = zeros(), along = zeros(), across = zeros(), turn = zeros();
  fixed[2] = still[2], fixed[5] = still[5];
  along[0] = still[0], along[1] = still[1];
  across[0] = -still[1], across[1] = still[0];
  turn[5].setOnes();
  const double quarter = std::numbers::pi / 2;
  return surface(fixed).deforming({{along, SineFunction{1, kTurning, quarter, 0}},
                                   {across, SineFunction{1, kTurning, 0, 0}},
                                   {turn, LinearFunction{{kTurning}, 0}}});
}

/// The bowl, lifted.
SplineSurface rising_bowl() {
  Grids up = zeros();
  up[2].setOnes();
  return surface(bowl()).deforming({{up, kLift}});
}

BodySpec glider(const std::string& parent, Joint joint) {
  BodySpec spec;
  spec.name = "glider";
  spec.parent = parent;
  spec.joint = std::move(joint);
  spec.M_B = SpatialInertia::FromCentral(0.7, Vec3(0.02, -0.03, 0.05),
                                         Vec3(2e-3, 3e-3, 2.5e-3).asDiagonal());
  spec.q0 = {0.3, -0.2};
  spec.qdot0 = {0.4, 0.8};
  return spec;
}

System on(const SplineSurface& deforming) {
  BodySpec body = glider("", deforming);
  body.q0.push_back(0);
  body.qdot0.push_back(0);
  SystemBuilder builder(SkeletonBuilder().add_body(body).build());
  return builder.set_gravity(Vec3(0, 0, -9.80665)).build();
}

System on_carrier(Joint joint, const TimeFunction& motion) {
  BodySpec carrier;
  carrier.name = "carrier";
  carrier.joint = std::move(joint);
  carrier.M_B = SpatialInertia::FromCentral(3, Vec3(0.1, 0, 0), Vec3::Ones().asDiagonal());
  const std::array<double, 3> start = motion.derivatives(0);
  carrier.q0 = {start[0]};
  carrier.qdot0 = {start[1]};
  SystemBuilder builder(
      SkeletonBuilder().add_body(carrier).add_body(glider("carrier", surface(bowl()))).build());
  builder.add_constraint(
      shared(PrescribedCoordinate("drive", DofIndex(0), ConstraintLevel::position, motion)));
  return builder.set_gravity(Vec3(0, 0, -9.80665)).build();
}

struct Pair {
  System deforming, carried;
};
std::vector<Pair> pairs() {
  std::vector<Pair> out;
  out.push_back(
      {on(turning_bowl()),
       on_carrier(Revolute{Vec3::UnitZ()}, ScalarFunction(PolynomialFunction{{0, kTurning}}))});
  out.push_back({on(rising_bowl()), on_carrier(Prismatic{Vec3::UnitZ()}, ScalarFunction(kLift))});
  return out;
}

TEST(DeformingSurface, MovesBodiesAsTheSameSurfaceOnAPrescribedJoint) {
  for (const Pair& pair : pairs()) {
    EXPECT_EQ(pair.deforming.dof_count(), 2);
    const State a = test::accurate_solution(pair.deforming, 2),
                b = test::accurate_solution(pair.carried, 2);
    const double q = (a.q - b.q.tail(2)).lpNorm<Eigen::Infinity>(),
                 qdot = (a.qdot - b.qdot.tail(2)).lpNorm<Eigen::Infinity>();
    RecordProperty("q", std::to_string(1e12 * q) + "e-12");
    EXPECT_LT(q, 1e-9);
    EXPECT_LT(qdot, 1e-9);
    EXPECT_GT((a.q - pair.deforming.default_state().q).norm(), 0.1);
  }
}

TEST(DeformingSurface, WithoutTheTermsOfTimeTheMotionIsAnother) {
  // The surface of each moment at rest: its shape is right, its motion is left out.
  for (const Pair& pair : pairs()) {
    Workspace ws(pair.deforming);
    State state = pair.deforming.default_state();
    state.t = 0.2;
    VecX with_terms(2);
    forward_dynamics(pair.deforming, state, ws, with_terms);
    const SplineSurface& joint =
        std::get<SplineSurface>(pair.deforming.skeleton().body(BodyIndex(0)).joint.variant());
    BodySpec body = glider("", joint);
    body.q0.push_back(0);
    body.qdot0.push_back(0);
    SystemBuilder frozen(SkeletonBuilder().add_body(body).build());
    frozen.set_gravity(Vec3(0, 0, -9.80665));
    frozen.map_coordinates({{DofIndex(2), ConstantFunction{state.t}, {}}});
    const System still = frozen.build();
    Workspace other(still);
    VecX without(2);
    forward_dynamics(still, state, other, without);
    EXPECT_GT((with_terms - without).norm(), 0.1 * with_terms.norm());
  }
}

TEST(DeformingSurface, BalancesEnergyWithThePowerOfTheDrive) {
  for (const Pair& pair : pairs())
    for (const Integrator integrator : {Integrator::rk4, Integrator::dopri5}) {
      SCOPED_TRACE(to_string(integrator));
      const System& system = pair.deforming;
      State state = system.default_state();
      Workspace ws(system);
      const SimulationSettings settings{.step = with(integrator), .dt = 1e-3, .until = 10};
      Audit audit(system, settings.step, state, ws);
      SimulationObserver observer;
      double work = 0;
      observer.on_step = [&](const State& s, const StepReport& r) {
        audit.add_step(s, r, ws);
        work += std::abs(r.work);
      };
      ASSERT_EQ(simulate(system, settings, state, ws, observer).end, SimulationEnd::finished);
      const AuditReport report = audit.report();
      RecordProperty("energy_error", std::to_string(report.energy_error * 1e9) + "e-9");
      EXPECT_LE(report.energy_error, 1e-6);
      EXPECT_TRUE(report.passed) << report.verdict;
      EXPECT_GT(work, 1);  // [J]
    }
}

// Along q₁ the control values are then B-splines of time.
TEST(DeformingSurface, IsACurveThatDeformsWhereTimeDrivesTheOtherCoordinate) {
  SystemBuilder builder(SkeletonBuilder().add_body(glider("", surface(bowl()))).build());
  builder.set_gravity(Vec3(0, 0, -9.80665));
  builder.map_coordinates({{DofIndex(1), SineFunction{0.4, 2, -0.5, 0.1}, {"time"}}});
  const System system = builder.build();
  ASSERT_EQ(system.dof_count(), 1);
  State state = system.default_state();
  Workspace ws(system);
  const double before = energy(system, state, ws).total();
  const double work = test::run(system, with(Integrator::rk4), 1e-3, 3000, state, ws);
  const Energy after = energy(system, state, ws);
  EXPECT_GT(std::abs(work), 0.01);
  EXPECT_NEAR(after.total() - before, work, 1e-6 * after.kinetic);
}

TEST(DeformingSurface, ConvergesWithEveryIntegratorThatStepsIt) {
  const System system = on(turning_bowl());
  const State exact = test::accurate_solution(system, 0.1);
  for (const IntegratorInfo& method : integrator_table()) {
    if (method.adaptive || refusal(system, with(method.integrator))) continue;
    SCOPED_TRACE(method.name);
    const auto error = [&](int steps) {
      State state = system.default_state();
      Workspace ws(system);
      test::run(system, with(method.integrator), 0.1 / steps, steps, state, ws);
      return test::distance(state, exact);
    };
    const double coarse = error(50), fine = error(100);
    EXPECT_TRUE(fine < std::pow(2, 0.6 - method.order) * coarse ||
                fine < 1e-10)  // what Newton leaves
        << coarse << ' ' << fine;
  }
}

}  // namespace deforming_surface_test
}  // namespace sinew

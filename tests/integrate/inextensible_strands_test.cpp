#include <gtest/gtest.h>

#include <numbers>

#include "integrate/contact_systems.hpp"
#include "sinew/constraints/rows/prescribed_motion.hpp"
#include "sinew/integrate/integrator_table.hpp"
#include "sinew/integrate/simulate.hpp"
#include "support/allocation_guard.hpp"
#include "support/dense_linearization.hpp"
#include "support/finite_difference.hpp"
#include "support/strand_systems.hpp"

/// Strands that do not stretch: their rows, and motions that are known exactly.

namespace sinew {
namespace inextensible_strands_test {

using test::free_node;
using test::rigid_node;

constexpr double kG = 9.81;

SystemBuilder on_still_ground() {
  SystemBuilder builder(test::still_skeleton());
  builder.set_gravity({0, -kG, 0});
  return builder;
}

Strand inextensible(std::vector<StrandPoint> points, double density) {
  Strand out;
  out.name = "rope";
  out.points = std::move(points);
  out.density = density;
  out.length = StrandLength::fixed;
  return out;
}

void run(const System& system, double h, double until, State& state, Workspace& ws,
         Integrator method = Integrator::rk4) {
  const SimulationSettings settings{.step = {.integrator = method}, .dt = h, .until = until};
  EXPECT_EQ(simulate(system, settings, state, ws).end, SimulationEnd::finished);
}

TEST(InextensibleStrands, RowsAndReactionsAreThoseOfDifferences) {
  for (const unsigned seed : {1u, 2u, 3u}) {
    SystemBuilder builder(test::floating_tree(seed, 4));
    test::Random random(seed);
    builder.add_strand_node(rigid_node("a", BodyIndex(3), random.vec3(0.3)));
    builder.add_strand_node(free_node("b", Vec3(1, 0, 0), 0.2));
    builder.add_strand_node(rigid_node("c", BodyIndex(1), random.vec3(0.3)));
    builder.add_strand_node(rigid_node("d", BodyIndex(2), random.vec3(0.3)));
    builder.add_strand_node(free_node("e", Vec3(0, 1, 0), 0.2));
    builder.add_strand(
        inextensible({{"a", 0.0}, {"b", {}}, {"c", {}}, {"d", {}}, {"e", 4.0}}, 0.1));
    const System system = builder.build();
    Workspace ws(system);
    const int n = system.dof_count();
    const State start = system.default_state();
    const VecX q = start.q + random.vecx(n, 0.1), v = random.vecx(n, 0.5), a = random.vecx(n, 1);
    const VecX lambda = VecX::Constant(1, 2.5);
    const auto rows_at = [&](const VecX& at, const VecX& rate) {
      update_kinematics(system, {0, at, rate}, ws);
      update_constraints(system, {0, at, rate}, ws);
      return ws.constraints.rows;
    };
    const ConstraintRows rows = rows_at(q, v);
    const auto value = check_derivative([&](const VecX& x) { return rows_at(x, v).value; }, q,
                                        rows.Gt().transpose());
    EXPECT_TRUE(value.confirms(1e-7)) << value.table();
    // g̈ at q̈ = 0 is the rate of G q̇ along the motion.
    const double h = 1e-5;
    const auto rate = [&](double t) { return (rows_at(q + t * v, v).Gt().transpose() * v)(0); };
    EXPECT_NEAR(rows.bias[0], (rate(h) - rate(-h)) / (2 * h), 1e-8);  // truncation of step 1e-5
    VecX g(n);
    Linearization lin;
    linearize(system, {0, q, v}, a, lambda, PartInertia::exact, ws, g, lin);
    const test::DenseLinearization dense(system, lin);
    const auto residual = [&](const VecX& x) {
      VecX out(n);
      inverse_dynamics(system, {0, x, v}, a, lambda, ws, out);
      return out;
    };
    const auto by_q = check_derivative(residual, q, dense.dg_dq);
    EXPECT_TRUE(by_q.confirms(1e-6)) << by_q.table();
  }
}

TEST(InextensibleStrands, AtwoodsRopeRunsWithItsMass) {
  // (m₁ + m₂ + ρl) ẍ = (m₁ − m₂ + 2ρx) g: x = (m₁ − m₂)/2ρ (cosh kt − 1), 0.46757 m at 1 s.
  // Without mass of the rope 0.54500 m.
  for (const double density : {0.2, 0.0}) {
    SystemBuilder builder = on_still_ground();
    builder.add_strand_node(free_node("heavy", Vec3(0, -1.5, 0), 1));
    builder.add_strand_node(rigid_node("pulley", kWorld, Vec3::Zero()));
    builder.add_strand_node(free_node("light", Vec3(0, -1.5, 0), 0.8));
    builder.add_strand(inextensible({{"heavy", 0.0}, {"pulley", {}}, {"light", 3.0}}, density));
    const System system = builder.build();
    Workspace ws(system);
    State state = system.default_state();
    run(system, 1e-3, 1, state, ws);
    const double k = std::sqrt(2 * density * kG / (1.8 + 3 * density));
    const double exact =
        density > 0 ? 0.2 / (2 * density) * (std::cosh(k) - 1) : 0.5 * 0.2 / 1.8 * kG;
    EXPECT_NEAR(-state.q[1] - 1.5, exact, 1e-6);
    EXPECT_NEAR(exact, density > 0 ? 0.46757 : 0.54500, 5e-6);  // the digits given
  }
}

TEST(InextensibleStrands, AChainSlidesOverATablesEdge) {
  // 1 m, of which 0.1 m hang: x = 0.1 cosh √g t, all of it at 0.95566 s. Its end on the table is on
  // a slider without weight to speak of.
  BodySpec slider;
  slider.name = "slider";
  slider.joint = Prismatic{Vec3::UnitX()};
  slider.M_B = SpatialInertia::FromCentral(1e-9, Vec3::Zero(), 1e-9 * Mat3::Identity());
  SystemBuilder builder(SkeletonBuilder().add_body(slider).build());
  builder.set_gravity({0, -kG, 0});
  builder.add_strand_node(rigid_node("start", BodyIndex(0), Vec3(-0.9, 0, 0)));
  builder.add_strand_node(rigid_node("edge", kWorld, Vec3::Zero()));
  builder.add_strand_node(free_node("end", Vec3(0, -0.1, 0)));
  builder.add_strand(inextensible({{"start", 0.0}, {"edge", {}}, {"end", 1.0}}, 0.3));
  const System system = builder.build();
  Workspace ws(system);
  State state = system.default_state();
  for (const double t : {0.5, 0.9, 0.95}) {
    run(system, 1e-3, t, state, ws);
    EXPECT_NEAR(-state.q[2], 0.1 * std::cosh(std::sqrt(kG) * t), 1e-6) << t;
  }
  EXPECT_NEAR(std::acosh(10) / std::sqrt(kG), 0.95566, 5e-6);
}

/// Time of a whole swing of coordinate `dof` from where it starts, by its crossings of `middle`.
double period(const System& system, Eigen::Index dof, double middle, State state) {
  Workspace ws(system);
  std::vector<double> crossings;
  const double h = 1e-3;
  while (crossings.size() < 5 && state.t < 10) {
    const double before = state.q[dof] - middle;
    step(system, {.integrator = Integrator::rk4}, h, state, ws);
    const double after = state.q[dof] - middle;
    // Linear between steps: the curvature is zero where it crosses.
    if (before * after < 0) crossings.push_back(state.t - h + h * before / (before - after));
  }
  return (crossings.back() - crossings.front()) / 2;
}

TEST(InextensibleStrands, ABeadOnAStringSwingsAlongAndAcross) {
  // Massless string of 0.3 m over a span of 0.2 m: the bead moves on an ellipsoid.
  SystemBuilder builder = on_still_ground();
  const double depth = std::sqrt(0.15 * 0.15 - 0.1 * 0.1);
  builder.add_strand_node(rigid_node("left", kWorld, Vec3(-0.1, 0, 0)));
  builder.add_strand_node(free_node("bead", Vec3(0, -depth, 0), 0.2));
  builder.add_strand_node(rigid_node("right", kWorld, Vec3(0.1, 0, 0)));
  builder.add_strand(inextensible({{"left", 0.0}, {"bead", {}}, {"right", 0.3}}, 0));
  const System system = builder.build();
  // With semi-axes a along and b across: its bottom is curved by b/a² and 1/b.
  const double a = 0.15, along = 2 * std::numbers::pi * std::sqrt(a * a / (depth * kG)),
               across = 2 * std::numbers::pi * std::sqrt(depth / kG);
  EXPECT_NEAR(along, 0.89993, 5e-6);  // the digits given
  EXPECT_NEAR(across, 0.67077, 5e-6);
  for (const auto& [dof, expected] : {std::pair{0, along}, std::pair{2, across}}) {
    State state = system.default_state();
    state.qdot[dof] = 1e-4;
    EXPECT_NEAR(period(system, dof, 0, state), expected, 1e-6);
  }
}

TEST(InextensibleStrands, AFoldedChainFallsFasterThanAFreeBody) {
  // One end is let go beside the other; a bead of 0.1 % at the fold. 0.9 of its length takes
  // 0.87715 of the time of free fall, at 2.3415 times its speed.
  const double length = 1, density = 1;
  SystemBuilder builder = on_still_ground();
  builder.add_strand_node(rigid_node("hook", kWorld, Vec3::Zero()));
  builder.add_strand_node(free_node("fold", Vec3(0, -0.5, 0), 1e-3 * length * density));
  builder.add_strand_node(free_node("end", Vec3::Zero()));
  builder.add_strand(inextensible({{"hook", 0.0}, {"fold", {}}, {"end", length}}, density));
  const System system = builder.build();
  Workspace ws(system);
  State state = system.default_state();
  const double fall = 0.9, h = 1e-4;
  double before = 0, speed_before = 0;
  while (-state.q[4] < fall && state.t < 1) {
    before = -state.q[4];
    speed_before = -state.qdot[4];
    ASSERT_EQ(step(system, {.integrator = Integrator::rk4}, h, state, ws).status, StepStatus::ok);
  }
  const double share = (fall - before) / (-state.q[4] - before);
  const double time = state.t - h * (1 - share);
  const double speed = (1 - share) * speed_before - share * state.qdot[4];
  EXPECT_NEAR(time / std::sqrt(2 * fall / kG), 0.87715, 1e-4);
  EXPECT_NEAR(speed / std::sqrt(2 * kG * fall), 2.3415, 1e-4);
}

/// The exponent of a flail: a strand from a nail at the origin through a ring that moves along x at
/// 0.05 m/s, its free part turning about the ring (Sueda 2010, Fig. 6.4c, without gravity).
double exponent_of_flail(const Strand& model) {
  BodySpec ring;
  ring.name = "ring";
  ring.joint = Prismatic{Vec3::UnitX()};
  ring.M_B = SpatialInertia::FromCentral(1, Vec3::Zero(), Mat3::Identity());
  ring.q0 = {0.2};
  ring.qdot0 = {0.05};
  SystemBuilder builder(SkeletonBuilder().add_body(ring).build());
  builder.set_gravity(Vec3::Zero());
  builder.add_constraint(
      std::make_shared<PrescribedCoordinate>("script", DofIndex(0), ConstraintLevel::position,
                                             ScalarFunction(LinearFunction{{0.05}, 0.2})));
  builder.add_strand_node(rigid_node("nail", kWorld, Vec3::Zero()));
  builder.add_strand_node(rigid_node("ring", BodyIndex(0), Vec3::Zero()));
  builder.add_strand_node(free_node("end", Vec3(1, 0, 0), 0, Vec3(0, 0.8, 0)));
  Strand flail = model;
  flail.name = "flail";
  flail.points = {{"nail", 0.0}, {"ring", {}}, {"end", 1.0}};
  const System system = builder.add_strand(flail).build();
  Workspace ws(system);
  State state = system.default_state();
  const auto turning = [&] {
    const Vec3 r = state.q.segment<3>(1) - Vec3(state.q[0], 0, 0);
    const Vec3 v = state.qdot.segment<3>(1) - Vec3(state.qdot[0], 0, 0);
    return std::pair{r.norm(), r.cross(v).z() / r.squaredNorm()};
  };
  const auto [r0, w0] = turning();
  run(system, 1e-3, 4, state, ws);
  const auto [r1, w1] = turning();
  return std::log(w1 / w0) / std::log(r1 / r0);
}

TEST(InextensibleStrands, AFlailKeepsItsMomentAboutTheRing) {
  // ρr³θ̇/3 is kept with continuous mass. Without velocity terms, and with a lump at the end, it is
  // r²θ̇: also with a lump whose mass m(r) changes without its momentum, since m(r) drops out of
  // m(r) a = (a force along the strand).
  Strand continuous = inextensible({}, 0.5), still = continuous, lumped = continuous;
  still.velocity_terms = false;
  lumped.mass_model = StrandMass::lumped;
  EXPECT_NEAR(exponent_of_flail(continuous), -3, 1e-4);
  EXPECT_NEAR(exponent_of_flail(still), -2, 1e-4);
  EXPECT_NEAR(exponent_of_flail(lumped), -2, 1e-4);
}

/// A bar of 1000 kg that hangs on `spans` spans of one massless strand, and a box at its end:
/// accelerations of bar and box.
Vec3 compound_pulley(int spans, double box) {
  BodySpec bar;
  bar.name = "bar";
  bar.joint = Prismatic{Vec3::UnitY()};
  bar.M_B = SpatialInertia::FromCentral(1000, Vec3::Zero(), Mat3::Identity());
  SystemBuilder builder(SkeletonBuilder().add_body(bar).build());
  builder.set_gravity({0, -kG, 0});
  std::vector<StrandPoint> points;
  for (int k = 0; k <= spans; ++k) {
    const std::string name = "pulley_" + std::to_string(k);
    builder.add_strand_node(k % 2 == 0 ? rigid_node(name, kWorld, Vec3(0, 1, 0))
                                       : rigid_node(name, BodyIndex(0), Vec3::Zero()));
    points.push_back({name, {}});
  }
  points.front().s = 0;
  builder.add_strand_node(free_node("box", Vec3(0, 0.5, 0), box));
  points.push_back({"box", spans + 0.5});
  const System system = builder.add_strand(inextensible(points, 0)).build();
  Workspace ws(system);
  VecX qddot(system.dof_count());
  forward_dynamics(system, system.default_state(), ws, qddot);
  return {qddot[0], qddot[2], ws.constraints.lambda[0]};
}

TEST(InextensibleStrands, CompoundPulleysDivideTheLoad) {
  // Sueda 2010, Table 6.1: spans that carry 1000 kg, balanced by 1000/n kg.
  for (const int spans : {2, 4, 8, 16, 32, 64}) {
    const double box = 1000.0 / spans;
    const Vec3 balance = compound_pulley(spans, box);
    EXPECT_NEAR(balance[0], 0, 1e-9) << spans;  // rounding
    EXPECT_NEAR(balance[1], 0, 1e-9);
    EXPECT_NEAR(balance[2], box * kG, 1e-9 * box);
    // One part in a million more or less moves it.
    EXPECT_GT(compound_pulley(spans, box * (1 + 1e-6))[0], 1e-7 / spans);
    EXPECT_LT(compound_pulley(spans, box * (1 - 1e-6))[0], -1e-7 / spans);
  }
}

TEST(InextensibleStrands, KeepTheirEnergy) {
  SystemBuilder builder = on_still_ground();
  builder.add_strand_node(rigid_node("nail", kWorld, Vec3::Zero()));
  builder.add_strand_node(free_node("knot", Vec3(0.4, 0, 0), 0.1));
  builder.add_strand_node(free_node("end", Vec3(0.8, 0, 0.1), 0.1));
  builder.add_strand(
      inextensible({{"nail", 0.0}, {"knot", 0.4}, {"end", 0.8123105625617661}}, 0.2));
  const System system = builder.build();
  const auto error = [&](Integrator method, double h, double until) {
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
  };
  EXPECT_LT(error(Integrator::rk4, 1e-3, 10), 1e-6);
  const double coarse = error(Integrator::sdirk2, 1e-3, 10),
               fine = error(Integrator::sdirk2, 5e-4, 10),
               finest = error(Integrator::sdirk2, 2.5e-4, 10);
  EXPECT_LT(coarse, 1e-4);
  EXPECT_GT(coarse / fine, 3.4);  // second order
  EXPECT_GT(fine / finest, 3.4);
}

TEST(InextensibleStrands, EveryIntegratorStepsThemWithoutAllocating) {
  SINEW_NEEDS_ALLOCATION_COUNTS();
  // Through bodies and free nodes, one section after the other.
  const System system = [] {
    const Revolute z{Vec3::UnitZ()};
    SystemBuilder builder(
        SkeletonBuilder().add_body(test::bar("bar", "", 0.4, 1, z, Vec3::Zero())).build());
    builder.add_strand_node(rigid_node("nail", kWorld, Vec3(0, 0.5, 0)));
    builder.add_strand_node(free_node("bead", Vec3(0.2, 0.3, 0.1), 0.1));
    builder.add_strand_node(rigid_node("ring", BodyIndex(0), Vec3(0.3, 0.05, 0)));
    builder.add_strand_node(free_node("knot", Vec3(0.5, 0, 0), 0.1));
    builder.add_strand_node(free_node("end", Vec3(0.6, -0.3, 0), 0.1));
    builder.add_strand(inextensible(
        {{"nail", 0.0}, {"bead", {}}, {"ring", {}}, {"knot", 0.9}, {"end", 1.2}}, 0.2));
    return builder.build();
  }();
  for (const IntegratorInfo& method : integrator_table()) {
    SCOPED_TRACE(method.name);
    const StepOptions options{.integrator = method.integrator};
    ASSERT_FALSE(refusal(system, options));
    State state = system.default_state(), fresh = state;
    Workspace ws(system);
    for (int k = 0; k < 6; ++k) {
      ASSERT_EQ(step(system, options, 1e-3, state, ws).status, StepStatus::ok);
      Workspace other(system);
      ASSERT_EQ(step(system, options, 1e-3, fresh, other).status, StepStatus::ok);
      ASSERT_EQ(state, fresh);  // a fresh workspace changes no bit
    }
    const test::AllocationGuard guard;
    for (int k = 0; k < 4; ++k) step(system, options, 1e-3, state, ws);
    EXPECT_EQ(guard.count(), 0);
    update_constraint_values(system, state, ws);
    EXPECT_LT(ws.constraints.rows.value.lpNorm<Eigen::Infinity>(), 1e-6);
  }
}

TEST(InextensibleStrands, ThatMayBeSlackAreRopesWithALimit) {
  // The same as a body on the rope that limits know.
  SystemBuilder strands = on_still_ground();
  strands.add_strand_node(rigid_node("nail", kWorld, Vec3::Zero()));
  strands.add_strand_node(free_node("weight", Vec3(0.3, 0, 0), 1));
  Strand rope = inextensible({{"nail", 0.0}, {"weight", 0.5}}, 0);
  rope.length = StrandLength::at_most;
  const System a = strands.add_strand(rope).build();
  BodySpec ball;
  ball.name = "ball";
  ball.joint = Translational{};
  ball.q0 = {0.3, 0, 0};
  ball.M_B = SpatialInertia::FromCentral(1, Vec3::Zero(), Mat3::Identity());
  SystemBuilder bodies(SkeletonBuilder().add_body(ball).build());
  bodies.set_gravity({0, -kG, 0});
  bodies.add_limit(sinew::rope("rope", kWorld, Vec3::Zero(), BodyIndex(0), Vec3::Zero(), 0.5));
  const System b = bodies.build();
  Workspace wa(a), wb(b);
  State sa = a.default_state(), sb = b.default_state();
  double longest = 0;
  for (int k = 0; k < 1000; ++k) {
    for (auto* part : {&sa, &sb})
      ASSERT_EQ(step(part == &sa ? a : b, {.integrator = Integrator::linearly_implicit_euler}, 1e-3,
                     *part, part == &sa ? wa : wb)
                    .status,
                StepStatus::ok);
    longest = std::max(longest, sa.q.norm());
    // The limit's row is (|x|² − l²)/2l: at the impact it differs by the square of a step of 3 mm
    // over 2l, 1e-5 m.
    ASSERT_LT((sa.q - sb.q).norm(), 5e-5) << k;
  }
  EXPECT_GT(longest, 0.4999);
  EXPECT_LT(longest, 0.5001);
}

}  // namespace inextensible_strands_test
}  // namespace sinew

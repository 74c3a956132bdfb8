#include <gtest/gtest.h>

#include "integrate/contact_systems.hpp"
#include "sinew/constraints/contact/smooth_contact.hpp"
#include "sinew/integrate/simulate.hpp"
#include "support/pulleys.hpp"

/// Strands on bodies that rest on the ground and bounce from it, rigid and compliant.

namespace sinew {
namespace strand_contacts_test {

using test::ContactRun;
using test::free_node;
using test::kGravity;
using test::rigid_node;
using test::surface;

class StrandContacts : public testing::TestWithParam<Integrator> {};
INSTANTIATE_TEST_SUITE_P(Stepping, StrandContacts,
                         testing::Values(Integrator::semi_implicit_euler,
                                         Integrator::linearly_implicit_euler, Integrator::bdf1),
                         [](const auto& s) { return test::test_name(s.param); });

/// A box of 12 kg on the ground, and a rope from its lid over a ring to 5 kg that hang as high as
/// the lid.
SystemBuilder box_with_counterweight(StrandLength length) {
  const Cuboid box{Vec3(0.4, 0.2, 0.3)};
  BodySpec spec = test::free_body("box", box, Pose::Translation(Vec3(0, 0.1, 0)));
  spec.M_B = box.inertia(500);
  SystemBuilder builder(SkeletonBuilder().add_body(spec).build());
  builder.set_gravity({0, -kGravity, 0});
  builder.add_strand_node(rigid_node("lid", BodyIndex(0), Vec3(0, 0.1, 0)));
  builder.add_strand_node(rigid_node("ring", kWorld, Vec3(0, 1, 0)));
  builder.add_strand_node(free_node("weight", Vec3(0, 0.2, 0), 5));
  Strand rope;
  rope.name = "rope";
  rope.points = {{"lid", 0.0}, {"ring", {}}, {"weight", 1.6}};
  rope.density = 0.1;
  rope.length = length;
  rope.law = {LinearStretch{4900}, 400, true};  // damped as fast as it can be
  return builder.add_strand(rope);
}

TEST_P(StrandContacts, AGroundCarriesWhatARopeDoesNot) {
  // It takes the weight of 5 kg off the box, and of the rope that is longer on their side.
  for (const StrandLength length :
       {StrandLength::elastic, StrandLength::fixed, StrandLength::at_most}) {
    SystemBuilder builder = box_with_counterweight(length);
    builder.add_contact(test::slope_ground(0, 0, 0.5));
    builder.add_contact(surface("box", BodyIndex(0), Cuboid{Vec3(0.4, 0.2, 0.3)}, 0.5));
    ContactRun run(builder.build(), 1e-3, GetParam());
    run.run(length == StrandLength::elastic ? 2 : 0.1);
    Vec3 sum = Vec3::Zero();
    for (const ContactForce& contact : run.ws.unilateral.forces)
      sum += contact.surfaces.a == 1 ? contact.f : Vec3(-contact.f);
    const double behind = 1 - run.state.q[7], rope = 0.1 * 1.6 * (behind - 0.8) / (behind + 0.8);
    const double carried = (7 - rope) * kGravity;
    EXPECT_LT((sum - Vec3(0, carried, 0)).norm(), 1e-8 * carried) << sum.transpose();
    EXPECT_NEAR(rope, length == StrandLength::elastic ? 0.1 * 0.016 : 0, 1e-4);  // 1 % of 1.6 m
    EXPECT_LT(run.state.qdot.norm(), 1e-9);
    EXPECT_LE(run.worst_residual, 1e-10);
  }
}

/// A ball of 0.1 m at a height, with restitution e, on the ground.
SystemBuilder ball_at(double height, double speed, double e) {
  BodySpec spec = test::free_body("ball", Sphere{0.1}, Pose::Translation(Vec3(0, height, 0)));
  spec.qdot0 = {0, speed, 0, 0, 0, 0};
  SystemBuilder builder(SkeletonBuilder().add_body(spec).build());
  builder.set_gravity({0, -kGravity, 0});
  builder.add_contact(test::slope_ground(0, 0, 0, 0));
  builder.add_contact(surface("ball", BodyIndex(0), Sphere{0.1}, 0, e));
  builder.add_strand_node(rigid_node("ball", BodyIndex(0), Vec3::Zero()));
  return builder;
}

/// Heights above the start where it turns down.
std::vector<double> tops(ContactRun& run, size_t count) {
  std::vector<double> out;
  while (run.state.t < 5 && out.size() < count) {
    const double before = run.state.qdot[1];
    if (run.step().status != StepStatus::ok) break;
    if (before > 0 && run.state.qdot[1] <= 0) out.push_back(run.state.q[1]);
  }
  return out;
}

TEST_P(StrandContacts, ABallOnABungeeBouncesAsItsEnergySays) {
  // From 0.6 m, above where the bungee is taut, down at 3 m/s. It keeps e² of what is kinetic.
  const double e = 0.8, start = 0.6, speed = 3, k = 200, taut = 0.5, down = taut - 0.1;
  SystemBuilder builder = ball_at(start, -speed, e);
  builder.add_strand_node(rigid_node("hook", kWorld, Vec3(0, 1, 0)));
  Strand bungee;
  bungee.name = "bungee";
  bungee.points = {{"hook", 0.0}, {"ball", 0.5}};
  bungee.law = {LinearStretch{0.5 * k}, 0, true};
  ContactRun run(builder.add_strand(bungee).build(), 1e-4, GetParam());
  const double energy = run.energy();
  const std::vector<double> found = tops(run, 3);
  ASSERT_EQ(found.size(), 3u);
  const double m = run.system.skeleton().body(BodyIndex(0)).M_B.mass;
  double v2 = speed * speed + 2 * kGravity * (start - 0.1) - k / m * down * down;  // at the ground
  double lost = 0;
  for (const double top : found) {
    lost += 0.5 * m * (1 - e * e) * v2;
    v2 *= e * e;
    const double height = 0.1 + (v2 + k / m * down * down) / (2 * kGravity);
    ASSERT_GT(height, taut);
    // First order: an impact comes up to a step early, and Euler's damping.
    EXPECT_NEAR(start + top, height, 2e-3);
  }
  EXPECT_NEAR(run.work, -lost, 5e-3 * lost);
  EXPECT_NEAR(run.energy() - energy, -lost, 5e-3 * lost);
}

TEST_P(StrandContacts, ALeashStopsABallThatBounces) {
  // Its impact has no rebound: the ball falls from the leash's length, and then bounces.
  SystemBuilder builder = ball_at(0.3, 5, 0.8);
  builder.add_strand_node(rigid_node("nail", kWorld, Vec3(0, 0, 0)));
  Strand leash = test::inextensible({{"nail", 0.0}, {"ball", 0.6}}, 0, "leash");
  leash.length = StrandLength::at_most;
  ContactRun run(builder.add_strand(leash).build(), 1e-4, GetParam());
  const std::vector<double> found = tops(run, 3);
  ASSERT_EQ(found.size(), 3u);
  double height = 0.5;
  for (const double top : found) {
    EXPECT_NEAR(0.2 + top, height, 2e-3);
    height *= 0.64;
  }
}

/// A compliant ground under all shapes of a body.
void add_soft_ground(SystemBuilder& builder, const ContactShape& shape,
                     const SmoothContactLaw& law) {
  builder.add_force(std::make_shared<SmoothContact>(
      "ground", BodyIndex(0), std::vector<ContactPart>{{shape, {}}}, ContactPlane{}, law));
}

TEST(StrandContactForces, ASoftGroundCarriesWhatARopeDoesNot) {
  for (const StrandLength length : {StrandLength::elastic, StrandLength::fixed}) {
    SystemBuilder builder = box_with_counterweight(length);
    const SmoothContactLaw law{.stiffness = 1e4, .dissipation = 100};
    add_soft_ground(builder, Cuboid{Vec3(0.4, 0.2, 0.3)}, law);
    const System system = builder.build();
    Workspace ws(system);
    State state = system.default_state();
    const SimulationSettings settings{
        .step = {.integrator = Integrator::sdirk2}, .dt = 2e-3, .until = 4};
    EXPECT_EQ(simulate(system, settings, state, ws).end, SimulationEnd::finished);
    const double front = 0.8 - state.q[1], behind = 1 - state.q[7],
                 rope = 0.1 * 1.6 * (behind - front) / (behind + front);
    // Its four corners are inside by what their law says.
    const double carried = 4 * contact_force(law, state.q[1], Vec3::UnitY(), Vec3::Zero()).normal;
    EXPECT_NEAR(carried, (7 - rope) * kGravity, 1e-8 * carried);
    EXPECT_LT(state.qdot.norm(), 1e-8);
  }
}

/// A ball on a rope of four pieces, which pulls it sideways as it bounces, with a bead.
System ball_on_rope(const SmoothContactLaw& law, double damping) {
  BodySpec spec = test::free_body("ball", Sphere{0.1}, Pose::Translation(Vec3(0, 0.3, 0)));
  spec.qdot0 = {0, -1, 0, 0, 0, 2};
  SystemBuilder builder(SkeletonBuilder().add_body(spec).build());
  builder.set_gravity({0, -kGravity, 0});
  add_soft_ground(builder, Sphere{0.1}, law);
  Strand rope;
  rope.name = "rope";
  rope.density = 0.2;
  rope.law = {LinearStretch{100}, damping, false};
  for (int k = 0; k <= 4; ++k) {
    const std::string name = "n" + std::to_string(k);
    const Vec3 x = Vec3(0.05, 0.3, 0) + 0.25 * k * Vec3(0.3, 0.7, 0.1);
    builder.add_strand_node(k == 0   ? rigid_node(name, BodyIndex(0), Vec3(0.05, 0, 0))
                            : k == 4 ? rigid_node(name, kWorld, x)
                                     : free_node(name, x, k == 2 ? 0.1 : 0));
    rope.points.push_back({name, 0.15 * k});
  }
  return builder.add_strand(rope).build();
}

/// Energy less what it was, and less the work, at the end; the largest kinetic energy.
std::pair<double, double> balance(const System& system, Integrator method, double h) {
  Workspace ws(system);
  State state = system.default_state();
  const double before = energy(system, state, ws).total();
  double work = 0, most = 0;
  bool touches = false;
  while (state.t < 0.6 - 1e-9) {
    const StepReport report = step(system, {.integrator = method}, h, state, ws);
    EXPECT_EQ(report.status, StepStatus::ok);
    if (report.status != StepStatus::ok) break;
    work += report.work;
    most = std::max(most, energy(system, state, ws).kinetic);
    touches |= state.q[1] < -0.2;
  }
  EXPECT_TRUE(touches);
  return {energy(system, state, ws).total() - before - work, most};
}

TEST(StrandContactForces, ABallThatBouncesOnARopeKeepsItsEnergy) {
  // Without damping and friction, and with the work of both.
  for (const bool loses : {false, true}) {
    SCOPED_TRACE(loses);
    SmoothContactLaw law{.stiffness = 1e4, .onset = 5e-3, .dissipation = 0, .friction = 0};
    if (loses) law.dissipation = 0.5, law.friction = 0.4;
    const System system = ball_on_rope(law, loses ? 1.0 : 0.0);
    const auto [error, kinetic] = balance(system, Integrator::rk4, 1e-4);
    EXPECT_LT(std::abs(error), 1e-6 * kinetic);
    for (const Integrator method : {Integrator::sdirk2, Integrator::bdf2}) {
      const double coarse = balance(system, method, 5e-4).first,
                   fine = balance(system, method, 2.5e-4).first;
      EXPECT_LT(std::abs(coarse), 1e-4 * kinetic);
      EXPECT_GT(coarse / fine, 2.5);  // second order, less of it where the ball comes down
    }
  }
}

}  // namespace strand_contacts_test
}  // namespace sinew

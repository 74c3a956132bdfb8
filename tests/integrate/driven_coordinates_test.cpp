#include <gtest/gtest.h>

#include <numbers>

#include "integrate/contact_systems.hpp"
#include "sinew/builder/system_builder.hpp"

// Coordinates that time drives, beside the same motions prescribed by constraints: an independent
// way, with multipliers in place of the drive's work.

namespace sinew {
namespace driven_coordinates_test {

using test::shared;
using test::with;

/// A four-bar linkage with a bar that swings from its coupler; its crank is to follow a function.
struct DrivenLinkage {
  SineFunction crank{0.4, 3, 0.2, 0.9};

  Skeleton skeleton() const {
    const test::FourBar bar;
    const Revolute z{Vec3::UnitZ()};
    const Vec3 q = bar.angles(crank.offset + crank.amplitude * std::sin(crank.phase));
    const double rate = crank.amplitude * crank.frequency * std::cos(crank.phase);
    BodySpec a = test::bar("crank", "", bar.crank, 0.4, z, Vec3::Zero());
    BodySpec b = test::bar("coupler", "crank", bar.coupler, 0.7, z, Vec3(bar.crank, 0, 0));
    BodySpec c = test::bar("rocker", "coupler", bar.rocker, 0.5, z, Vec3(bar.coupler, 0, 0));
    const BodySpec bob = test::bar("bob", "coupler", 0.3, 0.6, z, Vec3(0.3, 0, 0));
    a.q0 = {q[0]};
    a.qdot0 = {rate};
    b.q0 = {q[1]};
    c.q0 = {q[2]};
    return SkeletonBuilder().add_body(a).add_body(b).add_body(c).add_body(bob).build();
  }
  SystemBuilder builder() const {
    SystemBuilder out(skeleton());
    out.add_constraint(shared(test::FourBar().closure()));
    out.add_force(std::make_shared<JointSpring>("damper", DofIndex(3), 0.3, 0.05, 0));
    return out;
  }
  System driven() const {
    SystemBuilder out = builder();
    out.map_coordinates({{DofIndex(0), crank, {"time"}}});
    return out.build();
  }
  System prescribed() const {
    SystemBuilder out = builder();
    out.add_constraint(shared(PrescribedCoordinate("drive", DofIndex(0), ConstraintLevel::position,
                                                   ScalarFunction(crank))));
    return out.build();
  }
};

struct Outcome {
  VecX q, qdot;
  double work = 0, gained = 0;
};

Outcome run(const System& system, const StepOptions& options, double h, int steps) {
  Workspace ws(system);
  State state = system.default_state();
  Outcome out;
  const double before = energy(system, state, ws).total();
  out.work = test::run(system, options, h, steps, state, ws);
  out.gained = energy(system, state, ws).total() - before;
  expand_coordinates(system, state, ws, out.q, out.qdot);
  return out;
}

TEST(DrivenCoordinates, MoveAndWorkAsPrescribedOnesDo) {
  const DrivenLinkage linkage;
  const System driven = linkage.driven(), prescribed = linkage.prescribed();
  EXPECT_EQ(driven.dof_count(), 3);
  EXPECT_EQ(prescribed.dof_count(), 4);
  for (const Integrator integrator : {Integrator::rk4, Integrator::sdirk4}) {
    SCOPED_TRACE(to_string(integrator));
    const Outcome a = run(driven, with(integrator), 1e-3, 1000);
    const Outcome b = run(prescribed, with(integrator), 1e-3, 1000);
    // Rounding, and two methods of fourth order at 1 ms.
    EXPECT_LT((a.q - b.q).lpNorm<Eigen::Infinity>(), 1e-8);
    EXPECT_LT((a.qdot - b.qdot).lpNorm<Eigen::Infinity>(), 1e-7);
    EXPECT_GT(std::abs(a.work), 0.1);
    EXPECT_NEAR(a.work, b.work, 1e-7);
    EXPECT_NEAR(a.work, a.gained, 1e-7);
  }
}

TEST(DrivenCoordinates, TellTheirWorkWithEveryIntegratorThatStepsThem) {
  const System system = DrivenLinkage().driven();
  for (const Integrator integrator : all_integrators()) {
    if (integrator == Integrator::dopri5) continue;
    SCOPED_TRACE(to_string(integrator));
    const auto defect = [&](int steps) {
      const Outcome r = run(system, with(integrator), 0.5 / steps, steps);
      return std::abs(r.work - r.gained);
    };
    const double coarse = defect(250), fine = defect(500);
    EXPECT_TRUE(fine < 0.62 * coarse || fine < 1e-8) << coarse << ' ' << fine;
    EXPECT_LT(fine, 0.02);
  }
}

TEST(DrivenCoordinates, TellTheirWorkWithStepsAsLongAsTolerancesAllow) {
  const System system = DrivenLinkage().driven();
  const auto defect = [&](double tolerance) {
    StepOptions options = with(Integrator::dopri5);
    options.relative_tolerance = options.absolute_tolerance = tolerance;
    State state = system.default_state();
    Workspace ws(system);
    const double before = energy(system, state, ws).total();
    double work = 0;
    while (state.t < 0.5) {
      const StepReport report = step(system, options, 0.5 - state.t, state, ws);
      EXPECT_EQ(report.status, StepStatus::ok);
      if (report.status != StepStatus::ok) break;
      work += report.work;
    }
    EXPECT_GT(std::abs(work), 0.01);
    return std::abs(work - (energy(system, state, ws).total() - before));
  };
  const double coarse = defect(1e-6), fine = defect(1e-10);  // 1.7e-7 and 4.5e-12 J
  EXPECT_LT(coarse, 1e-6);
  EXPECT_LT(fine, 1e-3 * coarse);
}

// A ball falls on a platform that rises and slides at a constant speed: the prescribed coordinates
// then leave nothing to a projection, and both ways solve the same equations.
TEST(DrivenCoordinates, CarryWhatTouchesThem) {
  const auto build = [](bool driven) {
    BodySpec platform;
    platform.name = "platform";
    platform.joint = Planar{};
    platform.M_B = SpatialInertia::FromCentral(2, Vec3::Zero(), Vec3::Ones().asDiagonal());
    platform.qdot0 = {0.3, 0.2};
    BodySpec ball = test::free_body("ball", Sphere{0.1}, Pose::Translation(Vec3(0.05, 0.4, 0)));
    SystemBuilder builder(SkeletonBuilder().add_body(platform).add_body(ball).build());
    const LinearFunction along{{0.3}, 0}, up{{0.2}, 0};
    if (driven) {
      builder.map_coordinates({{DofIndex(0), along, {"time"}}, {DofIndex(1), up, {"time"}}});
    } else {
      builder.add_constraint(
          shared(PrescribedCoordinate("along", DofIndex(0), ConstraintLevel::position,
                                      ScalarFunction(PolynomialFunction{{0, 0.3}}))));
      builder.add_constraint(
          shared(PrescribedCoordinate("up", DofIndex(1), ConstraintLevel::position,
                                      ScalarFunction(PolynomialFunction{{0, 0.2}}))));
    }
    builder.add_contact(test::surface("top", BodyIndex(0), Cuboid{Vec3(2, 0.1, 2)}, 0.4));
    builder.add_contact(test::surface("ball", BodyIndex(1), Sphere{0.1}, 0.4));
    return builder.build();
  };
  for (const Integrator integrator :
       {Integrator::semi_implicit_euler, Integrator::linearly_implicit_euler}) {
    SCOPED_TRACE(to_string(integrator));
    test::ContactRun a(build(true), 1e-3, integrator), b(build(false), 1e-3, integrator);
    VecX q, qdot;
    for (int k = 0; k < 600; ++k) {
      a.step();
      b.step();
      expand_coordinates(a.system, a.state, a.ws, q, qdot);
      ASSERT_LT((q - b.state.q).norm(), 1e-8) << k;
      ASSERT_LT((qdot - b.state.qdot).norm(), 1e-6) << k;
    }
    // It rolls along on the platform.
    EXPECT_NEAR(qdot[3], 0.2, 1e-9);
  }
}

// Rows on accelerations are integrated by the variational rule: what drives add to them is, too.
TEST(DrivenCoordinates, ObeyAccelerationsThatArePrescribed) {
  const DrivenLinkage linkage;
  const auto error = [&](const Integrator integrator, int steps) {
    SystemBuilder builder(linkage.skeleton());
    builder.map_coordinates({{DofIndex(0), linkage.crank, {"time"}}});
    builder.add_constraint(shared(
        PrescribedTwist("turning", BodyIndex(1), Vec3::Zero(), ConstraintLevel::acceleration,
                        {PrescribedTwist::WorldRow(2, ScalarFunction(SineFunction{2, 3, 0, 0}))})));
    const System system = builder.build();
    State state = system.default_state();
    Workspace ws(system);
    update_kinematics(system, state, ws);
    const double start = ws.skeleton.link[2].w.z();
    test::run(system, with(integrator), 1.0 / steps, steps, state, ws);
    update_kinematics(system, state, ws);
    return std::abs(ws.skeleton.link[2].w.z() - start - 2.0 / 3 * (1 - std::cos(3.0)));
  };
  for (const Integrator integrator : {Integrator::rk4, Integrator::variational}) {
    SCOPED_TRACE(to_string(integrator));
    const double coarse = error(integrator, 100), fine = error(integrator, 200);
    EXPECT_LT(fine, 1e-4);
    EXPECT_TRUE(fine < 0.4 * coarse || fine < 1e-10) << coarse << ' ' << fine;
  }
}

}  // namespace driven_coordinates_test
}  // namespace sinew

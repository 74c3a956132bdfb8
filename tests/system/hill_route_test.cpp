#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "sinew/analysis/muscle_state.hpp"
#include "sinew/builder/system_builder.hpp"
#include "sinew/core/error.hpp"
#include "sinew/integrate/integrator.hpp"
#include "sinew/muscles/muscles.hpp"
#include "support/finite_difference.hpp"
#include "support/hill_examples.hpp"

/// Hill muscles on routes: a pendulum whose muscle wraps around a cylinder.

namespace sinew {
namespace hill_route_test {

using test::flexor;

OpenSimPathPoint at(BodyIndex body, const Vec3& x_B) {
  OpenSimPathPoint point;
  point.body = body;
  point.x_B = x_B;
  return point;
}

/// The arm of hill_examples with routes in place of its paths.
System routed_arm() {
  const System spanned = test::arm(flexor(0.6), flexor(0.2));
  SystemBuilder builder(spanned.skeleton());
  for (const auto& element : spanned.muscles()) {
    const Muscle& muscle = element->muscle();
    OpenSimPath path{muscle.name, {}, {}};
    for (const PathPoint& point : muscle.points)
      path.points.push_back(at(point.terms[0].body, point.terms[0].x_B));
    builder.add_muscle(test::on_opensim_path(path, *muscle.hill));
  }
  return builder.build();
}

/// A rod that hangs from a hinge, and a muscle from the ceiling across a cylinder about the hinge.
/// `turned`: the cylinder leans, so that the path climbs along it.
System pendulum(double excitation, double turned = 0) {
  BodySpec rod;
  rod.name = "rod";
  rod.joint = Revolute{Vec3::UnitZ()};
  rod.joint_name = "hinge";
  rod.M_B = SpatialInertia::FromCentral(1, Vec3(0, -0.2, 0), Vec3(0.01, 0.001, 0.01).asDiagonal());
  rod.q0 = {-0.4};
  SystemBuilder builder(SkeletonBuilder().add_body(rod).build());
  auto cylinder = std::make_shared<PathSurface>();
  cylinder->name = "roll";
  cylinder->wrap = CylinderWrap{.radius = 0.04, .half_length = 0.5};
  const double c = std::cos(turned), s = std::sin(turned);
  cylinder->E_BS.R << 1, 0, 0, 0, c, -s, 0, s, c;
  OpenSimPath path{"m",
                   {at(kWorld, Vec3(0.02, 0.25, 0.03)), at(BodyIndex(0), Vec3(0.01, -0.1, 0))},
                   {{cylinder, 0, 1}}};
  cylinder->axis = 0;
  cylinder->sign = 1;
  return builder.add_muscle(test::on_opensim_path(path, flexor(excitation))).build();
}

TEST(HillRoute, RunsAsTheSameMuscleOnAPathOfSpans) {
  const System spanned = test::arm(flexor(0.6), flexor(0.2)), routed = routed_arm();
  State a = spanned.default_state(), b = routed.default_state();
  EXPECT_LT((a.z - b.z).tail(1).norm(), 1e-14);
  Workspace ws_a(spanned), ws_b(routed);
  for (const Integrator integrator :
       {Integrator::sdirk2, Integrator::bdf1, Integrator::linearly_implicit_euler}) {
    const StepOptions options{.integrator = integrator};
    for (int k = 0; k < 50; ++k) {
      ASSERT_EQ(step(spanned, options, 2e-3, a, ws_a).status, StepStatus::ok);
      ASSERT_EQ(step(routed, options, 2e-3, b, ws_b).status, StepStatus::ok);
    }
    // Newton's method ends at 1e-12 of the forces in either.
    EXPECT_LT((a.q - b.q).norm() + (a.z - b.z).tail(1).norm(), 1e-9);
  }
  EXPECT_GT((a.q - spanned.default_state().q).norm(), 0.1) << "nothing moved";
}

TEST(HillRoute, TensionDoesTheWorkOfItsPathsShortening) {
  const System system = pendulum(0.5);
  State state = system.default_state();
  state.qdot << 1.7;
  Workspace ws(system);
  const VecX rest = VecX::Zero(1);
  VecX with(1), without(1);
  inverse_dynamics(system, state, rest, ws, with);
  const double tension = muscle_scratch(ws).hill[0].tension, power = ws.forces.power;
  const auto length = [&](const VecX& q) {
    update_forces(system, {0, q, state.qdot, state.z, 0, VecX()}, ws);
    return VecX(muscle_scratch(ws).length);
  };
  const double dL = central_difference(length, state.q, 1e-6)(0, 0);
  const System bones = SystemBuilder(system.skeleton()).build();
  Workspace bones_ws(bones);
  inverse_dynamics(bones, {0, state.q, state.qdot}, rest, bones_ws, without);
  EXPECT_GT(tension, 5);
  EXPECT_LT(dL, -0.03) << "the moment arm of a roll of 4 cm";
  // differences of lengths over 1e-6 times some 10 N
  EXPECT_NEAR(with[0] - without[0], tension * dL, 1e-7);
  EXPECT_NEAR(power, -tension * dL * 1.7, 1e-7);
}

TEST(HillRoute, DerivativesAreThoseOfTheResidual) {
  for (const double turned : {0.0, 0.4}) {
    const System system = pendulum(0.5, turned);
    State state = system.default_state();
    state.qdot << 1.7;
    Workspace ws(system);
    state.z[1] *= 0.99;
    const auto stage = [&](const VecX& q) { return At(0, q, state.qdot, state.z, 2e-3, VecX()); };
    const VecX qddot = VecX::Constant(1, 3.0);
    VecX g(1);
    Linearization lin;
    linearize(system, stage(state.q), qddot, StiffnessModel::exact, ws, g, lin);
    const auto by_q = [&](const VecX& q) {
      VecX out(1);
      inverse_dynamics(system, stage(q), qddot, ws, out);
      return out;
    };
    const auto sweep = check_derivative(by_q, state.q, lin.dg_dq);
    // fibres are solved to 1e-12 of their length, tendons make 1e5 N/m of it
    EXPECT_LT(sweep.best_error, 1e-6) << sweep.table();
  }
}

TEST(HillRoute, NewtonConvergesQuadraticallyAndEnergyBalances) {
  const System system = pendulum(0.5, 0.4);
  State state = system.default_state();
  Workspace ws(system);
  const double start = energy(system, {0, state.q, state.qdot}, ws).total();
  const StepOptions options{.integrator = Integrator::sdirk2};
  double work = 0, kinetic = 0;
  int iterations = 0;
  constexpr int kSteps = 1000;
  for (int k = 0; k < kSteps; ++k) {
    const StepReport report = step(system, options, 5e-4, state, ws);
    ASSERT_EQ(report.status, StepStatus::ok) << state.t;
    work += report.work;
    iterations += report.newton_iterations;
    kinetic = std::max(kinetic, energy(system, {0, state.q, state.qdot}, ws).kinetic);
  }
  const double end = energy(system, {0, state.q, state.qdot}, ws).total();
  EXPECT_GT(work, 0.05) << "the muscle lifts the rod";
  // The error of a method of second order over 0.5 s in steps of 0.5 ms.
  EXPECT_LT(std::abs(end - start - work), 1e-3 * kinetic);
  // Two stages a step; three corrections each where Newton's matrix is exact.
  EXPECT_LT(iterations, 7 * kSteps);
}

TEST(HillRoute, ExcitationsGiveBreakpointsAndNamesAreTakenOnce) {
  const System system = pendulum(0.1);
  SystemBuilder builder(system.skeleton());
  HillDescription hill = flexor(0);
  hill.excitation =
      TimeFunction::Table({0, 0.25, 0.5}, {0, 1, 0.2}, TimeFunction::Interpolation::step, "u");
  const OpenSimPath& path = system.muscles()[0]->opensim_path()->path();
  builder.add_muscle(test::on_opensim_path(path, hill));
  const System driven = builder.build();
  const auto& times = driven.controls().breakpoints();
  EXPECT_NE(std::find(times.begin(), times.end(), 0.25), times.end());
  builder.add_muscle(test::on_opensim_path(path, hill));
  EXPECT_THROW(builder.build(), Error);
}

}  // namespace hill_route_test
}  // namespace sinew

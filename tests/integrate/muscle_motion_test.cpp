#include <gtest/gtest.h>

#include "sinew/builder/system_builder.hpp"
#include "sinew/core/error.hpp"
#include "sinew/integrate/simulate.hpp"
#include "sinew/muscles/muscle_element.hpp"
#include "sinew/system/equations.hpp"
#include "support/allocation_guard.hpp"

/// Quantities that the motion of a muscle with mass must conserve.

namespace sinew {
namespace muscle_motion_test {

/// Two bones on a cart that moves freely in all three directions; the muscle runs from the first
/// through a point of the same over to the second, around the knee if `wrapped`.
System cart(bool wrapped) {
  SkeletonBuilder skeleton;
  BodySpec base;
  base.name = "base";
  base.joint = Translational{};
  base.M_B = SpatialInertia::FromCentral(0.5, Vec3::Zero(), 1e-3 * Mat3::Identity());
  BodySpec thigh;
  thigh.name = "thigh";
  thigh.parent = "base";
  thigh.joint = Revolute{Vec3(0, 0, 1)};
  thigh.M_B =
      SpatialInertia::FromCentral(1, Vec3(0, -0.2, 0), Vec3(0.014, 0.001, 0.014).asDiagonal());
  thigh.q0 = {0.4};
  thigh.qdot0 = {3};
  BodySpec shank = thigh;
  shank.name = "shank";
  shank.parent = "thigh";
  shank.E_PJ = Pose::Translation(Vec3(0, -0.4, 0));
  shank.q0 = {0.5};
  shank.qdot0 = {-4};
  skeleton.add_body(base).add_body(thigh).add_body(shank);
  SystemBuilder builder(skeleton.build());
  builder.set_gravity(Vec3::Zero());
  const BodyIndex a = builder.skeleton().find_body("thigh");
  const BodyIndex b = builder.skeleton().find_body("shank");
  Muscle muscle;
  muscle.name = "muscle";
  muscle.mass = 1;
  if (wrapped) {
    muscle.points = {PathPoint::Fixed(a, Vec3(0.06, -0.1, 0)),
                     PathPoint::Fixed(b, Vec3(0.05, -0.15, 0.04))};
    CylinderWrap wrap;
    wrap.radius = 0.05;
    wrap.side = WrapSide::clockwise;
    muscle.spans = {{a, Pose::Translation(Vec3(0, -0.4, 0)), wrap}};
  } else {
    muscle.points = {PathPoint::Fixed(a, Vec3(0.06, -0.1, 0)),
                     PathPoint::Fixed(a, Vec3(0.07, -0.35, 0.01)),
                     PathPoint::Fixed(b, Vec3(0.05, -0.15, 0.04))};
  }
  builder.add_muscle(muscle);
  return builder.build();
}

struct Kept {
  double energy = 0, momentum = 0;  ///< largest change over 1 s, relative
};

Kept run(const System& system, Integrator integrator, double h) {
  State state = system.default_state();
  Workspace ws(system);
  StepOptions options;
  options.integrator = integrator;
  // The cart's coordinates are lengths along world axes, so their momenta are linear momentum.
  const auto momentum = [&] {
    MatX M;
    mass_matrix(system, state, ws, M);
    return Vec3((M * state.qdot).head<3>());
  };
  const Vec3 p0 = momentum();
  const double E0 = energy(system, {0, state.q, state.qdot}, ws).total();
  Kept kept;
  while (state.t < 1 - h / 2) {
    EXPECT_EQ(step(system, options, h, state, ws).status, StepStatus::ok);
    const double E = energy(system, state, ws).total();
    kept.energy = std::max(kept.energy, std::abs(E - E0) / E0);
    kept.momentum = std::max(kept.momentum, (momentum() - p0).norm() / p0.norm());
  }
  return kept;
}

TEST(MuscleMotion, KeepsLinearMomentum) {
  // Momentum is not linear in the state, so it is kept to the order of the method: the tolerances
  // are ten times what 1 ms gives. Crossing the band of a wrap takes some ten steps of 1 ms.
  EXPECT_LT(run(cart(false), Integrator::rk4, 1e-3).momentum, 1e-10);
  EXPECT_LT(run(cart(true), Integrator::rk4, 1e-3).momentum, 6e-7);
  for (const bool wrapped : {false, true})
    EXPECT_LT(run(cart(wrapped), Integrator::sdirk2, 1e-3).momentum, 1e-5) << wrapped;
}

TEST(MuscleMotion, KeepsEnergyToTheOrderOfTheMethod) {
  for (const bool wrapped : {false, true}) {
    const System system = cart(wrapped);
    // Steps that resolve the band, if there is one.
    const double h = wrapped ? 5e-4 : 2e-3;
    const double coarse = run(system, Integrator::rk4, 2 * h).energy;
    const double fine = run(system, Integrator::rk4, h).energy;
    EXPECT_LT(fine, 1e-7) << wrapped;
    // Fourth order: 16 times less per halving; 10 because the largest error is at a band's edge.
    EXPECT_GT(coarse / fine, 10) << wrapped << " " << coarse << " " << fine;
    const double sdirk_coarse = run(system, Integrator::sdirk2, 2 * h).energy;
    const double sdirk_fine = run(system, Integrator::sdirk2, h).energy;
    EXPECT_GT(sdirk_coarse / sdirk_fine, 3) << wrapped << " " << sdirk_coarse << " " << sdirk_fine;
  }
}

/// The same limb with a muscle without mass.
System without_muscle_mass(bool wrapped) {
  const System system = cart(wrapped);
  SystemBuilder builder(system.skeleton());
  builder.set_gravity(Vec3::Zero());
  Muscle muscle = system.muscles()[0]->muscle();
  muscle.mass = 0;
  muscle.regions.clear();
  builder.add_muscle(muscle);
  return builder.build();
}

TEST(MuscleMotion, SdirkKeepsEnergyAsWellAsWithoutMuscleMass) {
  // The requirement is three times. Carrying q̇ instead of Lᵀq̇ it would be 45 times around the
  // cylinder, at the edge of whose band M changes within few steps.
  for (const bool wrapped : {false, true}) {
    const double with = run(cart(wrapped), Integrator::sdirk2, 1e-3).energy;
    const double without = run(without_muscle_mass(wrapped), Integrator::sdirk2, 1e-3).energy;
    EXPECT_LT(with, 3 * without) << wrapped;
  }
}

TEST(MuscleMotion, SdirkAllocatesNothingAfterTheFirstStep) {
  SINEW_NEEDS_ALLOCATION_COUNTS();
  const System system = cart(true);
  State state = system.default_state();
  Workspace ws(system);
  StepOptions options;
  options.integrator = Integrator::sdirk2;
  step(system, options, 1e-3, state, ws);
  const sinew::test::AllocationGuard guard;
  step(system, options, 1e-3, state, ws);
  EXPECT_EQ(guard.count(), 0);
}

TEST(MuscleMotion, WithoutVelocityTermsEnergyIsLost) {
  // Wang 2022 §6.2.4: the quadratic velocity vector is not a detail.
  System system = cart(false);
  SystemBuilder builder(system.skeleton());
  builder.set_gravity(Vec3::Zero());
  Muscle muscle = system.muscles()[0]->muscle();
  muscle.velocity_terms = false;
  builder.add_muscle(muscle);
  EXPECT_GT(run(builder.build(), Integrator::rk4, 1e-3).energy, 1e-2);
}

TEST(MuscleMotion, TheVariationalIntegratorKeepsTheEnergyOfMusclesWithMass) {
  const double coarse = run(cart(false), Integrator::variational, 2e-3).energy,
               fine = run(cart(false), Integrator::variational, 1e-3).energy;
  EXPECT_LT(fine, 1e-3);
  EXPECT_LT(fine, coarse / 3) << "second order";
}

TEST(MuscleMotion, StopsWhereTendonsLeaveNoRoomForTheBelly) {
  const System system = cart(false);
  SystemBuilder builder(system.skeleton());
  Muscle muscle = system.muscles()[0]->muscle();
  muscle.material = MaterialMap::Tendons(0.3, 0.09);  // the path begins with 0.417 m and shortens
  builder.add_muscle(muscle);
  const System tight = builder.build();
  SimulationSettings settings;
  for (const Integrator integrator : {Integrator::rk4, Integrator::sdirk2}) {
    settings.step.integrator = integrator;
    State state = tight.default_state();
    state.qdot *= -1;
    Workspace ws(tight);
    const SimulationResult result = simulate(tight, settings, state, ws);
    EXPECT_EQ(result.end, SimulationEnd::failed);
    EXPECT_EQ(result.last.status, StepStatus::part_failed);
    EXPECT_NE(describe_failure(tight, result, state).find("muscle 'muscle'"), std::string::npos);
    EXPECT_GT(state.t, 0);
    EXPECT_TRUE(state.q.allFinite());
  }
}

TEST(MuscleMotion, Bdf2RemembersWhereItsFirstStepStarted) {
  const System system = cart(true);
  State state = system.default_state();
  const State before = state;
  Workspace ws(system);
  step(system, {.integrator = Integrator::bdf2}, 1e-3, state, ws);
  EXPECT_EQ(state.memory.q_1, before.q);
  EXPECT_EQ(state.memory.qdot_1, before.qdot);
}

}  // namespace muscle_motion_test
}  // namespace sinew

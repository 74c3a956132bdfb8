#include <gtest/gtest.h>

#include "constraints/slope_scene.hpp"

/// Bodies on the smooth ground bounce, roll and tumble. Expected values are the closed
/// forms of docs/theory/smooth_contact.md.

namespace sinew {
namespace smooth_contact_motion_test {

using test::depth_under;
using test::kG;
using test::OnSlope;
using test::Outcome;
using test::simulated;
using test::total_energy;

// --- Bouncing ----------------------------------------------------------------------------------

TEST(SmoothContactBounce, LossOfEnergyIsTheReportedWork) {
  OnSlope scene;
  scene.shape = Sphere{0.1};
  scene.joint = Free3D();
  scene.q0 = {0, 0.6, 0, 0, 0, 0};
  scene.qdot0 = {1, 0, 0, 0, 3, 20};
  const System system = scene.build();
  const Outcome run = simulated(system, Integrator::dopri5, 0.01, 1.5);
  const double change =
      total_energy(system, run.state) - total_energy(system, system.default_state());
  EXPECT_LT(change, -5) << "it bounces and skids";
  // dopri5 integrates the power with its own steps, of tolerance 1e-10.
  EXPECT_NEAR(run.work, change, 1e-5);
  EXPECT_LT(run.gained, 1e-7);
}

TEST(SmoothContactBounce, WithoutDampingAndFrictionItConservesEnergy) {
  OnSlope scene;
  scene.shape = Sphere{0.1};
  scene.q0 = {0, 0.6, 0};
  scene.law.dissipation = scene.law.friction = 0;
  const System system = scene.build();
  const Outcome run = simulated(system, Integrator::dopri5, 0.01, 3);
  EXPECT_EQ(run.work, 0);
  const double E = OnSlope::kMass * kG * 0.6;
  EXPECT_NEAR(total_energy(system, run.state), E, 1e-7 * E);
}

// m v dv/dδ = −F(δ)(1 − c ġ) separates: c v − ln(1 + c v) before equals −c v′ − ln(1 − c v′) after,
// whatever F is: Eq. (11).
TEST(SmoothContactBounce, RestitutionIsThatOfHuntAndCrossleyWhateverTheElasticForce) {
  for (const double k : {1e4, 1e6})
    for (const double v : {0.05, 0.4, 1.0}) {
      OnSlope scene;
      scene.gravity = 0;
      scene.shape = Sphere{0.1};
      scene.law.stiffness = k;
      scene.law.dissipation = 0.5;
      scene.q0 = {0, 0.1 + 0.01 * v, 0};
      scene.qdot0 = {0, -v, 0};
      const double after = simulated(scene.build(), Integrator::dopri5, 0.005, 0.5).state.qdot[1];
      const double c = scene.law.dissipation;
      const double before_side = c * v - std::log1p(c * v);
      const double after_side = -c * after - std::log1p(-c * after);
      EXPECT_NEAR(after_side, before_side, 1e-7 * before_side) << k << " " << v;
      // For slow impacts e = 1 − ⅔ c v, to second order.
      if (v < 0.1) {
        EXPECT_NEAR(after / v, 1 - 2.0 / 3 * c * v, std::pow(c * v, 2));
      }
    }
}

// --- Rolling -----------------------------------------------------------------------------------

TEST(SmoothContactRolling, ASkiddingBallEndsRollingAtFiveSevenths) {
  for (const double v0 : {1.4, -1.4}) {
    OnSlope scene;
    scene.shape = Sphere{0.1};
    scene.joint = Free3D();
    scene.q0 = {0, 0.1 - depth_under(OnSlope::kMass * kG, 1, {.stiffness = 1e4}), 0, 0, 0, 0};
    scene.qdot0 = {v0, 0, 0, 0, 0, 0};
    scene.law.stiffness = 1e4;
    const System system = scene.build();
    const Outcome run = simulated(system, Integrator::dopri5, 0.01, 1.5);
    Workspace ws(system);
    update_forces(system, {0, run.state.q, run.state.qdot}, ws);
    const LinkMotion& ball = ws.skeleton.link[1];
    // Angular momentum about the ground is kept by any friction; slip decays exponentially.
    EXPECT_NEAR(ball.v.x(), 5.0 / 7 * v0, 1e-8);
    EXPECT_NEAR(ball.w.z(), -ball.v.x() / 0.1, 1e-7);
  }
}

TEST(SmoothContactRolling, DownASlopeItGainsFiveSeventhsOfGravity) {
  OnSlope scene;
  scene.shape = Sphere{0.1};
  scene.joint = Free3D();
  scene.angle = 0.2;
  const double load = OnSlope::kMass * kG * std::cos(scene.angle);
  scene.law.stiffness = 1e4;
  scene.q0 = {0, 0.1 - depth_under(load, 1, scene.law), 0, 0, 0, 0};
  scene.qdot0 = std::vector<double>(6, 0);
  const System system = scene.build();
  const double early = simulated(system, Integrator::dopri5, 0.01, 0.5).state.qdot[0];
  const double late = simulated(system, Integrator::dopri5, 0.01, 1).state.qdot[0];
  // The slip that friction needs is constant once it rolls, and drops out of the difference.
  EXPECT_NEAR((late - early) / 0.5, 5.0 / 7 * kG * std::sin(scene.angle), 1e-6);
}

// --- Implicit integrators ----------------------------------------------------------------------

class SmoothContactImplicit : public ::testing::TestWithParam<Integrator> {};

/// A box of 2 kg thrown so that it tumbles over edges and corners, skids and comes to rest.
System tumbling_box(double stiffness) {
  OnSlope scene;
  scene.joint = Free3D();
  scene.law.stiffness = stiffness;
  scene.q0 = {0, 0.8, 0, 0.3, 0.2, 0.5};
  scene.qdot0 = {2, 1, 0.5, 2, -1, -6};
  return scene.build();
}

TEST_P(SmoothContactImplicit, ConvergesAtFiveMillisecondsAndComesToRest) {
  for (const double stiffness : {1e4, 1e5, 1e6}) {
    SCOPED_TRACE(stiffness);
    const System system = tumbling_box(stiffness);
    const Outcome run = simulated(system, GetParam(), 5e-3, 6);
    ASSERT_TRUE(run.finished);
    // Seen per solve: up to 8.4 on average over all that moves, most of them with derivatives of an
    // earlier iterate, at most 26.
    const int solves = GetParam() == Integrator::sdirk2 ? 2 : 1;
    EXPECT_LT(run.iterations, 12 * solves * run.moving_steps);
    EXPECT_LT(run.most_iterations, 40 * solves);
    EXPECT_LT(run.peak, 0) << "it never has more energy than it was thrown with";
    // A step of implicit Euler loses energy, except for 1e-3 J if the impact is shorter than the
    // step.
    if (GetParam() == Integrator::bdf1) {
      EXPECT_LT(run.gained, stiffness < 1e6 ? 1e-12 : 5e-3);
    }
    // On a face, parallel to the ground, and still.
    Workspace ws(system);
    update_forces(system, {0, run.state.q, run.state.qdot}, ws);
    const Vec3 up = ws.skeleton.link[1].R.row(1).cwiseAbs();
    EXPECT_NEAR(up.maxCoeff(), 1, 1e-6);
    EXPECT_LT(run.state.qdot.norm(), 1e-3);
  }
}

INSTANTIATE_TEST_SUITE_P(All, SmoothContactImplicit,
                         ::testing::Values(Integrator::bdf1, Integrator::sdirk2, Integrator::bdf2),
                         [](const auto& each) { return to_string(each.param); });

}  // namespace smooth_contact_motion_test
}  // namespace sinew

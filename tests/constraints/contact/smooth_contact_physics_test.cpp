#include <gtest/gtest.h>

#include "constraints/slope_scene.hpp"

/// Bodies on the smooth ground rest, slide and stick. Expected values are the closed forms
/// of docs/theory/smooth_contact.md.

namespace sinew {
namespace smooth_contact_physics_test {

using test::depth_under;
using test::kG;
using test::OnSlope;
using test::Outcome;
using test::simulated;

constexpr double kPi = 3.14159265358979323846;

// --- Resting -----------------------------------------------------------------------------------

TEST(SmoothContactRest, ASphereSinksToThePredictedDepth) {
  for (const double k : {1e3, 1e4, 2e4}) {
    OnSlope scene;
    scene.shape = Sphere{0.1};
    scene.law.stiffness = k;
    scene.law.dissipation = 5;
    scene.q0 = {0, 0.101, 0};
    const Outcome run = simulated(scene.build(), Integrator::bdf1, 5e-3, 5);
    const double depth = depth_under(OnSlope::kMass * kG, 1, scene.law);
    // Newton's tolerance on forces, 1e-12 of 20 N, over k; oscillations are long gone.
    EXPECT_NEAR(run.state.q[1], 0.1 - depth, 1e-11) << k;
    EXPECT_NEAR(run.state.qdot.norm(), 0, 1e-9);
  }
}

TEST(SmoothContactRest, ABoxStandsOnFourCornersWithinTheOnset) {
  OnSlope scene;
  scene.joint = Free3D();
  scene.q0 = {0, 0.1005, 0, 0, 0, 0};
  scene.qdot0 = std::vector<double>(6, 0);
  scene.law.dissipation = 5;
  const Outcome run = simulated(scene.build(), Integrator::bdf1, 5e-3, 5);
  const double depth = 0.1 - run.state.q[1];
  EXPECT_GT(depth, 0);
  EXPECT_LT(depth, scene.law.onset);
  const double N = contact_force(scene.law, -depth, Vec3::UnitY(), Vec3::Zero()).normal;
  EXPECT_NEAR(4 * N, OnSlope::kMass * kG, 1e-6);
}

// --- Sliding -----------------------------------------------------------------------------------

/// Distance at which a body at v0 stops: v√(v²+v_ε²)/2 + v_ε²/2 asinh(v/v_ε) over μg, Eq. (12).
double stopping_distance(double v, double mu, double eps) {
  return (0.5 * v * std::hypot(v, eps) + 0.5 * eps * eps * std::asinh(v / eps)) / (mu * kG);
}

TEST(SmoothContactSliding, ABoxStopsAfterTheDistanceOfCoulombAndTheBoundOfItsRegularisation) {
  for (const double v0 : {2.0, -2.0, 0.7}) {
    OnSlope scene;
    const double load = OnSlope::kMass * kG;
    scene.law.stiffness = 4e3;
    scene.q0 = {0, 0.1 - depth_under(load, 4, scene.law), 0};
    scene.qdot0 = {v0, 0, 0};
    const double mu = scene.law.friction, eps = scene.law.creep_velocity, v = std::abs(v0);
    const Outcome run = simulated(scene.build(), Integrator::dopri5, 0.01, v / (mu * kG) + 0.5);
    const double travelled = run.state.q[0] * (v0 > 0 ? 1 : -1);
    // Left over: v decays as exp(−μ g t/v_ε), 1e-10 after 0.05 s.
    EXPECT_NEAR(travelled, stopping_distance(v, mu, eps), 1e-8) << v0;
    const double coulomb = v * v / (2 * mu * kG);
    const double bound = eps * eps / (2 * mu * kG) * (std::log(2 * v / eps) + 1);
    EXPECT_GT(travelled, coulomb);
    EXPECT_LT(travelled, coulomb + bound);
    EXPECT_NEAR(run.work, -0.5 * OnSlope::kMass * v * v, 1e-7) << "all is lost to friction";
  }
}

TEST(SmoothContactSliding, AFreeBoxPitchesAndStillStopsThere) {
  OnSlope scene;
  scene.joint = Free3D();
  scene.q0 = {0, 0.0995, 0, 0, 0, 0};
  scene.qdot0 = {1.5, 0, 0.8, 0, 0, 0};
  const Outcome run = simulated(scene.build(), Integrator::sdirk2, 2e-3, 1.5);
  const double v = std::hypot(1.5, 0.8), mu = scene.law.friction;
  const Vec3 travelled = run.state.q.head<3>() - Vec3(0, 0.0995, 0);
  // Fore and aft loads differ; their sum is m g except for the pitching at the start.
  EXPECT_NEAR(std::hypot(travelled.x(), travelled.z()), v * v / (2 * mu * kG), 2e-3);
  EXPECT_NEAR(std::atan2(travelled.z(), travelled.x()), std::atan2(0.8, 1.5), 0.01);
}

TEST(SmoothContactSliding, BelowTheAngleOfFrictionABoxCreepsAtThePredictedVelocity) {
  for (const double share : {0.3, 0.8, 0.97}) {  // of tan⁻¹ μ
    OnSlope scene;
    scene.angle = share * std::atan(scene.law.friction);
    scene.q0 = {0, 0.1, 0};
    const Outcome run = simulated(scene.build(), Integrator::bdf2, 5e-3, 3);
    const double r = std::tan(scene.angle) / scene.law.friction;
    const double creep = scene.law.creep_velocity * r / std::sqrt(1 - r * r);
    EXPECT_NEAR(run.state.qdot[0], creep, 1e-9) << share;
    EXPECT_NEAR(run.state.qdot[2], 0, 1e-12);
  }
}

// All degrees of freedom: friction follows N, and on springs with little damping a cube would rock
// itself downhill. The default dissipation is enough to settle it.
TEST(SmoothContactSliding, AFreeCubeSettlesAndCreepsAtThePredictedVelocity) {
  OnSlope scene;
  scene.joint = Free3D();
  scene.shape = Cuboid{{0.1, 0.1, 0.1}};
  scene.angle = 0.3;
  scene.q0 = {0, 0.05, 0, 0, 0, 0};
  scene.qdot0 = std::vector<double>(6, 0);
  const Outcome run = simulated(scene.build(), Integrator::dopri5, 0.01, 3);
  const double r = std::tan(scene.angle) / scene.law.friction;
  EXPECT_NEAR(run.state.qdot[0], scene.law.creep_velocity * r / std::sqrt(1 - r * r), 1e-8);
  EXPECT_LT(run.state.qdot.tail<5>().norm(), 1e-6);
}

TEST(SmoothContactSliding, AboveItTheBoxAcceleratesAsCoulombSays) {
  for (const double share : {1.1, 1.5}) {
    OnSlope scene;
    scene.angle = share * std::atan(scene.law.friction);
    const double load = OnSlope::kMass * kG * std::cos(scene.angle);
    scene.law.stiffness = 4e3;
    scene.q0 = {0, 0.1 - depth_under(load, 4, scene.law), 0};
    scene.qdot0 = {1, 0, 0};
    const Outcome run = simulated(scene.build(), Integrator::dopri5, 0.01, 1);
    const double a = kG * (std::sin(scene.angle) - scene.law.friction * std::cos(scene.angle));
    // Friction is short of μN by less than (v_ε/v)²/2 at v ≥ 1 m/s.
    EXPECT_NEAR(run.state.qdot[0] - 1, a, 0.5 * 1e-4 * scene.law.friction * kG) << share;
    EXPECT_GT(run.state.qdot[0] - 1, a);
  }
}

TEST(SmoothContactSliding, TheAngleAtWhichItStartsIsThatOfFriction) {
  const double critical = std::atan(SmoothContactLaw().friction), tenth = 0.1 * kPi / 180;
  for (const double off : {-tenth, tenth}) {
    OnSlope scene;
    scene.angle = critical + off;
    scene.q0 = {0, 0.1, 0};
    const System system = scene.build();
    // Stuck it creeps at v_ε/√(2 (1 − r)) ≈ 0.1 m/s this near to the limit; sliding it has gained
    // Δα g √(1 + μ²) t = 0.19 m/s after 10 s and goes on.
    const double at_10 = simulated(system, Integrator::bdf2, 5e-3, 10).state.qdot[0];
    const double at_20 = simulated(system, Integrator::bdf2, 5e-3, 20).state.qdot[0];
    if (off < 0) {
      const double r = std::tan(scene.angle) / scene.law.friction;
      EXPECT_LE(at_20, scene.law.creep_velocity * r / std::sqrt(1 - r * r));
      EXPECT_LT(at_20 - at_10, 0.02);
    } else {
      const double a = kG * (std::sin(scene.angle) - scene.law.friction * std::cos(scene.angle));
      EXPECT_GT(at_20 - at_10, 10 * a);
    }
  }
}

}  // namespace smooth_contact_physics_test
}  // namespace sinew

#include "io/constrained_scenes.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "sinew/analysis/audit.hpp"
#include "sinew/analysis/reactions.hpp"
#include "support/source_dir.hpp"

/// The physics of the scenes with constraints: closed forms, energies, and torques that are fed
/// back.

namespace sinew {
namespace constrained_scenes_test {

std::filesystem::path path_of(const std::string& name) {
  return std::filesystem::path(test::source_dir()) / "scenes" / (name + ".json");
}
Scene load(const std::string& name, const std::vector<std::string>& overrides = {}) {
  return load_scene(path_of(name), overrides);
}

using OnOutput = std::function<void(double t, const VecX& q, const VecX& qdot)>;
using OnState = std::function<void(const State&)>;

/// Runs to the end; returns the last state.
State run_states(const Scene& scene, const SimulationSettings& settings, const OnState& on_state) {
  Workspace ws(scene.system);
  State state = initial_state(scene.system, settings.step);
  SimulationObserver observer;
  observer.on_output = on_state;
  const SimulationResult result = simulate(scene.system, settings, state, ws, observer);
  EXPECT_EQ(result.end, SimulationEnd::finished) << describe_failure(scene.system, result, state);
  return state;
}
State run(const Scene& scene, const SimulationSettings& settings, const OnOutput& on_output = {}) {
  if (!on_output) return run_states(scene, settings, {});
  return run_states(scene, settings,
                    [&](const State& state) { on_output(state.t, state.q, state.qdot); });
}

TEST(ConstrainedScenes, HoldTheirConstraintsAfterEveryStep) {
  const std::vector<Scene> scenes = test::constrained_scenes();
  EXPECT_GE(scenes.size(), 11u);
  // `make validate` goes on to 10 s, with every integrator.
  for (const Scene& scene : scenes) test::expect_held(scene, scene.settings.step.integrator, 2);
}

TEST(ConstrainedScenes, SurviveLongImplicitStepsWhereGravityUpsetsTheMechanism) {
  // At 50 ms the matrix of BDF1 is not definite: its W is not a metric to project with.
  test::expect_held(load("redmax-20"), Integrator::bdf1, 4);
}

TEST(ConstrainedScenes, HaveTheDegreesOfFreedomThatOneCounts) {
  const std::pair<const char*, int> cases[] = {
      {"redmax-04", 2}, {"redmax-07", 1},    {"redmax-09", 2}, {"redmax-13", 1},
      {"redmax-15", 2}, {"redmax-20", 1},    {"redmax-32", 1}, {"redmax-34", 1},
      {"four-bar", 1},  {"slider-crank", 0}, {"gear-train", 1}};
  for (const auto& [name, dof] : cases) {
    const Scene scene = load(name);
    EXPECT_EQ(scene.system.dof_count() - scene.system.independent_rows(), dof) << name;
    EXPECT_TRUE(scene.system.redundancies().empty()) << name;
  }
}

// ------------------------------------------------------- four-bar

TEST(FourBarScene, FollowsTheClosedFormOfItsAnglesAndSpeeds) {
  const double crank = 0.3, coupler = 0.8, rocker = 0.6, ground = 0.9;
  const Scene scene = load("four-bar");
  double turns = 0;
  run(scene, scene.settings, [&](double t, const VecX& q, const VecX& qdot) {
    // The pin is where the circles about crank pin and ground pivot meet, above the ground.
    const double x = crank * std::cos(q[0]), y = crank * std::sin(q[0]);
    const double dx = ground - x, dy = -y, s = std::hypot(dx, dy);
    const double along = (s * s + coupler * coupler - rocker * rocker) / (2 * s);
    const double across = std::sqrt(coupler * coupler - along * along);
    const double px = x + (along * dx - across * dy) / s, py = y + (along * dy + across * dx) / s;
    const double theta3 = std::atan2(py - y, px - x), theta4 = std::atan2(py, px - ground);
    // 1e-9 of residual over the sine of the angle between coupler and rocker, above 0.1.
    const double turn = 2 * std::numbers::pi;
    ASSERT_NEAR(std::remainder(q[0] + q[1] - theta3, turn), 0, 1e-8) << t;
    ASSERT_NEAR(std::remainder(q[2] - theta4, turn), 0, 1e-8) << t;
    // Velocities of the pin along and across the coupler (Freudenstein).
    const double w2 = qdot[0], sine = std::sin(theta3 - theta4);
    const double w3 = -crank * w2 * std::sin(q[0] - theta4) / (coupler * sine);
    const double w4 = -crank * w2 * std::sin(q[0] - theta3) / (rocker * sine);
    ASSERT_NEAR(qdot[0] + qdot[1], w3, 1e-8 * std::abs(w2)) << t;
    ASSERT_NEAR(qdot[2], w4, 1e-8 * std::abs(w2)) << t;
    turns = q[0] / turn;
  });
  EXPECT_GT(std::abs(turns), 5);  // it goes round and round
}

// ------------------------------------------------------- slider-crank

constexpr double kCrank = 0.05, kRod = 0.15;

TEST(SliderCrankScene, FollowsTheClosedFormOfItsStroke) {
  const double A = 4 * std::numbers::pi, k = 4, c = 1;
  const Scene scene = load("slider-crank");
  const auto turned = [&](double t) { return A / k * std::log1p(std::exp(k * (t - c))); };
  const double start = scene.system.default_state().q[0];
  run(scene, scene.settings, [&](double t, const VecX& q, const VecX& qdot) {
    const double sine = std::sin(q[0]), cosine = std::cos(q[0]);
    const double height = std::sqrt(kRod * kRod - kCrank * kCrank * cosine * cosine);
    ASSERT_NEAR(q[2], kCrank * sine + height, 1e-9) << t;
    const double slope = kCrank * cosine + kCrank * kCrank * sine * cosine / height;
    ASSERT_NEAR(qdot[2], slope * qdot[0], 1e-9) << t;
    // The speed is prescribed; the angle is its integral as far as RK4 at 1 ms gets it.
    ASSERT_NEAR(qdot[0], A / (1 + std::exp(-k * (t - c))), 1e-9) << t;
    ASSERT_NEAR(q[0], start + turned(t) - turned(0), 1e-9) << t;
  });
}

TEST(SliderCrankScene, HasAMotorWhoseTorqueDoesTheWork) {
  const Scene scene = load("slider-crank");
  ASSERT_EQ(reaction_labels(scene.system).back(), "motor_torque");
  const double h = scene.settings.dt;
  Workspace ws(scene.system);
  std::vector<double> E, power, out;
  run_states(scene, scene.settings, [&](const State& state) {
    E.push_back(energy(scene.system, state, ws).total());
    reactions(scene.system, scene.settings.step, state, scene.system.controls(), ws, out);
    power.push_back(out.back() * state.qdot[0]);
  });
  double largest = 0, error = 0;
  for (size_t k = 1; k + 1 < E.size(); ++k) {
    largest = std::max(largest, std::abs(power[k]));
    error = std::max(error, std::abs((E[k + 1] - E[k - 1]) / (2 * h) - power[k]));
  }
  EXPECT_GT(largest, 1);  // W
  // Central differences: h²/6 times the third derivative, (2 · 4π)² / s² of the power.
  EXPECT_LT(error, largest * h * h / 6 * std::pow(8 * std::numbers::pi, 2) * 10);
}

/// The slider-crank with the measured torque as a table instead of the motor: largest difference of
/// the crank's angle.
double fed_back(double h) {
  // Fast enough for no moment to be a balance on a knife's edge.
  const Scene driven = load(
      "slider-crank",
      {R"(constraints.motor.function={"type": "sine", "amplitude": 3, "frequency": 2, "offset": 12})"});
  SimulationSettings settings = driven.settings;
  settings.dt = h;
  settings.until = 2;
  Workspace ws(driven.system);
  std::string times, values;
  std::vector<double> angle, out;
  run_states(driven, settings, [&](const State& state) {
    reactions(driven.system, settings.step, state, driven.system.controls(), ws, out);
    times += fmt::format("{}{:.17g}", times.empty() ? "" : ",", state.t);
    values += fmt::format("{}{:.17g}", values.empty() ? "" : ",", out.back());
    angle.push_back(state.q[0]);
  });
  const State start = driven.system.default_state();
  const Scene free = load(
      "slider-crank",
      {R"(constraints=[{"type": "hinge", "bodies": ["rod", "piston"], "points": [[0.15, 0, 0], [0, 0, 0]],
                        "axes": [[0, 0, 1], [0, 0, 1]]}])",
       R"(forces=[{"type": "torque", "coordinate": "crank_angle", "table": {"times": [)" + times +
           R"(], "values": [)" + values + R"(], "interpolation": "linear"}}])",
       fmt::format("bodies.crank.joint.qdot0={:.17g}", start.qdot[0]),
       fmt::format("bodies.rod.joint.qdot0={:.17g}", start.qdot[1]),
       fmt::format("bodies.piston.joint.qdot0={:.17g}", start.qdot[2])});
  double largest = 0;
  size_t k = 0;
  run(free, settings, [&](double, const VecX& q, const VecX&) {
    largest = std::max(largest, std::abs(q[0] - angle[k++]));
  });
  return largest;
}

TEST(SliderCrankScene, MovesAlikeWhenTheTorqueIsFedBack) {
  // Straight lines between the values: second order in their distance.
  const double coarse = fed_back(4e-3), fine = fed_back(2e-3);
  RecordProperty("largest_difference", fmt::format("{:.2e}, {:.2e}", coarse, fine));
  EXPECT_LT(coarse, 1e-2);
  EXPECT_GT(coarse / fine, 3.5);
  EXPECT_LT(coarse / fine, 4.5);
}

// ------------------------------------------------------- gear train

TEST(GearTrainScene, KeepsItsRatiosExactly) {
  const Scene scene = load("gear-train");
  run(scene, scene.settings, [](double t, const VecX& q, const VecX& qdot) {
    const double ratios[] = {-3, 3, -9, -0.012};
    for (int k = 0; k < 4; ++k) {
      // One rounding of a product, and the residual of the projection.
      ASSERT_NEAR(qdot[k + 1], ratios[k] * qdot[0], 1e-12 * std::max(1.0, std::abs(qdot[0]))) << t;
      ASSERT_NEAR(q[k + 1], ratios[k] * (q[0] - 0.4), 2e-12) << t;
    }
  });
}

TEST(GearTrainScene, SwingsWithTheReflectedInertiaOfAllItsWheels) {
  const double rho = 7800, g = 9.80665;
  const auto disc = [&](double r, double height) {
    const double m = rho * std::numbers::pi * r * r * height;
    return std::pair(m, 0.5 * m * r * r);
  };
  const double m_rod = rho * 0.3 * 0.015 * 0.004, m_ball = rho * 4 / 3 * std::numbers::pi * 2.7e-5;
  const double arm = disc(0.048, 0.008).second + disc(0.012, 0.008).second +
                     m_rod * (0.3 * 0.3 + 0.015 * 0.015) / 12 + m_rod * 0.15 * 0.15 +
                     0.4 * m_ball * 0.03 * 0.03 + m_ball * 0.3 * 0.3;
  const double idler = disc(0.016, 0.008).second;
  const double compound = idler + disc(0.045, 0.008).second;
  const double flywheel = disc(0.015, 0.008).second + disc(0.05, 0.01).second;
  const double rack = rho * 0.006 * 0.15 * 0.008;
  const double I = arm + 9 * idler + 9 * compound + 81 * flywheel + 0.012 * 0.012 * rack;
  const auto V = [&](double theta) {
    return g * ((m_rod * 0.15 + m_ball * 0.3) * std::sin(theta) - rack * 0.012 * theta);
  };
  const Scene scene = load("gear-train");
  double fastest = 0;
  run(scene, scene.settings, [&](double t, const VecX& q, const VecX& qdot) {
    // Variational at 1 ms: a bounded energy error of second order.
    ASSERT_NEAR(0.5 * I * qdot[0] * qdot[0], V(0.4) - V(q[0]), 1e-4) << t;
    fastest = std::max(fastest, 0.5 * I * qdot[0] * qdot[0]);
  });
  EXPECT_GT(fastest, 3);  // J
}

// ------------------------------------------------------- energy

/// Largest |E − E₀| at that step.
double energy_error(const Scene& scene, Integrator integrator, double h, double until) {
  SimulationSettings settings = scene.settings;
  settings.step.integrator = integrator;
  settings.dt = h;
  settings.until = until;
  Workspace ws(scene.system);
  double start = 0, largest = 0;
  run(scene, settings, [&](double t, const VecX& q, const VecX& qdot) {
    const double E = energy(scene.system, {t, q, qdot}, ws).total();
    if (t == 0) start = E;
    largest = std::max(largest, std::abs(E - start));
  });
  return largest;
}

TEST(FrictionlessLoops, KeepTheirEnergyToTheIntegratorsOrder) {
  for (const char* name : {"four-bar", "gear-train", "redmax-04", "redmax-15"})
    for (const auto& [integrator, order] :
         {std::pair(Integrator::rk4, 4), std::pair(Integrator::variational, 2),
          std::pair(Integrator::sdirk2, 2)}) {
      const Scene scene = load(name, {"simulation.projection=true", "simulation.baumgarte={}"});
      const double coarse = energy_error(scene, integrator, 4e-3, 1);
      const double fine = energy_error(scene, integrator, 2e-3, 1);
      // A little less than 2^order where the steps are not small yet.
      EXPECT_GT(coarse / fine, 0.85 * std::pow(2, order)) << name << ' ' << to_string(integrator);
    }
}

// ------------------------------------------------------- prescribed motions of the reference

TEST(PrescribedScenes, TurnTheHingeOfScene32Forward) {
  // The reference prescribes minus the rate that it gets; here +4π means +4π.
  const Scene scene = load("redmax-32", {"simulation.projection=true", "simulation.baumgarte={}",
                                         "simulation.integrator=rk4"});
  const State state = run(scene, scene.settings);
  // A rate is prescribed, not the angle: closing the loop moves that by what RK4 errs at 5 ms.
  EXPECT_NEAR(state.q[1], 4 * std::numbers::pi, 1e-6);
  EXPECT_NEAR(state.qdot[1], 4 * std::numbers::pi, 1e-9);
}

TEST(PrescribedScenes, FollowTheirFunctionsWhereStepsProject) {
  const Scene scene = load("redmax-09", {"simulation.projection=true", "simulation.baumgarte={}"});
  run(scene, scene.settings, [](double t, const VecX& q, const VecX&) {
    const double amplitude = 1.5 * std::numbers::pi;
    const double expected = t < 7 - 1e-9 ? amplitude / (1 + std::exp(-2 * (t - 3.5))) : amplitude;
    ASSERT_NEAR(q[0], expected, 1e-11) << t;
  });
}

TEST(PrescribedScenes, GoOnWhenAPrescribedJointHasComeToRest) {
  // From 7 s on the first joint is held; BDF1 lets its speed decay to 1e-49, beside others of 5
  // rad/s.
  const Scene scene = load("redmax-09", {"simulation.projection=true", "simulation.baumgarte={}",
                                         "simulation.integrator=bdf1"});
  const State state = run(scene, scene.settings);
  EXPECT_EQ(state.t, 10);
  EXPECT_LT(std::abs(state.qdot[0]), 1e-15);
  EXPECT_GT(std::abs(state.qdot[1]), 1);
}

}  // namespace constrained_scenes_test
}  // namespace sinew

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "integrate/constrained_systems.hpp"
#include "support/reference.hpp"

// Energies and trajectories of the public REDMAX implementation, with its stabilisation and without
// projection, in its own units (cm, g, s).

namespace sinew {
namespace constrained_reference_test {

struct Scene {
  explicit Scene(int id)
      : json(test::reference_scene("redmax/scenes_matlab.json", id)),
        system(test::constrained_reference_system(json)),
        ws(system),
        state(system.described_state()) {
    options.projection = false;
    const VecX b = test::to_vector(json.at("baumgarte"));
    options.baumgarte = {b[0], b[1], b[2]};
    V_0 = energy(system, {0, state.q, state.qdot}, ws).potential();
  }

  /// H = T + V − V(0).
  double H() {
    const Energy e = energy(system, state, ws);
    return e.total() - V_0;
  }

  nlohmann::json json;
  System system;
  Workspace ws;
  State state;
  StepOptions options;
  double V_0;
};

class ReferenceConstraints : public testing::TestWithParam<int> {};

TEST_P(ReferenceConstraints, LinearlyImplicitEulerHasItsEnergyAndMotion) {
  SINEW_NEEDS_REFERENCE();
  Scene scene(GetParam());
  scene.options.integrator = Integrator::linearly_implicit_euler;
  scene.options.jacobian = StiffnessModel::redmax;
  const double h = scene.json.at("hEuler");
  const test::ReferenceTable table =
      test::reference_csv(fmt::format("redmax/scene_{:02}_itype3.csv", GetParam()));
  const size_t H = table.column("H");
  double scale = 0;
  for (const auto& row : table.rows) scale = std::max(scale, std::abs(row[table.column("T")]));
  for (size_t k = 1; k < table.rows.size(); ++k) {
    ASSERT_EQ(step(scene.system, scene.options, h, scene.state, scene.ws).status, StepStatus::ok);
    scene.state.t = static_cast<double>(k) * h;
    // Columns: t, coordinates, rates, T, V, H.
    for (int i = 0; i < scene.system.dof_count(); ++i) {
      const double expected = table.rows[k][1 + static_cast<size_t>(i)];
      // Rounding of two programs, amplified by slightly chaotic motions.
      ASSERT_NEAR(scene.state.q[i], expected, 1e-9 * std::max(1.0, std::abs(expected)))
          << "t = " << scene.state.t;
    }
    ASSERT_NEAR(scene.H(), table.rows[k][H], 1e-9 * scale) << "t = " << scene.state.t;
  }
  const double expected = scene.json.at("Hexpected").at(2);
  EXPECT_NEAR(scene.H(), expected, 1e-8 * std::abs(expected));
}

// 30 has friction in it: its Euler run is not this one.
INSTANTIATE_TEST_SUITE_P(Scenes, ReferenceConstraints, testing::Values(4, 7, 9, 13, 15, 20, 32, 34),
                         [](const auto& s) { return std::to_string(s.param); });

class ReferenceOde45 : public testing::TestWithParam<int> {};

TEST_P(ReferenceOde45, HasItsEnergy) {
  SINEW_NEEDS_REFERENCE();
  Scene scene(GetParam());
  scene.options.integrator = Integrator::dopri5;
  scene.options.ode45_rules = true;
  scene.options.relative_tolerance = 1e-4;
  scene.options.absolute_tolerance = 1e-6;
  const double until = scene.json.at("tspan_redmax_ode45").at(1);
  scene.options.largest_step = until / 10;
  while (scene.state.t < until)
    ASSERT_EQ(
        step(scene.system, scene.options, until - scene.state.t, scene.state, scene.ws).status,
        StepStatus::ok);
  const double expected = scene.json.at("Hexpected").at(1);
  EXPECT_NEAR(scene.H(), expected, 1e-6 * std::abs(expected));
}

INSTANTIATE_TEST_SUITE_P(Scenes, ReferenceOde45, testing::Values(4, 7, 15, 30, 34),
                         [](const auto& s) { return std::to_string(s.param); });

TEST(ReferenceScenes, WithProjectionAllScenesHoldTheirConstraints) {
  SINEW_NEEDS_REFERENCE();
  for (const int id : {4, 7, 9, 13, 15, 20, 30, 32, 34})
    for (const Integrator integrator : all_integrators()) {
      Scene scene(id);
      scene.options.integrator = integrator;
      scene.options.projection = true;
      scene.options.baumgarte = {};
      scene.state = scene.system.default_state();
      while (scene.state.t < 1 - 1e-9) {
        const StepReport report = step(scene.system, scene.options, 0.005, scene.state, scene.ws);
        ASSERT_EQ(report.status, StepStatus::ok) << id << ' ' << to_string(integrator);
        ASSERT_LE(report.constraint_error, 1e-9) << id << ' ' << to_string(integrator);
      }
    }
}

TEST(ReferenceScenes, TheHingeOfScene32TurnsForward) {
  SINEW_NEEDS_REFERENCE();
  // Its source prescribes −4π and gets +4π; here +4π means +4π.
  Scene scene(32);
  scene.options.integrator = Integrator::rk4;
  scene.options.projection = true;
  scene.options.baumgarte = {};
  scene.state = scene.system.default_state();
  for (int k = 0; k < 100; ++k)
    ASSERT_EQ(step(scene.system, scene.options, 0.01, scene.state, scene.ws).status,
              StepStatus::ok);
  // The rate is prescribed, not the angle: what the projection of the loop's fourth-order errors
  // moves stays (1.6e-6 rad after 100 steps of 0.01 s at 4π rad/s).
  EXPECT_NEAR(scene.state.q[1], 4 * std::numbers::pi, 1e-5);
}

}  // namespace constrained_reference_test
}  // namespace sinew

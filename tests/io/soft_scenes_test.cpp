#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "io/scene_run.hpp"
#include "sinew/analysis/drawing/soft_drawing.hpp"
#include "sinew/builder/system_builder.hpp"
#include "support/soft_momentum.hpp"
#include "support/source_dir.hpp"

/// Scenes with deformable bodies.

namespace sinew {
namespace soft_scenes_test {

const std::filesystem::path kScenes = std::filesystem::path(test::source_dir()) / "scenes";

using test::run;
using test::SceneRun;

TEST(SoftScenes, StrandsHoldTheRodsTogether) {
  const Scene scene = load_scene(kScenes / "strand-spring.json");
  EXPECT_EQ(scene.system.dof_count(), 2 + 3);  // only the middle of the first strand is free
  const SceneRun r = run(scene);
  EXPECT_EQ(r.result.end, SimulationEnd::finished);
  EXPECT_TRUE(r.audit.passed) << r.audit.verdict;
  EXPECT_LT(r.audit.energy_error, 1e-2);
}

TEST(SoftScenes, TheStarfishIsWhatTheThesisDescribesAndWalks) {
  Scene scene = load_scene(kScenes / "starfish.json");
  const SoftBodies& soft = *scene.system.soft();
  const SoftBody& flesh = *soft.bodies()[0];
  EXPECT_EQ(scene.system.coordinates().size(), 6u + 20);
  EXPECT_GE(flesh.vertex_count(), 200);
  EXPECT_LE(flesh.vertex_count(), 600);
  EXPECT_GT(flesh.spec().surface.vertices.size(), 3500u);
  // Every bone carries flesh.
  std::vector<int> carried(static_cast<size_t>(scene.system.skeleton().body_count()), 0);
  for (const VertexAttachment& a : flesh.spec().attachments) ++carried[a.body.value];
  for (const int count : carried) EXPECT_GT(count, 0);

  scene.settings.until = 2.1;  // two steps of its gait
  const SceneRun r = run(scene);
  ASSERT_EQ(r.result.end, SimulationEnd::finished);
  EXPECT_TRUE(r.audit.passed) << r.audit.verdict;
  EXPECT_GT(r.state.q[0], 0.01);                    // along +x
  EXPECT_LT(std::abs(r.state.q[2]), r.state.q[0]);  // and mostly so
  EXPECT_GT(r.state.q[1], 0.005);                   // on the ground, not in it
  EXPECT_LT(r.state.q[1], 0.06);
  Workspace ws(scene.system);
  Points surface, vertices;
  surface_positions(scene.system, r.state, 0, ws, surface);
  vertex_positions(scene.system, r.state, 0, ws, vertices);
  // Its tips, thin and soft, are pressed below the plane by the law's depth.
  EXPECT_GT(surface.row(1).minCoeff(), -0.008);
  // No element is inverted, and the flesh keeps its volume to some percent.
  EXPECT_NEAR(flesh.volume(vertices), flesh.spec().mesh.volume(),
              0.05 * flesh.spec().mesh.volume());
}

/// All joints of the starfish at speeds up to 0.8 rad/s, m/s.
void stir(State& state) {
  for (int k = 0; k < 26; ++k) state.qdot[k] = 0.8 * std::sin(1.0 + 2 * k);
}

TEST(SoftScenes, AFloatingStarfishKeepsItsMomentum) {
  const Scene scene = load_scene(kScenes / "starfish.json", {"gravity=[0,0,0]", "constraints=[]",
                                                             "soft_bodies.flesh.ground=[]"});
  State state = scene.system.default_state();
  stir(state);
  for (Eigen::Index k = 26; k < state.qdot.size(); ++k)
    state.qdot[k] = 0.1 * std::sin(3.0 * static_cast<double>(k));
  Workspace ws(scene.system);
  const Vec6 before = test::soft_momentum(scene.system, state, ws);
  SimulationSettings settings;
  settings.step.integrator = Integrator::dopri5;
  settings.step.relative_tolerance = settings.step.absolute_tolerance = 1e-10;
  settings.until = 0.05;
  ASSERT_EQ(simulate(scene.system, settings, state, ws).end, SimulationEnd::finished);
  const Vec6 change = test::soft_momentum(scene.system, state, ws) - before;
  // Measured 3e-15 and 1e-14; the tolerance of the steps would allow for more.
  EXPECT_LT(change.tail<3>().norm(), 1e-11 * before.tail<3>().norm());
  EXPECT_LT(change.head<3>().norm(), 1e-11 * before.head<3>().norm());
}

TEST(SoftScenes, TheSkeletonOfAStarfishWithoutStiffnessMovesAsIfAlone) {
  const Scene scene =
      load_scene(kScenes / "starfish.json", {"constraints=[]", "soft_bodies.flesh.ground=[]",
                                             "soft_bodies.flesh.material.young=1e-9",
                                             "soft_bodies.flesh.material.viscosity=0"});
  SystemBuilder builder(scene.system.skeleton());
  for (const auto& force : scene.system.forces()) builder.add_force(force);
  const System alone = builder.build();
  for (const Integrator integrator : {Integrator::linearly_implicit_euler, Integrator::bdf1}) {
    SimulationSettings settings;
    settings.step.integrator = integrator;
    settings.dt = 0.005;
    settings.until = 0.5;
    State a = scene.system.default_state(), b = alone.default_state();
    stir(a);
    stir(b);
    Workspace ws_a(scene.system), ws_b(alone);
    ASSERT_EQ(simulate(scene.system, settings, a, ws_a).end, SimulationEnd::finished);
    ASSERT_EQ(simulate(alone, settings, b, ws_b).end, SimulationEnd::finished);
    // 1e-9 Pa of flesh on bones of a gram each: measured 2.5e-9.
    EXPECT_LT((a.q.head(26) - b.q).lpNorm<Eigen::Infinity>(), 1e-8) << to_string(integrator);
  }
}

/// The disc of the starfish held in the air.
std::string held() {
  std::string out = "constraints=[";
  for (const char* name : {"x", "y", "z", "rx", "ry", "rz"})
    out += std::string(out.back() == '[' ? "" : ",") +
           R"({"type": "prescribed-coordinate", "name": "hold_)" + name + R"(", "coordinate": ")" +
           name + R"(", "function": {"type": "constant", "value": )" +
           (std::string(name) == "y" ? "0.0155" : "0") + "}}";
  return out + "]";
}

// Its twenty joints give way under the weight of the arms as far as the flesh does; in the welded
// one they do not.
TEST(SoftScenes, AStarfishOfStiffFleshApproachesTheWeldedOneLikeOneOverItsStiffness) {
  std::vector<double> bends;
  for (const char* young : {"1e6", "1e7", "1e8"}) {
    const Scene scene = load_scene(kScenes / "starfish.json",
                                   {held(), "soft_bodies.flesh.ground=[]",
                                    std::string("soft_bodies.flesh.material.young=") + young});
    SimulationSettings settings;
    settings.step.integrator = Integrator::bdf1;
    settings.dt = 0.005;
    settings.until = 0.6;  // implicit Euler has damped what swings
    State state = scene.system.default_state();
    Workspace ws(scene.system);
    ASSERT_EQ(simulate(scene.system, settings, state, ws).end, SimulationEnd::finished);
    bends.push_back(state.q.segment(6, 20).lpNorm<Eigen::Infinity>());
  }
  EXPECT_GT(bends[2], 1e-8);
  EXPECT_NEAR(bends[0] / bends[1], 10, 0.5);
  EXPECT_NEAR(bends[1] / bends[2], 10, 0.5);
}

TEST(SoftScenes, TheStarfishCanBeSteppedFullyImplicitly) {
  Scene scene = load_scene(kScenes / "starfish.json");
  scene.settings.step.integrator = Integrator::bdf1;
  scene.settings.until = 0.3;
  const SceneRun r = run(scene);
  EXPECT_EQ(r.result.end, SimulationEnd::finished);
  EXPECT_TRUE(r.audit.passed) << r.audit.verdict;
}

TEST(SoftScenes, TheSoftFingerPressesItsPadOnTheTable) {
  const Scene scene = load_scene(kScenes / "soft-finger.json");
  const SceneRun r = run(scene);
  ASSERT_EQ(r.result.end, SimulationEnd::finished);
  EXPECT_TRUE(r.audit.passed) << r.audit.verdict;
  Workspace ws(scene.system);
  Points surface;
  surface_positions(scene.system, r.state, 0, ws, surface);
  Eigen::Index lowest;
  const double depth = -surface.row(1).minCoeff(&lowest);
  EXPECT_GT(depth, 0);                  // touches
  EXPECT_LT(depth, 0.0015);             // and is not pushed through
  EXPECT_GT(surface(0, lowest), 0.06);  // by its end
  // Springs alone would hold the joints at 0.35 rad; the table bends them back.
  EXPECT_LT(r.state.q[1], 0.33);
}

}  // namespace soft_scenes_test
}  // namespace sinew

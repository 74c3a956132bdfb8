#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "io/scene_run.hpp"
#include "support/source_dir.hpp"

/// The scenes that come with the program.

namespace sinew {
namespace scenes_test {

const std::filesystem::path kScenes = std::filesystem::path(test::source_dir()) / "scenes";

using test::run;
using test::SceneRun;

TEST(Scenes, AllCanBeReadAndSayWhatTheyAre) {
  // All others follow somebody's work, and say whose.
  const std::set<std::string> own{"atwood",
                                  "atwood-spaced",
                                  "bead-on-string",
                                  "belt",
                                  "belt-drive",
                                  "binary-tree",
                                  "bowden-cable",
                                  "brick-wall",
                                  "bungee",
                                  "capstan",
                                  "chain",
                                  "chain-edge",
                                  "cord-over-bone",
                                  "double-pendulum",
                                  "folded-chain",
                                  "four-bar",
                                  "gear-train",
                                  "hoist",
                                  "rope-brake",
                                  "rope-bridge",
                                  "running-string",
                                  "slider-crank",
                                  "soft-finger",
                                  "spinning-egg",
                                  "strand-arm",
                                  "string",
                                  "thrown-shapes",
                                  "umbrella",
                                  "whip"};
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(kScenes)) {
    if (entry.path().extension() != ".json") continue;
    const Scene scene = load_scene(entry.path());
    EXPECT_FALSE(scene.title.empty()) << scene.name;
    EXPECT_FALSE(scene.description.empty()) << scene.name;
    EXPECT_EQ(scene.citation.empty(), own.contains(scene.name)) << scene.name;
    ++count;
  }
  EXPECT_GE(count, 54);
}

TEST(Scenes, OurOwnRunToTheirEndAndPassTheirAudit) {
  for (const char* name :
       {"double-pendulum", "flower-beads", "coastline", "four-bar", "slider-crank", "gear-train",
        "hand", "pai-fall", "rat-knee", "triceps-surae", "wrap-touch-down"}) {
    const Scene scene = load_scene(kScenes / (std::string(name) + ".json"));
    const SceneRun r = run(scene, scene.settings);
    EXPECT_EQ(r.result.end, SimulationEnd::finished) << name;
    EXPECT_TRUE(r.audit.passed) << name << ": " << r.audit.verdict;
    // The beads run at 100 ms with a dissipative method; it may lose little.
    EXPECT_LT(r.audit.energy_error, 0.02) << name;
  }
}

TEST(Scenes, ASpinningEggStandsUp) {
  const Scene scene = load_scene(kScenes / "spinning-egg.json");
  const SceneRun r = run(scene, scene.settings);
  EXPECT_EQ(r.result.end, SimulationEnd::finished);
  EXPECT_TRUE(r.audit.passed) << r.audit.verdict;
  EXPECT_LT(r.audit.energy_error, 1e-6);
  EXPECT_LT(scene.system.default_state().q[1], 0.02);
  // Its centre is at the long semi-axis of 30 mm, less the depth of 0.6 mm to which it sinks and
  // the rest of its wobble.
  EXPECT_NEAR(r.state.q[1], 0.0294, 2e-4);
}

TEST(Scenes, OfThrownShapesTheBoxRestsAndTheBallReturns) {
  const Scene scene = load_scene(kScenes / "thrown-shapes.json");
  const Skeleton& skeleton = scene.system.skeleton();
  const auto speed = [&](const State& s, const char* body, int k) {
    return s.qdot[skeleton.body(skeleton.find_body(body)).first_dof + k];
  };
  SimulationSettings implicit = scene.settings;
  implicit.step.integrator = Integrator::sdirk2;
  for (const auto& [settings, tolerance] :
       {std::pair(scene.settings, 1e-6), std::pair(implicit, 0.08)}) {
    const SceneRun r = run(scene, settings);
    EXPECT_EQ(r.result.end, SimulationEnd::finished);
    EXPECT_TRUE(r.audit.passed) << r.audit.verdict;
    // Tolerances of 1e-8, and impacts of some milliseconds in steps of 2 ms: seen 0.042.
    EXPECT_LT(r.audit.energy_error, tolerance);
    // Angular momentum about the ground decides how the ball rolls after any number of bounces:
    // 5/7 (v − 2/5 r ω) = 5/7 (1.5 − 1.8).
    EXPECT_NEAR(speed(r.state, "ball", 0), -1.5 / 7, 1e-6);
    for (int k = 0; k < 6; ++k) EXPECT_LT(std::abs(speed(r.state, "box", k)), 1e-3) << k;
    // The board slopes by less than tan⁻¹ μ: the die creeps.
    EXPECT_LT(std::abs(speed(r.state, "die", 0)), 0.02);
  }
}

TEST(Scenes, TheWhipCracksFasterThanItIsThrown) {
  const Scene scene = load_scene(kScenes / "whip.json");
  ASSERT_EQ(scene.system.dof_count(), 101);
  const Skeleton& skeleton = scene.system.skeleton();
  const BodyIndex tip = skeleton.find_body("e20"), handle = skeleton.find_body("handle");
  SimulationSettings settings = scene.settings;
  settings.until = 0.35;  // it cracks at 0.26 s
  State state = scene.system.default_state();
  Workspace ws(scene.system);
  double tip_speed = 0, handle_speed = 0;
  SimulationObserver observer;
  observer.on_step = [&](const State& s, const StepReport&) {
    update_kinematics(skeleton, s.q, s.qdot, ws.skeleton);
    const auto speed = [&](BodyIndex b) {
      return body_twist(skeleton, ws.skeleton, b).tail<3>().norm();
    };
    tip_speed = std::max(tip_speed, speed(tip));
    handle_speed = std::max(handle_speed, speed(handle));
  };
  EXPECT_EQ(simulate(scene.system, settings, state, ws, observer).end, SimulationEnd::finished);
  EXPECT_GT(tip_speed, 30);
  EXPECT_GT(tip_speed, 5 * handle_speed);
}

}  // namespace scenes_test
}  // namespace sinew

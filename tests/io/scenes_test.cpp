#include <algorithm>
#include <filesystem>

#include "sinew/analysis/audit.hpp"
#include "sinew/io/scene.hpp"

/// The scenes that come with the program.

namespace sinew {
namespace {

const std::filesystem::path kScenes = std::filesystem::path(SINEW_SOURCE_DIR) / "scenes";

struct SceneRun {
  SimulationResult result;
  State state;
  AuditReport audit;
};

SceneRun run(const Scene& scene, SimulationSettings settings) {
  SceneRun out;
  out.state = scene.system.default_state();
  Workspace ws(scene.system);
  Audit audit(scene.system, settings.step, out.state, ws);
  SimulationObserver observer;
  observer.on_step = [&](const State& s, const StepReport& r) { audit.add_step(s, r, ws); };
  out.result = simulate(scene.system, settings, out.state, ws, observer);
  out.audit = audit.report();
  return out;
}

TEST(Scenes, AllCanBeReadAndSayWhatTheyAre) {
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(kScenes)) {
    if (entry.path().extension() != ".json") continue;
    const Scene scene = load_scene(entry.path());
    EXPECT_FALSE(scene.title.empty()) << scene.name;
    EXPECT_FALSE(scene.description.empty()) << scene.name;
    EXPECT_EQ(scene.citation.empty(), !scene.name.starts_with("redmax") &&
                                          scene.name != "flower-beads" && scene.name != "coastline")
        << scene.name;
    ++count;
  }
  EXPECT_GE(count, 31);
}

TEST(Scenes, OurOwnRunToTheirEndAndPassTheirAudit) {
  for (const char* name : {"double-pendulum", "flower-beads", "coastline"}) {
    const Scene scene = load_scene(kScenes / (std::string(name) + ".json"));
    const SceneRun r = run(scene, scene.settings);
    EXPECT_EQ(r.result.end, SimulationEnd::finished) << name;
    EXPECT_TRUE(r.audit.passed) << name << ": " << r.audit.verdict;
    // The beads run at 100 ms with a dissipative method; it may lose little.
    EXPECT_LT(r.audit.energy_error, 0.02) << name;
  }
}

TEST(Scenes, TheWhipCracksFasterThanItIsThrown) {
  const Scene scene = load_scene(kScenes / "whip.json");
  ASSERT_EQ(scene.system.dof_count(), 101);
  const Skeleton& skeleton = scene.system.skeleton();
  const BodyIndex tip = skeleton.find_body("e20"), handle = skeleton.find_body("handle");
  SimulationSettings settings = scene.settings;
  settings.step.integrator = Integrator::linearly_implicit_euler;  // quick; enough for speeds
  settings.until = 0.7;
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

}  // namespace
}  // namespace sinew

#include <gtest/gtest.h>

#include "io/scene_run.hpp"
#include "sinew/analysis/rest.hpp"
#include "sinew/analysis/strand_tensions.hpp"
#include "support/source_dir.hpp"

/// What the scenes after Sueda (2010, chapter 6) are there for.

namespace sinew {
namespace strand_machines_test {

Scene load(const std::string& name, const std::vector<std::string>& overrides = {}) {
  return load_scene(std::filesystem::path(test::source_dir()) / "scenes" / (name + ".json"),
                    overrides);
}

/// A strand's tensions and nodes at a state.
struct Reading {
  std::vector<double> tension;
  std::vector<StrandReading> nodes;
};
Reading read(const System& system, const State& state) {
  Workspace ws(system);
  const StrandTensions tensions(system);
  Reading out;
  tensions.read(state, system.controls(), ws, out.tension);
  out.nodes = tensions.nodes(state, ws);
  return out;
}

State rest_of(const Scene& scene) {
  State state = scene.system.default_state();
  Workspace ws(scene.system);
  EXPECT_TRUE(find_rest(scene.system, state, ws).found) << scene.name;
  return state;
}

double coordinate(const Scene& scene, const State& state, const std::string& name) {
  const auto& all = scene.system.coordinates();
  for (size_t k = 0; k < all.size(); ++k)
    if (all[k].name == name) return state.q[static_cast<Eigen::Index>(k)];
  ADD_FAILURE() << name;
  return 0;
}

TEST(StrandMachines, PassTheirAudit) {
  for (const char* name : {"hanging-body", "hanging-body-2", "hanging-body-3", "hanging-body-4",
                           "strand-through-chain", "swing", "flexor-sheath", "blend-node",
                           "eccentric-pulley", "pulleys-in-series", "elevator", "robot-arm"}) {
    const Scene scene = load(name);
    SimulationSettings settings = scene.settings;
    settings.until = std::min(settings.until, 0.5);
    const test::SceneRun r = test::run(scene, settings);
    EXPECT_EQ(r.result.end, SimulationEnd::finished) << name;
    EXPECT_TRUE(r.audit.passed) << name << ": " << r.audit.verdict;
  }
}

/// Figure 6.1a: virtual nodes let a strand bend where it leaves a body. Constraints in their place
/// leave only what slides, with one, two or three nodes inside the body.
TEST(StrandMachines, WithoutVirtualNodesAHangingBodyLocks) {
  const auto freedoms = [](const Scene& scene) {
    return scene.system.dof_count() - scene.system.independent_rows();
  };
  EXPECT_EQ(freedoms(load("hanging-body")), 2);
  for (const char* name : {"hanging-body-2", "hanging-body-3", "hanging-body-4"}) {
    const Scene scene = load(name);
    EXPECT_EQ(freedoms(scene), 1) << name;
    const State end = test::run(scene).state;
    EXPECT_GT(coordinate(scene, end, "x"), 0.04) << name;  // it slides,
    EXPECT_NEAR(coordinate(scene, end, "y"), 0, 1e-9) << name;
    EXPECT_NEAR(coordinate(scene, end, "tilt"), 0, 1e-9) << name;  // and neither sinks nor tilts
  }
  const Scene bends = load("hanging-body");
  SimulationSettings settings = bends.settings;
  settings.until = 0.3;
  EXPECT_GT(std::abs(coordinate(bends, test::run(bends, settings).state, "tilt")), 0.05);
}

TEST(StrandMachines, AStrandThroughVirtualNodesOfBodiesHasNoCoordinates) {
  const Scene scene = load("strand-through-chain");
  EXPECT_EQ(scene.system.strands()->dof_count(), 0);
  EXPECT_EQ(scene.system.dof_count(), 6);
  EXPECT_GT(scene.system.strands()->mass(), 0);
}

TEST(StrandMachines, TheRingOfASwingStaysOnItsEllipse) {
  const Scene scene = load("swing");
  const State end = test::run(scene).state;
  const Reading moving = read(scene.system, end);
  EXPECT_GT(std::abs(moving.nodes[1].x.x()), 1e-3);
  EXPECT_NEAR(moving.nodes[0].length + moving.nodes[1].length, 0.3, 1e-9);
  // At rest both sides carry half of the weight: T = (m + ρl) g/2 / cos, by the string's slope.
  const State rest = rest_of(scene);
  const Reading still = read(scene.system, rest);
  const double cosine = std::sqrt(0.3 * 0.3 - 0.2 * 0.2) / 0.3;
  double seat = 0;
  for (const Body& body : scene.system.skeleton().bodies())
    if (body.name == "seat") seat = body.M_B.mass;
  // The multiplier is the tension at the string's middle, whose mass hangs on its ends.
  const double strands = scene.system.strands()->mass();
  EXPECT_NEAR(still.tension[0], (seat + strands / 2) * 9.81 / 2 / cosine, 1e-6);
}

TEST(StrandMachines, ABlendNodeKeepsATendonOffTheBone) {
  const Scene scene = load("blend-node");
  SimulationSettings settings = scene.settings;
  settings.until = 1;  // bent by 90°
  const State bent = test::run(scene, settings).state;
  const double angle = coordinate(scene, bent, "mcp_blend");
  EXPECT_NEAR(angle, std::acos(-1.0) / 2, 1e-6);
  const Reading now = read(scene.system, bent);
  const auto at = [&](const std::string& name) {
    for (const StrandReading& node : now.nodes)
      if (scene.system.strands()->nodes()[static_cast<size_t>(node.node)].name == name)
        return node.x;
    ADD_FAILURE() << name;
    return Vec3(Vec3::Zero());
  };
  // From the axis, which is along z through (0, 0).
  EXPECT_NEAR(at("over_joint").head<2>().norm(), 0.01 * std::cos(angle / 2), 1e-9);
  // Without it the middle of the straight stretch is on the other side of the axis.
  const Vec3 middle = (at("before_plain") + at("behind_plain")) / 2;
  EXPECT_NEAR(middle.head<2>().norm(), 0.02 * std::sin(angle / 2) - 0.01 * std::cos(angle / 2),
              1e-9);
  EXPECT_LT(middle.x() + middle.y(), 0);
}

TEST(StrandMachines, EachMovablePulleyHalvesTheWay) {
  const Scene scene = load("pulleys-in-series");
  const State end = test::run(scene).state;
  const double load_height = coordinate(scene, end, "load_height");
  EXPECT_GT(load_height, 0.03);
  EXPECT_NEAR(coordinate(scene, end, "block_height"), 2 * load_height, 1e-6);
  EXPECT_NEAR(0.4 - end.q[scene.system.state_dof(0) + 1], 4 * load_height, 1e-6);
}

}  // namespace strand_machines_test
}  // namespace sinew

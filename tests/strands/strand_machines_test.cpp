#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "io/scene_run.hpp"
#include "sinew/analysis/rest.hpp"
#include "sinew/analysis/strand_tensions.hpp"
#include "sinew/builder/system_builder.hpp"
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

/// The direction from one node of a strand to the next, where the strand leaves it.
Vec3 onward(const std::vector<StrandReading>& nodes, size_t k) {
  const Vec3 to = nodes[k].guide >= 0 ? nodes[k].entry : nodes[k + 1].x;
  return (to - nodes[k].x).normalized();
}

/// Figure 6.11 (T6 of the list of tests): a cable through the floor of a platform, with two kinks.
TEST(StrandMachines, AnElevatorStopsByItself) {
  const Scene scene = load("elevator");
  for (const bool up : {true, false}) {
    SimulationSettings settings = scene.settings;
    settings.until = up ? 2.9 : 6;
    const State end = test::run(scene, settings).state;
    const double height = coordinate(scene, end, "height");
    // The wheels are at 0 and 0.6 m; the crank pulls on with all its torque.
    if (up)
      EXPECT_TRUE(height > 0.58 && height < 0.6) << height;
    else
      EXPECT_TRUE(height > 0 && height < 0.02) << height;
    EXPECT_LT(end.qdot.lpNorm<Eigen::Infinity>(), 1e-6);
    const Reading now = read(scene.system, end);
    double lift = 0;  // of both cables, on both sides of each, if the tension there is the same
    size_t kinks = 0;
    for (size_t k = 1; k + 1 < now.nodes.size(); ++k) {
      const StrandReading& node = now.nodes[k];
      const std::string& name =
          scene.system.strands()->nodes()[static_cast<size_t>(node.node)].name;
      if (!name.starts_with("left_") && !name.starts_with("right_")) continue;
      ++kinks;
      EXPECT_NEAR(node.tension, now.nodes[k - 1].tension, 1e-6 * node.tension) << name;
      Vec3 back = (now.nodes[k - 1].x - node.x).normalized();
      lift += node.tension * (back + onward(now.nodes, k)).y();
    }
    EXPECT_EQ(kinks, 4u);
    double platform = 0;
    for (const Body& body : scene.system.skeleton().bodies())
      if (body.name == "platform") platform = body.M_B.mass;
    EXPECT_NEAR(lift, platform * 9.81, 1e-6 * now.nodes.front().tension);
  }
}

/// The same with mass in the cables, and a node that slides on a B-spline in the floor.
TEST(StrandMachines, AnElevatorWithHeavyCablesStopsByItself) {
  const std::filesystem::path scenes = std::filesystem::path(test::source_dir()) / "scenes";
  nlohmann::json text = nlohmann::json::parse(std::ifstream(scenes / "elevator.json"));
  for (auto& strand : text["strands"]) {
    const std::string name = strand["name"];
    const std::string left = "left_" + name, right = "right_" + name;
    std::vector<std::string> controls = {left};
    double z = 0;
    for (const auto& node : text["strand_nodes"])
      if (node["name"] == left) z = node["point"][2];
    for (const double x : {-0.02, 0.02}) {
      controls.push_back(name + (x < 0 ? "_a" : "_b"));
      text["strand_nodes"].push_back({{"type", "rigid"},
                                      {"name", controls.back()},
                                      {"body", "platform"},
                                      {"point", {x, 0, z}}});
    }
    controls.push_back(right);
    text["strand_nodes"].push_back({{"type", "b-spline"},
                                    {"name", name + "_floor"},
                                    {"nodes", controls},
                                    {"u", 1.5},
                                    {"mass", 0.001}});
    auto& nodes = strand["nodes"];
    nodes.insert(nodes.begin() + 2, name + "_floor");
    strand["density"] = 0.0138;
  }
  const Scene scene = parse_scene(text.dump(), "elevator", scenes.string());
  for (const bool up : {true, false}) {
    SimulationSettings settings = scene.settings;
    settings.until = up ? 2.9 : 6;
    const test::SceneRun r = test::run(scene, settings);
    ASSERT_EQ(r.result.end, SimulationEnd::finished);
    EXPECT_TRUE(r.audit.passed) << r.audit.verdict;
    const double height = coordinate(scene, r.state, "height");
    if (up)
      EXPECT_TRUE(height > 0.58 && height < 0.6) << height;
    else
      EXPECT_TRUE(height > 0 && height < 0.02) << height;
    EXPECT_LT(r.state.qdot.lpNorm<Eigen::Infinity>(), 1e-3);
    // At rest the tension of a section is one, and its mass hangs between the kinks: the node in
    // the floor is not pulled to either side.
    const Reading now = read(scene.system, r.state);
    for (size_t k = 1; k < now.nodes.size(); ++k) {
      const StrandReading& node = now.nodes[k];
      const std::string& name =
          scene.system.strands()->nodes()[static_cast<size_t>(node.node)].name;
      if (!name.ends_with("_floor")) continue;
      EXPECT_NEAR(node.tension, now.nodes[k - 1].tension, 1e-6 * node.tension);
      EXPECT_GT(now.nodes[k - 1].length, 0.01);
      EXPECT_GT(node.length, 0.01);
    }
  }
}

/// Figure 6.12a (T8): its cable runs through the axis about which it turns.
TEST(StrandMachines, TheCableOfARobotDoesNotFeelItTurn) {
  const Scene scene = load("robot-arm");
  SimulationSettings settings = scene.settings;
  State state = initial_state(scene.system, settings.step);
  Workspace ws(scene.system);
  double least = 0, most = 0, error = 0;
  SimulationObserver observer;
  observer.on_step = [&](const State& now, const StepReport&) {
    const double turned = coordinate(scene, now, "body_angle");
    least = std::min(least, turned);
    most = std::max(most, turned);
    const Reading at = read(scene.system, now);
    double length = 0;
    for (const StrandReading& node : at.nodes) length += node.length;
    error = std::max(error, std::abs(length - 0.6));
    // Wheel and shoulder have the same radius.
    EXPECT_NEAR(coordinate(scene, now, "arm_angle") + 0.6, coordinate(scene, now, "wheel_angle"),
                1e-6);
  };
  settings.until = 3;
  simulate(scene.system, settings, state, ws, observer);
  EXPECT_LT(error, 1e-9 * 0.6);
  EXPECT_GT(most - least, 1.5);
  EXPECT_GT(coordinate(scene, state, "wheel_angle"), 0.2);
}

/// Figure 6.10: the wheel swings to where its middle is lowest.
TEST(StrandMachines, AnEccentricPulleyTurnsItsMiddleDown) {
  const Scene scene = load("eccentric-pulley");
  State state = initial_state(scene.system, scene.settings.step);
  Workspace ws(scene.system);
  double error = 0, last = 0;
  SimulationObserver observer;
  observer.on_step = [&](const State& now, const StepReport&) {
    double length = 0;
    for (const StrandReading& node : read(scene.system, now).nodes) length += node.length;
    error = std::max(error, std::abs(length - 0.54));
    if (now.t > 3) last = std::max(last, std::abs(coordinate(scene, now, "turn") - 3 * M_PI / 2));
  };
  simulate(scene.system, scene.settings, state, ws, observer);
  EXPECT_LT(error, 1e-9);
  EXPECT_LT(last, 1);  // the middle is 15 mm beside the axis, at the bottom at 3π/2
}

/// Figure 6.7.
TEST(StrandMachines, ASheathKeepsItsTendonAtTheBone) {
  const Scene scene = load("flexor-sheath");
  const State end = test::run(scene).state;
  EXPECT_LT(end.qdot.lpNorm<Eigen::Infinity>(), 1e-9);
  EXPECT_GT(coordinate(scene, end, "mcp"), 1);
  EXPECT_GT(coordinate(scene, end, "pip"), 1);
  const Reading now = read(scene.system, end);
  std::map<std::string, const StrandReading*> at;
  for (const StrandReading& node : now.nodes)
    at[scene.system.strands()->nodes()[static_cast<size_t>(node.node)].name] = &node;
  const Vec3 from = at["a2_1"]->x, to = at["a2_2"]->x, x = at["in_sheath"]->x;
  EXPECT_LT((x - from).cross(to - from).norm(), 1e-15);
  EXPECT_TRUE((x - from).dot(to - from) > 0 && (to - x).dot(to - from) > 0);
  // The node in it slides without friction: both tensions differ by its share of the weight.
  const double weight = 9.81 * scene.system.strands()->strands()[0].density * 0.27;
  EXPECT_LT(std::abs(at["a2_1"]->tension - at["in_sheath"]->tension), weight);
  EXPECT_NEAR(at["in_sheath"]->tension, 0.4 * 9.81, weight);
}

/// Figure 6.6 (T18): at masses of 1 to 100, the lighter one follows.
TEST(StrandMachines, OfATubeAndItsStringTheHeavierOneSays) {
  const Scene scene = load("strand-in-strand");
  const Reading both = read(scene.system, rest_of(scene));
  // The heavier one alone, through the nodes of the tube.
  SystemBuilder builder(scene.system.skeleton());
  builder.set_gravity({0, -9.81, 0});
  Strand alone;
  for (const Strand& strand : scene.system.strands()->strands())
    if (strand.name == "heavy_tube") alone = strand;
  for (const StrandNode& node : scene.system.strands()->nodes())
    for (const StrandPoint& point : alone.points)
      if (point.node == node.name) builder.add_strand_node(node);
  const System system = builder.add_strand(alone).build();
  State state = system.default_state();
  Workspace ws(system);
  ASSERT_TRUE(find_rest(system, state, ws).found);
  const double sag = -read(system, state).nodes[4].x.y();
  EXPECT_NEAR(sag, 0.1, 0.005);
  for (const char* name : {"heavy_4", "light_4"})
    for (const StrandReading& node : both.nodes)
      if (scene.system.strands()->nodes()[static_cast<size_t>(node.node)].name == name) {
        EXPECT_NEAR(-node.x.y(), sag, 0.01 * sag) << name;
      }
}

/// Figure 6.13 (T10), as long as its scene is.
TEST(StrandMachines, TheLineShaftTurnsForHalfAMinute) {
  const Scene scene = load("line-shaft");
  const test::SceneRun r = test::run(scene);
  EXPECT_EQ(r.result.end, SimulationEnd::finished);
  EXPECT_EQ(r.state.t, 30);
  EXPECT_TRUE(r.audit.passed) << r.audit.verdict;
}

/// Figure 6.13 (T10): whichever machine jams, all come to a halt.
TEST(StrandMachines, AJammedMachineStopsTheLineShaft) {
  const Scene scene = load("line-shaft");
  SimulationSettings settings = scene.settings;
  settings.until = 2;
  State running = initial_state(scene.system, settings.step);
  VecX fastest = VecX::Zero(running.qdot.size());
  {
    Workspace ws(scene.system);
    SimulationObserver observer;
    observer.on_step = [&](const State& now, const StepReport&) {
      fastest = fastest.cwiseMax(now.qdot.cwiseAbs());
    };
    simulate(scene.system, settings, running, ws, observer);
  }
  EXPECT_GT(fastest.minCoeff(), 0.01);
  for (const char* body : {"weight", "load", "platform", "arm"}) {
    // Set in concrete: less would let the shaft creep past where this machine turns back.
    const Scene jammed =
        load("line-shaft", {std::string("bodies.") + body + ".joint.damping=1e10"});
    State state = running;
    state.memory = {};
    Workspace ws(jammed.system);
    SimulationSettings stop = settings;
    stop.until = running.t + 0.5;
    ASSERT_EQ(simulate(jammed.system, stop, state, ws).end, SimulationEnd::finished) << body;
    for (Eigen::Index k = 0; k < fastest.size(); ++k)
      EXPECT_LT(std::abs(state.qdot[k]), 1e-3 * fastest[k])
          << body << ": " << jammed.system.coordinates()[static_cast<size_t>(k)].name;
  }
}

}  // namespace strand_machines_test
}  // namespace sinew

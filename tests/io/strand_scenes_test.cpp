#include <gtest/gtest.h>

#include "io/scene_run.hpp"
#include "sinew/integrate/integrator_table.hpp"
#include "sinew/strands/strands.hpp"
#include "support/source_dir.hpp"

/// Scenes of strands, and what their keys mean.

namespace sinew {
namespace strand_scenes_test {

const std::filesystem::path kScenes = std::filesystem::path(test::source_dir()) / "scenes";

TEST(StrandScenes, RunToTheirEndAndPassTheirAudit) {
  for (const char* name :
       {"catenary",      "bungee",         "strand-arm",       "atwood",          "bead-on-string",
        "folded-chain",  "tube",           "strand-in-strand", "double-pulley",   "hoist",
        "gears",         "belt",           "belt-drive",       "compound-pulley", "capstan",
        "running-rope",  "chain-edge",     "virtual-node",     "flail",           "string",
        "atwood-spaced", "running-string", "bowden-cable",     "cord-over-bone",  "rope-brake"}) {
    const Scene scene = load_scene(kScenes / (std::string(name) + ".json"));
    const test::SceneRun r = test::run(scene, scene.settings);
    EXPECT_EQ(r.result.end, SimulationEnd::finished) << name;
    EXPECT_TRUE(r.audit.passed) << name << ": " << r.audit.verdict;
  }
}

TEST(StrandScenes, NodesOfARunningRopePassItsPulley) {
  const Scene scene = load_scene(kScenes / "running-rope.json");
  const Strands& strands = *scene.system.strands();
  EXPECT_EQ(strands.strands()[0].points.size(), 34u);  // 33 pieces of at most 4 cm
  const State end = test::run(scene, scene.settings).state;
  Workspace ws(scene.system);
  const size_t index = scene.system.strands_index();
  for (const State& state : {scene.system.default_state(), end}) {
    update_kinematics(scene.system, state, ws);
    controls_at(scene.system, state, ws);
    const PartAt at = part_at(scene.system, index, state, ws);
    std::vector<double> values, points;
    strands.measure(at, *ws.parts[index], values);
    EXPECT_EQ(values.size(), strands.columns()[0].names.size());
    strands.draw(at, *ws.parts[index], points);
    EXPECT_EQ(points.size(), 3 * static_cast<size_t>(strands.shapes()[0].points));
    // Nodes outside are listed, in the order of their material, up to the end.
    const std::vector<StrandReading> nodes = strands.read(at, *ws.parts[index]);
    for (size_t k = 1; k < nodes.size(); ++k) {
      EXPECT_GT(nodes[k].s, nodes[k - 1].s);
      EXPECT_GT(nodes[k].point, nodes[k - 1].point);
    }
    EXPECT_LT(nodes.back().point, strands.shapes()[0].points);
    EXPECT_NEAR(nodes.back().s, 1.294, 1e-12);
  }
  // What the columns say: nodes in front of the pulley at the start and at the end.
  const std::vector<std::string> names = strands.columns()[0].names;
  const auto column = std::find(names.begin(), names.end(), "rope_before_pulley_u");
  ASSERT_NE(column, names.end());
  const auto before = static_cast<Eigen::Index>(column - names.begin());
  EXPECT_EQ(scene.system.default_state().q[before], 9);
  EXPECT_GT(end.q[before], 13);
}

TEST(StrandScenes, ARopeWithHardlyAnyMassMayFailButOnlyInItsReport) {
  // The coordinates of a step that goes wrong are not numbers, also those that count nodes before
  // and behind the pulley: they once led beyond the rope's sections.
  std::string text = read_text_file(kScenes / "running-rope.json");
  const std::string density = R"("density": 0.05)";
  text.replace(text.find(density), density.size(), R"("density": 1e-300)");
  const Scene scene = parse_scene(text, "rope", kScenes.string());
  int failed = 0;
  for (const IntegratorInfo& method : integrator_table()) {
    SCOPED_TRACE(method.name);
    Workspace ws(scene.system);
    State state = scene.system.default_state();
    StepReport report;
    for (int k = 0; k < 3 && report.status == StepStatus::ok; ++k) {
      report = step(scene.system, {.integrator = method.integrator}, 1e-3, state, ws);
      EXPECT_TRUE(state.q.allFinite() && state.qdot.allFinite());
    }
    failed += report.status != StepStatus::ok;
  }
  EXPECT_GT(failed, 0);
}

TEST(StrandScenes, ACompoundPulleyLiftsByAnEighth) {
  const Scene scene = load_scene(kScenes / "compound-pulley.json");
  const State start = scene.system.default_state(), end = test::run(scene, scene.settings).state;
  const double rise = end.q[0] - start.q[0], sinks = start.q[2] - end.q[2];
  EXPECT_NEAR(sinks / rise, 8, 1e-6);
  // (126 − 1000/8) g = (126 + 1000/64) ẍ of the box, for 1 s from rest
  EXPECT_NEAR(sinks, 0.5 * 9.81 / (126 + 1000.0 / 64), 1e-6);
}

TEST(StrandScenes, DrumsAndBeltsTurnTogether) {
  const Scene gears = load_scene(kScenes / "gears.json");
  const State end = test::run(gears, gears.settings).state;
  EXPECT_GT(end.q[0], 5);  // rad
  EXPECT_NEAR(end.q[0] / end.q[1], 2, 1e-6);
  EXPECT_NEAR(end.q[0] / end.q[2], 4, 1e-6);
  EXPECT_NEAR(0.03 * end.q[0] / end.q[3], 4, 1e-6);  // rim of the crank by height of the platform
  const Scene drive = load_scene(kScenes / "belt-drive.json");
  const State last = test::run(drive, drive.settings).state;
  EXPECT_GT(last.q[0], 20);
  EXPECT_NEAR(last.q[0] / last.q[1], 2, 1e-6);
}

TEST(StrandScenes, ACapstanHoldsByItsTurns) {
  const Scene scene = load_scene(kScenes / "capstan.json");
  const test::SceneRun r = test::run(scene, scene.settings);
  const double exponent = std::log(50.0) / (0.3 * 5 * std::numbers::pi);
  EXPECT_LT(exponent, 1);
  // The load still swings a little on its rope; the rope slides on.
  const double speed = -r.state.qdot[r.state.qdot.size() - 1];
  EXPECT_NEAR(speed, 1e-3 * std::atanh(exponent), 2e-4);
}

/// The nodes of the scene's strands.
std::vector<StrandReading> readings(const Scene& scene, const State& state) {
  Workspace ws(scene.system);
  update_kinematics(scene.system, state, ws);
  controls_at(scene.system, state, ws);
  const size_t part = scene.system.strands_index();
  return scene.system.strands()->read(part_at(scene.system, part, state, ws), *ws.parts[part]);
}

TEST(StrandScenes, ARopeBrakeStopsItsFlywheelWithEulersRatio) {
  const Scene scene = load_scene(kScenes / "rope-brake.json");
  SimulationSettings settings = scene.settings;
  settings.until = 0.6;
  const State sliding = test::run(scene, settings).state;
  // I ω̇ = (1 − exp(−μπ)) m g r: 23.95 rad/s²; the weight swings a little on its rope.
  const double braking = (1 - std::exp(-0.3 * std::numbers::pi)) * 2 * 9.81 * 0.1 / 0.05;
  EXPECT_NEAR(sliding.qdot[0], -20 + 0.6 * braking, 2e-3 * 20);
  settings.until = scene.settings.until;
  const State end = test::run(scene, settings).state;
  EXPECT_LT(std::abs(end.qdot[0]), 0.05);
  // It holds: both sides carry the weight.
  const StrandReading at = readings(scene, end)[0];
  EXPECT_NEAR(at.tension, 2 * 9.81, 0.5);
  EXPECT_NEAR(at.tension_after, at.tension, 0.5);
}

TEST(StrandScenes, ACordLeavesTheBoneOfAKneeThatStraightens) {
  const Scene scene = load_scene(kScenes / "cord-over-bone.json");
  SimulationSettings settings = scene.settings;
  settings.until = 3;
  const State start = scene.system.default_state(), end = test::run(scene, settings).state;
  const StrandReading bent = readings(scene, start)[1], straight = readings(scene, end)[1];
  EXPECT_GT(bent.wound, 0.5);
  EXPECT_EQ(straight.wound, 0);
  // At rest it carries the weight, and of the cord's 0.1 N a part.
  EXPECT_NEAR(straight.tension, 4 * 9.81, 0.1);
}

TEST(StrandScenes, ACableGivesAtOneEndOfItsHousingWhatIsDrawnAtTheOther) {
  const Scene scene = load_scene(kScenes / "bowden-cable.json");
  const std::vector<StrandReading> start = readings(scene, scene.system.default_state()),
                                   end = readings(scene, test::run(scene).state);
  // Pull, 17 nodes of the housing, load.
  ASSERT_EQ(start.size(), 19u);
  const double drawn = end[0].length - start[0].length, given = start[17].length - end[17].length;
  EXPECT_GT(drawn, 0.1);
  // The rest is its stretch; a little of the tension is that of its damping.
  const double stretch = 1.18 * (end[0].tension - start[0].tension) / 4900;
  EXPECT_NEAR(drawn - given, stretch, 1e-5);
}

TEST(StrandScenes, AtwoodsRopeHasItsMass) {
  const Scene scene = load_scene(kScenes / "atwood.json");
  EXPECT_EQ(scene.constraint_types, std::vector<std::string>{"strand"});
  SimulationSettings settings = scene.settings;
  settings.until = 1;
  const test::SceneRun r = test::run(scene, settings);
  // (m₁ + m₂ + ρl) ẍ = (m₁ − m₂ + 2ρx) g
  EXPECT_NEAR(-r.state.q[1] - 1.5, 0.46757, 5e-6);  // the digits given
}

TEST(StrandScenes, ARopeThatMayBendAnywhereRunsAsOneThatMayNot) {
  const Scene scene = load_scene(kScenes / "atwood-spaced.json");
  const State start = scene.system.default_state(), end = test::run(scene).state;
  EXPECT_NEAR(start.q[1] - end.q[1], 0.46757, 1e-3 * 0.46757);
}

TEST(StrandScenes, AFlailTurnsAsTheCubeOfItsLength) {
  const Scene scene = load_scene(kScenes / "flail.json");
  const State end = test::run(scene).state;
  const Vec3 r = end.q.tail<3>() - Vec3(end.q[0], 0, 0),
             v = end.qdot.tail<3>() - Vec3(end.qdot[0], 0, 0);
  EXPECT_NEAR(r.norm(), 0.6, 1e-9);
  // From 1 rad/s at 0.8 m.
  EXPECT_NEAR(r.cross(v).z() / r.squaredNorm(), std::pow(0.8 / 0.6, 3), 1e-4);
}

TEST(StrandScenes, AStringHasTheFrequencyThatItSays) {
  // Its middle is at A cos ωt, with the frequency in the description.
  const Scene scene = load_scene(kScenes / "string.json");
  const State start = scene.system.default_state();
  const Eigen::Index middle = 3 * 9 + 1;
  const double A = start.q[middle];
  EXPECT_NEAR(A, 1e-4, 1e-12);
  const size_t at = scene.description.find("with ");
  ASSERT_NE(at, std::string::npos);
  const double frequency = std::stod(scene.description.substr(at + 5));
  SimulationSettings settings = scene.settings;
  settings.until = 9.25 / frequency;  // where it passes the middle
  const State end = test::run(scene, settings).state;
  // Without the pieces' 1.001028 it would be at 0.06 A; sdirk2 at 0.1 ms leaves less than a tenth
  // of that.
  EXPECT_LT(std::abs(end.q[middle]), 0.02 * A);
}

TEST(StrandScenes, SpacingDividesStretchesBetweenMaterialNodes) {
  const Scene scene = load_scene(kScenes / "catenary.json");
  const Strand& fine = scene.system.strands()->strands()[0];
  ASSERT_EQ(fine.points.size(), 65u);
  for (size_t k = 0; k < fine.points.size(); ++k)
    EXPECT_NEAR(*fine.points[k].s, 0.3 * static_cast<double>(k) / 64, 1e-12);
  EXPECT_EQ(fine.points[32].node, "middle");
  // Strands with virtual nodes are left as they are.
  EXPECT_EQ(scene.system.strands()->strands()[1].points.size(), 5u);
  EXPECT_EQ(scene.system.dof_count(), 3 * (63 + 3 + 3));
}

TEST(StrandScenes, SpacingDividesStretchesOfStrandsThatDoNotStretch) {
  // Between the nail and the bend a ring, which no node could pass; from there to the weight none.
  const auto scene = [](const std::string& nodes, const std::string& list) {
    return parse_scene(R"({"sinew_scene": 1, "gravity": [0, -9.81, 0],
      "bodies": [{"name": "stand", "parent": "world", "joint": {"type": "fixed"},
                  "inertia": {"mass": 1, "moments": [1, 1, 1]}}], "strand_nodes": [
      {"type": "rigid", "name": "nail", "body": "world", "point": [0, 0, 0]},
      {"type": "rigid", "name": "ring", "body": "world", "point": [0.3, 0, 0]},
      {"type": "maximal", "name": "bend", "position": [0.3, -0.2, 0]},)" +
                           nodes + R"(
      {"type": "maximal", "name": "weight", "position": [0.6, -0.6, 0], "velocity": [0.4, 0.3, 1], "mass": 0.2}],
    "strands": [{"name": "rope", "nodes": ["nail", "ring", {"node": "bend", "s": 0.5}, )" +
                           list + R"("density": 0.1, "inextensible": true}]})",
                       "test", ".");
  };
  const Scene divided = scene("", R"("weight"], "length": 1, "spacing": 0.1, )");
  const std::vector<StrandPoint>& points = divided.system.strands()->strands()[0].points;
  ASSERT_EQ(points.size(), 8u);
  std::string nodes, list;
  for (size_t k = 3; k < points.size(); ++k) {
    EXPECT_FALSE(points[k].passes);
    EXPECT_NEAR(*points[k].s, 0.5 + 0.1 * static_cast<double>(k - 2), 1e-12);
    if (k + 1 == points.size()) continue;
    const double share = 0.2 * static_cast<double>(k - 2);
    nodes += fmt::format(
        R"({{"type": "maximal", "name": "{0}", "position": [{1}, {2}, 0], "velocity": [{3}, {4}, {5}]}},)",
        points[k].node, 0.3 + 0.3 * share, -0.2 - 0.4 * share, 0.4 * share, 0.3 * share, share);
    list += fmt::format(R"({{"node": "{}", "s": {}}}, )", points[k].node, 0.5 + 0.5 * share);
  }
  EXPECT_EQ(divided.system.constraints().size(), 6u);
  // It moves as one whose nodes are written out.
  const Scene written = scene(nodes, list + R"("weight"], "length": 1, )");
  SimulationSettings settings = divided.settings;
  settings.until = 0.3;
  const test::SceneRun a = test::run(divided, settings), b = test::run(written, settings);
  EXPECT_EQ(a.result.end, SimulationEnd::finished);
  EXPECT_TRUE(a.audit.passed) << a.audit.verdict;
  // The order of coordinates differs: the sums are those of all nodes and of the weight.
  EXPECT_NEAR(a.state.q.norm(), b.state.q.norm(), 1e-9);
  EXPECT_NEAR(a.state.qdot.norm(), b.state.qdot.norm(), 1e-8);
  EXPECT_GT((a.state.q - divided.system.default_state().q).norm(), 0.1);
}

TEST(StrandScenes, ATubeTiltsIfTheMassInItIsLumped) {
  const Scene scene = load_scene(kScenes / "tube.json");
  const test::SceneRun r = test::run(scene, scene.settings);
  EXPECT_LT(std::abs(r.state.q[0]), 1e-6);
  EXPECT_GT(std::abs(r.state.q[1]), 1e-4);
}

/// A load that hangs at x = 1 and falls, and 2 m of its rope behind it: in a tube from (0, 1) to
/// (1, 0), and along the x axis to the end of that on the other side. Its acceleration.
double fall_from_tube(const std::string& tube) {
  const std::string centre =
      tube.find("\"o\"") == std::string::npos
          ? ""
          : R"({"type": "rigid", "name": "o", "body": "world", "point": [0, 0, 0]},)";
  const Scene scene = parse_scene(R"({"sinew_scene": 1, "gravity": [0, -9.81, 0],
      "bodies": [{"name": "stand", "parent": "world", "joint": {"type": "fixed"},
                  "inertia": {"mass": 1, "moments": [1, 1, 1]}}], "strand_nodes": [)" +
                                      centre + R"(
      {"type": "rigid", "name": "a", "body": "world", "point": [0, 1, 0]},
      {"type": "rigid", "name": "b", "body": "world", "point": [1, 0, 0]},
      {"type": "rigid", "name": "back", "body": "world", "point": [-5, 1, 0]},
      {"type": "polyline", "name": "tail", "nodes": ["back", "a"], "u": 0.9},
      {"type": "maximal", "name": "load", "position": [1, -0.5, 0], "mass": 1}],
    "guides": [{"name": "tube", )" + tube +
                                      R"(}],
    "strands": [{"name": "rope", "nodes": ["tail", {"guide": "tube"}, "load"], "length": 2.5,
                 "density": 0.4, "stiffness": 1e7}]})",
                                  "test", ".");
  // At the length that it has, without strain.
  const Strands& strands = *scene.system.strands();
  SystemBuilder builder(scene.system.skeleton());
  builder.set_gravity({0, -9.81, 0});
  for (const StrandNode& node : strands.nodes()) builder.add_strand_node(node);
  Strand rope = strands.strands()[0];
  Workspace ws(scene.system);
  const State start = scene.system.default_state();
  update_kinematics(scene.system, start, ws);
  controls_at(scene.system, start, ws);
  const size_t index = scene.system.strands_index();
  double length = 0;
  for (const StrandReading& node :
       strands.read(part_at(scene.system, index, start, ws), *ws.parts[index]))
    length += node.length;
  rope.points.back().s = length;
  rope.length = StrandLength::fixed;
  const System system = builder.add_strand(rope).build();
  Workspace fixed(system);
  VecX qddot(system.dof_count());
  forward_dynamics(system, system.default_state(), fixed, qddot);
  return -qddot[qddot.size() - 2];
}

TEST(StrandScenes, ATubeIsItsCurve) {
  // (m + ρ l) a = (m + ρ (0.5 + 1)) g: 0.5 m hang, and the tube falls by 1 m.
  const auto exact = [](double in_tube) {
    return (1 + 0.4 * 1.5) * 9.81 / (1 + 0.4 * (0.5 + 0.5 + in_tube));
  };
  const std::string straight = R"("along": {"type": "polyline", "nodes": ["a", "b"]}, "pieces": )";
  for (const char* pieces : {"1", "7"})
    EXPECT_NEAR(fall_from_tube(straight + pieces), exact(std::sqrt(2.0)), 1e-9) << pieces;
  const std::string circle =
      R"("along": {"type": "ellipse", "nodes": ["o", "b", "a"], "range": [1.5707963267948966, 0]},
          "pieces": )";
  const double quarter = exact(std::acos(-1.0) / 2);
  const double coarse = fall_from_tube(circle + "8") - quarter,
               fine = fall_from_tube(circle + "16") - quarter;
  EXPECT_LT(std::abs(fine), 2e-3);
  EXPECT_NEAR(coarse / fine, 4, 0.1);
}

TEST(StrandScenes, NodesOnCurvesAndSurfacesAreReadWithTheirUnits) {
  const Scene scene = parse_scene(R"({"sinew_scene": 1, "units": "cgs",
      "bodies": [{"name": "stand", "parent": "world", "joint": {"type": "fixed"},
                  "inertia": {"mass": 1, "moments": [1, 1, 1]}}], "strand_nodes": [
      {"type": "rigid", "name": "a", "body": "world", "point": [0, 0, 0]},
      {"type": "rigid", "name": "b", "body": "world", "point": [100, 0, 0]},
      {"type": "polyline", "name": "line", "nodes": ["a", "b"], "u": 0.25, "mass": 1, "ends": "capped"},
      {"type": "b-spline", "name": "spline", "nodes": ["a", "b", "line"], "u": 0, "mass": 1},
      {"type": "circle", "name": "circle", "body": "stand", "placement": [0, 0, 50], "radius": 10, "u": 0, "mass": 1},
      {"type": "ellipse", "name": "ellipse", "nodes": ["a", "b", "circle"], "u": 0, "mass": 1},
      {"type": "sphere", "name": "sphere", "body": "world", "radius": 10, "u": [0, 0], "mass": 1},
      {"type": "cylinder", "name": "cylinder", "body": "world", "radius": 10, "u": [0, 30], "mass": 1},
      {"type": "ellipsoid", "name": "ellipsoid", "body": "world", "semi_axes": [10, 20, 30], "u": [0, 0], "mass": 1},
      {"type": "torus", "name": "torus", "body": "world", "radius": 30, "tube": 10, "u": [0, 0], "mass": 1},
      {"type": "patch", "name": "patch", "rows": [["a", "b"], ["torus", "circle"]], "u": [0, 1], "mass": 1},
      {"type": "blend", "name": "blend", "nodes": ["a", "b"], "weights": [0.75, 0.25]}],
    "strands": [{"name": "r", "nodes": ["a", "line", "spline", "circle", "ellipse", "sphere", "cylinder",
        "ellipsoid", "torus", "patch", "blend", "b"], "length": 1000, "stiffness": 1}]})",
                                  "test", ".");
  const Strands& strands = *scene.system.strands();
  Workspace ws(scene.system);
  const State state = scene.system.default_state();
  update_kinematics(scene.system, state, ws);
  controls_at(scene.system, state, ws);
  const size_t part = scene.system.strands_index();
  const auto rows = strands.read(part_at(scene.system, part, state, ws), *ws.parts[part]);
  const std::vector<Vec3> expected = {{0, 0, 0},   {0.25, 0, 0}, {0, 0, 0},     {0.1, 0, 0.5},
                                      {1, 0, 0},   {0.1, 0, 0},  {0.1, 0, 0.3}, {0.1, 0, 0},
                                      {0.4, 0, 0}, {1, 0, 0},    {0.25, 0, 0},  {1, 0, 0}};
  ASSERT_EQ(rows.size(), expected.size());
  for (size_t k = 0; k < rows.size(); ++k) EXPECT_LT((rows[k].x - expected[k]).norm(), 1e-14) << k;
  EXPECT_EQ(scene.system.unilaterals().limits.size(), 1u);
}

TEST(StrandScenes, UnitsOfASceneAreThoseOfItsStrands) {
  const auto text = [](const char* units, const char* numbers) {
    return std::string(R"({"sinew_scene": 1,
      "bodies": [{"name": "stand", "parent": "world", "joint": {"type": "fixed"},
                  "inertia": {"mass": 1, "moments": [1, 1, 1]}}], "units": ")") +
           units + R"(", "strand_nodes": [
      {"type": "rigid", "name": "a", "body": "world", "point": [0, 0, 0]},
      {"type": "maximal", "name": "b", "position": )" +
           numbers + "}";
  };
  const Scene si = parse_scene(text("si", R"([0.5, 0, 0], "mass": 0.2}],
      "strands": [{"name": "r", "nodes": ["a", "b"], "length": 0.4, "density": 0.1,
                   "table": {"strain": [0, 1], "tension": [0, 7]}, "damping": 0.3}])"),
                               "test", ".");
  const Scene cgs = parse_scene(text("cgs", R"([50, 0, 0], "mass": 200}],
      "strands": [{"name": "r", "nodes": ["a", "b"], "length": 40, "density": 1,
                   "table": {"strain": [0, 1], "tension": [0, 700000]}, "damping": 30000}])"),
                                "test", ".");
  const Strand &a = si.system.strands()->strands()[0], &b = cgs.system.strands()->strands()[0];
  EXPECT_NEAR(a.density, b.density, 1e-15);
  EXPECT_NEAR(*a.points[1].s, *b.points[1].s, 1e-15);
  EXPECT_NEAR(a.law.damping, b.law.damping, 1e-15);
  EXPECT_NEAR(std::get<TableStretch>(a.law.elastic).tension[1],
              std::get<TableStretch>(b.law.elastic).tension[1], 1e-14);
  EXPECT_NEAR(si.system.default_state().q[0], cgs.system.default_state().q[0], 1e-15);
}

}  // namespace strand_scenes_test
}  // namespace sinew

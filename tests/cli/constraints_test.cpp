#include <gmock/gmock.h>

#include <nlohmann/json.hpp>
#include <vector>

#include "cli/program.hpp"

/// The program's output about constraints.

namespace sinew::test {
namespace constraints_test {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

struct Table {
  std::vector<std::string> labels;
  std::vector<std::vector<std::string>> rows;  ///< as written
};

Table read_csv(const fs::path& path) {
  std::istringstream file(read_file(path));
  const auto cells = [](const std::string& line) {
    std::vector<std::string> out;
    std::istringstream in(line);
    for (std::string cell; std::getline(in, cell, ',');) out.push_back(cell);
    return out;
  };
  Table table;
  std::string line;
  std::getline(file, line);
  table.labels = cells(line);
  while (std::getline(file, line)) table.rows.push_back(cells(line));
  return table;
}

/// The four-bar with its pin closed twice.
constexpr const char* kRedundant =
    R"(--set 'constraints=[
         {"type": "hinge", "name": "pin", "bodies": ["coupler", "rocker"],
          "points": [[0.8, 0, 0], [0.6, 0, 0]], "axes": [[0, 0, 1], [0, 0, 1]]},
         {"type": "ball", "name": "again", "bodies": ["rocker", "coupler"],
          "points": [[0.6, 0, 0], [0.8, 0, 0]]}]')";

/// A four-bar on a chassis with four wheels that are driven: bearings in every pin, friction on the
/// ground, and no projection.
json four_bar_on_wheels(double friction, double speed) {
  json scene = json::parse(R"({"sinew_scene": 1, "bodies": [
    {"name": "chassis", "parent": "world",
     "joint": {"name": "free", "type": "free-3d", "order": "rotation-first",
               "placement": [0, 0.1, 0]},
     "shapes": [{"type": "cuboid", "sides": [0.6, 0.04, 0.2], "density": 500}]},
    {"name": "crank", "parent": "chassis",
     "joint": {"name": "j2", "type": "revolute", "axis": [0, 0, 1],
               "placement": [-0.25, 0.05, 0], "q0": 1.57079632679},
     "placement": [0.1, 0, 0],
     "shapes": [{"type": "cuboid", "sides": [0.2, 0.02, 0.02], "density": 1000}]},
    {"name": "coupler", "parent": "crank",
     "joint": {"name": "j3", "type": "revolute", "axis": [0, 0, 1], "placement": [0.1, 0, 0],
               "q0": -1.57079632679},
     "placement": [0.25, 0, 0],
     "shapes": [{"type": "cuboid", "sides": [0.5, 0.02, 0.02], "density": 1000}]},
    {"name": "rocker", "parent": "coupler",
     "joint": {"name": "j4", "type": "revolute", "axis": [0, 0, 1], "placement": [0.25, 0, 0],
               "q0": -1.57079632679},
     "placement": [0.1, 0, 0],
     "shapes": [{"type": "cuboid", "sides": [0.2, 0.02, 0.02], "density": 1000}]}],
    "constraints": [{"type": "ball", "name": "loop", "bodies": ["rocker", "chassis"],
                     "points": [[0.1, 0, 0], [0.25, 0.05, 0]]}],
    "bearings": [],
    "contacts": {"surfaces": [{"name": "ground", "body": "world",
                               "plane": {"normal": [0, 1, 0]}}]},
    "simulation": {"integrator": "linearly-implicit-euler", "dt": 0.002, "until": 1,
                   "projection": false}})");
  const auto add_bearing = [&](const std::string& joint) {
    scene["bearings"].push_back({{"type", "cylinder"},
                                 {"joint", joint},
                                 {"radius", 0.01},
                                 {"height", 0.02},
                                 {"friction", 0.3}});
  };
  for (const char* joint : {"j2", "j3", "j4"}) add_bearing(joint);
  scene["bearings"].push_back({{"type", "cylinder"},
                               {"closure", "loop"},
                               {"axis", {0, 0, 1}},
                               {"radius", 0.01},
                               {"height", 0.02},
                               {"friction", 0.3}});
  for (int k = 0; k < 4; ++k) {
    const std::string wheel = "wheel" + std::to_string(k), joint = "w" + std::to_string(k);
    scene["bodies"].push_back(
        {{"name", wheel},
         {"parent", "chassis"},
         {"joint",
          {{"name", joint},
           {"type", "revolute"},
           {"axis", {0, 0, 1}},
           {"placement", {k < 2 ? -0.25 : 0.25, 0, k % 2 == 0 ? -0.14 : 0.14}}}},
         {"shapes", {{{"type", "sphere"}, {"radius", 0.1}, {"density", 300}}}}});
    scene["contacts"]["surfaces"].push_back({{"body", wheel}});
    scene["constraints"].push_back(
        {{"type", "prescribed-coordinate"},
         {"name", "drive" + std::to_string(k)},
         {"coordinate", joint + "_1"},
         {"level", "velocity"},
         {"function", {{"type", "polynomial"}, {"coefficients", {-speed}}}}});
    add_bearing(joint);
  }
  scene["contacts"]["friction"] = friction;
  return scene;
}

// What the message of a step that fails advises: a projection lets it pass, with either method.
TEST(ConstraintsCli, AFourBarOnDrivenWheelsNeedsAProjection) {
  const TemporaryFolder folder;
  const std::string scene = (folder / "car.json").string();
  std::ofstream(scene) << four_bar_on_wheels(0.3, 10);
  // Whether it stops without is a matter of rounding: with g++ it does, with clang it does not.
  const ProgramResult without = run_program("simulate " + scene);
  if (without.exit_code != 0) {
    EXPECT_EQ(without.exit_code, 3);
    EXPECT_THAT(without.err, HasSubstr("worst in bearing"));
    EXPECT_THAT(without.err, HasSubstr("projection, less friction or a shorter step may help"));
  }
  for (const char* more : {"", " --integrator semi-implicit-euler"}) {
    const ProgramResult result = run_program(
        "simulate " + scene + " --set simulation.projection=true --json" + std::string(more));
    ASSERT_EQ(result.exit_code, 0) << result.err;
    const json run = json::parse(result.out);
    EXPECT_NEAR(run["final"]["w0_1"].get<double>(), -10, 0.1);  // 10 rad/s for 1 s, from rest
    EXPECT_LE(run["audit"]["constraint_error"].get<double>(), 1e-9);
  }
}

TEST(ConstraintsCli, WritesWhatTheConstraintsDoAtTheTimesOfTheStates) {
  const TemporaryFolder folder;
  const ProgramResult result = run_program(
      "simulate slider-crank --until 0.5 --set simulation.output_interval=0.01 --format csv --out "
      "'" +
      folder.path().string() + "'");
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const Table states = read_csv(folder / "states.csv"),
              reactions = read_csv(folder / "reactions.csv");
  EXPECT_THAT(reactions.labels,
              ElementsAre("time", "pin_force_x", "pin_force_y", "pin_force_z", "pin_moment_x",
                          "pin_moment_y", "pin_moment_z", "motor_torque"));
  ASSERT_EQ(reactions.rows.size(), 51u);
  ASSERT_EQ(states.rows.size(), 51u);
  for (size_t k = 0; k < states.rows.size(); ++k)
    EXPECT_EQ(reactions.rows[k][0], states.rows[k][0]);
  // At rest, nearly: the pin carries the piston's 0.5195 kg and lifts it slightly.
  EXPECT_NEAR(std::stod(reactions.rows[0][2]), 0.519541 * 9.80665, 0.1);

  const json record = json::parse(read_file(folder / "run.json"));
  EXPECT_THAT(record["files"].get<std::vector<std::string>>(), testing::Contains("reactions.csv"));
  EXPECT_EQ(record["options"]["projection"], true);
  EXPECT_EQ(record["options"]["baumgarte"]["implicit"], 0);
  EXPECT_LE(record["audit"]["constraint_error"].get<double>(), 1e-9);
  EXPECT_GT(record["audit"]["constraint_error"].get<double>(), 0);
  EXPECT_TRUE(record["warnings"].empty());
}

TEST(ConstraintsCli, WritesNoReactionsWhereThereAreNone) {
  const TemporaryFolder folder;
  ASSERT_EQ(run_program("simulate redmax-m1 --until 0.1 --out '" + folder.path().string() + "'")
                .exit_code,
            0);
  EXPECT_FALSE(fs::exists(folder / "reactions.sto"));
}

TEST(ConstraintsCli, DescribesTheConstraintsOfAScene) {
  const json info = json::parse(run_program("info four-bar --json").out);
  EXPECT_EQ(info["constraints"], json::parse(R"([{"name": "pin", "type": "hinge", "rows": 2}])"));
  EXPECT_EQ(info["degrees_of_freedom"], 1);
  EXPECT_TRUE(info["warnings"].empty());
  const ProgramResult text = run_program("info four-bar");
  EXPECT_THAT(text.out, HasSubstr("  1 degree of freedom left\n"));
  EXPECT_THAT(text.out, Not(HasSubstr("redundant")));
  EXPECT_THAT(run_program("info whip").out, Not(HasSubstr("constraint")));
}

TEST(ConstraintsCli, WarnsOfRedundantConstraintsAndGoesOn) {
  const ProgramResult info = run_program(std::string("info four-bar ") + kRedundant);
  ASSERT_EQ(info.exit_code, 0) << info.err;
  EXPECT_THAT(info.out, HasSubstr("redundant: constraint 'again': 2 of its 2 rows"));
  EXPECT_THAT(info.out, HasSubstr("  1 degree of freedom left\n"));
  const ProgramResult result =
      run_program(std::string("simulate four-bar --until 1 --json ") + kRedundant);
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const json report = json::parse(result.out);
  EXPECT_THAT(report["warnings"][0].get<std::string>(), HasSubstr("constraint 'again'"));
  EXPECT_EQ(report["audit"]["passed"], true);
  const json alone = json::parse(run_program("simulate four-bar --until 1 --json").out);
  // Whether closed once or twice, it is the same motion.
  EXPECT_NEAR(report["final"]["crank_angle"].get<double>(),
              alone["final"]["crank_angle"].get<double>(), 1e-8);
}

TEST(ConstraintsCli, SaysInTheAuditHowWellTheConstraintsHeld) {
  EXPECT_THAT(run_program("simulate four-bar --until 0.1").out,
              testing::ContainsRegex("audit   passed: .*, constraint error [0-9.e-]+\n"));
  EXPECT_THAT(run_program("simulate redmax-04").out,
              testing::ContainsRegex("constraint error [0-9.e-]+ \\(not judged: no projection\\)"));
}

}  // namespace constraints_test
}  // namespace sinew::test

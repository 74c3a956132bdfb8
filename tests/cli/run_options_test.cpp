#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "cli/program.hpp"
#include "support/source_dir.hpp"

/// --set, --excitation, --controls and --initial, of scenes and of OpenSim's models alike.

namespace sinew::test {
namespace run_options_test {

using nlohmann::json;
using testing::HasSubstr;

const std::string kLeg = "'" + source_dir() + "/models/leg/leg.osim' ";
const std::string kSwing = "'" + source_dir() + "/models/leg/swing_13kmh.mot' ";

json answer(const std::string& command) {
  const ProgramResult result = run_program(command + " --json");
  EXPECT_EQ(result.exit_code, 0) << command << "\n" << result.err;
  return result.exit_code == 0 ? json::parse(result.out) : json();
}

std::string error(const std::string& command) {
  const ProgramResult result = run_program(command);
  EXPECT_EQ(result.exit_code, 2) << command;
  EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
  return result.err;
}

/// The entry of that name in a list.
json entry(const json& list, const std::string& name) {
  for (const json& item : list)
    if (item["name"] == name) return item;
  ADD_FAILURE() << name;
  return {};
}

TEST(SetOfOpenSimModels, ChangesWhatInfoTells) {
  const json info = answer("info " + kLeg + "--set /bodyset/tibia_r/mass=4.5 " +
                           "--set /jointset/knee_r/knee_angle_r/default_value=-0.3");
  EXPECT_EQ(entry(info["bodies"], "tibia_r")["mass"], 4.5);
  EXPECT_EQ(entry(info["coordinates"], "knee_angle_r")["default"], -0.3);
  EXPECT_THAT(run_program("info " + kLeg).out, HasSubstr("--set /bodyset/"));
}

TEST(SetOfOpenSimModels, ChangesEveryCommand) {
  TemporaryFolder folder;
  std::ofstream(folder / "poses.json") << R"({"poses": [{}]})";
  const std::string poses = "'" + (folder / "poses.json").string() + "' ";
  const std::string heavy = "--set /bodyset/tibia_r/mass=9 ";
  const std::string strong = "--set /forceset/soleus_r/max_isometric_force=9000 ";
  struct Case {
    std::string command, set;
    std::vector<std::string> changing;  ///< keys whose numbers change by themselves
  };
  for (const Case& c :
       {Case{"simulate " + kLeg + "--until 0.02 ", heavy, {"wall_seconds"}},
        Case{"id " + kLeg + kSwing, heavy, {"wall_seconds", "command", "options"}},
        Case{"compare-inertia " + kLeg + kSwing + "--segment tibia_r:0.5:soleus_r,tibant_r ",
             heavy,
             {"wall_seconds", "command", "options"}},
        Case{"muscles " + kLeg, strong, {}},
        Case{"muscles " + kLeg + "--rank --samples 5 ", heavy, {}},
        Case{"evaluate " + kLeg + poses, heavy, {}}}) {
    json plain = answer(c.command), changed = answer(c.command + c.set);
    for (const std::string& key : c.changing) {
      plain.erase(key);
      changed.erase(key);
    }
    EXPECT_NE(plain, changed) << c.command;
  }
  EXPECT_EQ(answer("bench --seconds 0.01 " + kLeg + heavy)["results"].size(), 2u);
  for (const std::string& command : std::vector<std::string>{
           "simulate " + kLeg, "id " + kLeg + kSwing, "compare-inertia " + kLeg + kSwing,
           "muscles " + kLeg, "evaluate " + kLeg + poses, "bench " + kLeg, "info " + kLeg,
           "view --no-browser " + kLeg})
    EXPECT_THAT(error(command + "--set /bodyset/tibi_r/mass=9"),
                HasSubstr("there is no 'tibi_r' in '/bodyset'; did you mean 'tibia_r'?"))
        << command;
}

TEST(SetOfOpenSimModels, IsRecordedAndReported) {
  TemporaryFolder folder;
  const std::string out = (folder / "out").string();
  ASSERT_EQ(
      run_program("simulate " + kLeg + "--until 0.02 --set /bodyset/tibia_r/mass=9 --report " +
                  "--out '" + out + "'")
          .exit_code,
      0);
  EXPECT_EQ(json::parse(read_file(folder / "out/run.json"))["scene_file"]["set"][0],
            "/bodyset/tibia_r/mass=9");
}

TEST(RunOptionsOfScenes, DriveStartAndAreRecorded) {
  TemporaryFolder folder;
  std::ofstream(folder / "c.sto") << "c\nversion=1\nendheader\ntime\tsoleus\n0\t0.1\n1\t0.9\n";
  const std::string out = (folder / "out").string(), again = (folder / "again").string();
  const std::string drive =
      " --excitation all=0.3 --controls '" + (folder / "c.sto").string() + "' ";
  const ProgramResult first =
      run_program("simulate knee-spline --until 0.02 --initial ankle_angle=0.1 --report --out '" +
                  out + "'" + drive);
  ASSERT_EQ(first.exit_code, 0) << first.err;
  EXPECT_THAT(first.err, HasSubstr("has no column for"));
  const json record = json::parse(read_file(folder / "out/run.json"));
  EXPECT_EQ(record["drive"]["excitation"], json({"all=0.3"}));
  EXPECT_EQ(record["drive"]["controls"], (folder / "c.sto").string());
  EXPECT_EQ(record["drive"]["initial"], json({"ankle_angle=0.1"}));
  // The tables of a run are where another one may start.
  const ProgramResult second =
      run_program("simulate knee-spline --until 0.02 --initial '" + out +
                  "/states.sto' --initial '" + out + "/muscles.sto' --out '" + again + "'" + drive);
  ASSERT_EQ(second.exit_code, 0) << second.err;
  EXPECT_EQ(json::parse(read_file(folder / "again/run.json"))["final_hash"], record["final_hash"]);
  // Without its controls a report can still be made, and says so.
  const std::string note = "The file of controls is not there any more";
  EXPECT_EQ(read_file(folder / "out/report.html").find(note), std::string::npos);
  std::filesystem::remove(folder / "c.sto");
  EXPECT_EQ(run_program("report '" + out + "'").exit_code, 0);
  EXPECT_THAT(read_file(folder / "out/report.html"), HasSubstr(note));
}

TEST(RunOptionsOfScenes, StagesWithoutASolutionShortenTheStep) {
  // A stage of the third step has none: the paths of networks bend too much along it.
  const json run = answer(
      "simulate wrap-family-network --until 0.2 --integrator sdirk4 --accuracy 1e-4 --least-step 0 "
      "--output-interval 0");
  EXPECT_EQ(run.value("status", ""), "finished");
  EXPECT_GT(run.value("rejected_steps", 0), 0);
}

TEST(RunOptionsOfScenes, MistakesAreOneErrorEach) {
  EXPECT_THAT(error("simulate knee-spline --excitation soleus=2"), HasSubstr("from 0 to 1"));
  EXPECT_THAT(error("simulate knee-spline --excitation soleu=0.2"), HasSubstr("'soleus'"));
  EXPECT_THAT(error("simulate knee-spline --initial knee_angel=0.2"), HasSubstr("'knee_angle'"));
  EXPECT_THAT(error("simulate knee-spline --initial nowhere.sto"), HasSubstr("nowhere.sto"));
  EXPECT_THAT(error("simulate knee-spline --controls nowhere.sto"), HasSubstr("nowhere.sto"));
  EXPECT_THAT(error("simulate knee-spline --set /bodyset/tibia/mass=3"), HasSubstr("unknown key"));
  EXPECT_THAT(error("simulate knee-spline --strict"), HasSubstr("scenes are always strict"));
  EXPECT_THAT(error("info knee-spline --strict"), HasSubstr("scenes are always strict"));
  EXPECT_THAT(error("bench --set gravity=[0,0,0]"), HasSubstr("name one"));
}

TEST(VariablesOfSteps, AreEnergyOrRates) {
  // Through the whole of sdirk2, and through the first step of bdf2, which is one of sdirk2. The
  // two forms are both of second order.
  const std::pair<const char*, double> runs[] = {{"sdirk2", 0.2}, {"bdf2", 0.01}};
  for (const auto& [integrator, until] : runs) {
    SCOPED_TRACE(integrator);
    const auto elbow = [&, &method = integrator, &end = until](const char* variables, double dt) {
      const std::string command = "simulate wrap-pendulum --integrator " + std::string(method) +
                                  " --until " + std::to_string(end) + " --dt " +
                                  std::to_string(dt) + " --set simulation.variables=" + variables;
      return answer(command)["final"]["elbow"].get<double>();
    };
    const double coarse = elbow("rates", 0.01) - elbow("energy", 0.01);
    EXPECT_GT(std::abs(coarse), 1e-9);
    EXPECT_LT(std::abs(coarse), 1e-3);
    const double fine = elbow("rates", 0.005) - elbow("energy", 0.005);
    EXPECT_LT(std::abs(fine), 0.35 * std::abs(coarse));
  }
}

}  // namespace run_options_test
}  // namespace sinew::test

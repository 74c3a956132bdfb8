#include <gmock/gmock.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <numbers>

#include "cli/program.hpp"
#include "io/osim/small_models.hpp"
#include "support/reference.hpp"
#include "support/source_dir.hpp"

/// The program with realistic models, motions and setups.

namespace sinew::test {
namespace input_test {

using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

/// A folder with the knee whose patella follows, and a motion of it.
class InputCli : public ::testing::Test {
 protected:
  void SetUp() override { std::ofstream(folder_ / "knee.osim") << coupled_model(); }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }

  /// Flexion in degrees; `beta` is the column of the patella: "" for none, else its factor of the
  /// flexion in radians.
  void write_motion(const std::string& name, const std::string& beta = "") const {
    std::ofstream file(folder_ / name);
    file.precision(17);
    file << "x\nversion=1\ninDegrees=yes\nendheader\ntime\tknee" << (beta.empty() ? "" : "\tbeta")
         << "\n";
    for (int k = 0; k <= 50; ++k) {
      const double t = 0.01 * k, knee = 0.9 - 0.8 * std::cos(5 * t);
      file << t << '\t' << knee * 180 / std::numbers::pi;
      if (!beta.empty()) file << '\t' << std::stod(beta) * knee;
      file << '\n';
    }
  }
  void write_setup(const std::string& more = "") const {
    std::ofstream(folder_ / "setup.xml")
        << "<OpenSimDocument Version=\"40000\"><InverseDynamicsTool "
           "name=\"t\"><model_file>knee.osim"
           "</model_file><coordinates_file>motion.mot</coordinates_file><results_directory>Results"
           "</results_directory><output_gen_force_file>moments.sto</output_gen_force_file>" +
               more + "</InverseDynamicsTool></OpenSimDocument>";
  }
  void write_loads() const {
    std::ofstream(folder_ / "loads.xml")
        << "<OpenSimDocument Version=\"40000\"><ExternalLoads name=\"l\"><objects><ExternalForce "
           "name=\"push\"><applied_to_body>tibia</applied_to_body><force_identifier>f_"
           "</force_identifier><point_identifier>p_</point_identifier></ExternalForce></objects>"
           "<datafile>loads.mot</datafile></ExternalLoads></OpenSimDocument>";
    std::ofstream(folder_ / "loads.mot")
        << "x\nversion=1\ninDegrees=no\nendheader\ntime\tf_x\tf_y\tf_z\tp_x\tp_y\tp_z\n"
           "0\t0\t50\t0\t0.1\t0\t0\n10\t0\t50\t0\t0.1\t0\t0\n";
  }
  static json json_of(const ProgramResult& result) {
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return json::parse(result.out, nullptr, false);
  }
  json muscle(const std::string& motion) const {
    return json_of(run_program("muscles " + path("knee.osim") + " " + path(motion) + " --json"))
        .at("muscles")
        .at(0);
  }

  TemporaryFolder folder_;
};

TEST_F(InputCli, MusclesAreTheSameWhateverTheFileSaysOfThePatella) {
  write_motion("missing.mot");
  write_motion("wrong.mot", "0.3");
  const json missing = muscle("missing.mot"), wrong = muscle("wrong.mot");
  for (const char* key : {"shortest", "longest", "fastest", "largest_tendon_force"})
    EXPECT_EQ(missing[key], wrong[key]) << key;
  const ProgramResult id =
      run_program("id " + path("knee.osim") + " " + path("wrong.mot") + " --json");
  EXPECT_THAT(id.err, HasSubstr("follows the coupler"));
  EXPECT_EQ(json_of(id)["moments"],
            json_of(run_program("id " + path("knee.osim") + " " + path("missing.mot") +
                                " --json"))["moments"]);
}

TEST_F(InputCli, SweepsMoveWhatIsCoupled) {
  const auto sweep = [&](const std::string& more) {
    return run_program("muscles " + path("knee.osim") + " --coordinate " + more);
  };
  // Arms are −dl/dq along the sweep: differences of the lengths tell them.
  const json rows = json_of(sweep("knee --range 0.9 0.90002 --samples 3 --json"))["rows"];
  const double slope = (rows[2][1].get<double>() - rows[0][1].get<double>()) / 2e-5;
  EXPECT_NEAR(rows[1][2].get<double>(), -slope, 1e-9);  // h² l‴/6 ≈ 1e-11, rounding 1e-16/2e-5
  const ProgramResult dependent = sweep("beta");
  EXPECT_EQ(dependent.exit_code, 2);
  EXPECT_THAT(dependent.err, HasSubstr("follows others, by the coupler 'tracking'; name 'knee'"));
}

TEST_F(InputCli, SetupsSayWhatOfThemCounts) {
  write_motion("motion.mot");
  write_setup("<time_range>0.1 0.9</time_range>");
  const ProgramResult result = run_program("id " + path("setup.xml") + " --json");
  EXPECT_THAT(result.err,
              HasSubstr("0.1 to 0.9 s and no filter are as it says; nothing is written"));
  EXPECT_THAT(result.err,
              HasSubstr("0.1 to 0.9 s are requested, but its rows are from 0 to 0.5 s"));
  EXPECT_EQ(json_of(result)["samples"], 41);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "Results"));
  const ProgramResult filed =
      run_program("id " + path("setup.xml") + " --start 0.2 --out " + path("out"));
  EXPECT_EQ(filed.exit_code, 0) << filed.err;
  EXPECT_THAT(filed.err, HasSubstr("not in its results_directory"));
  EXPECT_THAT(read_file(folder_ / "out" / "moments.sto"), HasSubstr("nRows=31"));
}

TEST_F(InputCli, FilesThatAreNoSetupsSayWhatTheyAre) {
  write_loads();
  EXPECT_THAT(run_program("id " + path("loads.xml")).err,
              HasSubstr("holds <ExternalLoads>, not <InverseDynamicsTool>"));
  EXPECT_THAT(run_program("id " + path("knee.osim")).err, HasSubstr("motion: is missing"));
}

TEST_F(InputCli, SimulationsTakeExternalLoads) {
  write_loads();
  const auto run = [&](const std::string& more) {
    return json_of(run_program("simulate " + path("knee.osim") + " --until 0.02 --json" + more));
  };
  EXPECT_GT(std::abs(run(" --loads " + path("loads.xml"))["final"]["knee"].get<double>() -
                     run("")["final"]["knee"].get<double>()),
            1e-4);
  EXPECT_EQ(run_program("simulate double-pendulum --loads " + path("loads.xml")).exit_code, 2);
}

TEST_F(InputCli, StartsOutsideTheRangeAreSaid) {
  const auto start = [&](const std::string& value) {
    return run_program("simulate " + path("knee.osim") + " --until 0.002 --initial " + value);
  };
  EXPECT_THAT(start("knee=60").err, HasSubstr("'knee' is 60 rad: are these degrees?"));
  EXPECT_THAT(start("knee=-1.5").err, HasSubstr("far outside its range of -0.5 to 2.5"));
  EXPECT_THAT(start("knee=0.7").err, Not(HasSubstr("warning")));
  EXPECT_THAT(start("beta=1.1").err, HasSubstr("it follows the coupler"));
  EXPECT_EQ(start("knee=1e300").exit_code, 2);
}

TEST_F(InputCli, ValuesOfTheModelItselfOutsideTheRangeAreSaid) {
  std::string text = coupled_model();
  const std::string range = "<range>-0.5 2.5</range>";
  text.insert(text.find(range), "<default_value>60</default_value>");
  std::ofstream(folder_ / "wrong.osim") << text;
  std::ofstream(folder_ / "poses.json")
      << R"({"coordinates": ["knee"], "poses": [{"q": [0.1]}, {"q": [40]}, {"q": [60]}]})";
  const auto errors = [&](const std::string& command) {
    const std::string err = run_program(command).err;
    EXPECT_EQ(std::count(err.begin(), err.end(), '\n'), 1) << command << '\n' << err;
    return err;
  };
  for (const char* command : {"simulate --until 0.001", "muscles"})
    EXPECT_THAT(errors(command + (" " + path("wrong.osim"))),
                HasSubstr("wrong.osim: 'knee' is 60 rad: are these degrees? (default values are"))
        << command;
  EXPECT_THAT(errors("evaluate " + path("knee.osim") + " " + path("poses.json")),
              HasSubstr("poses.json: 'knee' is 60 rad in pose 2: are these degrees?"));
  EXPECT_THAT(errors("simulate " + path("knee.osim") + " --until 0.2 --initial knee/speed=50"),
              HasSubstr("the end of the run: 'knee' is "));
}

TEST_F(InputCli, PathPointsInsideSurfacesAreSaidByEveryCommandThatFollowsPaths) {
  std::ofstream(folder_ / "swing.mot") << "x\nversion=1\ninDegrees=no\nendheader\n"
                                          "time\tshoulder\telbow\n0\t0.7\t0.7\n"
                                          "0.1\t0.7\t0.8\n0.2\t0.7\t0.9\n0.3\t0.7\t0.9\n"
                                          "0.4\t0.7\t0.9\n0.5\t0.7\t0.9\n";
  std::ofstream(folder_ / "task.json")
      << R"({"sinew_task": 1, "model": "wide.json", "run": {"dt": 0.001, "until": 0.002},
            "parameters": [{"type": "initial", "state": "elbow"}],
            "objectives": [{"type": "point", "body": "lower", "target": [0, 0, 0]}]})";
  json scene = json::parse(read_file(source_dir() + "/scenes/wrap-pendulum.json"));
  scene["muscles"]["list"][0]["path"][1]["around"]["radius"] = 0.55;  // the ends are at 0.6, 0.5
  std::ofstream(folder_ / "wide.json") << scene;
  std::ofstream(folder_ / "poses.json") << R"({"coordinates": ["elbow"], "poses": [{"q": [0.7]}]})";
  std::ofstream(folder_ / "study.json") << R"({"sinew_study": 1, "model": "wide.json",
      "run": {"until": 0.001}, "design": {"type": "random", "runs": 2},
      "parameters": [{"type": "initial", "state": "elbow", "uniform": [0.6, 0.7]}],
      "results": [{"output": "elbow"}]})";
  const std::string model = path("wide.json"), both = model + " " + path("swing.mot");
  for (const auto& [command, when] :
       {std::pair("simulate " + model + " --until 0.001", "in the first pose"),
        std::pair("muscles " + model, "in the first pose"), std::pair("muscles " + both, "t = 0"),
        std::pair("id " + both, "t = 0"), std::pair("compare-inertia " + both, "t = 0"),
        std::pair("info " + model, "in the first pose"),
        std::pair("bench " + model + " --seconds 0.01", "in the first pose"),
        std::pair("evaluate " + model + " " + path("poses.json"), "in the first pose"),
        std::pair("sweep " + path("study.json") + " --dry-run", "in the first pose"),
        std::pair("optimize " + path("task.json"), "in the first pose"),
        std::pair("gradient " + path("task.json"), "in the first pose")}) {
    const std::string err = run_program(command).err;
    EXPECT_THAT(err, HasSubstr("a path point of muscle is on or inside a wrap surface")) << command;
    EXPECT_THAT(err, HasSubstr(when)) << command;
  }
}

TEST_F(InputCli, ARangeOfACoordinateIsDoubtedAsAPoseIs) {
  const std::string sweep = "muscles " + path("knee.osim") + " --coordinate knee --range ";
  EXPECT_THAT(run_program(sweep + "0 120").err, HasSubstr("are these degrees?"));
  const ProgramResult absurd = run_program(sweep + "0 1e300");
  EXPECT_EQ(absurd.exit_code, 2);
  EXPECT_THAT(absurd.err, HasSubstr("knee"));
  EXPECT_EQ(run_program(sweep + "0 1").err, "");
}

TEST_F(InputCli, NumbersThatAreNoneAreOneError) {
  write_motion("motion.mot");
  const std::string both = path("knee.osim") + " " + path("motion.mot");
  for (const std::string& arguments :
       {"muscles " + both + " --activation nan", "muscles " + both + " --cutoff nan",
        "id " + both + " --start nan", "id " + both + " --end inf", "id " + both + " --out ''",
        "muscles " + path("knee.osim") + " --coordinate knee --range nan 1"}) {
    const ProgramResult result = run_program(arguments);
    EXPECT_EQ(result.exit_code, 2) << arguments;
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
  }
}

TEST_F(InputCli, NamesAndPathsInOldEncodingsDoNotSpoilARun) {
  std::string text = coupled_model();
  for (size_t at = 0; (at = text.find("knee", at)) != std::string::npos;)
    text.replace(at, 4,
                 "kn\xE9"
                 "e");
  std::ofstream(folder_ / "old\xE9.osim") << text;
  const ProgramResult result = run_program("simulate '" + path("old\xE9.osim") +
                                           "' --until 0.004 --json --out " + path("out"));
  EXPECT_TRUE(
      json_of(result)["final"].contains("kn\xC3\xA9"
                                        "e"))
      << result.out;
}

TEST(ReferenceInput, SetupsOfMeasuredRunsWorkWithoutOptions) {
  SINEW_NEEDS_REFERENCE();
  const auto folder = *reference_dir() / "runners/subject01/ID";
  if (!std::filesystem::exists(folder))
    GTEST_SKIP() << "measured runs not found: set SINEW_REFERENCE_DIR to the folder with runners/";
  for (const auto& [speed, samples] : {std::pair("200", 231), std::pair("300", 214),
                                       std::pair("400", 203), std::pair("500", 184)}) {
    const ProgramResult result = run_program(
        "id " + (folder / ("run" + std::string(speed) + "_id_setup.xml")).string() + " --json");
    ASSERT_EQ(result.exit_code, 0) << result.err;
    const json answer = json::parse(result.out);
    EXPECT_EQ(answer["samples"], samples) << speed;
    // The runner has 72.84 kg. What is left at the pelvis is small only if the ground pushes: it
    // alone carries his weight.
    for (const json& moment : answer["moments"]) {
      if (!moment["name"].get<std::string>().starts_with("pelvis_t")) continue;
      if (!moment["name"].get<std::string>().ends_with("_force")) continue;
      EXPECT_LT(moment["highest"], 0.08 * 72.84 * 9.80665) << moment;
      EXPECT_GT(moment["lowest"], -0.08 * 72.84 * 9.80665) << moment;
    }
  }
}

}  // namespace input_test
}  // namespace sinew::test

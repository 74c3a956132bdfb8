#include <gmock/gmock.h>

#include <chrono>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <thread>

#include "cli/program.hpp"
#include "support/source_dir.hpp"

namespace sinew::test {
namespace cli_test {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

std::vector<std::string> files_in(const fs::path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder)) names.push_back(entry.path().filename());
  std::sort(names.begin(), names.end());
  return names;
}

TEST(Cli, ListsItsScenes) {
  const ProgramResult text = run_program("scenes");
  EXPECT_EQ(text.exit_code, 0) << text.err;
  EXPECT_THAT(text.out, HasSubstr("double-pendulum"));
  EXPECT_THAT(text.out, HasSubstr("redmax-diff-m2"));
  const json list = json::parse(run_program("scenes --json").out)["scenes"];
  EXPECT_GE(list.size(), 42u);
  EXPECT_TRUE(fs::exists(list[0]["path"].get<std::string>()));
}

TEST(Cli, DescribesAScene) {
  const json info = json::parse(run_program("info redmax-02 --json").out);
  EXPECT_EQ(info["bodies"][2]["parent"], "b2");
  EXPECT_EQ(info["coordinates"][3]["name"], "j4_1");
  EXPECT_NEAR(info["mass"].get<double>(), 0.05, 1e-15);  // 50 g
  EXPECT_EQ(info["simulation"]["integrator"], "linearly-implicit-euler");
  EXPECT_THAT(run_program("info redmax-02").out, HasSubstr("4 bodies of 0.05 kg, 4 coordinates"));
}

TEST(Cli, PrintsOneObjectOfResults) {
  const ProgramResult result = run_program("simulate redmax-00 --json");
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const json report = json::parse(result.out);
  EXPECT_EQ(report["scene"], "redmax-00");
  EXPECT_EQ(report["integrator"], "linearly-implicit-euler");
  EXPECT_EQ(report["dt"], 0.01);
  EXPECT_EQ(report["time"], 2);
  EXPECT_EQ(report["steps"], 200);
  EXPECT_GT(report["wall_seconds"], 0);
  EXPECT_EQ(report["final"].size(), 3u);
  EXPECT_TRUE(report["final"].contains("j1_1"));
  const json& energy = report["energy"];
  EXPECT_NEAR(energy["total"].get<double>(),
              energy["kinetic"].get<double>() + energy["potential_change"].get<double>(), 1e-15);
  for (const char* key : {"energy_error", "constraint_error", "newton_residual"})
    EXPECT_TRUE(report["audit"][key].is_number()) << key;
  EXPECT_EQ(report["audit"]["passed"], true);
}

TEST(Cli, TakesIntegratorStepTimeAndValuesFromItsOptions) {
  const json report =
      json::parse(run_program("simulate double-pendulum --integrator rk4 --dt 0.002 --until 0.5 "
                              "--set 'bodies.upper.joint.q0=[0.25]' --set gravity=[0,0,0] --json")
                      .out);
  EXPECT_EQ(report["integrator"], "rk4");
  EXPECT_EQ(report["steps"], 250);
  // At rest without gravity it stays where it was put.
  EXPECT_NEAR(report["final"]["shoulder_angle"].get<double>(), 0.25, 1e-12);
}

TEST(Cli, IntegratesToATolerance) {
  const auto final_angle = [](const std::string& tolerance) {
    return json::parse(
               run_program(
                   "simulate redmax-m1 --integrator dopri5 --until 0.5 --json --tolerance " +
                   tolerance)
                   .out)["final"]["j2_1"]
        .get<double>();
  };
  const double exact = final_angle("1e-13");
  EXPECT_NEAR(final_angle("1e-9"), exact, 1e-7);
  EXPECT_GT(std::abs(final_angle("1e-4") - exact), 1e-9);
}

TEST(Cli, WritesTrajectoriesAndARecordOfTheRun) {
  const TemporaryFolder folder;
  const std::string out = (folder / "run").string();
  const ProgramResult result =
      run_program("simulate redmax-01 --set simulation.output_interval=0.1 --out '" + out + "'");
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("audit   passed"));
  EXPECT_EQ(files_in(out),
            (std::vector<std::string>{"bodies.sto", "energy.sto", "run.json", "states.sto"}));

  const std::string states = read_file(fs::path(out) / "states.sto");
  EXPECT_THAT(states,
              HasSubstr("version=1\nnRows=21          \nnColumns=7\ninDegrees=no\nendheader\n"
                        "time\tj1_1\tj2_1\tj3_1\tj1_1_u\tj2_1_u\tj3_1_u\n0\t"));
  const json record = json::parse(read_file(fs::path(out) / "run.json"));
  EXPECT_EQ(record["status"], "finished");
  EXPECT_EQ(record["scene_file"]["set"][0], "simulation.output_interval=0.1");
  EXPECT_EQ(record["options"]["jacobian"], "reference");
  EXPECT_TRUE(record.contains("commit"));
  EXPECT_EQ(record["steps"], 200);
  EXPECT_EQ(record["audit"]["passed"], true);
}

TEST(Cli, ReplacesOnlyWhatAnEarlierRunWrote) {
  const TemporaryFolder folder;
  const std::string run = "simulate redmax-m1 --until 0.1 --out '" + folder.path().string() + "'";
  ASSERT_EQ(run_program(run).exit_code, 0);
  std::ofstream(folder / "notes.txt") << "mine";
  ASSERT_EQ(run_program(run + " --format csv").exit_code, 0);
  EXPECT_EQ(files_in(folder.path()),
            (std::vector<std::string>{"bodies.csv", "energy.csv", "notes.txt", "run.json",
                                      "states.csv"}));
  EXPECT_EQ(read_file(folder / "notes.txt"), "mine");
}

TEST(Cli, RefusesAFolderThatIsNotItsOwn) {
  const TemporaryFolder folder;
  std::ofstream(folder / "thesis.txt") << "three years";
  std::ofstream(folder / "run.json") << R"({"files": ["thesis.txt"]})";
  const ProgramResult result =
      run_program("simulate redmax-m1 --until 0.1 --out '" + folder.path().string() + "'");
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("holds no earlier run"));
  EXPECT_EQ(read_file(folder / "thesis.txt"), "three years");
}

TEST(Cli, NeverRemovesAFileOutsideItsFolder) {
  const TemporaryFolder folder;
  fs::create_directory(folder / "run");
  std::ofstream(folder / "precious") << "x";
  std::ofstream(folder / "run/run.json") << R"({"sinew": "0", "files": ["../precious", 3, ""]})";
  ASSERT_EQ(run_program("simulate redmax-m1 --until 0.1 --out '" + (folder / "run").string() + "'")
                .exit_code,
            0);
  EXPECT_TRUE(fs::exists(folder / "precious"));
}

TEST(Cli, ExitsWithThreeAndKeepsItsFilesWhenTheSimulationFails) {
  const TemporaryFolder folder;
  const ProgramResult result = run_program(
      "simulate whip --integrator rk4 --dt 0.01 --json --out '" + folder.path().string() + "'");
  EXPECT_EQ(result.exit_code, 3) << result.err;
  EXPECT_THAT(result.err, HasSubstr("the simulation failed: diverged at t = "));
  const json report = json::parse(result.out);
  EXPECT_EQ(report["status"], "failed");
  EXPECT_EQ(report["audit"]["passed"], false);
  EXPECT_EQ(json::parse(read_file(folder / "run.json"))["status"], "failed");
  EXPECT_THAT(read_file(folder / "states.sto"), Not(HasSubstr("nan")));
}

TEST(Cli, AFailedAuditIsLoudNamesARemedyAndExitsWithFour) {
  const ProgramResult result = run_program("simulate double-pendulum --integrator rk4 --dt 0.1");
  EXPECT_EQ(result.exit_code, 4);
  EXPECT_THAT(result.out, HasSubstr("*** AUDIT FAILED: an energy error"));
  EXPECT_THAT(result.err, HasSubstr("AUDIT FAILED"));
  EXPECT_THAT(result.err, HasSubstr("choose a shorter step"));
  const ProgramResult quiet =
      run_program("simulate double-pendulum --integrator rk4 --dt 0.1 --json");
  EXPECT_EQ(quiet.exit_code, 4);
  EXPECT_THAT(std::string(json::parse(quiet.out)["audit"]["remedy"]), HasSubstr("shorter step"));
}

TEST(Cli, FailsTheAuditOfAnUnstableRunWhateverTheIntegrator) {
  const ProgramResult result =
      run_program("simulate whip --integrator linearly-implicit-euler --until 0.7");
  EXPECT_THAT(result.out, HasSubstr("*** AUDIT FAILED: energy came from nowhere"));
}

/// The contents of a folder, by name.
std::map<std::string, std::string> contents(const fs::path& folder) {
  std::map<std::string, std::string> out;
  for (const auto& entry : fs::directory_iterator(folder))
    out[entry.path().filename().string()] = read_file(entry.path());
  return out;
}

TEST(Cli, ARunThatIsRefusedLeavesEarlierResultsAlone) {
  const TemporaryFolder folder;
  const std::string out = " --out '" + (folder / "run").string() + "'";
  ASSERT_EQ(run_program("simulate double-pendulum --until 0.1" + out).exit_code, 0);
  const auto before = contents(folder / "run");
  for (const char* refused :
       {"simulate double-pendulum --dt -1", "simulate double-pendulum --until -3",
        "simulate double-pendulum --integrator rk5", "simulate brick-wall --integrator rk4"}) {
    EXPECT_EQ(run_program(refused + out).exit_code, 2) << refused;
    EXPECT_EQ(contents(folder / "run"), before) << refused;
  }
  EXPECT_EQ(
      run_program("simulate double-pendulum --dt -1 --out '" + (folder / "new").string() + "'")
          .exit_code,
      2);
  EXPECT_FALSE(fs::exists(folder / "new"));
}

/// A run that is under way for minutes.
std::string long_run(const fs::path& out) {
  return "'" + std::string(SINEW_PROGRAM) +
         "' simulate double-pendulum --until 100000 --json --set simulation.output_interval=1 "
         "--out '" +
         out.string() + "'";
}

TEST(Cli, TwoRunsCannotWriteToOneFolder) {
  const TemporaryFolder folder;
  const fs::path out = folder / "run";
  std::system(
      (long_run(out) + " >/dev/null 2>&1 & echo $! >'" + (folder / "pid").string() + "'").c_str());
  while (!fs::exists(out / "run.json")) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  const ProgramResult second =
      run_program("simulate double-pendulum --until 0.1 --out '" + out.string() + "'");
  std::system(("kill $(cat '" + (folder / "pid").string() + "')").c_str());
  EXPECT_EQ(second.exit_code, 2);
  EXPECT_THAT(second.err, HasSubstr("another run is writing to it"));
}

/// The rows that the header of the states counts; they must be there, and whole.
long counted_rows(const fs::path& folder) {
  const std::string states = read_file(folder / "states.sto");
  const long rows = std::stol(states.substr(states.find("nRows=") + 6));
  EXPECT_GE(std::count(states.begin(), states.end(), '\n'), rows + 7);
  return rows;
}

TEST(Cli, SignalsOfBatchSystemsKeepWhatWasComputed) {
  for (const char* signal : {"TERM", "HUP"}) {
    const TemporaryFolder folder;
    const int status = std::system((std::string("timeout --foreground --preserve-status -s ") +
                                    signal + " 1 " + long_run(folder / "run") + " >/dev/null 2>&1")
                                       .c_str());
    EXPECT_EQ(WEXITSTATUS(status), 130) << signal;
    EXPECT_GT(counted_rows(folder / "run"), 10);
    EXPECT_EQ(json::parse(read_file(folder / "run" / "run.json"))["status"], "interrupted");
  }
}

TEST(Cli, ARunThatIsKilledLeavesTablesThatCanBeRead) {
  const TemporaryFolder folder;
  const fs::path out = folder / "run";
  std::system(("timeout --foreground -s KILL 1.5 " + long_run(out) + " >/dev/null 2>&1").c_str());
  EXPECT_GT(counted_rows(out), 1);
  EXPECT_EQ(json::parse(read_file(out / "run.json"))["status"], "running");
  const ProgramResult report = run_program("report '" + out.string() + "'");
  EXPECT_EQ(report.exit_code, 0) << report.err;
  // The next run finds the folder free.
  EXPECT_EQ(
      run_program("simulate double-pendulum --until 0.1 --out '" + out.string() + "'").exit_code,
      0);
}

TEST(Cli, OutputThatCannotBeWrittenIsAFailure) {
  const std::string program = "'" + std::string(SINEW_PROGRAM) + "' ";
  const auto exit_code = [&](const std::string& command) {
    const int status = std::system((program + command).c_str());
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  };
  EXPECT_EQ(exit_code("simulate double-pendulum --until 0.1 --json >/dev/full 2>/dev/null"), 3);
  EXPECT_EQ(exit_code("scenes >/dev/full 2>/dev/null"), 3);
  EXPECT_EQ(exit_code("strands capstan --settle >/dev/null 2>/dev/full"), 3);
  EXPECT_EQ(exit_code("simulate no-such-scene 2>/dev/full"), 2);
}

TEST(Cli, RunsOfStepsWithoutEndAreStopped) {
  const ProgramResult rows = run_program(
      "simulate double-pendulum --integrator dopri5 --set simulation.output_interval=1e-300");
  EXPECT_EQ(rows.exit_code, 2);
  EXPECT_THAT(rows.err, HasSubstr("choose a larger output_interval"));
  const ProgramResult steps = run_program(
      "simulate double-pendulum --integrator dopri5 --set simulation.largest_step=1e-300");
  EXPECT_EQ(steps.exit_code, 2);
  EXPECT_THAT(steps.err, HasSubstr("choose a larger largest_step"));
  const ProgramResult fast = run_program(
      "simulate double-pendulum --integrator dopri5 --set bodies.upper.joint.qdot0=1e9 "
      "--set simulation.most_steps=2000");
  EXPECT_EQ(fast.exit_code, 3);
  EXPECT_THAT(fast.err, HasSubstr("limit of steps"));
}

// Errors of --set have no line: they are about no file.
TEST(Cli, ErrorsOfChangedValuesNameNoLine) {
  for (const char* change : {"bodies.upper.joint.axis=3", "bodies.upper.joint.axs=3",
                             "simulation.dt=-1", "bodies.lower.parent=uper", "gravity=[0,0]"}) {
    const ProgramResult result =
        run_program("simulate double-pendulum --until 0.1 --set " + std::string(change));
    EXPECT_EQ(result.exit_code, 2) << change;
    EXPECT_THAT(result.err, HasSubstr("--set " + std::string(change).substr(0, 6))) << change;
    EXPECT_THAT(result.err, Not(HasSubstr(":0:"))) << change;
  }
}

// 100,000 of them took 36 s, since names of JSON objects were looked up one by one.
TEST(Cli, RunsTwentyThousandBodies) {
  const TemporaryFolder folder;
  std::ofstream(folder / "chain.json")
      << R"({"sinew_scene": 1, "title": "A chain", "generate": {"shape": "chain", "bodies": 20000},
             "simulation": {"dt": 0.001, "until": 0.001}})";
  const ProgramResult result = run_program("simulate '" + (folder / "chain.json").string() +
                                           "' --json --out '" + (folder / "run").string() + "'");
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(json::parse(result.out)["final"].size(), 20000u);
}

// Both used to pass: methods of second order may gain 5 %.
TEST(Cli, RunsOfSecondOrderThatGainEnergyFail) {
  const std::pair<const char*, double> runs[] = {
      {"double-pendulum --integrator sdirk2 --dt 0.028 --until 4", 0.186},
      {"wrap-surfaces --integrator bdf2 --dt 0.02 --until 4", 0.194}};
  for (const auto& [run, gain] : runs) {
    const ProgramResult result = run_program(std::string("simulate ") + run + " --json");
    EXPECT_EQ(result.exit_code, 4) << run;
    const json audit = json::parse(result.out)["audit"];
    EXPECT_NEAR(audit["energy_gain"], gain, 0.01) << run;
    EXPECT_THAT(result.err, HasSubstr("energy came from nowhere")) << run;
    EXPECT_THAT(result.err, HasSubstr("choose a shorter step (--dt)")) << run;
  }
}

TEST(Cli, ChoosesStepsByAnAccuracyAndRepeatsThem) {
  const TemporaryFolder folder;
  const auto run = [&](const std::string& name, const std::string& options) {
    const ProgramResult out = run_program("simulate knee-spline --until 0.2 --json --out '" +
                                          (folder / name).string() + "' " + options);
    EXPECT_EQ(out.exit_code, 0) << out.err;
    return json::parse(out.out);
  };
  const json first = run("first", "--integrator sdirk4 --accuracy 1e-4");
  EXPECT_EQ(first["accuracy"], 1e-4);
  const std::string steps = "--steps '" + (folder / "first" / "steps.sto").string() + "'";
  const json again = run("again", "--integrator sdirk4 --accuracy 1e-4 " + steps);
  EXPECT_EQ(again["final_hash"], first["final_hash"]);
  EXPECT_EQ(again["rejected_steps"], 0);
  // A length of its own is the choice of fixed steps.
  EXPECT_EQ(run("fixed", "--integrator sdirk2 --dt 1e-3")["steps"], 200);
  EXPECT_FALSE(std::filesystem::exists(folder / "fixed" / "steps.sto"));
  EXPECT_EQ(run("sparse", "--audit-every 10")["audit"]["passed"], true);

  const ProgramResult none =
      run_program("simulate knee-spline --integrator rk4 --accuracy 1e-4 --until 0.1");
  EXPECT_EQ(none.exit_code, 2);
  EXPECT_THAT(none.err, HasSubstr("rk4 does not estimate its error"));
  const ProgramResult wrong = run_program("simulate knee-spline --accuracy -1");
  EXPECT_EQ(wrong.exit_code, 2);
  EXPECT_THAT(wrong.err, HasSubstr("'-1' is not a positive number"));
  const ProgramResult other = run_program(
      "simulate knee-spline --integrator sdirk4 --accuracy 1e-4 " + ("--until 0.3 " + steps));
  EXPECT_EQ(other.exit_code, 2);
  EXPECT_THAT(other.err, HasSubstr("the last one ends at t = 0.2 s, the run at 0.3 s"));
  const ProgramResult fixed = run_program("simulate knee-spline --until 0.2 " + steps);
  EXPECT_EQ(fixed.exit_code, 2);
  EXPECT_THAT(fixed.err, HasSubstr("the run takes steps of one length"));
  const std::string table = "--steps '" + (folder / "table" / "steps.csv").string() + "'";
  const json written = run("table", "--integrator dopri5 --accuracy 1e-4 --format csv");
  EXPECT_EQ(run("csv", "--integrator dopri5 --accuracy 1e-4 " + table)["final_hash"],
            written["final_hash"]);
}

TEST(Cli, KeepsWhatWasComputedOnCtrlC) {
  const TemporaryFolder folder;
  const std::string out = (folder / "run").string();
  // timeout itself ends with 124; the program's own exit code is asked for with --preserve-status.
  const std::string command =
      "simulate double-pendulum --until 100000 --json --set simulation.output_interval=1 --out '" +
      out + "'";
  const TemporaryFolder logs;
  const int status = std::system(("timeout --foreground --preserve-status -s INT 1 '" +
                                  std::string(SINEW_PROGRAM) + "' " + command + " >'" +
                                  (logs / "out").string() + "' 2>'" + (logs / "err").string() + "'")
                                     .c_str());
  EXPECT_EQ(WEXITSTATUS(status), 130);
  EXPECT_THAT(read_file(logs / "err"), HasSubstr("interrupted at t = "));
  const json report = json::parse(read_file(logs / "out"));
  EXPECT_EQ(report["status"], "interrupted");
  const std::string states = read_file(fs::path(out) / "states.sto");
  const long rows = std::stol(states.substr(states.find("nRows=") + 6));
  EXPECT_GT(rows, 10);
  EXPECT_EQ(std::count(states.begin(), states.end(), '\n'), rows + 7);
  EXPECT_EQ(json::parse(read_file(fs::path(out) / "run.json"))["status"], "interrupted");
}

/// The subcommands that the help lists.
std::vector<std::string> listed_commands() {
  std::istringstream help(run_program("--help").out);
  std::vector<std::string> out;
  bool listed = false;
  for (std::string line; std::getline(help, line);) {
    listed = listed ? !line.empty() : line == "Subcommands:";
    std::istringstream words(line);
    std::string command;
    if (listed && words >> command && command != "Subcommands:") out.push_back(command);
  }
  return out;
}

TEST(Cli, EveryCommandPrintsJson) {
  const TemporaryFolder folder;
  const auto at = [&](const std::string& name) { return (folder / name).string(); };
  std::ofstream(folder / "poses.json") << R"({"poses": [{}]})";
  std::ofstream(folder / "turn.csv") << "q,tx,ty,tz,rx,ry,rz\n0,0,0,0,0,0,0\n"
                                        "0.1,0,0,0,0,0,0.1\n0.2,0,0,0,0,0,0.2\n";
  const std::string leg = source_dir() + "/models/leg/leg.osim ";
  const std::string swing = source_dir() + "/models/leg/swing_19.1kmh.mot ";
  // In this order: some read what others write.
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"scenes", ""},
      {"info", "double-pendulum"},
      {"simulate", "knee-spline --until 0.02 --out " + at("run")},
      {"muscles", "rat-knee"},
      {"muscles", "rat-knee --coordinate knee --samples 3"},
      {"muscles", "rat-knee --coordinate knee --samples 3 --out " + at("sweep.sto")},
      {"muscles", "triceps-surae --rank --samples 2"},
      {"muscles", leg + "--points 2"},
      {"muscles", leg + swing},
      {"strands", "capstan"},
      {"evaluate", leg + at("poses.json")},
      {"id", leg + swing},
      {"compare-inertia", leg + swing},
      {"fit-joint", at("turn.csv") + " --type hinge --out " + at("joint.json")},
      {"ik", "knee-spline " + at("run/bodies.sto") + " --out " + at("ik.mot")},
      {"gradient", "reference-100"},
      {"sweep", "pendulum-start --runs 2 --out " + at("swept")},
      {"optimize", "reference-100 --evaluations 1 --out " + at("found")},
      {"report", at("run")},
      {"export", at("run") + " " + at("run.glb")},
      {"bench", "double-pendulum --seconds 0.01"}};
  std::set<std::string> tried = {"view"};  // serves until Ctrl-C: view_test
  for (const auto& [command, words] : cases) {
    tried.insert(command);
    const ProgramResult result = run_program(command + " " + words + " --json");
    EXPECT_EQ(result.exit_code, 0) << command << " " << words << "\n" << result.err;
    EXPECT_TRUE(json::accept(result.out)) << command << " " << words << "\n" << result.out;
  }
  const std::vector<std::string> listed = listed_commands();
  EXPECT_EQ(tried, std::set<std::string>(listed.begin(), listed.end()));
}

TEST(Cli, OffersTheNearestNameForWhatIsMisspelt) {
  const std::pair<const char*, const char*> cases[] = {
      {"simulat whip", "did you mean 'simulate'?"},
      {"simulate wip", "did you mean 'whip'?"},
      {"simulate whip --intgrator rk4", "did you mean '--integrator'?"},
      {"simulate whip --integrator rk5", "did you mean 'rk4'?"},
      {"simulate whip --set simulation.dtt=1", "did you mean 'dt'?"},
      {"simulate whip --set bodies.handel.name=x", "did you mean 'handle'?"},
      {"simulate ./whip.json", "does not exist"},
      {"simulate whip --dt -1", "dt is not positive"},
      {"simulate whip --dt x", "--dt"},
      {"simulate whip --integrator dopri5 --tolerance 0", "a tolerance is not positive"},
      {"simulate whip --format xml", "--format"},
      {"simulate", "scene"},
      {"simulate whip --dt nan", "'nan' is not a finite number"},
      {"simulate whip --out ''", "--out: is empty"},
      {"info", "scene"},
      {"scenes extra", "unknown argument 'extra'"},
      {"bench --seconds 0", "--seconds"}};
  for (const auto& [arguments, expected] : cases) {
    const ProgramResult result = run_program(arguments);
    EXPECT_EQ(result.exit_code, 2) << arguments;
    EXPECT_THAT(result.err, HasSubstr(expected)) << arguments;
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << arguments << "\n"
                                                                         << result.err;
    EXPECT_EQ(result.out, "") << arguments;
  }
}

TEST(Cli, HelpsWithAnExample) {
  for (const char* command : {"", "scenes ", "info ", "simulate ", "bench "}) {
    const ProgramResult result = run_program(std::string(command) + "--help");
    EXPECT_EQ(result.exit_code, 0) << command;
    EXPECT_THAT(result.out, HasSubstr("\n  sinew ")) << command;
  }
  EXPECT_THAT(run_program("--version").out, HasSubstr("sinew "));
  // Without a command the same help, and no success, as with git.
  const ProgramResult alone = run_program("");
  EXPECT_EQ(alone.exit_code, 2);
  EXPECT_EQ(alone.err, run_program("--help").out);
}

TEST(Cli, MeasuresItsSpeed) {
  const ProgramResult result = run_program("bench double-pendulum --seconds 0.02 --json");
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const json row = json::parse(result.out)["results"][0];
  EXPECT_EQ(row["coordinates"], 2);
  EXPECT_GT(row["steps_per_second"], 1000);
  EXPECT_THAT(run_program("bench double-pendulum --seconds 0.02").out, HasSubstr("variational"));
}

TEST(Cli, GivesTheSameBitsEveryTime) {
  const json a = json::parse(run_program("simulate redmax-21 --json").out);
  const json b = json::parse(run_program("simulate redmax-21 --json").out);
  EXPECT_EQ(a["final"], b["final"]);
  EXPECT_EQ(a["energy"], b["energy"]);
}

}  // namespace cli_test
}  // namespace sinew::test

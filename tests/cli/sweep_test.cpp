#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>
#include <thread>

#include "cli/program.hpp"

/// Studies by the program.

namespace sinew::test {
namespace sweep_cli_test {

using nlohmann::json;

std::string write_study(const TemporaryFolder& folder, int runs, double until) {
  const std::string path = (folder / "study.json").string();
  std::ofstream(path) << json{
      {"sinew_study", 1},
      {"model", "double-pendulum"},
      {"run", {{"until", until}}},
      {"design", {{"type", "sobol"}, {"runs", runs}}},
      {"parameters",
       {{{"type", "initial"}, {"state", "shoulder_angle"}, {"uniform", {1.4, 1.6}}},
        {{"type", "initial"}, {"state", "elbow_angle"}, {"normal", {1, 0.1}}}}},
      {"results", {{{"name", "end"}, {"output", "shoulder_angle"}}}}};
  return path;
}

TEST(SweepCli, RunsAStudyThatComesWithTheProgram) {
  const TemporaryFolder folder;
  const std::string out = (folder / "s").string();
  const ProgramResult dry = run_program("sweep pendulum-start --dry-run");
  EXPECT_EQ(dry.exit_code, 0) << dry.err;
  EXPECT_NE(dry.out.find("pendulum-start: 64 runs, about "), std::string::npos) << dry.out;
  EXPECT_NE(dry.out.find("… and 54 more"), std::string::npos);
  const ProgramResult run = run_program("sweep pendulum-start --runs 12 --out " + out + " --json");
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(run.err, "");
  const json record = json::parse(run.out);
  EXPECT_EQ(record["status"], "finished");
  EXPECT_EQ(record["runs"]["passed"], 12);
  // It swings through sooner the lower it starts.
  EXPECT_GT(record["results"]["first_swing_through"]["rank_correlations"]["shoulder_angle"], 0.5);
  EXPECT_EQ(json::parse(read_file(folder / "s/run.json")), record);
}

TEST(SweepCli, SaysByItsExitCodeThatRunsFailed) {
  const TemporaryFolder folder;
  const std::string path = (folder / "study.json").string(), out = (folder / "s").string();
  const auto parameter = [](const char* of, const json& values) {
    return json{{"type", "model"}, {"path", of}, {"values", values}};
  };
  const auto run_with = [&](const json& parameters) {
    std::ofstream(path) << json{
        {"sinew_study", 1},         {"model", "double-pendulum"},
        {"run", {{"until", 0.1}}},  {"design", {{"type", "grid"}}},
        {"parameters", parameters}, {"results", {{{"output", "shoulder_angle"}}}}};
    return run_program("sweep " + path + " --fresh --out " + out);
  };
  EXPECT_EQ(run_with(json::array({parameter("bodies.upper.inertia.mass", {1, 2})})).exit_code, 0);
  // Semi-implicit Euler gains energy in steps that are too long, until it diverges.
  const ProgramResult audit = run_with(json::array({parameter("simulation.dt", {1e-4, 0.05})}));
  EXPECT_EQ(audit.exit_code, 4) << audit.out;
  EXPECT_NE(audit.err.find("sinew: of 2 runs 0 failed, and 1 failed their audit"),
            std::string::npos)
      << audit.err;
  // Moments that are none of a body together.
  const ProgramResult failed =
      run_with(json::array({parameter("bodies.upper.inertia.moments.0", {0.0049, 0.004}),
                            parameter("bodies.upper.inertia.moments.1", {0.0031, 0.004})}));
  EXPECT_EQ(failed.exit_code, 3) << failed.out;
  EXPECT_NE(failed.err.find("sinew: of 4 runs 1 failed"), std::string::npos) << failed.err;
}

TEST(SweepCli, ComputesOneRunAsTheStudyDoes) {
  const TemporaryFolder folder;
  const std::string study = write_study(folder, 8, 0.02), out = (folder / "s").string();
  ASSERT_EQ(run_program("sweep " + study + " --threads 2 --out " + out).exit_code, 0);
  const ProgramResult one = run_program("sweep " + study + " --run 5 --json");
  ASSERT_EQ(one.exit_code, 0) << one.err;
  const json row = json::parse(one.out);
  const std::string table = read_file(folder / "s/table.csv");
  const std::string line = table.substr(table.find("\n5,") + 1);
  const std::string value = json(row["results"]["end"]).dump();
  EXPECT_NE(line.substr(0, line.find('\n')).find("passed," + value + ","), std::string::npos)
      << line << value;
  EXPECT_TRUE(row["command"].get<std::string>().starts_with("sinew simulate double-pendulum"));
}

/// Kills a study at several moments: nothing that was logged is lost, and the table is that of a
/// study that nobody disturbed.
TEST(SweepCli, GoesOnAfterItWasKilled) {
  const TemporaryFolder folder;
  const std::string study = write_study(folder, 60, 0.3), out = (folder / "s").string();
  for (const int milliseconds : {150, 300, 450}) {
    const pid_t child = fork();
    if (child == 0) {
      if (!freopen("/dev/null", "w", stderr)) _exit(1);
      execl(SINEW_PROGRAM, "sinew", "sweep", study.c_str(), "--out", out.c_str(), "--threads", "2",
            nullptr);
      _exit(1);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
    kill(child, SIGKILL);
    int status = 0;
    waitpid(child, &status, 0);
  }
  const ProgramResult end = run_program("sweep " + study + " --out " + out + " --json");
  ASSERT_EQ(end.exit_code, 0) << end.err;
  EXPECT_EQ(json::parse(end.out)["runs"]["passed"], 60);
  const std::string fresh = (folder / "fresh").string();
  ASSERT_EQ(run_program("sweep " + study + " --out " + fresh).exit_code, 0);
  EXPECT_EQ(read_file(folder / "s/table.csv"), read_file(folder / "fresh/table.csv"));
}

/// Runs of very different lengths: while the long one is computed its process dies, twice.
TEST(SweepCli, GivesARunThatCrashesARow) {
  const TemporaryFolder folder;
  const std::string study = (folder / "study.json").string(), out = (folder / "s").string();
  std::ofstream(folder / "points.csv") << "duration\n0.01\n0.01\n1e6\n0.01\n";
  std::ofstream(study) << json{{"sinew_study", 1},
                               {"model", "double-pendulum"},
                               {"design", {{"type", "list"}, {"file", "points.csv"}}},
                               {"parameters", {{{"type", "duration"}}}},
                               {"results", {{{"output", "shoulder_angle"}}}}};
  const std::vector<std::string> words = {"sweep", study, "--out", out, "--threads", "1"};
  const auto until = [](auto&& good) {
    for (int k = 0; k < 2000 && !good(); ++k) usleep(10000);
    return good();
  };
  const pid_t first = start_program(words, folder / "out", folder / "err");
  ASSERT_TRUE(until([&] {
    std::string log;
    std::error_code code;
    for (const auto& entry : std::filesystem::directory_iterator(folder / "s/log", code))
      log += read_file(entry.path());
    return log.find(R"("run":2,"begun")") != std::string::npos;
  }));
  EXPECT_EQ(end_by(SIGKILL, first), -1);

  const pid_t second = start_program(words, folder / "out", folder / "err");
  pid_t child = 0;
  ASSERT_TRUE(until([&] {
    const std::string task = "/proc/" + std::to_string(second) + "/task";
    std::error_code code;
    for (const auto& thread : std::filesystem::directory_iterator(task, code))
      std::istringstream(read_file(thread.path() / "children")) >> child;
    return child > 0;
  }));
  wait_for_handlers(child);
  kill(child, SIGSEGV);
  EXPECT_EQ(exit_code_of(second), 3) << read_file(folder / "err");
  const std::string table = read_file(folder / "s/table.csv");
  EXPECT_EQ(std::count(table.begin(), table.end(), '\n'), 5);
  EXPECT_NE(table.find("\n2,1000000,crashed,,0,the process that computed it died of signal 11"),
            std::string::npos)
      << table;
}

TEST(SweepCli, KeepsOnAFullDiskWhatItHas) {
  const TemporaryFolder folder;
  const std::string study = write_study(folder, 60, 0.01), out = (folder / "s").string();
  // Files of two kilobytes at most.
  const std::string command = "bash -c \"trap '' XFSZ; ulimit -f 2; '" SINEW_PROGRAM "' sweep " +
                              study + " --out " + out + "\" >/dev/null 2>" +
                              (folder / "err").string();
  const int status = std::system(command.c_str());
  EXPECT_EQ(WEXITSTATUS(status), 3);
  EXPECT_NE(read_file(folder / "err").find("cannot be written: File too large"), std::string::npos);
  const ProgramResult rest = run_program("sweep " + study + " --out " + out + " --json");
  ASSERT_EQ(rest.exit_code, 0) << rest.err;
  EXPECT_EQ(json::parse(rest.out)["runs"]["passed"], 60);
  // The rows before it are not computed again.
  size_t begun = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder / "s/log")) {
    const std::string log = read_file(entry.path());
    for (size_t at = 0; (at = log.find("begun", at)) != std::string::npos; ++at) ++begun;
  }
  EXPECT_LT(begun, 66u);
}

TEST(SweepCli, StopsWithFiveOnASignalAndGoesOn) {
  const TemporaryFolder folder;
  const std::string study = write_study(folder, 100000, 0.2), out = (folder / "s").string();
  for (const int signal : {SIGUSR1, SIGTERM}) {
    const pid_t child = fork();
    if (child == 0) {
      if (!freopen("/dev/null", "w", stdout) || !freopen("/dev/null", "w", stderr)) _exit(1);
      execl(SINEW_PROGRAM, "sinew", "sweep", study.c_str(), "--out", out.c_str(), nullptr);
      _exit(1);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(700));
    kill(child, signal);
    int status = 0;
    waitpid(child, &status, 0);
    ASSERT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 5);
  }
  const json record = json::parse(read_file(folder / "s/run.json"));
  EXPECT_EQ(record["status"], "interrupted");
  EXPECT_GT(record["runs"]["passed"], 0);
}

TEST(SweepCli, TakesItsPartFromSlurm) {
  const TemporaryFolder folder;
  const std::string study = write_study(folder, 10, 0.01), out = (folder / "s").string();
  setenv("SLURM_ARRAY_TASK_ID", "2", 1);
  setenv("SLURM_ARRAY_TASK_COUNT", "3", 1);
  setenv("SLURM_ARRAY_TASK_MIN", "1", 1);
  const ProgramResult part = run_program("sweep " + study + " --out " + out + " --json");
  for (const char* name : {"SLURM_ARRAY_TASK_ID", "SLURM_ARRAY_TASK_COUNT", "SLURM_ARRAY_TASK_MIN"})
    unsetenv(name);
  ASSERT_EQ(part.exit_code, 0) << part.err;
  EXPECT_EQ(json::parse(part.out)["runs"]["passed"], 3);  // runs 1, 4, 7
  EXPECT_EQ(json::parse(part.out)["status"], "incomplete");
  const ProgramResult table = run_program("sweep " + study + " --table --out " + out + " --json");
  EXPECT_EQ(table.exit_code, 0);
  EXPECT_EQ(json::parse(table.out)["runs"]["missing"], 7);
}

/// By ranks of MPI.
class SweepMpi : public testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(program_)) GTEST_SKIP() << "built without MPI";
    if (std::system("mpirun --version >/dev/null 2>&1") != 0) GTEST_SKIP() << "mpirun is missing";
    // Containers run as root.
    setenv("OMPI_ALLOW_RUN_AS_ROOT", "1", 1);
    setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", 1);
  }
  /// On so many ranks; its exit code.
  int run(int ranks, const std::string& arguments) const {
    const std::string command = "mpirun --oversubscribe -n " + std::to_string(ranks) + " '" +
                                program_.string() + "' " + arguments + " >" +
                                (folder_ / "out").string() + " 2>" + (folder_ / "err").string();
    const int status = std::system(command.c_str());
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

  TemporaryFolder folder_;

 private:
  const std::filesystem::path program_ =
      std::filesystem::path(SINEW_PROGRAM).replace_filename("sinew-mpi");
};

TEST_F(SweepMpi, WritesTheTableOfOneThread) {
  const std::string study = write_study(folder_, 60, 0.05);
  const std::string one = (folder_ / "one").string();
  ASSERT_EQ(run_program("sweep " + study + " --threads 1 --out " + one).exit_code, 0);
  for (const int ranks : {1, 2, 4}) {
    const std::string name = "ranks" + std::to_string(ranks);
    ASSERT_EQ(run(ranks, "sweep " + study + " --json --out " + (folder_ / name).string()), 0)
        << read_file(folder_ / "err");
    EXPECT_EQ(read_file(folder_ / name / "table.csv"), read_file(folder_ / "one/table.csv"));
    const json record = json::parse(read_file(folder_ / "out"));
    EXPECT_EQ(record["runs"]["passed"], 60);
    // A log for each rank.
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_ / name / "log"), {}),
              ranks);
  }
}

TEST_F(SweepMpi, SaysOnceWhatIsWrong) {
  EXPECT_EQ(run(3, "sweep no-such-study --out " + (folder_ / "s").string()), 2);
  const std::string err = read_file(folder_ / "err");
  const size_t first = err.find("sinew: error: study 'no-such-study': does not exist");
  ASSERT_NE(first, std::string::npos) << err;
  EXPECT_EQ(err.find("sinew: error", first + 1), std::string::npos) << err;
  // What one rank alone finds, others that wait for it included.
  std::ofstream(folder_ / "file") << "x";
  const std::string study = write_study(folder_, 10, 0.01);
  EXPECT_EQ(run(2, "sweep " + study + " --out " + (folder_ / "file").string()), 2);
}

TEST_F(SweepMpi, StopsOnASignalAndGoesOn) {
  const std::string study = write_study(folder_, 100000, 0.2);
  const std::string out = (folder_ / "s").string();
  // mpirun hands SIGUSR1 to all ranks.
  EXPECT_EQ(run(2, "sweep " + study + " --out " + out + " & sleep 3; kill -USR1 $!; wait $!"), 5)
      << read_file(folder_ / "err");
  const json record = json::parse(read_file(folder_ / "s/run.json"));
  EXPECT_EQ(record["status"], "interrupted");
  EXPECT_GT(record["runs"]["passed"], 0);
}

TEST(SweepCli, WritesThePageOfAStudy) {
  const TemporaryFolder folder;
  const std::string study = write_study(folder, 8, 0.02), out = (folder / "s").string();
  const ProgramResult run = run_program("sweep " + study + " --out " + out + " --report");
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const std::string path = (folder / "s/report.html").string();
  EXPECT_NE(run.out.find("report  " + path + ": open it in a browser"), std::string::npos)
      << run.out;
  const std::string page = read_file(path);
  EXPECT_NE(page.find("<title>study – Sinew</title>"), std::string::npos);
  EXPECT_NE(page.find(R"("kind":"study")"), std::string::npos);
  const ProgramResult again = run_program("report " + out + " --json");
  ASSERT_EQ(again.exit_code, 0) << again.err;
  EXPECT_EQ(json::parse(again.out)["report"], path);
  EXPECT_EQ(read_file(path), page);
  // One of a study that has grown names the number of its runs.
  ASSERT_EQ(run_program("sweep " + study + " --runs 12 --out " + out).exit_code, 0);
  EXPECT_EQ(json::parse(read_file(folder / "s/run.json"))["commands"]["sweep"]["text"],
            (json{"sinew sweep " + study + " --run ", " --runs 12"}));
}

TEST(SweepCli, RefusesFoldersThatMakeNoPageInOneSentence) {
  const TemporaryFolder folder;
  const std::string study = write_study(folder, 4, 0.01), out = (folder / "s").string();
  ASSERT_EQ(run_program("sweep " + study + " --out " + out).exit_code, 0);
  const std::string table = read_file(folder / "s/table.csv");
  const auto refused = [&](const std::string& arguments, const std::string& expected) {
    const ProgramResult result = run_program("report " + arguments);
    EXPECT_EQ(result.exit_code, 2) << arguments;
    EXPECT_NE(result.err.find(expected), std::string::npos) << result.err;
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
  };
  refused(out + " --beside " + out, "this is a study");
  const std::string plain = (folder / "run").string();
  ASSERT_EQ(run_program("simulate double-pendulum --until 0.01 --out " + plain).exit_code, 0);
  refused(plain + " --beside " + out, "is not a run");
  std::ofstream(folder / "s/table.csv") << "run,other" << table.substr(table.find(','));
  refused(out, "has a column 'other' where run.json names 'shoulder_angle'");
  std::ofstream(folder / "s/table.csv") << table << "4,half";
  refused(out, "has 2 cells in row 6, not 7");
  std::string odd = table;
  odd.replace(odd.find("passed"), 6, "perhaps");
  std::ofstream(folder / "s/table.csv") << odd;
  refused(out, "'perhaps' is not how a run ends");
  std::filesystem::remove(folder / "s/table.csv");
  refused(out, "has no table.csv; write it with `sinew sweep STUDY --out " + out + " --table`");
  std::filesystem::remove(folder / "s/run.json");
  refused(out, "holds a study without a record");
  EXPECT_FALSE(std::filesystem::exists(folder / "s/report.html"));
  EXPECT_EQ(run_program("sweep " + study + " --out " + out + " --table --report").exit_code, 0);
  EXPECT_TRUE(std::filesystem::exists(folder / "s/report.html"));
}

TEST(SweepCli, RefusesBadInputInOneSentence) {
  const TemporaryFolder folder;
  const std::string study = write_study(folder, 10, 0.01), out = (folder / "s").string();
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"sweep no-such-study --out " + out, "does not exist"},
      {"sweep " + study, "--out"},
      {"sweep " + study + " --report", "--out"},
      {"sweep " + study + " --out " + study, "would be lost"},
      {"sweep " + study + " --out " + out + " --part 4/3", "is not a part"},
      {"sweep " + study + " --out " + out + " --part 0/3", "is not a part"},
      {"sweep " + study + " --out " + out + " --part -1/3", "is not a part"},
      {"sweep " + study + " --out " + out + " --part x", "is not a part"},
      {"sweep " + study + " --run 10", "has runs 0 to 9"},
      {"sweep " + study + " --run -1", "--run"},
      {"sweep " + study + " --out " + out + " --threads 0", "--threads"},
      {"sweep " + study + " --out " + out + " --keep some", "--keep"},
      {"sweep double-pendulum --out " + out, "does not exist"},
  };
  for (const auto& [command, expected] : cases) {
    const ProgramResult result = run_program(command);
    EXPECT_EQ(result.exit_code, 2) << command;
    EXPECT_NE(result.err.find(expected), std::string::npos) << command << "\n" << result.err;
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
  }
  EXPECT_FALSE(std::filesystem::exists(out));
}

}  // namespace sweep_cli_test
}  // namespace sinew::test

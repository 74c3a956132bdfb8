#include <gmock/gmock.h>

#include <cmath>
#include <iterator>
#include <nlohmann/json.hpp>

#include "cli/program.hpp"
#include "support/source_dir.hpp"

/// sinew gradient and sinew optimize.

namespace sinew::test {
namespace tasks_test {

using nlohmann::json;
using testing::HasSubstr;

json answer_of(const std::string& command, int exit_code = 0) {
  const ProgramResult result = run_program(command + " --json");
  EXPECT_EQ(result.exit_code, exit_code) << command << "\n" << result.err;
  return result.exit_code == exit_code ? json::parse(result.out) : json();
}
std::string in_quotes(const std::filesystem::path& path) { return "'" + path.string() + "'"; }

TEST(Gradient, TellsValueAndDerivativesToOtherPrograms) {
  const TemporaryFolder folder;
  const json start = answer_of("gradient reference-100");
  EXPECT_EQ(start["parameters"].size(), 2u);
  EXPECT_EQ(start["parameters"][0]["name"], "motor2");
  const std::string at = in_quotes(folder / "at.json");
  const auto value_at = [&](const std::string& text) {
    std::ofstream(folder / "at.json") << text;
    return answer_of("gradient reference-100 --at " + at)["value"].get<double>();
  };
  // A change of one parameter changes the value as its derivative says.
  const double step = 1e-6 * 1e5, by = start["parameters"][0]["gradient"];
  const double difference = value_at("[" + std::to_string(step) + ", 0]") -
                            value_at("[-" + std::to_string(step) + ", 0]");
  EXPECT_NEAR(difference / (2 * step), by, 1e-5 * std::abs(by));
  // All forms of the file, among them the command's own output.
  const double moved = value_at("[50000, -30000]");
  EXPECT_EQ(value_at(R"({"motor2": 50000, "motor1": -30000})"), moved);
  std::ofstream(folder / "own.json") << run_program("gradient reference-100 --json --at " + at).out;
  EXPECT_EQ(answer_of("gradient reference-100 --at " + in_quotes(folder / "own.json"))["value"],
            moved);
}

TEST(Gradient, AndOptimizeRefuseParametersBeyondTheirLimits) {
  const TemporaryFolder folder;
  const std::string task = in_quotes(folder / "task.json"), at = in_quotes(folder / "at.json");
  std::ofstream(folder / "task.json")
      << R"({"sinew_task": 1, "model": "redmax-diff-100", "run": {"dt": 0.01, "until": 0.2},
        "parameters": [{"type": "control", "control": "motor1", "scale": 3, "upper": 0.7}],
        "objectives": [{"type": "point", "body": "b2", "point": [0.05, 0, 0],
                        "target": [0.1, 0, -0.1]}]})";
  for (const char* verb : {"gradient ", "optimize "}) {
    const std::string command = verb + task + " --at " + at;
    std::ofstream(folder / "at.json") << "[0.8]";
    const ProgramResult result = run_program(command);
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_THAT(result.err, HasSubstr("'motor1' is 0.8, outside its limits -inf to 0.7; give"));
    std::ofstream(folder / "at.json") << "[0.7000000000000001]";  // rounding of 0.7/3 * 3
    EXPECT_EQ(run_program(command).exit_code, 0);
  }
}

TEST(Gradient, ChecksItself) {
  const ProgramResult text = run_program("gradient reference-101 --check");
  EXPECT_EQ(text.exit_code, 0) << text.err;
  EXPECT_THAT(text.out, HasSubstr("check passed"));
  const json check = answer_of("gradient reference-100 --check")["check"];
  EXPECT_TRUE(check["passed"]);
  EXPECT_LT(check["worst_error"], 1e-6);
  EXPECT_EQ(check["directions"].size(), 2u);
  for (const json& direction : check["directions"]) EXPECT_NEAR(direction["order"], 2, 0.2);
}

// A motor has no effect beyond its limit, where its control begins: no gradient is right there.
TEST(Gradient, FailsACheckWithFour) {
  const TemporaryFolder folder;
  std::ofstream(folder / "task.json")
      << R"({"sinew_task": 1, "model": "redmax-diff-100", "set": {"forces.motor1.upper": 1e5},
        "run": {"dt": 0.01, "until": 0.2},
        "parameters": [{"type": "control", "control": "motor1", "scale": 1e5, "value": 1e5}],
        "objectives": [{"type": "point", "body": "b2", "point": [0.05, 0, 0],
                        "target": [0.1, 0, -0.1]}]})";
  const std::string command = "gradient " + in_quotes(folder / "task.json") + " --check";
  EXPECT_FALSE(answer_of(command, 4)["check"]["passed"]);
  const ProgramResult text = run_program(command);
  EXPECT_EQ(text.exit_code, 4);
  EXPECT_THAT(text.out, HasSubstr("CHECK FAILED"));
  EXPECT_THAT(text.err, HasSubstr("the objective has a corner at these parameters"));
}

TEST(Optimize, FindsWhatSimulateThenShows) {
  const TemporaryFolder folder;
  const std::string out = in_quotes(folder / "reach");
  const json found = answer_of("optimize reach --out " + out);
  EXPECT_EQ(found["status"], "finished");
  EXPECT_LT(found["objectives"][0]["miss"], 1e-3);
  EXPECT_LT(found["newton_error"], 1e-9 * found["first_value"].get<double>());
  // The files hold the same numbers: the same bits come out.
  EXPECT_EQ(found["simulate_difference"], 0);
  const std::string again = found["simulate"];
  ASSERT_THAT(again, HasSubstr("sinew simulate arm --set"));
  const json run = answer_of(again.substr(std::string("sinew ").size()));
  const json after = json::parse(read_file(folder / "reach" / "after" / "run.json"));
  // `simulate` projects and stores as it likes; there are no constraints, and the numbers agree.
  for (const auto& [name, value] : after["final"].items())
    EXPECT_NEAR(run["final"][name], value.get<double>(), 1e-9) << name;
}

TEST(Optimize, GoesOnWhereItStopped) {
  const TemporaryFolder folder;
  const std::string out = in_quotes(folder / "found");
  const std::filesystem::path task = folder / "task.json";
  std::filesystem::copy(source_dir() + "/tasks/reference-100.json", task);
  const std::string command = "optimize " + in_quotes(task) + " --out " + out;
  const json first = answer_of(command + " --evaluations 4");
  const json second = answer_of(command + " --resume");
  EXPECT_EQ(second["first_value"], first["first_value"]);
  EXPECT_LT(second["value"], 0.01 * first["value"].get<double>());
  EXPECT_GT(second["evaluations"], first["evaluations"]);
  const std::string log = read_file(folder / "found" / "convergence.sto");
  EXPECT_EQ(std::count(log.begin(), log.end(), '\n'), 7 + second["evaluations"].get<int>());

  std::ofstream(task, std::ios::app) << " ";
  const ProgramResult changed = run_program(command + " --resume");
  EXPECT_EQ(changed.exit_code, 2);
  EXPECT_THAT(changed.err, HasSubstr("has changed since the run in the folder"));
}

TEST(Optimize, DoesNotGoOnWithOtherData) {
  const TemporaryFolder folder;
  const auto write = [&](double end) {
    std::ofstream(folder / "data.sto")
        << "d\nversion=1\nnRows=4\nnColumns=2\ninDegrees=no\nendheader\n"
        << "time\tj1_1\n0\t0\n0.1\t0.1\n0.2\t0.2\n0.4\t" << end << "\n";
  };
  write(0.4);
  std::ofstream(folder / "task.json")
      << R"({"sinew_task": 1, "model": "redmax-diff-100", "run": {"dt": 0.01, "until": 0.4},
        "parameters": [{"type": "control", "control": "motor1", "scale": 1e5}],
        "objectives": [{"type": "track", "file": "data.sto"}]})";
  const std::string command =
      "optimize " + in_quotes(folder / "task.json") + " --out " + in_quotes(folder / "found");
  answer_of(command + " --evaluations 2");
  answer_of(command + " --evaluations 2 --resume");
  write(0.5);
  const ProgramResult changed = run_program(command + " --resume");
  EXPECT_EQ(changed.exit_code, 2);
  EXPECT_THAT(changed.err, HasSubstr("data.sto has changed since the run in the folder"));
}

TEST(Optimize, KeepsTheBestOnCtrlC) {
  const TemporaryFolder folder;
  const std::string task = in_quotes(folder / "task.json"), out = in_quotes(folder / "found");
  std::ofstream(folder / "task.json")
      << R"({"sinew_task": 1, "model": "redmax-diff-100", "run": {"dt": 0.01, "until": 0.4},
        "parameters": [{"type": "control", "control": ["motor1", "motor2"], "knots": 40,
                        "scale": 1e5}],
        "objectives": [
          {"type": "point", "body": "b2", "point": [0.05, 0, 0], "target": [0.1, 0, -0.1]},
          {"type": "parameters", "weight": 1e-3}]})";
  // After a second, as a user would. An evolution strategy has much to do with 80 knots.
  const std::string command = "optimize " + task + " --json --out " + out;
  const int status = std::system(("timeout --foreground --preserve-status -s INT 1 '" +
                                  std::string(SINEW_PROGRAM) + "' " + command +
                                  " --optimizer cma-es --evaluations 1000000 >" +
                                  in_quotes(folder / "out") + " 2>" + in_quotes(folder / "err"))
                                     .c_str());
  ASSERT_EQ(WEXITSTATUS(status), 130);
  EXPECT_THAT(read_file(folder / "err"), HasSubstr("interrupted: the best parameters so far"));
  const json found = json::parse(read_file(folder / "out"));
  EXPECT_EQ(found["status"], "interrupted");
  EXPECT_EQ(found["end"], "stopped");
  EXPECT_LE(found["value"], found["first_value"].get<double>());
  const json kept = json::parse(read_file(folder / "found" / "run.json"));
  EXPECT_EQ(kept["status"], "interrupted");
  EXPECT_EQ(kept["value"], found["value"]);
  EXPECT_TRUE(std::filesystem::exists(folder / "found" / "controls.sto"));
  // It goes on from there.
  const int runs = found["evaluations"];
  EXPECT_GT(runs, 1);
  const json more = answer_of("optimize " + task + " --resume --evaluations 2 --out " + out);
  EXPECT_EQ(more["status"], "finished");
  EXPECT_EQ(more["first_value"], found["first_value"]);
  EXPECT_EQ(more["evaluations"], runs + 2);
  EXPECT_LE(more["value"], found["value"].get<double>());
}

// What is kept has gaps between its intervals, and goes on from there.
TEST(Optimize, KeepsTheBestOfIntervalsOnCtrlC) {
  const TemporaryFolder folder;
  const std::string out = in_quotes(folder / "found");
  const std::string command = "optimize track-swing --json --out " + out;
  const int status = std::system(("timeout --foreground --preserve-status -s INT 3 '" +
                                  std::string(SINEW_PROGRAM) + "' " + command + " >" +
                                  in_quotes(folder / "out") + " 2>" + in_quotes(folder / "err"))
                                     .c_str());
  ASSERT_EQ(WEXITSTATUS(status), 130);
  EXPECT_THAT(read_file(folder / "err"), HasSubstr("interrupted: the best parameters so far"));
  const json found = json::parse(read_file(folder / "out"));
  EXPECT_EQ(found["status"], "interrupted");
  EXPECT_LE(found["value"], found["first_value"].get<double>());
  EXPECT_EQ(json::parse(read_file(folder / "found" / "run.json"))["value"], found["value"]);
  const json more = answer_of("optimize track-swing --resume --evaluations 2 --out " + out);
  EXPECT_EQ(more["first_value"], found["first_value"]);
  EXPECT_GE(more["iterations"], found["iterations"]);
}

// Steps of one scale are too long: Newton's method fails for such torques.
TEST(Optimize, CountsTrialsThatFail) {
  const TemporaryFolder folder;
  std::ofstream(folder / "task.json")
      << R"({"sinew_task": 1, "model": "redmax-diff-100", "run": {"dt": 0.01, "until": 0.4},
        "parameters": [{"type": "control", "control": "motor1", "scale": 1e8}],
        "objectives": [{"type": "point", "body": "b2", "point": [0.05, 0, 0],
                        "target": [0.1, 0, -0.1]}]})";
  const std::string command =
      "optimize " + in_quotes(folder / "task.json") + " --out " + in_quotes(folder / "found");
  const json found = answer_of(command);
  EXPECT_LT(found["value"], found["first_value"]);
  const int failed = found["failed_runs"];
  EXPECT_GT(failed, 0);
  EXPECT_THAT(found["last_failure"].get<std::string>(), HasSubstr("newton failed at t = "));
  // The log has a row for each run that has a value, with its number and those that failed before.
  const auto last_row = [&] {
    std::istringstream log(read_file(folder / "found" / "convergence.sto"));
    std::vector<double> row;
    int rows = -7;
    for (std::string line; std::getline(log, line); ++rows) {
      std::istringstream cells(line);
      row.assign(std::istream_iterator<double>(cells), {});
    }
    row.push_back(rows);
    return row;
  };
  const std::vector<double> row = last_row();
  ASSERT_EQ(row.size(), 9u);  // time, seven columns, and the number of rows
  EXPECT_EQ(row[1], row[7] + row[8]);
  EXPECT_EQ(row[8] + failed, found["evaluations"].get<int>());
  EXPECT_LE(row[7], failed);
  const json more = answer_of(command + " --resume");
  EXPECT_GE(more["failed_runs"], failed);
  EXPECT_EQ(last_row()[7], more["failed_runs"].get<int>());
}

TEST(Optimize, TellsHowWellDataTellParameters) {
  const TemporaryFolder folder;
  const std::string command = "optimize identify-share --out " + in_quotes(folder / "found");
  const json found = answer_of(command + " --evaluations 1");
  EXPECT_EQ(found["method"], "levenberg-marquardt");
  EXPECT_EQ(found["value"], found["first_value"]);
  const json more = answer_of(command + " --resume");
  EXPECT_EQ(more["first_value"], found["first_value"]);
  EXPECT_EQ(more["end"], "converged");
  EXPECT_NEAR(more["parameters"][0]["value"], 0.8, 0.02);
  EXPECT_EQ(more["identification"]["data"], 180);
  EXPECT_EQ(more["identification"]["unresolved"], json::array());
  const double deviation = more["identification"]["deviations"]["muscles.share"];
  EXPECT_GT(deviation, 0.003);
  EXPECT_LT(deviation, 0.02);
  const std::string log = read_file(folder / "found" / "convergence.sto");
  EXPECT_EQ(std::count(log.begin(), log.end(), '\n'), 7 + more["evaluations"].get<int>());
  const ProgramResult text = run_program("optimize identify-share");
  EXPECT_THAT(text.out, HasSubstr("deviation   from 180 data"));
  // For every task: all objectives are squares.
  const json reach = answer_of("optimize reference-100 --optimizer levenberg-marquardt");
  EXPECT_LT(reach["value"], 1e-3 * reach["first_value"].get<double>());
}

TEST(Optimize, ClosesTheGapsOfIntervals) {
  const TemporaryFolder folder;
  const std::string out = in_quotes(folder / "found");
  const std::filesystem::path task = folder / "task.json";
  std::ofstream(task) << R"({"sinew_task": 1, "model": "redmax-diff-100", "run": {"until": 0.4},
    "parameters": [{"type": "control", "control": ["motor1", "motor2"], "knots": 5, "scale": 1e5}],
    "objectives": [
      {"type": "point", "body": "b2", "point": [0.05, 0, 0], "target": [0.1, 0, -0.1]},
      {"type": "effort", "weight": 1e-15}],
    "optimizer": {"method": "multiple-shooting", "intervals": 4}})";
  const std::string command = "optimize " + in_quotes(task) + " --report --out " + out;
  const json first = answer_of(command + " --evaluations 2");
  EXPECT_NE(first["end"], "converged");
  EXPECT_LE(first["intervals"]["gap"], 1e-8);
  // It goes on from the states of its intervals, not from a run.
  const json found = answer_of(command + " --resume");
  EXPECT_EQ(found["end"], "converged");
  EXPECT_LE(found["intervals"]["gap"], 1e-8);
  EXPECT_EQ(found["intervals"]["states"].size(), 5u);
  EXPECT_LT(found["objectives"][0]["miss"], 1e-4);
  EXPECT_GT(found["iterations"], first["iterations"]);
  // In one piece, from its files.
  EXPECT_EQ(found["simulate_difference"], 0);
  const json once = answer_of("optimize " + in_quotes(task));
  EXPECT_NEAR(found["value"], once["value"].get<double>(), 1e-6 * once["value"].get<double>());
}

// Steps of 0.2 s let BDF2 gain a quarter of the energy of this double pendulum.
TEST(Optimize, TellsThatTheRunItFoundFailsItsAudit) {
  const TemporaryFolder folder;
  std::ofstream(folder / "task.json") << R"({"sinew_task": 1, "model": "redmax-diff-100",
        "run": {"dt": 0.2, "until": 2, "integrator": "bdf2"},
        "parameters": [{"type": "control", "control": "motor1", "scale": 1e5}],
        "objectives": [{"type": "point", "body": "b2", "point": [0.05, 0, 0],
                        "target": [0.1, 0, -0.1]}]})";
  const std::string command = "optimize " + in_quotes(folder / "task.json") +
                              " --evaluations 3 --json --out " + in_quotes(folder / "found");
  const ProgramResult result = run_program(command);
  EXPECT_EQ(result.exit_code, 4);
  EXPECT_THAT(result.err, HasSubstr("AUDIT FAILED: the run with the best parameters: energy came "
                                    "from nowhere"));
  const json record = json::parse(result.out);
  EXPECT_EQ(record["audit"]["passed"], false);
  EXPECT_EQ(json::parse(read_file(folder / "found" / "run.json"))["audit"], record["audit"]);
}

// A torque so large that Newton's method fails in the first run.
TEST(Optimize, TellsAFailureOfTheFirstRunToOtherPrograms) {
  const TemporaryFolder folder;
  std::ofstream(folder / "task.json")
      << R"({"sinew_task": 1, "model": "redmax-diff-100", "run": {"dt": 0.01, "until": 0.4},
        "parameters": [{"type": "control", "control": "motor1", "scale": 1e8, "value": 1e12}],
        "objectives": [{"type": "point", "body": "b2", "point": [0.05, 0, 0],
                        "target": [0.1, 0, -0.1]}]})";
  const json record = answer_of("optimize " + in_quotes(folder / "task.json"), 3);
  EXPECT_EQ(record["status"], "failed");
  EXPECT_THAT(record["failure"].get<std::string>(), HasSubstr("newton failed at t = "));
}

TEST(Optimize, ShowsWhatItFound) {
  const TemporaryFolder folder;
  const std::string out = in_quotes(folder / "found");
  const ProgramResult run = run_program("optimize reference-100 --report --out " + out);
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("report.html"));
  EXPECT_THAT(run.err, HasSubstr("iteration"));
  EXPECT_THAT(read_file(folder / "found" / "report.html"), HasSubstr("\"optimum\""));
}

}  // namespace tasks_test
}  // namespace sinew::test

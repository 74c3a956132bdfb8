#include "sinew/sweep/sweep.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fstream>
#include <mutex>
#include <nlohmann/json.hpp>
#include <set>

#include "cli/program.hpp"
#include "sinew/core/error.hpp"
#include "support/message_of.hpp"
#include "support/source_dir.hpp"

namespace sinew {
namespace sweep_test {

using test::TemporaryFolder;
namespace fs = std::filesystem;

const std::atomic<bool> kGo{false}, kStop{true};

Study study_of(std::uint64_t runs, const std::string& more = "") {
  return parse_study(R"({"sinew_study": 1, "model": "double-pendulum",
      "run": {"until": 0.02}, "design": {"type": "random", "runs": )" +
                         std::to_string(runs) + R"(},
      "parameters": [
        {"type": "initial", "state": "shoulder_angle", "normal": [1.5, 0.1]},
        {"type": "model", "name": "mass", "path": "bodies.upper.inertia.mass", "uniform": [1, 2]}],
      "results": [{"output": "shoulder_angle"}, {"output": "energy/total", "measure": "peak"})" +
                         more + "]}",
                     "study.json", ".");
}

SweepResult sweep(const StudyRunner& runner, const SweepOptions& options) {
  return sinew::sweep(runner, options, {}, kGo);
}

std::string log_text(const fs::path& folder) {
  std::string out;
  for (const auto& entry : fs::directory_iterator(folder / "log"))
    out += test::read_file(entry.path());
  return out;
}

TEST(StudyRunner, ComputesTheSameRowWheneverItIsAsked) {
  const StudyRunner runner(study_of(5));
  const StudyRow row = runner.run(3, nullptr).value();
  EXPECT_EQ(row.status, RowStatus::passed);
  EXPECT_EQ(row.results, runner.run(3, nullptr)->results);
  EXPECT_EQ(row.results, StudyRunner(study_of(500)).run(3, nullptr)->results);
  EXPECT_NE(row.results, runner.run(4, nullptr)->results);
  EXPECT_DOUBLE_EQ(row.time, 0.02);
  EXPECT_FALSE(runner.run(3, &kStop));
}

TEST(StudyRunner, GivesTheCommandThatComputesARun) {
  const StudyRunner runner(study_of(5));
  const StudyRow row = runner.run(2, nullptr).value();
  const TemporaryFolder folder;
  std::string command = runner.command(2);
  ASSERT_TRUE(command.starts_with("sinew simulate double-pendulum --set "));
  const test::ProgramResult result = test::run_program(command.substr(6) + " --json");
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const auto report = nlohmann::json::parse(result.out);
  EXPECT_EQ(report["final"]["shoulder_angle"].get<double>(), row.results[0]);
}

/// Of every kind of parameter, in a file whose name a shell would take apart.
TEST(StudyRunner, MakesTheCommandsOfAllRunsFromOneTemplate) {
  const TemporaryFolder folder;
  std::ofstream(folder / "my scene.json")
      << test::read_file(test::source_dir() + "/scenes/double-pendulum.json");
  const StudyRunner runner(parse_study(
      R"({"sinew_study": 1, "model": "my scene.json", "set": {"bodies.lower.inertia.mass": 2},
      "run": {"dt": 1e-05, "output_interval": 0.01}, "design": {"type": "random", "runs": 100},
      "parameters": [
        {"type": "duration", "name": "t", "log_uniform": [1e-5, 1e-3]},
        {"type": "initial", "state": "shoulder_angle", "normal": [0, 1e-6]},
        {"type": "model", "name": "m", "path": "bodies.upper.inertia.mass",
         "log_uniform": [0.5, 1e20]}],
      "results": [{"output": "shoulder_angle"}]})",
      "study.json", folder.path()));
  const CommandTemplate command = runner.base().command().value();
  EXPECT_EQ(command.places, (std::vector<size_t>{2, 1, 0}));
  for (const std::uint64_t run : {0, 1, 2, 3, 4, 50, 99}) {
    const std::vector<double> point = runner.design().point(run);
    EXPECT_EQ(runner.command(run),
              fmt::format("sinew simulate '{}' --set bodies.lower.inertia.mass=2.0 --set "
                          "bodies.upper.inertia.mass={} --initial shoulder_angle={} "
                          "--dt 1e-05 --output-interval 0.01 --until {}",
                          (folder / "my scene.json").string(), point[2], point[1], point[0]));
  }
  const test::ProgramResult result = test::run_program(runner.command(3).substr(6) + " --json");
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(nlohmann::json::parse(result.out)["final"]["shoulder_angle"].get<double>(),
            runner.run(3, nullptr)->results[0]);
}

/// A path that is none is every row's reason; their commands are still words of a shell.
TEST(StudyRunner, PutsNumbersIntoQuotes) {
  const TemporaryFolder folder;
  std::ofstream(folder / "points.csv") << "m\n1e-5\n-0.0\n";
  const StudyRunner runner(parse_study(
      R"({"sinew_study": 1, "model": "double-pendulum", "run": {"until": 0.02},
      "design": {"type": "list", "file": "points.csv"},
      "parameters": [{"type": "model", "name": "m", "path": "bodies.upper's arm"}],
      "results": [{"output": "shoulder_angle"}]})",
      "study.json", folder.path()));
  EXPECT_EQ(runner.command(0),
            "sinew simulate double-pendulum --set 'bodies.upper'\\''s arm=1e-05' --until 0.02");
  EXPECT_EQ(runner.command(1),
            "sinew simulate double-pendulum --set 'bodies.upper'\\''s arm=-0' --until 0.02");
}

TEST(StudyRunner, KnowsTheUnitsOfWhatItKeeps) {
  const StudyRunner runner(study_of(1, R"(,
      {"name": "speed", "output": "shoulder_angle_u", "measure": "mean"},
      {"name": "way", "output": "shoulder_angle_u", "measure": "integral"},
      {"name": "action", "output": "energy/total", "measure": "integral"},
      {"name": "when", "output": "energy/total", "measure": "time-of-peak"})"));
  EXPECT_EQ(runner.base().parameter_units(), (std::vector<std::string>{"rad", ""}));
  EXPECT_EQ(runner.base().result_units(),
            (std::vector<std::string>{"rad", "J", "rad/s", "rad", "J·s", "s"}));
}

TEST(StudyRunner, MeasuresTheRowsOfARun) {
  const StudyRunner runner(study_of(1, R"(,
      {"name": "mean", "output": "states/shoulder_angle_u", "measure": "mean"},
      {"name": "integral", "output": "shoulder_angle_u", "measure": "integral"},
      {"name": "least", "output": "shoulder_angle", "measure": "least"},
      {"name": "start", "output": "shoulder_angle", "measure": "peak"},
      {"name": "when", "output": "shoulder_angle", "measure": "time-of-peak"},
      {"name": "moving", "output": "shoulder_angle_u", "measure": "time-of-crossing",
       "level": -0.1},
      {"name": "never", "output": "shoulder_angle", "measure": "time-of-crossing", "level": 100})"));
  const StudyRow row = runner.run(0, nullptr).value();
  const double start = runner.design().point(0)[0], change = row.results[0] - start;
  EXPECT_LT(change, 0);  // it falls
  // The integral of its speed is how far it came: the trapezoidal rule at steps of 1 ms.
  EXPECT_NEAR(row.results[3], change, 1e-4 * std::abs(change));
  EXPECT_DOUBLE_EQ(row.results[2], row.results[3] / 0.02);
  EXPECT_EQ(row.results[4], row.results[0]);
  EXPECT_EQ(row.results[5], start);
  EXPECT_EQ(row.results[6], 0);
  // Its acceleration hardly changes: the speed is −0.1 when that share of the time is over.
  const double fastest = 2 * change / 0.02;
  EXPECT_NEAR(row.results[7], 0.02 * -0.1 / fastest, 2e-4);
  EXPECT_TRUE(std::isnan(row.results[8]));
}

TEST(StudyRunner, VariesAnOsimModelByItsPaths) {
  const StudyRunner runner(parse_study(R"({"sinew_study": 1, "model": "two-rods.osim",
      "run": {"until": 0.2}, "design": {"type": "grid"}, "parameters": [
        {"type": "model", "path": "/bodyset/lower/mass", "values": [1, 3]},
        {"type": "initial", "state": "elbow_angle", "values": [0.5]}],
      "results": [{"output": "shoulder_angle"}, {"output": "energy/total"}]})",
                                       "study.json", test::source_dir() + "/tasks/data"));
  const StudyRow light = runner.run(0, nullptr).value(), heavy = runner.run(1, nullptr).value();
  EXPECT_EQ(light.status, RowStatus::passed) << light.reason;
  EXPECT_NE(light.results[0], heavy.results[0]);
  EXPECT_NE(runner.command(1).find("--set /bodyset/lower/mass=3 --initial elbow_angle=0.5"),
            std::string::npos)
      << runner.command(1);
}

TEST(StudyRunner, SaysWhatIsWrongBeforeItRuns) {
  const auto message = [](const std::string& parameters, const std::string& results) {
    return test::message_of([&] {
      StudyRunner(parse_study(R"({"sinew_study": 1, "model": "double-pendulum", "parameters": [)" +
                                  parameters + R"(], "results": [)" + results + "]}",
                              "study.json", "."));
    });
  };
  const std::string angle = R"({"type": "initial", "state": "shoulder_angle", "uniform": [1, 2]})";
  const std::string end = R"({"output": "shoulder_angle"})";
  EXPECT_EQ(message(angle, end), "");
  EXPECT_NE(message(angle, R"({"output": "shoulder_angel"})").find("did you mean 'shoulder_angle'"),
            std::string::npos);
  EXPECT_NE(message(R"({"type": "initial", "state": "sholder_angle", "uniform": [1, 2]})", end)
                .find("sholder_angle"),
            std::string::npos);
  EXPECT_NE(
      message(R"({"type": "model", "path": "bodies.uper.inertia.mass", "uniform": [1, 2]})", end)
          .find("uper"),
      std::string::npos);
  const std::string bound =
      message(R"({"type": "model", "path": "bodies.upper.inertia.mass", "uniform": [-1, 2]})", end);
  EXPECT_NE(bound.find("parameter 'bodies.upper.inertia.mass': -1 is not possible"),
            std::string::npos)
      << bound;
  EXPECT_NE(bound.find("study.json:1"), std::string::npos);
}

TEST(StudyRunner, KeepsARowOfAValueThatMakesNoModel) {
  // Each end by itself makes one: moments of inertia obey the triangle inequality together.
  const StudyRunner runner(parse_study(R"({"sinew_study": 1, "model": "double-pendulum",
      "run": {"until": 0.01}, "design": {"type": "grid"}, "parameters": [
        {"type": "model", "path": "bodies.upper.inertia.moments.0", "values": [0.0049, 0.004]},
        {"type": "model", "path": "bodies.upper.inertia.moments.1", "values": [0.0031, 0.004]}],
      "results": [{"output": "shoulder_angle"}]})",
                                       "study.json", "."));
  int refused = 0;
  for (std::uint64_t run = 0; run < 4; ++run) {
    const StudyRow row = runner.run(run, nullptr).value();
    refused += row.status == RowStatus::refused;
    if (row.status == RowStatus::refused) {
      EXPECT_TRUE(std::isnan(row.results[0]));
      EXPECT_NE(row.reason.find("upper"), std::string::npos);
    }
  }
  EXPECT_EQ(refused, 1);
}

Study task_study(const std::string& parameters) {
  return parse_study(R"({"sinew_study": 1, "task": "reach", "design": {"type": "grid"},
      "parameters": [)" + parameters +
                         R"(],
      "results": [{"objective": "total"}, {"objective": "hand"}, {"gradient": "elbow_motor"},
                  {"output": "elbow_flexion"}]})",
                     "study.json", ".");
}

/// Values and gradients are those of the task, whose differences they pass.
TEST(StudyOfATask, HasItsObjectiveAndItsGradient) {
  const StudyRunner runner(
      task_study(R"({"type": "task", "unknown": "elbow_motor", "values": [2.999, 3, 3.001]})"));
  std::vector<StudyRow> rows;
  for (std::uint64_t run = 0; run < 3; ++run) {
    rows.push_back(runner.run(run, nullptr).value());
    EXPECT_EQ(rows[run].status, RowStatus::passed) << rows[run].reason;
    EXPECT_EQ(rows[run].results[0], rows[run].results[1]);  // it has one term
    EXPECT_DOUBLE_EQ(rows[run].time, 0.5);
  }
  const double slope = (rows[2].results[0] - rows[0].results[0]) / 2e-3;
  EXPECT_NEAR(rows[1].results[2], slope, 1e-6 * std::abs(slope));
  EXPECT_LT(rows[0].results[3], rows[2].results[3]);  // more torque, more flexion
  EXPECT_EQ(runner.run(1, nullptr)->results, rows[1].results);
  EXPECT_EQ(runner.command(1), "sinew sweep study.json --run 1");
  EXPECT_EQ(runner.base().result_units(), (std::vector<std::string>{"", "", "", "rad"}));
  EXPECT_FALSE(runner.run(1, &kStop));
}

TEST(StudyOfATask, VariesItsModel) {
  const StudyRunner runner(task_study(
      R"({"type": "model", "path": "bodies.forearm.inertia.mass", "values": [1, 1.5]},
         {"type": "task", "unknown": "elbow_motor", "values": [3]})"));
  const StudyRow light = runner.run(0, nullptr).value(), heavy = runner.run(1, nullptr).value();
  EXPECT_EQ(light.status, RowStatus::passed) << light.reason;
  EXPECT_NE(light.results[0], heavy.results[0]);
}

TEST(StudyOfATask, HasTheSameTableOnAnyNumberOfThreads) {
  const StudyRunner runner(task_study(
      R"({"type": "task", "unknown": "elbow_motor", "values": [1, 2, 3, 4, 5, 6, 7, 8]})"));
  const TemporaryFolder folder;
  sweep(runner, {.folder = folder / "one"});
  sweep(runner, {.folder = folder / "two", .threads = 2});
  EXPECT_EQ(test::read_file(folder / "one/table.csv"), test::read_file(folder / "two/table.csv"));
}

TEST(StudyOfATask, NamesWhatTheTaskHasNot) {
  const auto message = [](const std::string& unknown) {
    return test::message_of([&] {
      StudyRunner(
          task_study(R"({"type": "task", "unknown": ")" + unknown + R"(", "values": [1, 2]})"));
    });
  };
  EXPECT_EQ(message("elbow_motor"), "");
  const std::string text = message("elbow_moter");
  EXPECT_NE(text.find("'elbow_moter' is no unknown of the task"), std::string::npos) << text;
  EXPECT_NE(text.find("did you mean 'elbow_motor'"), std::string::npos) << text;
}

TEST(Sweep, WritesTheSameTableOnAnyNumberOfThreadsAndInParts) {
  const StudyRunner runner(study_of(60));
  std::string table;
  for (const int threads : {1, 2, 4}) {
    const TemporaryFolder folder;
    const SweepResult result = sweep(runner, {.folder = folder / "s", .threads = threads});
    EXPECT_EQ(result.rows.with(RowStatus::passed), 60u);
    EXPECT_FALSE(result.interrupted);
    if (table.empty()) table = test::read_file(folder / "s" / "table.csv");
    EXPECT_EQ(test::read_file(folder / "s/table.csv"), table);
  }
  EXPECT_EQ(std::count(table.begin(), table.end(), '\n'), 61);
  const TemporaryFolder folder;
  for (std::uint64_t part = 0; part < 3; ++part) {
    const SweepResult result =
        sweep(runner, {.folder = folder / "s", .threads = 2, .part = part, .parts = 3});
    EXPECT_EQ(result.progress.computed, 20u);
    EXPECT_EQ(result.progress.done, 20 * (part + 1));
  }
  EXPECT_EQ(test::read_file(folder / "s/table.csv"), table);
  for (const std::uint64_t run : {0, 17, 59}) {
    const StudyRow row = runner.run(run, nullptr).value();
    EXPECT_NE(table.find("\n" + std::to_string(run) + ","), std::string::npos);
    EXPECT_EQ(row.status, RowStatus::passed);
  }
}

TEST(Sweep, ComputesOnlyWhatIsMissing) {
  const TemporaryFolder folder;
  const SweepOptions options{.folder = folder / "s", .threads = 2};
  sweep(StudyRunner(study_of(10)), options);
  const SweepResult again = sweep(StudyRunner(study_of(10)), options);
  EXPECT_EQ(again.progress.computed, 0u);
  const SweepResult more = sweep(StudyRunner(study_of(25)), options);
  EXPECT_EQ(more.progress.computed, 15u);
  EXPECT_EQ(more.rows.with(RowStatus::passed), 25u);
}

TEST(Sweep, GoesOnAfterItWasStopped) {
  const StudyRunner runner(study_of(40));
  const TemporaryFolder folder;
  const SweepOptions options{.folder = folder / "s", .threads = 2};
  std::atomic<bool> stop{false};
  std::uint64_t done = 0;
  const SweepResult first = sinew::sweep(
      runner, options,
      [&](const SweepProgress& p) {
        done = p.computed;
        if (done > 0) stop = true;
      },
      stop);
  const SweepResult second = sweep(runner, options);
  EXPECT_EQ(first.progress.done + second.progress.computed, 40u);
  EXPECT_EQ(second.rows.with(RowStatus::passed), 40u);
  const TemporaryFolder whole;
  sweep(runner, {.folder = whole / "s"});
  EXPECT_EQ(test::read_file(folder / "s/table.csv"), test::read_file(whole / "s/table.csv"));
}

/// Runs that a process began before it died are computed apart, and once.
TEST(Sweep, RepeatsRunsInFlightAlone) {
  const StudyRunner runner(study_of(12));
  const TemporaryFolder folder;
  {
    RunLog log(folder / "s/log", origin_of(runner));
    log.begin(3);
    log.add(runner.run(3, nullptr).value());
    log.begin(5);
    log.begin(7);
  }
  std::mutex mutex;
  std::set<std::uint64_t> alone;
  SweepOptions options{.folder = folder / "s", .threads = 2};
  options.alone = [&](std::uint64_t run) {
    const std::lock_guard lock(mutex);
    EXPECT_TRUE(alone.insert(run).second);
    if (run == 7)
      return StudyRow{.run = 7,
                      .status = RowStatus::crashed,
                      .results = {std::nan(""), std::nan("")},
                      .reason = "signal 11"};
    return runner.run(run, nullptr).value();
  };
  const SweepResult result = sweep(runner, options);
  EXPECT_EQ(alone, (std::set<std::uint64_t>{5, 7}));
  EXPECT_EQ(result.rows.with(RowStatus::passed), 11u);
  EXPECT_EQ(result.rows.status(7), RowStatus::crashed);
  EXPECT_EQ(result.rows.reason(7), "signal 11");
  // What crashed once is known.
  EXPECT_EQ(sweep(runner, options).progress.computed, 0u);
}

TEST(Sweep, KeepsTheTablesOfRunsThatAreAskedFor) {
  const TemporaryFolder folder;
  sweep(StudyRunner(study_of(3)), {.folder = folder / "s", .keep = SweepOptions::Keep::all});
  for (int run = 0; run < 3; ++run)
    EXPECT_TRUE(fs::exists(folder / "s/runs" / ("00000" + std::to_string(run)) / "states.sto"));
}

TEST(Sweep, RefusesFoldersOfOtherThings) {
  const TemporaryFolder folder;
  const StudyRunner runner(study_of(2));
  const auto message = [&](const StudyRunner& of, const fs::path& where) {
    return test::message_of([&] { sweep(of, {.folder = where}); });
  };
  fs::create_directories(folder / "other");
  std::ofstream(folder / "other/thesis.tex") << "x";
  EXPECT_NE(message(runner, folder / "other").find("is not empty and holds no study"),
            std::string::npos);
  EXPECT_NE(message(runner, folder / "other/thesis.tex").find("is a file"), std::string::npos);
  sweep(runner, {.folder = folder / "s"});
  Study changed = study_of(2);
  changed.content_hash += 1;
  EXPECT_NE(message(StudyRunner(changed), folder / "s").find("another study"), std::string::npos);
  clear_sweep(folder / "s");
  EXPECT_EQ(message(StudyRunner(changed), folder / "s"), "");
}

TEST(RunLog, IsReadUpToEveryDamage) {
  const StudyRunner runner(study_of(4));
  const TemporaryFolder folder;
  sweep(runner, {.folder = folder / "s"});
  const std::string text = log_text(folder / "s");
  const LogOrigin origin = origin_of(runner);
  const auto parse = [&](const std::string& log) {
    LoggedRuns out{StudyRows(4, 2), {}, 0};
    parse_log(log, "log", origin, false, out);
    return out;
  };
  const LoggedRuns whole = parse(text);
  EXPECT_EQ(whole.rows.with(RowStatus::passed), 4u);
  EXPECT_EQ(whole.damaged, 0);
  for (size_t cut = text.size(); cut-- > 0;) {
    const LoggedRuns part = parse(text.substr(0, cut));
    const auto lines = std::count(text.begin(), text.begin() + static_cast<long>(cut), '\n');
    // The first line, then two for each run.
    EXPECT_EQ(part.rows.with(RowStatus::passed),
              static_cast<std::uint64_t>(std::max(0L, lines - 1) / 2));
    for (std::uint64_t run = 0; run < 4; ++run)
      if (part.rows.status(run) != RowStatus::missing) {
        EXPECT_EQ(part.rows.value(run, 0), whole.rows.value(run, 0));
      }
  }
  std::uint64_t number = 1;
  for (int k = 0; k < 10000; ++k) {
    std::string mutated = text;
    for (int change = 0; change < 3; ++change) {
      number = number * 6364136223846793005u + 1442695040888963407u;
      mutated[(number >> 33) % mutated.size()] = static_cast<char>(number >> 24);
    }
    const LoggedRuns found = parse(mutated);
    for (std::uint64_t run = 0; run < 4; ++run)
      if (found.rows.status(run) != RowStatus::missing) {
        EXPECT_EQ(found.rows.value(run, 0), whole.rows.value(run, 0));
        EXPECT_EQ(found.rows.value(run, 1), whole.rows.value(run, 1));
      }
  }
}

TEST(RunLog, RefusesOtherNumbersForTheSameRun) {
  const StudyRunner runner(study_of(4));
  const TemporaryFolder folder;
  const LogOrigin origin = origin_of(runner);
  StudyRow row = runner.run(1, nullptr).value();
  { RunLog(folder / "log", origin).add(row); }
  row.results[0] = std::nextafter(row.results[0], 10);
  { RunLog(folder / "log", origin).add(row); }
  EXPECT_NE(test::message_of([&] {
              read_logs(folder / "log", origin, 4, 2);
            }).find("has other numbers for run 1"),
            std::string::npos);
}

TEST(RunLog, TellsRunsOfLivingProcessesFromThoseOfDeadOnes) {
  const StudyRunner runner(study_of(4));
  const TemporaryFolder folder;
  const LogOrigin origin = origin_of(runner);
  RunLog living(folder / "log", origin);
  living.begin(2);
  EXPECT_TRUE(read_logs(folder / "log", origin, 4, 2).in_flight.empty());
  { RunLog(folder / "log", origin).begin(3); }
  EXPECT_EQ(read_logs(folder / "log", origin, 4, 2).in_flight, (std::vector<std::uint64_t>{3}));
}

TEST(StudyArray, HasTheHeaderOfNumpy) {
  const StudyRunner runner(study_of(3));
  const TemporaryFolder folder;
  const SweepResult result = sweep(runner, {.folder = folder / "s"});
  write_study_array(folder / "table.npy", runner, result.rows);
  const std::string bytes = test::read_file(folder / "table.npy");
  EXPECT_EQ(bytes.substr(1, 5), "NUMPY");
  EXPECT_NE(bytes.find("'shape': (3, 7)"), std::string::npos);
  EXPECT_EQ(bytes.size() % 8, 0u);
  EXPECT_EQ((bytes.size() - 3 * 7 * 8) % 64, 0u);
  double second_run = 0;
  std::memcpy(&second_run, bytes.data() + bytes.size() - 2 * 7 * 8, 8);
  EXPECT_EQ(second_run, 1);
}

}  // namespace sweep_test
}  // namespace sinew

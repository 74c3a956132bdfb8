#include <gmock/gmock.h>
#include <poll.h>
#include <sys/stat.h>

#include <iterator>
#include <nlohmann/json.hpp>

#include "cli/program.hpp"
#include "io/osim/small_models.hpp"
#include "support/source_dir.hpp"

/// Single files that commands write: complete or not there, and never over what the command reads.

namespace sinew::test {
namespace output_files_test {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::HasSubstr;

/// One body on a joint that fit-joint can replace.
std::string custom_model() {
  std::string axes;
  for (const char* name :
       {"rotation1", "rotation2", "rotation3", "translation1", "translation2", "translation3"}) {
    const bool turns = name == std::string("rotation1");
    const char last = name[std::string(name).size() - 1];
    const std::string axis = last == '1' ? "0 0 1" : last == '2' ? "0 1 0" : "1 0 0";
    axes += "<TransformAxis name=\"" + std::string(name) + "\"><coordinates>" +
            (turns ? "angle" : "") + "</coordinates><axis>" + axis + "</axis>" +
            (turns ? "<LinearFunction name=\"function\"><coefficients>1 0</coefficients>"
                     "</LinearFunction>"
                   : "<Constant name=\"function\"><value>0</value></Constant>") +
            "</TransformAxis>";
  }
  return one_joint_model("CustomJoint",
                         "<coordinates>" + osim_coordinate("angle", "<range>-1 1</range>") +
                             "</coordinates><SpatialTransform>" + axes + "</SpatialTransform>");
}

/// A model, targets, poses and a run to write files from.
class Inputs {
 public:
  Inputs() {
    fs::copy_file(source_dir() + "/models/leg/leg.osim", folder_ / "leg.osim");
    fs::copy_file(source_dir() + "/models/leg/swing_19.1kmh.mot", folder_ / "swing.mot");
    fs::copy_file(source_dir() + "/scenes/rat-knee.json", folder_ / "knee.json");
    std::ofstream(folder_ / "poses.json") << R"({"poses": [{}]})";
    std::ofstream(folder_ / "targets.sto")
        << "t\nversion=1\nendheader\ntime\tfoot_X\tfoot_Y\tfoot_Z\n0\t0\t-0.8\t0\n";
    std::ofstream(folder_ / "turn.csv") << "q,tx,ty,tz,rx,ry,rz\n"
                                           "0,0,0,0,0,0,0\n0.1,0,0,0,0,0,0.1\n"
                                           "0.2,0,0,0,0,0,0.2\n0.3,0,0,0,0,0,0.3\n";
    std::ofstream(folder_ / "arm.osim") << custom_model();
    const ProgramResult run =
        run_program("simulate double-pendulum --until 0.05 --out '" + at("run") + "'");
    EXPECT_EQ(run.exit_code, 0) << run.err;
  }
  std::string at(const std::string& name) const { return (folder_ / name).string(); }

  /// The words behind the program's name, before the file to write, with paths.
  std::string in_place(std::string words) const {
    for (size_t k = 0; (k = words.find('@', k)) != words.npos;)
      words.replace(k, 1, folder_.path().string() + "/");
    return words;
  }

 private:
  TemporaryFolder folder_;
};

/// Commands up to the file that they write, and its ending.
const std::pair<const char*, const char*> kWriters[] = {
    {"ik knee-spline @targets.sto --out ", ".mot"},
    {"fit-joint @turn.csv --type hinge --out ", ".json"},
    {"fit-joint @turn.csv --type hinge --show ", ".json"},
    {"fit-joint @arm.osim --joint j --type curve --out ", ".xml"},
    {"fit-joint @arm.osim --joint j --type curve --out ", ".osim"},
    {"evaluate @leg.osim @poses.json --out ", ".json"},
    {"muscles @knee.json --coordinate knee --samples 3 --out ", ".sto"},
    {"muscles @knee.json --coordinate knee --samples 3 --out ", ".csv"},
    {"export @run ", ".glb"},
};

int exit_code_without_room(const std::string& arguments) {
  // Files of no byte, as on a full disk; error messages go to a device.
  const int status = std::system(("trap '' XFSZ; ulimit -f 0; '" + std::string(SINEW_PROGRAM) +
                                  "' " + arguments + " >/dev/null 2>&1")
                                     .c_str());
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(OutputFiles, OutliveADiskWithoutRoom) {
  const Inputs inputs;
  for (const auto& [words, ending] : kWriters) {
    SCOPED_TRACE(std::string(words) + ending);
    const std::string file = inputs.at(std::string("keep") + ending);
    const std::string command = inputs.in_place(words) + "'" + file + "'";
    std::ofstream(file) << "an earlier result";
    EXPECT_EQ(exit_code_without_room(command), 3);
    EXPECT_EQ(read_file(file), "an earlier result");
    EXPECT_FALSE(fs::exists(file + ".part"));
    const ProgramResult result = run_program(command);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_GT(read_file(file).size(), 100u);
  }
}

TEST(OutputFiles, MayBeLinksAndDevices) {
  const Inputs inputs;
  const std::string command = inputs.in_place("evaluate @leg.osim @poses.json --out ");
  std::ofstream(inputs.at("target.json")) << "an earlier result";
  fs::create_symlink("target.json", inputs.at("link.json"));
  EXPECT_EQ(run_program(command + inputs.at("link.json")).exit_code, 0);
  EXPECT_TRUE(fs::is_symlink(inputs.at("link.json")));
  EXPECT_EQ(read_file(inputs.at("target.json")), run_program(command + "/dev/stdout").out);
  EXPECT_EQ(run_program(command + "/dev/full").exit_code, 3);
}

TEST(OutputFiles, AreNeverInputs) {
  const Inputs inputs;
  const std::pair<const char*, const char*> cases[] = {
      {"ik knee-spline @targets.sto --out @targets.sto", "targets.sto"},
      {"ik @leg.osim @targets.sto --out @leg.osim", "leg.osim"},
      {"fit-joint @turn.csv --out @turn.csv", "turn.csv"},
      {"fit-joint @turn.csv --show @turn.csv", "turn.csv"},
      {"fit-joint @arm.osim --joint j --type curve --out @arm.osim", "arm.osim"},
      {"fit-joint @arm.osim --joint j --type curve --motion @swing.mot --out @swing.mot",
       "swing.mot"},
      {"evaluate @leg.osim @poses.json --out @poses.json", "poses.json"},
      {"evaluate @leg.osim @poses.json --out @run/../leg.osim", "leg.osim"},
      {"muscles @knee.json --coordinate knee --out @knee.json", "knee.json"},
  };
  for (const auto& [words, input] : cases) {
    SCOPED_TRACE(words);
    const std::string before = read_file(inputs.at(input));
    const ProgramResult result = run_program(inputs.in_place(words));
    EXPECT_EQ(result.exit_code, 2) << result.err;
    EXPECT_THAT(result.err, HasSubstr("is also read, and would be lost; name another file"));
    EXPECT_EQ(read_file(inputs.at(input)), before);
  }
  const ProgramResult twice =
      run_program(inputs.in_place("fit-joint @turn.csv --out @a.json --show @a.json"));
  EXPECT_EQ(twice.exit_code, 2);
  EXPECT_THAT(twice.err, HasSubstr("--show: names the same file as --out"));
}

/// Each names the column or member that is wrong.
TEST(OutputFiles, AFolderThatASearchCannotGoOnFromIsRefused) {
  using nlohmann::json;
  const TemporaryFolder folder;
  const fs::path found = folder / "found";
  const std::string task = "'" + (folder / "task.json").string() + "'";
  std::ofstream(folder / "task.json")
      << R"({"sinew_task": 1, "model": "redmax-diff-100", "run": {"until": 0.4},
        "parameters": [{"type": "control", "control": ["motor1", "motor2"], "knots": 5,
                        "scale": 1e5}],
        "objectives": [{"type": "point", "body": "b2", "point": [0.05, 0, 0],
                        "target": [0.1, 0, -0.1]}, {"type": "effort", "weight": 1e-15}],
        "optimizer": {"method": "multiple-shooting", "intervals": 4}})";
  const std::string command = "optimize " + task + " --out " + found.string();
  const ProgramResult first = run_program(command);
  ASSERT_EQ(first.exit_code, 0) << first.err;
  const json good = json::parse(read_file(found / "run.json"));
  const std::string log = read_file(found / "convergence.sto");
  const auto expect_refused = [&](const std::string& words) {
    const ProgramResult result = run_program(command + " --resume");
    EXPECT_EQ(result.exit_code, 2) << words << "\n" << result.err;
    EXPECT_THAT(result.err, HasSubstr(words));
  };
  const auto with = [&](const std::string& change) {
    json record = good;
    record.merge_patch(json::parse(change));
    std::ofstream(found / "run.json") << record;
  };
  const std::pair<const char*, const char*> records[] = {
      {R"({"failed_runs": null})", "has no 'failed_runs'"},
      {R"({"failed_runs": -1})", "'failed_runs' is not a number of runs"},
      {R"({"failed_runs": 1e300})", "'failed_runs' is not a number of runs"},
      {R"({"first_value": "x"})", "'first_value' is not a number"},
      {R"({"first_objectives": 3})", "'first_objectives' is not a list"},
      {R"({"first_objectives": [3]})", "has no 'name'"},
      {R"({"first_objectives": [{"name": "a", "value": 1, "miss": 2, "unit": 3}]})",
       "'unit' is not a text"},
      {R"({"intervals": {"states": "x"}})", "'states' is not a list"},
      {R"({"intervals": {"states": [[1]]}})", "'states' has 1 states for 4 intervals"},
      {R"({"intervals": {"states": [[1], [1], [1], [1], [1]]}})", "the 4 numbers of a state"},
      {R"({"intervals": {"states": [["a", 1, 1, 1], [1, 1, 1, 1], [1, 1, 1, 1], [1, 1, 1, 1], [1, 1, 1, 1]]}})",
       "has an entry that is not a number"},
      {R"({"intervals": 3})", "has no 'states'"},
      {R"({"task_file": 3})", "has no 'fnv1a'"},
      {R"({"model_file": {"fnv1a": 3}})", "'fnv1a' is not a text"},
      {R"({"data_files": 3})", "'data_files' is not a list"},
      {R"({"data_files": [{"fnv1a": "0"}]})", "'data_files' are not those of the task"},
      {R"({"parameters": [{"name": "motor3", "value": 1}]})", "'motor3' is not a parameter"},
  };
  for (const auto& [change, words] : records) {
    with(change);
    expect_refused(words);
  }
  with("{}");
  const std::string head = "c\nversion=1\nendheader\n";
  const std::pair<std::string, std::string> logs[] = {
      {head + "time\tevaluation\titeration\tvalue\n0\t1\t0\t1\n", "has no column 'gradient'"},
      {log.substr(0, log.find("endheader") + 10) +
           "time\tevaluation\titeration\tvalue\tgradient\tbest\tgap\tfailed\n",
       "has no rows"},
      {head + "time\tevaluation\titeration\tvalue\tgradient\tbest\tgap\tfailed\n"
              "0\t1\t0\tnan\t1\t1\t0\t0\n",
       "has a row that is not all numbers, the 1."},
      {head + "time\tevaluation\titeration\tvalue\tgradient\tbest\tgap\tfailed\n"
              "0\t1e300\t0\t1\t1\t1\t0\t0\n",
       "counts runs that nobody has made in row 1"},
  };
  for (const auto& [text, words] : logs) {
    std::ofstream(found / "convergence.sto") << text;
    expect_refused(words);
  }
  // Columns in another order are found by their names.
  std::ofstream(found / "convergence.sto")
      << head << "time\tfailed\tgap\tbest\tgradient\tvalue\titeration\tevaluation\n"
      << "0\t5\t0\t2\t1\t3\t0\t7\n";
  const ProgramResult moved = run_program(command + " --resume --json");
  ASSERT_EQ(moved.exit_code, 0) << moved.err;
  EXPECT_GT(json::parse(moved.out)["evaluations"], 7);
  EXPECT_LT(json::parse(moved.out)["evaluations"], 100);
}

/// Starts a command, sends SIGTERM once `file` contains `text`, and returns the exit code.
int end_when(const std::vector<std::string>& words, const fs::path& folder, const fs::path& file,
             const std::string& text) {
  const pid_t child = start_program(words, folder / "stdout", folder / "stderr");
  while (read_file(file).find(text) == std::string::npos && kill(child, 0) == 0) {
    siginfo_t ended{};
    if (waitid(P_PID, static_cast<id_t>(child), &ended, WEXITED | WNOHANG | WNOWAIT) == 0 &&
        ended.si_pid == child)
      break;
    usleep(500);
  }
  return end_by(SIGTERM, child);
}

TEST(Signals, LetTheResultsOfARunBeWrittenToTheirEnd) {
  const TemporaryFolder folder;
  const fs::path out = folder / "run";
  int code = 0;
  // The page takes as long as there are rows; the signal may come too late on a busy machine.
  for (int until = 100; code == 0 && until < 5000; until *= 2) {
    fs::remove_all(out);
    code = end_when({"simulate", "double-pendulum", "--until", std::to_string(until), "--set",
                     "simulation.output_interval=0.002", "--out", out.string(), "--report"},
                    folder.path(), out / "run.json", R"("status": "finished")");
  }
  EXPECT_EQ(code, 130);
  EXPECT_THAT(read_file(folder / "stderr"), HasSubstr("sinew: interrupted, but the work was done"));
  EXPECT_THAT(read_file(out / "report.html"), HasSubstr("</html>"));
  EXPECT_EQ(run_program("report '" + out.string() + "'").exit_code, 0);
}

TEST(Signals, LetTheRunsWithTheBestParametersBeWritten) {
  const TemporaryFolder folder;
  const fs::path out = folder / "found";
  int code = 0;
  for (int k = 0; code == 0 && k < 5; ++k) {
    fs::remove_all(out);
    code = end_when({"optimize", "hop", "--evaluations", "1", "--report", "--out", out.string()},
                    folder.path(), out / "before" / "run.json", R"("status")");
  }
  EXPECT_EQ(code, 130);
  EXPECT_EQ(json::parse(read_file(out / "run.json"))["status"], "finished");
  EXPECT_EQ(json::parse(read_file(out / "after" / "run.json"))["status"], "finished");
  EXPECT_TRUE(fs::exists(out / "report.html"));
}

/// A pipe that holds up whoever writes more than a page to it.
class NarrowPipe {
 public:
  explicit NarrowPipe(const std::string& path) : path_(path) {
    EXPECT_EQ(mkfifo(path.c_str(), 0600), 0);
    file_ = open(path.c_str(), O_RDONLY | O_NONBLOCK);
    EXPECT_GE(fcntl(file_, F_SETPIPE_SZ, 4096), 0);
  }
  ~NarrowPipe() {
    close(file_);
    fs::remove(path_);
  }
  NarrowPipe(const NarrowPipe&) = delete;
  NarrowPipe& operator=(const NarrowPipe&) = delete;

  void wait_for_writing() const {
    pollfd in{file_, POLLIN, 0};
    EXPECT_EQ(poll(&in, 1, 20000), 1);
  }
  size_t read_to_end() const {
    fcntl(file_, F_SETFL, 0);
    size_t sum = 0;
    char bytes[4096];
    for (ssize_t n = 1; n > 0; sum += static_cast<size_t>(std::max<ssize_t>(n, 0)))
      n = read(file_, bytes, sizeof(bytes));
    return sum;
  }

 private:
  std::string path_;
  int file_ = -1;
};

TEST(Signals, LetEveryFileBeWrittenToItsEnd) {
  const Inputs inputs;
  const std::pair<const char*, const char*> commands[] = {
      {"evaluate @leg.osim @poses.json --out @", "pipe.json"},
      {"export @run @", "pipe.glb"},
      {"fit-joint @knee.json --joint knee_joint --type curve --frames 30 --out @", "pipe.json"},
      {"muscles @knee.json --coordinate knee --out @", "pipe.sto"},
      {"report @run --out @", "pipe.html"}};
  for (const auto& [command, name] : commands) {
    const TemporaryFolder folder;
    const NarrowPipe pipe(inputs.at(name));
    std::istringstream text(inputs.in_place(std::string(command) + name));
    const pid_t child = start_program({std::istream_iterator<std::string>(text), {}},
                                      folder / "stdout", folder / "stderr");
    pipe.wait_for_writing();
    kill(child, SIGTERM);
    EXPECT_GT(pipe.read_to_end(), 4096u) << command;
    EXPECT_EQ(exit_code_of(child), 130) << command << read_file(folder / "stderr");
  }
}

TEST(Signals, EndEveryCommandWithOneLine) {
  const TemporaryFolder folder;
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    const pid_t child =
        start_program({"bench", "whip", "--seconds", "60"}, folder / "stdout", folder / "stderr");
    wait_for_handlers(child);
    EXPECT_EQ(end_by(signal, child), 130);
    EXPECT_EQ(read_file(folder / "stderr"), "sinew: interrupted\n");
    fs::remove(folder / "stderr");
  }
}

// `timeout` signals a process and its group; the second one must not lose the results.
TEST(Signals, TwoAtOnceAreOne) {
  const TemporaryFolder folder;
  const fs::path out = folder / "run";
  const pid_t child = start_program({"simulate", "double-pendulum", "--until", "100000", "--set",
                                     "simulation.output_interval=1", "--out", out.string()},
                                    folder / "stdout", folder / "stderr");
  while (!fs::exists(out / "run.json")) usleep(1000);
  kill(child, SIGTERM);
  usleep(5000);
  EXPECT_EQ(end_by(SIGTERM, child), 130);
  EXPECT_EQ(json::parse(read_file(out / "run.json"))["status"], "interrupted");
}

}  // namespace output_files_test
}  // namespace sinew::test

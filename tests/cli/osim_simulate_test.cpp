#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "cli/program.hpp"
#include "io/osim/small_models.hpp"
#include "support/reference.hpp"

/// `sinew simulate MODEL.osim`.

namespace sinew::test {
namespace osim_simulate_test {

using nlohmann::json;
using testing::HasSubstr;

struct Model {
  explicit Model(const std::string& text = muscle_model())
      : path((folder / "lever.osim").string()) {
    std::ofstream(path) << text;
  }
  std::string command(const std::string& more) const { return "simulate '" + path + "' " + more; }
  TemporaryFolder folder;
  std::string path;
};

/// The columns of a table, and its last row.
std::map<std::string, double> last_row(const std::filesystem::path& path) {
  std::istringstream text(read_file(path));
  std::string line, labels, last;
  while (std::getline(text, line) && line != "endheader") {
  }
  std::getline(text, labels);
  while (std::getline(text, line)) last = line;
  std::istringstream names(labels), values(last);
  std::map<std::string, double> out;
  for (std::string name; names >> name;) values >> out[name];
  return out;
}

TEST(SimulateOsim, RunsAndWritesStatesUnderOpenSimsNames) {
  const Model model;
  const std::string out = (model.folder / "out").string();
  const ProgramResult result = run_program(
      model.command("--until 0.1 --excitation flexor=0.8 --initial angle=0.1 --out '" + out + "'"));
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("1 muscle"));
  EXPECT_THAT(result.out, HasSubstr("sdirk4, accuracy 0.0001"));
  const auto states = last_row(std::filesystem::path(out) / "lever_states.sto");
  const auto muscles = last_row(std::filesystem::path(out) / "muscles.sto");
  EXPECT_EQ(states.at("time"), 0.1);
  // It rises from 0.05 with some 10 ms.
  EXPECT_GT(states.at("/forceset/flexor/activation"), 0.7);
  EXPECT_NE(states.at("/jointset/pin/angle/value"), 0.1);
  EXPECT_EQ(states.at("/forceset/flexor/fiber_length"), muscles.at("flexor_fibre_length"));
  EXPECT_GT(muscles.at("flexor_tension"), 10);
}

// Slack in its own weight: its knee bends until the path of gastrocnemius slips off the condyles.
TEST(SimulateOsim, APathThatJumpsFailsTheAudit) {
  SINEW_NEEDS_REFERENCE();
  const std::string model = (*reference_dir() / "opensim/models/Rajagopal2016.osim").string();
  const ProgramResult result =
      run_program("simulate " + model + " --excitation all=0.05 --until 0.45 --json");
  EXPECT_EQ(result.exit_code, 4);
  EXPECT_THAT(
      result.err,
      HasSubstr("AUDIT FAILED: the path of muscle 'gasmed_r' jumps by -257 mm at t = 0.43"));
  const json audit = json::parse(result.out)["audit"];
  EXPECT_FALSE(audit["passed"]);
  EXPECT_EQ(audit["largest_jump"]["muscle"], "gasmed_r");
  EXPECT_NEAR(audit["largest_jump"]["time"].get<double>(), 0.4355, 1e-3);
  EXPECT_NEAR(audit["largest_jump"]["change"].get<double>(), -0.257, 1e-3);
}

TEST(SimulateOsim, GoesOnFromTheStatesThatItWrote) {
  const Model model;
  const auto at = [&](const std::string& name) { return model.folder / name; };
  const auto run = [&](const std::string& more, const std::string& out) {
    const ProgramResult result = run_program(model.command(
        "--excitation all=0.4 --dt 0.001 " + more + " --out '" + at(out).string() + "'"));
    ASSERT_EQ(result.exit_code, 0) << result.err;
  };
  run("--until 0.2", "whole");
  run("--until 0.1", "half");
  // The last row alone is a file of states, too.
  std::string text = read_file(at("half") / "lever_states.sto");
  const size_t rows = text.find('\n', text.find("endheader\n") + 10) + 1;
  const size_t last = text.rfind('\n', text.size() - 2) + 1;
  text.erase(rows, last - rows);
  const size_t count = text.find("nRows=");
  text.replace(count, text.find('\n', count) - count, "nRows=1");
  std::ofstream(at("start.sto")) << text;
  run("--until 0.1 --initial '" + at("start.sto").string() + "'", "rest");
  const auto whole = last_row(at("whole") / "lever_states.sto");
  const auto rest = last_row(at("rest") / "lever_states.sto");
  for (const auto& [name, value] : whole)
    if (name != "time") {
      EXPECT_NEAR(rest.at(name), value, 1e-9) << name;  // digits of the table
    }
}

TEST(SimulateOsim, SaysOneErrorForEachBadInput) {
  const Model model;
  std::ofstream(model.folder / "c.sto") << "c\nversion=1\nnRows=2\nnColumns=2\ninDegrees=no\n"
                                           "endheader\ntime\tbiceps\n0\t0.1\n1\t0.2\n";
  const std::string controls = "'" + (model.folder / "c.sto").string() + "'";
  for (const auto& [arguments, message] : std::map<std::string, std::string>{
           {"--excitation flexer=0.5", "'flexor'"},
           {"--excitation flexor=2", "from 0 to 1"},
           {"--excitation flexor=x", "NAME=VALUE"},
           {"--initial angel=0.5", "'angle'"},
           {"--initial nowhere.sto", "nowhere.sto"},
           {"--controls " + controls, "biceps"},
           {"--integrator rk5", "rk4"},
           {"--set gravity=[0,0,0]", "not a path of an OpenSim model"},
           {"--set /bodyset/arn/mass=3", "did you mean 'arm'?"},
           {"--set /bodyset/arm/mas=3", "did you mean 'mass'?"},
           {"--set /bodyset/arm/mass=-3", "negative"}}) {
    const ProgramResult result = run_program(model.command(arguments));
    EXPECT_EQ(result.exit_code, 2) << arguments;
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
    EXPECT_THAT(result.err, HasSubstr(message)) << arguments;
  }
  const ProgramResult scene = run_program("simulate double-pendulum --excitation all=0.1");
  EXPECT_EQ(scene.exit_code, 2);
  EXPECT_THAT(scene.err, HasSubstr("no muscles with an excitation"));
}

TEST(BenchOsim, MeasuresForwardDynamicsWithAndWithoutMassInTheMuscles) {
  const Model model;
  const ProgramResult result = run_program("bench '" + model.path + "' --seconds 0.05 --json");
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const json rows = json::parse(result.out)["results"];
  ASSERT_EQ(rows.size(), 2);
  EXPECT_EQ(rows[0]["muscles"], 1);
  EXPECT_EQ(rows[0]["muscle_mass"], 0);
  EXPECT_GT(rows[1]["muscle_mass"], 0);
  for (const json& row : rows) {
    // A lever with one muscle: below a tenth of a millisecond on any machine; rates cost more.
    EXPECT_GT(row["microseconds_per_acceleration"], 0.01);
    EXPECT_LT(row["microseconds_per_acceleration"], 100);
    EXPECT_GT(row["microseconds_per_rate"], 0.01);
  }
  EXPECT_THAT(run_program("bench '" + model.path + "' --seconds 0.02").out, HasSubstr("all rates"));
  EXPECT_EQ(run_program("bench '" + model.path + "' --integrator rk4").exit_code, 2);
}

}  // namespace osim_simulate_test
}  // namespace sinew::test

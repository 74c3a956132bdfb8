#include "sinew/io/osim/osim_run.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "io/osim/small_models.hpp"
#include "sinew/analysis/muscle_state.hpp"
#include "sinew/core/error.hpp"

namespace sinew {
namespace osim_run_test {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const OsimModel& flexor_model() {
  static const OsimModel model = parse_osim(test::muscle_model(), "flexor.osim");
  return model;
}

/// A file that is gone after the test.
struct File {
  explicit File(const std::string& text)
      : path(std::filesystem::temp_directory_path() /
             ("sinew_run_" + std::to_string(::getpid()) + ".sto")) {
    std::ofstream(path) << text;
  }
  ~File() { std::filesystem::remove(path); }
  std::filesystem::path path;
};

std::string table(const std::string& labels, const std::string& rows, bool degrees = false) {
  return std::string("states\nversion=1\nnRows=") +
         std::to_string(std::count(rows.begin(), rows.end(), '\n')) +
         "\nnColumns=" + std::to_string(std::count(labels.begin(), labels.end(), '\t') + 1) +
         "\ninDegrees=" + (degrees ? "yes" : "no") + "\nendheader\n" + labels + "\n" + rows;
}

template <class Call>
std::string message_of(Call&& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(OsimRun, MusclesPullInTheSystemOfAModel) {
  const System system = flexor_model().system_builder().build();
  ASSERT_EQ(system.hill_muscles().size(), 1u);
  const MuscleElement& muscle = *system.muscles()[0];
  EXPECT_EQ(muscle.name(), "flexor");
  // The least control of the file.
  EXPECT_EQ(muscle.muscle().hill->excitation.derivatives(0)[0], 0.02);
  EXPECT_EQ(system.default_state().z[0], 0.05);
  // The lever turns towards the muscle's origin.
  State state = system.default_state();
  Workspace ws(system);
  VecX free(1), pulled(1);
  forward_dynamics(system, state, ws, pulled);
  state.z[1] = 0.3;  // longer than the path: its tendon is slack
  forward_dynamics(system, state, ws, free);
  EXPECT_GT(std::abs(pulled[0] - free[0]), 0.1);
}

TEST(OsimRun, ExcitationsAndStartsAreSetByName) {
  OsimRun run;
  set_excitation("all=0.3", flexor_model(), run);
  set_initial("angle=0.4", flexor_model(), run);
  set_initial("angle/speed=-1", flexor_model(), run);
  set_initial("flexor/activation=0.6", flexor_model(), run);
  System system = flexor_model().system_builder(run).build();
  EXPECT_EQ(system.muscles()[0]->muscle().hill->excitation.derivatives(0)[0], 0.3);
  EXPECT_EQ(system.default_state().q[0], 0.4);
  EXPECT_EQ(system.default_state().qdot[0], -1);
  EXPECT_EQ(system.default_state().z[0], 0.6);
  set_excitation("flexor=0.7", flexor_model(), run);
  system = flexor_model().system_builder(run).build();
  EXPECT_EQ(system.muscles()[0]->muscle().hill->excitation.derivatives(0)[0], 0.7);
}

TEST(OsimRun, ControlsOfAnActuatorMayBeAny) {
  OsimRun run;
  set_excitation("motor=-3", flexor_model(), run);
  const System system = flexor_model().system_builder(run).build();
  Workspace ws(system);
  State state = system.default_state();
  state.z[1] = 0.3;  // longer than the path: the muscle's tendon is slack
  update_forces(system, state, ws);
  EXPECT_EQ(ws.forces.tau[0], -6);  // 2 N m a unit
}

TEST(OsimRun, ReadsControlsOverTime) {
  const File file(table("time\t/forceset/flexor", "0\t0.1\n1\t0.5\n"));
  OsimRun run;
  std::vector<std::string> warnings;
  read_controls(file.path, flexor_model(), run, warnings);
  EXPECT_THAT(warnings, IsEmpty());
  EXPECT_NEAR(run.excitations.at("flexor").derivatives(0.5)[0], 0.3, 1e-15);
  const File wild(table("time\tflexor\tmotor", "0\t1.5\t7\n1\t0.5\t8\n"));
  read_controls(wild.path, flexor_model(), run, warnings);
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_THAT(warnings[0], HasSubstr("1 excitations"));
  const File without(table("time\tmotor", "0\t1.5\n1\t0.5\n"));
  read_controls(without.path, flexor_model(), run, warnings);
  EXPECT_THAT(warnings.back(), HasSubstr("no column for flexor"));
}

TEST(OsimRun, ReadsAStateAsOpenSimWritesIt) {
  EXPECT_THAT(state_names(flexor_model()),
              ElementsAre("/jointset/pin/angle/value", "/jointset/pin/angle/speed",
                          "/forceset/flexor/activation", "/forceset/flexor/fiber_length"));
  OsimRun run;
  std::vector<std::string> warnings;
  const File file(
      table("time\t/jointset/pin/angle/value\t/jointset/pin/angle/speed\t"
            "/forceset/flexor/activation\t/forceset/flexor/fiber_length",
            "0\t0.2\t0.5\t0.4\t0.11\n0.1\t9\t9\t9\t9\n"));
  read_initial_state(file.path, flexor_model(), run, warnings);
  EXPECT_THAT(warnings, IsEmpty());
  const State state = flexor_model().system_builder(run).build().default_state();
  EXPECT_EQ(state.q[0], 0.2);
  EXPECT_EQ(state.qdot[0], 0.5);
  EXPECT_EQ(state.z[0], 0.4);
  EXPECT_EQ(state.z[1], 0.11);
  const File old(table("time\tangle\tangle_u\tflexor.activation", "0\t90\t180\t0.4\n", true));
  read_initial_state(old.path, flexor_model(), run, warnings);
  EXPECT_NEAR(run.values.at("angle"), 1.5707963267948966, 1e-15);
  EXPECT_NEAR(run.speeds.at("angle"), 3.1415926535897931, 1e-15);
}

TEST(OsimRun, SaysWhatIsWrong) {
  OsimRun run;
  std::vector<std::string> warnings;
  const OsimModel& model = flexor_model();
  EXPECT_THAT(message_of([&] { set_excitation("flexor=1.2", model, run); }),
              HasSubstr("from 0 to 1"));
  EXPECT_THAT(message_of([&] { set_excitation("flexor", model, run); }), HasSubstr("NAME=VALUE"));
  EXPECT_THAT(message_of([&] { set_excitation("flexor=high", model, run); }),
              HasSubstr("NAME=VALUE"));
  EXPECT_THAT(message_of([&] { set_initial("angel=0.1", model, run); }), HasSubstr("'angle'"));
  EXPECT_THAT(message_of([&] { set_initial("flexor/activation=5", model, run); }),
              HasSubstr("give a number from 0 to 1"));
  const auto start = [&](const std::string& value) {
    return message_of([&] {
      OsimRun at;
      set_initial(value, model, at);
      check_start("--initial", model, at, warnings);
      model.system_builder(at).build();
    });
  };
  EXPECT_THAT(start("angle=1e300"), HasSubstr("'angle' is 1e+300"));
  EXPECT_THAT(start("flexor/fiber_length=-1"), HasSubstr("its fibre length is -1"));
  EXPECT_THAT(start("flexor/fiber_length=10"), HasSubstr("its fibre length is 10"));
  EXPECT_EQ(start("flexor/fiber_length=0.1"), "");
  EXPECT_THAT(message_of([&] { set_initial("angle/force=0.1", model, run); }),
              HasSubstr("not a state"));
  OsimRun unknown;
  set_excitation("flexr=0.5", model, unknown);
  EXPECT_THAT(message_of([&] { model.system_builder(unknown); }), HasSubstr("'flexor'"));
  const File file(table("time\tflexr", "0\t0.1\n1\t0.5\n"));
  EXPECT_THAT(message_of([&] { read_controls(file.path, model, run, warnings); }),
              HasSubstr("'flexor'"));
  const File other(table("time\thip", "0\t0.1\n1\t0.5\n"));
  EXPECT_THAT(message_of([&] { read_initial_state(other.path, model, run, warnings); }),
              HasSubstr("no state of the model"));
}

}  // namespace osim_run_test
}  // namespace sinew

#include "sinew/io/models/run_options.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "io/osim/small_models.hpp"
#include "sinew/analysis/muscle_state.hpp"
#include "sinew/core/error.hpp"
#include "sinew/io/models/loaded_model.hpp"
#include "support/message_of.hpp"

namespace sinew {
namespace run_options_test {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const OsimModel& flexor_model() {
  static const OsimModel model = parse_osim(test::muscle_model(), "flexor.osim");
  return model;
}

const ModelInputs& flexor() {
  static const ModelInputs inputs = inputs_of(flexor_model());
  return inputs;
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

using test::message_of;

TEST(RunOptions, MusclesPullInTheSystemOfAModel) {
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

/// Of the only muscle.
double excitation(const System& system) {
  const ControlSchedule& controls = system.controls();
  const auto k = static_cast<size_t>(controls.find("flexor"));
  return controls.entries().at(k).control.value.derivatives(0)[0];
}

TEST(RunOptions, ExcitationsAndStartsAreSetByName) {
  RunStart run;
  set_excitation("all=0.3", flexor(), run);
  set_initial("angle=0.4", flexor(), run);
  set_initial("angle/speed=-1", flexor(), run);
  set_initial("flexor/activation=0.6", flexor(), run);
  System system = flexor_model().system_builder(run).build();
  EXPECT_EQ(excitation(system), 0.3);
  EXPECT_EQ(system.default_state().q[0], 0.4);
  EXPECT_EQ(system.default_state().qdot[0], -1);
  EXPECT_EQ(system.default_state().z[0], 0.6);
  set_excitation("flexor=0.7", flexor(), run);
  system = flexor_model().system_builder(run).build();
  EXPECT_EQ(excitation(system), 0.7);
}

TEST(RunOptions, ControlsOfAnActuatorMayBeAny) {
  RunStart run;
  set_excitation("motor=-3", flexor(), run);
  const System system = flexor_model().system_builder(run).build();
  Workspace ws(system);
  State state = system.default_state();
  state.z[1] = 0.3;  // longer than the path: the muscle's tendon is slack
  update_forces(system, state, ws);
  EXPECT_EQ(ws.forces.tau[0], -6);  // 2 N m a unit
}

TEST(RunOptions, ReadsControlsOverTime) {
  const File file(table("time\t/forceset/flexor", "0\t0.1\n1\t0.5\n"));
  RunStart run;
  std::vector<std::string> warnings;
  read_controls(file.path, flexor(), run, warnings);
  EXPECT_THAT(warnings, IsEmpty());
  EXPECT_NEAR(run.controls.at("flexor").derivatives(0.5)[0], 0.3, 1e-15);
  const File wild(table("time\tflexor\tmotor", "0\t1.5\t7\n1\t0.5\t8\n"));
  read_controls(wild.path, flexor(), run, warnings);
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_THAT(warnings[0], HasSubstr("1 excitations"));
  const File without(table("time\tmotor", "0\t1.5\n1\t0.5\n"));
  read_controls(without.path, flexor(), run, warnings);
  EXPECT_THAT(warnings.back(), HasSubstr("no column for flexor"));
}

TEST(RunOptions, ReadsAStateAsOpenSimWritesIt) {
  EXPECT_THAT(osim_state_names(flexor_model()),
              ElementsAre("/jointset/pin/angle/value", "/jointset/pin/angle/speed",
                          "/forceset/flexor/activation", "/forceset/flexor/fiber_length"));
  RunStart run;
  std::vector<std::string> warnings;
  const File file(
      table("time\t/jointset/pin/angle/value\t/jointset/pin/angle/speed\t"
            "/forceset/flexor/activation\t/forceset/flexor/fiber_length",
            "0\t0.2\t0.5\t0.4\t0.11\n0.1\t9\t9\t9\t9\n"));
  read_initial_state(file.path, flexor(), run, warnings);
  EXPECT_THAT(warnings, IsEmpty());
  const State state = flexor_model().system_builder(run).build().default_state();
  EXPECT_EQ(state.q[0], 0.2);
  EXPECT_EQ(state.qdot[0], 0.5);
  EXPECT_EQ(state.z[0], 0.4);
  EXPECT_EQ(state.z[1], 0.11);
  const File old(table("time\tangle\tangle_u\tflexor.activation", "0\t90\t180\t0.4\n", true));
  read_initial_state(old.path, flexor(), run, warnings);
  EXPECT_NEAR(run.values.at("angle"), 1.5707963267948966, 1e-15);
  EXPECT_NEAR(run.speeds.at("angle"), 3.1415926535897931, 1e-15);
}

TEST(RunOptions, SaysWhatIsWrong) {
  RunStart run;
  std::vector<std::string> warnings;
  const OsimModel& model = flexor_model();
  EXPECT_THAT(message_of([&] { set_excitation("flexor=1.2", flexor(), run); }),
              HasSubstr("from 0 to 1"));
  EXPECT_THAT(message_of([&] { set_excitation("flexor", flexor(), run); }),
              HasSubstr("NAME=VALUE"));
  EXPECT_THAT(message_of([&] { set_excitation("flexor=high", flexor(), run); }),
              HasSubstr("NAME=VALUE"));
  EXPECT_THAT(message_of([&] { set_initial("angel=0.1", flexor(), run); }), HasSubstr("'angle'"));
  EXPECT_THAT(message_of([&] { set_initial("flexor/activation=5", flexor(), run); }),
              HasSubstr("give a number from 0 to 1"));
  const auto start = [&](const std::string& value) {
    return message_of([&] {
      RunStart at;
      set_initial(value, flexor(), at);
      check_start("--initial", flexor(), at, warnings);
      model.system_builder(at).build();
    });
  };
  EXPECT_THAT(start("angle=1e300"), HasSubstr("'angle' is 1e+300"));
  EXPECT_THAT(start("flexor/fiber_length=-1"), HasSubstr("its fibre length is -1"));
  EXPECT_THAT(start("flexor/fiber_length=10"), HasSubstr("its fibre length is 10"));
  EXPECT_EQ(start("flexor/fiber_length=0.1"), "");
  EXPECT_THAT(message_of([&] { set_initial("angle/force=0.1", flexor(), run); }),
              HasSubstr("not a state"));
  EXPECT_THAT(message_of([&] { set_excitation("flexr=0.5", flexor(), run); }),
              HasSubstr("'flexor'"));
  const File file(table("time\tflexr", "0\t0.1\n1\t0.5\n"));
  EXPECT_THAT(message_of([&] { read_controls(file.path, flexor(), run, warnings); }),
              HasSubstr("'flexor'"));
  const File other(table("time\thip", "0\t0.1\n1\t0.5\n"));
  EXPECT_THAT(message_of([&] { read_initial_state(other.path, flexor(), run, warnings); }),
              HasSubstr("no state of the model"));
}

}  // namespace run_options_test
}  // namespace sinew

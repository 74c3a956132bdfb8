#include "sinew/io/models/loaded_model.hpp"

#include <gmock/gmock.h>
#include <unistd.h>

#include <fstream>
#include <set>

#include "io/osim/small_models.hpp"
#include "sinew/analysis/muscle_state.hpp"
#include "sinew/core/error.hpp"
#include "support/message_of.hpp"
#include "support/source_dir.hpp"

/// What holds for scenes and for models of OpenSim alike.

namespace sinew {
namespace loaded_model_test {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::string scene(const std::string& name) {
  return test::source_dir() + "/scenes/" + name + ".json";
}
const std::string kLeg = test::source_dir() + "/models/leg/leg.osim";

/// A file that is gone after the test.
struct File {
  explicit File(const std::string& text, const std::string& ending = ".sto") {
    static int count = 0;
    path = std::filesystem::temp_directory_path() /
           ("sinew_loaded_" + std::to_string(::getpid()) + "_" + std::to_string(++count) + ending);
    std::ofstream(path) << text;
  }
  ~File() { std::filesystem::remove(path); }
  std::filesystem::path path;
};

std::string table(const std::string& labels, const std::string& rows) {
  return "t\nversion=1\ninDegrees=no\nendheader\n" + labels + "\n" + rows;
}

using test::message_of;

double control(const System& system, const std::string& name, double t = 0) {
  const ControlSchedule& controls = system.controls();
  return controls.entries()
      .at(static_cast<size_t>(controls.find(name)))
      .control.value.derivatives(t)[0];
}

double value(const System& system, const std::string& coordinate, const VecX& of) {
  for (size_t k = 0; k < system.coordinates().size(); ++k)
    if (system.coordinates()[k].name == coordinate) return of[static_cast<Eigen::Index>(k)];
  ADD_FAILURE() << coordinate;
  return 0;
}

TEST(LoadedModel, IsAllThatIsAskedOfEitherKind) {
  const LoadedModel leg = load_model(kLeg), arm = load_model(scene("arm"));
  EXPECT_EQ(leg.name, "leg");
  EXPECT_EQ(arm.name, "arm");
  EXPECT_EQ(arm.model_name, "arm");
  EXPECT_TRUE(leg.osim && !leg.scene && arm.scene && !arm.osim);
  for (const LoadedModel* model : {&leg, &arm}) {
    const System system = model->system();
    EXPECT_FALSE(model->title.empty());
    EXPECT_NE(model->content_hash, 0u);
    EXPECT_EQ(model->target.coordinates.size(), system.coordinates().size());
    EXPECT_EQ(model->target.ranges.size(), system.coordinates().size());
    EXPECT_EQ(model->skeleton.body_count(), system.skeleton().body_count());
    EXPECT_THAT(model->warnings, IsEmpty());
  }
  EXPECT_EQ(leg.settings.step.integrator, Integrator::sdirk4);
  EXPECT_EQ(leg.settings.step.accuracy, 1e-4);
  EXPECT_FALSE(leg.state_names.empty());
  EXPECT_TRUE(arm.state_names.empty());
  EXPECT_EQ(arm.muscles.size(), 7u);
  EXPECT_TRUE(arm.mass_origin != nullptr);
  EXPECT_EQ(arm.mass_on_bones, std::optional(false));
  EXPECT_EQ(leg.mass_on_bones, std::nullopt);
  EXPECT_EQ(arm.look.shapes.size(), 3u);
  EXPECT_EQ(arm.look.fixed.size(), 2u);
}

TEST(LoadedModel, GivesMassToTheMusclesOfAnOpenSimModelOnRequest) {
  const LoadedModel leg = load_model(kLeg, {.offer_mass = true});
  EXPECT_EQ(leg.mass_on_bones, std::optional(true));
  EXPECT_EQ(leg.system().muscles().size(), load_model(kLeg).system().muscles().size());
  const auto bone_mass = [&](bool on_bones) {
    double sum = 0;
    const System system = leg.build({.mass_on_bones = on_bones});
    for (const Body& body : system.skeleton().bodies()) sum += body.M_B.mass;
    return sum;
  };
  EXPECT_GT(bone_mass(true), bone_mass(false) + 1);  // 1.13 kg
}

TEST(LoadedModel, SetChangesBothKinds) {
  EXPECT_EQ(load_model(scene("arm"), {.set = {"gravity=[0,0,0]"}}).gravity, Vec3(0, 0, 0));
  EXPECT_EQ(load_model(kLeg, {.set = {"/gravity=0 0 0"}}).gravity, Vec3(0, 0, 0));
}

TEST(LoadedModel, DrivesAndStartsBothKindsByName) {
  struct Case {
    std::string file, muscle, coordinate;
  };
  for (const Case& c : {Case{scene("knee-spline"), "soleus", "ankle_angle"},
                        Case{kLeg, "soleus_r", "ankle_angle_r"}}) {
    const LoadedModel model = load_model(
        c.file,
        {.run = {.excitations = {c.muscle + "=0.7", "all=0.2"},
                 .initial = {c.coordinate + "=0.1", c.coordinate + "/speed=2",
                             c.muscle + "/activation=0.6", c.muscle + "/fiber_length=0.04"}}});
    const System system = model.system();
    const State state = initial_state(system, model.settings.step);
    EXPECT_EQ(control(system, c.muscle), 0.7);
    EXPECT_NEAR(value(system, c.coordinate, state.q), 0.1, 1e-9);
    EXPECT_NEAR(value(system, c.coordinate, state.qdot), 2, 1e-9);
    for (size_t k = 0; k < system.hill_muscles().size(); ++k) {
      const size_t muscle = system.hill_muscles()[k];
      const std::string& name = system.muscles()[muscle]->name();
      const bool named = name == c.muscle;
      if (!named) {
        EXPECT_EQ(control(system, name), 0.2);
        continue;
      }
      EXPECT_EQ(state.z[activation_index(system, k)], 0.6);
      EXPECT_EQ(state.z[fibre_index(system, k)], 0.04);
      // What is set counts, without the feedback of a coordinate.
      const auto at = static_cast<size_t>(system.muscle_control(muscle));
      EXPECT_FALSE(system.controls().entries()[at].feedback);
    }
    EXPECT_THAT(moved_starts(model, system, model.settings), IsEmpty());
  }
}

TEST(LoadedModel, TensionsOfASceneAreControls) {
  const File file(table("time\tbiceps", "0\t10\n1\t30\n"));
  const LoadedModel model = load_model(
      scene("arm"), {.run = {.excitations = {"triceps_long=50"}, .controls = file.path.string()}});
  const System system = model.system();
  EXPECT_EQ(control(system, "triceps_long"), 50);
  EXPECT_NEAR(control(system, "biceps", 0.5), 20, 1e-12);
  EXPECT_THAT(model.warnings, IsEmpty());
  const auto error = [&](RunOptions run) {
    return message_of([&] { load_model(scene("arm"), {.run = std::move(run)}); });
  };
  EXPECT_THAT(error({{"biceps=-1"}, {}, {}}), HasSubstr("do not push"));
  EXPECT_THAT(error({{"bicep=1"}, {}, {}}), HasSubstr("did you mean 'biceps'?"));
  EXPECT_THAT(error({{"all=0.5"}, {}, {}}), HasSubstr("no muscles with an excitation"));
  const File push(table("time\tbiceps", "0\t10\n1\t-30\n"));
  EXPECT_THAT(error({{}, push.path.string(), {}}), HasSubstr("tension below zero"));
}

TEST(LoadedModel, GoesOnFromTheTablesOfARun) {
  const File states(table("time\tknee_angle\tankle_angle\tknee_angle_u\tankle_angle_u",
                          "0.2\t-0.3\t0.1\t0.5\t-0.5\n"));
  const File muscles(
      table("time\tsoleus_length\tsoleus_activation\tsoleus_fibre_length", "0.2\t9\t0.3\t0.045\n"));
  const LoadedModel model = load_model(
      scene("knee-spline"), {.run = {.initial = {states.path.string(), muscles.path.string()}}});
  EXPECT_THAT(model.warnings, IsEmpty());
  EXPECT_EQ(model.start.values,
            (std::map<std::string, double>{{"ankle_angle", 0.1}, {"knee_angle", -0.3}}));
  EXPECT_EQ(model.start.speeds.at("ankle_angle"), -0.5);
  EXPECT_EQ(model.start.activations.at("soleus"), 0.3);
  EXPECT_EQ(model.start.fibre_lengths.at("soleus"), 0.045);
}

TEST(LoadedModel, StartsCoordinatesThatOthersDependOn) {
  const LoadedModel model = load_model(
      scene("hand"), {.set = {"constraints=[]"}, .run = {.initial = {"index_pip=-0.5"}}});
  const System system = model.system();
  const State state = initial_state(system, model.settings.step);
  EXPECT_EQ(value(system, "index_pip", state.q), -0.5);
  const Skeleton& skeleton = system.skeleton();
  const auto dip = static_cast<size_t>(skeleton.find_coordinate("index_dip").value);
  EXPECT_NEAR(skeleton.coordinates()[dip].q0, -0.25, 1e-15);  // half of it
  EXPECT_THAT(
      message_of([] { load_model(scene("hand"), {.run = {.initial = {"index_dip=0.1"}}}); }),
      HasSubstr("'index_dip' depends on others"));
}

TEST(LoadedModel, SaysWhereConstraintsMoveTheStart) {
  const LoadedModel model = load_model(scene("four-bar"), {.run = {.initial = {"crank_angle=1"}}});
  EXPECT_THAT(moved_starts(model, model.system(), model.settings),
              ElementsAre(HasSubstr("'crank_angle' starts at")));
}

TEST(LoadedModel, WhatAStartCannotDoIsAnError) {
  const auto error = [&](const std::string& name, const std::string& initial) {
    return message_of([&] { load_model(name, {.run = {.initial = {initial}}}).system(); });
  };
  EXPECT_THAT(error(scene("soft-finger"), "mcp=0.3"), HasSubstr("soft bodies are placed"));
  EXPECT_THAT(error(scene("arm"), "elbow_flexon=0.3"), HasSubstr("'elbow_flexion'"));
  EXPECT_THAT(error(scene("arm"), "biceps/activation=0.3"), HasSubstr("no 'biceps' with a"));
  // Elements that a reader does not know are for OpenSim's models.
  EXPECT_THAT(message_of([] { load_model(scene("arm"), {.strict = true}); }),
              HasSubstr("scenes are always strict"));
}

TEST(LoadedModel, MusclesWhoseStateFollowsCannotStartElsewhere) {
  ModelInputs inputs;
  inputs.muscles = {{"quick", true, false}, {"stiff", false, true}};
  RunStart run;
  EXPECT_THAT(message_of([&] { set_initial("quick/activation=0.1", inputs, run); }),
              HasSubstr("is its excitation"));
  EXPECT_THAT(message_of([&] { set_initial("stiff/fibre_length=0.1", inputs, run); }),
              HasSubstr("follows from its path"));
  set_initial("stiff/activation=0.1", inputs, run);
  EXPECT_EQ(run.activations.at("stiff"), 0.1);
}

TEST(LoadedModel, NamesThatASystemDoesNotHaveAreErrorsOfItsBuilder) {
  const OsimModel model = parse_osim(test::muscle_model(), "flexor.osim");
  const auto error = [&](const RunStart& run) {
    return message_of([&] { model.system_builder(run).build(); });
  };
  RunStart run;
  run.controls.emplace("flexr", 0.1);
  EXPECT_THAT(error(run), HasSubstr("did you mean 'flexor'?"));
  run = {};
  run.values["angel"] = 1;
  EXPECT_THAT(error(run), HasSubstr("did you mean 'angle'?"));
  run = {};
  run.activations["flexr"] = 1;
  EXPECT_THAT(error(run), HasSubstr("did you mean 'flexor'?"));
}

TEST(LoadedModel, BlendsActivationsOnRequest) {
  const auto kinds = [](const System& system) {
    std::set<ActivationDynamics::Kind> out;
    for (const auto& muscle : system.muscles())
      if (muscle->muscle().hill) out.insert(muscle->muscle().hill->activation.kind);
    return out;
  };
  using Kinds = std::set<ActivationDynamics::Kind>;
  const Kinds piecewise = {ActivationDynamics::Kind::piecewise},
              blended = {ActivationDynamics::Kind::blended};
  EXPECT_EQ(kinds(load_model(kLeg).system()), piecewise);
  EXPECT_EQ(kinds(load_model(kLeg, {.blended_activation = true}).system()), blended);
  EXPECT_EQ(kinds(load_model(scene("knee-spline")).system()), piecewise);
  LoadOptions options;
  options.set = {"muscles.activation_law=blended"};
  EXPECT_EQ(kinds(load_model(scene("knee-spline"), options).system()), blended);
}

}  // namespace loaded_model_test
}  // namespace sinew

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/program.hpp"

/// What the program tells about muscles.

namespace sinew::test {
namespace {

using nlohmann::json;
using testing::HasSubstr;

TEST(MusclesCli, ListsLengthsAndMomentArms) {
  const ProgramResult result = run_program("muscles wrap-touch-down --json");
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const json muscle = json::parse(result.out)["muscles"][0];
  EXPECT_EQ(muscle["name"], "muscle");
  EXPECT_GT(muscle["wrapped_angle"], 0.1);
  EXPECT_LT(muscle["moment_arms"]["x"], -0.9);
  EXPECT_EQ(muscle["path"].size(), 4u);
}

TEST(MusclesCli, WritesMomentArmsOverTheRangeOfACoordinate) {
  const TemporaryFolder folder;
  const std::string file = (folder / "arms.csv").string();
  const ProgramResult result = run_program(
      "muscles rat-knee --coordinate knee --range -1 1 --samples 3 --out '" + file + "'");
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(read_file(file), HasSubstr("time,knee,biceps_femoris_posterior_length,"
                                         "biceps_femoris_posterior_knee_moment_arm\n0,-1,"));
}

TEST(MusclesCli, InfoTellsHowHillMusclesBegin) {
  const ProgramResult result = run_program("info knee-revolute --json");
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const json soleus = json::parse(result.out)["muscles"][2];
  ASSERT_TRUE(soleus.contains("hill"));
  EXPECT_EQ(soleus["hill"]["max_isometric_force"], 3549);
  EXPECT_EQ(soleus["hill"]["activation"], 0.05);
  // In equilibrium: activated by 0.05, it carries at most that share and what is passive.
  EXPECT_GT(soleus["hill"]["tension"], 1);
  EXPECT_LT(soleus["hill"]["tension"], 0.1 * 3549);
  EXPECT_THAT(run_program("info knee-revolute").out,
              HasSubstr("soleus is a Hill muscle of 3549 N"));
}

TEST(MusclesCli, HillMusclesLeaveTheirStates) {
  const TemporaryFolder folder;
  const ProgramResult result =
      run_program("simulate knee-revolute --until 0.05 --out '" + folder.path().string() + "'");
  ASSERT_EQ(result.exit_code, 0) << result.err;
  std::istringstream table(read_file(folder / "muscles.sto"));
  std::string line, labels, row;
  while (std::getline(table, line) && line != "endheader") {
  }
  std::getline(table, labels);
  while (std::getline(table, line)) row = line;
  const auto value = [&](const std::string& label) {
    std::istringstream names(labels), numbers(row);
    std::string name;
    double number = 0;
    while (names >> name && numbers >> number)
      if (name == label) return number;
    return -1.0;
  };
  // Proportional control pulls the foot up from −0.2 rad: excitation 0.42, and the activation on
  // its way there from 0.05.
  EXPECT_GT(value("tibialis_anterior_activation"), 0.2);
  EXPECT_LT(value("tibialis_anterior_activation"), 0.45);
  EXPECT_GT(value("tibialis_anterior_tension"), 50);
  EXPECT_GT(value("soleus_fibre_length"), 0.03);
  EXPECT_LT(value("soleus_fibre_length"), 0.07);
}

TEST(MusclesCli, RanksMuscles) {
  const ProgramResult result = run_program("muscles triceps-surae --rank --samples 5 --json");
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const json muscles = json::parse(result.out)["muscles"];
  ASSERT_EQ(muscles.size(), 3u);
  EXPECT_EQ(muscles[0]["name"], "soleus");
  EXPECT_EQ(muscles[2]["name"], "gastrocnemius_lateralis");
  EXPECT_NEAR(muscles[0]["largest"].get<double>(), 0.2758 * 0.0025 / 3 / 0.00495, 1e-12);
}

TEST(MusclesCli, InfoListsMusclesWithTheirMassAndSurfaces) {
  const ProgramResult result = run_program("info wrap-family --json");
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const json muscles = json::parse(result.out)["muscles"];
  ASSERT_EQ(muscles.size(), 6u);
  EXPECT_EQ(muscles[0]["mass"], 1);
  EXPECT_EQ(muscles[0]["wraps"], json::array({"cylinder"}));
  EXPECT_EQ(muscles[5]["mass_model"], "lumped");
}

TEST(MusclesCli, ARunWritesLengthsRatesTensionsAndWrappedAngles) {
  const TemporaryFolder folder;
  const ProgramResult result = run_program(
      "simulate wrap-pendulum --until 0.01 --format csv --out '" + folder.path().string() + "'");
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(read_file(folder / "muscles.csv"),
              HasSubstr("time,muscle_length,muscle_rate,muscle_tension,muscle_wrapped_angle\n"));
  EXPECT_THAT(read_file(folder / "run.json"), HasSubstr("\"steps_without_path\": 0"));
}

TEST(MusclesCli, ARunWhoseMuscleLosesItsPathSaysWhichAndWhen) {
  const ProgramResult result = run_program(
      "simulate wrap-pendulum --until 0.2 --set bodies.lower.joint.q0=-1.5 "
      "--set bodies.lower.joint.qdot0=-2 --json");
  EXPECT_THAT(result.err, HasSubstr("AUDIT FAILED: muscle 'muscle' lost its path at t = 0.0"));
  const json lost = json::parse(result.out)["audit"]["lost_path"];
  EXPECT_EQ(lost["muscle"], "muscle");
}

TEST(MusclesCli, NamesWhatIsWrong) {
  EXPECT_THAT(run_program("muscles whip").err, HasSubstr("whip: has no muscles"));
  EXPECT_THAT(run_program("muscles wrap-pendulum --coordinate elbo").err,
              HasSubstr("did you mean 'elbow'?"));
  EXPECT_EQ(run_program("muscles wrap-pendulum --samples 0").exit_code, 2);
}

}  // namespace
}  // namespace sinew::test

#include <gmock/gmock.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "cli/program.hpp"
#include "support/source_dir.hpp"

/// `sinew id` and `sinew compare-inertia` on the leg that comes with the program.

namespace sinew::test {
namespace motion_study_test {

using nlohmann::json;
using testing::HasSubstr;

const std::string kLeg = source_dir() + "/models/leg/leg.osim ";
const std::string kSwing = source_dir() + "/models/leg/swing_19.1kmh.mot ";
const std::string kShank =
    "--muscles " + source_dir() +
    "/models/leg/muscles.csv --segment tibia_r:0.8:gasmed_r,gaslat_r,soleus_r,tibant_r ";

const std::string kMassInShank = "--muscle-mass" + kShank.substr(std::string("--muscles").size());

json run_json(const std::string& arguments) {
  const ProgramResult result = run_program(arguments + " --json");
  EXPECT_EQ(result.exit_code, 0) << result.err;
  return json::parse(result.out, nullptr, false);
}

json moment(const json& report, const std::string& name) {
  for (const json& m : report["moments"])
    if (m["name"] == name) return m;
  return {};
}

TEST(MotionStudy, WritesInverseDynamicsAsOpenSimNamesIt) {
  const TemporaryFolder folder;
  const json report = run_json("id " + kLeg + kSwing + "--out " + folder.path().string());
  EXPECT_EQ(report["samples"], 102);
  const std::string table = read_file(folder / "swing_19.1kmh_InverseDynamics.sto");
  EXPECT_THAT(table, HasSubstr("pelvis_tilt_moment"));
  EXPECT_THAT(table, HasSubstr("pelvis_ty_force"));
  EXPECT_EQ(json::parse(read_file(folder / "run.json"))["moments"], report["moments"]);
}

TEST(MotionStudy, MusclesOfTheShankChangeTheAnklesMoment) {
  const json report = run_json("compare-inertia " + kLeg + kSwing + kShank);
  double moved = 0;
  for (const json& move : report["moved"]) moved += move["mass"].get<double>();
  EXPECT_NEAR(moved, 0.8 * 3.248, 1e-3);  // of the shank's mass
  const json ankle = moment(report, "ankle_angle_r_moment");
  const double change = std::max(std::abs(ankle["highest_change"].get<double>()),
                                 std::abs(ankle["lowest_change"].get<double>()));
  EXPECT_GT(change, 0.1);  // tens of per cent, as published for runs
  EXPECT_EQ(ankle["causes"].size(), 4u);
  // All mass on the bones gives the result of `id`.
  const json id =
      moment(run_json("id " + kLeg + kSwing + "--start 0 --end 0.4451"), "ankle_angle_r_moment");
  EXPECT_NEAR(id["highest"].get<double>(), ankle["highest"].get<double>(), 1e-9);
}

TEST(MotionStudy, TheAnklesPeakGrowsWithSpeed) {
  // Verheul et al. 2023, a model on recorded motions of runners: plantarflexion changes by 24 to
  // 42 %, more the faster the run, by 0.8 to 1.6 N m rms. Our motions are synthetic, the bounds are
  // the published ones, a tenth wider; seen here 27, 28, 31, 32 % and 0.75 to 1.28 N m.
  double last_change = 0, last_rms = 0;
  for (const char* speed : {"10", "13", "17", "19.1"}) {
    const json ankle = moment(run_json("compare-inertia " + kLeg + source_dir() +
                                       "/models/leg/swing_" + speed + "kmh.mot " + kShank),
                              "ankle_angle_r_moment");
    const double change = ankle["lowest_change"], rms = ankle["rms_difference"];
    EXPECT_GT(change, last_change) << speed;
    EXPECT_GT(rms, last_rms) << speed;
    EXPECT_GT(change, 0.9 * 0.24) << speed;
    EXPECT_LT(change, 1.1 * 0.42) << speed;
    EXPECT_GT(rms, 0.9 * 0.8) << speed;
    EXPECT_LT(rms, 1.1 * 1.6) << speed;
    last_change = change;
    last_rms = rms;
  }
}

TEST(MotionStudy, MeasuredMassesOfMusclesChangeTheAnkleByAFifthOfThat) {
  // The four muscles of muscles.csv weigh 0.5316 kg, 0.164 of the shank's 3.248 kg. The change of
  // the moment is linear in the share, that of its peak nearly so: 0.164/0.8 of 32.4 % is 6.6 %.
  const std::string measured =
      "--muscles " + source_dir() +
      "/models/leg/muscles.csv --segment tibia_r:0.164:gasmed_r,gaslat_r,soleus_r,tibant_r ";
  const json report = run_json("compare-inertia " + kLeg + kSwing + measured);
  double moved = 0;
  for (const json& move : report["moved"]) moved += move["mass"].get<double>();
  EXPECT_NEAR(moved, 0.5316, 0.002);  // 0.164 has three digits
  // The peak moves along the curve by second order in the change: 0.066² < 0.005.
  EXPECT_NEAR(moment(report, "ankle_angle_r_moment")["lowest_change"].get<double>(), 0.066, 0.005);
  EXPECT_NEAR(moment(report, "ankle_angle_r_moment")["highest_change"].get<double>(), -0.026,
              0.005);
}

/// The sentence, the table and the numbers say the same.
TEST(MotionStudy, JudgesMuscleMassBesideFilterAndInertias) {
  const json report = run_json("compare-inertia " + kLeg + kSwing + kShank + "--share 1,0.205,0");
  const json ankle = moment(report, "ankle_angle_r_moment");
  EXPECT_EQ(report["samples"], 90) << "from toe-off to touch-down";
  EXPECT_EQ(ankle["verdict"], "may matter");
  EXPECT_LT(ankle["least_change"], ankle["change_by_filter"]);
  EXPECT_GT(ankle["most_change"], ankle["change_by_filter"]);
  EXPECT_NEAR(ankle["change_by_inertia"].get<double>(), 0.1, 0.001) << "the foot's alone";
  EXPECT_EQ(report["answer"]["sentence"], "Muscle mass may matter for ankle_angle_r.");
  EXPECT_FALSE(report["answer"]["stands_out"].get<bool>());
  EXPECT_EQ(moment(report, "hip_adduction_r_moment")["verdict"], "small moment");
  // One column for each further share: proportional to it, and nothing with none.
  ASSERT_EQ(ankle["shares"].size(), 2u);
  EXPECT_NEAR(ankle["shares"][0]["largest_difference"].get<double>(),
              0.205 * ankle["largest_difference"].get<double>(), 1e-9);
  EXPECT_EQ(ankle["shares"][1]["largest_difference"], 0);
  const ProgramResult printed = run_program("compare-inertia " + kLeg + kSwing + kShank);
  EXPECT_THAT(printed.out, HasSubstr("12 rows within 0.03 s of the ends"));
  EXPECT_THAT(printed.out, HasSubstr("Muscle mass may matter for ankle_angle_r."));
  EXPECT_THAT(printed.out, testing::Not(HasSubstr("pelvis_tilt ")));
}

TEST(MotionStudy, WritesAColumnForEveryShare) {
  const TemporaryFolder folder;
  run_json("compare-inertia " + kLeg + kSwing + kShank + "--share 1,0.5 --report --out " +
           folder.path().string());
  const std::string table = read_file(folder / "moments.sto");
  EXPECT_NE(table.find("ankle_angle_r_moment_bones\t"), std::string::npos);
  EXPECT_NE(table.find("ankle_angle_r_moment_muscles\t"), std::string::npos);
  EXPECT_NE(table.find("ankle_angle_r_moment_muscles_0.5\n"), std::string::npos);
  EXPECT_NE(read_file(folder / "report.html").find("share 0.5"), std::string::npos);
}

TEST(MotionStudy, AnswersWithoutOptions) {
  const json report = run_json("compare-inertia " + kLeg + kSwing);
  const json& placement = report["placement"];
  EXPECT_EQ(placement["rule"], "strength") << "six muscles are not those of a leg";
  EXPECT_NEAR(placement["moved"].get<double>(), 1.13, 0.005);
  EXPECT_THAT(placement["remarks"][0].get<std::string>(), HasSubstr("fewer than a leg's muscles"));
  EXPECT_GT(moment(report, "ankle_angle_r_moment")["lowest_change"].get<double>(), 0.05);
}

TEST(MotionStudy, BelliesByTheRuleAreThoseOfTheTableWithinFourPoints) {
  const TemporaryFolder folder;
  std::ofstream(folder / "masses.csv")
      << "muscle,mass\ngasmed_r,0.1135\ngaslat_r,0.0622\nsoleus_r,0.2758\ntibant_r,0.0801\n";
  const std::string shank =
      "--segment tibia_r:0.8:gasmed_r,gaslat_r,soleus_r,tibant_r --muscle-mass ";
  const std::string table = source_dir() + "/models/leg/muscles.csv";
  for (const char* speed : {"10", "19.1"}) {
    const std::string question = "compare-inertia " + kLeg + source_dir() + "/models/leg/swing_" +
                                 speed + "kmh.mot " + shank;
    const json measured = run_json(question + table);
    const json by_rule = run_json(question + (folder / "masses.csv").string());
    for (const char* name : {"knee_angle_r_moment", "ankle_angle_r_moment"})
      for (const char* change : {"highest_change", "lowest_change"})
        EXPECT_NEAR(moment(by_rule, name)[change].get<double>(),
                    moment(measured, name)[change].get<double>(), 0.04)
            << name << " at " << speed << " km/h";
  }
}

/// Scenes that add muscles to their bones: the same mass on the bones is the other case.
TEST(MotionStudy, ComparesScenesThatAddMuscles) {
  for (const char* scene : {"triceps-surae", "rat-knee", "muscle-pendulums", "finger"}) {
    const TemporaryFolder folder;
    run_json("simulate " + std::string(scene) + " --until 0.1 --out " + folder.path().string());
    const json report =
        run_json("compare-inertia " + std::string(scene) + " " + (folder / "states.sto").string());
    EXPECT_FALSE(report["answer"]["sentence"].get<std::string>().empty()) << scene;
    EXPECT_GT(report["placement"]["moved"].get<double>(), 0) << scene;
  }
}

TEST(MotionStudy, SimulatesWithMassInTheMuscles) {
  const TemporaryFolder folder;
  const std::string run = "simulate " + kLeg + "--until 0.02 ";
  const json bones = run_json(run), off = run_json(run + "--muscle-mass off");
  EXPECT_EQ(bones["final_hash"], off["final_hash"]) << "to the bit";
  const json massive =
      run_json(run + "--muscle-mass strength --report --out " + folder.path().string());
  EXPECT_NE(massive["final_hash"], bones["final_hash"]);
  EXPECT_NEAR(massive["muscle_mass"]["moved"].get<double>(), 1.13, 0.005);
  // The report reads the run with the same masses.
  const json record = json::parse(read_file(folder / "run.json"));
  EXPECT_EQ(record["muscle_mass"]["options"]["muscle_mass"], "strength");
  EXPECT_THAT(read_file(folder / "report.html"), HasSubstr("soleus_r"));
}

/// One option, one system behind all: `id` with mass gives the second curve of `compare-inertia`.
TEST(MotionStudy, InverseDynamicsTakesTheSameOptions) {
  const std::string times = " --start 0 --end 0.4451 ";
  const json id = run_json("id " + kLeg + kSwing + kMassInShank + times);
  const json compared = run_json("compare-inertia " + kLeg + kSwing + kMassInShank);
  const json ankle = moment(compared, "ankle_angle_r_moment");
  EXPECT_NEAR(moment(id, "ankle_angle_r_moment")["lowest"].get<double>(),
              ankle["lowest"].get<double>() * (1 + ankle["lowest_change"].get<double>()), 1e-9);
  EXPECT_NEAR(id["muscle_mass"]["moved"].get<double>(), 0.8 * 3.248, 1e-3);
  const json bones = run_json("id " + kLeg + kSwing + times);
  EXPECT_EQ(bones["moments"],
            run_json("id " + kLeg + kSwing + "--muscle-mass off" + times)["moments"]);
  EXPECT_NEAR(run_json("bench " + kLeg +
                       "--seconds 0.01 --muscle-mass strength")["results"][1]["muscle_mass"]
                  .get<double>(),
              1.13, 0.005);
}

TEST(MotionStudy, MistakesAreNamed) {
  const auto error = [](const std::string& arguments) {
    const ProgramResult result = run_program(arguments);
    EXPECT_EQ(result.exit_code, 2) << arguments;
    return result.err;
  };
  EXPECT_THAT(error("compare-inertia " + kLeg + kSwing + "--segment tibia:0.8:soleus_r"),
              HasSubstr("there is no body 'tibia'"));
  EXPECT_THAT(error("compare-inertia " + kLeg + kSwing + "--segment tibia_r:0.8:soleus"),
              HasSubstr("did you mean 'soleus_r'"));
  EXPECT_THAT(error("compare-inertia " + kLeg + kSwing + "--segment tibia_r:much:soleus_r"),
              HasSubstr("is not body:share:muscles"));
  EXPECT_THAT(error("compare-inertia " + kLeg + kSwing + "--muscle-mass heavy"),
              HasSubstr("is not a source of masses"));
  EXPECT_THAT(error("compare-inertia " + kLeg + kSwing + "--muscle-mass off"),
              HasSubstr("leaves nothing to compare"));
  EXPECT_THAT(error("compare-inertia " + kLeg + kSwing + "--specific-tension 0.05 --strict"),
              HasSubstr("the largest share of the muscles' masses that works is"));
  EXPECT_THAT(error("compare-inertia " + kLeg + kSwing + "--share 1,-1"),
              HasSubstr("--share: '-1' is negative"));
  EXPECT_THAT(error("id " + kLeg + kSwing + "--height 0 --muscle-mass volumes"),
              HasSubstr("'0' is not a positive number"));
  EXPECT_THAT(error("id " + kLeg + "nowhere.mot"), HasSubstr("nowhere.mot"));
  EXPECT_THAT(error("id " + kLeg + kSwing + "--start 5"),
              HasSubstr("its times are -0.03 to 0.475 s"));
  EXPECT_THAT(error("id " + kLeg + kSwing + "--set gravity=[0,0,0]"), HasSubstr("<gravity>"));
}

}  // namespace motion_study_test
}  // namespace sinew::test

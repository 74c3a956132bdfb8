#include <gmock/gmock.h>

#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/program.hpp"
#include "support/source_dir.hpp"

/// The program's output about muscles.

namespace sinew::test {
namespace muscles_test {

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
  // In equilibrium: activated by 0.05, it carries at most that share and the passive force.
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
  const ProgramResult result = run_program("muscles triceps-surae --rank --json");
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const json record = json::parse(result.out);
  EXPECT_EQ(record["settled"], true);
  EXPECT_EQ(record["mirrored"], false);
  const json muscles = record["muscles"];
  ASSERT_EQ(muscles.size(), 3u);
  EXPECT_EQ(muscles[0]["name"], "gastrocnemius_medialis");
  EXPECT_EQ(muscles[2]["name"], "gastrocnemius_lateralis");
  for (const json& m : muscles)  // across one hinge it does not depend on the pose
    EXPECT_NEAR(m["percentile_95"].get<double>(), m["mean"].get<double>(), 1e-12);
  const ProgramResult few = run_program("muscles triceps-surae --rank --samples 5");
  EXPECT_THAT(few.out, HasSubstr("over 5 poses"));
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

const std::string kLeg = source_dir() + "/models/leg/leg.osim ";
const std::string kSwing = source_dir() + "/models/leg/swing_19.1kmh.mot ";

/// Columns of an .sto table, by their labels.
std::map<std::string, std::vector<double>> read_table(const std::filesystem::path& path) {
  std::istringstream text(read_file(path));
  std::string line;
  while (std::getline(text, line) && line != "endheader") {
  }
  std::getline(text, line);
  std::istringstream head(line);
  std::vector<std::string> labels;
  for (std::string label; std::getline(head, label, '\t');) labels.push_back(label);
  std::map<std::string, std::vector<double>> out;
  while (std::getline(text, line)) {
    std::istringstream row(line);
    for (const std::string& label : labels) {
      double x = 0;
      row >> x;
      out[label].push_back(x);
    }
  }
  return out;
}

TEST(MusclesCli, AMotionOfAModelGivesTheTablesOfOpenSimsMuscleAnalysis) {
  const TemporaryFolder folder;
  const std::string stem = "swing_19.1kmh_MuscleAnalysis_";
  const ProgramResult result = run_program(
      "muscles " + kLeg + kSwing + "--activation 0.3 --json --out " + folder.path().string());
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const json record = json::parse(result.out);
  EXPECT_EQ(record["samples"], 102);
  EXPECT_EQ(record["muscles"].size(), 6u);
  for (const char* name : {"Length",
                           "LengtheningSpeed",
                           "FiberLength",
                           "NormalizedFiberLength",
                           "TendonLength",
                           "FiberVelocity",
                           "NormFiberVelocity",
                           "PennationAngle",
                           "PennationAngularVelocity",
                           "TendonForce",
                           "FiberForce",
                           "ActiveFiberForce",
                           "PassiveFiberForce",
                           "ActiveFiberForceAlongTendon",
                           "PassiveFiberForceAlongTendon",
                           "FiberActivePower",
                           "FiberPassivePower",
                           "TendonPower",
                           "MuscleActuatorPower",
                           "MomentArm_ankle_angle_r",
                           "Moment_ankle_angle_r"})
    EXPECT_TRUE(std::filesystem::exists(folder / (stem + name + ".sto"))) << name;
  const auto table = [&](const std::string& name) {
    return read_table(folder / (stem + name + ".sto"));
  };
  const auto force = table("TendonForce"), arm = table("MomentArm_ankle_angle_r"),
             moment = table("Moment_ankle_angle_r"), speed = table("LengtheningSpeed"),
             power = table("MuscleActuatorPower"), active = table("FiberActivePower"),
             passive = table("FiberPassivePower"), tendon = table("TendonPower");
  for (const auto& [muscle, values] : force) {
    if (muscle == "time") continue;
    ASSERT_EQ(values.size(), 102u);
    for (size_t k = 0; k < values.size(); ++k) {
      EXPECT_EQ(moment.at(muscle)[k], arm.at(muscle)[k] * values[k]);
      EXPECT_EQ(power.at(muscle)[k], -values[k] * speed.at(muscle)[k]);
      // Fibre and tendon carry the same force to 1e-8 of some thousand newtons.
      EXPECT_NEAR(active.at(muscle)[k] + passive.at(muscle)[k] + tendon.at(muscle)[k],
                  power.at(muscle)[k], 1e-4);
    }
  }
}

TEST(MusclesCli, StatesAndControlsDriveTheMuscles) {
  const TemporaryFolder folder;
  std::ofstream(folder / "states.sto") << "states\nversion=1\nnRows=2\nnColumns=2\nendheader\n"
                                          "time\tsoleus_r.activation\n0\t0.1\n0.3\t0.9\n";
  std::ofstream(folder / "controls.sto") << "controls\nversion=1\nnRows=2\nnColumns=2\nendheader\n"
                                            "time\tsoleus_r\n0\t0.1\n0.3\t0.1\n";
  const auto force = [&](const std::string& option) {
    const ProgramResult result = run_program("muscles " + kLeg + kSwing + option + " --json");
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_THAT(result.err, HasSubstr(option.empty() ? "" : "has no column for"));
    const json record = json::parse(result.out);
    for (const json& m : record["muscles"])
      if (m["name"] == "soleus_r") return m["largest_tendon_force"].get<double>();
    return 0.0;
  };
  const double rising = force("--states " + (folder / "states.sto").string());
  const double low = force("--controls " + (folder / "controls.sto").string());
  EXPECT_GT(rising, 2 * low);
  EXPECT_GT(low, 0);
}

// Thelen's fibres cannot follow a knee at 400 rad/s: their velocity has no damping.
TEST(MusclesCli, InstantsWithoutEquilibriumAreAFailure) {
  const TemporaryFolder folder;
  std::string model = read_file(source_dir() + "/models/leg/leg.osim");
  const std::string millard = "Millard2012EquilibriumMuscle";
  for (size_t at = 0; (at = model.find(millard, at)) != std::string::npos;)
    model.replace(at, millard.size(), "Thelen2003Muscle");
  std::ofstream(folder / "thelen.osim") << model;
  std::ofstream(folder / "fast.mot")
      << "m\nversion=1\nnRows=5\nnColumns=2\ninDegrees=no\nendheader\ntime\tknee_angle_r\n"
         "0\t0\n0.001\t-0.4\n0.002\t-0.8\n0.003\t-1.2\n0.004\t-1.6\n";
  const std::string command = "muscles " + (folder / "thelen.osim").string() + " " +
                              (folder / "fast.mot").string() + " --json --out " +
                              (folder / "out").string() + " --activation ";
  const ProgramResult result = run_program(command + "1");
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_THAT(result.err, HasSubstr("muscle 'recfem_r' has no equilibrium with a moving fibre at "
                                    "4 of the instants: there its fibre is at rest"));
  // The tables are written all the same.
  EXPECT_EQ(json::parse(result.out)["samples"], 5);
  EXPECT_TRUE(std::filesystem::exists(folder / "out" / "run.json"));
  EXPECT_EQ(run_program(command + "0.05").exit_code, 0);
}

TEST(MusclesCli, ModelsHaveADefaultPoseASweepAndRanks) {
  const ProgramResult pose = run_program("muscles " + kLeg + "--json");
  ASSERT_EQ(pose.exit_code, 0) << pose.err;
  const json first = json::parse(pose.out)["muscles"][0];
  EXPECT_GT(first["tendon_force"], 0);
  EXPECT_GT(first["length"], 0.1);
  const ProgramResult sweep =
      run_program("muscles " + kLeg + "--coordinate ankle_angle_r --samples 3 --json");
  ASSERT_EQ(sweep.exit_code, 0) << sweep.err;
  EXPECT_EQ(json::parse(sweep.out)["rows"].size(), 3u);
  const ProgramResult ranks = run_program("muscles " + kLeg + "--rank --samples 3 --json");
  ASSERT_EQ(ranks.exit_code, 0) << ranks.err;
  const json list = json::parse(ranks.out)["muscles"];
  ASSERT_GT(list.size(), 0u);
  EXPECT_GT(list[0]["mass"], 0);
  EXPECT_GT(list[0]["percentile_95"], 0);
}

TEST(MusclesCli, ScenesHaveMotionsToo) {
  const TemporaryFolder folder;
  std::ofstream(folder / "m.mot") << "m\nversion=1\nnRows=3\nnColumns=2\ninDegrees=no\nendheader\n"
                                     "time\telbow\n0\t0\n0.1\t0.1\n0.2\t0.3\n";
  const ProgramResult result =
      run_program("muscles wrap-pendulum " + (folder / "m.mot").string() + " --json");
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const json muscle = json::parse(result.out)["muscles"][0];
  EXPECT_GT(muscle["fastest"], 0);
  EXPECT_FALSE(muscle.contains("largest_tendon_force"));
}

TEST(MusclesCli, NamesWhatIsWrongWithMotions) {
  const TemporaryFolder folder;
  const auto error = [](const std::string& arguments) {
    const ProgramResult result = run_program("muscles " + arguments);
    EXPECT_EQ(result.exit_code, 2) << arguments;
    return result.err;
  };
  EXPECT_THAT(error(kLeg + "--coordinate ankle_angel_r"),
              HasSubstr("did you mean 'ankle_angle_r'?"));
  EXPECT_THAT(error(kLeg + kSwing + "--activation 1.5"), HasSubstr("1.5"));
  EXPECT_THAT(error(kLeg + kSwing + "--activation much"), HasSubstr("--activation"));
  EXPECT_THAT(error(kLeg + "--activation 0.5"), HasSubstr("--activation"));
  EXPECT_THAT(error(kLeg + kSwing + "--rank"), HasSubstr("take no motion"));
  EXPECT_THAT(error(kLeg + "nowhere.mot"), HasSubstr("nowhere.mot"));
  EXPECT_THAT(error(kLeg + kSwing + "--states " + kSwing), HasSubstr("has no muscle of the model"));
  EXPECT_THAT(error(kLeg + kSwing + "--states nowhere.sto"), HasSubstr("nowhere.sto"));
  EXPECT_THAT(error(kLeg + kSwing + "--start 5"), HasSubstr("its times are"));
  EXPECT_THAT(error(kLeg + "--out somewhere"), HasSubstr("needs a motion or --coordinate"));
  EXPECT_THAT(error(kLeg + "--set gravity=[0,0,0]"), HasSubstr("<gravity>"));
  EXPECT_THAT(error("wrap-pendulum " + kSwing), HasSubstr("has no coordinate of the model"));
  std::ofstream(folder / "one.mot")
      << "m\nversion=1\nnRows=2\nnColumns=2\ninDegrees=no\nendheader\n"
         "time\tankle_angle_r\n0\t0\n0.1\t0.1\n0.2\t0.1\n";
  const ProgramResult part = run_program("muscles " + kLeg + (folder / "one.mot").string());
  EXPECT_EQ(part.exit_code, 0);
  EXPECT_THAT(part.err, HasSubstr("they keep their default values"));
}

TEST(MusclesCli, ListsMaterialPoints) {
  const ProgramResult result = run_program("muscles rat-knee --points 2 --json");
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const json muscles = json::parse(result.out)["muscles"];
  ASSERT_GT(muscles.size(), 0u);
  const json& points = muscles[0]["points"];
  ASSERT_EQ(points.size(), 2u);
  EXPECT_EQ(points[0]["material"], 0.25);
  EXPECT_EQ(points[1]["velocity"], json::array({0.0, 0.0, 0.0}));
  ASSERT_GT(points[1]["jacobian"].size(), 0u);
  const ProgramResult text = run_program("muscles rat-knee --points 2");
  EXPECT_THAT(text.out, HasSubstr("material points in the default pose"));
  const ProgramResult leg = run_program("muscles " + kLeg + "--points 1 --json");
  ASSERT_EQ(leg.exit_code, 0) << leg.err;
  EXPECT_EQ(json::parse(leg.out)["muscles"].size(), 6u);
}

TEST(MusclesCli, PointsAlongAMotionMoveAsTheirVelocitiesSay) {
  const TemporaryFolder folder;
  const std::string out = (folder / "points").string();
  const ProgramResult result =
      run_program("muscles " + kLeg + kSwing + "--points 3 --format csv --json --out " + out);
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(json::parse(result.out)["points"], 3);
  const auto rows = [&](const std::string& quantity) {
    std::istringstream table(
        read_file(folder / ("points/swing_19.1kmh_MusclePoints_" + quantity + ".csv")));
    std::string line;
    std::getline(table, line);
    EXPECT_THAT(line, HasSubstr("soleus_r_2_"));
    std::vector<std::vector<double>> all;
    while (std::getline(table, line)) {
      std::istringstream cells(line);
      std::string cell;
      for (all.emplace_back(); std::getline(cells, cell, ',');)
        all.back().push_back(std::stod(cell));
    }
    return all;
  };
  const auto x = rows("Position"), v = rows("Velocity"), J = rows("Jacobian");
  ASSERT_EQ(x.size(), v.size());
  ASSERT_EQ(x.size(), J.size());
  ASSERT_GT(x.size(), 10u);
  ASSERT_EQ(x[0].size(), 1 + 6u * 3 * 3);
  double largest = 0, fastest = 0;
  for (size_t k = 1; k + 1 < x.size(); ++k)
    for (size_t c = 1; c < x[k].size(); ++c) {
      const double difference = (x[k + 1][c] - x[k - 1][c]) / (x[k + 1][0] - x[k - 1][0]);
      largest = std::max(largest, std::abs(difference - v[k][c]));
      fastest = std::max(fastest, std::abs(v[k][c]));
    }
  EXPECT_GT(fastest, 1);
  EXPECT_LT(largest, 0.02 * fastest);  // O(h²) of the motion's rows
}

TEST(MusclesCli, NamesWhatIsWrongWithPoints) {
  const auto error = [](const std::string& arguments) {
    const ProgramResult result = run_program("muscles " + arguments);
    EXPECT_EQ(result.exit_code, 2) << arguments;
    return result.err;
  };
  EXPECT_THAT(error("rat-knee --points 0"), HasSubstr("--points: is out of range"));
  EXPECT_THAT(error("rat-knee --points 2 --rank"), HasSubstr("does not go with --rank"));
  EXPECT_THAT(error(kLeg + kSwing + "--points 2"), HasSubstr("add --out FOLDER"));
  EXPECT_THAT(error(kLeg + kSwing + "--points 2 --activation 0.5 --out x"),
              HasSubstr("does not go with --report, --activation"));
  EXPECT_THAT(error("rat-knee --points 2 --set muscles.mass_model=lumped"),
              HasSubstr("no muscle has mass"));
  EXPECT_THAT(error(kLeg + "--muscle-mass strength"), HasSubstr("add --rank or --points"));
}

TEST(MusclesCli, NamesWhatIsWrong) {
  EXPECT_THAT(run_program("muscles whip").err, HasSubstr("whip: has no muscles"));
  EXPECT_THAT(run_program("muscles wrap-pendulum --coordinate elbo").err,
              HasSubstr("did you mean 'elbow'?"));
  EXPECT_EQ(run_program("muscles wrap-pendulum --samples 0").exit_code, 2);
}

}  // namespace muscles_test
}  // namespace sinew::test

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "cli/program.hpp"
#include "sinew/dynamics/kinematics.hpp"
#include "sinew/io/scene/scene.hpp"
#include "sinew/io/tables/storage_file.hpp"
#include "sinew/math/normal_numbers.hpp"
#include "support/joint_evaluation.hpp"
#include "support/reference.hpp"
#include "support/source_dir.hpp"

/// Inverse kinematics of the program.

namespace sinew::test {
namespace ik_cli_test {

using nlohmann::json;
using testing::HasSubstr;

/// A run of the spline knee, whose bodies the tests follow.
struct KneeRun {
  TemporaryFolder folder;
  std::string bodies = (folder / "run/bodies.sto").string();
  StorageFile states;

  KneeRun() {
    const ProgramResult run =
        run_program("simulate knee-spline --until 0.3 --out " + (folder / "run").string());
    EXPECT_EQ(run.exit_code, 0) << run.err;
    states = read_storage(folder / "run/states.sto");
  }
};

TEST(IkCli, FindsTheCoordinatesOfARecordedRun) {
  const KneeRun run;
  const std::string out = (run.folder / "ik.mot").string();
  const ProgramResult result =
      run_program("ik knee-spline " + run.bodies + " --out " + out + " --json");
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const json record = json::parse(result.out);
  // The table has all digits.
  EXPECT_LE(record["largest"].get<double>(), 1e-9);
  EXPECT_LE(record["median_iterations"].get<int>(), 10);
  const StorageFile found = read_storage(out);
  ASSERT_EQ(found.table.times.size(), run.states.table.times.size());
  for (const std::string& label : found.table.labels) {
    const VecX truth = run.states.table.values.col(run.states.table.column(label));
    const VecX q = found.table.values.col(found.table.column(label));
    EXPECT_LE((truth - q).cwiseAbs().maxCoeff(), 1e-7) << label;
  }
  EXPECT_THAT(run_program("ik knee-spline " + run.bodies).out, HasSubstr("distance [mm]"));
}

// The surface is, in each row, as it is at that time.
TEST(IkCli, FindsABallOnASurfaceThatDeforms) {
  const TemporaryFolder folder;
  const std::string out = (folder / "ik.mot").string();
  const ProgramResult run =
      run_program("simulate ball-on-surface --until 1 --out " + (folder / "run").string());
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const ProgramResult result = run_program(
      "ik ball-on-surface " + (folder / "run/bodies.sto").string() + " --out " + out + " --json");
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_LE(json::parse(result.out)["largest"].get<double>(), 1e-9);
  const StorageFile truth = read_storage(folder / "run/states.sto"), found = read_storage(out);
  ASSERT_EQ(found.table.times.size(), truth.table.times.size());
  ASSERT_EQ(found.table.labels.size(), 3u);
  for (const std::string& label : found.table.labels) {
    const VecX difference = truth.table.values.col(truth.table.column(label)) -
                            found.table.values.col(found.table.column(label));
    EXPECT_LE(difference.cwiseAbs().maxCoeff(), 1e-7) << label;
  }
}

// A curve that deforms: of the ball's place on the surface, "along" is a function of time. So may
// the time of the surface be.
TEST(IkCli, HoldsCoordinatesThatTimeDrives) {
  const TemporaryFolder folder;
  const std::string out = (folder / "ik.mot").string();
  const std::string how = R"( --set bodies.ball.joint.q0=[0.45,0] \
      --set bodies.ball.joint.qdot0=[0,0] --set 'dependent_coordinates=[
      {"coordinate": "along", "arguments": ["time"],
       "function": {"type": "sine", "amplitude": 0.2, "frequency": 3}},
      {"coordinate": "bowl_time", "arguments": ["time"],
       "function": {"type": "linear", "coefficients": [0.5], "offset": 0.3}}]' --out )";
  const ProgramResult run =
      run_program("simulate ball-on-surface --until 1" + how + (folder / "run").string());
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const ProgramResult result = run_program(
      "ik ball-on-surface " + (folder / "run/bodies.sto").string() + " --json" + how + out);
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_LE(json::parse(result.out)["largest"].get<double>(), 1e-9);
  const StorageFile truth = read_storage(folder / "run/states.sto"), found = read_storage(out);
  ASSERT_EQ(found.table.times.size(), truth.table.times.size());
  for (const std::string& label : found.table.labels) {
    const VecX difference = truth.table.values.col(truth.table.column(label)) -
                            found.table.values.col(found.table.column(label));
    EXPECT_LE(difference.cwiseAbs().maxCoeff(), 1e-7) << label;
  }
  EXPECT_NEAR(found.table.values(0, found.table.column("bowl_time")), 0.3, 1e-12);
}

TEST(IkCli, RefusesCoordinatesThatFollowOthers) {
  const ProgramResult result = run_program("ik hand nothing.sto");
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("dependent coordinates, such as 'index_dip'; write them as "
                                    "couplings"));
}

// The patellae of this model follow its knees.
TEST(IkCli, KeepsTheCouplingsOfAModel) {
  SINEW_NEEDS_REFERENCE();
  const TemporaryFolder folder;
  const std::string model = (*reference_dir() / "opensim/models/Rajagopal2016.osim").string();
  const std::string out = (folder / "ik.mot").string();
  const ProgramResult run =
      run_program("simulate " + model + " --until 0.1 --out " + (folder / "run").string());
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const ProgramResult result =
      run_program("ik " + model + " " + (folder / "run/bodies.sto").string() +
                  " --no-limits --out " + out + " --json");
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_LE(json::parse(result.out)["largest"].get<double>(), 1e-9);
  const StorageFile truth = read_storage(folder / "run/states.sto"), found = read_storage(out);
  ASSERT_EQ(found.table.times.size(), truth.table.times.size());
  ASSERT_EQ(found.table.labels.size(), 39u);
  for (const std::string& label : found.table.labels) {
    const VecX difference = truth.table.values.col(truth.table.column(label)) -
                            found.table.values.col(found.table.column(label));
    EXPECT_LE(difference.cwiseAbs().maxCoeff(), 1e-7) << label;
  }
}

TEST(IkCli, LeavesTheNoiseOfRecordedPoses) {
  const KneeRun run;
  StorageFile noisy = read_storage(run.bodies);
  NormalNumbers normal(1);
  for (Eigen::Index k = 0; k < noisy.table.values.cols(); ++k) {
    const std::string& label = noisy.table.labels[static_cast<size_t>(k)];
    // 1 mm, and 0.01 rad, which count as much at 0.1 m.
    const double size = label.find("_O") != std::string::npos ? 0.01 : 0.001;
    for (Eigen::Index i = 0; i < noisy.table.values.rows(); ++i)
      noisy.table.values(i, k) += size * normal();
  }
  const std::string path = (run.folder / "noisy.sto").string();
  write_storage(path, noisy.table, "bodies", false);
  const ProgramResult result = run_program("ik knee-spline " + path + " --json");
  ASSERT_EQ(result.exit_code, 0) << result.err;
  // Six components of 1 mm, less the few that coordinates take.
  EXPECT_LE(json::parse(result.out)["rms"].get<double>(), std::sqrt(6.0) * 1.05e-3);
  EXPECT_GE(json::parse(result.out)["rms"].get<double>(), std::sqrt(6.0) * 0.7e-3);
}

TEST(IkCli, SaysWhichRowsHaveNoSolution) {
  const TemporaryFolder folder;
  const std::string path = (folder / "far.sto").string();
  std::ofstream(path) << "far\nversion=1\nnRows=1\nnColumns=4\ninDegrees=no\nendheader\n"
                         "time\tfoot_X\tfoot_Y\tfoot_Z\n0\t9\t9\t9\n";
  const ProgramResult any = run_program("ik knee-spline " + path);
  EXPECT_EQ(any.exit_code, 0) << any.err;
  const ProgramResult result = run_program("ik knee-spline " + path + " --tolerance 0.01");
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_THAT(result.err, HasSubstr("1 of 1 rows have no solution"));
}

/// A table with one row, the place of a point.
std::string place_of(const TemporaryFolder& folder, const std::string& point, const Vec3& x) {
  const std::string path = (folder / (point + ".sto")).string();
  std::ofstream(path) << fmt::format(
      "t\nversion=1\ninDegrees=no\nendheader\ntime\t{0}_X\t{0}_Y\t{0}_Z\n0\t{1}\t{2}\t{3}\n", point,
      x.x(), x.y(), x.z());
  return path;
}

// A bar of 0.8 m on the crank, at 0.3 m from its hinge: two angles take its end anywhere near.
TEST(IkCli, BringsAPointOfABodyToItsPlace) {
  const TemporaryFolder folder;
  const Vec3 place(0.6, 0.5, 0);
  const std::string table = place_of(folder, "end", place);
  const ProgramResult result =
      run_program("ik four-bar " + table + " --point end=coupler:0.8,0,0 --json");
  ASSERT_EQ(result.exit_code, 0) << result.err;
  // The loop of this scene is not kept, which is said.
  EXPECT_EQ(result.err,
            "sinew: warning: inverse kinematics does not keep the constraints pin: follow enough "
            "bodies on both sides of them\n");
  const json record = json::parse(result.out);
  EXPECT_LE(record["largest"].get<double>(), 1e-9);
  const auto q = record["solutions"][0]["q"].get<std::vector<double>>();
  const Vec3 end(0.3 * std::cos(q[0]) + 0.8 * std::cos(q[0] + q[1]),
                 0.3 * std::sin(q[0]) + 0.8 * std::sin(q[0] + q[1]), 0);
  EXPECT_LE((end - place).norm(), 1e-9);
}

// The spline of this knee goes from -2.4 to 0.2 rad, its stops let it go from -2.2 to 0.
TEST(IkCli, KeepsWithinStopsAndTheRangeOfASplineUnlessToldOtherwise) {
  const TemporaryFolder folder;
  const std::string path = source_dir() + "/scenes/knee-spline.json";
  const Scene scene = load_scene(path);
  const Skeleton& skeleton = scene.system.skeleton();
  SkeletonWorkspace ws(skeleton);
  const BodyIndex tibia = skeleton.find_body("tibia");
  const VecX q = vec({0.5, 0}), still = vec({0, 0});
  update_kinematics(skeleton, q, still, ws);
  // Beyond the end the curve goes on along its last span.
  const std::string table =
      place_of(folder, "shin", body_pose(skeleton, ws, tibia) * Vec3(0, -0.4, 0));
  json without_stops = json::parse(read_text_file(path));
  for (json& body : without_stops["bodies"]) body["joint"].erase("stops");
  std::filesystem::copy(source_dir() + "/scenes/meshes", folder / "meshes");
  const std::string unstopped = (folder / "unstopped.json").string();
  std::ofstream(unstopped) << without_stops;
  const std::string how = table + " --point shin=tibia:0,-0.4,0 --json";
  const auto solved = [&](const std::string& arguments) {
    const ProgramResult result = run_program(arguments);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return json::parse(result.out);
  };
  EXPECT_NEAR(solved("ik knee-spline " + how)["solutions"][0]["q"][0].get<double>(), 0, 1e-9);
  const json limited = solved("ik " + unstopped + " " + how),
             free = solved("ik " + unstopped + " " + how + " --no-limits");
  const auto& knee = std::get<SplineCurve>(skeleton.body(tibia).joint.variant());
  EXPECT_NEAR(limited["solutions"][0]["q"][0].get<double>(), knee.spline().end(), 1e-9);
  EXPECT_GT(limited["largest"].get<double>(), 0.01);
  EXPECT_NEAR(free["solutions"][0]["q"][0].get<double>(), 0.5, 1e-6);
  EXPECT_LE(free["largest"].get<double>(), 1e-9);
}

TEST(IkCli, KeepsWithinTheRangesOfAModel) {
  const TemporaryFolder folder;
  const std::string model = (folder / "arm.osim").string();
  std::ofstream(model) << R"(<OpenSimDocument Version="40000"><Model name="arm">
    <BodySet name="bodyset"><objects><Body name="arm"><mass>1</mass>
      <mass_center>0 0 0</mass_center><inertia>0.1 0.1 0.1 0 0 0</inertia></Body></objects></BodySet>
    <JointSet name="jointset"><objects><PinJoint name="hinge">
      <socket_parent_frame>/ground</socket_parent_frame>
      <socket_child_frame>/bodyset/arm</socket_child_frame>
      <coordinates><Coordinate name="angle"><range>-1 0.5</range><clamped>true</clamped>
      </Coordinate></coordinates></PinJoint></objects></JointSet></Model></OpenSimDocument>)";
  const std::string how = "ik " + model + " " +
                          place_of(folder, "tip", 0.3 * Vec3(std::cos(1), std::sin(1), 0)) +
                          " --point tip=arm:0.3,0,0 --json";
  const auto angle = [](const std::string& arguments) {
    const ProgramResult result = run_program(arguments);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return json::parse(result.out)["solutions"][0]["q"][0].get<double>();
  };
  EXPECT_NEAR(angle(how), 0.5, 1e-9);
  EXPECT_NEAR(angle(how + " --no-limits"), 1, 1e-6);
}

TEST(IkCli, RefusesBadInputInOneSentence) {
  const TemporaryFolder folder;
  const auto write = [&](const std::string& name, const std::string& labels,
                         const std::string& row) {
    std::ofstream(folder / name) << "t\nversion=1\nendheader\ntime\t" << labels << "\n0\t" << row
                                 << "\n";
    return (folder / name).string();
  };
  const std::string good = write("good.sto", "foot_X\tfoot_Y\tfoot_Z", "0\t0\t0");
  const std::vector<std::pair<std::string, std::string>> cases{
      {"nothing.sto", "nothing.sto"},
      {write("other.sto", "hand_X\thand_Y\thand_Z", "0\t0\t0"), "has no column of a body"},
      {write("two.sto", "foot_X\tfoot_Y", "0\t0"), "has only 2 of the columns"},
      {good + " --body tibia", "has no columns of body 'tibia'"},
      {good + " --body foto", "foto"},
      {good + " --point heel", "write NAME=BODY:X,Y,Z"},
      {good + " --point heel=foot:1,2", "write NAME=BODY:X,Y,Z"},
      {good + " --point heel=foot:1,2,3", "has no columns of point 'heel'"},
      {good + " --length 0", "--length"},
      {good + " --tolerance 0", "--tolerance"},
  };
  for (const auto& [arguments, words] : cases) {
    const ProgramResult result = run_program("ik knee-spline " + arguments);
    EXPECT_EQ(result.exit_code, 2) << arguments << "\n" << result.out << result.err;
    EXPECT_THAT(result.err, HasSubstr(words)) << arguments;
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
  }
}

}  // namespace ik_cli_test
}  // namespace sinew::test

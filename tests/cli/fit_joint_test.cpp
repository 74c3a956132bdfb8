#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "analysis/fit/curve_examples.hpp"
#include "cli/program.hpp"
#include "io/fit/measured_knee.hpp"
#include "sinew/io/scene/scene.hpp"

/// Joints from measurements, as the program fits them.

namespace sinew::test {
namespace fit_joint_cli_test {

using nlohmann::json;
using testing::HasSubstr;

struct Folder : TemporaryFolder {
  std::string at(const std::string& name) const { return (path() / name).string(); }
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(path() / name) << text;
    return at(name);
  }
};

std::string table_of(const std::vector<Pose>& poses, const std::vector<double>& q) {
  std::string text = "q,tx,ty,tz,r11,r12,r13,r21,r22,r23,r31,r32,r33\n";
  for (size_t k = 0; k < poses.size(); ++k) {
    text += fmt::format("{:.17g}", q[k]);
    for (int i = 0; i < 3; ++i) text += fmt::format(",{:.17g}", poses[k].p[i]);
    for (int i = 0; i < 9; ++i) text += fmt::format(",{:.17g}", poses[k].R(i / 3, i % 3));
    text += "\n";
  }
  return text;
}

TEST(FitJointCli, WritesAJointThatAScenesBodyTakes) {
  const Folder folder;
  const SplineCurve truth = winding_curve(8, 0.3, 1);
  const std::vector<double> q = evenly(0, 1, 40);
  const std::string table = folder.write("poses.csv", table_of(poses_at(truth, q), q));
  const ProgramResult result =
      run_program("fit-joint " + table + " --type curve --frames 8 --out " +
                  folder.at("joint.json") + " --json");
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const json out = json::parse(result.out);
  EXPECT_EQ(out["type"], "curve");
  EXPECT_LE(out["largest"].get<double>(), 1e-12);
  json body = json::parse(read_text_file(folder.at("joint.json")));
  body.update({{"name", "tibia"},
               {"parent", "world"},
               {"inertia", {{"mass", 1}, {"com", {0, 0, 0}}, {"moments", {0.1, 0.1, 0.1}}}}});
  const json scene_text = {
      {"sinew_scene", 1}, {"title", "fitted"}, {"bodies", json::array({body})}};
  const Scene scene = parse_scene(scene_text.dump(), "fitted.json", folder.path());
  const Joint& joint = scene.system.skeleton().bodies()[0].joint;
  const PoseError error = largest_error(joint, truth, 0, 1);
  EXPECT_LE(error.rotation, 1e-12);
  EXPECT_LE(error.position, 1e-12);
}

TEST(FitJointCli, SaysWhetherAHingeIsEnough) {
  const Folder folder;
  const std::vector<double> q = evenly(0, 1.5, 40);
  const Pose A = exp((Vec6() << 0.3, 0.2, 0.1, 0.1, 0, 0).finished());
  std::vector<Pose> poses = poses_at(Revolute(Vec3(1, 2, 3)), q);
  for (Pose& pose : poses) pose = A * pose * A;
  const std::string hinge = folder.write("hinge.csv", table_of(noisy(poses, 0.01, 0.0005, 1), q));
  const ProgramResult enough =
      run_program("fit-joint " + hinge + " --out " + folder.at("hinge.json"));
  EXPECT_EQ(enough.exit_code, 0) << enough.err;
  EXPECT_THAT(enough.out, HasSubstr("A hinge is enough."));
  EXPECT_THAT(read_text_file(folder.at("hinge.json")), HasSubstr("\"revolute\""));
  const std::string curve =
      folder.write("curve.csv", table_of(poses_at(winding_curve(6, 0.3, 1), evenly(0, 1, 40)), q));
  EXPECT_THAT(run_program("fit-joint " + curve).out, HasSubstr("A hinge is not enough."));
}

TEST(FitJointCli, PutsASplineInPlaceOfAModelsJointAndBack) {
  SINEW_NEEDS_REFERENCE();
  const Folder folder;
  const std::string model =
      (*reference_dir() / "opensim/models/gait2392_thelen2003muscle.osim").string();
  const ProgramResult result =
      run_program("fit-joint " + model + " --joint knee_r --type curve --frames 12 --json --out " +
                  folder.at("new.osim"));
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const json out = json::parse(result.out);
  EXPECT_LE(out["largest_displacement"].get<double>(), 0.05e-3);
  // Twice the frames follow the bends of its splines, too: 0.04 mm is left of the moment arms, of
  // 1.1 mm with 12.
  std::string motion = "inDegrees=yes\nendheader\ntime\tknee_angle_r\n";
  for (int k = 0; k <= 50; ++k)
    motion += fmt::format("{}\t{}\n", 0.02 * k, -60 + 30 * std::sin(6.3 * 0.02 * k));
  const ProgramResult finer =
      run_program("fit-joint " + model + " --joint knee_r --type curve --frames 24 --json --out " +
                  folder.at("finer.osim") + " --motion " + folder.write("swing.mot", motion));
  ASSERT_EQ(finer.exit_code, 0) << finer.err;
  const json changes = json::parse(finer.out)["changes"];
  EXPECT_LE(changes["largest_moment_arm"].get<double>(), 0.1e-3);
  // Moments of the swing reach 50 N m.
  EXPECT_LE(changes["largest_moment"].get<double>(), 0.05);
  EXPECT_GT(changes["largest_moment"].get<double>(), 0);
  EXPECT_THAT(changes["coordinate"].get<std::string>(), testing::Not(testing::EndsWith("_ty")));
  const auto knee = [](const std::string& path) {
    const OsimModel read = load_osim(path);
    return read.skeleton.body(read.skeleton.find_body("tibia_r")).joint;
  };
  EXPECT_LE(largest_error(knee(model), knee(folder.at("new.osim")), -2.0, 0.1).position, 0.05e-3);
}

// Poses, residuals and the joint, as a scene that can be looked at.
TEST(FitJointCli, ShowsACurveAndASurfaceAsScenes) {
  const Folder folder;
  const std::vector<double> q = evenly(0, 1, 40);
  const std::string curve = folder.write(
      "curve.csv", table_of(noisy(poses_at(winding_curve(8, 0.3, 1), q), 0.01, 0.001, 1), q));
  std::string table = "q1,q2,tx,ty,tz,rx,ry,rz\n";
  for (int i = 0; i < 8; ++i)
    for (int j = 0; j < 8; ++j)
      table += fmt::format("{},{},{},{},{},{},{},0\n", 0.1 * i, 0.1 * j, 0.1 * i, 0.1 * j,
                           0.01 * i * j, 0.05 * i, 0.04 * j);
  const std::string surface = folder.write("surface.csv", table);
  for (const auto& [source, options, dofs] : {std::tuple(curve, "--type curve --frames 8", 1),
                                              std::tuple(surface, "--type surface", 2)}) {
    const std::string show = folder.at("show.json");
    const ProgramResult fitted =
        run_program("fit-joint " + source + " " + options + " --show " + show);
    ASSERT_EQ(fitted.exit_code, 0) << fitted.err;
    EXPECT_THAT(fitted.out, HasSubstr("sinew view "));
    const Scene scene = load_scene(show);
    EXPECT_EQ(scene.system.dof_count(), dofs);
    // Three axes of every pose, and a rod where something is left of it.
    EXPECT_GE(scene.shapes[0].size(), 3u * (dofs == 1 ? 40 : 64));
    const ProgramResult run = run_program("simulate " + show + " --until 0.1");
    EXPECT_EQ(run.exit_code, 0) << run.err;
  }
  const ProgramResult osim =
      run_program("fit-joint " + surface + " --type surface --out " + folder.at("a.osim"));
  EXPECT_EQ(osim.exit_code, 2);
  EXPECT_THAT(osim.err, HasSubstr("a surface cannot become a CustomJoint"));
}

TEST(FitJointCli, RefusesBadInputInOneSentence) {
  const Folder folder;
  const std::vector<double> q = evenly(0, 1, 12);
  std::vector<Pose> poses = poses_at(winding_curve(6, 0.3, 1), q);
  const std::string good = folder.write("good.csv", table_of(poses, q));
  poses[4].R.col(2) *= -1;
  const std::string reflected = folder.write("reflected.csv", table_of(poses, q));
  poses[4].R(0, 0) = NAN;
  const std::string broken = folder.write("broken.csv", table_of(poses, q));
  const std::vector<std::pair<std::string, std::string>> cases{
      {"nothing.csv", "nothing.csv"},
      {reflected, "pose 5: has a reflection in place of a rotation"},
      {broken, "pose 5: has a number that is not finite"},
      {good + " --frames 13 --type curve", "12 poses do not determine control frame 13 of 13"},
      {good + " --frames 3", "--frames"},
      {good + " --frames 6 --tolerance 0.1", "excludes"},
      {good + " --tolerance -1", "--tolerance"},
      {good + " --tolerance 1e-20 --type curve", "no number of frames comes within the tolerance"},
      {good + " --smooth much", "'much' is neither a number nor auto"},
      {good + " --smooth -1", "the weight of the smoothing is negative"},
      {good + " --type ball", "--type"},
      {good + " --length 0", "--length"},
      {good + " --point 0 0", "--point"},
      {good + " --mesh none.obj", "none.obj"},
      {good + " --closed --period 0.5 --type curve", "the period of the loop is shorter"},
      {good + " --period 2", "requires --closed"},
      {good + " --parent A,B,C --child D,E,F", "has no markers"},
      {good + " --samples 10", "requires --joint"},
      {good + " --motion run.mot", "requires --out"},
      {good + " --motion run.mot --out joint.json", "write it: --out MODEL.osim"},
      {good + " --out joint.txt", "has no ending that says what to write"},
      {good + " --out model.osim --type curve", "an .osim file is a copy of the model"},
      {good + " --out " + folder.at("no/such/joint.json"), "cannot be written"},
      {"markers.trc", "name those of the two bones"},
      {"model.osim", "name one of its joints"},
      {"knee-spline --joint kne", "has no joint 'kne'"},
      {"knee-spline --joint knee --range 1 0", "has no range to be moved through"},
      {"knee-spline --joint hip", "has 0 coordinates"},
      {folder.write("empty.csv", ""), "has no rows"},
      {folder.write("short.csv", table_of({Pose(), Pose()}, {0, 1})) + " --type curve",
       "has 2 poses"},
      {folder.write("still.csv", table_of(std::vector<Pose>(6), evenly(0, 1, 6))),
       "the body does not turn"},
      {folder.write("same.csv",
                    table_of(poses_at(winding_curve(6, 0.3, 1), q), std::vector<double>(12, 1))) +
           " --type curve",
       "all poses have the same q"},
  };
  for (const auto& [arguments, words] : cases) {
    const ProgramResult result = run_program("fit-joint " + arguments);
    EXPECT_EQ(result.exit_code, 2) << arguments << "\n" << result.out << result.err;
    EXPECT_THAT(result.err, HasSubstr(words)) << arguments;
  }
}

TEST(FitJointCli, WarnsOfMillimetresAndOfQTwice) {
  const Folder folder;
  std::vector<double> q = evenly(0, 1, 20);
  std::vector<Pose> poses = poses_at(winding_curve(6, 0.3, 1), q);
  for (Pose& pose : poses) pose.p *= 1000;
  q[7] = q[6];
  const std::string table = folder.write("poses.csv", table_of(poses, q));
  const ProgramResult result = run_program("fit-joint " + table + " --type curve --frames 5");
  EXPECT_THAT(result.err, HasSubstr("give --millimetres"));
  EXPECT_THAT(result.err, HasSubstr("rows 7 and 8 have the same q"));
  const ProgramResult scaled =
      run_program("fit-joint " + table + " --type curve --frames 5 --millimetres");
  EXPECT_THAT(scaled.err, testing::Not(HasSubstr("--millimetres")));
}

}  // namespace fit_joint_cli_test
}  // namespace sinew::test

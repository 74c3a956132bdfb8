#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "analysis/fit/curve_examples.hpp"
#include "analysis/fit/noisy_knee.hpp"
#include "cli/program.hpp"
#include "io/fit/measured_knee.hpp"
#include "sinew/io/meshes/mesh_file.hpp"
#include "sinew/io/scene/scene.hpp"
#include "sinew/io/tables/trc_file.hpp"
#include "support/source_dir.hpp"

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

/// What the program says, as JSON.
json fitted(const std::string& arguments) {
  const ProgramResult result = run_program("fit-joint " + arguments + " --json");
  EXPECT_EQ(result.exit_code, 0) << arguments << "\n" << result.err;
  return json::parse(result.out);
}

/// A scene with one body, whose joint and placement are in the file.
Scene scene_of(const Folder& folder, const std::string& file) {
  json body = json::parse(read_text_file(file));
  body.update({{"name", "child"},
               {"parent", "world"},
               {"inertia", {{"mass", 1}, {"com", {0, 0, 0}}, {"moments", {0.1, 0.1, 0.1}}}}});
  const json text = {{"sinew_scene", 1}, {"title", "fitted"}, {"bodies", json::array({body})}};
  return parse_scene(text.dump(), "fitted.json", folder.path());
}

TEST(FitJointCli, TakesMarkersOfTwoBones) {
  const Folder folder;
  const Pose A = exp((Vec6() << 0.3, 0.2, 0.1, 0.1, 0, 0).finished());
  const std::vector<Vec3> corners{{0, 0, 0}, {0.1, 0, 0}, {0.03, 0.1, 0}};
  MarkerFile file;
  file.data_rate = file.camera_rate = 100;
  file.markers = {"P1", "P2", "P3", "C1", "C2", "C3"};
  file.table.values.resize(30, 18);
  for (int row = 0; row < 30; ++row) {
    const Pose P = exp((Vec6() << 0.01 * row, 0, 0.02 * row, 0.1, 0.2, 0).finished());
    const Pose C = P * A * pose_at(Revolute(Vec3(1, 2, 3)), 0.04 * row) * A;
    file.frames.push_back(row + 1);
    file.table.times.push_back(0.01 * row);
    for (int m = 0; m < 6; ++m)
      file.table.values.row(row).segment<3>(3 * m) =
          ((m < 3 ? P : C) * corners[static_cast<size_t>(m % 3)]).transpose();
  }
  write_trc(folder.at("trial.trc"), file, true);
  const json out = fitted(folder.at("trial.trc") + " --parent P1,P2,P3 --child C1,C2,C3");
  EXPECT_EQ(out["type"], "hinge");
  EXPECT_EQ(out["poses"], 30);
  // Millimetres are written with all digits.
  EXPECT_LE(out["largest"].get<double>(), 1e-10);
}

TEST(FitJointCli, MeasuresByTheCornersOfAMesh) {
  const Folder folder;
  const std::vector<double> q = evenly(0, 1, 40);
  const std::vector<Pose> poses = noisy(poses_at(winding_curve(8, 0.3, 1), q), 0.01, 0.001, 1);
  const std::string mesh = source_dir() + "/scenes/meshes/condyle.obj";
  const json out = fitted(folder.write("poses.csv", table_of(poses, q)) +
                          " --type curve --frames 8 --mesh " + mesh);
  CurveFitOptions options;
  options.frames = 8;
  options.metric = PoseMetric::OfPoints(read_mesh_file(mesh).vertices);
  const CurveFit fit = fit_curve(poses, q, options);
  EXPECT_NEAR(out["rms"].get<double>(), std::sqrt(fit.distances.squaredNorm() / 40), 1e-9);
}

TEST(FitJointCli, MeasuresByNamedPoints) {
  const Folder folder;
  const std::vector<double> q = evenly(0, 1, 40);
  const std::vector<Pose> poses = noisy(poses_at(winding_curve(8, 0.3, 1), q), 0.01, 0.001, 1);
  const json out = fitted(folder.write("poses.csv", table_of(poses, q)) +
                          " --type curve --frames 8 --points 0,0,0 0.05,0,0 0,-0.4,0.02");
  CurveFitOptions options;
  options.frames = 8;
  options.metric = PoseMetric::OfPoints({Vec3(0, 0, 0), Vec3(0.05, 0, 0), Vec3(0, -0.4, 0.02)});
  const CurveFit fit = fit_curve(poses, q, options);
  EXPECT_NEAR(out["rms"].get<double>(), std::sqrt(fit.distances.squaredNorm() / 40), 1e-9);
}

TEST(FitJointCli, ClosesALoopAndFindsQ) {
  const Folder folder;
  const std::vector<double> q = evenly(0, 39.0 / 40, 40);
  const std::string loop = folder.write(
      "loop.csv", table_of(poses_at(winding_curve(8, 0.3, 1, SplineEnds::cyclic), q), q));
  const json closed = fitted(loop + " --type curve --frames 8 --closed --period 1");
  EXPECT_EQ(closed["joint"]["joint"]["closed"], true);
  EXPECT_LE(closed["largest"].get<double>(), 1e-9);
  const std::vector<double> at = evenly(0, 1, 60);
  const std::string open =
      folder.write("open.csv", table_of(poses_at(winding_curve(8, 0.4, 3), at), at));
  const json found = fitted(open + " --type curve --frames 28 --length 0.1 --find-q");
  // q is a length, whatever the table has.
  EXPECT_GT(found["curve"]["least_speed"].get<double>(), 0.98);
  EXPECT_LT(found["curve"]["largest_speed"].get<double>(), 1.02);
  EXPECT_LE(found["largest"].get<double>(), 1e-4);
}

TEST(FitJointCli, ListsOutliersAndTheBand) {
  const Folder folder;
  const std::vector<double> q = evenly(0, 1, 40);
  std::vector<Pose> poses = noisy(poses_at(winding_curve(6, 0.35, 5), q), 0.0087, 0.0005, 2);
  poses[11] = poses[11] * exp((Vec6() << 0.1, -0.1, 0.05, 0.01, -0.01, 0.01).finished());
  const std::string table = folder.write("poses.csv", table_of(poses, q));
  const std::string how = table + " --type curve --frames 8 --length 0.0573 --robust";
  const json out = fitted(how);
  EXPECT_THAT(out["ignored_rows"].get<std::vector<int>>(), testing::Contains(12));
  const json& band = out["curve"]["band"];
  EXPECT_EQ(band["q"].size(), 21u);
  // Eight frames of forty poses: 1.96 √(8/40) of the noise, give or take a factor of two.
  EXPECT_NEAR(band["angle"][10].get<double>(), 0.0076, 0.0038);
  EXPECT_NEAR(band["displacement"][10].get<double>(), 0.00044, 0.00022);
  const std::string text = run_program("fit-joint " + how).out;
  EXPECT_THAT(text, HasSubstr("rows far off the others, not used: "));
  EXPECT_THAT(text, HasSubstr("95 % band: ±0."));
}

TEST(FitJointCli, WritesASpatialTransform) {
  const Folder folder;
  const std::vector<double> q = evenly(0, 1, 40);
  const std::string table =
      folder.write("poses.csv", table_of(poses_at(winding_curve(8, 0.2, 1), q), q));
  fitted(table + " --type curve --frames 8 --out " + folder.at("joint.xml"));
  const std::string text = read_text_file(folder.at("joint.xml"));
  EXPECT_THAT(text, testing::StartsWith("<SpatialTransform>"));
  for (const char* name : {"rotation1", "rotation3", "translation1", "translation3"})
    EXPECT_THAT(text, HasSubstr(fmt::format("<TransformAxis name=\"{}\">", name)));
  EXPECT_THAT(text, HasSubstr("<coordinates>q</coordinates>"));
}

TEST(FitJointCli, WritesAUniversalJointThatAScenesBodyTakes) {
  const Folder folder;
  const Pose A = exp((Vec6() << 0.3, 0.2, 0.1, 0.1, 0, 0).finished());
  std::vector<Pose> poses;
  std::vector<double> q;
  for (int k = 0; k < 30; ++k) {
    q.push_back(k);
    poses.push_back(
        A *
        motion(Universal{}, vec({0.5 * std::sin(0.9 * k), 0.5 * std::cos(1.7 * k)}), vec({0, 0}))
            .Q *
        A);
  }
  const json out = fitted(folder.write("poses.csv", table_of(poses, q)) +
                          " --type universal --out " + folder.at("joint.json"));
  EXPECT_LE(out["largest"].get<double>(), 1e-10);
  const Scene scene = scene_of(folder, folder.at("joint.json"));
  const Body& child = scene.system.skeleton().bodies()[0];
  EXPECT_EQ(child.joint.dof(), 2);
  // The first pose is at zero.
  const Pose first = child.E_PJ * motion(child.joint, vec({0, 0}), vec({0, 0})).Q * child.E_JB;
  EXPECT_LE(distance(first, poses[0]), 1e-9);
}

TEST(FitJointCli, TakesTheJointOfAScene) {
  const Folder folder;
  const json out =
      fitted("scapula --joint scapulothoracic --type surface --out " + folder.at("surface.json"));
  // About other base frames the same surface has other control values, nearly.
  EXPECT_LE(out["largest"].get<double>(), 1e-7);
  const Scene fitted_scene = scene_of(folder, folder.at("surface.json"));
  const Body& fitted_body = fitted_scene.system.skeleton().bodies()[0];
  const Scene scene = load_scene(source_dir() + "/scenes/scapula.json");
  const Body& body = scene.system.skeleton().body(scene.system.skeleton().find_body("scapula"));
  const auto pose = [](const Body& b, const VecX& q) {
    return b.E_PJ * motion(b.joint, q, vec({0, 0})).Q * b.E_JB;
  };
  for (const double q1 : {-0.3, 0.0, 0.2})
    EXPECT_LE(distance(pose(fitted_body, vec({q1, 0.1})), pose(body, vec({q1, 0.1}))), 1e-6);
}

TEST(FitJointCli, RefusesACusp) {
  const Folder folder;
  const std::vector<double> q = evenly(-1, 1, 41);
  std::vector<Pose> poses;
  for (const double x : q)
    poses.push_back(exp((Vec6() << 0, 0, x * x, 0, 0.1 * x * x, 0).finished()));
  const ProgramResult result = run_program(
      "fit-joint " + folder.write("cusp.csv", table_of(poses, q)) + " --type curve --frames 10");
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("the curve stands still at q = "));
}

TEST(FitJointCli, TakesTheWalkerKneeThereAndBack) {
  SINEW_NEEDS_REFERENCE();
  const Folder folder;
  const std::string model = (*reference_dir() / "opensim/models/Rajagopal2016.osim").string();
  fitted(model + " --joint walker_knee_r --type curve --frames 15 --out " + folder.at("new.osim"));
  const auto pose = [](const OsimModel& read, double q) {
    const Body& body = read.skeleton.body(read.skeleton.find_body("tibia_r"));
    return body.E_PJ * pose_at(body.joint, q) * body.E_JB;
  };
  const OsimModel before = load_osim(model), after = load_osim(folder.at("new.osim"));
  for (const double q : evenly(0, 2.0943951, 101)) {
    EXPECT_LE((pose(before, q).p - pose(after, q).p).norm(), 0.05e-3) << q;
    EXPECT_LE(log(pose(before, q).inverse() * pose(after, q)).head<3>().norm(), 1e-4) << q;
  }
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
  EXPECT_LE(largest_error(knee(model), knee(folder.at("new.osim")), -2.0943951, 0.1745329).position,
            0.05e-3);
}

/// Poses over two coordinates; `bump` [m] is what no smooth surface follows.
std::string sheet_table(double bump = 0) {
  std::string table = "q1,q2,tx,ty,tz,rx,ry,rz\n";
  for (int i = 0; i < 8; ++i)
    for (int j = 0; j < 8; ++j)
      table += fmt::format("{},{},{},{},{},{},{},0\n", 0.1 * i, 0.1 * j, 0.1 * i, 0.1 * j,
                           0.01 * i * j + ((i + j) % 2 == 0 ? bump : -bump), 0.05 * i, 0.04 * j);
  return table;
}

// Poses, residuals and the joint, as a scene that can be looked at.
TEST(FitJointCli, ShowsACurveAndASurfaceAsScenes) {
  const Folder folder;
  const std::vector<double> q = evenly(0, 1, 40);
  const std::string curve = folder.write(
      "curve.csv", table_of(noisy(poses_at(winding_curve(8, 0.3, 1), q), 0.01, 0.001, 1), q));
  const std::string surface = folder.write("surface.csv", sheet_table(0.002));
  for (const auto& [source, options, dofs] : {std::tuple(curve, "--type curve --frames 8", 1),
                                              std::tuple(surface, "--type surface", 2)}) {
    const std::string show = folder.at("show.json");
    const ProgramResult fitted =
        run_program("fit-joint " + source + " " + options + " --show " + show);
    ASSERT_EQ(fitted.exit_code, 0) << fitted.err;
    EXPECT_THAT(fitted.out, HasSubstr("sinew view "));
    const Scene scene = load_scene(show);
    EXPECT_EQ(scene.system.dof_count(), dofs);
    // Three axes of every pose, and a rod and its head where something is left of it.
    EXPECT_EQ(scene.shapes[0].size(), dofs == 1 ? 5u * 40 : 5u * 64);
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
  const std::string sheet = folder.write("sheet.csv", sheet_table());
  // Numbers that are not finite, in q twice, and in a place: nothing else is said of them.
  poses = poses_at(winding_curve(6, 0.3, 1), q);
  std::vector<double> gaps = q;
  gaps[0] = gaps[5] = NAN;
  const std::string no_q = folder.write("no_q.csv", table_of(poses, gaps));
  poses[3].p.x() = INFINITY;
  const std::string far_off = folder.write("far_off.csv", table_of(poses, q));
  const std::vector<std::pair<std::string, std::string>> cases{
      {"nothing.csv", "nothing.csv"},
      {reflected, "pose 5: has a reflection in place of a rotation"},
      {broken, "pose 5: has a number that is not finite"},
      {no_q + " --type curve --frames 6", "pose 1: has a q that is not finite"},
      {far_off + " --type curve --frames 6", "pose 4: has a number that is not finite"},
      {far_off, "pose 4: has a number that is not finite"},
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
      {good + " --points 0,0,0,1", "--points: has 4 numbers; give three for each point"},
      {good + " --points 0,0,0 1,0,0 2,0,0", "the points of the body lie on a line"},
      {good + " --closed --period 0.5 --type curve", "the period of the loop is shorter"},
      {good + " --period 2", "requires --closed"},
      {good + " --parent A,B,C --child D,E,F", "has no markers"},
      {good + " --samples 10", "requires --joint"},
      {good + " --motion run.mot", "requires --out"},
      {good + " --motion run.mot --out joint.json", "write it: --out MODEL.osim"},
      {good + " --out joint.txt", "has no ending that says what to write"},
      {good + " --out model.osim --type curve", "an .osim file is a copy of the model"},
      {good + " --out joint.xml --type curve --find-q", "q is found as a length"},
      {good + " --type hinge --closed", "--closed: does nothing for a hinge; leave it out"},
      {good + " --type hinge --frames 5", "--frames: does nothing for a hinge"},
      {good + " --type universal --tolerance 0.1", "--tolerance: does nothing for a universal"},
      {good + " --type universal --smooth 1e-6", "--smooth: does nothing for a universal"},
      {good + " --type curve --grid 5 5", "--grid: does nothing for a curve"},
      {good + " --grid 5 5", "--grid: does nothing for a curve"},
      {sheet + " --type surface --frames 5", "--frames: does nothing for a surface"},
      {sheet + " --closed", "--closed: does nothing for a surface"},
      {sheet + " --tolerance 0.1", "--tolerance: does nothing for a surface"},
      {sheet + " --smooth auto", "--smooth: auto is for curves"},
      {sheet + " --robust", "--robust: does nothing for a surface"},
      {sheet + " --type hinge --out joint.xml", "another number of coordinates than the poses"},
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
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
  }
}

std::vector<std::string> warnings_of(const std::string& arguments) {
  const ProgramResult result = run_program("fit-joint " + arguments);
  std::vector<std::string> out;
  std::istringstream lines(result.err);
  for (std::string line; std::getline(lines, line);)
    if (line.find("warning: ") != std::string::npos) out.push_back(line);
  return out;
}

TEST(FitJointCli, WarnsOnceOfDegreesAndOfRowsOutOfOrder) {
  const Folder folder;
  std::string degrees = "q,tx,ty,tz,rx,ry,rz\n";
  for (int k = 0; k < 20; ++k) degrees += fmt::format("{},{},0,0,{},0,0\n", k, 0.01 * k, 0.5 * k);
  const std::string table = folder.write("degrees.csv", degrees);
  EXPECT_THAT(warnings_of(table + " --type curve --frames 8"),
              testing::ElementsAre(HasSubstr("row 20 turns by 9 rad: if that is degrees")));
  std::vector<double> q = evenly(0, 1, 40);
  std::vector<Pose> poses = poses_at(winding_curve(8, 0.3, 1), q);
  const std::string how = " --type curve --frames 12 --find-q";
  EXPECT_THAT(warnings_of(folder.write("good.csv", table_of(poses, q)) + how), testing::IsEmpty());
  std::swap(poses[10], poses[13]);
  std::swap(q[10], q[13]);
  EXPECT_THAT(warnings_of(folder.write("swapped.csv", table_of(poses, q)) + how),
              testing::ElementsAre(HasSubstr("row 12 goes back in q")));
  // Without q, as shuffled as can be: every seventh row.
  std::string shuffled = "tx,ty,tz,qw,qx,qy,qz\n";
  for (int k = 0; k < 40; ++k) {
    const Pose pose = pose_at(winding_curve(8, 0.3, 1), (7 * k % 40) / 39.0);
    const Eigen::Quaterniond r(pose.R);
    shuffled += fmt::format("{},{},{},{},{},{},{}\n", pose.p.x(), pose.p.y(), pose.p.z(), r.w(),
                            r.x(), r.y(), r.z());
  }
  EXPECT_THAT(warnings_of(folder.write("shuffled.csv", shuffled) + " --type curve --frames 12"),
              testing::ElementsAre(HasSubstr("the rows seem to be out of order")));
}

TEST(FitJointCli, NamesOutliersOfAHinge) {
  const Folder folder;
  const std::vector<double> q = evenly(0, 1.5, 40);
  std::vector<Pose> poses = noisy(poses_at(Revolute(Vec3(1, 2, 3)), q), 0.0087, 0.0005, 1);
  poses[11] = poses[11] * exp((Vec6() << 0.1, -0.1, 0.05, 0.01, -0.01, 0.01).finished());
  const std::string how =
      folder.write("poses.csv", table_of(poses, q)) + " --length 0.0573 --robust";
  for (const char* type : {"auto", "hinge"}) {
    const json out = fitted(how + " --type " + type);
    EXPECT_EQ(out["type"], "hinge");
    EXPECT_EQ(out["ignored_rows"], json({12}));
  }
  EXPECT_THAT(run_program("fit-joint " + how + " --type hinge").out,
              HasSubstr("rows far off the others, not used: 12"));
}

/// A model of two bodies whose joint is the element that the program wrote.
std::string model_with(const std::string& joint) {
  const auto body = [](const char* name) {
    return fmt::format(
        "<Body name=\"{}\"><mass>1</mass><mass_center>0 0 0</mass_center>"
        "<inertia>0.1 0.1 0.1 0 0 0</inertia></Body>",
        name);
  };
  return "<OpenSimDocument Version=\"40000\"><Model name=\"two\"><BodySet "
         "name=\"bodyset\"><objects>" +
         body("parent") + body("child") +
         "</objects></BodySet><JointSet name=\"jointset\"><objects><WeldJoint name=\"base\">"
         "<socket_parent_frame>/ground</socket_parent_frame>"
         "<socket_child_frame>/bodyset/parent</socket_child_frame></WeldJoint>" +
         joint + "</objects></JointSet></Model></OpenSimDocument>";
}

/// Of a body against its parent in a model.
Pose pose_in(const OsimModel& model, const std::string& name, const VecX& q) {
  const Body& body = model.skeleton.body(model.skeleton.find_body(name));
  return body.E_PJ * motion(body.joint, q, VecX::Zero(q.size())).Q * body.E_JB;
}

TEST(FitJointCli, WritesAHingeAndAUniversalAsCustomJoints) {
  const Folder folder;
  Random random(2);
  const Pose A = random.pose(0.1), B = random.pose(0.1);
  std::string hinge = "q,tx,ty,tz,qw,qx,qy,qz\n", universal = "q1,q2,tx,ty,tz,qw,qx,qy,qz\n";
  const auto row = [](const Pose& pose) {
    const Eigen::Quaterniond r(pose.R);
    return fmt::format("{:.17g},{:.17g},{:.17g},{:.17g},{:.17g},{:.17g},{:.17g}\n", pose.p.x(),
                       pose.p.y(), pose.p.z(), r.w(), r.x(), r.y(), r.z());
  };
  // The coordinate of the hinge runs the other way, from elsewhere; those of the other are swapped.
  const auto on_hinge = [&](double q) { return A * pose_at(Revolute(Vec3(1, 2, 3)), 0.3 - q) * B; };
  const auto on_universal = [&](double q1, double q2) {
    return A * motion(Universal{}, vec({q2, 0.1 - q1}), vec({0, 0})).Q * B;
  };
  for (int k = 0; k < 30; ++k) {
    const double q1 = 0.5 * std::sin(0.9 * k), q2 = 0.5 * std::cos(1.7 * k);
    hinge += fmt::format("{:.17g},", 0.05 * k) + row(on_hinge(0.05 * k));
    universal += fmt::format("{:.17g},{:.17g},", q1, q2) + row(on_universal(q1, q2));
  }
  fitted(folder.write("hinge.csv", hinge) + " --type hinge --out " + folder.at("hinge.xml"));
  fitted(folder.write("universal.csv", universal) + " --type universal --out " +
         folder.at("universal.xml"));
  const auto read = [&](const std::string& file) {
    return load_osim(folder.write("model.osim", model_with(read_text_file(folder.at(file)))));
  };
  const OsimModel with_hinge = read("hinge.xml"), with_universal = read("universal.xml");
  for (const double q : {0.0, 0.4, 1.3}) {
    EXPECT_LE(distance(pose_in(with_hinge, "child", vec({q})), on_hinge(q)), 1e-9);
    EXPECT_LE(distance(pose_in(with_universal, "child", vec({q, 0.2})), on_universal(q, 0.2)),
              1e-9);
  }
}

// The knee of gait2392 as a hinge and back; its ankle is one already.
TEST(FitJointCli, PutsAHingeInPlaceOfAModelsJoint) {
  SINEW_NEEDS_REFERENCE();
  const Folder folder;
  for (const auto& [file, joint, child] :
       {std::tuple("gait2392_thelen2003muscle.osim", "ankle_r", "talus_r"),
        std::tuple("gait2392_thelen2003muscle.osim", "knee_r", "tibia_r"),
        std::tuple("Rajagopal2016.osim", "walker_knee_r", "tibia_r")}) {
    const std::string model = (*reference_dir() / "opensim/models" / file).string();
    const json out =
        fitted(model + " --joint " + joint + " --type hinge --out " + folder.at("new.osim"));
    EXPECT_GE(out["changes"]["largest_moment_arm"].get<double>(), 0);
    const OsimModel before = load_osim(model), after = load_osim(folder.at("new.osim"));
    // As far off as the fit says, at most; the angle is not quite a line over q.
    for (const double q : evenly(0, 0.17, 11)) {
      const Pose old = pose_in(before, child, vec({q})), now = pose_in(after, child, vec({q}));
      EXPECT_LE((old.p - now.p).norm(), 1.5 * out["largest_displacement"].get<double>() + 1e-9)
          << joint;
      EXPECT_LE(pose_error(old, now).rotation, 1.5 * out["largest_angle"].get<double>() + 1e-9)
          << joint;
    }
  }
  const std::string model = (*reference_dir() / "opensim/models/Rajagopal2016.osim").string();
  const ProgramResult found =
      run_program("fit-joint " + model + " --joint walker_knee_r --type curve --find-q --out " +
                  folder.at("length.osim"));
  EXPECT_EQ(found.exit_code, 2);
  EXPECT_THAT(found.err, HasSubstr("q is found as a length, where a CustomJoint has an angle; "
                                   "leave out --find-q"));
  EXPECT_FALSE(std::filesystem::exists(folder.at("length.osim")));
}

// A thousand times as far apart, poses may leave a fit without an end: the warning says why.
TEST(FitJointCli, SaysOnceThatPositionsAreMillimetres) {
  const Folder folder;
  NoisyKnee knee(1);
  for (Pose& pose : knee.poses) pose.p *= 1000;
  const std::string table = folder.write("knee.csv", table_of(knee.poses, evenly(0, 2.6, 60)));
  for (const char* how :
       {"--smooth auto", "--find-q", "--find-q --robust", "--frames 12 --find-q"}) {
    const ProgramResult result =
        run_program("fit-joint " + table + " --type curve " + std::string(how));
    EXPECT_THAT(result.err, HasSubstr("if that is millimetres, give --millimetres")) << how;
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << how << result.err;
  }
}

// The options of the guide's first example, and q found.
TEST(FitJointCli, FindsQOfTheMeasuredKnee) {
  const std::string table = source_dir() + "/models/knee/measured_poses.csv";
  const json plain = fitted(table + " --frames 24 --smooth auto --find-q");
  const json robust = fitted(table + " --frames 24 --smooth auto --robust --find-q");
  EXPECT_EQ(robust["type"], "curve");
  EXPECT_LE(robust["rms"].get<double>(), 1.1 * plain["rms"].get<double>());
  EXPECT_TRUE(robust["ignored_rows"].empty());
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
  EXPECT_THAT(result.err, HasSubstr("rows 7 and 8 have the same q = 0.315789: the joint passes"));
  const ProgramResult scaled =
      run_program("fit-joint " + table + " --type curve --frames 5 --millimetres");
  EXPECT_THAT(scaled.err, testing::Not(HasSubstr("--millimetres")));
  q[11] = q[10] = q[9];
  const ProgramResult more = run_program(
      "fit-joint " + folder.write("more.csv", table_of(poses, q)) + " --type curve --frames 5");
  EXPECT_THAT(more.err, HasSubstr("rows 7 and 8 have the same q = 0.315789, and 2 more "
                                  "rows that of another: the joint passes between them"));
}

}  // namespace fit_joint_cli_test
}  // namespace sinew::test

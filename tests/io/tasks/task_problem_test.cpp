#include "sinew/io/tasks/task_problem.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <unistd.h>

#include <fstream>

#include "sinew/io/tasks/gradient_check.hpp"
#include "sinew/io/tasks/holding_controls.hpp"
#include "sinew/io/tasks/identification.hpp"
#include "sinew/io/tasks/task_files.hpp"
#include "support/finite_difference.hpp"
#include "support/message_of.hpp"
#include "support/source_dir.hpp"
#include "support/task_about.hpp"

namespace sinew {
namespace task_problem_test {

using test::task_about;
using testing::HasSubstr;

/// Two rods with springs and motors, 20 steps.
Task pendulum_task(const std::string& parameters, const std::string& objectives) {
  return task_about("redmax-diff-100", R"("dt": 0.01, "until": 0.2)", parameters, objectives);
}
Task arm_task(const std::string& parameters, const std::string& run) {
  return task_about(
      "arm", run, parameters,
      R"({"type": "point", "body": "hand", "target": [0.5, -0.1, 0.2], "weight": 10})");
}

const std::string kPoint =
    R"({"type": "point", "body": "b2", "point": [0.05, 0, 0], "target": [0.1, 0, -0.1]})";

/// A leg that swings as recorded: its moments by masses.
Task leg_task(double dt) {
  return task_about(
      "swing-leg", R"("until": 0.1, "dt": )" + std::to_string(dt),
      R"({"type": "model", "path": "muscles.share", "value": 0.7, "scale": 0.1},
                       {"type": "model", "path": "bodies.tibia.inertia.mass", "value": 3.7, "scale": 1})",
      R"({"type": "reaction", "reaction": "knee_angle_torque", "target": 20, "at": "steps"},
                       {"type": "reaction", "reaction": "hip_flexion_torque", "target": 5, "weight": 0.01})");
}
/// A motor that gives no more than a control of 1e5.
Task limited_motor_task(double control) {
  return parse_task(R"({"sinew_task": 1, "model": ")" + test::source_dir() +
                        R"(/scenes/redmax-diff-100.json", "set": {"forces.motor1.upper": 1e5},
                        "run": {"dt": 0.01, "until": 0.2}, "parameters": [{"type": "control",
                        "control": "motor1", "scale": 1e5, "value": )" +
                        std::to_string(control) + "}], \"objectives\": [" + kPoint + "]}",
                    "limited-motor-task", "");
}

GradientCheck checked(TaskProblem& problem, const VecX& p) {
  ValueAndGradient at;
  EXPECT_TRUE(problem.evaluate(p, at)) << problem.failure();
  // The run of `sinew simulate` from the changed file gives the same bits.
  EXPECT_EQ(problem.value_from_file(p), at.value);
  return check_gradient(problem, p, at.gradient, true, {}, nullptr);
}
void expect_passed(const GradientCheck& check) {
  EXPECT_TRUE(check.passed);
  for (const GradientCheck::Direction& d : check.directions)
    EXPECT_TRUE(d.passed) << d.name << " " << d.best_error << " " << d.order;
}

TEST(TaskProblem, HasTheGradientOfControlsOfEveryInterpolation) {
  for (const char* interpolation : {"step", "linear", "cubic"}) {
    SCOPED_TRACE(interpolation);
    TaskProblem problem(pendulum_task(
        R"({"type": "control", "control": "motor1", "knots": [0, 0.08, 0.15],
            "value": [1e5, -2e5, 3e5], "scale": 1e5, "interpolation": ")" +
            std::string(interpolation) +
            R"("}, {"type": "control", "control": "motor2", "value": 1e4, "scale": 1e5})",
        kPoint));
    ASSERT_EQ(problem.unknowns().size(), 4u);
    EXPECT_EQ(problem.unknowns()[1].name, "motor1@0.08");
    EXPECT_EQ(problem.unknowns()[3].name, "motor2");
    expect_passed(checked(problem, problem.start()));
  }
}

TEST(TaskProblem, HasTheGradientThroughMusclesWithMass) {
  TaskProblem problem(arm_task(R"({"type": "control", "control": "elbow_motor", "value": 2},
       {"type": "control", "control": "biceps", "value": 40, "scale": 20})",
                               R"("dt": 0.002, "until": 0.02)"));
  EXPECT_EQ(problem.unknowns()[1].lower, 0);  // muscles do not push
  expect_passed(checked(problem, problem.start()));
}

TEST(TaskProblem, HasTheGradientOfTheStart) {
  TaskProblem problem(pendulum_task(R"({"type": "initial", "state": "j2_1"},
       {"type": "initial", "state": "j1_1/speed", "value": 2, "scale": 2})",
                                    kPoint));
  EXPECT_EQ(problem.unknowns()[0].start, 0.7853981633974483);
  expect_passed(checked(problem, problem.start()));
}

// Fibres start in equilibrium with their tendons, wherever the start puts the bones, but for those
// whose length is given.
TEST(TaskProblem, HasTheGradientOfTheStartThroughTheEquilibriumOfFibres) {
  for (const char* integrator : {"bdf1", "sdirk2", "bdf2"}) {
    SCOPED_TRACE(integrator);
    const std::string text = R"({"sinew_task": 1, "model": ")" + test::source_dir() +
                             R"(/models/leg/leg.osim",
          "smooth_paths": true, "excitations": {"all": 0.3},
          "run": {"dt": 0.002, "until": 0.02, "integrator": ")" +
                             integrator +
                             R"("}, "parameters": [
          {"type": "initial", "state": "knee_angle_r", "value": -0.3},
          {"type": "initial", "state": "/jointset/ankle_r/ankle_angle_r/speed", "value": 0.5},
          {"type": "initial", "state": "soleus_r/activation"},
          {"type": "initial", "state": "gasmed_r/fiber_length", "value": 0.05, "scale": 0.01}],
          "objectives": [{"type": "point", "body": "foot_r", "target": [0, 0, 0]}]})";
    TaskProblem problem(parse_task(text, "leg-task", ""));
    EXPECT_EQ(problem.unknowns()[2].start, 0.05);
    EXPECT_EQ(problem.unknowns()[2].upper, 1);
    ValueAndGradient at;
    ASSERT_TRUE(problem.evaluate(problem.start(), at)) << problem.failure();
    EXPECT_GT(std::abs(at.gradient[3]), 1e-6 * at.value);
    expect_passed(checked(problem, problem.start()));
  }
}

TEST(TaskProblem, HasTheGradientOfNumbersOfAnOpenSimModel) {
  const std::string text =
      R"({"sinew_task": 1, "model": ")" + test::source_dir() + R"(/models/leg/leg.osim",
          "smooth_paths": true, "excitations": {"all": 0.3},
          "run": {"dt": 0.002, "until": 0.02}, "parameters": [
          {"type": "model", "path": "/forceset/soleus_r/soleus_r-P2/location/0",
           "value": -0.05, "scale": 0.01},
          {"type": "model", "path": "/bodyset/femur_r/patella_r/radius",
           "value": 0.045, "scale": 0.01},
          {"type": "model", "path": "/bodyset/femur_r/patella_r/translation/1",
           "value": -0.42, "scale": 0.01},
          {"type": "model", "path": "/bodyset/tibia_r/mass_center/1",
           "value": -0.1935, "scale": 0.1},
          {"type": "model", "path": "/bodyset/tibia_r/inertia/2", "value": 0.05, "scale": 0.02},
          {"type": "model", "path": "/gravity/1", "value": -9.81, "scale": 5}],
          "objectives": [{"type": "point", "body": "foot_r", "target": [0, 0, 0]}]})";
  TaskProblem problem(parse_task(text, "leg-task", ""));
  ASSERT_EQ(problem.unknowns().size(), 6u);
  ValueAndGradient at;
  ASSERT_TRUE(problem.evaluate(problem.start(), at)) << problem.failure();
  for (Eigen::Index k = 0; k < 6; ++k)
    EXPECT_GT(std::abs(at.gradient[k]), 1e-9 * at.value)
        << problem.unknowns()[static_cast<size_t>(k)].name;
  expect_passed(checked(problem, problem.start()));
}

TEST(TaskProblem, HasTheGradientOfAStartThatConstraintsAssemble) {
  TaskProblem problem(
      task_about("four-bar", R"("dt": 0.001, "until": 0.02)",
                 R"({"type": "initial", "state": "crank_angle", "value": 0.7},
         {"type": "initial", "state": "crank_angle/speed"},
         {"type": "model", "path": "bodies.crank.shapes.0.density", "value": 2700, "scale": 2700})",
                 R"({"type": "coordinate", "coordinate": "rocker_angle", "target": 1})"));
  expect_passed(checked(problem, problem.start()));
}

/// Soft flesh around three bones whose knuckle is driven. Newton's tolerance is less than the
/// scene's.
void expect_gradient_of_soft_finger(const std::string& path, double value) {
  for (const char* integrator : {"bdf1", "sdirk2", "bdf2"}) {
    SCOPED_TRACE(integrator);
    TaskProblem problem(task_about(
        "soft-finger",
        fmt::format(R"("integrator": "{}", "dt": 0.005, "until": 0.1, "newton_tolerance": 1e-12)",
                    integrator),
        fmt::format(R"({{"type": "model", "path": "{0}", "value": {1}, "scale": {1}}})", path,
                    value),
        R"({"type": "point", "body": "distal", "point": [0.02, 0, 0], "target": [0.05, 0.01, 0]})"));
    ValueAndGradient at;
    ASSERT_TRUE(problem.evaluate(problem.start(), at));
    EXPECT_LT(at.newton_error, 1e-9 * at.value);
    EXPECT_GT(std::abs(at.gradient[0]), 1e-4 * at.value);
    expect_passed(check_gradient(problem, problem.start(), at.gradient, true, {}, nullptr));
  }
}
TEST(TaskProblem, HasTheGradientOfASoftFingerByAJoint) {
  expect_gradient_of_soft_finger("bodies.middle.joint.stiffness", 0.05);
}
TEST(TaskProblem, HasTheGradientOfASoftFingerByABone) {
  expect_gradient_of_soft_finger("bodies.distal.shapes.0.density", 1900);
}

TEST(TaskProblem, HasTheGradientOfNumbersOfTheFile) {
  TaskProblem problem(pendulum_task(
      R"({"type": "model", "path": "bodies.b2.shapes.0.density", "value": 1.1, "scale": 1},
         {"type": "control", "control": "motor1", "knots": 3, "value": [1e5, -2e5, 3e5], "scale": 1e5},
         {"type": "model", "path": "gravity.2", "value": -900, "scale": 1000},
         {"type": "model", "path": "bodies.b1.joint.stiffness", "value": 1e4, "scale": 1e4},
         {"type": "duration", "scale": 0.2, "upper": 1})",
      kPoint + R"(, {"type": "speed", "coordinate": "j1_1", "at": "steps", "weight": 1e-4})"));
  ASSERT_EQ(problem.unknowns().size(), 7u);
  EXPECT_EQ(problem.unknowns()[6].start, 0.2);
  expect_passed(checked(problem, problem.start()));
  // The terms are those of the run, not of the systems beside it.
  ValueAndGradient at;
  ASSERT_TRUE(problem.evaluate(problem.start(), at));
  double sum = 0;
  for (const TaskProblem::TermValue& term : problem.terms()) sum += term.value;
  EXPECT_NEAR(sum, at.value, 1e-14 * at.value);
  EXPECT_THAT(test::message_of([] {
                TaskProblem(pendulum_task(R"({"type": "control", "control": "motor1"},
                                             {"type": "duration"})",
                                          R"({"type": "effort"})"));
              }),
              HasSubstr("is not differentiated by the duration"));
}

TEST(TaskProblem, HasTheGradientOfEveryObjective) {
  TaskProblem problem(pendulum_task(
      R"({"type": "control", "control": ["motor1", "motor2"], "value": 1e4, "scale": 1e5})",
      kPoint + R"(, {"type": "point", "body": "b1", "target": [0, 0, 0], "at": "steps"},
        {"type": "pose", "body": "b2", "at": [0.1, 0.15],
         "target": {"position": [0.1, 0, 0.1], "rotation": {"axis": [0, 1, 0], "angle": 1}}},
        {"type": "coordinate", "coordinate": "j1_1", "target": 1, "at": 0.05, "weight": 0.01},
        {"type": "speed", "coordinate": "j2_1", "weight": 0.001},
        {"type": "speed", "body": "b2", "point": [0.05, 0, 0], "target": [1, 0, 0]},
        {"type": "landing", "body": "b2", "target": [0.1, 0, -0.5]},
        {"type": "energy", "target": 1e-3, "weight": 100},
        {"type": "energy", "of": "potential", "target": 1e-3, "weight": 100, "at": 0.1},
        {"type": "energy", "of": "total", "target": 1e-3, "weight": 100, "at": "steps"},
        {"type": "effort", "controls": ["motor2"], "weight": 1e-9},
        {"type": "parameters", "weight": 0.1})"));
  ValueAndGradient at;
  ASSERT_TRUE(problem.evaluate(problem.start(), at));
  double sum = 0;
  for (const TaskProblem::TermValue& term : problem.terms()) {
    EXPECT_GT(term.value, 0) << term.name;
    sum += term.value;
  }
  EXPECT_NEAR(sum, at.value, 1e-14 * at.value);
  expect_passed(checked(problem, problem.start()));
}

TEST(TaskProblem, HasTheGradientOfReactionsAndContactForces) {
  TaskProblem leg(leg_task(0.005));
  expect_passed(checked(leg, leg.start()));
  // The ball touches the ground after 0.247 s.
  TaskProblem thrown(task_about(
      "thrown-shapes", R"("dt": 0.001, "until": 0.26)",
      R"({"type": "model", "path": "bodies.ball.joint.q0.1", "value": 0.4, "scale": 0.1},
         {"type": "model", "path": "forces.ball-ground.friction", "value": 0.5, "scale": 0.5},
         {"type": "model", "path": "bodies.ball.joint.qdot0.5", "value": 45, "scale": 10})",
      R"({"type": "contact", "contact": "ball-ground", "target": [5, 200, 0], "at": 0.255},
         {"type": "contact", "contact": ["ball-ground", "box-ground"], "target": [0, 9, 0],
          "at": "steps"})"));
  ValueAndGradient at;
  ASSERT_TRUE(thrown.evaluate(thrown.start(), at));
  EXPECT_GT(*thrown.terms()[1].miss, 100);  // it does touch
  expect_passed(checked(thrown, thrown.start()));
}

/// ½|r|² is the value, Jᵀr its gradient, and J that of differences.
void expect_residuals(TaskProblem& problem) {
  const VecX p = problem.start().array() + 0.03;
  ValueAndGradient at;
  ASSERT_TRUE(problem.evaluate(p, at)) << problem.failure();
  VecX r, same;
  MatX J;
  ASSERT_TRUE(problem.evaluate_residuals(p, r, &J));
  EXPECT_NEAR(0.5 * r.squaredNorm(), at.value, 1e-13 * at.value);
  EXPECT_LT((J.transpose() * r - at.gradient).lpNorm<Eigen::Infinity>(),
            1e-10 * at.gradient.lpNorm<Eigen::Infinity>());
  ASSERT_TRUE(problem.evaluate_residuals(p, same, nullptr));
  EXPECT_EQ(same, r);
  const auto residuals = [&](const VecX& x) {
    VecX out;
    EXPECT_TRUE(problem.evaluate_residuals(x, out, nullptr));
    return out;
  };
  const DifferenceSweep sweep = check_derivative(residuals, p, J);
  EXPECT_TRUE(sweep.confirms(1e-6)) << sweep.table();
}

TEST(TaskProblem, HasResidualsWithTheirJacobian) {
  TaskProblem pendulum(pendulum_task(
      R"({"type": "control", "control": ["motor1", "motor2"], "knots": 3, "value": 1e4, "scale": 1e5},
         {"type": "model", "path": "gravity.2", "value": -900, "scale": 1000},
         {"type": "initial", "state": "j2_1"})",
      kPoint + R"(, {"type": "coordinate", "coordinate": "j1_1", "target": 1, "at": [0, 0.05]},
        {"type": "speed", "coordinate": "j2_1", "weight": 0.001, "at": "steps"},
        {"type": "effort", "weight": 1e-9}, {"type": "parameters", "weight": 0.1},
        {"type": "parameters", "name": "near_the_start", "from": "start", "weight": 2})"));
  expect_residuals(pendulum);
  // Times of steps and their weights change with the duration.
  TaskProblem longer(pendulum_task(
      R"({"type": "duration", "scale": 0.2}, {"type": "control", "control": "motor1", "scale": 1e5})",
      kPoint + R"(, {"type": "point", "body": "b1", "target": [0, 0, 0], "at": "steps"})"));
  expect_residuals(longer);
  TaskProblem leg(leg_task(0.01));
  expect_residuals(leg);
}

TEST(TaskProblem, TellsHowWellDataTellParameters) {
  // The second is at its limit, which does not make it known.
  const auto told_by = [](const char* scale) {
    return pendulum_task(
        fmt::format(
            R"({{"type": "control", "control": "motor1", "value": 1e4, "scale": {0}}},
               {{"type": "control", "control": "motor2", "value": 1e4, "scale": {0}, "upper": 1e4}})",
            scale),
        R"({"type": "coordinate", "coordinate": "j1_1", "target": 1.6, "at": "steps"},
           {"type": "coordinate", "coordinate": "j2_1", "target": 0.85, "at": "steps"})");
  };
  TaskProblem problem(told_by("1e6"));
  const std::optional<Identification> told = identify(problem, problem.start());
  ASSERT_TRUE(told);
  EXPECT_EQ(told->data, 40);
  EXPECT_TRUE(told->unresolved.empty());
  VecX r;
  MatX J;
  ASSERT_TRUE(problem.evaluate_residuals(problem.start(), r, &J));
  const MatX by_hand = r.squaredNorm() / 38 * (J.transpose() * J).inverse();
  for (int k = 0; k < 2; ++k)
    EXPECT_NEAR(told->deviations[k], 1e6 * std::sqrt(by_hand(k, k)), 1e-9 * told->deviations[k]);
  EXPECT_NEAR(told->correlations(0, 1), by_hand(0, 1) / std::sqrt(by_hand(0, 0) * by_hand(1, 1)),
              1e-9);
  // In small units the same numbers are not told.
  TaskProblem small(told_by("1"));
  EXPECT_EQ(identify(small, small.start())->unresolved.size(), 2u);
  // One moment tells no more than one parameter.
  TaskProblem few(
      pendulum_task(R"({"type": "control", "control": ["motor1", "motor2"], "scale": 1e5})",
                    R"({"type": "coordinate", "coordinate": "j1_1", "target": 1})"));
  EXPECT_FALSE(identify(few, few.start()));
}

TEST(TaskProblem, FollowsARecordedMotion) {
  const std::filesystem::path file =
      std::filesystem::temp_directory_path() / ("sinew-track-" + std::to_string(getpid()) + ".sto");
  const auto write = [&](const std::string& label, double end) {
    std::ofstream(file)
        << "motion\nversion=1\nnRows=3\nnColumns=2\ninDegrees=yes\nendheader\ntime\t" << label
        << "\n1\t80\n1.1\t90\n"
        << end << "\t95\n";
  };
  const auto problem = [&] {
    return TaskProblem(
        pendulum_task(R"({"type": "control", "control": "motor1", "value": 1e4, "scale": 1e5})",
                      R"({"type": "track", "from": 1, "file": ")" + file.string() + "\"}"));
  };
  write("j1_1", 1.2);
  TaskProblem tracking = problem();
  expect_passed(checked(tracking, tracking.start()));
  // The start misses 90° − 80°; a mean over steps is of the same size.
  EXPECT_NEAR(*tracking.terms()[0].miss, 0.1, 0.1);
  // Each of three rows once, at the times of states.
  TaskProblem rows(pendulum_task(
      R"({"type": "control", "control": "motor1", "value": 1e4, "scale": 1e5})",
      R"({"type": "track", "from": 1, "at": "rows", "file": ")" + file.string() + "\"}"));
  expect_passed(checked(rows, rows.start()));
  VecX r;
  ASSERT_TRUE(rows.evaluate_residuals(rows.start(), r, nullptr));
  EXPECT_EQ(r.size(), 3);
  write("j1_1", 1.2003);
  EXPECT_THAT(
      test::message_of([&] {
        TaskProblem(pendulum_task(
            R"({"type": "control", "control": "motor1"})",
            R"({"type": "track", "from": 1, "at": "rows", "file": ")" + file.string() + "\"}"));
      }),
      HasSubstr("where no step of 0.01 s ends"));
  write("j3", 1.2);
  EXPECT_THAT(test::message_of(problem), HasSubstr("has no coordinate of the model"));
  write("j1_1", 1.15);
  EXPECT_THAT(test::message_of(problem), HasSubstr("which lasts until 0.2 s"));
  std::filesystem::remove(file);
}

TEST(TaskProblem, FollowsMarkersOfAnOpenSimModel) {
  TaskProblem recorded(load_task(test::source_dir() + "/tasks/identify-markers.json"));
  expect_passed(checked(recorded, recorded.start()));
  VecX r;
  ASSERT_TRUE(recorded.evaluate_residuals(recorded.start(), r, nullptr));
  EXPECT_EQ(r.size(), 60 * 2 * 3);  // rows, markers, axes
  const std::string model = test::source_dir() + "/tasks/data/two-rods.osim";
  TaskProblem one(parse_task(
      R"({"sinew_task": 1, "model": ")" + model + R"(", "run": {"dt": 0.005, "until": 0.1},
         "parameters": [{"type": "model", "path": "/bodyset/lower/mass", "value": 1.4, "scale": 1}],
         "objectives": [{"type": "marker", "marker": "wrist", "target": [0.2, 0.7, 0]}]})",
      "one-marker", ""));
  expect_passed(checked(one, one.start()));
  // Where the marker is: 0.25 m from the elbow, which is 0.3 m from the shoulder.
  const double shoulder = one.end().q[0], both = shoulder + one.end().q[1];
  const Vec3 wrist(0.3 * std::sin(shoulder) + 0.25 * std::sin(both),
                   1 - 0.3 * std::cos(shoulder) - 0.25 * std::cos(both), 0);
  ASSERT_TRUE(one.evaluate_residuals(one.start(), r, nullptr));
  EXPECT_LT((Vec3(r) - (wrist - Vec3(0.2, 0.7, 0))).norm(), 1e-12);
}

TEST(TaskProblem, TellsHowFarAPointMisses) {
  TaskProblem problem(pendulum_task(R"({"type": "control", "control": "motor1"})", kPoint));
  ValueAndGradient at;
  ASSERT_TRUE(problem.evaluate(problem.start(), at));
  Workspace ws(problem.system());
  update_kinematics(problem.system(), problem.end(), ws);
  const Vec3 tip =
      attach(problem.system().skeleton(), ws.skeleton, BodyIndex(1), {0.05, 0, 0}).position;
  EXPECT_NEAR(*problem.terms()[0].miss, (tip - Vec3(0.1, 0, -0.1)).norm(), 1e-14);
}

TEST(TaskProblem, HoldsTheStartAtRest) {
  TaskProblem problem(arm_task(R"({"type": "control", "control": ["shoulder_flexion_motor",
          "shoulder_adduction_motor", "shoulder_rotation_motor", "elbow_motor"], "value": "hold"})",
                               R"("dt": 0.002, "until": 0.1)"));
  ValueAndGradient at;
  ASSERT_TRUE(problem.evaluate(problem.start(), at));
  const State start = problem.system().default_state();
  // Rounding moves it, and gravity makes more of that.
  EXPECT_LT((problem.end().q - start.q).lpNorm<Eigen::Infinity>(), 1e-12);
  EXPECT_THAT(test::message_of([&] {
                holding_controls(problem.system(), start,
                                 {problem.system().controls().find("biceps")});
              }),
              HasSubstr("cannot hold the start"));
}

TEST(TaskProblem, IsDrivenByTheFilesThatItWrites) {
  const std::string knots = R"("knots": 3, "value": [1, -2, 3])";
  for (const char* interpolation : {"step", "linear", "cubic"}) {
    TaskProblem problem(
        pendulum_task(R"({"type": "control", "control": "motor1", "interpolation": ")" +
                          std::string(interpolation) + "\", " + knots +
                          R"(}, {"type": "control", "control": "motor2", "value": 30})",
                      kPoint));
    const std::optional<ControlTable> table = control_table(problem, problem.start());
    ASSERT_TRUE(table);
    EXPECT_TRUE(table->exact);
    EXPECT_EQ(table->table.labels, (std::vector<std::string>{"motor1", "motor2"}));
    EXPECT_EQ(table->table.times, (std::vector<double>{0, 0.1, 0.2}));
    EXPECT_EQ(table->table.values.col(0), Vec3(1, -2, 3));
    EXPECT_EQ(table->table.values.col(1), Vec3::Constant(30));
  }
  TaskProblem mixed(
      pendulum_task(R"({"type": "control", "control": "motor1", "interpolation": "cubic", )" +
                        knots + R"(}, {"type": "control", "control": "motor2", )" + knots + "}",
                    kPoint));
  EXPECT_FALSE(control_table(mixed, mixed.start())->exact);
  EXPECT_EQ(control_table(mixed, mixed.start())->table.times.size(), 81u);  // 20 steps
  const MotionTable initial = initial_table(mixed, mixed.start());
  EXPECT_EQ(initial.values(0, initial.column("j1_1_u")), 1);
}

TEST(GradientCheck, FailsForAWrongGradient) {
  TaskProblem problem(
      pendulum_task(R"({"type": "control", "control": "motor1", "scale": 1e5})", kPoint));
  ValueAndGradient at;
  ASSERT_TRUE(problem.evaluate(problem.start(), at));
  for (const double error : {1e-5, 1e-2}) {
    const GradientCheck check =
        check_gradient(problem, problem.start(), at.gradient * (1 + error), true, {}, nullptr);
    EXPECT_FALSE(check.passed);
    // At some step the error of the difference hides part of it.
    EXPECT_GT(check.worst_error, 0.2 * error);
  }
}

TEST(GradientCheck, PassesParametersWithoutEffect) {
  // Of fixed bodies nothing moves.
  TaskProblem problem(
      task_about("robot-arm", R"("integrator": "sdirk2", "dt": 0.002, "until": 0.05)",
                 R"({"type": "model", "path": "bodies.base.shapes.0.placement.rotation.angle",
          "value": -1.5707963267948966, "scale": 0.15707963267948966})",
                 R"({"type": "coordinate", "coordinate": "wheel_angle", "target": 3, "at": "steps"},
         {"type": "speed", "coordinate": "arm_angle", "target": 1})"));
  expect_passed(checked(problem, problem.start()));
  // A gradient that claims an effect does not pass.
  const GradientCheck wrong =
      check_gradient(problem, problem.start(), VecX::Constant(1, 1e-6), true, {}, nullptr);
  EXPECT_FALSE(wrong.passed);
}

// The rows of the tables that drive the leg are at ends of steps.
TEST(GradientCheck, PassesTheDurationOfMotionsByCubicTables) {
  for (const char* integrator : {"bdf1", "sdirk2", "bdf2"}) {
    SCOPED_TRACE(integrator);
    TaskProblem problem(task_about(
        "running-leg",
        fmt::format(R"("integrator": "{}", "dt": 0.002, "until": 0.04, "newton_tolerance": 1e-13)",
                    integrator),
        R"({"type": "duration"})",
        R"({"type": "coordinate", "coordinate": "hip_flexion_r", "target": 3, "at": "steps"},
           {"type": "speed", "coordinate": "hip_flexion_r", "target": 1},
           {"type": "coordinate", "coordinate": "pelvis_tilt", "target": 3, "at": "steps"},
           {"type": "speed", "coordinate": "pelvis_list", "target": 1})"));
    expect_passed(checked(problem, problem.start()));
    const std::vector<RunDerivatives::Kinks> kinks = problem.kinks();
    ASSERT_FALSE(kinks.empty());
    EXPECT_EQ(kinks.back().element, "parameter 'duration'");
  }
}

// A motor has no effect beyond its limits: the objective has a corner where its control is there.
TEST(GradientCheck, NamesACornerWhereNoGradientIsRight) {
  TaskProblem problem(limited_motor_task(1e5));
  const GradientCheck check = checked(problem, problem.start());
  EXPECT_FALSE(check.passed);
  EXPECT_TRUE(check.directions[0].at_corner());
  EXPECT_NEAR(check.corner, 1, 0.01);  // the slope is 0 on the other side
  TaskProblem beside(limited_motor_task(9e4));
  const GradientCheck smooth = checked(beside, beside.start());
  EXPECT_EQ(smooth.corner, 0);
}

// Differences over large steps reach the limiter of touch-down, where their order bends: the small
// ones decide.
TEST(GradientCheck, PassesThroughTouchDown) {
  for (const char* integrator : {"bdf1", "sdirk2", "bdf2"}) {
    SCOPED_TRACE(integrator);
    TaskProblem problem(
        task_about("wrap-pendulum",
                   R"("dt": 0.004, "until": 1, "integrator": ")" + std::string(integrator) + '"',
                   R"({"type": "initial", "state": "shoulder"})",
                   R"({"type": "coordinate", "coordinate": "elbow", "target": 0.3},
           {"type": "coordinate", "coordinate": "shoulder", "target": 0, "at": "steps"})"));
    const GradientCheck check = checked(problem, problem.start());
    expect_passed(check);
    EXPECT_LT(check.worst_error, 1e-8);
  }
}

TEST(TaskProblem, NamesThePathThatIsLostFirstAndWhen) {
  for (const char* until : {"0.5", "1"}) {
    TaskProblem problem(task_about(
        "muscle-pendulums", R"("integrator": "bdf2", "dt": 0.002, "until": )" + std::string(until),
        R"({"type": "initial", "state": "elbow1a/speed", "value": 20})",
        R"({"type": "coordinate", "coordinate": "elbow1a", "target": 0.3})"));
    ValueAndGradient at;
    EXPECT_THAT(test::message_of([&] { problem.evaluate(problem.start(), at); }),
                HasSubstr("muscle 'muscle1a': loses its path at t = 0.436 s"));
  }
}

TEST(GradientCheck, MixesMoreParametersInRandomDirections) {
  TaskProblem problem(pendulum_task(
      R"({"type": "control", "control": "motor1", "knots": 40, "scale": 1e5})", kPoint));
  ValueAndGradient at;
  ASSERT_TRUE(problem.evaluate(problem.start(), at));
  const GradientCheck check =
      check_gradient(problem, problem.start(), at.gradient, false, {}, nullptr);
  EXPECT_EQ(check.directions.size(), 16u);
  expect_passed(check);
}

}  // namespace task_problem_test
}  // namespace sinew

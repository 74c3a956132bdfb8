#include "sinew/io/tasks/task_problem.hpp"

#include <gmock/gmock.h>

#include "sinew/io/tasks/gradient_check.hpp"
#include "sinew/io/tasks/holding_controls.hpp"
#include "sinew/io/tasks/task_files.hpp"
#include "support/message_of.hpp"
#include "support/source_dir.hpp"

namespace sinew {
namespace task_problem_test {

using testing::HasSubstr;

/// A task about the arm, with these parameters and objectives, and more keys of "run".
Task arm_task(const std::string& parameters, const std::string& objectives,
              const std::string& run = "\"until\": 0.06") {
  const std::string text = R"({"sinew_task": 1, "model": ")" + test::source_dir() +
                           R"(/scenes/arm.json",
    "set": {"bodies.humerus.joint.damping": 0.3, "bodies.forearm.joint.damping": 0.3},
    "run": {"dt": 0.002, )" + run + R"(},
    "parameters": [)" + parameters + R"(],
    "objectives": [)" + objectives + "]}";
  return parse_task(text, "arm-task", "");
}

const std::string kPoint =
    R"({"type": "point", "body": "hand", "target": [0.5, -0.1, 0.2], "weight": 10})";

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
  const std::string knots = R"("knots": [0, 0.02, 0.05], "value": [1, -2, 3], "scale": 3)";
  TaskProblem problem(arm_task(
      R"({"type": "control", "control": "elbow_motor", "interpolation": "cubic", )" + knots +
          R"(}, {"type": "control", "control": "shoulder_flexion_motor", "interpolation": "step", )" +
          knots + R"(}, {"type": "control", "control": "shoulder_rotation_motor", )" + knots +
          R"(}, {"type": "control", "control": "biceps", "value": 40, "scale": 20})",
      kPoint));
  EXPECT_EQ(problem.unknowns().size(), 10u);
  EXPECT_EQ(problem.unknowns()[1].name, "elbow_motor@0.02");
  EXPECT_EQ(problem.unknowns()[9].lower, 0);  // muscles do not push
  expect_passed(checked(problem, problem.start()));
}

TEST(TaskProblem, HasTheGradientOfTheStart) {
  TaskProblem problem(arm_task(R"({"type": "initial", "state": "elbow_flexion"},
       {"type": "initial", "state": "shoulder_flexion/speed", "value": 2, "scale": 2})",
                               kPoint));
  EXPECT_EQ(problem.unknowns()[0].start, 0.8);
  expect_passed(checked(problem, problem.start()));
}

TEST(TaskProblem, HasTheGradientOfEveryObjective) {
  TaskProblem problem(arm_task(
      R"({"type": "control", "control": ["elbow_motor", "shoulder_flexion_motor"], "value": 1})",
      kPoint + R"(, {"type": "point", "body": "forearm", "target": [0, 0, 0], "at": "steps"},
        {"type": "pose", "body": "hand", "at": [0.02, 0.04],
         "target": {"position": [0.4, 0, 0.1], "rotation": {"axis": [0, 0, 1], "angle": 1}}},
        {"type": "coordinate", "coordinate": "elbow_flexion", "target": 1, "at": 0.03},
        {"type": "speed", "coordinate": "elbow_flexion"},
        {"type": "speed", "body": "hand", "point": [0, -0.07, 0], "target": [1, 0, 0]},
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

TEST(TaskProblem, TellsHowFarAPointMisses) {
  TaskProblem problem(arm_task(R"({"type": "control", "control": "elbow_motor"})", kPoint));
  ValueAndGradient at;
  ASSERT_TRUE(problem.evaluate(problem.start(), at));
  Workspace ws(problem.system());
  update_kinematics(problem.system(), problem.end(), ws);
  const Vec3 hand = attach(problem.system().skeleton(), ws.skeleton, BodyIndex(2), {}).position;
  EXPECT_NEAR(*problem.terms()[0].miss, (hand - Vec3(0.5, -0.1, 0.2)).norm(), 1e-14);
}

TEST(TaskProblem, HoldsTheStartAtRest) {
  const Task task = arm_task(
      R"({"type": "control", "control": ["shoulder_flexion_motor", "shoulder_adduction_motor",
          "shoulder_rotation_motor", "elbow_motor"], "value": "hold"})",
      kPoint, "\"until\": 1");
  TaskProblem problem(task);
  ValueAndGradient at;
  ASSERT_TRUE(problem.evaluate(problem.start(), at));
  const State start = problem.system().default_state();
  // The arm falls off an unstable pose as fast as rounding grows; here it is stable.
  EXPECT_LT((problem.end().q - start.q).lpNorm<Eigen::Infinity>(), 1e-9);
  EXPECT_THAT(test::message_of([&] {
                holding_controls(problem.system(), start, {problem.system().controls().find("biceps")});
              }),
              HasSubstr("cannot hold the start"));
}

TEST(TaskProblem, IsDrivenByTheFilesThatItWrites) {
  const std::string knots = R"("knots": 3, "value": [1, -2, 3])";
  for (const char* interpolation : {"step", "linear", "cubic"}) {
    TaskProblem problem(arm_task(R"({"type": "control", "control": "elbow_motor", "interpolation": ")" +
                                     std::string(interpolation) + "\", " + knots +
                                     R"(}, {"type": "control", "control": "biceps", "value": 30})",
                                 kPoint));
    const std::optional<ControlTable> table = control_table(problem, problem.start());
    ASSERT_TRUE(table);
    EXPECT_TRUE(table->exact);
    EXPECT_EQ(table->table.labels, (std::vector<std::string>{"elbow_motor", "biceps"}));
    EXPECT_EQ(table->table.times, (std::vector<double>{0, 0.03, 0.06}));
    EXPECT_EQ(table->table.values.col(0), Vec3(1, -2, 3));
    EXPECT_EQ(table->table.values.col(1), Vec3::Constant(30));
  }
  TaskProblem mixed(arm_task(
      R"({"type": "control", "control": "elbow_motor", "interpolation": "cubic", )" + knots +
          R"(}, {"type": "control", "control": "shoulder_flexion_motor", )" + knots + "}",
      kPoint));
  EXPECT_FALSE(control_table(mixed, mixed.start())->exact);
  EXPECT_EQ(control_table(mixed, mixed.start())->table.times.size(), 121u);  // 30 steps
  const MotionTable initial = initial_table(mixed, mixed.start());
  EXPECT_EQ(initial.values(0, initial.column("elbow_flexion")), 0.8);
  EXPECT_EQ(initial.values(0, initial.column("elbow_flexion_u")), 0);
}

TEST(GradientCheck, FailsForAWrongGradient) {
  TaskProblem problem(arm_task(R"({"type": "control", "control": "elbow_motor"})", kPoint));
  ValueAndGradient at;
  ASSERT_TRUE(problem.evaluate(problem.start(), at));
  for (const double error : {1e-5, 1e-2}) {
    const GradientCheck check = check_gradient(problem, problem.start(), at.gradient * (1 + error),
                                               true, {}, nullptr);
    EXPECT_FALSE(check.passed);
    EXPECT_NEAR(check.worst_error, error, 0.1 * error);
  }
}

TEST(GradientCheck, MixesMoreParametersInRandomDirections) {
  TaskProblem problem(
      arm_task(R"({"type": "control", "control": "elbow_motor", "knots": 40})", kPoint));
  ValueAndGradient at;
  ASSERT_TRUE(problem.evaluate(problem.start(), at));
  const GradientCheck check =
      check_gradient(problem, problem.start(), at.gradient, false, {}, nullptr);
  EXPECT_EQ(check.directions.size(), 16u);
  expect_passed(check);
}

}  // namespace task_problem_test
}  // namespace sinew

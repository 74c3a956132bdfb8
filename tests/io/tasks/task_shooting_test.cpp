#include "sinew/io/tasks/task_shooting.hpp"

#include <gmock/gmock.h>
#include <unistd.h>

#include <fstream>

#include "support/message_of.hpp"
#include "support/source_dir.hpp"
#include "support/task_about.hpp"

namespace sinew {
namespace task_shooting_test {

using test::task_about;
using testing::HasSubstr;

/// Two rods with springs and motors, 20 steps.
Task rods_task(const std::string& parameters, const std::string& objectives,
               const std::string& integrator = "bdf2") {
  return task_about("redmax-diff-100",
                    R"("dt": 0.01, "until": 0.2, "integrator": ")" + integrator + "\"", parameters,
                    objectives);
}

const std::string kMotors = R"({"type": "control", "control": ["motor1", "motor2"], "knots": 5,
    "value": [1e5, -2e5, 3e5, 1e5, 0], "scale": 1e5})";
const std::string kPoint =
    R"({"type": "point", "body": "b2", "point": [0.05, 0, 0], "target": [0.1, 0, -0.1]})";

/// Errors of the derivatives of all intervals against central differences, of the largest entry.
double worst_jacobian(TaskShooting& shooting, const Trajectory& at, double h) {
  ShootingProblem problem = shooting.problem();
  double worst = 0;
  for (int k = 0; k < shooting.intervals(); ++k) {
    const VecX &s = at.states[static_cast<size_t>(k)], &u = at.controls[static_cast<size_t>(k)];
    StageValues values, plus, minus;
    StageJacobians J;
    EXPECT_TRUE(problem.stage(k, s, u, values, &J));
    MatX by(values.end.size() + values.residuals.size(), s.size() + u.size()), exact(by);
    exact << J.A, J.B, J.Rs, J.Ru;
    for (Eigen::Index i = 0; i < by.cols(); ++i) {
      VecX d = VecX::Zero(by.cols());
      d[i] = h;
      EXPECT_TRUE(problem.stage(k, s + d.head(s.size()), u + d.tail(u.size()), plus, nullptr));
      EXPECT_TRUE(problem.stage(k, s - d.head(s.size()), u - d.tail(u.size()), minus, nullptr));
      by.col(i) << (plus.end - minus.end) / (2 * h), (plus.residuals - minus.residuals) / (2 * h);
    }
    worst = std::max(worst, (by - exact).cwiseAbs().maxCoeff() / exact.cwiseAbs().maxCoeff());
  }
  return worst;
}

double best_jacobian(TaskShooting& shooting, const Trajectory& at) {
  double best = 1;
  for (const double h : {1e-4, 1e-5, 1e-6, 1e-7})
    best = std::min(best, worst_jacobian(shooting, at, h));
  return best;
}

// Differences err by the square of their step, and by what Newton's method leaves over it.
constexpr double kDifferences = 1e-7;

TEST(TaskShooting, HasTheDerivativesOfItsIntervals) {
  for (const char* interpolation : {"step", "linear", "cubic"}) {
    SCOPED_TRACE(interpolation);
    TaskProblem problem(
        rods_task(R"({"type": "control", "control": "motor1", "knots": [0, 0.08, 0.15],
            "value": [1e5, -2e5, 3e5], "scale": 1e5, "interpolation": ")" +
                      std::string(interpolation) +
                      R"("}, {"type": "control", "control": "motor2", "value": 1e4, "scale": 1e5},
                          {"type": "initial", "state": "j2_1"})",
                  kPoint + R"(, {"type": "speed", "coordinate": "j1_1", "at": [0, 0.1, 0.15]},
                {"type": "point", "body": "b1", "target": [0, 0, 0], "at": "steps"},
                {"type": "effort", "weight": 1e-9}, {"type": "parameters", "weight": 0.1})",
                  "sdirk2"));
    TaskShooting shooting(problem, 4);
    EXPECT_LT(best_jacobian(shooting, shooting.guess(problem.start())), kDifferences);
  }
}

// A leg whose pelvis moves as prescribed, which is no state.
TEST(TaskShooting, HasTheDerivativesOfActivationsAndFibresOnAMovingPelvis) {
  TaskProblem problem(task_about(
      "running-leg", R"("dt": 0.002, "until": 0.02, "integrator": "sdirk2")",
      R"({"type": "control", "control": ["soleus", "rectus_femoris", "knee_angle_r_reserve"],
          "knots": 3, "value": 0.3})",
      R"({"type": "coordinate", "coordinate": "knee_angle_r", "target": 0.3, "at": "steps"})"));
  TaskShooting shooting(problem, 2);
  const Trajectory guess = shooting.guess(problem.start());
  EXPECT_EQ(guess.states[0].size(), 5 + 5 + 12);  // of eleven coordinates, and six muscles
  EXPECT_EQ(guess.states[1].size(), 5 + 5 + 12 + 3);
  EXPECT_LT(best_jacobian(shooting, guess), kDifferences);
}

TEST(TaskShooting, OfAClosedTrajectoryIsTheRun) {
  TaskProblem problem(rods_task(kMotors, kPoint + R"(, {"type": "effort", "weight": 1e-9},
      {"type": "parameters", "weight": 1e-3},
      {"type": "parameters", "name": "near_the_start", "from": "start", "weight": 2},
      {"type": "point", "body": "b1", "target": [0, 0, 0], "at": "steps"})"));
  TaskShooting shooting(problem, 4);
  const VecX p = problem.start().array() + 0.03;
  const Trajectory run = shooting.guess(p);
  ShootingProblem stages = shooting.problem();
  double sum = 0;
  for (int k = 0; k < 4; ++k) {
    const auto at = static_cast<size_t>(k);
    StageValues values;
    ASSERT_TRUE(stages.stage(k, run.states[at], run.controls[at], values, nullptr));
    // bdf2 begins anew at linear knots, in one piece as well; times are rounded otherwise.
    EXPECT_LT((values.end - run.states[at + 1]).lpNorm<Eigen::Infinity>(), 1e-12);
    sum += values.residuals.squaredNorm() / 2;
  }
  double value = 0;
  ASSERT_TRUE(problem.evaluate_value(p, value));
  EXPECT_NEAR(sum, value, 1e-10 * value);
  EXPECT_EQ(shooting.parameters(run), p);
  const Trajectory again = shooting.trajectory(p, shooting.states(run));
  for (size_t k = 0; k <= 4; ++k) EXPECT_EQ(again.states[k], run.states[k]);
}

TEST(TaskShooting, FindsAnOptimumOfTheRunInOnePiece) {
  TaskProblem problem(rods_task(kMotors, kPoint + R"(, {"type": "effort", "weight": 1e-13})"));
  TaskShooting shooting(problem, 4);
  const ShootingResult found = shoot(shooting.problem(), shooting.guess(problem.start()));
  EXPECT_EQ(found.end, MinimizeEnd::converged) << describe(found);
  EXPECT_LT(found.gap, 1e-8);
  const VecX p = shooting.parameters(found);
  ValueAndGradient first, at;
  ASSERT_TRUE(problem.evaluate(problem.start(), first) && problem.evaluate(p, at));
  EXPECT_NEAR(at.value, found.value, 1e-6 * found.value);
  // The search ends at 1e-8 of the largest term, which the gaps left add to.
  EXPECT_LT(at.gradient.lpNorm<Eigen::Infinity>(), 1e-6 * first.gradient.lpNorm<Eigen::Infinity>());
}

TEST(TaskShooting, BeginsWhereATrackedMotionIs) {
  const std::filesystem::path file =
      std::filesystem::temp_directory_path() / ("sinew-shoot-" + std::to_string(getpid()) + ".sto");
  std::ofstream(file) << "motion\nversion=1\nnRows=3\nnColumns=2\ninDegrees=no\nendheader\n"
                         "time\tj1_1\n0\t0\n0.1\t0.1\n0.2\t0.3\n";
  TaskProblem problem(rods_task(kMotors, R"({"type": "track", "file": ")" + file.string() + "\"}"));
  TaskShooting shooting(problem, 4);
  const Trajectory guess = shooting.guess(problem.start());
  EXPECT_EQ(guess.states[0][0], problem.run_parameters().start().q[0]);
  EXPECT_NEAR(guess.states[2][0], 0.1, 1e-12);  // j1_1 at 0.1 s
  EXPECT_NEAR(guess.states[4][0], 0.3, 1e-12);
  EXPECT_GT(guess.states[2][2], 1);  // its speed: between the slopes of the file, 1 and 2 rad/s
  EXPECT_LT(guess.states[2][2], 2);
  std::filesystem::remove(file);
}

TEST(TaskShooting, RefusesWhatItCannotCut) {
  const auto message = [](Task task, int intervals) {
    return test::message_of([&] {
      TaskProblem problem(std::move(task));
      TaskShooting shooting(problem, intervals);
    });
  };
  EXPECT_THAT(message(rods_task(kMotors, kPoint), 3), HasSubstr("do not divide a run of 20 steps"));
  EXPECT_THAT(message(rods_task(kMotors, kPoint), 5), HasSubstr("bdf2 begins anew"));
  EXPECT_EQ(message(rods_task(kMotors, kPoint, "sdirk2"), 5), "");
  EXPECT_THAT(message(rods_task(R"({"type": "duration"})", kPoint), 4),
              HasSubstr("is the same in all intervals"));
}

}  // namespace task_shooting_test
}  // namespace sinew

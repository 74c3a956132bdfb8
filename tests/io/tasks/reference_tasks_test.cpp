#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "sinew/io/tasks/task_problem.hpp"
#include "support/reference.hpp"
#include "support/source_dir.hpp"

/// The tasks reference-100 and reference-101 against the public REDMAX implementation.

namespace sinew {
namespace reference_tasks_test {

struct ReferenceRow {
  std::string method;
  VecX p, gradient;
  double value;
  bool optimum;
};
std::vector<ReferenceRow> reference_rows() {
  std::ifstream file(*test::reference_dir() / "redmax" / "adjoint_reference.csv");
  std::vector<ReferenceRow> out;
  std::string line;
  std::getline(file, line);
  while (std::getline(file, line)) {
    std::vector<std::string> cells;
    std::istringstream stream(line);
    for (std::string cell; std::getline(stream, cell, ',');) cells.push_back(cell);
    const bool optimum = cells[0].ends_with("_opt");
    const auto pair = [&](size_t k) {
      return VecX(Eigen::Vector2d(std::stod(cells[k]), std::stod(cells[k + 1])));
    };
    out.push_back(
        {cells[0].substr(0, 4), pair(1), pair(optimum ? 4 : 6), std::stod(cells[3]), optimum});
  }
  return out;
}
TaskProblem problem_of(const ReferenceRow& row) {
  return TaskProblem(load_task(test::source_dir() + "/tasks/reference-" +
                               (row.method == "BDF1" ? "100" : "101") + ".json"));
}

TEST(ReferenceTasks, AgreeWithItsCentralDifferences) {
  SINEW_NEEDS_REFERENCE();
  int compared = 0;
  for (const ReferenceRow& row : reference_rows()) {
    if (row.optimum) continue;
    SCOPED_TRACE(row.method + " " + std::to_string(row.p[0]));
    ValueAndGradient at;
    TaskProblem problem = problem_of(row);
    ASSERT_TRUE(problem.evaluate(row.p, at));
    EXPECT_NEAR(at.value / row.value, 1, 1e-9);
    // Its differences have a step of 1e-5: their own error is 1e-9 and more.
    EXPECT_LT((at.gradient - row.gradient).lpNorm<Eigen::Infinity>(),
              1e-8 * row.gradient.lpNorm<Eigen::Infinity>());
    // What Newton's tolerance does to the objective.
    EXPECT_LT(at.newton_error, 1e-9 * at.value);
    ++compared;
  }
  EXPECT_EQ(compared, 8);
}

TEST(ReferenceTasks, LeadToItsOptimaOrBelow) {
  SINEW_NEEDS_REFERENCE();
  for (const ReferenceRow& row : reference_rows()) {
    if (!row.optimum) continue;
    TaskProblem problem = problem_of(row);
    const MinimizeResult result = minimize(
        [&](const VecX& p, double& value, VecX& gradient) {
          ValueAndGradient at;
          if (!problem.evaluate(p, at)) return false;
          value = at.value;
          gradient = at.gradient;
          return true;
        },
        1.1 * row.p);
    EXPECT_LT(result.value, row.value * (1 + 1e-9)) << row.method << " " << result.evaluations;
    EXPECT_LT(result.evaluations, 60) << to_string(result.end);
  }
}

}  // namespace reference_tasks_test
}  // namespace sinew

#include "sinew/math/lq_solver.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "sinew/math/qp.hpp"
#include "support/qp_check.hpp"
#include "support/random.hpp"

namespace sinew {
namespace lq_solver_test {

using test::QpData;
using test::Random;

LqProblem random_problem(Random& random, int stages, int nx, int nu) {
  LqProblem problem;
  problem.price = 1e3;
  for (int k = 0; k <= stages; ++k) {
    const bool last = k == stages;
    LqStage stage;
    const int controls = last ? 0 : nu;
    stage.Rs = random.matx(3, nx);
    stage.Ru = random.matx(3, controls);
    stage.r = random.vecx(3);
    stage.x_weights = VecX::Constant(nx, 0.01);
    stage.u_weights = VecX::Constant(controls, 0.1);
    if (!last) {
      stage.A = MatX::Identity(nx, nx) + 0.3 * random.matx(nx, nx);
      stage.B = random.matx(nx, nu);
      stage.c = random.vecx(nx);
    }
    problem.stages.push_back(stage);
  }
  return problem;
}

/// The same as one dense problem in (x_0, u_0, x_1, …, x_N), then what each bound of x_1 … x_N is
/// exceeded by: below, above.
struct Dense {
  explicit Dense(const LqProblem& problem) : qp(0) {
    const auto stages = static_cast<Eigen::Index>(problem.stages.size());
    const LqStage& first = problem.stages.front();
    nx = first.x_size();
    nu = first.u_size();
    plain = stages * nx + (stages - 1) * nu;
    qp = QpData(plain + 2 * (stages - 1) * nx);
    const Eigen::Index n = qp.n();
    for (Eigen::Index k = 0; k < stages; ++k) {
      const LqStage& stage = problem.stages[static_cast<size_t>(k)];
      MatX R = MatX::Zero(stage.r.size(), n);
      R.middleCols(x(k), nx) = stage.Rs;
      if (stage.u_size() > 0) R.middleCols(u(k), nu) = stage.Ru;
      qp.H += R.transpose() * R;
      qp.c += R.transpose() * stage.r;
      qp.H.diagonal().segment(x(k), nx) += stage.x_weights;
      qp.H.diagonal().segment(u(k), stage.u_size()) += stage.u_weights;
      for (Eigen::Index i = 0; i < stage.u_size(); ++i) {
        qp.lower[u(k) + i] = stage.u.lower_of(i);
        qp.upper[u(k) + i] = stage.u.upper_of(i);
      }
      for (Eigen::Index i = 0; i < nx; ++i) add_state_bounds(stage, k, i, problem.price);
      if (k + 1 == stages) break;
      for (Eigen::Index i = 0; i < nx; ++i) {
        VecX row = VecX::Zero(n);
        row.segment(x(k), nx) = stage.A.row(i);
        row.segment(u(k), nu) = stage.B.row(i);
        row[x(k + 1) + i] = -1;
        qp.add_equality(row, -stage.c[i]);
      }
    }
  }
  void add_state_bounds(const LqStage& stage, Eigen::Index k, Eigen::Index i, double price) {
    const Eigen::Index at = x(k) + i;
    if (k == 0) {
      qp.lower[at] = stage.x.lower_of(i);
      qp.upper[at] = stage.x.upper_of(i);
      return;
    }
    const Eigen::Index below = plain + 2 * ((k - 1) * nx + i);
    for (const double sign : {-1.0, 1.0}) {
      const Eigen::Index excess = below + (sign > 0);
      VecX row = VecX::Zero(qp.n());
      row[at] = sign;
      row[excess] = -1;
      qp.lower[excess] = 0;
      qp.c[excess] = price;
      qp.add_inequality(row, sign > 0 ? stage.x.upper_of(i) : -stage.x.lower_of(i));
    }
  }
  Eigen::Index x(Eigen::Index k) const { return k * (nx + nu); }
  Eigen::Index u(Eigen::Index k) const { return x(k) + nx; }

  QpData qp;
  Eigen::Index nx = 0, nu = 0, plain = 0;
};

void expect_dense_solution(const LqProblem& problem, double tolerance) {
  LqSolver solver;
  LqSolution solution;
  ASSERT_TRUE(solver.solve(problem, solution));
  EXPECT_TRUE(solution.converged);
  const Dense dense(problem);
  QpSolver oracle;
  const QpResult result = oracle.solve(dense.qp.view());
  ASSERT_EQ(result.status, QpStatus::optimal);
  double worst = 0;
  for (size_t k = 0; k < solution.x.size(); ++k) {
    const auto at = static_cast<Eigen::Index>(k);
    worst = std::max(worst, test::distance(solution.x[k], result.x.segment(dense.x(at), dense.nx)));
    const Eigen::Index nu = solution.u[k].size();
    if (nu > 0)
      worst = std::max(worst, test::distance(solution.u[k], result.x.segment(dense.u(at), nu)));
    // The rows of the dense problem are A x + B u − x⁺ = −c: π is the cost's growth with c.
    if (k > 0)
      worst = std::max(worst,
                       test::distance(solution.multipliers[k],
                                      result.multipliers.segment((at - 1) * dense.nx, dense.nx)));
  }
  EXPECT_LT(worst, tolerance);
}

TEST(LqSolver, AgreesWithTheDenseSolver) {
  Random random(1);
  for (int trial = 0; trial < 20; ++trial) {
    SCOPED_TRACE(trial);
    const int nx = 2 + trial % 3, nu = 1 + trial % 4;
    LqProblem problem = random_problem(random, 4, nx, nu);
    expect_dense_solution(problem, 1e-9);  // without bounds; the oracle's certificate is 1e-10
    for (LqStage& stage : problem.stages) {
      stage.u = {VecX::Constant(stage.u_size(), -0.3), VecX::Constant(stage.u_size(), 0.3)};
      if (trial % 2) stage.u.upper.setConstant(std::numeric_limits<double>::infinity());
      if (trial % 5 == 0 && nu > 1 && stage.u_size() > 0) stage.u.upper[1] = -0.3;  // fixed
    }
    problem.stages[0].x = {VecX::Constant(nx, 0.1), VecX::Constant(nx, 0.1)};
    if (trial % 3) problem.stages[0].x.lower.setConstant(-0.5);
    // Multipliers of states are found to rounding times the weight that keeps them at their bounds.
    expect_dense_solution(problem, 1e-9);
    for (size_t k = 1; k < problem.stages.size(); ++k)
      problem.stages[k].x = {VecX::Constant(nx, -2), VecX::Constant(nx, 1)};
    // Some of these bounds cannot be met.
    problem.price = 20;
    expect_dense_solution(problem, 1e-9);
    // Where the end is fixed, the price may be too low to get there.
    problem.stages.back().x = {VecX::Constant(nx, 0.2), VecX::Constant(nx, 0.2)};
    expect_dense_solution(problem, 1e-9);
  }
}

TEST(LqSolver, IsFastWhereTheBoundsAreGuessed) {
  Random random(5);
  LqProblem problem = random_problem(random, 10, 4, 3);
  for (LqStage& stage : problem.stages)
    stage.u = {VecX::Constant(stage.u_size(), -0.3), VecX::Constant(stage.u_size(), 0.3)};
  for (size_t k = 1; k < problem.stages.size(); ++k)
    problem.stages[k].x = {VecX::Constant(4, -2), VecX::Constant(4, 2)};
  LqSolver solver;
  LqSolution cold, warm;
  ASSERT_TRUE(solver.solve(problem, cold));
  EXPECT_GT(cold.recursions, 8);
  ASSERT_TRUE(solver.solve(problem, warm, &cold.active));
  EXPECT_EQ(warm.recursions, 1);
  for (size_t k = 0; k < cold.u.size(); ++k) EXPECT_EQ(warm.u[k], cold.u[k]);
  // A problem nearby takes a few corrections.
  problem.stages[0].r *= 1.3;
  problem.stages[3].c *= 1.2;
  LqSolution other;
  ASSERT_TRUE(solver.solve(problem, warm, &cold.active));
  ASSERT_TRUE(solver.solve(problem, other));
  EXPECT_LT(warm.recursions, 8);
  for (size_t k = 0; k + 1 < other.u.size(); ++k)
    EXPECT_LT(test::distance(warm.u[k], other.u[k]), 1e-10);
}

TEST(LqSolver, HoldsBoundsExactly) {
  Random random(6);
  LqProblem problem = random_problem(random, 8, 3, 2);
  for (LqStage& stage : problem.stages)
    stage.u = {VecX::Constant(stage.u_size(), -0.2), VecX::Constant(stage.u_size(), 0.2)};
  LqSolver solver;
  LqSolution solution;
  ASSERT_TRUE(solver.solve(problem, solution));
  int held = 0;
  for (size_t k = 0; k < solution.u.size(); ++k)
    for (Eigen::Index i = 0; i < solution.u[k].size(); ++i) {
      const double u = solution.u[k][i], z = solution.u_multipliers[k][i];
      EXPECT_LE(std::abs(u), 0.2);
      EXPECT_EQ(z != 0, std::abs(u) == 0.2);
      EXPECT_GE(z * u, 0);
      held += z != 0;
    }
  EXPECT_GT(held, 4);
}

// Weights of 1e16 beside ones of order one: squared matrices would have lost the latter.
TEST(LqRecursion, KeepsLightRowsBesideHeavyOnes) {
  Random random(7);
  const LqProblem problem = random_problem(random, 5, 3, 1);
  std::vector<VecX> weights, held, gradient, v;
  for (const LqStage& stage : problem.stages) {
    weights.push_back(stage_unknowns(stage.u_weights, stage.x_weights));
    held.push_back(VecX::Constant(weights.back().size(), std::nan("")));
    gradient.push_back(VecX::Zero(weights.back().size()));
  }
  weights[5].setConstant(1e16);
  LqRecursion recursion;
  recursion.factor(problem, weights, held);
  ASSERT_TRUE(recursion.solve(gradient, v));
  Dense dense(problem);
  for (Eigen::Index i = 0; i < 3; ++i)
    dense.qp.lower[dense.x(5) + i] = dense.qp.upper[dense.x(5) + i] = 0;
  QpSolver oracle;
  const QpResult result = oracle.solve(dense.qp.view());
  ASSERT_EQ(result.status, QpStatus::optimal);
  for (Eigen::Index k = 0; k < 5; ++k)
    EXPECT_LT(test::distance(v[static_cast<size_t>(k)].head(1), result.x.segment(dense.u(k), 1)),
              1e-7);  // the heavy rows' square root times rounding
}

}  // namespace lq_solver_test
}  // namespace sinew

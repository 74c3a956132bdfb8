#include <gtest/gtest.h>

#include <limits>

#include "support/allocation_guard.hpp"
#include "support/qp_check.hpp"
#include "support/random.hpp"

// A solver that is used again: warm starts, the same bits, no allocation.

namespace sinew {
namespace qp_reuse_test {

using test::QpData;
using test::Random;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(QpWarmStart, AtTheSolutionTakesOneFactorisationAndNoIteration) {
  Random random(5);
  QpSolver solver;
  for (int trial = 0; trial < 200; ++trial) {
    const int n = 2 + trial % 20;
    QpData qp = test::random_problem(random, n, 20);
    if (trial % 2) qp.lower.setConstant(-0.05);
    if (trial % 4 == 3) {  // singular, with c in its range
      const MatX B = random.matx(n, 1 + n / 3);
      qp.H = B * B.transpose();
      qp.c = B * random.vecx(1 + n / 3, 5);
    }
    const QpResult cold = solver.solve(qp.view());
    ASSERT_EQ(cold.status, QpStatus::optimal);
    const VecX x = cold.x;
    const QpWarmStart warm{cold.x, cold.multipliers};  // views of the solver's own result
    const QpResult again = solver.solve(qp.view(), &warm);
    ASSERT_EQ(again.status, QpStatus::optimal);
    EXPECT_EQ(again.iterations, 0) << trial;
    EXPECT_EQ(again.factorisations, 1) << trial;
    EXPECT_LE(test::distance(again.x, x),
              1e-11 * (1 + x.norm()));  // the accuracy of the certificate
  }
}

TEST(QpWarmStart, NearTheSolutionTakesFewerIterationsThanACold) {
  Random random(6);
  QpSolver solver;
  int cold_iterations = 0, warm_iterations = 0;
  for (int trial = 0; trial < 50; ++trial) {
    QpData qp = test::random_problem(random, 15, 30);
    const QpResult before = solver.solve(qp.view());
    const VecX x = before.x, multipliers = before.multipliers;
    qp.c += random.vecx(15, 0.05);
    const QpResult cold = solver.solve(qp.view());
    cold_iterations += cold.iterations;
    const VecX x_cold = cold.x;
    const QpWarmStart warm{x, multipliers};
    const QpResult result = solver.solve(qp.view(), &warm);
    warm_iterations += result.iterations;
    EXPECT_LE(test::distance(result.x, x_cold), 1e-11 * (1 + x_cold.norm()));
  }
  EXPECT_LT(5 * warm_iterations, cold_iterations);
}

TEST(QpWarmStart, WrongInEveryWayChangesNoResult) {
  Random random(7);
  QpSolver solver;
  for (int trial = 0; trial < 200; ++trial) {
    QpData qp = test::random_problem(random, 8, 24);
    qp.lower.setConstant(-0.2);
    const VecX x_cold = solver.solve(qp.view()).x;
    VecX multipliers = random.vecx(32), x = random.vecx(8, 100);
    if (trial % 5 == 0) multipliers[3] = kInfinity;
    const QpWarmStart warm{x, multipliers};
    const QpResult result = solver.solve(qp.view(), &warm);
    ASSERT_EQ(result.status, QpStatus::optimal) << trial;
    EXPECT_LE(test::distance(result.x, x_cold), 1e-11 * (1 + x_cold.norm())) << trial;
  }
}

TEST(Qp, GivesTheSameBitsWhateverTheSolverDidBefore) {
  Random random(8);
  QpSolver used;
  for (int trial = 0; trial < 50; ++trial) {
    const QpData qp = test::random_problem(random, 1 + trial % 13, trial % 29);
    QpSolver fresh;
    const QpResult a = used.solve(qp.view()), b = fresh.solve(qp.view());
    EXPECT_EQ(VecX(a.x), VecX(b.x));
    EXPECT_EQ(VecX(a.multipliers), VecX(b.multipliers));
  }
}

TEST(Qp, AllocatesNothingOnceTheLargestProblemHasBeenSeen) {
  SINEW_NEEDS_ALLOCATION_COUNTS();
  Random random(12);
  const QpData large = test::random_problem(random, 150, 80),
               small = test::random_problem(random, 7, 9);
  QpData singular = test::random_problem(random, 60, 20),
         infeasible = test::random_problem(random, 20, 5);
  singular.H.row(3).setZero();
  singular.H.col(3).setZero();
  infeasible.add_inequality(-infeasible.A_i.row(0).transpose(), -1);
  QpSolver solver;
  solver.solve(large.view());
  const QpProblem problems[] = {small.view(), singular.view(), infeasible.view(), large.view()};
  int solved = 0;
  const test::AllocationGuard guard;
  for (const QpProblem& problem : problems) {
    const QpResult result = solver.solve(problem);
    solved += result.status == QpStatus::optimal || result.status == QpStatus::unbounded;
    const QpWarmStart warm{result.x, result.multipliers};
    solver.solve(problem, &warm);
  }
  EXPECT_EQ(guard.count(), 0);
  EXPECT_EQ(solved, 3);
}

}  // namespace qp_reuse_test
}  // namespace sinew

#include "sinew/math/qp.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "sinew/core/error.hpp"
#include "support/qp_check.hpp"
#include "support/random.hpp"

namespace sinew {
namespace qp_test {

using test::QpData;
using test::Random;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Solutions below are of order one and well conditioned: all but a few of the sixteen digits.
constexpr double kExact = 1e-13;

std::vector<int> rows(const QpResult& result) {
  return {result.conflicting_rows.begin(), result.conflicting_rows.end()};
}

TEST(Qp, WithoutConstraintsSolvesALinearSystem) {
  Random random(1);
  const MatX H = test::positive_definite(random, 8);
  const VecX c = random.vecx(8);
  QpSolver solver;
  const QpResult result = solver.solve({.H = H, .c = c});
  ASSERT_EQ(result.status, QpStatus::optimal);
  EXPECT_LE(test::distance(H * result.x, -c), kExact);
  EXPECT_EQ(result.iterations, 0);
}

TEST(Qp, ReadsOnlyTheLowerTriangle) {
  MatX H(2, 2);
  H << 2, std::nan(""), 1, 2;
  QpSolver solver;
  const QpResult result = solver.solve({.H = H, .c = Eigen::Vector2d(-3, -3)});
  ASSERT_EQ(result.status, QpStatus::optimal);
  EXPECT_LE(test::distance(result.x, Eigen::Vector2d(1, 1)), kExact);
}

TEST(Qp, SolvesTheExampleOfGoldfarbAndIdnani) {
  // The example that every implementation of their method carries: x = (10, 22, 44)/21.
  MatX A(3, 3);
  A << 4, 3, 0, -2, -1, 0, 0, 2, -1;
  QpSolver solver;
  const QpResult result = solver.solve(
      {.H = MatX::Identity(3, 3), .c = Vec3(0, -5, 0), .A_i = A, .b_i = Vec3(8, -2, 0)});
  ASSERT_EQ(result.status, QpStatus::optimal);
  EXPECT_LE(test::distance(result.x, Vec3(10, 22, 44) / 21), kExact);
  EXPECT_LE(test::distance(result.multipliers.head(3), Vec3(0, 5, 44) / 21), kExact);
}

TEST(Qp, ProjectsOntoABoxByClamping) {
  Random random(2);
  const VecX target = random.vecx(30, 2), lower = VecX::Constant(30, -1);
  VecX upper = VecX::Constant(30, 0.5);
  upper.tail(10).setConstant(kInfinity);
  QpSolver solver;
  const QpResult result =
      solver.solve({.H = MatX::Identity(30, 30), .c = -target, .lower = lower, .upper = upper});
  ASSERT_EQ(result.status, QpStatus::optimal);
  for (int i = 0; i < 30; ++i) {
    EXPECT_NEAR(result.x[i], std::clamp(target[i], lower[i], upper[i]), kExact);
    EXPECT_NEAR(result.multipliers[i], target[i] - result.x[i], kExact);
  }
}

TEST(Qp, ProjectsOntoTheSimplex) {
  // Known: x_i = max(t_i − s, 0) with the s that makes the sum one; here s = 0.3.
  VecX target(4);
  target << 0.9, 0.7, 0.2, -1;
  QpSolver solver;
  const QpResult result = solver.solve({.H = MatX::Identity(4, 4),
                                        .c = -target,
                                        .A_e = MatX::Ones(1, 4),
                                        .b_e = VecX::Ones(1),
                                        .lower = VecX::Zero(4)});
  ASSERT_EQ(result.status, QpStatus::optimal);
  EXPECT_LE(test::distance(result.x, Eigen::Vector4d(0.6, 0.4, 0, 0)), kExact);
  EXPECT_NEAR(result.multipliers[0], 0.3, kExact);
}

TEST(Qp, HoldsFixedVariables) {
  QpData qp(2);
  qp.H << 2, 1, 1, 2;
  qp.lower[0] = qp.upper[0] = 3;
  QpSolver solver;
  const QpResult result = solver.solve(qp.view());
  ASSERT_EQ(result.status, QpStatus::optimal);
  EXPECT_EQ(result.x[0], 3);
  EXPECT_NEAR(result.x[1], -1.5, kExact);
  EXPECT_NEAR(result.multipliers[0], -4.5, kExact);
}

TEST(Qp, SolvesTheLinearProgramOnWhichSimplexCycles) {
  // Beale 1955: minimum −1/20 at (1/25, 0, 1, 0), through degenerate vertices.
  QpData qp(4);
  qp.c << -0.75, 150, -0.02, 6;
  qp.add_inequality(Eigen::Vector4d(0.25, -60, -0.04, 9), 0);
  qp.add_inequality(Eigen::Vector4d(0.5, -90, -0.02, 3), 0);
  qp.lower.setZero();
  qp.upper[2] = 1;
  QpSolver solver;
  const QpResult result = solver.solve(qp.view());
  ASSERT_EQ(result.status, QpStatus::optimal);
  EXPECT_LE(test::distance(result.x, Eigen::Vector4d(0.04, 0, 1, 0)), kExact);
  EXPECT_NEAR(qp.objective(result.x), -0.05, kExact);
}

TEST(Qp, SpreadsTheLoadEvenlyWhereNothingElseDecides) {
  // A table on four legs at (±1, ±1): three equations of balance, so H = GᵀG is singular. Of all
  // solutions the one nearest to the start, zero, is found: a quarter of the weight on each.
  MatX G(3, 4);
  G << 1, 1, 1, 1, 1, -1, 1, -1, 1, 1, -1, -1;
  const VecX c = -G.transpose() * Vec3(8, 0, 0), zero = VecX::Zero(4);
  QpSolver solver;
  const QpResult result = solver.solve({.H = G.transpose() * G, .c = c, .lower = zero});
  ASSERT_EQ(result.status, QpStatus::optimal);
  // Along the null space of H rounding counts 1/ε-fold, ε = 1e-8 the proximal weight.
  EXPECT_LE(test::distance(result.x, VecX::Constant(4, 2)), 1e-6);
  EXPECT_LE(test::distance(G * result.x, Vec3(8, 0, 0)), kExact);
}

TEST(Qp, AnEmptyProblemHasAnEmptySolution) {
  QpSolver solver;
  const QpResult result = solver.solve({.H = MatX(0, 0), .c = VecX(0)});
  EXPECT_EQ(result.status, QpStatus::optimal);
  EXPECT_EQ(result.x.size(), 0);
}

TEST(QpConflict, NamesTheRowsThatContradictEachOther) {
  QpData qp(3);
  qp.H.setIdentity();
  qp.add_equality(Vec3(1, 1, 0), 1);    // row 0
  qp.add_inequality(Vec3(0, 0, 1), 5);  // row 1, harmless
  qp.add_inequality(Vec3(2, 0, 0), 1);  // row 2: x₀ ≤ ½
  qp.upper[1] = 0.25;                   // row 4
  QpSolver solver;
  const QpResult result = solver.solve(qp.view());
  ASSERT_EQ(result.status, QpStatus::infeasible);
  EXPECT_EQ(rows(result), (std::vector<int>{0, 2, 4}));
  EXPECT_EQ(test::farkas_fault(qp, result.farkas), "");
}

TEST(QpConflict, NamesEqualitiesCrossedBoundsAndEmptyRows) {
  QpSolver solver;
  QpData equalities(2);
  equalities.add_equality(Eigen::Vector2d(1, 2), 1);
  equalities.add_equality(Eigen::Vector2d(3, 1), 1);
  equalities.add_equality(Eigen::Vector2d(-2, -4), 1);
  EXPECT_EQ(rows(solver.solve(equalities.view())), (std::vector<int>{0, 2}));

  QpData crossed(2);
  crossed.lower[1] = 1;
  crossed.upper[1] = 0;
  const QpResult result = solver.solve(crossed.view());
  EXPECT_EQ(result.status, QpStatus::infeasible);
  EXPECT_EQ(rows(result), (std::vector<int>{1}));
  EXPECT_GT(result.certificate.worst(), QpSolver::kTolerance);

  QpData empty(2);
  empty.add_inequality(Eigen::Vector2d(1, 0), 1);
  empty.add_inequality(Eigen::Vector2d(0, 0), -1);
  EXPECT_EQ(rows(solver.solve(empty.view())), (std::vector<int>{1}));
}

TEST(QpConflict, TakesRoundingForNoConflict) {
  // The same plane written thrice, apart by rounding, and b by the rounding of a sum that cancels.
  Random random(3);
  QpSolver solver;
  for (int trial = 0; trial < 100; ++trial) {
    QpData qp(6);
    qp.H = test::positive_definite(random, 6);
    qp.c = random.vecx(6, 10);
    const VecX a = random.vecx(6), e = random.vecx(6);
    qp.add_equality(a, 0);
    qp.add_equality(e, 1e-16);
    qp.add_equality(a / 3 + e * 0.7, 3e-16);
    qp.add_equality((a * 7) * (1 + 1e-15), -1e-16);
    const QpResult result = solver.solve(qp.view());
    ASSERT_EQ(result.status, QpStatus::optimal) << trial;
    EXPECT_LE(test::kkt_error(qp, result.x, result.multipliers), 1e-12);
  }
}

TEST(QpUnbounded, ReportsADirectionOfDescent) {
  QpData qp(3);
  qp.H(0, 0) = 1;
  qp.c << 1, -1, 0;
  qp.add_inequality(Vec3(0, 1, -1), 2);  // x₁ may rise if x₂ does
  QpSolver solver;
  const QpResult result = solver.solve(qp.view());
  ASSERT_EQ(result.status, QpStatus::unbounded);
  EXPECT_EQ(test::ray_fault(qp, result.ray), "");
  qp.upper[2] = 4;
  EXPECT_EQ(solver.solve(qp.view()).status, QpStatus::optimal);
}

TEST(QpStatus, RefusesWhatIsNotConvexOrNotFinite) {
  QpSolver solver;
  QpData qp(2);
  qp.H << 1, 2, 2, 1;
  EXPECT_EQ(solver.solve(qp.view()).status, QpStatus::not_convex);
  qp.H << 1, 0, 0, -1e-6;
  EXPECT_EQ(solver.solve(qp.view()).status, QpStatus::not_convex);
  qp.H.setIdentity();
  qp.c[1] = std::nan("");
  const QpResult result = solver.solve(qp.view());
  EXPECT_EQ(result.status, QpStatus::not_finite);
  EXPECT_TRUE(result.x.allFinite());
  qp.c[1] = 0;
  qp.lower[0] = kInfinity;
  EXPECT_EQ(solver.solve(qp.view()).status, QpStatus::not_finite);
}

TEST(QpStatus, SaysWhenTheIterationLimitStoppedIt) {
  Random random(4);
  const QpData qp = test::random_problem(random, 10, 20);
  QpSolver solver(2);
  const QpResult result = solver.solve(qp.view());
  EXPECT_EQ(result.status, QpStatus::iteration_limit);
  EXPECT_EQ(result.iterations, 2);
  EXPECT_GT(result.certificate.worst(), QpSolver::kTolerance);
}

TEST(QpStatus, ThrowsWhenDimensionsDoNotFit) {
  QpSolver solver;
  const MatX I = MatX::Identity(3, 3);
  const VecX two = VecX::Ones(2), three = VecX::Ones(3);
  EXPECT_THROW(solver.solve({.H = I, .c = two}), Error);
  EXPECT_THROW(solver.solve({.H = I, .c = three, .A_e = I, .b_e = two}), Error);
  EXPECT_THROW(solver.solve({.H = I, .c = three, .A_i = MatX::Ones(2, 2), .b_i = two}), Error);
  EXPECT_THROW(solver.solve({.H = I, .c = three, .lower = two}), Error);
  const QpWarmStart warm{three, two};
  EXPECT_THROW(solver.solve({.H = I, .c = three}, &warm), Error);
}

}  // namespace qp_test
}  // namespace sinew

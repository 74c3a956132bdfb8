#include "sinew/math/qp.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "sinew/core/error.hpp"
#include "support/allocation_guard.hpp"
#include "support/qp_check.hpp"
#include "support/random.hpp"

namespace sinew {
namespace {

using test::QpData;
using test::Random;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Solutions below are of order one and well conditioned: all but a few of the sixteen digits.
constexpr double kExact = 1e-13;

MatX positive_definite(Random& random, int n) {
  const MatX B = random.matx(n, n);
  return B * B.transpose() + 0.1 * MatX::Identity(n, n);
}

/// n variables, m inequalities of which x = 0 is strictly inside, and a pull to break some of them.
QpData random_problem(Random& random, int n, int m) {
  QpData qp(n);
  qp.H = positive_definite(random, n);
  qp.c = random.vecx(n, 5);
  qp.A_i = random.matx(m, n);
  qp.b_i = VecX::Constant(m, 0.1);
  return qp;
}

double distance(const VecX& a, const VecX& b) { return (a - b).lpNorm<Eigen::Infinity>(); }

std::vector<int> rows(const QpResult& result) {
  return {result.conflicting_rows.begin(), result.conflicting_rows.end()};
}

TEST(Qp, WithoutConstraintsSolvesALinearSystem) {
  Random random(1);
  const MatX H = positive_definite(random, 8);
  const VecX c = random.vecx(8);
  QpSolver solver;
  const QpResult result = solver.solve({.H = H, .c = c});
  ASSERT_EQ(result.status, QpStatus::optimal);
  EXPECT_LE(distance(H * result.x, -c), kExact);
  EXPECT_EQ(result.iterations, 0);
}

TEST(Qp, SolvesTheExampleOfGoldfarbAndIdnani) {
  // The example that every implementation of their method carries: x = (10, 22, 44)/21.
  MatX A(3, 3);
  A << 4, 3, 0, -2, -1, 0, 0, 2, -1;
  QpSolver solver;
  const QpResult result = solver.solve(
      {.H = MatX::Identity(3, 3), .c = Vec3(0, -5, 0), .A_i = A, .b_i = Vec3(8, -2, 0)});
  ASSERT_EQ(result.status, QpStatus::optimal);
  EXPECT_LE(distance(result.x, Vec3(10, 22, 44) / 21), kExact);
  EXPECT_LE(distance(result.multipliers.head(3), Vec3(0, 5, 44) / 21), kExact);
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
  EXPECT_LE(distance(result.x, Eigen::Vector4d(0.6, 0.4, 0, 0)), kExact);
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
  EXPECT_LE(distance(result.x, Eigen::Vector4d(0.04, 0, 1, 0)), kExact);
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
  EXPECT_LE(distance(result.x, VecX::Constant(4, 2)), 1e-6);
  EXPECT_LE(distance(G * result.x, Vec3(8, 0, 0)), kExact);
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
    qp.H = positive_definite(random, 6);
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
  const QpData qp = random_problem(random, 10, 20);
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

TEST(QpWarmStart, AtTheSolutionTakesOneFactorisationAndNoIteration) {
  Random random(5);
  QpSolver solver;
  for (int trial = 0; trial < 200; ++trial) {
    const int n = 2 + trial % 20;
    QpData qp = random_problem(random, n, 20);
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
    EXPECT_LE(distance(again.x, x), 1e-11 * (1 + x.norm()));  // what the certificate leaves open
  }
}

TEST(QpWarmStart, NearTheSolutionTakesFewerIterationsThanACold) {
  Random random(6);
  QpSolver solver;
  int cold_iterations = 0, warm_iterations = 0;
  for (int trial = 0; trial < 50; ++trial) {
    QpData qp = random_problem(random, 15, 30);
    const QpResult before = solver.solve(qp.view());
    const VecX x = before.x, multipliers = before.multipliers;
    qp.c += random.vecx(15, 0.05);
    const QpResult cold = solver.solve(qp.view());
    cold_iterations += cold.iterations;
    const VecX x_cold = cold.x;
    const QpWarmStart warm{x, multipliers};
    const QpResult result = solver.solve(qp.view(), &warm);
    warm_iterations += result.iterations;
    EXPECT_LE(distance(result.x, x_cold), 1e-11 * (1 + x_cold.norm()));
  }
  EXPECT_LT(5 * warm_iterations, cold_iterations);
}

TEST(QpWarmStart, WrongInEveryWayChangesNoResult) {
  Random random(7);
  QpSolver solver;
  for (int trial = 0; trial < 200; ++trial) {
    QpData qp = random_problem(random, 8, 24);
    qp.lower.setConstant(-0.2);
    const VecX x_cold = solver.solve(qp.view()).x;
    VecX multipliers = random.vecx(32), x = random.vecx(8, 100);
    if (trial % 5 == 0) multipliers[3] = kInfinity;
    const QpWarmStart warm{x, multipliers};
    const QpResult result = solver.solve(qp.view(), &warm);
    ASSERT_EQ(result.status, QpStatus::optimal) << trial;
    EXPECT_LE(distance(result.x, x_cold), 1e-11 * (1 + x_cold.norm())) << trial;
  }
}

TEST(Qp, GivesTheSameBitsWhateverTheSolverDidBefore) {
  Random random(8);
  QpSolver used;
  for (int trial = 0; trial < 50; ++trial) {
    const QpData qp = random_problem(random, 1 + trial % 13, trial % 29);
    QpSolver fresh;
    const QpResult a = used.solve(qp.view()), b = fresh.solve(qp.view());
    EXPECT_EQ(VecX(a.x), VecX(b.x));
    EXPECT_EQ(VecX(a.multipliers), VecX(b.multipliers));
  }
}

/// The problem in other units: x = S x', objective and rows multiplied.
QpData rescaled(const QpData& qp, const VecX& S, double objective, const VecX& row_factors) {
  QpData scaled = qp;
  scaled.H = objective * (S.asDiagonal() * qp.H * S.asDiagonal());
  scaled.c = objective * S.cwiseProduct(qp.c);
  scaled.A_i = row_factors.asDiagonal() * qp.A_i * S.asDiagonal();
  scaled.b_i = row_factors.cwiseProduct(qp.b_i);
  scaled.lower = qp.lower.cwiseQuotient(S);
  scaled.upper = qp.upper.cwiseQuotient(S);
  return scaled;
}

TEST(QpScaling, FindsTheSameSolutionInAnyUnits) {
  Random random(9);
  QpSolver solver;
  const auto any = [&](int n, double decades) {
    return VecX(random.vecx(n, decades).unaryExpr([](double e) { return std::pow(10, e); }));
  };
  for (int trial = 0; trial < 300; ++trial) {
    QpData qp = random_problem(random, 8, 12);
    qp.lower.head(4).setConstant(-0.1);
    if (trial % 3 == 0) {  // a linear program within bounds, where H tells no units
      qp.H.setZero();
      qp.lower.setConstant(-1);
      qp.upper.setConstant(1);
    }
    const VecX x = solver.solve(qp.view()).x;
    // All lengths alike by 1e±8, variables apart by 1e±4, objective and rows by 1e±8.
    const VecX S = std::pow(10, random.uniform(-8, 8)) * any(8, 4);
    const QpData scaled = rescaled(qp, S, std::pow(10, random.uniform(-8, 8)), any(12, 8));
    const QpResult result = solver.solve(scaled.view());
    ASSERT_EQ(result.status, QpStatus::optimal) << trial;
    EXPECT_LE(result.certificate.worst(), QpSolver::kTolerance);
    // Conditioning of some hundreds on the certificate's 1e-10 at worst; 1e-12 as a rule.
    EXPECT_LE(distance(S.cwiseProduct(VecX(result.x)), x), 1e-9) << trial;
  }
}

TEST(QpScaling, MeetsTheCertificateOnIllConditionedMatrices) {
  // Hilbert's, condition 1e13 at n = 10.
  QpSolver solver;
  for (int n = 2; n <= 10; ++n) {
    QpData qp(n);
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) qp.H(i, j) = 1.0 / (1 + i + j);
    for (int i = 0; i < n; ++i) qp.c[i] = i % 2 ? 1 : -1;
    qp.lower.setConstant(-1);
    qp.upper.setConstant(2);
    const QpResult result = solver.solve(qp.view());
    ASSERT_EQ(result.status, QpStatus::optimal) << n;
    EXPECT_LE(test::kkt_error(qp, result.x, result.multipliers), 1e-10) << n;
  }
}

TEST(QpContact, SolvesTheComplementarityProblemsOfContact) {
  // Frictionless contacts in multiplier space: 0 ≤ λ ⊥ Gλ + v ≥ 0, G = J M⁻¹ Jᵀ the Delassus
  // operator, of rank at most the number of coordinates and often less than that of contacts. v = J
  // q̇ is in its range, as approach velocities are; then a solution exists.
  Random random(10);
  QpSolver solver;
  for (int trial = 0; trial < 500; ++trial) {
    const int dofs = 1 + trial % 12, contacts = 1 + trial % 37;
    const MatX J = random.matx(contacts, dofs);
    const MatX G = J * positive_definite(random, dofs).inverse() * J.transpose();
    const VecX v = J * random.vecx(dofs), zero = VecX::Zero(contacts);
    const QpResult result = solver.solve({.H = G, .c = v, .lower = zero});
    ASSERT_EQ(result.status, QpStatus::optimal) << trial;
    const VecX lambda = result.x, after = G * lambda + v;
    const double size = v.norm() + G.norm() * lambda.norm();
    EXPECT_GE(lambda.minCoeff(), 0);
    EXPECT_GE(after.minCoeff(), -1e-11 * size) << trial;
    EXPECT_LE(std::abs(lambda.dot(after)), 1e-11 * size * (1 + lambda.norm())) << trial;
    // Impulse times mean velocity is the energy gained: none.
    EXPECT_LE(lambda.dot(0.5 * (v + after)), 1e-11 * size * (1 + lambda.norm()));
  }
}

TEST(QpContact, SolvesBoxFriction) {
  // Normal force known, two tangents per contact bounded by μN, contacts redundant.
  Random random(11);
  QpSolver solver;
  for (int trial = 0; trial < 300; ++trial) {
    const int dofs = 1 + trial % 6, tangents = 2 * (1 + trial % 10);
    const MatX J = random.matx(tangents, dofs);
    const MatX G = J * J.transpose();
    const VecX v = J * random.vecx(dofs), limit = random.vecx(tangents).cwiseAbs();
    const QpResult result = solver.solve({.H = G, .c = v, .lower = -limit, .upper = limit});
    ASSERT_EQ(result.status, QpStatus::optimal) << trial;
    const VecX slip = G * result.x + v;
    for (int i = 0; i < tangents; ++i) {
      EXPECT_LE(std::abs(result.x[i]), limit[i]);
      // Friction at its limit opposes slip; inside there is none.
      if (std::abs(slip[i]) > 1e-10) {
        EXPECT_EQ(result.x[i], slip[i] > 0 ? -limit[i] : limit[i]) << trial;
      }
    }
  }
}

TEST(Qp, AllocatesNothingOnceTheLargestProblemHasBeenSeen) {
  if (!testing::AllocationGuard::supported()) GTEST_SKIP();
  Random random(12);
  const QpData large = random_problem(random, 150, 80), small = random_problem(random, 7, 9);
  QpData singular = random_problem(random, 60, 20), infeasible = random_problem(random, 20, 5);
  singular.H.row(3).setZero();
  singular.H.col(3).setZero();
  infeasible.add_inequality(-infeasible.A_i.row(0).transpose(), -1);
  QpSolver solver;
  solver.solve(large.view());
  const QpProblem problems[] = {small.view(), singular.view(), infeasible.view(), large.view()};
  int solved = 0;
  const testing::AllocationGuard guard;
  for (const QpProblem& problem : problems) {
    const QpResult result = solver.solve(problem);
    solved += result.status == QpStatus::optimal || result.status == QpStatus::unbounded;
    const QpWarmStart warm{result.x, result.multipliers};
    solver.solve(problem, &warm);
  }
  EXPECT_EQ(guard.count(), 0);
  EXPECT_EQ(solved, 3);
}

}  // namespace
}  // namespace sinew

#include <gtest/gtest.h>

#include <cmath>

#include "support/qp_check.hpp"
#include "support/random.hpp"

namespace sinew {
namespace qp_scaling_test {

using test::QpData;
using test::Random;

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
    QpData qp = test::random_problem(random, 8, 12);
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
    EXPECT_LE(test::distance(S.cwiseProduct(VecX(result.x)), x), 1e-9) << trial;
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

TEST(QpScaling, SolvesMassMatricesOfTwelveDecadesWithRowsOfOrderOne) {
  // Fingers on a trunk: H from 1e-6 to 1e6, while rows (limits, contacts, loops) and velocities are
  // of order one.
  Random random(13);
  QpSolver solver;
  for (int trial = 0; trial < 500; ++trial) {
    const int n = 12;
    QpData qp(n);
    VecX S(n);
    for (double& s : S) s = std::pow(10, random.uniform(-3, 3));
    qp.H = S.asDiagonal() * test::positive_definite(random, n) * S.asDiagonal();
    qp.c = -qp.H * random.vecx(n, 5);
    for (int k = 0; k < 2; ++k) qp.add_equality(random.vecx(n), 0);
    for (int k = 0; k < 30; ++k) qp.add_inequality(random.vecx(n), trial % 2 ? 0 : 0.5);
    const QpResult result = solver.solve(qp.view());
    ASSERT_EQ(result.status, QpStatus::optimal) << trial;
    // Rounding of sums of twelve terms of order one.
    EXPECT_LE((qp.A_i * result.x - qp.b_i).maxCoeff(), 1e-13) << trial;
    EXPECT_LE((qp.A_e * result.x).lpNorm<Eigen::Infinity>(), 1e-13) << trial;
    EXPECT_GE(result.multipliers.segment(2, 30).minCoeff(), 0) << trial;
  }
}

TEST(QpScaling, EnforcesALightLimitBesideAHeavyVelocity) {
  // Both turn at 1 rad/s; in units of √energy the heavy one is 1e6 times faster. The light one's
  // limit is passed by a mere 1e-8.
  QpData qp(2);
  qp.H.diagonal() << 1e6, 1e-6;
  qp.c = -qp.H * Eigen::Vector2d(1, 1 + 1e-8);
  qp.add_inequality(Eigen::Vector2d(0, 1), 1);
  QpSolver solver;
  const QpResult result = solver.solve(qp.view());
  ASSERT_EQ(result.status, QpStatus::optimal);
  EXPECT_LE(result.x[1], 1 + 1e-15);
  // λ = m · 1e-8, of which the difference of two numbers of order one leaves eight digits.
  EXPECT_NEAR(result.multipliers[0], 1e-14, 1e-21);
}

}  // namespace qp_scaling_test
}  // namespace sinew

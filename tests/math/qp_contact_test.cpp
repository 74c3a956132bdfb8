#include <gtest/gtest.h>

#include <cmath>

#include "support/qp_check.hpp"
#include "support/random.hpp"

namespace sinew {
namespace qp_contact_test {

using test::QpData;
using test::Random;

TEST(QpContact, SolvesTheComplementarityProblemsOfContact) {
  // Frictionless contacts in multiplier space: 0 ≤ λ ⊥ Gλ + v ≥ 0, G = J M⁻¹ Jᵀ the Delassus
  // operator, of rank at most the number of coordinates and often less than that of contacts. v = J
  // q̇ is in its range, as approach velocities are; then a solution exists.
  Random random(10);
  QpSolver solver;
  for (int trial = 0; trial < 500; ++trial) {
    const int dofs = 1 + trial % 12, contacts = 1 + trial % 37;
    const MatX J = random.matx(contacts, dofs);
    const MatX G = J * test::positive_definite(random, dofs).inverse() * J.transpose();
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

TEST(QpContact, CuttingPlanesFindTheFrictionDisc) {
  // Tangential impulses |λ_k| ≤ r_k: each round adds the tangent plane where a disc is left. That
  // halves the angle between the planes, down to 1e-5, and quarters the excess.
  Random random(14);
  QpSolver solver;
  for (int trial = 0; trial < 100; ++trial) {
    const int contacts = 1 + trial % 5, n = 2 * contacts;
    const MatX J = random.matx(n, 1 + trial % 12);  // redundant where n is larger
    const MatX G = J * J.transpose();
    QpData qp(n);
    qp.H = G;
    qp.c = J * random.vecx(static_cast<int>(J.cols()), 3);
    const VecX radius = VecX::Constant(contacts, 0.05) + random.vecx(contacts, 0.3).cwiseAbs();
    for (int i = 0; i < n; ++i) qp.upper[i] = -(qp.lower[i] = -radius[i / 2]);
    VecX lambda, multipliers = VecX::Zero(n);
    bool outside = true;
    int rounds = 0;
    for (; outside && rounds < 20; ++rounds) {
      const VecX x_before = rounds > 0 ? lambda : VecX::Zero(n);
      const QpWarmStart warm{x_before, multipliers};
      const QpResult result = solver.solve(qp.view(), &warm);
      ASSERT_EQ(result.status, QpStatus::optimal) << trial;
      lambda = result.x;
      const Eigen::Index before = qp.b_i.size();
      outside = false;
      for (int k = 0; k < contacts; ++k) {
        const Eigen::Vector2d part = lambda.segment<2>(2 * k);
        // The certificate is relative to the largest impulse, up to seven times the smallest disc.
        if (part.norm() <= radius[k] * (1 + 10 * QpSolver::kTolerance)) continue;
        outside = true;
        VecX a = VecX::Zero(n);
        a.segment<2>(2 * k) = part.normalized();
        qp.add_inequality(a, radius[k]);
      }
      // New rows come before those of the bounds.
      multipliers = VecX::Zero(qp.row_count());
      multipliers.head(before) = result.multipliers.head(before);
      multipliers.tail(n) = result.multipliers.tail(n);
    }
    EXPECT_FALSE(outside) << trial;
    const VecX slip = G * lambda + qp.c;
    for (int k = 0; k < contacts; ++k) {
      const Eigen::Vector2d u = slip.segment<2>(2 * k), part = lambda.segment<2>(2 * k);
      // Friction opposes slip with all its strength: planes apart by an angle of √(8e-9) at most
      // leave the power open by the square of that, times a slip of at most ten.
      EXPECT_NEAR(u.dot(part), -radius[k] * u.norm(), 1e-7 * radius[k]) << trial;
    }
  }
}

}  // namespace qp_contact_test
}  // namespace sinew

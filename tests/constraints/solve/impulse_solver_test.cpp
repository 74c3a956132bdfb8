#include "sinew/constraints/solve/impulse_solver.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace sinew {
namespace impulse_solver_test {

/// Conditions written out, as a user would check them; the largest violation.
double violation(const MatX& A, const VecX& b, const std::vector<ImpulseSolver::Normal>& normals,
                 const std::vector<ImpulseSolver::Bounded>& bounded, const VecX& x) {
  const VecX u = A * x + b;
  double worst = 0;
  const auto note = [&](double v) { worst = std::max(worst, v); };
  for (const auto& n : normals) {
    note(-x[n.row]);
    note(-u[n.row]);
    note(std::abs(x[n.row] * u[n.row]));
    if (n.tangent < 0) continue;
    const Eigen::Vector2d x_t = x.segment<2>(n.tangent), u_t = u.segment<2>(n.tangent);
    note(x_t.norm() - n.friction * x[n.row]);
    note((n.friction * x[n.row] * u_t + u_t.norm() * x_t).norm());  // opposed, and on the cone
  }
  for (const auto& f : bounded) {
    note(std::abs(x[f.row]) - f.bound);
    note(std::abs(f.bound * u[f.row] + std::abs(u[f.row]) * x[f.row]));
  }
  return worst;
}

TEST(ImpulseSolver, SolvesOneContactInClosedForm) {
  // A point mass: A = 1/m. Sliding at (3, 4), arriving at 2; μ = 0.5 takes 1 of the sliding speed.
  const MatX A = MatX::Identity(3, 3) / 2.0;
  VecX b(3), x = VecX::Zero(3);
  b << -2, 3, 4;
  ImpulseSolver solver;
  ASSERT_TRUE(solver.solve(A, b, {{0, 1, 0.5}}, {}, x));
  EXPECT_NEAR(x[0], 4, 1e-12);
  EXPECT_NEAR(x[1], -2 * 3.0 / 5, 1e-12);
  EXPECT_NEAR(x[2], -2 * 4.0 / 5, 1e-12);
  EXPECT_LE(solver.residual(), 1e-12);
}

TEST(ImpulseSolver, RandomContactsMeetEveryCondition) {
  // Contacts outnumber coordinates two to one: A is singular.
  std::mt19937 random(3);
  std::normal_distribution<double> normal;
  int programs = 0;
  for (int trial = 0; trial < 400; ++trial) {
    const int contacts = 1 + trial % 8, n = 3 + trial % 5;
    const int m = 3 * contacts + 2;
    const MatX J = MatX::NullaryExpr(m, n, [&] { return normal(random); });
    const MatX A = J * J.transpose();
    const VecX v = VecX::NullaryExpr(n, [&] { return normal(random); });
    const VecX b = J * v;
    std::vector<ImpulseSolver::Normal> normals;
    for (int c = 0; c < contacts; ++c)
      normals.push_back({3 * c, trial % 3 ? 3 * c + 1 : -1, 0.2 + 0.1 * (trial % 5)});
    std::vector<ImpulseSolver::Bounded> bounded = {{m - 2, 0.1}, {m - 1, 10}};
    VecX x = VecX::Zero(m);
    ImpulseSolver solver;
    // Coulomb's problem need not have a solution with such random rows; where it is found it holds.
    if (!solver.solve(A, b, normals, bounded, x)) continue;
    ++programs;
    EXPECT_LE(violation(A, b, normals, bounded, x), 1e-8 * (1 + x.squaredNorm())) << trial;
  }
  EXPECT_GE(programs, 380);
}

TEST(ImpulseSolver, TellsARowThatNothingCanHold) {
  const MatX A = MatX::Zero(1, 1);
  VecX b(1), x = VecX::Zero(1);
  b << -1;
  ImpulseSolver solver;
  EXPECT_FALSE(solver.solve(A, b, {{0, -1, 0}}, {}, x));
  EXPECT_EQ(solver.worst_row(), 0);
  b << 0;
  EXPECT_TRUE(solver.solve(A, b, {{0, -1, 0}}, {}, x));
}

}  // namespace impulse_solver_test
}  // namespace sinew

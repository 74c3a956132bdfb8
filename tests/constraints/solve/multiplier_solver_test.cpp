#include "sinew/constraints/solve/multiplier_solver.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "support/random.hpp"

namespace sinew {
namespace multiplier_solver_test {

class Multipliers : public testing::TestWithParam<bool> {
 protected:
  /// Rows G with S = G N Gᵀ, N symmetric or not.
  void make(int m, int n, int rank) {
    G = random.matx(m, rank) * random.matx(rank, n);
    const MatX A = random.matx(n, n);
    N = A * A.transpose() + MatX::Identity(n, n);
    gram = G * N * G.transpose();
    if (!GetParam()) N += 0.3 * random.matx(n, n);
    S = G * N * G.transpose();
    every.assign(static_cast<size_t>(m), 1);
    solver.resize(m);
  }

  test::Random random{7};
  MatX G, N, S, gram;
  std::vector<char> every;
  MultiplierSolver solver;
};

TEST_P(Multipliers, OfIndependentRowsSatisfyThem) {
  make(4, 6, 4);
  ASSERT_TRUE(solver.factor(S, every, GetParam()));
  const VecX b = random.vecx(4);
  VecX lambda = b;
  solver.solve_in_place(lambda);
  EXPECT_LT((S * lambda - b).norm(), 1e-10 * lambda.norm() * S.norm());
}

TEST_P(Multipliers, OfOneRowOrTwoAreThoseOfTheGeneralSolver) {
  for (const int m : {1, 2})
    for (const int off : {-1, 0, 1}) {
      if (off >= m) continue;
      make(m, 6, m);
      if (off >= 0) every[static_cast<size_t>(off)] = 0;
      ASSERT_TRUE(solver.factor(S, every, GetParam()));
      const VecX b = random.vecx(m);
      VecX lambda = b;
      solver.solve_in_place(lambda);
      // The same with a row that has nothing to do with the others: more than two take another
      // path.
      MatX wide = MatX::Identity(3, 3);
      wide.topLeftCorner(m, m) = S;
      std::vector<char> active(3, 1);
      std::copy(every.begin(), every.end(), active.begin());
      MultiplierSolver general;
      general.resize(3);
      ASSERT_TRUE(general.factor(wide, active, GetParam()));
      VecX expected = VecX::Zero(3);
      expected.head(m) = b;
      general.solve_in_place(expected);
      EXPECT_LE((lambda - expected.head(m)).norm(), 1e-12 * expected.norm());  // rounding
    }
}

TEST_P(Multipliers, OfTwoRowsThatDependOnEachOtherAreTheShortest) {
  make(2, 6, 1);
  EXPECT_FALSE(solver.factor(S, every, GetParam()));
  ASSERT_TRUE(solver.factor_dependent(S, gram, every, GetParam()));
  const VecX b = S * random.vecx(2);
  VecX lambda = b;
  solver.solve_in_place(lambda);
  EXPECT_LT((S * lambda - b).norm(), 1e-8 * b.norm());
  for (const double bad : {0.0, std::nan("")}) {
    S.setConstant(bad);
    EXPECT_FALSE(solver.factor(S, every, GetParam()));
  }
}

TEST_P(Multipliers, OfRowsSwitchedOffAreZero) {
  make(4, 6, 4);
  every[1] = 0;
  ASSERT_TRUE(solver.factor(S, every, GetParam()));
  const VecX b = random.vecx(4);
  VecX lambda = b;
  solver.solve_in_place(lambda);
  EXPECT_EQ(lambda[1], 0);
  for (const int r : {0, 2, 3}) EXPECT_NEAR((S * lambda)[r], b[r], 1e-9);
}

TEST_P(Multipliers, OfDependentRowsAreTheShortest) {
  make(5, 6, 3);
  EXPECT_FALSE(solver.factor(S, every, GetParam()));
  ASSERT_TRUE(solver.factor_dependent(S, gram, every, GetParam()));
  EXPECT_TRUE(solver.dependent());
  const VecX b = S * random.vecx(5);
  VecX lambda = b;
  solver.solve_in_place(lambda);
  // Consistent, so satisfied; Gᵀλ is unique and λ has no part that it does not need.
  EXPECT_LT((S * lambda - b).norm(), 1e-8 * b.norm());
  const VecX scale = gram.diagonal().cwiseSqrt();
  const MatX scaled = scale.cwiseInverse().asDiagonal() * G;
  const MatX onto = scaled * scaled.completeOrthogonalDecomposition().pseudoInverse();
  const VecX unit = lambda.cwiseProduct(scale);
  EXPECT_LT((onto * unit - unit).norm(), 1e-8 * unit.norm());
}

TEST_P(Multipliers, OfContradictionsAreFinite) {
  make(3, 4, 1);
  ASSERT_TRUE(solver.factor_dependent(S, gram, every, GetParam()));
  VecX lambda = random.vecx(3);
  solver.solve_in_place(lambda);
  EXPECT_TRUE(lambda.allFinite());
  S.setZero();
  EXPECT_FALSE(solver.factor(S, every, GetParam()));
  ASSERT_TRUE(solver.factor_dependent(S, S, every, GetParam()));
  lambda = random.vecx(3);
  solver.solve_in_place(lambda);
  EXPECT_EQ(lambda, VecX::Zero(3));
  S.setConstant(std::nan(""));
  EXPECT_FALSE(solver.factor(S, every, GetParam()));
  EXPECT_FALSE(solver.factor_dependent(S, S, every, GetParam()));
}

INSTANTIATE_TEST_SUITE_P(SymmetricOrNot, Multipliers, testing::Bool());

}  // namespace multiplier_solver_test
}  // namespace sinew

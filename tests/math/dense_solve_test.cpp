#include "sinew/math/dense_solve.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "support/allocation_guard.hpp"
#include "support/random.hpp"

namespace sinew {
namespace dense_solve_test {

using test::Random;
constexpr double kEps = std::numeric_limits<double>::epsilon();

/// Sizes on both sides of the panel width of the implementation, and a few panels.
constexpr int kSizes[] = {1, 2, 3, 7, 8, 9, 15, 16, 17, 40, 101};

/// ‖A x − b‖∞ over ‖A‖∞ ‖x‖∞: the backward error, which a stable solver keeps near n ε.
double backward_error(const MatX& A, const VecX& x, const VecX& b) {
  return (A * x - b).lpNorm<Eigen::Infinity>() /
         (A.cwiseAbs().rowwise().sum().maxCoeff() * x.lpNorm<Eigen::Infinity>());
}

MatX positive_definite(Random& random, int n) {
  const MatX B = random.matx(n, n);
  return B * B.transpose() + 0.1 * MatX::Identity(n, n);
}

TEST(LuFactor, SolvesToBackwardStability) {
  Random random(1);
  LuFactor lu;
  for (int n : kSizes) {
    const MatX A = random.matx(n, n);
    const VecX b = random.vecx(n);
    ASSERT_TRUE(lu.factor(A));
    VecX x = b;
    lu.solve_in_place(x);
    EXPECT_LE(backward_error(A, x, b), n * kEps) << n;  // growth with partial pivoting is mild
    EXPECT_GT(lu.pivot_ratio(), 0);
    EXPECT_LE(lu.pivot_ratio(), 1);
  }
}

TEST(LuFactor, ExchangesRowsWhereThePivotVanishes) {
  MatX A(3, 3);
  A << 0, 2, 1, 1e-20, 1, 1, 3, 0, 0;
  const VecX b = Vec3(5, 4, 6);
  LuFactor lu(3);
  ASSERT_TRUE(lu.factor(A));
  VecX x = b;
  lu.solve_in_place(x);
  EXPECT_LE(backward_error(A, x, b), 3 * kEps);
}

TEST(LuFactor, SolvesColumnsOfAMatrix) {
  Random random(2);
  const MatX A = random.matx(20, 20);
  LuFactor lu(20);
  ASSERT_TRUE(lu.factor(A));
  MatX inverse = MatX::Identity(20, 20);
  for (int k = 0; k < 20; ++k) lu.solve_in_place(inverse.col(k));
  // Forward error: ε times a condition number of a few hundred here.
  EXPECT_LE((A * inverse - MatX::Identity(20, 20)).cwiseAbs().maxCoeff(), 1e-12);
}

TEST(LuFactor, ReportsSingularMatrices) {
  Random random(3);
  LuFactor lu;
  EXPECT_FALSE(lu.factor(MatX::Zero(4, 4)));
  MatX A = random.matx(12, 12);
  A.col(9).setZero();
  EXPECT_FALSE(lu.factor(A));
  for (int k = 0; k < 144; ++k) {
    A = random.matx(12, 12);
    A(k) = std::numeric_limits<double>::quiet_NaN();
    EXPECT_FALSE(lu.factor(A)) << k;
  }
}

TEST(LuFactor, WarnsOfNearlySingularMatricesByThePivotRatio) {
  Random random(4);
  MatX A = random.matx(12, 12);
  LuFactor lu(12);
  ASSERT_TRUE(lu.factor(A));
  EXPECT_GT(lu.pivot_ratio(), 1e-4);
  A.row(5) = A.row(2) + 1e-13 * A.row(7);
  lu.factor(A);  // true or false as rounding falls; the ratio tells either way
  EXPECT_LT(lu.pivot_ratio(), 1e-11);
}

TEST(LuFactor, FactorsAgainWithAnotherMatrixAndSize) {
  Random random(5);
  LuFactor lu(30);
  for (int n : {30, 30, 5, 30}) {
    const MatX A = random.matx(n, n);
    const VecX b = random.vecx(n);
    ASSERT_TRUE(lu.factor(A));
    EXPECT_EQ(lu.size(), n);
    VecX x = b;
    lu.solve_in_place(x);
    EXPECT_LE(backward_error(A, x, b), n * kEps);
  }
}

TEST(LdltFactor, SolvesToBackwardStability) {
  Random random(6);
  LdltFactor ldlt;
  for (int n : kSizes) {
    const MatX A = positive_definite(random, n);
    const VecX b = random.vecx(n);
    ASSERT_TRUE(ldlt.factor(A));
    VecX x = b;
    ldlt.solve_in_place(x);
    EXPECT_LE(backward_error(A, x, b), n * kEps) << n;
  }
}

TEST(LdltFactor, ReadsOnlyTheLowerTriangle) {
  Random random(7);
  const MatX A = positive_definite(random, 19);
  MatX lower = A;
  lower.triangularView<Eigen::StrictlyUpper>().setConstant(
      std::numeric_limits<double>::quiet_NaN());
  LdltFactor ldlt;
  ASSERT_TRUE(ldlt.factor(lower));
  const VecX b = random.vecx(19);
  VecX x = b;
  ldlt.solve_in_place(x);
  EXPECT_LE(backward_error(A, x, b), 19 * kEps);
}

TEST(LdltFactor, ReportsMatricesThatAreNotPositiveDefinite) {
  Random random(8);
  LdltFactor ldlt;
  MatX A = positive_definite(random, 20);
  A(17, 17) = -1;
  EXPECT_FALSE(ldlt.factor(A));
  EXPECT_FALSE(ldlt.factor(MatX::Zero(3, 3)));
  A(17, 17) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(ldlt.factor(A));
}

TEST(LdltFactor, PivotRatioOfADiagonalMatrixIsThatOfItsEntries) {
  LdltFactor ldlt;
  ASSERT_TRUE(ldlt.factor(Vec3(4, 1e-6, 2).asDiagonal().toDenseMatrix()));
  EXPECT_DOUBLE_EQ(ldlt.pivot_ratio(), 2.5e-7);
}

TEST(EnvelopeFactor, SolvesToBackwardStability) {
  Random random(10);
  EnvelopeFactor factor;
  for (int n : kSizes) {
    const MatX A = positive_definite(random, n);
    const VecX b = random.vecx(n);
    VecX x = b;
    MatX lower = A;
    lower.triangularView<Eigen::StrictlyUpper>().setConstant(
        std::numeric_limits<double>::quiet_NaN());
    ASSERT_TRUE(factor.factor(lower));
    factor.solve_in_place(x);
    EXPECT_LE(backward_error(A, x, b), n * kEps) << n;
  }
}

/// Σ of a symmetric block on every path from a leaf to the root, as in the mass matrix of a tree.
TEST(EnvelopeFactor, SolvesMatricesOfTrees) {
  Random random(11);
  EnvelopeFactor factor;
  for (int seed = 0; seed < 40; ++seed) {
    const int n = 1 + seed;
    MatX A = 0.1 * MatX::Identity(n, n);
    for (int i = 0; i < n; ++i) {
      VecX v = VecX::Zero(n);
      // Parents come before their children, not always just before.
      for (int k = i; k >= 0; k = k % 4 == 1 ? k / 3 : k - 1) v[k] = random.vecx(1)[0];
      A += v * v.transpose();
    }
    // And one pair of branches that a muscle joins.
    if (n > 6) A(n - 1, n / 2) = A(n / 2, n - 1) = 0.01;
    const VecX b = random.vecx(n);
    VecX x = b;
    ASSERT_TRUE(factor.factor(A));
    factor.solve_in_place(x);
    EXPECT_LE(backward_error(A, x, b), n * kEps) << n;
  }
}

TEST(EnvelopeFactor, ReportsMatricesThatAreNotPositiveDefinite) {
  Random random(12);
  EnvelopeFactor factor;
  for (const double bad : {-1.0, 0.0, std::numeric_limits<double>::quiet_NaN()}) {
    MatX A = positive_definite(random, 20);
    A(17, 17) = bad;
    EXPECT_FALSE(factor.factor(A)) << bad;
    VecX x = VecX::Ones(20);
    factor.solve_in_place(x);
    EXPECT_FALSE(x.allFinite()) << bad;
  }
}

TEST(DenseSolve, AllocatesNothingOnceSized) {
  SINEW_NEEDS_ALLOCATION_COUNTS();
  Random random(9);
  // Large enough that Eigen's own products would take their buffers from the heap.
  const int n = 200;
  const MatX A = random.matx(n, n), S = positive_definite(random, n);
  VecX x = random.vecx(n);
  LuFactor lu(n);
  LdltFactor ldlt(n);
  EnvelopeFactor envelope(n);
  const test::AllocationGuard guard;
  const bool factored = lu.factor(A) && ldlt.factor(S) && envelope.factor(S);
  lu.solve_in_place(x);
  ldlt.solve_in_place(x);
  envelope.solve_in_place(x);
  EXPECT_EQ(guard.count(), 0);
  EXPECT_TRUE(factored);
}

}  // namespace dense_solve_test
}  // namespace sinew

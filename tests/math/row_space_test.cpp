#include "sinew/math/row_space.hpp"

#include <gtest/gtest.h>

#include "support/allocation_guard.hpp"
#include "support/random.hpp"

namespace sinew {
namespace row_space_test {

/// m × n of rank r, rows of very different lengths.
MatX random_rows(test::Random& random, int m, int n, int r) {
  const MatX A = random.matx(m, r) * random.matx(r, n);
  const VecX lengths = random.vecx(m, 3).unaryExpr([](double x) { return std::pow(10.0, x); });
  return lengths.asDiagonal() * A;
}

TEST(RowSpace, CountsIndependentRowsWhateverTheirLength) {
  test::Random random(1);
  RowSpace space;
  for (int k = 0; k < 200; ++k) {
    const int m = 1 + k % 7, n = 1 + k % 5, r = std::min({m, n, 1 + k % 4});
    const MatX G = random_rows(random, m, n, r);
    space.analyze(G * G.transpose(), 1e-10);
    EXPECT_EQ(space.rank(), r) << k;
    int chosen = 0;
    for (int i = 0; i < m; ++i) chosen += space.independent(i);
    EXPECT_EQ(chosen, r);
  }
}

TEST(RowSpace, TreatsZeroRowsAsDependent) {
  MatX G = MatX::Zero(3, 2);
  G.row(1) << 1e-9, 0;
  RowSpace space;
  space.analyze(G * G.transpose(), 1e-10);
  EXPECT_EQ(space.rank(), 1);
  EXPECT_TRUE(space.independent(1));
  VecX b = VecX::Constant(3, 2);
  space.project_right_side(b);
  EXPECT_NEAR(b[1], 2, 1e-15);
  EXPECT_EQ(b[0], 0);
}

TEST(RowSpace, ProjectionsAreThoseOfLeastSquares) {
  test::Random random(2);
  for (int k = 0; k < 50; ++k) {
    const int m = 5, n = 4, r = 1 + k % 3;
    const MatX G = random_rows(random, m, n, r);
    const MatX gram = G * G.transpose();
    const VecX scale = gram.diagonal().cwiseSqrt().cwiseInverse();
    const MatX Gs = scale.asDiagonal() * G;  // unit rows
    const MatX onto = Gs * Gs.completeOrthogonalDecomposition().pseudoInverse();
    RowSpace space;
    space.analyze(gram, 1e-10);
    const VecX b = random.vecx(m).cwiseQuotient(scale), lambda = random.vecx(m).cwiseProduct(scale);
    VecX b_p = b, lambda_p = lambda;
    space.project_right_side(b_p);
    space.project_multipliers(lambda_p);
    // Conditioning of random rows, squared, on 1e-16.
    EXPECT_LT((scale.asDiagonal() * (b_p)-onto * scale.asDiagonal() * b).norm(), 1e-9);
    EXPECT_LT((lambda_p.cwiseQuotient(scale) - onto * lambda.cwiseQuotient(scale)).norm(), 1e-9);
    EXPECT_LT((G.transpose() * (lambda_p - lambda)).norm(), 1e-9 * (Gs.norm()));
  }
}

TEST(RowSpace, AllocatesOnlyWhenItsSizeChanges) {
  SINEW_NEEDS_ALLOCATION_COUNTS();
  test::Random random(3);
  const MatX G = random_rows(random, 6, 8, 4), gram = G * G.transpose();
  VecX b = random.vecx(6);
  RowSpace space;
  space.resize(6);
  const sinew::test::AllocationGuard guard;
  space.analyze(gram, 1e-10);
  space.project_right_side(b);
  space.project_multipliers(b);
  EXPECT_EQ(guard.count(), 0);
}

}  // namespace row_space_test
}  // namespace sinew

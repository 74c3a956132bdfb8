#include "sinew/math/conjugate_gradient.hpp"

#include <gtest/gtest.h>

#include "support/random.hpp"

namespace sinew {
namespace conjugate_gradient_test {

using Status = ConjugateGradientReport::Status;

MatX random_positive(int n, double smallest, unsigned seed) {
  test::Random random(seed);
  MatX A(n, n);
  for (int j = 0; j < n; ++j) A.col(j) = random.vecx(n);
  return A * A.transpose() + smallest * MatX::Identity(n, n);
}

const auto kNothing = [](const VecX& r, VecX& z) { z = r; };

TEST(ConjugateGradient, EndsAfterAsManyIterationsAsThereAreUnknowns) {
  // In exact arithmetic; matrices of condition 20 behave like that up to a few roundings.
  for (unsigned seed = 1; seed <= 20; ++seed) {
    const int n = 2 + static_cast<int>(seed) % 9;
    const MatX A = random_positive(n, 1, seed);
    const VecX b = test::Random(seed + 100).vecx(n);
    ConjugateGradientScratch scratch;
    VecX x;
    const auto report = conjugate_gradient([&](const VecX& v, VecX& out) { out = A * v; }, kNothing,
                                           b, {.tolerance = 1e-11}, scratch, x);
    EXPECT_TRUE(report.ok());
    EXPECT_LE(report.iterations, n + 3);
    EXPECT_LT((A * x - b).norm(), 1e-10 * b.norm());
  }
}

TEST(ConjugateGradient, WithTheInverseForPreconditionerEndsAfterOne) {
  const MatX A = random_positive(30, 1e-3, 7);
  const Eigen::LLT<MatX> inverse(A);
  const VecX b = test::Random(8).vecx(30);
  ConjugateGradientScratch scratch;
  VecX x;
  const auto report =
      conjugate_gradient([&](const VecX& v, VecX& out) { out = A * v; },
                         [&](const VecX& r, VecX& z) { z = inverse.solve(r); }, b, {}, scratch, x);
  EXPECT_EQ(report.iterations, 1);
  EXPECT_LT(report.residual, 1e-10);
  EXPECT_LT((x - inverse.solve(b)).norm(), 1e-9 * x.norm());  // condition 1e5 of rounding
}

TEST(ConjugateGradient, SaysWhereTheMatrixIsNotPositive) {
  const MatX A = Vec3(1, 2, -1).asDiagonal();
  ConjugateGradientScratch scratch;
  VecX x;
  const auto report = conjugate_gradient([&](const VecX& v, VecX& out) { out = A * v; }, kNothing,
                                         VecX(Vec3(1, 1, 3)), {}, scratch, x);
  EXPECT_EQ(report.status, Status::not_positive_definite);
}

TEST(ConjugateGradient, SaysThatItRanOutOfIterations) {
  const MatX A = random_positive(40, 1e-6, 3);
  ConjugateGradientScratch scratch;
  VecX x;
  const auto report = conjugate_gradient([&](const VecX& v, VecX& out) { out = A * v; }, kNothing,
                                         test::Random(1).vecx(40), {.iterations = 5}, scratch, x);
  EXPECT_EQ(report.status, Status::out_of_iterations);
  EXPECT_EQ(report.iterations, 5);
  EXPECT_GT(report.residual, 1e-10);
}

TEST(ConjugateGradient, LeavesZeroAlone) {
  ConjugateGradientScratch scratch;
  VecX x;
  const auto report = conjugate_gradient([](const VecX& v, VecX& out) { out = v; }, kNothing,
                                         VecX::Zero(4), {}, scratch, x);
  EXPECT_TRUE(report.ok());
  EXPECT_EQ(report.iterations, 0);
  EXPECT_EQ(x, VecX::Zero(4));
}

}  // namespace conjugate_gradient_test
}  // namespace sinew

#include "support/finite_difference.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "sinew/core/error.hpp"
#include "sinew/math/so3.hpp"
#include "support/random.hpp"

namespace sinew {
namespace finite_difference_test {

VecX smooth(const VecX& x) {
  return Vec3(std::sin(x[0]) * x[1], std::exp(x[0] - x[1]), x[0] * x[0] * x[1]);
}

MatX smooth_jacobian(const VecX& x) {
  MatX J(3, 2);
  J << std::cos(x[0]) * x[1], std::sin(x[0]), std::exp(x[0] - x[1]), -std::exp(x[0] - x[1]),
      2 * x[0] * x[1], x[0] * x[0];
  return J;
}

TEST(FiniteDifference, ConfirmsASmoothDerivativeWithSlopeTwo) {
  test::Random random(1);
  for (int i = 0; i < 50; ++i) {
    const VecX x = random.vecx(2, 2);
    const DifferenceSweep sweep = check_derivative(smooth, x, smooth_jacobian(x));
    EXPECT_TRUE(sweep.confirms()) << sweep.table();
    EXPECT_NEAR(sweep.slope, 2, 0.05) << sweep.table();  // measured within 0.02
    EXPECT_LT(sweep.best_error, 1e-9);                   // ε^(2/3) is 4e-11
    EXPECT_FALSE(sweep.exact);
  }
}

TEST(FiniteDifference, RejectsADerivativeThatIsWrongByLittle) {
  const VecX x = Eigen::Vector2d(0.4, -0.7);
  for (double size : {1e-6, 1e-4, 1e-2, 1.0}) {
    MatX J = smooth_jacobian(x);
    J(1, 0) += size * J.cwiseAbs().maxCoeff();
    const DifferenceSweep sweep = check_derivative(smooth, x, J);
    EXPECT_FALSE(sweep.confirms()) << sweep.table();
    EXPECT_NEAR(sweep.best_error, size, 0.6 * size);  // relative to an entry that moved itself
  }
}

TEST(FiniteDifference, RejectsAForgottenDerivative) {
  const VecX x = Eigen::Vector2d(0.4, -0.7);
  EXPECT_FALSE(check_derivative(smooth, x, MatX::Zero(3, 2)).confirms());
}

TEST(FiniteDifference, RecognisesAKinkByItsFirstOrderSlope) {
  // f = x|x| has f'(0) = 0, but no second derivative there: the error is h, small at the last step.
  const auto f = [](const VecX& x) -> VecX { return x.cwiseProduct(x.cwiseAbs()); };
  const DifferenceSweep sweep = check_derivative(f, VecX::Zero(1), MatX::Zero(1, 1));
  EXPECT_LT(sweep.best_error, 1e-8);
  EXPECT_NEAR(sweep.slope, 1, 1e-6);  // the error is h to rounding
  EXPECT_FALSE(sweep.confirms());
}

TEST(FiniteDifference, RecognisesAnExactDifferenceOfAQuadraticFunction) {
  test::Random random(2);
  const MatX A = random.matx(4, 4), B = random.matx(4, 4);
  const auto f = [&](const VecX& x) -> VecX { return A * x + (B * x).cwiseProduct(x); };
  const VecX x = random.vecx(4);
  MatX J = A + x.asDiagonal() * B;
  J += MatX((B * x).asDiagonal());
  const DifferenceSweep sweep = check_derivative(f, x, J);
  EXPECT_TRUE(sweep.exact) << sweep.table();
  EXPECT_TRUE(sweep.confirms(1e-13)) << sweep.table();
  EXPECT_EQ(sweep.slope, 0);
}

TEST(FiniteDifference, RejectsAWrongDerivativeOfALinearFunction) {
  const auto f = [](const VecX& x) -> VecX { return 3 * x; };
  MatX J = 3 * MatX::Identity(2, 2);
  EXPECT_TRUE(check_derivative(f, VecX::Ones(2), J).exact);
  J(0, 1) = 1e-5;
  const DifferenceSweep sweep = check_derivative(f, VecX::Ones(2), J);
  EXPECT_FALSE(sweep.exact);
  EXPECT_FALSE(sweep.confirms()) << sweep.table();
}

TEST(FiniteDifference, AcceptsTheZeroDerivativeOfAConstant) {
  const auto f = [](const VecX&) -> VecX { return Vec3(1, 2, 3); };
  EXPECT_TRUE(check_derivative(f, VecX::Ones(2), MatX::Zero(3, 2)).confirms());
}

TEST(FiniteDifference, ScalesItsStepsByTheCoordinate) {
  // At x = 1e6 an absolute step of 1e-6 would drown in rounding.
  const auto f = [](const VecX& x) -> VecX { return (x.array() / 1e6).sin(); };
  const VecX x = VecX::Constant(1, 1e6);
  const DifferenceSweep sweep = check_derivative(f, x, MatX::Constant(1, 1, std::cos(1.0) / 1e6));
  EXPECT_TRUE(sweep.confirms(1e-9)) << sweep.table();
}

TEST(FiniteDifference, PassesOverStepsThatLeaveTheDomain) {
  const auto f = [](const VecX& x) -> VecX { return x.array().sqrt().matrix(); };  // NaN below 0
  const VecX x = VecX::Constant(1, 0.01);
  const DifferenceSweep sweep = check_derivative(f, x, MatX::Constant(1, 1, 5));
  EXPECT_TRUE(std::isinf(sweep.errors.front()));
  EXPECT_TRUE(sweep.confirms()) << sweep.table();
}

TEST(FiniteDifference, RejectsAFunctionThatIsNeverFinite) {
  const auto f = [](const VecX& x) -> VecX { return x * NAN; };
  EXPECT_FALSE(check_derivative(f, VecX::Ones(1), MatX::Ones(1, 1)).confirms());
}

TEST(FiniteDifference, NamesAWrongSize) {
  EXPECT_THROW(check_derivative(smooth, Eigen::Vector2d(1, 1), MatX::Zero(2, 2)), Error);
}

TEST(FiniteDifference, ConfirmsTheDerivativesOfTheRightJacobian) {
  // At 0, tiny, small, random and near 2π, as everything that moves by exponential coordinates.
  test::Random random(3);
  const Vec3 qdot = random.vec3();
  for (double theta : {0.0, 1e-9, 1e-4, 0.7, 2.0, 4.0, 6.28}) {
    const Vec3 q = theta * random.unit_vector();
    const auto Jv = [&](const VecX& x) -> VecX { return right_jacobian(x) * qdot; };
    const auto Jdot_qdot = [&](const VecX& x) -> VecX {
      return right_jacobian_rate(x, qdot) * qdot;
    };
    const DifferenceSweep first =
        check_derivative(Jv, q, right_jacobian_product_derivative(q, qdot));
    EXPECT_TRUE(first.confirms(1e-9)) << theta << '\n' << first.table();
    const DifferenceSweep second =
        check_derivative(Jdot_qdot, q, right_jacobian_rate_product_derivative(q, qdot));
    EXPECT_TRUE(second.confirms(1e-9)) << theta << '\n' << second.table();
  }
}

}  // namespace finite_difference_test
}  // namespace sinew

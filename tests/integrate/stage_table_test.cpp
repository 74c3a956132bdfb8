#include "sinew/integrate/stage_table.hpp"

#include <gtest/gtest.h>

#include <complex>

namespace sinew {
namespace stage_table_test {

constexpr Integrator kMethods[] = {Integrator::sdirk2, Integrator::sdirk4};

/// The method's full matrix, with its diagonal.
MatX matrix(const StageTable& table) {
  const auto n = static_cast<Eigen::Index>(table.stages);
  MatX A = MatX::Identity(n, n) * table.share;
  for (Eigen::Index i = 0; i < n; ++i)
    for (Eigen::Index j = 0; j < i; ++j) A(i, j) = table.a[i][j];
  return A;
}

/// Residuals of the conditions for orders 1 to `order` (Hairer, Nørsett and Wanner I, II.2).
std::vector<double> conditions(const VecX& b, const MatX& A, int order) {
  const VecX one = VecX::Ones(b.size());
  const VecX c = A * one;
  const auto times = [](const VecX& x, const VecX& y) -> VecX { return x.cwiseProduct(y); };
  std::vector<double> out = {b.sum() - 1};
  if (order > 1) out.push_back(b.dot(c) - 1. / 2);
  if (order > 2)
    for (const double rest : {b.dot(times(c, c)) - 1. / 3, b.dot(A * c) - 1. / 6})
      out.push_back(rest);
  if (order > 3)
    for (const double rest :
         {b.dot(times(c, times(c, c))) - 1. / 4, b.dot(times(c, A * c)) - 1. / 8,
          b.dot(A * times(c, c)) - 1. / 12, b.dot(A * (A * c)) - 1. / 24})
      out.push_back(rest);
  return out;
}

TEST(StageTable, TablesSatisfyTheConditionsOfTheirOrders) {
  for (const Integrator integrator : kMethods) {
    const StageTable& table = stage_table(integrator);
    const MatX A = matrix(table);
    const VecX b = A.bottomRows(1).transpose();
    for (const double rest : conditions(b, A, table.order)) EXPECT_NEAR(rest, 0, 1e-14);
    for (size_t i = 0; i < table.stages; ++i) {
      EXPECT_NEAR(A.row(static_cast<Eigen::Index>(i)).sum(), table.c[i], 1e-15);
      EXPECT_EQ(table.b(i), b[static_cast<Eigen::Index>(i)]);
    }
    EXPECT_EQ(table.c[table.stages - 1], 1);
  }
}

TEST(StageTable, TheErrorIsMeasuredAgainstAnotherOrder) {
  // sdirk4: a solution of third order.
  const StageTable& four = stage_table(Integrator::sdirk4);
  const MatX A = matrix(four);
  const VecX error = Eigen::Map<const VecX>(four.error, 5);
  const VecX other = A.bottomRows(1).transpose() - error;
  for (const double rest : conditions(other, A, 3)) EXPECT_NEAR(rest, 0, 1e-14);
  EXPECT_EQ(four.start_error, 0);
}

TEST(StageTable, TheEstimateOfTheSecondOrderIsTheErrorOfALinearSystem) {
  // ẏ = y over a short step.
  const StageTable& table = stage_table(Integrator::sdirk2);
  const double h = 1e-3;
  double rate[2], y = 1;
  for (size_t i = 0; i < 2; ++i) {
    y = (1 + (i > 0 ? h * table.a[1][0] * rate[0] : 0)) / (1 - h * table.share);
    rate[i] = y;
  }
  const double estimate =
      h * (table.start_error + table.error[0] * rate[0] + table.error[1] * rate[1]);
  // To the next power of h.
  EXPECT_NEAR(estimate / (y - std::exp(h)), 1, 2e-3);
}

/// R(z), by which a step multiplies y where ẏ = (z/h) y.
std::complex<double> growth(const StageTable& table, std::complex<double> z) {
  std::complex<double> y[StageTable::kMostStages];
  for (size_t i = 0; i < table.stages; ++i) {
    y[i] = 1;
    for (size_t j = 0; j < i; ++j) y[i] += z * table.a[i][j] * y[j];
    y[i] /= 1.0 - z * table.share;
  }
  return y[table.stages - 1];
}

TEST(StageTable, IsStableForAllStiffnessAndForgetsTheStiffest) {
  for (const Integrator integrator : kMethods) {
    const StageTable& table = stage_table(integrator);
    // By the maximum principle the imaginary axis decides about the half plane.
    for (double y = 1e-3; y < 1e6; y *= 1.01)
      EXPECT_LE(std::abs(growth(table, {0, y})), 1 + 1e-12) << to_string(integrator) << " " << y;
    EXPECT_LT(std::abs(growth(table, -1e9)), 1e-7);
  }
}

}  // namespace stage_table_test
}  // namespace sinew

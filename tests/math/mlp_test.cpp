#include "sinew/math/mlp.hpp"

#include <gtest/gtest.h>

#include "support/allocation_guard.hpp"
#include "support/finite_difference.hpp"
#include "support/random.hpp"

namespace sinew {
namespace mlp_test {

using test::AllocationGuard;
using test::Random;

/// Sizes that fill no block of the kernel, weights of the size that training gives.
Mlp random_mlp(Random& random, const std::vector<int>& sizes) {
  std::vector<Mlp::Layer> layers;
  for (size_t l = 0; l + 1 < sizes.size(); ++l) {
    const double bound = std::sqrt(6.0 / (sizes[l] + sizes[l + 1]));
    layers.push_back({random.matx(sizes[l + 1], sizes[l], bound), random.vecx(sizes[l + 1])});
  }
  const auto scaling = [&](int n) -> Mlp::Scaling {
    return {random.vecx(n), random.vecx(n).cwiseAbs().array() + 0.5};
  };
  return {layers, scaling(sizes.front()), scaling(sizes.back())};
}

constexpr int kInputs = 5;

template <class T>
std::vector<T> evaluated(const Mlp& mlp, const std::vector<T>& in) {
  MlpScratch scratch;
  const auto points = in.size() / static_cast<size_t>(mlp.inputs());
  std::vector<T> out(points * static_cast<size_t>(mlp.outputs()));
  mlp.evaluate<T>(in, out, scratch);
  return out;
}

VecX value(const Mlp& mlp, const VecX& x) {
  const auto y = evaluated(mlp, std::vector<double>(x.begin(), x.end()));
  return Eigen::Map<const VecX>(y.data(), mlp.outputs());
}

MatX jacobian(const Mlp& mlp, const VecX& x) {
  using D = Dual<double, kInputs>;
  std::vector<D> in;
  for (int k = 0; k < kInputs; ++k) in.push_back(D::Variable(x[k], k));
  const auto y = evaluated(mlp, in);
  MatX J(mlp.outputs(), kInputs);
  for (Eigen::Index row = 0; row < J.rows(); ++row)
    for (Eigen::Index k = 0; k < kInputs; ++k)
      J(row, k) = y[static_cast<size_t>(row)].d[static_cast<size_t>(k)];
  return J;
}

TEST(Mlp, IsItsFormula) {
  Random random(1);
  const Mlp::Layer a{random.matx(3, 2), random.vecx(3)}, b{random.matx(2, 3), random.vecx(2)};
  const Mlp::Scaling in{random.vecx(2), random.vecx(2)}, out{random.vecx(2), random.vecx(2)};
  const Mlp mlp({a, b}, in, out);
  EXPECT_EQ(mlp.weights(), 3 * 2 + 3 + 2 * 3 + 2);
  const VecX x = random.vecx(2);
  const VecX scaled = (x - in.offset).cwiseProduct(in.scale);
  const VecX hidden = (a.W * scaled + a.b).array().tanh();
  const VecX expected = out.offset + out.scale.cwiseProduct(b.W * hidden + b.b);
  EXPECT_LT((value(mlp, x) - expected).norm(), 1e-15);  // rounding of numbers of order one
}

TEST(Mlp, JacobianIsThatOfDifferences) {
  Random random(2);
  for (int pass = 0; pass < 1000; ++pass) {
    const Mlp mlp = random_mlp(random, {kInputs, 19, 12, 3});
    const VecX x = random.vecx(kInputs);
    const auto sweep =
        check_derivative([&](const VecX& y) { return value(mlp, y); }, x, jacobian(mlp, x));
    // Best step of a central difference of analytic functions of order one.
    EXPECT_TRUE(sweep.confirms(1e-8)) << sweep.table();
  }
}

TEST(Mlp, SecondDerivativesAreThoseOfDifferencesOfTheJacobian) {
  using Rate = Dual<double, kInputs>;
  using D = Dual<Rate, kInputs>;
  Random random(3);
  for (int pass = 0; pass < 1000; ++pass) {
    const Mlp mlp = random_mlp(random, {kInputs, 19, 12, 3});
    const VecX x = random.vecx(kInputs);
    std::vector<D> in;
    for (int k = 0; k < kInputs; ++k) in.push_back(D::Variable(Rate::Variable(x[k], k), k));
    const auto y = evaluated(mlp, in);
    MatX H(3 * kInputs, kInputs);
    for (Eigen::Index row = 0; row < 3; ++row)
      for (Eigen::Index j = 0; j < kInputs; ++j)
        for (Eigen::Index k = 0; k < kInputs; ++k)
          H(row + 3 * j, k) =
              y[static_cast<size_t>(row)].d[static_cast<size_t>(j)].d[static_cast<size_t>(k)];
    const auto sweep =
        check_derivative([&](const VecX& z) -> VecX { return jacobian(mlp, z).reshaped(); }, x, H);
    EXPECT_TRUE(sweep.confirms(1e-8)) << sweep.table();
  }
}

TEST(Mlp, RateAndJacobianRateAlongAMotionAgreeWithTheFullDerivatives) {
  Random random(4);
  const Mlp mlp = random_mlp(random, {kInputs, 30, 30, 3});
  const VecX x = random.vecx(kInputs), v = random.vecx(kInputs), a = random.vecx(kInputs);
  using Along = Dual<Dual<double, 1>, kInputs>;
  std::vector<Taylor2<double>> motion;
  std::vector<Along> moving;
  for (int k = 0; k < kInputs; ++k) {
    motion.emplace_back(x[k], v[k], a[k]);
    Dual<double, 1> along(x[k]);
    along.d[0] = v[k];
    moving.push_back(Along::Variable(along, k));
  }
  const auto y = evaluated(mlp, motion);
  const auto j = evaluated(mlp, moving);
  const MatX J = jacobian(mlp, x);
  for (Eigen::Index row = 0; row < 3; ++row) {
    const auto r = static_cast<size_t>(row);
    double jdot_v = 0;
    for (Eigen::Index k = 0; k < kInputs; ++k) {
      const auto kk = static_cast<size_t>(k);
      EXPECT_NEAR(j[r].d[kk].v, J(row, k), 1e-14);
      jdot_v += j[r].d[kk].d[0] * v[k];
    }
    // Rounding: the same derivatives, summed in other orders.
    EXPECT_NEAR(y[r].d1, J.row(row).dot(v), 1e-13);
    EXPECT_NEAR(y[r].d2, J.row(row).dot(a) + jdot_v, 1e-13);
  }
}

TEST(Mlp, ABatchHasTheBitsOfSingleEvaluations) {
  Random random(5);
  const Mlp mlp = random_mlp(random, {kInputs, 37, 64, 3});
  using D = Dual<double, kInputs>;
  for (const int points : {1, 2, 7, 33}) {
    std::vector<D> in;
    for (int p = 0; p < points; ++p)
      for (int k = 0; k < kInputs; ++k) in.push_back(D::Variable(random.uniform(-1, 1), k));
    const auto batch = evaluated(mlp, in);
    for (int p = 0; p < points; ++p) {
      const auto first = in.begin() + p * kInputs;
      const auto single = evaluated(mlp, std::vector<D>(first, first + kInputs));
      EXPECT_EQ(std::memcmp(single.data(), &batch[static_cast<size_t>(3 * p)], 3 * sizeof(D)), 0);
      std::vector<double> plain;
      for (int k = 0; k < kInputs; ++k) plain.push_back(first[k].v);
      const auto alone = evaluated(mlp, plain);
      for (size_t k = 0; k < 3; ++k)
        EXPECT_EQ(alone[k], batch[static_cast<size_t>(3 * p) + k].v) << "derivatives change values";
    }
  }
}

TEST(Mlp, AllocatesNothingAfterTheFirstUse) {
  SINEW_NEEDS_ALLOCATION_COUNTS();
  Random random(6);
  const Mlp mlp = random_mlp(random, {kInputs, 40, 40, 3});
  MlpScratch scratch;
  using D = Dual<double, kInputs>;
  std::vector<D> in(8 * kInputs, D(0.1)), out(8 * 3);
  mlp.evaluate<D>(in, out, scratch);
  AllocationGuard guard;
  mlp.evaluate<D>(in, out, scratch);
  mlp.evaluate<double>(std::array<double, kInputs>{}, std::span<double>(&out[0].v, 3), scratch);
  EXPECT_EQ(guard.count(), 0);
}

}  // namespace mlp_test
}  // namespace sinew

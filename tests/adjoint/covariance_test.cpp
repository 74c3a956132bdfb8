#include "sinew/adjoint/covariance.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/message_of.hpp"
#include "support/random.hpp"

namespace sinew {
namespace covariance_test {

using testing::ElementsAre;

const std::vector<std::string> kNames = {"a", "b", "c"};

TEST(Covariance, PredictsTheSpreadOfLeastSquares) {
  test::Random random(4);
  MatX J(40, 3);
  for (Eigen::Index k = 0; k < 3; ++k) J.col(k) = random.vecx(40, 2.0 + static_cast<double>(k));
  constexpr double kDeviation = 0.03;
  const Covariance predicted = covariance(J, kDeviation * kDeviation, kNames);
  EXPECT_TRUE(predicted.unresolved.empty());
  const MatX inverse = (J.transpose() * J).inverse();
  EXPECT_LT((predicted.matrix - kDeviation * kDeviation * inverse).norm(),
            1e-12 * predicted.matrix.norm());
  // 2000 fits to uniform noise of that deviation: their spread is known to 1/√4000 = 1.6 %.
  VecX sum = VecX::Zero(3);
  constexpr int kFits = 2000;
  for (int fit = 0; fit < kFits; ++fit) {
    const VecX noise = random.vecx(40, kDeviation * std::sqrt(3.0));
    const VecX p = inverse * (J.transpose() * noise);
    sum += p.cwiseAbs2();
  }
  for (int k = 0; k < 3; ++k)
    EXPECT_NEAR(std::sqrt(sum[k] / kFits) / predicted.deviations[k], 1, 0.06) << k;
}

TEST(Covariance, NamesCombinationsThatTheDataCannotTell) {
  MatX J(5, 3);
  J << 1, 1, 0, 2, 2, 1, 0, 0, 1, 1, 1, 3, -1, -1, 2;
  const Covariance out = covariance(J, 1e-4, kNames);
  EXPECT_THAT(out.unresolved, ElementsAre("0.71 a − 0.71 b"));
  EXPECT_TRUE(std::isinf(out.deviations[0]));
  EXPECT_TRUE(std::isinf(out.deviations[1]));
  EXPECT_TRUE(std::isfinite(out.deviations[2]));
  // Fewer measurements than parameters, and one that hardly matters.
  const Covariance single = covariance(MatX::Identity(1, 3), 1e-4, kNames);
  EXPECT_EQ(single.unresolved.size(), 2U);
  J.col(1) << 0, 1e-3, 0, 0, 0;
  EXPECT_THAT(covariance(J, 1e-4, kNames).unresolved, ElementsAre("1.00 b"));
  EXPECT_TRUE(covariance(J, 1e-8, kNames).unresolved.empty());
}

TEST(Covariance, CountsSmallPartsOfCombinationsThatTheDataCannotTell) {
  // s = (1, 1e-3) along (0.05, 1) turned: the first parameter is known but for its small part in
  // the second combination, whose deviation is 10.
  const double angle = std::atan(0.05);
  const Eigen::Vector2d first(std::cos(angle), -std::sin(angle)),
      second(std::sin(angle), std::cos(angle));
  MatX J(2, 2);
  J << first.transpose(), 1e-3 * second.transpose();
  const Covariance out = covariance(J, 1e-4, std::span(kNames).first(2));
  EXPECT_EQ(out.unresolved.size(), 1U);
  EXPECT_NEAR(out.deviations[0], 10 * std::sin(angle), 1e-3);
  EXPECT_TRUE(std::isinf(out.deviations[1]));
  // Without any data on it the same part makes the first parameter unknown.
  J.row(1).setZero();
  EXPECT_TRUE(std::isinf(covariance(J, 1e-4, std::span(kNames).first(2)).deviations[0]));
}

TEST(Covariance, DoesNotTellACombinationThatLeavesItsJacobian) {
  // The first number is known to 0.1, the second to 0.2. Residuals bend along the second.
  MatX J(2, 2);
  J << 1, 0, 0, 0.5;
  std::vector<double> asked;
  const auto follows = [&](const VecX& change) {
    asked.push_back(change.norm());
    return std::abs(change[1]) < 0.3;
  };
  const Covariance out = covariance(J, 0.01, std::span(kNames).first(2), 1, follows);
  EXPECT_THAT(out.unresolved, ElementsAre("1.00 b"));
  EXPECT_NEAR(out.deviations[0], 0.1, 1e-15);
  EXPECT_TRUE(std::isinf(out.deviations[1]));
  ASSERT_EQ(asked.size(), 3U);  // both sides of the first, one of the second
  EXPECT_NEAR(asked[0], 0.2, 1e-15);
  EXPECT_NEAR(asked[2], 0.4, 1e-15);
}

TEST(Covariance, RefusesWhatIsNoJacobian) {
  EXPECT_THAT(test::message_of([] { covariance(MatX::Identity(2, 2), 1, kNames); }),
              testing::HasSubstr("a name for each column"));
}

}  // namespace covariance_test
}  // namespace sinew

#include "sinew/analysis/design/design.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "sinew/core/error.hpp"
#include "support/message_of.hpp"

namespace sinew {
namespace design_test {

using Kind = DesignOptions::Kind;
constexpr double kNone = std::numeric_limits<double>::infinity();

TEST(Distribution, HasItsQuantiles) {
  EXPECT_DOUBLE_EQ(quantile(Uniform{2, 6}, 0.25), 3);
  EXPECT_DOUBLE_EQ(quantile(LogUniform{1, 100}, 0.5), 10);
  EXPECT_NEAR(quantile(Normal{1, 2, -kNone, kNone}, 0.975), 1 + 2 * 1.959963984540054, 1e-13);
  EXPECT_DOUBLE_EQ(quantile(Choice{{5, 7, 9}}, 0.5), 7);
  EXPECT_DOUBLE_EQ(quantile(Choice{{5, 7, 9}}, 0.999), 9);
}

TEST(Distribution, KeepsNormalNumbersWithinBoundsHoweverFarOut) {
  // Half of what lies above nine deviations lies above 9.0756.
  const Normal far{0, 1, 9, kNone};
  EXPECT_NEAR(quantile(far, 0.5), 9.0756, 1e-3);
  EXPECT_GE(quantile(far, 1e-12), 9);
  const Normal narrow{0, 1, -0.1, 0.2};
  EXPECT_NEAR(quantile(narrow, 0.5), 0.0495, 1e-3);
  EXPECT_GE(lowest(narrow), -0.1);
  EXPECT_LE(highest(narrow), 0.2);
}

TEST(Design, TakesEveryCombinationOfAGrid) {
  const Design grid({.kind = Kind::grid}, {Choice{{1, 2}}, Choice{{10, 20, 30}}});
  ASSERT_EQ(grid.count(), 6u);
  EXPECT_EQ(grid.point(0), (std::vector<double>{1, 10}));
  EXPECT_EQ(grid.point(4), (std::vector<double>{2, 20}));
  EXPECT_FALSE(grid.grows());
}

TEST(Design, TakesThePointsOfAList) {
  const Design list({.kind = Kind::list}, {Uniform{}, Uniform{}}, {1, 2, 3, 4, 5, 6});
  ASSERT_EQ(list.count(), 3u);
  EXPECT_EQ(list.point(1), (std::vector<double>{3, 4}));
}

TEST(Design, PutsOnePointIntoEachStratumOfALatinHypercube) {
  constexpr std::uint64_t n = 1000;
  const Design design({.kind = Kind::latin_hypercube, .runs = n, .seed = 5},
                      {Uniform{}, Uniform{}, Uniform{}});
  for (size_t j = 0; j < 3; ++j) {
    std::vector<int> points(n, 0);
    for (std::uint64_t i = 0; i < n; ++i)
      ++points[static_cast<size_t>(design.point(i)[j] * static_cast<double>(n))];
    EXPECT_EQ(std::count(points.begin(), points.end(), 1), static_cast<long>(n));
  }
}

TEST(Design, KeepsItsFirstPointsAsItGrows) {
  for (const Kind kind : {Kind::random, Kind::sobol, Kind::saltelli}) {
    const std::vector<Distribution> parameters = {Uniform{}, Normal{0, 1, -kNone, kNone}};
    const Design small({.kind = kind, .runs = 10, .seed = 3}, parameters);
    const Design large({.kind = kind, .runs = 20, .seed = 3}, parameters);
    EXPECT_TRUE(small.grows());
    ASSERT_EQ(large.count(), 2 * small.count());
    for (std::uint64_t i = 0; i < small.count(); ++i) EXPECT_EQ(small.point(i), large.point(i));
    const Design other({.kind = kind, .runs = 10, .seed = 4}, parameters);
    EXPECT_NE(small.point(0), other.point(0));
  }
}

TEST(Design, MixesTwoPointsInTheBlocksOfSaltelli) {
  const Design design({.kind = Kind::saltelli, .runs = 4}, {Uniform{}, Uniform{}, Uniform{}});
  ASSERT_EQ(design.count(), 20u);
  for (std::uint64_t b = 0; b < 4; ++b) {
    const std::vector<double> A = design.point(5 * b), B = design.point(5 * b + 1);
    for (size_t j = 0; j < 3; ++j) {
      EXPECT_NE(A[j], B[j]);
      std::vector<double> mixed = A;
      mixed[j] = B[j];
      EXPECT_EQ(design.point(5 * b + 2 + j), mixed);
    }
  }
}

TEST(Design, RefusesWhatMakesNoSense) {
  const auto message = [](const DesignOptions& options, std::vector<Distribution> parameters) {
    return test::message_of([&] { Design(options, std::move(parameters)); });
  };
  EXPECT_NE(message({.kind = Kind::grid}, {Uniform{}}).find("needs the values"), std::string::npos);
  EXPECT_NE(message({.kind = Kind::random, .runs = 0}, {Uniform{}}).find("has no runs"),
            std::string::npos);
  EXPECT_NE(message({.kind = Kind::random}, {}).find("has no parameters"), std::string::npos);
  EXPECT_NE(message({.kind = Kind::saltelli, .runs = 1000000000}, {Uniform{}}).find("more than"),
            std::string::npos);
  EXPECT_NE(message({.kind = Kind::grid}, std::vector<Distribution>(40, Choice{{1, 2, 3}}))
                .find("more than"),
            std::string::npos);
}

}  // namespace design_test
}  // namespace sinew

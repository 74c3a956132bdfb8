#include "sinew/math/block_lu.hpp"

#include <gtest/gtest.h>

#include "support/random.hpp"

namespace sinew {
namespace block_lu_test {

/// A mesh-like pattern: a grid of points with edges to neighbours along axes and diagonals.
BlockPattern grid_pattern(int nx, int ny, int nz) {
  std::vector<std::array<int, 2>> edges;
  const auto at = [&](int i, int j, int k) { return (k * ny + j) * nx + i; };
  for (int k = 0; k < nz; ++k)
    for (int j = 0; j < ny; ++j)
      for (int i = 0; i < nx; ++i)
        for (int d = 1; d < 8; ++d) {
          const int a = i + (d & 1), b = j + (d >> 1 & 1), c = k + (d >> 2);
          if (a < nx && b < ny && c < nz) edges.push_back({at(i, j, k), at(a, b, c)});
        }
  return BlockPattern(nx * ny * nz, edges);
}

struct Example {
  std::vector<Mat3> blocks;
  MatX dense;
};

/// Diagonally dominant, not symmetric.
Example random_matrix(const BlockPattern& pattern, test::Random& random) {
  const int n = pattern.size();
  Example out{{}, MatX::Zero(3 * n, 3 * n)};
  for (int i = 0; i < n; ++i)
    for (int b = pattern.row_begin(i); b < pattern.row_end(i); ++b) {
      Mat3 m;
      for (int k = 0; k < 9; ++k) m.data()[k] = random.uniform(-1, 1);
      if (pattern.column(b) == i) m += 40 * Mat3::Identity();
      out.blocks.push_back(m);
      out.dense.block<3, 3>(3 * i, 3 * pattern.column(b)) = m;
    }
  return out;
}

TEST(BlockLu, SolvesAsDenseLuDoes) {
  test::Random random(1);
  for (const auto& [nx, ny, nz] : {std::array{1, 1, 1}, {2, 1, 1}, {5, 4, 3}, {12, 2, 2}}) {
    const BlockPattern pattern = grid_pattern(nx, ny, nz);
    const Example A = random_matrix(pattern, random);
    BlockLu lu;
    lu.analyze(pattern);
    ASSERT_TRUE(lu.factor(A.blocks));
    const VecX b = VecX::Random(3 * pattern.size());
    VecX x = b;
    lu.solve_in_place(x);
    // A is diagonally dominant, its condition below 10: rounding only.
    EXPECT_LT((A.dense * x - b).lpNorm<Eigen::Infinity>(), 1e-13);
    BlockLu::Columns X(b.size(), 4);
    for (int c = 0; c < 4; ++c) X.col(c) = (c + 1) * b;
    lu.solve_columns_in_place(X);
    for (int c = 0; c < 4; ++c)
      EXPECT_LT((X.col(c) - (c + 1) * x).lpNorm<Eigen::Infinity>(), 1e-13);
  }
}

TEST(BlockLu, AChainFillsNothing) {
  std::vector<std::array<int, 2>> edges;
  for (int i = 0; i < 99; ++i) edges.push_back({i, i + 1});
  const BlockPattern pattern(100, edges);
  BlockLu lu;
  lu.analyze(pattern);
  EXPECT_EQ(lu.block_count(), pattern.block_count());
}

TEST(BlockLu, SaysThatAMatrixIsSingular) {
  const BlockPattern pattern(2, {{0, 1}});
  BlockLu lu;
  lu.analyze(pattern);
  EXPECT_FALSE(lu.factor(std::vector<Mat3>(4, Mat3::Zero())));
  EXPECT_FALSE(lu.factor(std::vector<Mat3>(4, Mat3::Identity())));
  // Whoever solves all the same finds nothing finite.
  VecX x = VecX::Ones(6);
  lu.solve_in_place(x);
  EXPECT_FALSE(x.array().isFinite().any());
}

TEST(BlockPattern, FindsItsBlocksAndNoOthers) {
  const BlockPattern pattern(4, {{0, 2}, {2, 0}, {3, 2}});
  EXPECT_EQ(pattern.block_count(), 8);
  EXPECT_EQ(pattern.find(0, 1), -1);
  EXPECT_EQ(pattern.column(pattern.find(2, 3)), 3);
  EXPECT_EQ(pattern.column(pattern.find(1, 1)), 1);
}

}  // namespace block_lu_test
}  // namespace sinew

#include "sinew/constraints/solve/saddle_matrix.hpp"

#include <gtest/gtest.h>

#include <random>

#include "support/allocation_guard.hpp"
#include "support/strand_systems.hpp"

/// Saddle points whose rows are nodes, against dense solves of the whole matrix.

namespace sinew {
namespace saddle_matrix_test {

constexpr int kLinks = 2;  // coordinates before those of nodes

/// A chain of nodes of one to three coordinates, some of them coupled to links, and rows along it.
struct Chain {
  NodeLayout nodes;
  std::vector<std::vector<int>> rows;  ///< nodes of each
  std::vector<char> on_links;
};

Chain chain(int count, bool loop) {
  Chain out;
  for (int k = 0; k < count; ++k) {
    out.nodes.add_node(1 + k % 3);
    if (k > 0) out.nodes.connect(k - 1, k);
    if (k % 7 == 0) out.nodes.couple(k);
  }
  out.nodes.finish();
  const auto add = [&](std::vector<int> nodes, bool on_links) {
    out.rows.push_back(std::move(nodes));
    out.on_links.push_back(on_links);
  };
  add({0}, true);
  for (int k = 1; k < count; ++k) add({k - 1, k}, k % 5 == 0);
  if (loop) {  // both close loops of rows; the last one is on links alone
    add({count - 1}, true);
    add({0, count / 2, count - 1}, false);
    add({}, true);
  }
  return out;
}

double number(std::mt19937& random) {
  return std::uniform_real_distribution<double>(-1, 1)(random);
}

MatX dense(const NodeLayout& nodes, const NodeMatrix& A) {
  const Eigen::Index n = kLinks + nodes.dof_count();
  MatX out(n, n);
  for (Eigen::Index k = 0; k < n; ++k) {
    VecX e = VecX::Unit(n, k), column(n);
    A.multiply(e, column);
    out.col(k) = column;
  }
  return out;
}

/// Nearly symmetric, positive definite.
NodeMatrix random_matrix(const NodeLayout& nodes, std::mt19937& random) {
  NodeMatrix A(nodes);
  A.resize(kLinks);
  A.rr = 4 * MatX::Identity(kLinks, kLinks);
  A.nodes.set_zero();
  for (int k = 0; k < nodes.count(); ++k) {
    const int size = nodes.size(k);
    for (int i = 0; i < size; ++i) A.nodes.block(nodes, k, k)(i, i) = 3 + number(random);
    if (k > 0)
      for (int i = 0; i < size; ++i)
        for (int j = 0; j < nodes.size(k - 1); ++j) {
          A.nodes.block(nodes, k, k - 1)(i, j) = 0.2 * number(random);
          A.nodes.block(nodes, k - 1, k)(j, i) = 0.2 * number(random);
        }
    if (nodes.row(k) < 0) continue;
    for (int i = 0; i < size; ++i)
      for (int j = 0; j < kLinks; ++j) {
        A.nodes.fr_rows(nodes, k)(i, j) = 0.2 * number(random);
        A.nodes.rf_rows(nodes, k)(i, j) = 0.2 * number(random);
      }
  }
  return A;
}

/// G from the terms.
void place(ConstraintRows& rows) {
  rows.G.set_zero();
  for (const ConstraintRows::CoordinateTerm& term : rows.coordinate)
    if (term.dof < kLinks) rows.G.links(term.dof, term.row) += term.c;
  rows.G.place_parts([&](auto&& add) {
    for (const ConstraintRows::CoordinateTerm& term : rows.coordinate)
      if (term.dof >= kLinks) add(term.row, term.dof - kLinks, term.c);
  });
}

/// Coefficients, all of them new: those of the chain's rows, on coordinates alone.
void fill(const Chain& chain, std::mt19937& random, ConstraintRows& rows) {
  rows.coordinate.clear();
  const auto add = [&](size_t row, int dof) {
    rows.add_coordinate(static_cast<int>(row), dof, number(random), 0);
  };
  for (size_t row = 0; row < chain.rows.size(); ++row) {
    for (const int node : chain.rows[row])
      for (int i = 0; i < chain.nodes.size(node); ++i)
        add(row, kLinks + chain.nodes.first(node) + i);
    for (int k = 0; k < kLinks && chain.on_links[row]; ++k) add(row, k);
  }
  place(rows);
}

struct Solution {
  VecX x, mu;
};
Solution dense_solution(const MatX& A, const MatX& Gt, const MatX& R, const VecX& b, const VecX& c,
                        const std::vector<char>& active) {
  const Eigen::Index n = A.rows(), m = R.rows();
  MatX K = MatX::Zero(n + m, n + m);
  K.topLeftCorner(n, n) = A;
  VecX right(n + m);
  right << b, c;
  for (Eigen::Index r = 0; r < m; ++r)
    if (active[static_cast<size_t>(r)]) {
      K.col(n + r).head(n) = Gt.col(r);
      K.row(n + r).head(n) = R.row(r);
    } else {
      K(n + r, n + r) = 1;
      right[n + r] = 0;
    }
  const VecX y = K.fullPivLu().solve(right);
  return {y.head(n), y.tail(m)};
}

TEST(SaddleMatrix, SolvesWhatADenseSolverDoes) {
  std::mt19937 random(1);
  const Skeleton skeleton = test::still_skeleton();
  for (const bool loop : {false, true})
    for (const bool some_off : {false, true}) {
      const Chain of = chain(40, loop);
      const NodeMatrix A = random_matrix(of.nodes, random);
      const Eigen::Index n = kLinks + of.nodes.dof_count();
      const auto m = static_cast<int>(of.rows.size());
      ConstraintRows rows(skeleton, m, kLinks, n - kLinks);
      fill(of, random, rows);
      std::vector<char> active(static_cast<size_t>(m), 1);
      if (some_off) active[3] = active.back() = 0;
      MatX R = rows.Gt().transpose();
      for (Eigen::Index r = 0; r < m; ++r)
        for (Eigen::Index k = 0; k < n; ++k)
          if (R(r, k) != 0) R(r, k) += 0.05 * number(random);
      const MatX full = dense(of.nodes, A), G_first = rows.Gt();
      SaddleMatrix saddle(of.nodes, kLinks);
      ASSERT_TRUE(saddle.factor(A, rows, active, &R));
      const auto check = [&](const MatX& now) {
        VecX x = VecX::Random(n), mu = VecX::Random(m);
        const Solution expected = dense_solution(full, G_first, now, x, mu, active);
        saddle.solve(x, mu);
        EXPECT_LT((x - expected.x).norm(), 1e-10 * expected.x.norm());
        EXPECT_LT((mu - expected.mu).norm(), 1e-10 * expected.mu.norm());
        // The same by a correction of a motion.
        VecX moved = VecX::Random(n), left = VecX::Random(m);
        const VecX before = moved;
        const Solution step = dense_solution(full, G_first, now, VecX::Zero(n), -left, active);
        saddle.correct(moved, left);
        EXPECT_LT((moved - before - step.x).norm(), 1e-10 * step.x.norm());
        EXPECT_LT((left - step.mu).norm(), 1e-10 * step.mu.norm());
      };
      check(R);
      ASSERT_TRUE(saddle.factor(A, rows, active));
      check(rows.Gt().transpose());
      // Other rows with the same A and Gᵀ.
      for (ConstraintRows::CoordinateTerm& term : rows.coordinate)
        term.c *= 1 + 0.1 * number(random);
      place(rows);
      ASSERT_TRUE(saddle.refactor(rows, active));
      check(rows.Gt().transpose());
    }
}

TEST(SaddleMatrix, LeavesFewRowsAndDependentOnesToOthers) {
  std::mt19937 random(2);
  const Skeleton skeleton = test::still_skeleton();
  {
    const Chain few = chain(10, false);
    ConstraintRows rows(skeleton, 10, kLinks, few.nodes.dof_count());
    fill(few, random, rows);
    SaddleMatrix saddle(few.nodes, kLinks);
    EXPECT_FALSE(saddle.factor(random_matrix(few.nodes, random), rows, std::vector<char>(10, 1)));
  }
  // The same row twice: on a node that another row leads to, and in the border.
  for (const bool loop : {false, true}) {
    Chain of = chain(40, loop);
    of.rows.push_back(of.rows[20]);
    of.on_links.push_back(of.on_links[20]);
    const auto m = static_cast<int>(of.rows.size());
    ConstraintRows rows(skeleton, m, kLinks, of.nodes.dof_count());
    fill(of, random, rows);
    std::erase_if(rows.coordinate, [&](const auto& term) { return term.row == m - 1; });
    std::vector<ConstraintRows::CoordinateTerm> copied;
    for (const auto& term : rows.coordinate)
      if (term.row == 20) copied.push_back({m - 1, term.dof, term.c, term.cdot});
    rows.coordinate.insert(rows.coordinate.end(), copied.begin(), copied.end());
    place(rows);
    SaddleMatrix saddle(of.nodes, kLinks);
    const NodeMatrix A = random_matrix(of.nodes, random);
    EXPECT_FALSE(saddle.factor(A, rows, std::vector<char>(static_cast<size_t>(m), 1)));
  }
}

TEST(SaddleMatrix, AllocatesOnceOnly) {
  SINEW_NEEDS_ALLOCATION_COUNTS();
  std::mt19937 random(3);
  const Skeleton skeleton = test::still_skeleton();
  const Chain of = chain(40, true);
  const auto m = static_cast<int>(of.rows.size());
  const NodeMatrix A = random_matrix(of.nodes, random);
  ConstraintRows rows(skeleton, m, kLinks, of.nodes.dof_count());
  fill(of, random, rows);
  const std::vector<char> active(static_cast<size_t>(m), 1);
  VecX x = VecX::Random(kLinks + of.nodes.dof_count()), mu = VecX::Random(m);
  SaddleMatrix saddle(of.nodes, kLinks);
  const auto all = [&] {
    EXPECT_TRUE(saddle.factor(A, rows, active));
    saddle.solve(x, mu);
    EXPECT_TRUE(saddle.refactor(rows, active));
    saddle.correct(x, mu);
  };
  all();
  const test::AllocationGuard guard;
  all();
  EXPECT_EQ(guard.count(), 0);
}

}  // namespace saddle_matrix_test
}  // namespace sinew

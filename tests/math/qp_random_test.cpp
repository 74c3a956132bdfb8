#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>
#include <vector>

#include "support/qp_check.hpp"
#include "support/random.hpp"

// Ten thousand problems, seeded. Small ones have small integers for data, so that dependent,
// duplicate, contradictory and empty rows, weakly active sides and singular H abound while nothing
// is nearly so; enumeration knows the answer. Larger ones are made around an answer known
// beforehand, one in ten of them degenerate on purpose.

namespace sinew {
namespace qp_random_test {

using test::QpData;
using test::Random;

int integer(Random& random, int low, int high) {
  return static_cast<int>(std::floor(random.uniform(low, high + 1)));
}

bool one_in(Random& random, int n) { return integer(random, 1, n) == 1; }

VecX integers(Random& random, Eigen::Index n, int bound) {
  VecX v(n);
  for (double& entry : v) entry = integer(random, -bound, bound);
  return v;
}

/// The promises of a solve, for every status.
void expect_sound(const QpData& qp, const QpResult& result) {
  EXPECT_TRUE(result.x.allFinite() && result.multipliers.allFinite());
  switch (result.status) {
    case QpStatus::optimal:
      EXPECT_LE(result.certificate.worst(), QpSolver::kTolerance);
      // The tests' measure has other units, hence a factor of ten.
      EXPECT_LE(test::kkt_error(qp, result.x, result.multipliers), 10 * QpSolver::kTolerance);
      break;
    case QpStatus::infeasible:
      EXPECT_EQ(test::farkas_fault(qp, result.farkas), "");
      EXPECT_FALSE(result.conflicting_rows.empty());
      break;
    case QpStatus::unbounded:
      EXPECT_EQ(test::ray_fault(qp, result.ray), "");
      break;
    default:
      ADD_FAILURE() << to_string(result.status);
  }
}

QpData small_problem(Random& random) {
  const int n = integer(random, 1, 3);
  QpData qp(n);
  for (int k = integer(random, 0, n + 1); k > 0; --k) {
    const VecX v = integers(random, n, 2);
    qp.H += v * v.transpose();
  }
  qp.c = integers(random, n, 3);
  for (int k = integer(random, -2, 2); k > 0; --k)
    qp.add_equality(integers(random, n, 1), integer(random, -1, 1));
  for (int k = integer(random, 0, 4); k > 0; --k)
    qp.add_inequality(integers(random, n, 2), integer(random, -1, 3));
  for (int i = 0; i < n; ++i) {
    if (one_in(random, 4)) qp.lower[i] = integer(random, -2, 0);
    if (one_in(random, 4)) qp.upper[i] = integer(random, 0, 2);
  }
  return qp;
}

TEST(QpRandom, AgreesWithEnumerationOnFourThousandSmallProblems) {
  Random random(1);
  QpSolver solver;
  std::map<QpStatus, int> seen;
  for (int trial = 0; trial < 4000; ++trial) {
    SCOPED_TRACE(trial);
    const QpData qp = small_problem(random);
    const QpResult result = solver.solve(qp.view());
    ++seen[result.status];
    expect_sound(qp, result);
    if (const auto expected = test::minimise_by_enumeration(qp)) {
      ASSERT_EQ(result.status, QpStatus::optimal);
      // Problems of such integers are well conditioned: enumeration is good to 1e-9.
      EXPECT_NEAR(qp.objective(result.x), qp.objective(*expected), 1e-8);
    } else {
      const bool feasible = test::feasible_by_enumeration(qp);
      ASSERT_EQ(result.status, feasible ? QpStatus::unbounded : QpStatus::infeasible);
    }
  }
  for (const QpStatus status : {QpStatus::optimal, QpStatus::infeasible, QpStatus::unbounded})
    EXPECT_GT(seen[status], 200) << to_string(status);
}

TEST(QpRandom, NamesMinimalConflicts) {
  Random random(2);
  QpSolver solver;
  int conflicts = 0;
  for (int trial = 0; trial < 1000; ++trial) {
    const QpData qp = small_problem(random);
    const QpResult result = solver.solve(qp.view());
    if (result.status != QpStatus::infeasible) continue;
    SCOPED_TRACE(trial);
    ++conflicts;
    const std::vector<int> rows(result.conflicting_rows.begin(), result.conflicting_rows.end());
    const QpData conflict = qp.only(rows, result.farkas);
    EXPECT_FALSE(test::feasible_by_enumeration(conflict));
    for (const int row : rows) {
      QpData rest = conflict;
      rest.remove(row);
      EXPECT_TRUE(test::feasible_by_enumeration(rest)) << row;
    }
  }
  EXPECT_GT(conflicts, 100);
}

/// A problem with a solution: x0 meets the constraints, some of them exactly, and c balances forces
/// of the right sign on some of these. H has the given rank.
QpData solvable_problem(Random& random, int n, int rank, int equalities, int inequalities) {
  QpData qp(n);
  const MatX B = random.matx(n, rank);
  qp.H = B * B.transpose();
  const VecX x0 = random.vecx(n);
  for (int k = 0; k < equalities; ++k) {
    const VecX a = random.vecx(n);
    qp.add_equality(a, a.dot(x0));
    qp.c += random.uniform(-1, 1) * a;
  }
  for (int k = 0; k < inequalities; ++k) {
    const VecX a = random.vecx(n);
    const bool active = one_in(random, 3);
    qp.add_inequality(a, a.dot(x0) + (active ? 0 : random.uniform(0, 1)));
    if (one_in(random, 2)) qp.c -= random.uniform(0, 1) * a;
  }
  for (int i = 0; i < n; ++i) {
    if (one_in(random, 4)) qp.lower[i] = x0[i] - (one_in(random, 3) ? 0 : random.uniform(0, 1));
    if (one_in(random, 4)) qp.upper[i] = x0[i] + (one_in(random, 3) ? 0 : random.uniform(0, 1));
  }
  qp.c -= qp.H * random.vecx(n);
  return qp;
}

TEST(QpRandom, CertifiesFiveThousandFourHundredLargerProblems) {
  Random random(3);
  QpSolver solver;
  for (int trial = 0; trial < 5400; ++trial) {
    SCOPED_TRACE(trial);
    // Mostly small as in practice; now and then up to 60.
    const int n = integer(random, 1, one_in(random, 20) ? 60 : 15);
    const int rank = one_in(random, 4) ? integer(random, 0, n) : n + 2;
    const QpData qp =
        solvable_problem(random, n, rank, integer(random, 0, n / 2), integer(random, 0, 2 * n));
    const QpResult result = solver.solve(qp.view());
    ASSERT_EQ(result.status, QpStatus::optimal);
    expect_sound(qp, result);
  }
}

enum class Degeneracy {
  duplicate_rows,
  dependent_rows,
  empty_rows,
  equality_pairs,
  redundant_equalities,
  fixed_variables,
  too_many_active,
  infeasible,
  unbounded,
  count
};

/// Makes a solvable problem degenerate; returns the status it then must have.
QpStatus degenerate(Random& random, Degeneracy kind, QpData& qp) {
  const Eigen::Index m_e = qp.b_e.size(), m_i = qp.b_i.size(), n = qp.n();
  const VecX weights = random.vecx(static_cast<int>(m_i)).cwiseAbs();
  switch (kind) {
    case Degeneracy::duplicate_rows:  // and multiples
      for (Eigen::Index k = 0; k < m_i; ++k)
        qp.add_inequality(qp.A_i.row(k) * weights[k] * 10, qp.b_i[k] * weights[k] * 10);
      break;
    case Degeneracy::dependent_rows:  // sums of others, just as tight
      for (int k = 0; k < 3; ++k)
        qp.add_inequality(qp.A_i.topRows(m_i).transpose() * weights, qp.b_i.head(m_i).dot(weights));
      break;
    case Degeneracy::empty_rows:
      qp.add_equality(VecX::Zero(n), 0);
      qp.add_inequality(VecX::Zero(n), 0);
      qp.add_inequality(VecX::Zero(n), 1);
      break;
    case Degeneracy::equality_pairs:  // a x ≤ b and −a x ≤ −b for the equalities
      for (Eigen::Index k = 0; k < m_e; ++k) {
        qp.add_inequality(qp.A_e.row(k), qp.b_e[k]);
        qp.add_inequality(-qp.A_e.row(k), -qp.b_e[k]);
      }
      break;
    case Degeneracy::redundant_equalities:
      for (int k = 0; k < 2; ++k) {
        const VecX mix = random.vecx(static_cast<int>(m_e));
        qp.add_equality(qp.A_e.topRows(m_e).transpose() * mix, qp.b_e.head(m_e).dot(mix));
      }
      break;
    case Degeneracy::fixed_variables:  // at a point that exists: the solution itself
    case Degeneracy::too_many_active: {
      QpSolver solver;
      const VecX x = solver.solve(qp.view()).x;
      if (kind == Degeneracy::fixed_variables) {
        for (Eigen::Index i = 0; i < n; i += 2) qp.lower[i] = qp.upper[i] = x[i];
      } else {
        for (Eigen::Index k = 0; k < 2 * n; ++k) {
          const VecX a = random.vecx(static_cast<int>(n));
          qp.add_inequality(a, a.dot(x));
        }
      }
      break;
    }
    case Degeneracy::infeasible:  // against a positive combination of rows
      qp.add_inequality(-(qp.A_i.topRows(m_i).transpose() * weights),
                        -qp.b_i.head(m_i).dot(weights) - 0.1);
      return QpStatus::infeasible;
    case Degeneracy::unbounded:  // a variable that only c knows of
      qp.H.row(0).setZero();
      qp.H.col(0).setZero();
      qp.A_e.col(0).setZero();
      qp.A_i.col(0).setZero();
      qp.c[0] = -1;
      qp.upper[0] = std::numeric_limits<double>::infinity();
      // Without the variable x0 still meets the rows only if their right sides lose its part.
      qp.b_e.setZero();
      qp.b_i = qp.b_i.cwiseMax(0);
      qp.lower = qp.lower.cwiseMin(0);
      qp.upper = qp.upper.cwiseMax(0);
      return QpStatus::unbounded;
    case Degeneracy::count:
      break;
  }
  return QpStatus::optimal;
}

TEST(QpRandom, SurvivesSixHundredDegenerateProblems) {
  Random random(4);
  QpSolver solver;
  for (int trial = 0; trial < 600; ++trial) {
    const auto kind = static_cast<Degeneracy>(trial % static_cast<int>(Degeneracy::count));
    SCOPED_TRACE(trial);
    SCOPED_TRACE(static_cast<int>(kind));
    const int n = integer(random, 2, 20);
    const int rank = one_in(random, 2) ? integer(random, 0, n) : n + 2;
    QpData qp =
        solvable_problem(random, n, rank, integer(random, 1, 1 + n / 3), integer(random, 1, n));
    const QpStatus expected = degenerate(random, kind, qp);
    const QpResult result = solver.solve(qp.view());
    ASSERT_EQ(result.status, expected) << to_string(result.status);
    expect_sound(qp, result);
  }
}

TEST(QpRandom, StaysFiniteAndHonestWithDataOfAnyMagnitude) {
  Random random(5);
  QpSolver solver;
  std::map<QpStatus, int> seen;
  for (const double decades : {5.0, 50.0, 150.0}) {
    const auto number = [&] {
      const double size = std::pow(10, random.uniform(-decades, decades));
      return one_in(random, 5) ? 0 : one_in(random, 2) ? size : -size;
    };
    const auto numbers = [&](int n) {
      VecX v(n);
      for (double& entry : v) entry = number();
      return v;
    };
    for (int trial = 0; trial < 500; ++trial) {
      SCOPED_TRACE(trial);
      const int n = integer(random, 1, 6);
      QpData qp(n);
      for (int k = integer(random, 0, n + 1); k > 0; --k) {
        const VecX v = numbers(n);
        qp.H += v * v.transpose();
      }
      qp.c = numbers(n);
      for (int k = integer(random, -1, 2); k > 0; --k) qp.add_equality(numbers(n), number());
      for (int k = integer(random, 0, 8); k > 0; --k) qp.add_inequality(numbers(n), number());
      const QpResult result = solver.solve(qp.view());
      ++seen[result.status];
      EXPECT_TRUE(result.x.allFinite() && result.multipliers.allFinite());
      if (result.status == QpStatus::optimal) {
        EXPECT_LE(result.certificate.worst(), QpSolver::kTolerance);
      } else if (result.status == QpStatus::inaccurate) {
        EXPECT_GT(result.certificate.worst(), QpSolver::kTolerance);
      }
    }
  }
  EXPECT_EQ(seen[QpStatus::not_finite], 0);
  EXPECT_GT(seen[QpStatus::optimal], 400);
}

}  // namespace qp_random_test
}  // namespace sinew

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sinew/math/qp.hpp"
#include "support/random.hpp"

/// Facts about quadratic programs, without the solver.

namespace sinew::test {

/// A problem that owns its matrices.
struct QpData {
  MatX H;
  VecX c;
  MatX A_e, A_i;
  VecX b_e, b_i, lower, upper;

  /// n variables, H = 0, c = 0, no rows, no bounds (infinite ones).
  explicit QpData(Eigen::Index n);
  void add_equality(const VecX& a, double b);
  void add_inequality(const VecX& a, double b);
  QpProblem view() const;
  Eigen::Index n() const { return c.size(); }
  Eigen::Index row_count() const { return b_e.size() + b_i.size() + n(); }
  double objective(const VecX& x) const { return 0.5 * x.dot(H * x) + c.dot(x); }
  /// Aᵀy of all rows, bounds included.
  VecX combination(const VecX& y) const;
  /// Makes a constraint void; the others keep their numbers.
  void remove(int row);
  /// The problem with no constraints but these rows, of bounds only the side that has the weight.
  QpData only(const std::vector<int>& rows, const VecX& weights) const;
};

MatX positive_definite(Random& random, int n);
/// n variables, m inequalities of which x = 0 is strictly inside, and a pull to break some of them.
QpData random_problem(Random& random, int n, int m);
/// Largest |a_i − b_i|.
double distance(const VecX& a, const VecX& b);

/// Largest violation of the Karush-Kuhn-Tucker conditions, by their definition: each condition
/// relative to 1 or to the largest term in it, whichever is more. For data of order one.
double kkt_error(const QpData& qp, const VecX& x, const VecX& multipliers);

/// "" if y is a Farkas certificate (combination zero, signs right, value negative), else what is
/// wrong.
std::string farkas_fault(const QpData& qp, const VecX& y);
/// "" if the objective falls forever along d, otherwise the defect.
std::string ray_fault(const QpData& qp, const VecX& d);

/// Minimises by trying every set of at most n active sides: for a few variables and sides only,
/// with data of order one. No value if there is no minimiser.
std::optional<VecX> minimise_by_enumeration(const QpData& qp);
/// Whether any x meets the constraints, by the same means.
bool feasible_by_enumeration(const QpData& qp);

}  // namespace sinew::test

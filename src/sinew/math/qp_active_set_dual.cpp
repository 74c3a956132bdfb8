#include <algorithm>
#include <cmath>

#include "sinew/math/qp_active_set.hpp"

// The dual method of Goldfarb and Idnani (1983) for one proximal step, which starts with x_ at the
// minimiser over the working set.

namespace sinew {
namespace {

/// Violations below this times the terms of the row are rounding; so are those below kPeakRounding
/// times the largest x met on the way. They are per row: a light finger's limit is as sharp as that
/// of the heavy trunk beside it, whose scaled velocity is a thousand times larger.
constexpr double kFeasibility = 1e-12, kPeakRounding = 1e-15;
/// A row that enters again and again does so because of rounding: from this entry on, each makes
/// its tolerance ten times larger. This ends any cycle; the certificate shows the cost.
constexpr int kEntriesAllowed = 5;
/// A side nearly parallel to W is ignored if violated by less than this, relative to x and its
/// right side: enforcing it would take huge multipliers and gain nothing.
constexpr double kCloseFeasibility = 1e-11;

}  // namespace

/// Sides that would have to pull leave W, the strongest first, until λ ≥ 0: a start for enforce().
QpActiveSet::Stage QpActiveSet::release_negative() {
  while (W_.count() > held_) {
    Index k;
    auto lambda = W_.lambda();
    const double multiplier = lambda.tail(W_.count() - held_).minCoeff(&k);
    if (multiplier >= -kDualRounding * lambda.cwiseAbs().maxCoeff()) break;
    if (!count_iteration()) return Stage::iteration_limit;
    const QpSide side = W_.side(held_ + k);
    W_.drop(held_ + k);
    W_.resolve(side);
    W_.move(-multiplier, x_);
    note_size_of_x();
  }
  return Stage::done;
}

/// The dual method: while a side is violated, bring it in.
QpActiveSet::Stage QpActiveSet::enforce() {
  for (;;) {
    const QpSide side = most_violated();
    if (side.row < 0) return Stage::done;
    const Stage stage = enter(side);
    if (stage != Stage::done) return stage;
  }
}

/// Raises the multiplier of a violated side until it holds, dropping the sides of W whose
/// multipliers vanish on the way (Goldfarb and Idnani 1983, algorithm of section 3). Each call
/// raises the dual objective: no working set occurs twice.
QpActiveSet::Stage QpActiveSet::enter(QpSide side) {
  double multiplier = 0;
  for (;;) {
    const bool independent = W_.resolve(side);
    const double violation = std::max(0.0, qp_.value(side, x_) - qp_.rhs(side));
    if (multiplier == 0 && W_.close() &&
        violation <= kCloseFeasibility * (x_size_ + std::abs(qp_.rhs(side)))) {
      ignored_[at(side.row)] = 1;
      return Stage::done;
    }
    if (!count_iteration()) return Stage::iteration_limit;
    double t_dual = kInfinity;
    const Index leaving = first_to_vanish(t_dual);
    if (!independent && leaving < 0) {
      if (contradicts(side, false)) return Stage::infeasible;
      W_.move_multipliers(-multiplier);  // the sides of W exert it as well
      ignored_[at(side.row)] = 1;
      return Stage::done;
    }
    const double t_primal = independent ? violation / W_.curvature() : kInfinity;
    const double t = std::min(t_primal, t_dual);
    if (!std::isfinite(t)) return Stage::overflow;
    independent ? W_.move(t, x_) : W_.move_multipliers(t);
    note_size_of_x();
    multiplier += t;
    if (t_primal <= t_dual) {
      W_.add(side, multiplier);
      ++entries_[at(side.row)];
      return Stage::done;
    }
    W_.drop(leaving);
  }
}

/// The side of W, if any, whose multiplier is first to reach zero as that of the resolved side
/// grows by t.
QpActiveSet::Index QpActiveSet::first_to_vanish(double& t) {
  const auto r = W_.r();
  const auto lambda = W_.lambda();
  Index first = -1;
  const double zero = r.size() > 0 ? kWeightRounding * r.cwiseAbs().maxCoeff() : 0;
  t = kInfinity;
  for (Index k = held_; k < W_.count(); ++k) {
    if (r[k] <= zero) continue;
    const double t_k = lambda[k] / r[k];
    if (t_k > t || (t_k == t && first >= 0 && r[k] <= r[first]))
      continue;  // ties go to the safest pivot
    t = t_k;
    first = k;
  }
  return first;
}

QpSide QpActiveSet::most_violated() {
  row_values_.noalias() = qp_.normals.transpose() * x_;
  QpSide worst;
  double most = 0;
  const auto consider = [&](Index row, int sign, double excess, double rhs) {
    if (!(excess > most) || W_.sign(row) != 0 || ignored_[at(row)]) return;
    const double terms = row < qp_.rows ? qp_.normals.col(row).cwiseProduct(x_).lpNorm<1>()
                                        : std::abs(x_[row - qp_.rows]);
    double tolerance = kFeasibility * (terms + std::abs(rhs)) + kPeakRounding * x_peak_;
    if (const int more = entries_[at(row)] - kEntriesAllowed; more > 0)
      tolerance *= std::pow(10.0, more);
    if (excess <= tolerance) return;
    worst = {static_cast<int>(row), sign};
    most = excess;
  };
  for (Index row = qp_.equalities; row < qp_.rows; ++row)
    consider(row, 1, row_values_[row] - qp_.b[row], qp_.b[row]);
  for (Index i = 0; i < qp_.n; ++i) {
    consider(qp_.rows + i, 1, x_[i] - qp_.upper[i], qp_.upper[i]);
    consider(qp_.rows + i, -1, qp_.lower[i] - x_[i], qp_.lower[i]);
  }
  return worst;
}

}  // namespace sinew

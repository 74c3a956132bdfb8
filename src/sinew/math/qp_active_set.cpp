#include "sinew/math/qp_active_set.hpp"

#include <algorithm>
#include <cmath>

#include "sinew/core/error.hpp"

namespace sinew {
namespace {

/// Proximal weight relative to a unit diagonal of H. √(machine ε) balances rounding where H is
/// singular against the number of proximal steps; slow progress lowers it, down to
/// kSmallestEpsilon.
constexpr double kEpsilon = 1e-8, kEpsilonFactor = 1e-2;
constexpr int kMaxProximalSteps = 100, kMaxStalls = 8;
/// Certificate at which to stop: well within the tolerance promised.
constexpr double kTarget = 1e-12;
/// With curvature one, c alone would move x by its own size. Where b and the solution vanish,
/// residuals are compared to this fraction of that size.
constexpr double kLengthFloor = 1e-5;

}  // namespace

void QpActiveSet::resize() {
  const Index n = qp_.n, all = qp_.row_count();
  memory_.reset(8 * n + qp_.rows + 3 * all);
  for (VecMap* v : {&x_, &x_before_, &dx_, &gradient_, &slack_, &work_, &x_out_, &ray_})
    memory_.cut(*v, n);
  memory_.cut(row_values_, qp_.rows);
  for (VecMap* v : {&guess_, &multipliers_, &farkas_}) memory_.cut(*v, all);
  W_.reset(qp_);
  entries_.assign(at(all), 0);
  ignored_.assign(at(all), 0);
  guess_sign_.assign(at(all), 0);
  conflicting_rows_.clear();
  conflicting_rows_.reserve(at(n) + 1);
  limit_ = max_iterations_ > 0 ? max_iterations_ : static_cast<int>(20 * (n + all) + 200);
  iterations_ = proximal_steps_ = factorisations_ = 0;
  certificate_ = kNoCertificate;
}

QpResult QpActiveSet::solve(const QpProblem& problem, const QpWarmStart* warm) {
  const bool finite = qp_.load(problem);
  if (warm && (warm->x.size() != qp_.n || warm->multipliers.size() != qp_.row_count()))
    throw Error(
        "quadratic program", "the warm start has other dimensions than the problem",
        "start cold when the rows or variables change, or carry the multipliers over by row");
  resize();
  x_.setZero();
  guess_.setZero();
  if (warm) read(*warm);
  farkas_.setZero();
  ray_.setZero();
  return report(finite ? run() : QpStatus::not_finite);
}

/// Rows with a multiplier, and bounds that x is exactly at. The views may be those of the last
/// result: they are read before anything is written there.
void QpActiveSet::read(const QpWarmStart& warm) {
  if (!warm.x.allFinite() || !warm.multipliers.allFinite()) return;
  x_ = warm.x.cwiseQuotient(qp_.D);
  for (Index row = 0; row < qp_.row_count(); ++row) {
    const double multiplier = warm.multipliers[row];
    guess_[row] = multiplier / qp_.multiplier_unit(static_cast<int>(row));
    guess_sign_[at(row)] = (multiplier > 0) - (multiplier < 0);
  }
  for (Index i = 0; i < qp_.n; ++i) {
    int& sign = guess_sign_[at(qp_.rows + i)];
    if (sign == 0) sign = (x_[i] == qp_.upper[i]) - (x_[i] == qp_.lower[i]);
  }
}

QpStatus QpActiveSet::run() {
  if (has_impossible_row()) return QpStatus::infeasible;
  if (!factor(kEpsilon)) {
    // The guess of curvatures may have been too small for the rounding in H.
    qp_.curvature.setOnes();
    if (!factor(kEpsilon)) return QpStatus::not_convex;
  }
  length_floor_ = 0;
  for (Index i = 0; i < qp_.n; ++i)
    length_floor_ = std::max(length_floor_, kLengthFloor * std::abs(qp_.c[i]) / qp_.curvature[i]);
  if (!hold_equalities()) return QpStatus::infeasible;
  add_guess();
  snap_to_bounds();
  update_residuals();
  return is_finite() && certificate_.worst() <= kTarget ? QpStatus::optimal : converge();
}

QpStatus QpActiveSet::converge() {
  double before = kInfinity;
  for (int stalls = 0; proximal_steps_ < kMaxProximalSteps;) {
    const Stage stage = proximal_run();
    update_residuals();
    if (stage == Stage::overflow || !is_finite()) return give_up();
    if (stage == Stage::infeasible) return QpStatus::infeasible;
    if (stage == Stage::iteration_limit) return QpStatus::iteration_limit;
    const double worst = certificate_.worst();
    const bool certified = worst <= QpSolver::kTolerance;
    if (worst <= kTarget) break;
    if (!certified && proximal_steps_ > 1 && is_ray()) return QpStatus::unbounded;
    // Each step gains many digits, unless H has eigenvalues below ε or rounding dominates.
    if (worst > 0.1 * before) {
      if (certified || ++stalls > kMaxStalls) break;
      const bool slow = certificate_.stationarity > 0.1 * worst;
      const double epsilon = slow ? kEpsilonFactor * W_.epsilon() : W_.epsilon();
      factor(std::max(epsilon, kSmallestEpsilon));
      update_residuals();
    }
    before = worst;
  }
  return certificate_.worst() <= QpSolver::kTolerance ? QpStatus::optimal : QpStatus::inaccurate;
}

bool QpActiveSet::is_finite() {
  return x_.allFinite() && W_.lambda().allFinite() && gradient_.allFinite();
}

/// The data exceed the range of numbers.
QpStatus QpActiveSet::give_up() {
  x_ = x_before_;
  W_.reset(qp_);
  certificate_ = kNoCertificate;
  return QpStatus::inaccurate;
}

/// Keeps ε if H is not definite enough for the new one.
bool QpActiveSet::factor(double epsilon) {
  ++factorisations_;
  const bool definite = W_.factor(epsilon);
  held_ = 0;
  while (held_ < W_.count() && qp_.is_equality(W_.side(held_))) ++held_;
  return definite;
}

/// Equalities and fixed variables enter W permanently if they are independent; false if they
/// conflict.
bool QpActiveSet::hold_equalities() {
  for (int row = 0; row < qp_.row_count(); ++row) {
    const QpSide side{row, 1};
    if (!qp_.is_equality(side)) continue;
    if (W_.resolve(side)) {
      W_.add(side, guess_[row]);
    } else if (contradicts(side, true)) {
      return false;
    }
  }
  held_ = W_.count();
  return true;
}

void QpActiveSet::add_guess() {
  for (Index row = qp_.equalities; row < qp_.row_count(); ++row) {
    const QpSide side{static_cast<int>(row), guess_sign_[at(row)]};
    const bool exists = side.sign > 0 || (side.sign < 0 && qp_.is_bound(side));
    if (exists && W_.sign(row) == 0 && std::isfinite(qp_.rhs(side)) && W_.resolve(side))
      W_.add(side, side.sign * guess_[row]);
  }
}

QpActiveSet::Stage QpActiveSet::proximal_run() {
  proximal_step();
  Stage stage = release_negative();
  clear_rounded_multipliers();
  if (stage == Stage::done) stage = enforce();
  snap_to_bounds();
  clear_rounded_multipliers();
  return stage;
}

/// x and λ_W of the problem with ½ε‖x − x_before‖² added and W held: Newton's step from the true
/// residuals, so that it also removes the rounding of the run before.
void QpActiveSet::proximal_step() {
  ++proximal_steps_;
  x_before_ = x_;
  W_.solve(gradient_, slack_, dx_);
  x_ += dx_;
  x_peak_ = 0;
  note_size_of_x();
  std::fill(ignored_.begin(), ignored_.end(), 0);
}

void QpActiveSet::clear_rounded_multipliers() {
  auto lambda = W_.lambda();
  for (Index k = held_; k < W_.count(); ++k)
    if (lambda[k] < 0 && lambda[k] >= -kDualRounding * lambda.cwiseAbs().maxCoeff()) lambda[k] = 0;
}

void QpActiveSet::snap_to_bounds() {
  x_ = x_.cwiseMax(qp_.lower).cwiseMin(qp_.upper);
  for (Index k = 0; k < W_.count(); ++k) {
    const QpSide side = W_.side(k);
    if (qp_.is_bound(side)) x_[side.row - qp_.rows] = side.sign * qp_.rhs(side);
  }
}

bool QpActiveSet::count_iteration() {
  if (iterations_ >= limit_) return false;
  ++iterations_;
  return true;
}

void QpActiveSet::note_size_of_x() {
  x_size_ = largest(x_);
  x_peak_ = std::max(x_peak_, x_size_);
}

}  // namespace sinew

#include "sinew/math/qp_working_set.hpp"

namespace sinew {
namespace {

/// Squared sine (in the metric of H_ε⁻¹) of the angle to the span of N below which rounding in J
/// could matter, so that a closer check follows.
constexpr double kCloseAngle2 = 1e-12;
/// A normal, of length one, is dependent if N leaves less than this of it; large weights r allow
/// more, by their rounding (the second constant).
constexpr double kDependence = 1e-11, kWeightRounding = 1e-14;

}  // namespace

void QpWorkingSet::reset(const QpScaled& qp) {
  qp_ = &qp;
  const Index n = qp.n;
  memory_.reset(6 * n);
  for (VecMap* v : {&lambda_, &dlambda_, &d_, &r_, &dr_, &rest_}) memory_.cut(*v, n);
  sides_.resize(static_cast<std::size_t>(n));
  signs_.assign(static_cast<std::size_t>(qp.row_count()), 0);
  factor_.resize(n);
  epsilon_ = 0;
}

bool QpWorkingSet::factor(double epsilon) {
  const Index before = count();
  bool definite = false;
  for (const double candidate : {epsilon, epsilon_}) {
    rest_ = candidate * qp_->curvature;
    definite = factor_.factor(qp_->H, rest_);
    if (!definite) continue;
    epsilon_ = candidate;
    break;
  }
  for (Index k = 0; k < before; ++k) {
    const QpSide again = side(k);
    signs_[static_cast<std::size_t>(again.row)] = 0;
    if (definite && resolve(again)) add(again, lambda_[k]);
  }
  return definite;
}

bool QpWorkingSet::resolve(QpSide side) {
  if (qp_->is_bound(side)) {
    factor_.transform_unit(side.row - qp_->rows, d_);
  } else {
    factor_.transform(qp_->normals.col(side.row), d_);
  }
  if (side.sign < 0) d_ = -d_;
  factor_.solve_r(d_, r_);
  close_ = !(curvature() > kCloseAngle2 * d_.squaredNorm());
  if (!close_) return true;

  // Nearly dependent, or only seemingly so because J is large along the null space of H: measure
  // a − N r itself, and orthogonalise a second time.
  const Index q = count();
  for (int pass = 0; pass < 2; ++pass) {
    rest_.setZero();
    qp_->add_normal(side, 1, rest_);
    for (Index k = 0; k < q; ++k) qp_->add_normal(this->side(k), -r_[k], rest_);
    if (pass == 1) break;
    factor_.transform(rest_, dr_);
    d_.tail(d_.size() - q) = dr_.tail(d_.size() - q);
    factor_.solve_r(dr_, dr_);
    r_.head(q) += dr_.head(q);
  }
  const double rounding = kDependence + kWeightRounding * r_.head(q).lpNorm<1>();
  return rest_.norm() > rounding && curvature() > 0;
}

void QpWorkingSet::move(double t, VecMap& x) {
  factor_.add_free_part(-t, d_, x);
  move_multipliers(t);
}

void QpWorkingSet::add(QpSide side, double multiplier) {
  const Index k = count();
  lambda_[k] = multiplier;
  sides_[static_cast<std::size_t>(k)] = side;
  signs_[static_cast<std::size_t>(side.row)] = side.sign;
  factor_.append(d_);
}

void QpWorkingSet::drop(Index k) {
  signs_[static_cast<std::size_t>(side(k).row)] = 0;
  factor_.drop(k);
  for (Index j = k; j < count(); ++j) {
    lambda_[j] = lambda_[j + 1];
    sides_[static_cast<std::size_t>(j)] = side(j + 1);
  }
}

void QpWorkingSet::solve(const VecMap& gradient, const VecMap& slack, VecMap& dx) {
  factor_.solve_kkt(gradient, slack, dx, dlambda_);
  lambda() += dlambda_.head(count());
}

}  // namespace sinew

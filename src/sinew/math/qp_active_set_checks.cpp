#include <algorithm>
#include <cmath>

#include "sinew/math/qp_active_set.hpp"

// Statements of the solver about a problem; qp_active_set.cpp has the solution itself.

namespace sinew {
namespace {

/// Inaccuracy of right sides in a sum with weights: that of the certificate, unless weights are so
/// large that only rounding proper is granted.
constexpr double kLargeWeight = 10, kSumRounding = 1e-14;
/// Right sides of rows without entries below this count as zero, relative to other right sides.
constexpr double kEmptyRow = 1e-14;
/// Limits of H d and A d of a ray, relative to d; the second applies when ε is at its smallest.
constexpr double kRayTolerance = 1e-11, kLastRayTolerance = 1e-9;
/// Where forces cancel, the gradient is compared to this fraction of the multipliers and of x.
constexpr double kForceFloor = 1e-4;

double ratio(double residual, double scale) { return residual > 0 ? residual / scale : 0; }

}  // namespace

/// Crossed bounds, or a row without entries that cannot hold; otherwise such rows are ignored. Rows
/// without entries have no length: their right sides are compared to the typical one as given.
bool QpActiveSet::has_impossible_row() {
  double zero = -1;  // not known yet: most problems have no such row
  for (Index row = 0; row < qp_.rows; ++row) {
    if (!qp_.is_empty(row)) continue;
    if (zero < 0) zero = kEmptyRow * qp_.typical_right_side();
    const bool equality = row < qp_.equalities;
    if (qp_.b[row] < -zero || (equality && qp_.b[row] > zero)) {
      conflicting_rows_.push_back(static_cast<int>(row));
      farkas_[row] = qp_.b[row] < 0 ? 1 : -1;
      return true;
    }
    qp_.b[row] = equality ? 0 : kInfinity;
  }
  for (Index i = 0; i < qp_.n; ++i) {
    if (qp_.lower[i] <= qp_.upper[i]) continue;
    conflicting_rows_.push_back(static_cast<int>(qp_.rows + i));
    return true;
  }
  return false;
}

/// For a side with a = N r, and r ≤ 0 except for equalities: y = (1, −r) is a Farkas certificate if
/// yᵀβ < 0, and the sides with weights are a minimal conflict, as those of W are independent. Tells
/// from the data alone, not from x, whether the conflict is more than the tolerance of the
/// certificate.
bool QpActiveSet::contradicts(QpSide side, bool equality) {
  const auto r = W_.r();
  double sum = qp_.rhs(side);
  double rounding = QpSolver::kTolerance * (std::abs(sum) + length_floor_);
  for (Index k = 0; k < W_.count(); ++k) {
    const double rhs = qp_.rhs(W_.side(k)), weight = std::abs(r[k]);
    sum -= r[k] * rhs;
    rounding += (QpSolver::kTolerance * std::min(weight, kLargeWeight) + kSumRounding * weight) *
                (std::abs(rhs) + length_floor_);
  }
  if ((equality ? std::abs(sum) : -sum) <= rounding) return false;

  const double orientation = sum < 0 ? 1 : -1;
  const auto include = [&](QpSide conflicting, double weight) {
    conflicting_rows_.push_back(conflicting.row);
    farkas_[conflicting.row] =
        orientation * conflicting.sign * weight * qp_.multiplier_unit(conflicting.row);
  };
  include(side, 1);
  const double zero = r.size() > 0 ? kWeightRounding * r.cwiseAbs().maxCoeff() : 0;
  for (Index k = 0; k < W_.count(); ++k)
    if (std::abs(r[k]) > zero) include(W_.side(k), -r[k]);
  std::sort(conflicting_rows_.begin(), conflicting_rows_.end());
  return true;
}

void QpActiveSet::update_residuals() {
  note_size_of_x();
  gradient_.noalias() = qp_.H * x_;
  work_.setZero();
  double multiplier = 0;
  for (Index k = 0; k < W_.count(); ++k) {
    const QpSide side = W_.side(k);
    slack_[k] = qp_.rhs(side) - qp_.value(side, x_);
    qp_.add_normal(side, W_.lambda()[k], work_);
    multiplier = std::max(multiplier, std::abs(W_.lambda()[k]));
  }
  const double force = std::max({largest(gradient_), largest(qp_.c), largest(work_)});
  gradient_ += qp_.c + work_;
  row_values_.noalias() = qp_.normals.transpose() * x_;
  double force_floor = multiplier;
  for (Index i = 0; i < qp_.n; ++i)
    force_floor = std::max(force_floor, qp_.curvature[i] * std::abs(x_[i]));
  certificate_ = certificate(x_size_ + length_floor_, std::max(force, kForceFloor * force_floor));
}

/// Residuals relative to a length, the right side of each row, and a force. Bounds hold after
/// snap_to_bounds().
QpCertificate QpActiveSet::certificate(double length, double force) {
  QpCertificate result;
  result.stationarity = ratio(largest(gradient_), force);
  for (Index row = 0; row < qp_.rows; ++row) {
    if (!std::isfinite(qp_.b[row])) continue;
    double excess = row_values_[row] - qp_.b[row];
    if (row < qp_.equalities) excess = std::abs(excess);
    result.primal = std::max(result.primal, ratio(excess, length + std::abs(qp_.b[row])));
  }
  for (Index k = held_; k < W_.count(); ++k) {
    const double multiplier = W_.lambda()[k];
    const double work = force * (length + std::abs(qp_.rhs(W_.side(k))));
    result.dual = std::max(result.dual, ratio(-multiplier, force));
    result.complementarity =
        std::max(result.complementarity, ratio(std::abs(multiplier * slack_[k]), work));
  }
  return result;
}

/// Proximal steps of an unbounded problem tend to a step d along which the objective falls forever.
/// True if the last one is such a d, which is then kept.
bool QpActiveSet::is_ray() {
  dx_ = x_ - x_before_;
  const double size = largest(dx_);
  const double zero = size * (W_.epsilon() > kSmallestEpsilon ? kRayTolerance : kLastRayTolerance);
  if (!(-qp_.c.dot(dx_) > QpSolver::kTolerance * qp_.c.norm() * dx_.norm())) return false;
  work_.noalias() = qp_.H * dx_;
  if (largest(work_) > zero) return false;
  row_values_.noalias() = qp_.normals.transpose() * dx_;
  for (Index row = 0; row < qp_.rows; ++row) {
    if (row < qp_.equalities && row_values_[row] < -zero) return false;
    if (std::isfinite(qp_.b[row]) && row_values_[row] > zero) return false;
  }
  for (Index i = 0; i < qp_.n; ++i) {
    if (std::isfinite(qp_.upper[i]) && dx_[i] > zero) return false;
    if (std::isfinite(qp_.lower[i]) && dx_[i] < -zero) return false;
  }
  ray_ = qp_.D.cwiseProduct(dx_) / size;
  return true;
}

QpResult QpActiveSet::report(QpStatus status) {
  x_out_ = x_.cwiseProduct(qp_.D);
  multipliers_.setZero();
  for (Index k = 0; k < W_.count(); ++k) {
    const QpSide side = W_.side(k);
    multipliers_[side.row] = side.sign * W_.lambda()[k] * qp_.multiplier_unit(side.row);
  }
  if (!x_out_.allFinite() || !multipliers_.allFinite()) {  // beyond the range of numbers
    status = QpStatus::inaccurate;
    certificate_ = kNoCertificate;
    x_out_.setZero();
    multipliers_.setZero();
  }
  const auto view = [](const VecMap& v) { return QpResult::Vector(v.data(), v.size()); };
  return {.status = status,
          .x = view(x_out_),
          .multipliers = view(multipliers_),
          .certificate = certificate_,
          .iterations = iterations_,
          .proximal_steps = proximal_steps_,
          .factorisations = factorisations_,
          .conflicting_rows = conflicting_rows_,
          .farkas = view(farkas_),
          .ray = view(ray_)};
}

}  // namespace sinew

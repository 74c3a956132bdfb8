#include "sinew/math/levenberg_marquardt.hpp"

#include <algorithm>
#include <cmath>

#include "sinew/core/error.hpp"
#include "sinew/math/qp.hpp"

namespace sinew {
namespace {

/// Of the gain that the model promises: taken above the first; the radius shrinks below the second
/// and grows above the third (Moré 1978).
constexpr double kTaken = 1e-4, kPoor = 0.25, kGood = 0.75;
/// A step fits the radius within this part of it.
constexpr double kFit = 0.1;
/// Gains below this part of the value are lost in its rounding.
constexpr double kRounding = 1e-14;
/// Where they are, the gradient must become this much smaller for a step to be taken.
constexpr double kContraction = 0.9;

/// The linear model ½|J p + r|² at an iterate, residuals weighted, in y = D p.
class ScaledModel {
 public:
  /// Scales grow with the columns and never shrink.
  void update(const MatX& J, const VecX& r, const VecX& root_weights, const VecX& x,
              const Bounds& bounds) {
    const Eigen::Index n = x.size();
    if (D_.size() == 0) D_.setZero(n);
    J_ = root_weights.asDiagonal() * J;
    for (Eigen::Index k = 0; k < n; ++k) D_[k] = std::max(D_[k], J_.col(k).norm());
    J_ = J_ * scales().cwiseInverse().asDiagonal();
    H_ = J_.transpose() * J_;
    g_ = J_.transpose() * root_weights.cwiseProduct(r);
    lower_.resize(n);
    upper_.resize(n);
    for (Eigen::Index k = 0; k < n; ++k) {
      lower_[k] = scales()[k] * (bounds.lower_of(k) - x[k]);
      upper_[k] = scales()[k] * (bounds.upper_of(k) - x[k]);
    }
  }
  VecX scales() const { return (D_.array() > 0).select(D_, 1); }
  const VecX& gradient() const { return g_; }

  /// Minimises the model and ½λ|y|² within the bounds, with λ = 0 or such that |y| is the radius;
  /// `lambda` is the guess and the outcome.
  void step(double radius, double& lambda, VecX& y) {
    double low = 0, high = g_.norm() / radius;  // |y| ≤ radius for any λ above
    double before = 0, inverse_before = 0;      // λ and 1/|y| of the trial before
    if (minimize_damped(0, y)) {
      if (y.norm() <= (1 + kFit) * radius) {
        lambda = 0;
        return;
      }
      inverse_before = 1 / y.norm();
    }
    if (!(lambda > 0 && lambda < high)) lambda = 1e-3 * high;
    constexpr int kProbes = 20;
    for (int trial = 0; trial < kProbes; ++trial) {
      minimize_damped(lambda, y);
      const double length = y.norm();
      if (std::abs(length - radius) <= kFit * radius) return;
      (length > radius ? low : high) = lambda;
      // 1/|y| is nearly linear in λ (Hebden 1973).
      const double inverse = 1 / length, slope = (inverse - inverse_before) / (lambda - before);
      before = lambda;
      inverse_before = inverse;
      lambda += (1 / radius - inverse) / slope;
      if (!(lambda > low && lambda < high)) lambda = std::max(std::sqrt(low * high), 1e-3 * high);
    }
  }

  /// What the model gains by y, and where y leads from x; bounds that y reaches are met exactly.
  double gain(const VecX& y) const { return -g_.dot(y) - 0.5 * (J_ * y).squaredNorm(); }
  void move(const VecX& y, const Bounds& bounds, VecX& x) const {
    const VecX D = scales();
    for (Eigen::Index k = 0; k < x.size(); ++k)
      x[k] = y[k] == lower_[k]   ? bounds.lower_of(k)
             : y[k] == upper_[k] ? bounds.upper_of(k)
                                 : x[k] + y[k] / D[k];
    bounds.clamp(x);
  }

 private:
  bool minimize_damped(double lambda, VecX& y) {
    damped_ = H_;
    damped_.diagonal().array() += lambda;
    const QpResult result =
        solver_.solve({.H = damped_, .c = g_, .lower = lower_, .upper = upper_});
    y = result.x;
    return result.status == QpStatus::optimal;
  }

  VecX D_, g_, lower_, upper_;
  MatX J_, H_, damped_;
  QpSolver solver_;
};

class LeastSquaresRun {
 public:
  LeastSquaresRun(const ResidualFunction& f, const Bounds& bounds,
                  const LeastSquaresOptions& options)
      : f_(f), bounds_(bounds), options_(options) {}

  LeastSquaresResult solve(const VecX& x0, const OnLeastSquares& on_iteration) {
    bounds_.check(x0.size());
    out_.x = x0;
    bounds_.clamp(out_.x);
    ++out_.evaluations;
    if (!evaluate(out_.x, out_.residuals, &out_.jacobian)) return out_;
    set_weights();
    update_model();
    small_ = options_.gradient_tolerance * out_.gradient_norm;
    const double distance = model_.scales().cwiseProduct(out_.x).norm();
    out_.radius = options_.first_step * (distance > 0 ? distance : 1);
    int idle = 0;  // iterations in a row without a gain
    for (;;) {
      out_.end = MinimizeEnd::converged;
      if (out_.gradient_norm <= small_) return out_;
      out_.end = MinimizeEnd::stopped;
      if (on_iteration && !on_iteration(out_)) return out_;
      const double before = out_.value;
      if (!advance()) return out_;
      ++out_.iterations;
      const bool gained = before - out_.value > options_.value_tolerance * before;
      idle = gained || by_gradient_ ? 0 : idle + 1;
      out_.end = MinimizeEnd::stalled;
      if (idle == 3 && out_.gradient_norm > small_) return out_;
    }
  }

 private:
  bool evaluate(const VecX& x, VecX& r, MatX* J) {
    out_.jacobians += J != nullptr;
    const bool valid = f_(x, r, J) && r.allFinite() && (!J || J->allFinite());
    if (!valid) ++out_.rejected;
    return valid;
  }

  void set_weights() {
    const VecX& w = options_.weights;
    if (w.size() > 0 && (w.size() != out_.residuals.size() || !(w.minCoeff() >= 0)))
      throw Error("weights of least squares", "they do not fit the residuals",
                  "give one number for each residual, positive or zero");
    root_weights_ = VecX::Ones(out_.residuals.size());
    if (w.size() > 0) root_weights_ = w.cwiseSqrt();
  }

  double value(const VecX& r) const { return 0.5 * root_weights_.cwiseProduct(r).squaredNorm(); }

  void update_model() {
    out_.value = value(out_.residuals);
    model_.update(out_.jacobian, out_.residuals, root_weights_, out_.x, bounds_);
    out_.gradient = model_.gradient().cwiseProduct(model_.scales());
    out_.gradient_norm = 0;
    for (Eigen::Index k = 0; k < out_.x.size(); ++k)
      if (!bounds_.hold(k, out_.x[k], out_.gradient[k]))
        out_.gradient_norm = std::max(out_.gradient_norm, std::abs(model_.gradient()[k]));
  }

  /// Tries steps until one is taken; otherwise `end` says why none was.
  bool advance() {
    for (;;) {
      out_.end = MinimizeEnd::evaluations;
      if (out_.evaluations >= options_.evaluations) return false;
      model_.step(out_.radius, out_.damping, y_);
      x_ = out_.x;
      model_.move(y_, bounds_, x_);
      out_.end = MinimizeEnd::stalled;
      if (x_ == out_.x) return false;
      const double promised = model_.gain(y_), slope = -model_.gradient().dot(y_);
      ++out_.evaluations;
      const bool valid = evaluate(x_, r_, nullptr);
      const double gain = valid ? out_.value - value(r_) : 0;
      by_gradient_ = valid && promised <= kRounding * out_.value;
      if (by_gradient_) return std::abs(gain) <= 10 * kRounding * out_.value && take_if_smaller();
      const bool taken = valid && gain > kTaken * promised && take();
      if (taken && (gain >= kGood * promised || out_.damping == 0)) {
        out_.radius = 2 * y_.norm();
      } else if (!taken || gain <= kPoor * promised) {
        // Where the parabola through value, slope and trial has its minimum. A trial without a
        // value says nothing but "nearer".
        const double shrink = valid ? 0.5 * slope / (slope - gain) : 0.25;
        shrink_radius(std::clamp(shrink, 0.1, 0.5));
      }
      if (taken) return true;
    }
  }

  void shrink_radius(double factor) {
    out_.radius = factor * std::min(out_.radius, 10 * y_.norm());
    out_.damping /= factor;
  }

  void exchange() {
    std::swap(out_.x, x_);
    std::swap(out_.residuals, r_);
    std::swap(out_.jacobian, J_);
    update_model();
  }
  bool take() {
    if (!evaluate(x_, r_, &J_)) return false;
    exchange();
    return true;
  }
  /// For steps whose gain is lost in rounding.
  bool take_if_smaller() {
    const double before = out_.gradient_norm;
    if (!take()) return false;
    const bool smaller = out_.gradient_norm < kContraction * before;
    if (!smaller) exchange();
    return smaller;
  }

  const ResidualFunction& f_;
  const Bounds& bounds_;
  const LeastSquaresOptions& options_;
  LeastSquaresResult out_;
  ScaledModel model_;
  VecX root_weights_, x_, r_, y_;  // x, residuals and scaled step of a trial
  MatX J_;
  double small_ = 0;
  bool by_gradient_ = false;  // the last step was judged by the gradient
};

}  // namespace

LeastSquaresResult levenberg_marquardt(const ResidualFunction& f, const VecX& x0,
                                       const Bounds& bounds, const LeastSquaresOptions& options,
                                       const OnLeastSquares& on_iteration) {
  return LeastSquaresRun(f, bounds, options).solve(x0, on_iteration);
}

}  // namespace sinew

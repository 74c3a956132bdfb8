#include "sinew/math/lq_side.hpp"

#include <algorithm>
#include <cmath>

namespace sinew {

LqSide::LqSide(double sign, VecX bound, std::vector<Kind> kinds, double price)
    : sign_(sign), bound_(std::move(bound)), kinds_(std::move(kinds)), price_(price) {
  for (VecX* x : {&a_, &z_, &t_, &y_, &da_, &dz_, &dt_, &a_second_, &t_second_, &a_start_,
                  &z_start_, &t_start_})
    x->setZero(bound_.size());
}

double LqSide::excess(const VecX& v) const {
  double sum = 0;
  for (Index j = 0; j < v.size(); ++j)
    if (kind(j) != Kind::none) sum += std::max(0.0, sign_ * (v[j] - bound_[j]));
  return sum;
}

void LqSide::start(double mu, const VecX& v) {
  for (Index j = 0; j < v.size(); ++j) {
    if (kind(j) == Kind::none) continue;
    // A slack of the size of what it is, or should be; unknowns are about one.
    const double slack = std::abs(bound_[j] - v[j]), size = slack + std::abs(v[j]);
    a_[j] = std::max({slack, 1e-2 * size, 1e-6});
    z_[j] = mu / a_[j];
    if (kind(j) != Kind::soft) continue;
    z_[j] = std::min(z_[j], price_ / 2);
    y_[j] = price_ - z_[j];
    t_[j] = mu / y_[j];
  }
  a_start_ = a_;
  z_start_ = z_;
  t_start_ = t_;
}

double LqSide::stiffness(Index j) const {
  return 1 / (a_[j] / z_[j] + (kind(j) == Kind::soft ? t_[j] / y_[j] : 0));
}

// dz = stiffness (sign dv + offset): from a dz + z da = μ − a z − (da dz)', t dy + y dt = μ − t y −
// (dt dy)', dy = −dz and da = dt − sign dv + t + sign (bound − v) − a. Primes: of the predictor.
double LqSide::offset(Index j, double mu, const VecX& v) const {
  const double soft = kind(j) == Kind::soft ? (mu - t_second_[j]) / y_[j] : 0;
  return (mu - a_second_[j]) / z_[j] - soft - sign_ * (bound_[j] - v[j]);
}

void LqSide::add_terms(double mu, const VecX& v, VecX& weights, VecX& gradient) const {
  for (Index j = 0; j < v.size(); ++j) {
    if (kind(j) == Kind::none) continue;
    const double k = stiffness(j);
    weights[j] += k;
    gradient[j] += sign_ * (z_[j] + k * offset(j, mu, v)) - k * v[j];
  }
}

void LqSide::update_steps(double mu, const VecX& v, const VecX& v_new) {
  for (Index j = 0; j < v.size(); ++j) {
    if (kind(j) == Kind::none) continue;
    dz_[j] = stiffness(j) * (sign_ * (v_new[j] - v[j]) + offset(j, mu, v));
    da_[j] = (mu - a_second_[j] - a_[j] * dz_[j]) / z_[j] - a_[j];
    if (kind(j) == Kind::soft) dt_[j] = (mu - t_second_[j] + t_[j] * dz_[j]) / y_[j] - t_[j];
  }
}

void LqSide::keep_second_order() {
  a_second_ = da_.cwiseProduct(dz_);
  t_second_ = -dt_.cwiseProduct(dz_);
}

void LqSide::forget_second_order() {
  a_second_.setZero();
  t_second_.setZero();
}

double LqSide::longest() const {
  double length = 1;
  const auto keep = [&](double x, double dx) {
    if (dx < 0) length = std::min(length, -x / dx);
  };
  for (Index j = 0; j < bound_.size(); ++j) {
    if (kind(j) == Kind::none) continue;
    keep(a_[j], da_[j]);
    keep(z_[j], dz_[j]);
    if (kind(j) != Kind::soft) continue;
    keep(t_[j], dt_[j]);
    keep(y_[j], -dz_[j]);
  }
  return length;
}

void LqSide::advance(double length) {
  a_ += length * da_;
  z_ += length * dz_;
  t_ += length * dt_;
  y_ -= length * dz_;
}

double LqSide::complementarity(double length) const {
  double sum = 0;
  for (Index j = 0; j < bound_.size(); ++j) {
    if (kind(j) == Kind::none) continue;
    sum += (a_[j] + length * da_[j]) * (z_[j] + length * dz_[j]);
    if (kind(j) == Kind::soft) sum += (t_[j] + length * dt_[j]) * (y_[j] - length * dz_[j]);
  }
  return sum;
}

int LqSide::count() const {
  int sum = 0;
  for (const Kind kind : kinds_) sum += kind == Kind::none ? 0 : kind == Kind::hard ? 1 : 2;
  return sum;
}

void LqSide::add_multipliers(VecX& out) const { out += sign_ * z_; }

// On the way to the solution one factor of a product grows at the expense of the other.
bool LqSide::tight(Index j) const {
  return kind(j) != Kind::none && z_[j] * a_start_[j] > z_start_[j] * a_[j];
}

bool LqSide::exceeded(Index j) const {
  return kind(j) == Kind::soft && t_[j] * (price_ - z_start_[j]) > t_start_[j] * y_[j];
}

void LqSide::add_active(Eigen::VectorXi& at, VecX& stiffness) const {
  for (Index j = 0; j < bound_.size(); ++j) {
    if (!tight(j)) continue;
    // Both sides are tight where they are one bound; what is beyond it tells which.
    const int side = (exceeded(j) ? 2 : 1) * (sign_ > 0 ? 1 : -1);
    if (std::abs(side) > std::abs(at[j])) at[j] = side;
    stiffness[j] += z_[j] / a_start_[j];
  }
}

}  // namespace sinew

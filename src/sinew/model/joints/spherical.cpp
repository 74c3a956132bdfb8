#include "sinew/model/joints/spherical.hpp"

#include <cmath>
#include <numbers>
#include <utility>

#include "sinew/math/so3.hpp"
#include "sinew/model/joints/elementary.hpp"
#include "sinew/model/joints/product_of_exponentials.hpp"
#include "sinew/model/joints/series.hpp"
#include "sinew/model/joints/validation.hpp"

namespace sinew {
namespace {

constexpr double kTwoPi = 2 * std::numbers::pi;

Vec3 vector3(Coordinates x) { return {x[0], x[1], x[2]}; }

std::array<ExponentialFactor, 3> euler_factors(const std::array<int, 3>& axes, Coordinates q) {
  const auto twist = [&](size_t k) { return rotation_twist(Vec3::Unit(axes[k])); };
  return {{{twist(0), JointFunctionValue::Coordinate(q, 0)},
           {twist(1), JointFunctionValue::Coordinate(q, 1)},
           {twist(2), JointFunctionValue::Coordinate(q, 2)}}};
}

}  // namespace

void SphericalExp::evaluate(Coordinates q, Coordinates qdot, JointMotion& out) const {
  const Vec3 r = vector3(q);
  const RightJacobian J = right_jacobian_and_rate(r, vector3(qdot));
  out.Q = Pose::Rotation(exp_so3(r));
  out.S.setZero(6, 3);
  out.S.topRows<3>() = J.value;
  out.Sdot.setZero(6, 3);
  out.Sdot.topRows<3>() = J.rate;
}

void SphericalExp::differentiate(Coordinates q, Coordinates qdot,
                                 JointMotionDerivatives& out) const {
  const Vec3 r = vector3(q);
  set_zero(3, out);
  for (int i = 0; i < 3; ++i) {
    const Mat3 derivative = right_jacobian_product_derivative(r, Vec3::Unit(i));
    for (int k = 0; k < 3; ++k) out.dS[k].col(i).head<3>() = derivative.col(k);
  }
  out.dSdot_qdot.topRows<3>() = right_jacobian_rate_product_derivative(r, vector3(qdot));
}

void SphericalExp::validate(const std::string&) const {}

bool SphericalExp::needs_rechart(Coordinates q) const { return vector3(q).norm() > 0.75 * kTwoPi; }

// Wang et al. 2019 section 4.7: the vector shortened by whole turns is the same rotation, and the
// same angular velocity ω = J_r q̇ gives the new rate. The turns are counted at the reference, so
// that states on both sides of a threshold move together.
void SphericalExp::rechart(Coordinates reference, std::span<double> q,
                           std::span<double> qdot) const {
  if (!needs_rechart(reference)) return;
  const double turns = std::round(vector3(reference).norm() / kTwoPi);
  const Vec3 r = vector3(q);
  const double angle = r.norm();
  if (angle == 0) return;  // no direction to shorten along; never near such a reference
  const Vec3 r_new = (1 - turns * kTwoPi / angle) * r;
  const Vec3 rate = right_jacobian_inverse(r_new) * (right_jacobian(r) * vector3(qdot));
  for (int i = 0; i < 3; ++i) {
    q[i] = r_new[i];
    qdot[i] = rate[i];
  }
}

// With s whole turns, ρ = |r| and n = r/ρ: r₁ = r − s n, so
//     ∂r₁/∂r = I − (s/ρ)(I − n nᵀ),   ∂(∂r₁/∂r ṙ)/∂r = (s/ρ²)(ṙ nᵀ + n ṙᵀ + (n·ṙ)(I − 3 n nᵀ)).
void SphericalExp::differentiate_rechart(Coordinates reference, Coordinates q, Coordinates qdot,
                                         MatRef dq, MatRef dqdot) const {
  const double rho = vector3(q).norm();
  if (!needs_rechart(reference) || rho == 0) return;
  const double s = kTwoPi * std::round(vector3(reference).norm() / kTwoPi);
  const Vec3 n = vector3(q) / rho, rate = vector3(qdot);
  const Mat3 nn = n * n.transpose(), one = Mat3::Identity();
  dq = one - s / rho * (one - nn);
  dqdot = s / (rho * rho) *
          (rate * n.transpose() + n * rate.transpose() + n.dot(rate) * (one - 3 * nn));
}

SphericalEuler::SphericalEuler(std::string order) : order_(std::move(order)) {
  for (size_t k = 0; k < 3; ++k) {
    const char letter = k < order_.size() ? order_[k] : '?';
    axes_[k] = letter >= 'x' && letter <= 'z' ? letter - 'x' : -1;
  }
}

void SphericalEuler::evaluate(Coordinates q, Coordinates qdot, JointMotion& out) const {
  evaluate_product(Pose(), euler_factors(axes_, q), qdot, out);
}

void SphericalEuler::differentiate(Coordinates q, Coordinates qdot,
                                   JointMotionDerivatives& out) const {
  differentiate_product(euler_factors(axes_, q), qdot, out);
}

void SphericalEuler::validate(const std::string& element) const {
  const bool letters = order_.size() == 3 && axes_[0] >= 0 && axes_[1] >= 0 && axes_[2] >= 0;
  require(letters && axes_[0] != axes_[1] && axes_[1] != axes_[2], element,
          "unknown Euler order '" + order_ + "'",
          "use three letters of x, y, z, neighbours different, such as xyz or zxz");
}

CoordinateKind Free3D::kind(int k) const {
  const bool rotation = order_ == Order::translation_first ? k >= 3 : k < 3;
  return rotation ? CoordinateKind::angle : CoordinateKind::length;
}

// The usual order in closed form: it is the root of every body that is free. S = [0 J; Rᵀ 0], and
// Rᵀ changes by −[ω] Rᵀ, ω = J ṙ.
void Free3D::evaluate(Coordinates q, Coordinates qdot, JointMotion& out) const {
  if (order_ == Order::rotation_first) {
    SeriesMotion series(q, qdot, out);
    series.append(SphericalExp());
    series.append(Translational());
    return;
  }
  const Vec3 r = vector3(q.subspan(3)), rdot = vector3(qdot.subspan(3));
  const RightJacobian J = right_jacobian_and_rate(r, rdot);
  out.Q = Pose{exp_so3(r), vector3(q)};
  const Mat3 R_t = out.Q.R.transpose();
  out.S.setZero(6, 6);
  out.S.bottomLeftCorner<3, 3>() = R_t;
  out.S.topRightCorner<3, 3>() = J.value;
  out.Sdot.setZero(6, 6);
  out.Sdot.bottomLeftCorner<3, 3>().noalias() = -skew(J.value * rdot) * R_t;
  out.Sdot.topRightCorner<3, 3>() = J.rate;
}

void Free3D::differentiate(Coordinates q, Coordinates qdot, JointMotionDerivatives& out) const {
  SeriesDerivatives series(q, qdot, out);
  if (order_ == Order::rotation_first) series.append(SphericalExp());
  series.append(Translational());
  if (order_ == Order::translation_first) series.append(SphericalExp());
}

void Free3D::validate(const std::string&) const {}

bool Free3D::needs_rechart(Coordinates q) const {
  return SphericalExp().needs_rechart(q.subspan(rotation_offset(), 3));
}

void Free3D::rechart(Coordinates reference, std::span<double> q, std::span<double> qdot) const {
  const size_t at = rotation_offset();
  SphericalExp().rechart(reference.subspan(at, 3), q.subspan(at, 3), qdot.subspan(at, 3));
}

void Free3D::differentiate_rechart(Coordinates reference, Coordinates q, Coordinates qdot,
                                   MatRef dq, MatRef dqdot) const {
  const size_t at = rotation_offset();
  const auto k = static_cast<Eigen::Index>(at);
  SphericalExp().differentiate_rechart(reference.subspan(at, 3), q.subspan(at, 3),
                                       qdot.subspan(at, 3), dq.block<3, 3>(k, k),
                                       dqdot.block<3, 3>(k, k));
}

}  // namespace sinew

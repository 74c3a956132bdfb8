#include "sinew/model/joints/elementary.hpp"

#include <cmath>

#include "sinew/math/so3.hpp"
#include "sinew/model/joints/product_of_exponentials.hpp"
#include "sinew/model/joints/validation.hpp"

namespace sinew {
namespace {

/// Q and a constant S.
template <int n>
void set_motion(const Pose& Q, const Eigen::Matrix<double, 6, n>& S, JointMotion& out) {
  out.Q = Q;
  out.S = S;
  out.Sdot.setZero(6, n);
}

std::array<ExponentialFactor, 2> universal_factors(Coordinates q) {
  return {{{rotation_twist(Vec3::UnitX()), JointFunctionValue::Coordinate(q, 0)},
           {rotation_twist(Vec3::UnitY()), JointFunctionValue::Coordinate(q, 1)}}};
}

/// Q = Trans(a sin q, −b cos q, 0) R_z(φ), φ = atan2(b sin q, a cos q) the angle of the tangent.
/// With d = a² cos² q + b² sin² q = |p'|²:
///     φ' = ab/d,   φ'' = −ab d'/d²,   φ''' = ab (2 d'² − d d'')/d³,
///     d' = (b² − a²) sin 2q,   d'' = 2 (b² − a²) cos 2q.
std::array<ExponentialFactor, 3> elliptic_factors(double a, double b, Coordinates q,
                                                  Coordinates qdot) {
  const double s = std::sin(q[0]), c = std::cos(q[0]);
  const double d = a * a * c * c + b * b * s * s;
  const double d1 = 2 * (b * b - a * a) * s * c, d2 = 2 * (b * b - a * a) * (c * c - s * s);
  const std::array<double, 4> x{a * s, a * c, -a * s, -a * c};
  const std::array<double, 4> y{-b * c, b * s, b * c, -b * s};
  const std::array<double, 4> phi{std::atan2(b * s, a * c), a * b / d, -a * b * d1 / (d * d),
                                  a * b * (2 * d1 * d1 - d * d2) / (d * d * d)};
  return {{{translation_twist(Vec3::UnitX()), JointFunctionValue::Univariate(0, x, qdot)},
           {translation_twist(Vec3::UnitY()), JointFunctionValue::Univariate(0, y, qdot)},
           {rotation_twist(Vec3::UnitZ()), JointFunctionValue::Univariate(0, phi, qdot)}}};
}

std::array<ExponentialFactor, 3> free2d_factors(Coordinates q) {
  return {{{translation_twist(Vec3::UnitX()), JointFunctionValue::Coordinate(q, 0)},
           {translation_twist(Vec3::UnitY()), JointFunctionValue::Coordinate(q, 1)},
           {rotation_twist(Vec3::UnitZ()), JointFunctionValue::Coordinate(q, 2)}}};
}

}  // namespace

void Fixed::evaluate(Coordinates, Coordinates, JointMotion& out) const {
  out.Q = Pose();
  out.S.setZero(6, 0);
  out.Sdot.setZero(6, 0);
}
void Fixed::differentiate(Coordinates, Coordinates, JointMotionDerivatives& out) const {
  set_zero(0, out);
}
void Fixed::validate(const std::string&) const {}

// Wang et al. 2019 Eq 29; Eq 30 reads (a; 0) ∈ ℝ^{6×1}.
Revolute::Revolute(const Vec3& direction) : axis(normalized_axis(direction)) {}
void Revolute::evaluate(Coordinates q, Coordinates, JointMotion& out) const {
  set_motion<1>(Pose::Rotation(rotation_about(axis, q[0])), rotation_twist(axis), out);
}
void Revolute::differentiate(Coordinates, Coordinates, JointMotionDerivatives& out) const {
  set_zero(1, out);
}
void Revolute::validate(const std::string& element) const { require_axis(axis, element, "axis"); }

// Wang et al. 2019 Eq 23–24.
Prismatic::Prismatic(const Vec3& direction) : axis(normalized_axis(direction)) {}
void Prismatic::evaluate(Coordinates q, Coordinates, JointMotion& out) const {
  set_motion<1>(Pose::Translation(axis * q[0]), translation_twist(axis), out);
}
void Prismatic::differentiate(Coordinates, Coordinates, JointMotionDerivatives& out) const {
  set_zero(1, out);
}
void Prismatic::validate(const std::string& element) const { require_axis(axis, element, "axis"); }

// Wang et al. 2019 Eq 25–26.
void Planar::evaluate(Coordinates q, Coordinates, JointMotion& out) const {
  const Eigen::Matrix<double, 6, 2> S = Mat6::Identity().middleCols<2>(3);
  set_motion<2>(Pose::Translation(Vec3(q[0], q[1], 0)), S, out);
}
void Planar::differentiate(Coordinates, Coordinates, JointMotionDerivatives& out) const {
  set_zero(2, out);
}
void Planar::validate(const std::string&) const {}

// Wang et al. 2019 Eq 27; Eq 28 reads (0; 1) ∈ ℝ^{6×3}.
void Translational::evaluate(Coordinates q, Coordinates, JointMotion& out) const {
  const Eigen::Matrix<double, 6, 3> S = Mat6::Identity().rightCols<3>();
  set_motion<3>(Pose::Translation(Vec3(q[0], q[1], q[2])), S, out);
}
void Translational::differentiate(Coordinates, Coordinates, JointMotionDerivatives& out) const {
  set_zero(3, out);
}
void Translational::validate(const std::string&) const {}

// Wang et al. 2019 Eq 32–35. Q = R_x(q₀) R_y(q₁); the first axis, seen from behind the second, is
// R_yᵀ x.
void Universal::evaluate(Coordinates q, Coordinates qdot, JointMotion& out) const {
  const double c_0 = std::cos(q[0]), s_0 = std::sin(q[0]);
  const double c_1 = std::cos(q[1]), s_1 = std::sin(q[1]);
  Mat3 R;
  R << c_1, 0, s_1,                //
      s_0 * s_1, c_0, -s_0 * c_1,  //
      -c_0 * s_1, s_0, c_0 * c_1;
  out.Q = Pose::Rotation(R);
  out.S.setZero(6, 2);
  out.S.col(0).head<3>() = Vec3(c_1, 0, s_1);
  out.S(1, 1) = 1;
  out.Sdot.setZero(6, 2);
  out.Sdot.col(0).head<3>() = qdot[1] * Vec3(-s_1, 0, c_1);
}
void Universal::differentiate(Coordinates q, Coordinates qdot, JointMotionDerivatives& out) const {
  differentiate_product(universal_factors(q), qdot, out);
}
void Universal::validate(const std::string&) const {}

// Lee and Terzopoulos 2008 section 4.1: Q = exp(s q) with s = (axis; pitch·axis), S = s.
Helical::Helical(const Vec3& direction, double metres_per_radian)
    : axis(normalized_axis(direction)), pitch(metres_per_radian) {}
void Helical::evaluate(Coordinates q, Coordinates, JointMotion& out) const {
  const Vec6 s = (Vec6() << axis, pitch * axis).finished();
  set_motion<1>({rotation_about(axis, q[0]), pitch * q[0] * axis}, s, out);
}
void Helical::differentiate(Coordinates, Coordinates, JointMotionDerivatives& out) const {
  set_zero(1, out);
}
void Helical::validate(const std::string& element) const {
  require_axis(axis, element, "axis");
  require(std::isfinite(pitch), element, "pitch is not finite", "give a number, in m per rad");
}

void Elliptic::evaluate(Coordinates q, Coordinates qdot, JointMotion& out) const {
  evaluate_product(Pose(), elliptic_factors(a, b, q, qdot), qdot, out);
}
void Elliptic::differentiate(Coordinates q, Coordinates qdot, JointMotionDerivatives& out) const {
  differentiate_product(elliptic_factors(a, b, q, qdot), qdot, out);
}
void Elliptic::validate(const std::string& element) const {
  require(std::isfinite(a) && std::isfinite(b) && a > 0 && b > 0, element,
          "semi-axes are not positive", "give two positive lengths");
}

void Free2D::evaluate(Coordinates q, Coordinates qdot, JointMotion& out) const {
  evaluate_product(Pose(), free2d_factors(q), qdot, out);
}
void Free2D::differentiate(Coordinates q, Coordinates qdot, JointMotionDerivatives& out) const {
  differentiate_product(free2d_factors(q), qdot, out);
}
void Free2D::validate(const std::string&) const {}

}  // namespace sinew

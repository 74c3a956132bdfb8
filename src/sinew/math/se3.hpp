#pragma once

#include "sinew/math/types.hpp"

/// Rigid motions. A twist is φ = (ω; v), angular part first, expressed in the moving frame; a
/// wrench is (moment; force). Notation and equations follow Wang 2022 chapter 3 and Wang et al.
/// 2019 section 2.

namespace sinew {

/// Pose E_AB of frame B seen from frame A: x_A = E_AB * x_B.
struct Pose {
  Mat3 R = Mat3::Identity();
  Vec3 p = Vec3::Zero();

  static Pose Translation(const Vec3& p) { return {Mat3::Identity(), p}; }
  static Pose Rotation(const Mat3& R) { return {R, Vec3::Zero()}; }

  Pose operator*(const Pose& o) const { return {R * o.R, R * o.p + p}; }
  Vec3 operator*(const Vec3& x) const { return R * x + p; }
  Pose inverse() const { return {R.transpose(), -(R.transpose() * p)}; }
  Mat4 matrix() const;
};

/// [a] with [a] b = a × b.
inline Mat3 skew(const Vec3& a) {
  Mat3 m;
  m << 0, -a.z(), a.y(), a.z(), 0, -a.x(), -a.y(), a.x(), 0;
  return m;
}

/// The vector of the skew-symmetric part of m.
inline Vec3 unskew(const Mat3& m) {
  return 0.5 * Vec3(m(2, 1) - m(1, 2), m(0, 2) - m(2, 0), m(1, 0) - m(0, 1));
}

/// Ad(E_AB) = [R 0; [p]R R]: φ_A = Ad(E_AB) φ_B.
Mat6 Ad(const Pose& E);
/// ad(φ) = [[ω] 0; [v] [ω]], the rate of Ad: d/dt Ad(E) = Ad(E) ad(φ).
Mat6 ad(const Vec6& phi);

/// Ad(E) φ, Ad(E)⁻¹ φ, Ad(E)ᵀ f and Ad(E)⁻ᵀ f without the 6×6 matrix.
Vec6 Ad_times(const Pose& E, const Vec6& phi);
Vec6 Ad_inverse_times(const Pose& E, const Vec6& phi);
Vec6 Ad_transpose_times(const Pose& E, const Vec6& f);
Vec6 Ad_inverse_transpose_times(const Pose& E, const Vec6& f);
/// ad(a) b and ad(a)ᵀ f.
Vec6 ad_times(const Vec6& a, const Vec6& b);
Vec6 ad_transpose_times(const Vec6& a, const Vec6& f);

/// exp: se(3) → SE(3), and its inverse with rotation angle in [0, π]; both accurate to rounding
/// near angle 0 and near π. At exactly π the axis sign is a choice; the result is still a
/// logarithm.
Pose exp(const Vec6& phi);
Vec6 log(const Pose& E);

}  // namespace sinew

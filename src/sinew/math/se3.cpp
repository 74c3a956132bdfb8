#include "sinew/math/se3.hpp"

#include "sinew/math/so3.hpp"

namespace sinew {
namespace {

Vec6 stacked(const Vec3& angular, const Vec3& linear) {
  Vec6 x;
  x << angular, linear;
  return x;
}

}  // namespace

Mat4 Pose::matrix() const {
  Mat4 m = Mat4::Identity();
  m.topLeftCorner<3, 3>() = R;
  m.topRightCorner<3, 1>() = p;
  return m;
}

// Wang 2022 Eq. 3.15; ad from the rate of Ad, Eq. 3.17 to 3.19 factored.
Mat6 Ad(const Pose& E) {
  Mat6 m;
  m << E.R, Mat3::Zero(), skew(E.p) * E.R, E.R;
  return m;
}

Mat6 ad(const Vec6& phi) {
  const Mat3 w = skew(phi.head<3>());
  Mat6 m;
  m << w, Mat3::Zero(), skew(phi.tail<3>()), w;
  return m;
}

Vec6 Ad_times(const Pose& E, const Vec6& phi) {
  const Vec3 w = E.R * phi.head<3>();
  return stacked(w, E.R * phi.tail<3>() + E.p.cross(w));
}

Vec6 Ad_inverse_times(const Pose& E, const Vec6& phi) {
  const Vec3 w = phi.head<3>();
  return stacked(E.R.transpose() * w, E.R.transpose() * (phi.tail<3>() - E.p.cross(w)));
}

Vec6 Ad_transpose_times(const Pose& E, const Vec6& f) {
  const Vec3 force = f.tail<3>();
  return stacked(E.R.transpose() * (f.head<3>() - E.p.cross(force)), E.R.transpose() * force);
}

Vec6 Ad_inverse_transpose_times(const Pose& E, const Vec6& f) {
  const Vec3 force = E.R * f.tail<3>();
  return stacked(E.R * f.head<3>() + E.p.cross(force), force);
}

Vec6 ad_times(const Vec6& a, const Vec6& b) {
  const Vec3 wa = a.head<3>(), wb = b.head<3>(), va = a.tail<3>(), vb = b.tail<3>();
  return stacked(wa.cross(wb), va.cross(wb) + wa.cross(vb));
}

Vec6 ad_transpose_times(const Vec6& a, const Vec6& f) {
  const Vec3 w = a.head<3>(), v = a.tail<3>(), moment = f.head<3>(), force = f.tail<3>();
  return stacked(moment.cross(w) + force.cross(v), force.cross(w));
}

// The translation of exp(ω; v) is the left Jacobian of SO(3) times v, J_l(ω) = J_r(−ω).
Pose exp(const Vec6& phi) {
  const Vec3 w = phi.head<3>();
  return {exp_so3(w), right_jacobian(-w) * phi.tail<3>()};
}

Vec6 log(const Pose& E) {
  const Vec3 w = log_so3(E.R);
  return stacked(w, right_jacobian_inverse(-w) * E.p);
}

}  // namespace sinew

#include "sinew/dynamics/jacobian.hpp"

#include "sinew/dynamics/kinematics.hpp"

// Body i hangs on body p through joint j. With A = Ad(E_ip) and φ the body twists,
//     φ_i = A φ_p + Ad(E_ij) S_j q̇_j,     Ȧ = A ad(φ_p) − ad(φ_i) A
// (Wang et al. 2019 Eq. 17 and 21, the latter corrected).

namespace sinew {
namespace {

/// S and Ṡ of a body's joint moved to the body frame, Ad(E_ij) S, for any joint.
struct JointColumns {
  Mat6Xb S, Sdot;
};

JointColumns columns_in_body(const Skeleton& skeleton, const SkeletonWorkspace& ws,
                             const Body& body) {
  JointColumns out;
  const int n = body.joint.dof();
  out.S.resize(6, n);
  out.Sdot.setZero(6, n);
  if (n == 0) return out;
  const auto l = static_cast<size_t>(body.link.value);
  const Pose E_BL = body.E_LB.inverse();
  const Mat3& R = ws.link[l].R;
  for (int k = 0; k < n; ++k) {
    const Vec6& s = ws.s[static_cast<size_t>(body.first_dof + k)];
    Vec6 s_L;
    s_L << R.transpose() * s.head<3>(), R.transpose() * s.tail<3>();
    out.S.col(k) = Ad_times(E_BL, s_L);
    if (skeleton.link(body.link).kind == LinkKind::generic)
      out.Sdot.col(k) = Ad_times(E_BL, ws.joint[l].Sdot.col(k));
  }
  return out;
}

}  // namespace

void update_jacobian(const Skeleton& skeleton, const SkeletonWorkspace& ws, MatRef J, MatRef Jdot) {
  J.setZero();
  Jdot.setZero();
  const auto fill = [&](int i) {
    const Body& body = skeleton.body(BodyIndex(i));
    const JointColumns own = columns_in_body(skeleton, ws, body);
    J.block(6 * i, body.first_dof, 6, own.S.cols()) = own.S;
    Jdot.block(6 * i, body.first_dof, 6, own.S.cols()) = own.Sdot;
    if (body.parent == kWorld) return;
    const Pose E_ip =
        body_pose(skeleton, ws, BodyIndex(i)).inverse() * body_pose(skeleton, ws, body.parent);
    const Mat6 A = Ad(E_ip);
    const Mat6 Adot = A * ad(body_twist(skeleton, ws, body.parent)) -
                      ad(body_twist(skeleton, ws, BodyIndex(i))) * A;
    for (BodyIndex a = body.parent; a != kWorld; a = skeleton.body(a).parent) {
      const Body& above = skeleton.body(a);
      const int k = above.first_dof, n = above.joint.dof();
      J.block(6 * i, k, 6, n) = A * J.block(6 * body.parent, k, 6, n);
      Jdot.block(6 * i, k, 6, n) =
          Adot * J.block(6 * body.parent, k, 6, n) + A * Jdot.block(6 * body.parent, k, 6, n);
    }
  };
  for (const int i : skeleton.root_to_tip()) fill(i);
}

void jacobian_times(const Skeleton& skeleton, const SkeletonWorkspace& ws, const ConstVecRef& x,
                    VecRef y, VecRef z) {
  for (const int i : skeleton.root_to_tip()) {
    const Body& body = skeleton.body(BodyIndex(i));
    const JointColumns own = columns_in_body(skeleton, ws, body);
    const auto x_j = x.segment(body.first_dof, own.S.cols());
    Vec6 y_i = own.S * x_j, z_i = own.Sdot * x_j;
    if (body.parent != kWorld) {
      const Pose E_ip =
          body_pose(skeleton, ws, BodyIndex(i)).inverse() * body_pose(skeleton, ws, body.parent);
      const Vec6 y_p = y.segment<6>(6 * body.parent), z_p = z.segment<6>(6 * body.parent);
      const Vec6 A_y = Ad_times(E_ip, y_p);
      y_i += A_y;
      z_i += Ad_times(E_ip, z_p + ad_times(body_twist(skeleton, ws, body.parent), y_p)) -
             ad_times(body_twist(skeleton, ws, BodyIndex(i)), A_y);
    }
    y.segment<6>(6 * i) = y_i;
    z.segment<6>(6 * i) = z_i;
  }
}

void jacobian_transpose_times(const Skeleton& skeleton, const SkeletonWorkspace& ws,
                              const ConstVecRef& y, VecRef x) {
  VecX carried = y;
  const std::vector<int>& order = skeleton.root_to_tip();
  for (auto it = order.rbegin(); it != order.rend(); ++it) {
    const Body& body = skeleton.body(BodyIndex(*it));
    const JointColumns own = columns_in_body(skeleton, ws, body);
    const Vec6 y_i = carried.segment<6>(6 * *it);
    x.segment(body.first_dof, own.S.cols()) = own.S.transpose() * y_i;
    if (body.parent == kWorld) continue;
    const Pose E_ip =
        body_pose(skeleton, ws, BodyIndex(*it)).inverse() * body_pose(skeleton, ws, body.parent);
    carried.segment<6>(6 * body.parent) += Ad_transpose_times(E_ip, y_i);
  }
}

}  // namespace sinew

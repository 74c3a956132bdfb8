#include "support/hybrid.hpp"

#include "sinew/core/error.hpp"

namespace sinew {
namespace {

/// Per joint, named as in Algorithm 6; everything expressed in the link frame.
struct HybridLink {
  Pose E_PL;  ///< link frame in the parent link
  Mat6Xb S;
  Vec6 V, eta;     ///< twist; acceleration from velocities
  Mat6 M_hat, Pi;  ///< articulated inertia before and after the joint yields
  Vec6 B_hat, beta;
  Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::ColMajor, 6, 6> Psi;
  Vec6 Vdot;
};

Vec6 in_link_axes(const Mat3& R, const Vec6& x_W) {
  Vec6 x;
  x << R.transpose() * x_W.head<3>(), R.transpose() * x_W.tail<3>();
  return x;
}

void start_link(const Skeleton& skeleton, const AppliedForces& forces, const SkeletonWorkspace& ws,
                int i, HybridLink& out) {
  const auto ii = static_cast<size_t>(i);
  const Link& link = skeleton.link(i);
  const LinkMotion& m = ws.link[ii];
  const LinkMotion& parent = ws.link[static_cast<size_t>(link.parent.value)];
  out.E_PL = Pose{parent.R, parent.p}.inverse() * Pose{m.R, m.p};
  out.S.resize(6, link.dof_count);
  for (int k = 0; k < link.dof_count; ++k)
    out.S.col(k) = in_link_axes(m.R, ws.s[static_cast<size_t>(link.dof + k)]);
  Vec6 V;
  V << m.w, m.v;
  out.V = in_link_axes(m.R, V);
  const SpatialInertia M{link.mass, link.h, link.I};
  out.M_hat = M.matrix();
  out.B_hat = -ad_transpose_times(out.V, M * out.V) - in_link_axes(m.R, forces.wrench[ii]);
}

}  // namespace

void hybrid_dynamics(const Skeleton& skeleton, const Vec3& gravity, const AppliedForces& forces,
                     const std::vector<bool>& prescribed, const ConstVecRef& qdot,
                     const SkeletonWorkspace& ws, VecRef qddot, VecRef tau) {
  const int count = skeleton.link_count();
  const auto is_prescribed = [&](const Link& link) {
    const bool first = prescribed[static_cast<size_t>(link.dof)];
    for (int k = 1; k < link.dof_count; ++k)
      if (prescribed[static_cast<size_t>(link.dof + k)] != first)
        throw Error("joint '" + skeleton.body(link.body).joint_name + "'",
                    "has some coordinates prescribed and some free",
                    "prescribe all of a joint's coordinates or none");
    return first;
  };

  std::vector<HybridLink> data(static_cast<size_t>(count));
  for (int i = 1; i < count; ++i) {
    const auto ii = static_cast<size_t>(i);
    const Link& link = skeleton.link(i);
    start_link(skeleton, forces, ws, i, data[ii]);
    HybridLink& x = data[ii];
    const auto qdot_j = qdot.segment(link.dof, link.dof_count);
    Vec6 Sdot_qdot = Vec6::Zero();
    if (link.kind == LinkKind::generic) Sdot_qdot = ws.joint[ii].Sdot * qdot_j;
    const Vec6 S_qdot = x.S * qdot_j;
    x.eta = ad_times(x.V, S_qdot) + Sdot_qdot;
  }

  for (int i = count - 1; i > 0; --i) {
    const Link& link = skeleton.link(i);
    HybridLink& x = data[static_cast<size_t>(i)];
    const int n = link.dof_count;
    if (is_prescribed(link)) {
      x.Pi = x.M_hat;
      x.beta = x.B_hat + x.M_hat * (x.eta + x.S * qddot.segment(link.dof, n));
    } else {
      x.Psi = (x.S.transpose() * x.M_hat * x.S).inverse();
      x.Pi = x.M_hat - x.M_hat * x.S * x.Psi * x.S.transpose() * x.M_hat;
      const VecXb force = tau.segment(link.dof, n) + forces.tau.segment(link.dof, n) -
                          x.S.transpose() * (x.M_hat * x.eta + x.B_hat);
      x.beta = x.B_hat + x.M_hat * (x.eta + x.S * (x.Psi * force));
    }
    if (link.parent > 0) {
      HybridLink& parent = data[static_cast<size_t>(link.parent.value)];
      const Mat6 A = Ad(x.E_PL.inverse());
      parent.M_hat += A.transpose() * x.Pi * A;
      parent.B_hat += A.transpose() * x.beta;
    }
  }

  data[0].Vdot << Vec3::Zero(), -gravity;
  for (int i = 1; i < count; ++i) {
    const Link& link = skeleton.link(i);
    HybridLink& x = data[static_cast<size_t>(i)];
    const int n = link.dof_count;
    const Vec6 carried =
        Ad_inverse_times(x.E_PL, data[static_cast<size_t>(link.parent.value)].Vdot) + x.eta;
    if (is_prescribed(link)) {
      x.Vdot = carried + x.S * qddot.segment(link.dof, n);
      tau.segment(link.dof, n) =
          x.S.transpose() * (x.M_hat * x.Vdot + x.B_hat) - forces.tau.segment(link.dof, n);
    } else {
      qddot.segment(link.dof, n) =
          x.Psi * (tau.segment(link.dof, n) + forces.tau.segment(link.dof, n) -
                   x.S.transpose() * (x.M_hat * carried + x.B_hat));
      x.Vdot = carried + x.S * qddot.segment(link.dof, n);
    }
  }
}

}  // namespace sinew

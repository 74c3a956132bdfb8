#include "sinew/dynamics/rnea.hpp"

namespace sinew {
namespace {

/// y = I x for a symmetric I stored as xx xy xz yy yz zz.
inline Vec3 times(const double* I, const Vec3& x) {
  return {I[0] * x.x() + I[1] * x.y() + I[2] * x.z(), I[1] * x.x() + I[3] * x.y() + I[4] * x.z(),
          I[2] * x.x() + I[4] * x.y() + I[5] * x.z()};
}

}  // namespace

void update_inertias(const Skeleton& skeleton, SkeletonWorkspace& ws) {
  const int count = skeleton.link_count();
  for (int i = 1; i < count; ++i) {
    const Link& link = skeleton.link(i);
    const Mat3& R = ws.link[static_cast<size_t>(i)].R;
    LinkInertia& out = ws.inertia[static_cast<size_t>(i)];
    const Mat3 RI = R * link.I;
    out.I[0] = RI.row(0).dot(R.row(0));
    out.I[1] = RI.row(0).dot(R.row(1));
    out.I[2] = RI.row(0).dot(R.row(2));
    out.I[3] = RI.row(1).dot(R.row(1));
    out.I[4] = RI.row(1).dot(R.row(2));
    out.I[5] = RI.row(2).dot(R.row(2));
    out.h = R * link.h;
  }
}

void update_link_forces(const Skeleton& skeleton, const Vec3& gravity, const AppliedForces& forces,
                        const double* qddot, SkeletonWorkspace& ws) {
  const int count = skeleton.link_count();
  ws.a[0] << Vec3::Zero(), -gravity;
  for (int i = 1; i < count; ++i) {
    const auto ii = static_cast<size_t>(i);
    const Link& link = skeleton.link(i);
    const LinkMotion& m = ws.link[ii];
    const LinkInertia& inertia = ws.inertia[ii];
    const Vec6& a_p = ws.a[static_cast<size_t>(link.parent.value)];
    Vec3 alpha = a_p.head<3>() + m.c_w;
    Vec3 acc = a_p.tail<3>() + a_p.head<3>().cross(m.r) + m.c_v;
    for (int k = link.dof; qddot && k < link.dof + link.dof_count; ++k) {
      alpha += ws.s[static_cast<size_t>(k)].head<3>() * qddot[k];
      acc += ws.s[static_cast<size_t>(k)].tail<3>() * qddot[k];
    }
    ws.a[ii] << alpha, acc;

    // Newton and Euler about the link's origin, with first moment h:
    //   f = m a + ω̇ × h + ω × (ω × h),   n = I ω̇ + ω × I ω + h × a.
    const Vec6& applied = forces.wrench[ii];
    ws.F[ii].head<3>() = times(inertia.I, alpha) + m.w.cross(times(inertia.I, m.w)) +
                         inertia.h.cross(acc) - applied.head<3>();
    ws.F[ii].tail<3>() = link.mass * acc + alpha.cross(inertia.h) +
                         m.w.cross(m.w.cross(inertia.h)) - applied.tail<3>();
  }
}

void collect_link_forces(const Skeleton& skeleton, const AppliedForces& forces,
                         SkeletonWorkspace& ws, double* tau) {
  const int count = skeleton.link_count();
  for (int i = count - 1; i > 0; --i) {
    const auto ii = static_cast<size_t>(i);
    const Link& link = skeleton.link(i);
    const Vec6& F = ws.F[ii];
    for (int k = link.dof; k < link.dof + link.dof_count; ++k)
      tau[k] = ws.s[static_cast<size_t>(k)].dot(F) - forces.tau[k];
    if (link.parent > 0) {
      Vec6& F_p = ws.F[static_cast<size_t>(link.parent.value)];
      F_p.head<3>() += F.head<3>() + ws.link[ii].r.cross(F.tail<3>());
      F_p.tail<3>() += F.tail<3>();
    }
  }
}

void inverse_dynamics(const Skeleton& skeleton, const Vec3& gravity, const AppliedForces& forces,
                      const ConstVecRef& qddot, SkeletonWorkspace& ws, VecRef tau) {
  update_link_forces(skeleton, gravity, forces, qddot.data(), ws);
  collect_link_forces(skeleton, forces, ws, tau.data());
}

}  // namespace sinew

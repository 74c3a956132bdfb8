#pragma once

#include "sinew/dynamics/applied_forces.hpp"

/// The pieces that momentum.cpp, aba.cpp and implicit_inertia.cpp share, per link. See momentum.hpp
/// for the formulas.

namespace sinew {

/// Inertia of a link times a twist (w; v), world axes about its origin: (I w + h × v; m v + w × h).
inline Vec6 inertia_times(const Link& link, const LinkInertia& inertia, const Vec3& w,
                          const Vec3& v) {
  const double* I = inertia.I;
  const Vec3 Iw(I[0] * w.x() + I[1] * w.y() + I[2] * w.z(),
                I[1] * w.x() + I[3] * w.y() + I[4] * w.z(),
                I[2] * w.x() + I[4] * w.y() + I[5] * w.z());
  Vec6 out;
  out.head<3>() = Iw + inertia.h.cross(v);
  out.tail<3>() = link.mass * v + w.cross(inertia.h);
  return out;
}

/// Momentum of a link about its origin, world axes.
inline Vec6 link_momentum(const Link& link, const LinkMotion& m, const LinkInertia& inertia) {
  return inertia_times(link, inertia, m.w, m.v);
}

/// Wrench of gravity and applied forces on a link about its origin.
inline Vec6 link_force(const Link& link, const LinkInertia& inertia, const Vec3& gravity,
                       const Vec6& applied) {
  Vec6 F;
  F.head<3>() = applied.head<3>() + inertia.h.cross(gravity);
  F.tail<3>() = applied.tail<3>() + link.mass * gravity;
  return F;
}

/// x at its origin, added to a wrench about the parent's origin, a step r back.
inline void shift_add(const Vec6& x, const Vec3& r, Vec6& parent) {
  parent.head<3>() += x.head<3>() + r.cross(x.tail<3>());
  parent.tail<3>() += x.tail<3>();
}

/// p = s·h and ∂T/∂q + Q = ṡ·h + s·F + τ of the coordinates of link i, with h and F the momentum of
/// and the force on everything that its joint carries.
inline void joint_momentum_and_force(const Link& link, size_t i, const SkeletonWorkspace& ws,
                                     const Vec6& h, const Vec6& F, const VecX& tau, double* p,
                                     double* force) {
  const LinkMotion& m = ws.link[i];
  // One constant axis z: ṡ = φ × s, and (ω × z)·h = z·(h × ω).
  if (link.kind == LinkKind::revolute_z) {
    const Vec3 z = m.R.col(2);
    p[link.dof] = z.dot(h.head<3>());
    force[link.dof] =
        z.dot(h.head<3>().cross(m.w) + h.tail<3>().cross(m.v) + F.head<3>()) + tau[link.dof];
    return;
  }
  if (link.kind == LinkKind::prismatic_z) {
    const Vec3 z = m.R.col(2);
    p[link.dof] = z.dot(h.tail<3>());
    force[link.dof] = z.dot(h.tail<3>().cross(m.w) + F.tail<3>()) + tau[link.dof];
    return;
  }
  for (int k = 0; k < link.dof_count; ++k) {
    const Vec6& s = ws.s[static_cast<size_t>(link.dof + k)];
    // ṡ = ad(φ) s + Ṡ, all at the link's origin.
    const Vec3 sdot_w = m.w.cross(s.head<3>()) + m.R * ws.joint[i].Sdot.col(k).head<3>();
    const Vec3 sdot_v =
        m.v.cross(s.head<3>()) + m.w.cross(s.tail<3>()) + m.R * ws.joint[i].Sdot.col(k).tail<3>();
    p[link.dof + k] = s.dot(h);
    force[link.dof + k] =
        sdot_w.dot(h.head<3>()) + sdot_v.dot(h.tail<3>()) + s.dot(F) + tau[link.dof + k];
  }
}

}  // namespace sinew

#include "sinew/dynamics/momentum.hpp"

namespace sinew {
namespace {

/// Momentum of a link about its origin, world axes: (I ω + h × v; m v + ω × h).
inline Vec6 link_momentum(const Link& link, const LinkMotion& m, const LinkInertia& inertia) {
  const double* I = inertia.I;
  const Vec3 Iw(I[0] * m.w.x() + I[1] * m.w.y() + I[2] * m.w.z(),
                I[1] * m.w.x() + I[3] * m.w.y() + I[4] * m.w.z(),
                I[2] * m.w.x() + I[4] * m.w.y() + I[5] * m.w.z());
  Vec6 h;
  h.head<3>() = Iw + inertia.h.cross(m.v);
  h.tail<3>() = link.mass * m.v + m.w.cross(inertia.h);
  return h;
}

inline void shift_add(const Vec6& x, const Vec3& r, Vec6& parent) {
  parent.head<3>() += x.head<3>() + r.cross(x.tail<3>());
  parent.tail<3>() += x.tail<3>();
}

}  // namespace

void momentum_and_force(const Skeleton& skeleton, const Vec3& gravity, const AppliedForces& forces,
                        SkeletonWorkspace& ws, VecRef p, VecRef force) {
  const int count = skeleton.link_count();
  for (int i = 1; i < count; ++i) {
    const auto ii = static_cast<size_t>(i);
    ws.a[ii] = link_momentum(skeleton.link(i), ws.link[ii], ws.inertia[ii]);
    ws.F[ii].head<3>() = forces.wrench[ii].head<3>() + ws.inertia[ii].h.cross(gravity);
    ws.F[ii].tail<3>() = forces.wrench[ii].tail<3>() + skeleton.link(i).mass * gravity;
  }
  for (int i = count - 1; i > 0; --i) {
    const auto ii = static_cast<size_t>(i);
    const Link& link = skeleton.link(i);
    const LinkMotion& m = ws.link[ii];
    const Vec6 &h = ws.a[ii], &F = ws.F[ii];
    for (int k = 0; k < link.dof_count; ++k) {
      const Vec6& s = ws.s[static_cast<size_t>(link.dof + k)];
      // ṡ = ad(φ) s + Ṡ, all at the link's origin.
      Vec3 sdot_w = m.w.cross(s.head<3>());
      Vec3 sdot_v = m.v.cross(s.head<3>()) + m.w.cross(s.tail<3>());
      if (link.kind == LinkKind::generic) {
        sdot_w += m.R * ws.joint[ii].Sdot.col(k).head<3>();
        sdot_v += m.R * ws.joint[ii].Sdot.col(k).tail<3>();
      }
      p[link.dof + k] = s.dot(h);
      force[link.dof + k] =
          sdot_w.dot(h.head<3>()) + sdot_v.dot(h.tail<3>()) + s.dot(F) + forces.tau[link.dof + k];
    }
    if (link.parent > 0) {
      const auto pp = static_cast<size_t>(link.parent.value);
      shift_add(h, m.r, ws.a[pp]);
      shift_add(F, m.r, ws.F[pp]);
    }
  }
}

double kinetic_energy(const Skeleton& skeleton, const SkeletonWorkspace& ws) {
  double twice = 0;
  for (int i = 1; i < skeleton.link_count(); ++i) {
    const auto ii = static_cast<size_t>(i);
    const Vec6 h = link_momentum(skeleton.link(i), ws.link[ii], ws.inertia[ii]);
    twice += ws.link[ii].w.dot(h.head<3>()) + ws.link[ii].v.dot(h.tail<3>());
  }
  return 0.5 * twice;
}

double gravity_energy(const Skeleton& skeleton, const Vec3& gravity, const SkeletonWorkspace& ws) {
  double energy = 0;
  for (int i = 1; i < skeleton.link_count(); ++i) {
    const auto ii = static_cast<size_t>(i);
    energy -= gravity.dot(skeleton.link(i).mass * ws.link[ii].p + ws.inertia[ii].h);
  }
  return energy;
}

Vec6 total_momentum(const Skeleton& skeleton, const SkeletonWorkspace& ws) {
  Vec6 total = Vec6::Zero();
  for (int i = 1; i < skeleton.link_count(); ++i) {
    const auto ii = static_cast<size_t>(i);
    shift_add(link_momentum(skeleton.link(i), ws.link[ii], ws.inertia[ii]), ws.link[ii].p, total);
  }
  return total;
}

MassCenter mass_center(const Skeleton& skeleton, const SkeletonWorkspace& ws) {
  MassCenter out;
  for (int i = 1; i < skeleton.link_count(); ++i) {
    const auto ii = static_cast<size_t>(i);
    out.mass += skeleton.link(i).mass;
    out.position += skeleton.link(i).mass * ws.link[ii].p + ws.inertia[ii].h;
  }
  if (out.mass > 0) out.position /= out.mass;
  return out;
}

}  // namespace sinew

#include "sinew/dynamics/momentum.hpp"

#include "sinew/dynamics/momentum_kernels.hpp"

namespace sinew {
void momentum_and_force(const Skeleton& skeleton, const Vec3& gravity, const AppliedForces& forces,
                        SkeletonWorkspace& ws, VecX& p, VecX& force) {
  const int count = skeleton.link_count();
  for (int i = 1; i < count; ++i) {
    const auto ii = static_cast<size_t>(i);
    const Link& link = skeleton.link(i);
    ws.a[ii] = link_momentum(link, ws.link[ii], ws.inertia[ii]);
    ws.F[ii] = link_force(link, ws.inertia[ii], gravity, forces.wrench[ii]);
  }
  for (int i = count - 1; i > 0; --i) {
    const auto ii = static_cast<size_t>(i);
    const Link& link = skeleton.link(i);
    joint_momentum_and_force(link, ii, ws, ws.a[ii], ws.F[ii], forces.tau, p.data(), force.data());
    if (link.parent > 0) {
      const auto pp = static_cast<size_t>(link.parent.value);
      shift_add(ws.a[ii], ws.link[ii].r, ws.a[pp]);
      shift_add(ws.F[ii], ws.link[ii].r, ws.F[pp]);
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

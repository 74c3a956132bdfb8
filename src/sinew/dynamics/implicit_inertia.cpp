#include "sinew/dynamics/implicit_inertia.hpp"

#include "sinew/dynamics/momentum_kernels.hpp"

namespace sinew {

ImplicitInertia::ImplicitInertia(const Skeleton& skeleton)
    : link(static_cast<size_t>(skeleton.link_count()), Mat6::Zero()),
      touched(link.size(), 0),
      joint(VecX::Zero(skeleton.dof_count())) {}

void ImplicitInertia::set(const ForceDerivatives& forces, double c_D, double c_K) {
  for (size_t i = 0; i < link.size(); ++i) {
    touched[i] = forces.touched[i];
    if (!touched[i]) continue;
    const Mat6 A = c_D * forces.D[i] + c_K * forces.K[i];
    link[i] = 0.5 * (A + A.transpose());
  }
  pairs.clear();
  for (const ForceDerivatives::Pair& p : forces.pairs)
    pairs.push_back({p.a, p.b, 0.5 * (c_D * p.D + c_K * p.K)});
  joint = c_D * forces.dtau_dqdot + c_K * forces.dtau_dq;
  coordinate_pairs.clear();
  for (const ForceDerivatives::CoordinatePair& p : forces.coordinate_pairs)
    coordinate_pairs.push_back({p.i, p.j, 0.5 * c_K * p.K});
}

void multiply(const Skeleton& skeleton, const ImplicitInertia& added, RigidInertia rigid,
              const VecX& x, SkeletonWorkspace& ws, VecX& y) {
  const int count = skeleton.link_count();
  ws.a[0].setZero();
  for (int i = 1; i < count; ++i) {
    const auto ii = static_cast<size_t>(i);
    const Link& link = skeleton.link(i);
    Vec6& twist = ws.a[ii];
    twist = ws.a[static_cast<size_t>(link.parent.value)];
    twist.tail<3>() -= ws.link[ii].r.cross(twist.head<3>());
    for (int k = link.dof; k < link.dof + link.dof_count; ++k)
      twist += ws.s[static_cast<size_t>(k)] * x[k];
    Vec6& F = ws.F[ii];
    if (rigid == RigidInertia::with)
      F = inertia_times(link, ws.inertia[ii], twist.head<3>(), twist.tail<3>());
    else
      F.setZero();
    if (added.touched[ii]) F.noalias() += added.link[ii] * twist;
  }
  for (const ImplicitInertia::Pair& p : added.pairs) {
    const auto a = static_cast<size_t>(p.a), b = static_cast<size_t>(p.b);
    ws.F[a].noalias() += p.A * ws.a[b];
    ws.F[b].noalias() += p.A.transpose() * ws.a[a];
  }
  for (int i = count - 1; i > 0; --i) {
    const auto ii = static_cast<size_t>(i);
    const Link& link = skeleton.link(i);
    for (int k = link.dof; k < link.dof + link.dof_count; ++k)
      y[k] = ws.s[static_cast<size_t>(k)].dot(ws.F[ii]) + added.joint[k] * x[k];
    if (link.parent > 0)
      shift_add(ws.F[ii], ws.link[ii].r, ws.F[static_cast<size_t>(link.parent.value)]);
  }
  for (const ImplicitInertia::CoordinatePair& p : added.coordinate_pairs) {
    y[p.i] += p.a * x[p.j];
    y[p.j] += p.a * x[p.i];
  }
}

}  // namespace sinew

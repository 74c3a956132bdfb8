#pragma once

#include "sinew/dynamics/jacobian.hpp"
#include "sinew/system/equations.hpp"

namespace sinew::test {

/// The plain form of REDMAX (Wang 2022 section 4.4), dense and slow: the oracle of every recursion.
///     M = Jᵀ M_m J,   f = f_r + Jᵀ (f_m − M_m J̇ q̇).
struct JacobianForm {
  MatX J, Jdot, M;
  VecX f;
};

/// Needs update() at the same qdot.
inline JacobianForm jacobian_form(const System& system, const VecX& qdot, const Workspace& ws) {
  const Skeleton& skeleton = system.skeleton();
  const int nm = 6 * skeleton.body_count(), n = skeleton.dof_count();
  JacobianForm out{MatX(nm, n), MatX(nm, n), MatX(n, n), VecX(n)};
  update_jacobian(skeleton, ws.skeleton, out.J, out.Jdot);
  MatX M_m = MatX::Zero(nm, nm);
  VecX f_m = VecX::Zero(nm);
  for (int i = 0; i < skeleton.body_count(); ++i) {
    const Body& body = skeleton.body(BodyIndex(i));
    const Vec6 phi = body_twist(skeleton, ws.skeleton, BodyIndex(i));
    const Pose E = body_pose(skeleton, ws.skeleton, BodyIndex(i));
    Vec6 g;
    g << Vec3::Zero(), E.R.transpose() * system.gravity();
    M_m.block<6, 6>(6 * i, 6 * i) = body.M_B.matrix();
    f_m.segment<6>(6 * i) +=
        ad(phi).transpose() * (body.M_B.matrix() * phi) + body.M_B.matrix() * g;
  }
  for (int l = 1; l < skeleton.link_count(); ++l) {
    const BodyIndex i = skeleton.link(l).body;
    const Pose E_WB = body_pose(skeleton, ws.skeleton, i);
    const Vec6& w = ws.forces.wrench[static_cast<size_t>(l)];
    const Pose E_WL{Mat3::Identity(), ws.skeleton.link[static_cast<size_t>(l)].p};
    f_m.segment<6>(6 * i) += Ad(E_WL.inverse() * E_WB).transpose() * w;
  }
  out.M = out.J.transpose() * M_m * out.J;
  out.f = ws.forces.tau + out.J.transpose() * (f_m - M_m * (out.Jdot * qdot));
  return out;
}

}  // namespace sinew::test

#include "support/maximal.hpp"

// Joint j between body i and its parent p. Its relative twist in the joint frame is
//     u = Ad(E_ji) φ_i − Ad(E_jp) φ_p = S q̇,
// so that with N spanning the complement of S the joint blocks Nᵀu. Differentiated once more, with
// d/dt Ad(E_jp) = −ad(u) Ad(E_jp),
//     Nᵀ (Ad(E_ji) φ̇_i − Ad(E_jp) φ̇_p) = Nᵀ (Ṡq̇ − ad(u) Ad(E_jp) φ_p).

namespace sinew {
namespace {

struct MaximalJoint {
  JointMotion motion;
  Mat6 A_i, A_p;  ///< Ad(E_ji), Ad(E_jp)
  Mat6Xb N;       ///< orthonormal complement of S
  Vec6 u, gamma;  ///< relative twist; Ṡq̇ − ad(u) Ad(E_jp) φ_p
};

MaximalJoint evaluate(const Body& body, const ConstVecRef& q, const ConstVecRef& qdot,
                      const Vec6& phi_p) {
  MaximalJoint out;
  const int n = body.joint.dof();
  const auto nn = static_cast<size_t>(n);
  body.joint.evaluate({q.data() + body.first_dof, nn}, {qdot.data() + body.first_dof, nn},
                      out.motion);
  out.A_i = Ad(body.E_JB);
  out.A_p = Ad((body.E_PJ * out.motion.Q).inverse());
  const auto qdot_j = qdot.segment(body.first_dof, n);
  out.u = out.motion.S * qdot_j;
  out.gamma = out.motion.Sdot * qdot_j - ad_times(out.u, out.A_p * phi_p);
  const MatX S = out.motion.S;
  const MatX Q = n > 0 ? MatX(S.householderQr().householderQ()) : MatX(MatX::Identity(6, 6));
  out.N = Q.rightCols(6 - n);
  return out;
}

/// A wrench on the child at the joint frame that does the generalised forces tau: SᵀF = tau.
Vec6 joint_wrench(const JointMotion& motion, const VecXb& tau) {
  if (tau.size() == 0) return Vec6::Zero();
  const MatX S = motion.S;
  return S * (S.transpose() * S).ldlt().solve(VecX(tau));
}

}  // namespace

MaximalSolution maximal_dynamics(const Skeleton& skeleton, const Vec3& gravity,
                                 const AppliedForces& forces, const ConstVecRef& q,
                                 const ConstVecRef& qdot, const SkeletonWorkspace& ws) {
  const int bodies = skeleton.body_count();
  const int nm = 6 * bodies, rows = nm - skeleton.dof_count();
  MatX KKT = MatX::Zero(nm + rows, nm + rows);
  VecX rhs = VecX::Zero(nm + rows);
  std::vector<MaximalJoint> joints;

  int row = nm;
  for (int i = 0; i < bodies; ++i) {
    const Body& body = skeleton.body(BodyIndex(i));
    const Vec6 phi = body_twist(skeleton, ws, BodyIndex(i));
    const Pose E_WB = body_pose(skeleton, ws, BodyIndex(i));
    KKT.block<6, 6>(6 * i, 6 * i) = body.M_B.matrix();
    Vec6 g_B;
    g_B << Vec3::Zero(), E_WB.R.transpose() * gravity;
    rhs.segment<6>(6 * i) += ad_transpose_times(phi, body.M_B * phi) + body.M_B * g_B;

    joints.push_back(evaluate(body, q, qdot, body_twist(skeleton, ws, body.parent)));
    const MaximalJoint& joint = joints.back();
    const int blocked = static_cast<int>(joint.N.cols());
    const MatX G_i = joint.N.transpose() * joint.A_i, G_p = -joint.N.transpose() * joint.A_p;
    const Vec6 F = joint_wrench(joint.motion, forces.tau.segment(body.first_dof, body.joint.dof()));
    KKT.block(row, 6 * i, blocked, 6) = G_i;
    KKT.block(6 * i, row, 6, blocked) = G_i.transpose();
    rhs.segment<6>(6 * i) += joint.A_i.transpose() * F;
    if (body.parent != kWorld) {
      KKT.block(row, 6 * body.parent, blocked, 6) = G_p;
      KKT.block(6 * body.parent, row, 6, blocked) = G_p.transpose();
      rhs.segment<6>(6 * body.parent) -= joint.A_p.transpose() * F;
    }
    rhs.segment(row, blocked) = joint.N.transpose() * joint.gamma;
    row += blocked;
  }

  // A link's wrench acts on the body that owns its joint.
  for (int l = 1; l < skeleton.link_count(); ++l) {
    const Body& body = skeleton.body(skeleton.link(l).body);
    const Mat3& R = ws.link[static_cast<size_t>(l)].R;
    const Vec6& w = forces.wrench[static_cast<size_t>(l)];
    Vec6 w_L;
    w_L << R.transpose() * w.head<3>(), R.transpose() * w.tail<3>();
    rhs.segment<6>(6 * skeleton.link(l).body) += Ad_transpose_times(body.E_LB, w_L);
  }

  const VecX x = KKT.fullPivLu().solve(rhs);
  MaximalSolution out{x.head(nm), x.tail(rows), VecX(skeleton.dof_count())};
  for (int i = 0; i < bodies; ++i) {
    const Body& body = skeleton.body(BodyIndex(i));
    if (body.joint.dof() == 0) continue;
    const MaximalJoint& joint = joints[static_cast<size_t>(i)];
    Vec6 S_qddot = joint.A_i * x.segment<6>(6 * i) - joint.gamma;
    if (body.parent != kWorld) S_qddot -= joint.A_p * x.segment<6>(6 * body.parent);
    const MatX S = joint.motion.S;
    out.qddot.segment(body.first_dof, body.joint.dof()) = S.householderQr().solve(S_qddot);
  }
  return out;
}

}  // namespace sinew

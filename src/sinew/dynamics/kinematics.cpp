#include "sinew/dynamics/kinematics.hpp"

#include <cmath>

// With ω_r, v_r the joint's own twist S q̇ turned into world axes and r the step from the parent's
// origin, all rates are those of classical relative motion:
//     ω = ω_p + ω_r                       v = v_p + ω_p × r + v_r
//     c_ω = ω_p × ω_r + (Ṡq̇)_ω           c_v = ω_p × (ω_p × r) + 2 ω_p × v_r + (Ṡq̇)_v + ω_r × v_r
// (the last term because Ṡ is the rate of components in the turning frame J).

namespace sinew {
namespace {

void update_revolute(const Link& link, const LinkMotion& parent, double q, double qdot,
                     LinkMotion& out, Vec6& s) {
  const Mat3 R0 = parent.R * link.E_PL0.R;
  const double cos = std::cos(q), sin = std::sin(q);
  out.R.col(0) = cos * R0.col(0) + sin * R0.col(1);
  out.R.col(1) = cos * R0.col(1) - sin * R0.col(0);
  out.R.col(2) = R0.col(2);
  out.r = parent.R * link.E_PL0.p;
  out.p = parent.p + out.r;
  const Vec3 w_r = R0.col(2) * qdot;
  const Vec3 v_r = parent.w.cross(out.r);
  out.w = parent.w + w_r;
  out.v = parent.v + v_r;
  out.c_w = parent.w.cross(w_r);
  out.c_v = parent.w.cross(v_r);
  s.head<3>() = R0.col(2);
  s.tail<3>().setZero();
}

void update_prismatic(const Link& link, const LinkMotion& parent, double q, double qdot,
                      LinkMotion& out, Vec6& s) {
  out.R = parent.R * link.E_PL0.R;
  out.r = parent.R * link.E_PL0.p + out.R.col(2) * q;
  out.p = parent.p + out.r;
  const Vec3 v_r = out.R.col(2) * qdot;
  const Vec3 v_t = parent.w.cross(out.r);
  out.w = parent.w;
  out.v = parent.v + v_t + v_r;
  out.c_w.setZero();
  out.c_v = parent.w.cross(v_t + 2 * v_r);
  s.head<3>().setZero();
  s.tail<3>() = out.R.col(2);
}

void update_generic(const Link& link, const Joint& joint, const LinkMotion& parent, Coordinates q,
                    Coordinates qdot, JointMotion& motion, LinkMotion& out, Vec6* s) {
  joint.evaluate(q, qdot, motion);
  const Pose E_PL = link.E_PL0 * motion.Q;
  out.R = parent.R * E_PL.R;
  out.r = parent.R * E_PL.p;
  out.p = parent.p + out.r;
  Vec6 twist = Vec6::Zero(), rate = Vec6::Zero();
  for (int k = 0; k < link.dof_count; ++k) {
    const auto kk = static_cast<size_t>(k);
    s[k].head<3>() = out.R * motion.S.col(k).head<3>();
    s[k].tail<3>() = out.R * motion.S.col(k).tail<3>();
    twist += s[k] * qdot[kk];
    rate += motion.Sdot.col(k) * qdot[kk];
  }
  const Vec3 w_r = twist.head<3>(), v_r = twist.tail<3>();
  const Vec3 v_t = parent.w.cross(out.r);
  out.w = parent.w + w_r;
  out.v = parent.v + v_t + v_r;
  out.c_w = parent.w.cross(w_r) + out.R * rate.head<3>();
  out.c_v = parent.w.cross(v_t + 2 * v_r) + out.R * rate.tail<3>() + w_r.cross(v_r);
}

}  // namespace

void update_kinematics(const Skeleton& skeleton, const ConstVecRef& q, const ConstVecRef& qdot,
                       SkeletonWorkspace& ws) {
  const Link* const links = skeleton.links().data();
  LinkMotion* const motion = ws.link.data();
  const int count = skeleton.link_count();
  for (int i = 1; i < count; ++i) {
    const Link& link = links[i];
    const LinkMotion& parent = motion[link.parent];
    Vec6* const s = &ws.s[static_cast<size_t>(link.dof)];
    switch (link.kind) {
      case LinkKind::revolute_z:
        update_revolute(link, parent, q[link.dof], qdot[link.dof], motion[i], *s);
        break;
      case LinkKind::prismatic_z:
        update_prismatic(link, parent, q[link.dof], qdot[link.dof], motion[i], *s);
        break;
      case LinkKind::generic: {
        const auto n = static_cast<size_t>(link.dof_count);
        update_generic(link, skeleton.body(link.body).joint, parent, {q.data() + link.dof, n},
                       {qdot.data() + link.dof, n}, ws.joint[static_cast<size_t>(i)], motion[i], s);
        break;
      }
      case LinkKind::world:
        break;
    }
  }
}

Pose body_pose(const Skeleton& skeleton, const SkeletonWorkspace& ws, BodyIndex body) {
  if (body == kWorld) return {};
  const Body& b = skeleton.body(body);
  const LinkMotion& link = ws.link[static_cast<size_t>(b.link.value)];
  return Pose{link.R, link.p} * b.E_LB;
}

Vec6 body_twist(const Skeleton& skeleton, const SkeletonWorkspace& ws, BodyIndex body) {
  if (body == kWorld) return Vec6::Zero();
  const Body& b = skeleton.body(body);
  const LinkMotion& link = ws.link[static_cast<size_t>(b.link.value)];
  Vec6 phi_L;
  phi_L << link.R.transpose() * link.w, link.R.transpose() * link.v;
  return Ad_inverse_times(b.E_LB, phi_L);
}

}  // namespace sinew

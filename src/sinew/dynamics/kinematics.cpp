#include "sinew/dynamics/kinematics.hpp"

#include <bit>
#include <cmath>
#include <cstdint>

// With ω_r, v_r the joint's own twist S q̇ turned into world axes and r the step from the parent's
// origin, all rates are those of classical relative motion:
//     ω = ω_p + ω_r                       v = v_p + ω_p × r + v_r
//     c_ω = ω_p × ω_r + (Ṡq̇)_ω           c_v = ω_p × (ω_p × r) + 2 ω_p × v_r + (Ṡq̇)_v + ω_r × v_r
// (the last term because Ṡ is the rate of components in the turning frame J).

namespace sinew {
namespace {

/// The link's pose and axis.
inline void place_revolute(const Link& link, const LinkMotion& parent, double q, LinkMotion& out,
                           Vec6& s) {
  const Mat3 R0 = parent.R * link.E_PL0.R;
  const double cos = std::cos(q), sin = std::sin(q);
  out.R.col(0) = cos * R0.col(0) + sin * R0.col(1);
  out.R.col(1) = cos * R0.col(1) - sin * R0.col(0);
  out.R.col(2) = R0.col(2);
  out.r = parent.R * link.E_PL0.p;
  out.p = parent.p + out.r;
  s.head<3>() = R0.col(2);
  s.tail<3>().setZero();
}

/// The link's motion.
inline void move_revolute(const LinkMotion& parent, double qdot, LinkMotion& out) {
  const Vec3 w_r = out.R.col(2) * qdot;
  const Vec3 v_r = parent.w.cross(out.r);
  out.w = parent.w + w_r;
  out.v = parent.v + v_r;
  out.c_w = parent.w.cross(w_r);
  out.c_v = parent.w.cross(v_r);
}

inline void place_prismatic(const Link& link, const LinkMotion& parent, double q, LinkMotion& out,
                            Vec6& s) {
  out.R = parent.R * link.E_PL0.R;
  out.r = parent.R * link.E_PL0.p + out.R.col(2) * q;
  out.p = parent.p + out.r;
  s.head<3>().setZero();
  s.tail<3>() = out.R.col(2);
}

inline void move_prismatic(const LinkMotion& parent, double qdot, LinkMotion& out) {
  const Vec3 v_r = out.R.col(2) * qdot;
  const Vec3 v_t = parent.w.cross(out.r);
  out.w = parent.w;
  out.v = parent.v + v_t + v_r;
  out.c_w.setZero();
  out.c_v = parent.w.cross(v_t + 2 * v_r);
}

void place_generic(const Link& link, const LinkMotion& parent, const JointMotion& motion,
                   LinkMotion& out, Vec6* s) {
  const Pose E_PL = link.E_PL0 * motion.Q;
  out.R = parent.R * E_PL.R;
  out.r = parent.R * E_PL.p;
  out.p = parent.p + out.r;
  for (int k = 0; k < link.dof_count; ++k) {
    s[k].head<3>() = out.R * motion.S.col(k).head<3>();
    s[k].tail<3>() = out.R * motion.S.col(k).tail<3>();
  }
}

void move_generic(const Link& link, const LinkMotion& parent, const JointMotion& motion,
                  const double* qdot, const Vec6* s, LinkMotion& out) {
  Vec6 twist = Vec6::Zero(), rate = Vec6::Zero();
  for (int k = 0; k < link.dof_count; ++k) {
    twist += s[k] * qdot[k];
    rate += motion.Sdot.col(k) * qdot[k];
  }
  const Vec3 w_r = twist.head<3>(), v_r = twist.tail<3>();
  const Vec3 v_t = parent.w.cross(out.r);
  out.w = parent.w + w_r;
  out.v = parent.v + v_t + v_r;
  out.c_w = parent.w.cross(w_r) + out.R * rate.head<3>();
  out.c_v = parent.w.cross(v_t + 2 * v_r) + out.R * rate.tail<3>() + w_r.cross(v_r);
}

/// One pass over the links: places them, moves them, or both. A generic joint gives all at once.
template <bool kPlace, bool kMove>
void sweep(const Skeleton& skeleton, const double* q, const double* qdot, SkeletonWorkspace& ws) {
  const Link* const links = skeleton.links().data();
  LinkMotion* const motion = ws.link.data();
  const int count = skeleton.link_count();
  for (int i = 1; i < count; ++i) {
    const Link& link = links[i];
    const LinkMotion& parent = motion[link.parent];
    Vec6* const s = &ws.s[static_cast<size_t>(link.dof)];
    switch (link.kind) {
      case LinkKind::revolute_z:
        if (kPlace) place_revolute(link, parent, q[link.dof], motion[i], *s);
        if (kMove) move_revolute(parent, qdot[link.dof], motion[i]);
        break;
      case LinkKind::prismatic_z:
        if (kPlace) place_prismatic(link, parent, q[link.dof], motion[i], *s);
        if (kMove) move_prismatic(parent, qdot[link.dof], motion[i]);
        break;
      case LinkKind::generic: {
        const auto n = static_cast<size_t>(link.dof_count);
        JointMotion& joint = ws.joint[static_cast<size_t>(i)];
        skeleton.body(link.body).joint.evaluate({q + link.dof, n}, {qdot + link.dof, n}, joint);
        if (kPlace) place_generic(link, parent, joint, motion[i], s);
        if (kMove) move_generic(link, parent, joint, qdot + link.dof, s, motion[i]);
        break;
      }
      case LinkKind::world:
        break;
    }
  }
}

/// Whether the links are already placed for exactly that q. To the bit: a −0 is
/// not a 0.
bool is_placed(const VecView& q, const SkeletonWorkspace& ws) {
  if (ws.placed_q.size() != q.size()) return false;
  const double *a = q.data(), *b = ws.placed_q.data();
  for (Eigen::Index k = 0; k < q.size(); ++k)
    if (std::bit_cast<std::uint64_t>(a[k]) != std::bit_cast<std::uint64_t>(b[k])) return false;
  return true;
}

}  // namespace

void update_kinematics(const Skeleton& skeleton, const VecView& q, const VecView& qdot,
                       SkeletonWorkspace& ws) {
  if (is_placed(q, ws)) return sweep<false, true>(skeleton, q.data(), qdot.data(), ws);
  sweep<true, true>(skeleton, q.data(), qdot.data(), ws);
  ws.placed_q = q;
  ++ws.placements;
}

void update_placement(const Skeleton& skeleton, const VecView& q, const VecView& qdot,
                      SkeletonWorkspace& ws) {
  if (is_placed(q, ws)) return;
  sweep<true, false>(skeleton, q.data(), qdot.data(), ws);
  ws.placed_q = q;
  ++ws.placements;
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

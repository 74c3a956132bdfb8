#pragma once

#include "sinew/dynamics/workspace.hpp"

namespace sinew {

/// Poses, velocities and velocity-dependent accelerations of all links: writes ws.link, ws.joint,
/// ws.s. O(n). Everything else in this layer needs it to have run.
void update_kinematics(const Skeleton& skeleton, const VecView& q, const VecView& qdot,
                       SkeletonWorkspace& ws);
inline void update_kinematics(const Skeleton& skeleton, const ConstVecRef& q,
                              const ConstVecRef& qdot, SkeletonWorkspace& ws) {
  update_kinematics(skeleton, view(q), view(qdot), ws);
}
/// The part that depends on q alone: R, p and r in ws.link, and ws.s. Parts with q̇ are lost.
/// Neither repeats the work if the links are already placed for the same q.
void update_placement(const Skeleton& skeleton, const VecView& q, const VecView& qdot,
                      SkeletonWorkspace& ws);

/// E_WB of a body (kWorld: identity).
Pose body_pose(const Skeleton& skeleton, const SkeletonWorkspace& ws, BodyIndex body);
/// Body twist φ_B, expressed in B at its origin.
Vec6 body_twist(const Skeleton& skeleton, const SkeletonWorkspace& ws, BodyIndex body);
/// From the origin of the body's link to the point x_B of the body, world axes.
inline Vec3 point_offset(const Skeleton& skeleton, const SkeletonWorkspace& ws, BodyIndex body,
                         const Vec3& x_B) {
  if (body == kWorld) return x_B;
  const Body& b = skeleton.body(body);
  return ws.link[static_cast<size_t>(b.link.value)].R * (b.E_LB * x_B);
}

}  // namespace sinew

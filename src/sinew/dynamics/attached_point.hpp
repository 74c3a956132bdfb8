#pragma once

#include "sinew/dynamics/kinematics.hpp"

namespace sinew {

using Mat36 = Eigen::Matrix<double, 3, 6>;

/// A point of a body as forces and constraints use it, world axes.
struct AttachedPoint {
  int link = 0;
  Vec3 offset;    ///< from the link's origin
  Vec3 position;  ///< world
  Vec3 velocity;

  /// Velocity of the point from its link's twist: Γ = (−[offset]  1).
  Mat36 jacobian() const {
    Mat36 G;
    G << -skew(offset), Mat3::Identity();
    return G;
  }
};

inline int link_of(const Skeleton& skeleton, BodyIndex body) {
  return body == kWorld ? 0 : skeleton.body(body).link.value;
}

/// The point at `offset` from the origin of `link`, world axes. Needs update_kinematics.
inline AttachedPoint attach_at(const SkeletonWorkspace& ws, int link, const Vec3& offset) {
  const LinkMotion& m = ws.link[static_cast<size_t>(link)];
  return {link, offset, m.p + offset, m.v + m.w.cross(offset)};
}

/// The point x_B of a body. Needs update_kinematics.
inline AttachedPoint attach(const Skeleton& skeleton, const SkeletonWorkspace& ws, BodyIndex body,
                            const Vec3& x_B) {
  return attach_at(ws, link_of(skeleton, body), point_offset(skeleton, ws, body, x_B));
}

/// (m 0): acts on a displacement's rotation only.
inline Mat36 on_rotation(const Mat3& m) {
  Mat36 out;
  out << m, Mat3::Zero();
  return out;
}

}  // namespace sinew

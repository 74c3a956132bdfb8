#pragma once

#include <algorithm>
#include <vector>

#include "sinew/dynamics/force.hpp"

namespace sinew {

/// Coordinates that move `link`, ascending.
inline std::vector<int> dofs_above(const Skeleton& skeleton, int link) {
  std::vector<int> out;
  for (int i = link; i > 0; i = skeleton.link(i).parent)
    for (int k = 0; k < skeleton.link(i).dof_count; ++k) out.push_back(skeleton.link(i).dof + k);
  std::sort(out.begin(), out.end());
  return out;
}

/// Motion of a link as seen from another one, the frame: axes and origin of the frame. A point of
/// the link that is at x has
///     ẋ = v + w × x,    ẍ = dv + dw × x + w × ẋ.
struct RelativeMotion {
  Mat3 R;  ///< its axes
  Vec3 p;  ///< its origin
  Vec3 w, v, dw, dv;
};

/// Needs the accelerations in in.ws.a.
inline RelativeMotion relative_motion(const SkeletonAt& in, int frame, int link) {
  const LinkMotion& A = in.ws.link[static_cast<size_t>(frame)];
  const LinkMotion& B = in.ws.link[static_cast<size_t>(link)];
  const Vec6& a_A = in.ws.a[static_cast<size_t>(frame)];
  const Vec6& a_B = in.ws.a[static_cast<size_t>(link)];
  const Mat3 to_A = A.R.transpose();
  // At the origin of A: velocity and acceleration of B's material as seen from A.
  const Vec3 off = A.p - B.p, w = B.w - A.w;
  const Vec3 u = B.v + B.w.cross(off) - A.v;
  const Vec3 udot = a_B.tail<3>() + a_B.head<3>().cross(off) + B.w.cross(B.w.cross(off)) -
                    a_A.tail<3>() - 2 * A.w.cross(u);
  return {to_A * B.R,
          -(to_A * off),
          to_A * w,
          to_A * u,
          to_A * (a_B.head<3>() - a_A.head<3>() - A.w.cross(w)),
          to_A * (udot - w.cross(u))};
}

/// The frame's own motion, in its own axes.
struct FrameAcceleration {
  Vec3 w, alpha, a;  ///< a at its origin, less gravity
  /// Its contribution, without a, to the acceleration of a point at y that moves with `rate` in it.
  [[gnu::always_inline]] Vec3 of(const Vec3& y, const Vec3& rate) const {
    return alpha.cross(y) + w.cross(w.cross(y) + 2 * rate);
  }
};

}  // namespace sinew

#pragma once

#include "sinew/dynamics/kinematics.hpp"

namespace sinew {

/// Forces on a skeleton: wrenches on links (world axes, about the link's origin; entry 0, the
/// world's, has no effect) and generalised forces on coordinates. Gravity is separate.
struct AppliedForces {
  /// `further`: coordinates beyond those of the skeleton.
  explicit AppliedForces(const Skeleton& skeleton, int further = 0)
      : wrench(static_cast<size_t>(skeleton.link_count())), tau(skeleton.dof_count() + further) {
    set_zero();
  }
  void set_zero() {
    for (Vec6& w : wrench) w.setZero();
    tau.setZero();
    power = 0;
  }
  /// Adds force f at `offset` from the origin of `link` (both world axes).
  void add_force(int link, const Vec3& offset, const Vec3& f) {
    Vec6& w = wrench[static_cast<size_t>(link)];
    w.head<3>() += offset.cross(f);
    w.tail<3>() += f;
  }

  std::vector<Vec6> wrench;
  VecX tau;
  double power = 0;  ///< work per second of the non-conservative ones among them [W]
};

}  // namespace sinew

#pragma once

#include "sinew/dynamics/kinematics.hpp"

namespace sinew {

/// The skeleton at its default coordinates.
class DefaultPose {
 public:
  explicit DefaultPose(const Skeleton& skeleton) : skeleton_(skeleton), ws_(skeleton) {
    VecX q(skeleton.dof_count()), qdot = VecX::Zero(q.size());
    for (int k = 0; k < q.size(); ++k) q[k] = skeleton.coordinates()[static_cast<size_t>(k)].q0;
    update_kinematics(skeleton, q, qdot, ws_);
  }
  Pose of(BodyIndex body) const { return body_pose(skeleton_, ws_, body); }

 private:
  const Skeleton& skeleton_;
  SkeletonWorkspace ws_;
};

}  // namespace sinew

#include "sinew/dynamics/force.hpp"

#include <algorithm>

#include "sinew/core/error.hpp"

namespace sinew {

void Force::add_control_derivatives(const SkeletonAt&, MatRef) const {
  throw Error("force '" + name() + "'", "does not say how it depends on its controls",
              "override Force::add_control_derivatives");
}

ForceDerivatives::ForceDerivatives(const Skeleton& skeleton)
    : K(static_cast<size_t>(skeleton.link_count())),
      D(K.size()),
      touched(K.size()),
      dtau_dq(skeleton.dof_count()),
      dtau_dqdot(skeleton.dof_count()) {
  std::fill(touched.begin(), touched.end(), char{1});
  set_zero();
}

void ForceDerivatives::set_zero() {
  for (size_t i = 0; i < K.size(); ++i) {
    if (!touched[i]) continue;
    K[i].setZero();
    D[i].setZero();
    touched[i] = 0;
  }
  pairs.clear();
  coordinate_pairs.clear();
  dtau_dq.setZero();
  dtau_dqdot.setZero();
}

void ForceDerivatives::add(int a, int b, const Mat6& K_ab, const Mat6& D_ab) {
  if (a == 0 || b == 0) return;  // the world does not move
  if (a == b) {
    const auto i = static_cast<size_t>(a);
    K[i] += K_ab;
    D[i] += D_ab;
    touched[i] = 1;
  } else {
    pairs.push_back({a, b, K_ab, D_ab});
  }
}

void draw_point(const SkeletonAt& in, BodyIndex body, const Vec3& x_B,
                std::vector<double>& points) {
  const Vec3 x = body_pose(in.skeleton, in.ws, body) * x_B;
  points.insert(points.end(), x.begin(), x.end());
}

}  // namespace sinew

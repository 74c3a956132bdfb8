#include "sinew/adjoint/point_derivatives.hpp"

#include "sinew/core/error.hpp"
#include "sinew/dynamics/jacobian.hpp"

namespace sinew {

Pose pose_of(const Objective::At& at, BodyIndex body) {
  return body == kWorld ? Pose() : body_pose(at.system.skeleton(), at.ws.skeleton, body);
}

void pull_back_position(const Objective::At& at, const AttachedPoint& point, const Vec3& f,
                        const Vec3& m, StateVectors& bar) {
  const Skeleton& skeleton = at.system.skeleton();
  const auto for_each_axis = [&](auto&& add) {
    for (int i = point.link; i > 0; i = skeleton.link(i).parent) {
      const Link& link = skeleton.link(i);
      const Vec3 d = point.position - at.ws.skeleton.link[static_cast<size_t>(i)].p;
      for (int k = link.dof; k < link.dof + link.dof_count; ++k) {
        const Vec6& s = at.ws.skeleton.s[static_cast<size_t>(k)];
        add(k, f.dot(s.tail<3>() + s.head<3>().cross(d)) + m.dot(s.head<3>()));
      }
    }
  };
  if (!at.system.has(Feature::dependent_coordinates)) {
    for_each_axis([&](int k, double force) { bar.q[k] += force; });
    return;
  }
  VecX all = VecX::Zero(at.ws.border->expanded(at.state).q.size());
  for_each_axis([&](int k, double force) { all[k] += force; });
  bar.q += at.ws.border->pulled(all);
}

/// ẋ = J q̇. J is the gradient of a position, so that ∂(J q̇)/∂q = J̇.
void pull_back_velocity(const Objective::At& at, BodyIndex body, const Vec3& point_B, const Vec3& f,
                        StateVectors& bar) {
  if (body == kWorld) return;
  const Skeleton& skeleton = at.system.skeleton();
  const Eigen::Index n = skeleton.dof_count(), rows = 6 * skeleton.body_count();
  MatX J(rows, n), Jdot(rows, n);
  update_jacobian(skeleton, at.ws.skeleton, J, Jdot);
  // In the body's axes: v_B = Γ φ_B with Γ = (−[x] 1), and R turns with ω_B.
  const auto J_B = J.middleRows(6 * body.value, 6), Jdot_B = Jdot.middleRows(6 * body.value, 6);
  Mat36 Gamma;
  Gamma << -skew(point_B), Mat3::Identity();
  const Vec3 f_B = pose_of(at, body).R.transpose() * f;
  const Vec3 w_B = J_B.topRows(3) * at.state.qdot.head(n);
  const Vec6 wrench = Gamma.transpose() * f_B;
  const Vec6 turning = Gamma.transpose() * f_B.cross(w_B);  // fᵀ(ω × v) = (f × ω)ᵀ v
  bar.qdot.head(n) += J_B.transpose() * wrench;
  bar.q.head(n) += Jdot_B.transpose() * wrench + J_B.transpose() * turning;
}

void require_point_velocities(const System& system) {
  if (system.has(Feature::dependent_coordinates))
    throw Error("speed of a point", "is not differentiated where coordinates depend on others",
                "use the speeds of coordinates");
}

}  // namespace sinew

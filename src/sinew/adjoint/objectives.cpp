#include "sinew/adjoint/objectives.hpp"

#include <algorithm>

#include "sinew/core/error.hpp"
#include "sinew/dynamics/jacobian.hpp"
#include "sinew/dynamics/part.hpp"
#include "sinew/math/so3.hpp"

namespace sinew {
namespace {

/// Needs update_kinematics.
Pose pose_of(const Objective::At& at, BodyIndex body) {
  return body == kWorld ? Pose() : body_pose(at.system.skeleton(), at.ws.skeleton, body);
}

/// Adds the generalised force of a force at a point and of a moment, both in world axes: (∂x/∂q)ᵀ f
/// and (∂θ/∂q)ᵀ m.
void add_wrench(const Objective::At& at, const AttachedPoint& point, const Vec3& f, const Vec3& m,
                VecX& out) {
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
    for_each_axis([&](int k, double force) { out[k] += force; });
    return;
  }
  VecX all = VecX::Zero(at.ws.border->expanded(at.state).q.size());
  for_each_axis([&](int k, double force) { all[k] += force; });
  out += at.ws.border->pulled(all);
}

}  // namespace

Moments Moments::states(std::vector<int> numbers) {
  Moments out(Kind::states);
  out.states_ = std::move(numbers);
  return out;
}

double Moments::factor(const Objective::At& at) const {
  switch (kind_) {
    case Kind::end:
      return at.step == at.steps ? 1 : 0;
    case Kind::steps:
      return at.step > 0 ? at.dt : 0;
    case Kind::states:
      return std::binary_search(states_.begin(), states_.end(), at.step) ? 1 : 0;
  }
  return 0;
}

double Moments::total(int steps, double dt) const {
  switch (kind_) {
    case Kind::end:
      return 1;
    case Kind::steps:
      return steps * dt;
    case Kind::states:
      return static_cast<double>(states_.size());
  }
  return 0;
}

double LeastSquares::evaluate(const At& at, StateVectors* bar) const {
  const double factor = weight_ * when_.factor(at);
  if (factor == 0) return 0;
  const Residual r = residual(at);
  if (bar != nullptr) pull_back(at, factor * r, *bar);
  return factor / 2 * r.squaredNorm();
}

LeastSquares::Residual PointTarget::residual(const At& at) const {
  update_kinematics(at.system, at.state, at.ws);
  const AttachedPoint point = attach(at.system.skeleton(), at.ws.skeleton, body_, point_);
  Vec3 target;
  for (int k = 0; k < 3; ++k)
    target[k] = target_[static_cast<size_t>(k)].derivatives(at.state.t)[0];
  return point.position - target;
}

void PointTarget::pull_back(const At& at, const Residual& r_bar, StateVectors& bar) const {
  add_wrench(at, attach(at.system.skeleton(), at.ws.skeleton, body_, point_), r_bar, Vec3::Zero(),
             bar.q);
}

PointVelocityTarget::PointVelocityTarget(const System& system, BodyIndex body, const Vec3& point_B,
                                         const Vec3& target, double weight, Moments when)
    : LeastSquares(weight, std::move(when)), body_(body), point_(point_B), target_(target) {
  if (system.has(Feature::dependent_coordinates))
    throw Error("speed of a point", "is not differentiated where coordinates depend on others",
                "use the speeds of coordinates");
}

LeastSquares::Residual PointVelocityTarget::residual(const At& at) const {
  update_kinematics(at.system, at.state, at.ws);
  return attach(at.system.skeleton(), at.ws.skeleton, body_, point_).velocity - target_;
}

/// v = J q̇. J is the gradient of a position, so that ∂(J q̇)/∂q = J̇.
void PointVelocityTarget::pull_back(const At& at, const Residual& r_bar, StateVectors& bar) const {
  if (body_ == kWorld) return;
  const Skeleton& skeleton = at.system.skeleton();
  const Eigen::Index n = skeleton.dof_count(), rows = 6 * skeleton.body_count();
  MatX J(rows, n), Jdot(rows, n);
  update_jacobian(skeleton, at.ws.skeleton, J, Jdot);
  // In the body's axes: v_B = Γ φ_B with Γ = (−[x] 1), and R turns with ω_B = J_ω q̇.
  const Eigen::Index first = 6 * body_.value;
  Mat36 Gamma;
  Gamma << -skew(point_), Mat3::Identity();
  const Vec3 f_B = pose_of(at, body_).R.transpose() * Vec3(r_bar);
  const Vec3 w_B = J.middleRows(first, 3) * at.state.qdot.head(n);
  const Vec6 wrench = Gamma.transpose() * f_B;
  const Vec6 turning = Gamma.transpose() * f_B.cross(w_B);  // fᵀ(ω × v) = (f × ω)ᵀ v
  bar.qdot.head(n) += J.middleRows(first, 6).transpose() * wrench;
  bar.q.head(n) += Jdot.middleRows(first, 6).transpose() * wrench +
                   J.middleRows(first, 6).transpose() * turning;
}

Vec3 PoseTarget::rotation(const At& at) const {
  return log_so3(target_.R.transpose() * pose_of(at, body_).R);
}

LeastSquares::Residual PoseTarget::residual(const At& at) const {
  update_kinematics(at.system, at.state, at.ws);
  Residual r(6);
  r << pose_of(at, body_).p - target_.p, length_ * rotation(at);
  return r;
}

void PoseTarget::pull_back(const At& at, const Residual& r_bar, StateVectors& bar) const {
  const Pose E = pose_of(at, body_);
  // ∂θ = J_r(θ)⁻¹ ω_B.
  const Vec3 m_B = right_jacobian_inverse(rotation(at)).transpose() * (length_ * r_bar.tail<3>());
  add_wrench(at, attach(at.system.skeleton(), at.ws.skeleton, body_, Vec3::Zero()),
             r_bar.head<3>(), E.R * m_B, bar.q);
}

LeastSquares::Residual CoordinateTarget::residual(const At& at) const {
  const VecX& x = of_ == Of::rate ? at.state.qdot : at.state.q;
  return Residual::Constant(1, x[dof_] - target_.derivatives(at.state.t)[0]);
}

void CoordinateTarget::pull_back(const At&, const Residual& r_bar, StateVectors& bar) const {
  (of_ == Of::rate ? bar.qdot : bar.q)[dof_] += r_bar[0];
}

double SumOfObjectives::evaluate(const At& at, StateVectors* bar) const {
  double sum = 0;
  for (const auto& term : terms_) sum += term->evaluate(at, bar);
  return sum;
}

}  // namespace sinew

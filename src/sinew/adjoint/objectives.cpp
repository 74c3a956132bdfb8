#include "sinew/adjoint/objectives.hpp"

#include <algorithm>

#include "sinew/adjoint/point_derivatives.hpp"
#include "sinew/math/so3.hpp"

namespace sinew {
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
  pull_back_position(at, attach(at.system.skeleton(), at.ws.skeleton, body_, point_), r_bar,
                     Vec3::Zero(), bar);
}

PointVelocityTarget::PointVelocityTarget(const System& system, BodyIndex body, const Vec3& point_B,
                                         const Vec3& target, double weight, Moments when)
    : LeastSquares(weight, std::move(when)), body_(body), point_(point_B), target_(target) {
  require_point_velocities(system);
}

LeastSquares::Residual PointVelocityTarget::residual(const At& at) const {
  update_kinematics(at.system, at.state, at.ws);
  return attach(at.system.skeleton(), at.ws.skeleton, body_, point_).velocity - target_;
}

void PointVelocityTarget::pull_back(const At& at, const Residual& r_bar, StateVectors& bar) const {
  pull_back_velocity(at, body_, point_, r_bar, bar);
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
  pull_back_position(at, attach(at.system.skeleton(), at.ws.skeleton, body_, Vec3::Zero()),
                     r_bar.head<3>(), E.R * m_B, bar);
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

#include "sinew/adjoint/objectives.hpp"

#include "sinew/dynamics/part.hpp"

namespace sinew {
namespace {

/// ½ weight x², its derivative added to `bar`.
double half_square(double weight, double x, double* bar) {
  if (bar != nullptr) *bar += weight * x;
  return weight / 2 * x * x;
}

}  // namespace

double PointTarget::evaluate(const At& at, StateVectors* bar) const {
  if (at.step != at.steps) return 0;
  update_kinematics(at.system, at.state, at.ws);
  const Skeleton& skeleton = at.system.skeleton();
  const AttachedPoint point = attach(skeleton, at.ws.skeleton, body_, point_);
  const Vec3 missing = point.position - target_;
  if (bar != nullptr) {
    const ExpandedState x = at.ws.border->expanded(at.state);
    Eigen::Matrix3Xd J = Eigen::Matrix3Xd::Zero(3, x.q.size());
    update_point_jacobian({skeleton, at.state.t, x.q, x.qdot, at.ws.skeleton}, point, J);
    bar->q += at.ws.border->pulled(J.transpose() * (weight_ * missing));
  }
  return weight_ / 2 * missing.squaredNorm();
}

double CoordinateTarget::evaluate(const At& at, StateVectors* bar) const {
  if (at.step != at.steps) return 0;
  const bool of_rate = of_ == Of::rate;
  const VecX& x = of_rate ? at.state.qdot : at.state.q;
  return half_square(weight_, x[dof_] - target_,
                     bar == nullptr ? nullptr : &(of_rate ? bar->qdot : bar->q)[dof_]);
}

double CoordinateTrack::evaluate(const At& at, StateVectors* bar) const {
  if (at.step == 0) return 0;
  return half_square(weight_ * at.dt, at.state.q[dof_] - target_.derivatives(at.state.t)[0],
                     bar == nullptr ? nullptr : &bar->q[dof_]);
}

double SumOfObjectives::evaluate(const At& at, StateVectors* bar) const {
  double sum = 0;
  for (const auto& term : terms_) sum += term->evaluate(at, bar);
  return sum;
}

}  // namespace sinew

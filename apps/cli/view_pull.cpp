#include "view_pull.hpp"

#include <algorithm>
#include <numbers>

#include "sinew/dynamics/attached_point.hpp"

namespace sinew::cli {

void PullForce::add_force(const SkeletonAt& in, AppliedForces& out) const {
  if (!input_->active()) return;
  const AttachedPoint a = attach(in.skeleton, in.ws, input_->body, input_->x_B);
  const Vec3 f = input_->stiffness * (input_->target_W - a.position) - input_->damping * a.velocity;
  out.add_force(a.link, a.offset, f);
  out.power += f.dot(a.velocity);
}

void PullForce::add_derivatives(const SkeletonAt& in, StiffnessModel, ForceDerivatives& out) const {
  if (!input_->active()) return;
  const AttachedPoint a = attach(in.skeleton, in.ws, input_->body, input_->x_B);
  const double k = input_->stiffness, d = input_->damping;
  const Vec3 f = k * (input_->target_W - a.position) - d * a.velocity;
  // δx = Γ ξ, δẋ = δθ × ẋ + Γ ν, and seen from the link the force turns by −δθ × f besides.
  const Mat36 G = a.jacobian();
  const Mat36 df = -k * G + on_rotation(d * skew(a.velocity)) + on_rotation(skew(f));
  out.add(a.link, a.link, G.transpose() * df, -d * G.transpose() * G);
}

void tune_pull(const Skeleton& skeleton, double explicit_step, PullInput& pull) {
  constexpr double kDampingRatio = 0.7;
  double omega = 2 * std::numbers::pi * 3;
  double mass = skeleton.body(pull.body).M_B.mass;
  if (explicit_step > 0) {
    // The end of a rod feels a quarter of its mass: ω h is then at most 0.4 there.
    omega = std::min(omega, 0.2 / explicit_step);
  } else {
    const int link = skeleton.body(pull.body).link.value;
    mass = 0;
    for (int i = link; i < skeleton.subtree_end(link); ++i) mass += skeleton.link(i).mass;
  }
  pull.stiffness = mass * omega * omega;
  pull.damping = 2 * kDampingRatio * mass * omega;
}

}  // namespace sinew::cli

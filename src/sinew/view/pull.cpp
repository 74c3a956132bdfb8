#include "sinew/view/pull.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "sinew/dynamics/attached_point.hpp"

namespace sinew {

std::array<double, PullInput::kControls> PullInput::to_controls() const {
  return {static_cast<double>(body.value - kWorld.value),
          x_B.x(),
          x_B.y(),
          x_B.z(),
          target_W.x(),
          target_W.y(),
          target_W.z(),
          stiffness,
          damping};
}

PullInput PullInput::FromControls(const double* controls) {
  PullInput out;
  out.body = BodyIndex(kWorld.value + static_cast<int>(std::lround(controls[0])));
  out.x_B = Eigen::Map<const Vec3>(controls + 1);
  out.target_W = Eigen::Map<const Vec3>(controls + 4);
  out.stiffness = controls[7];
  out.damping = controls[8];
  return out;
}

std::vector<Control> PullForce::controls() const {
  return std::vector<Control>(PullInput::kControls, {name(), ControlKind::pull, 0.0});
}

void PullForce::add_force(const SkeletonAt& in, AppliedForces& out) const {
  const PullInput pull = PullInput::FromControls(in.controls);
  if (!pull.active()) return;
  const AttachedPoint a = attach(in.skeleton, in.ws, pull.body, pull.x_B);
  const Vec3 f = pull.stiffness * (pull.target_W - a.position) - pull.damping * a.velocity;
  out.add_force(a.link, a.offset, f);
  out.power += f.dot(a.velocity);
}

void PullForce::add_derivatives(const SkeletonAt& in, StiffnessModel, ForceDerivatives& out) const {
  const PullInput pull = PullInput::FromControls(in.controls);
  if (!pull.active()) return;
  const AttachedPoint a = attach(in.skeleton, in.ws, pull.body, pull.x_B);
  const double k = pull.stiffness, d = pull.damping;
  const Vec3 f = k * (pull.target_W - a.position) - d * a.velocity;
  // δx = Γ ξ, δẋ = δθ × ẋ + Γ ν, and seen from the link the force turns by −δθ × f besides.
  const Mat36 G = a.jacobian();
  const Mat36 df = -k * G + on_rotation(d * skew(a.velocity)) + on_rotation(skew(f));
  out.add(a.link, a.link, G.transpose() * df, -d * G.transpose() * G);
}

HandSpring hand_spring(double mass, double explicit_step) {
  constexpr double kDampingRatio = 0.7;
  double omega = 2 * std::numbers::pi * 3;
  // The end of a rod feels a quarter of its mass: ω h is then at most 0.4 there.
  if (explicit_step > 0) omega = std::min(omega, 0.2 / explicit_step);
  return {mass * omega * omega, 2 * kDampingRatio * mass * omega};
}

void tune_pull(const Skeleton& skeleton, double explicit_step, PullInput& pull) {
  double mass = skeleton.body(pull.body).M_B.mass;
  if (!(explicit_step > 0)) {
    const int link = skeleton.body(pull.body).link.value;
    mass = 0;
    for (int i = link; i < skeleton.subtree_end(link); ++i) mass += skeleton.link(i).mass;
  }
  const HandSpring spring = hand_spring(mass, explicit_step);
  pull.stiffness = spring.stiffness;
  pull.damping = spring.damping;
}

}  // namespace sinew
